"""Base class of the rankers of the boosting libraries."""

from abc import abstractmethod
from collections.abc import Callable, Set
from inspect import signature
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import check_is_fitted

from .._checks import explain_parameters
from .._checks.containers import check_same_order
from .._checks.errors import fail, name_call
from .._checks.groups import warn_of_ids_in
from .._checks.missed import warn_of_unretrieved
from .._checks.types import Features, Ids, Table
from .._checks.warn import RankingWarning, warn_user
from ._eval_sets import Stopping, hold_out, read_eval_labels, warn_of_training_rows
from ._query_rows import EvalRows, RankingData, as_readable, read_eval_rows, weighs
from ._ranker_mixin import RankerMixin, check_columns, name_columns

Constructor = TypeVar("Constructor", bound=Callable[..., None])


def show_parameters_of(library: type) -> Callable[[Constructor], Constructor]:
    """Add the library's own parameters, which are keyword arguments, to the signature of a constructor."""

    def show(constructor: Constructor) -> Constructor:
        theirs = signature(library.__init__).parameters.values()  # type: ignore[misc]
        own = [each for each in signature(constructor).parameters.values() if each.kind is each.KEYWORD_ONLY]
        shown = sorted([*theirs, *own], key=lambda each: each.kind)
        constructor.__signature__ = signature(constructor).replace(parameters=shown)  # type: ignore[attr-defined]
        return constructor

    return show


CONSTANT = (
    "{function}: the queries held out by 'validation_fraction' had the value {value:g} in every round, so "
    "the round at which training stopped is arbitrary. Increase the fraction, or use another metric."
)
SETS = ("eval_set", "eval_X")


class TrainingData(NamedTuple):
    """The training rows and evaluation sets of a ranker."""

    rows: RankingData
    sets: list[RankingData]  # evaluation sets: those passed, or one that is held out
    columns: list[Table] | None  # the names of the features, for frames
    eval_rows: list[EvalRows]  # the same sets for scorers; empty without scorers
    held_out: Any = None  # the ids of the queries that are held out


class BoostedRanker(RankerMixin):
    """A ranker of a boosting library, which can hold out queries for early stopping."""

    __metadata_request__fit = dict.fromkeys(
        ("groups", "eval_set", "eval_X", "eval_y", "eval_groups", "eval_sample_weight", "eval_labels"), True
    )
    validation_fraction: Any

    @abstractmethod
    def _find_wait(self) -> str:
        """Return the name of the parameter that sets a number of rounds to wait, or ""."""

    def _choose_rows(self, rows: RankingData, sets: list[RankingData], stopping: Stopping) -> TrainingData:
        """Check the arguments of `fit`, and hold out queries if `validation_fraction` is set."""
        columns = name_columns(rows.X)
        check_same_order(X=rows.X, y=rows.y, groups=rows.groups, **rows.row_data)
        self._check_features("X", rows.X)
        for eval_X, eval_y, eval_groups, eval_data, _ in sets:
            self._check_features("eval_X", eval_X)
            check_columns(columns, eval_X, "eval_X")
            check_same_order(eval_X=eval_X, eval_y=eval_y, eval_groups=eval_groups, **eval_data)
        warn_of_ids_in(type(self).__name__, rows.groups, rows.X)
        warn_of_unretrieved(rows.X, rows.y)
        if sets:
            sets = read_eval_labels(stopping, sets)
        else:
            (rows,) = read_eval_labels(stopping, [rows])
        fraction = self.validation_fraction
        if fraction is None:
            self._check_stopping(stopping.waits, has_sets=bool(sets))
            self._check_eval_weights(sets, stopping)
            if stopping.waits:
                warn_of_training_rows(rows, sets)
            return TrainingData(rows, sets, columns, read_eval_rows(sets, stopping.scorers))
        if sets:
            fail("validation_fraction", "be None if evaluation sets are passed", repr(fraction))
        if stopping.clash:
            fail("validation_fraction", f"be None with {stopping.clash}", repr(fraction))
        if not stopping.waits:
            rule = "be combined with a number of rounds to wait"
            fail("validation_fraction", rule, f"{fraction!r} alone", f"Pass {stopping.remedy} too.")
        train, evaluation, ids = hold_out(fraction, rows, stopping)
        return TrainingData(train, [evaluation], columns, read_eval_rows([evaluation], stopping.scorers), ids)

    def _check_stopping(self, waits: str, has_sets: bool) -> None:
        """Check that there is evaluation data if a parameter sets a number of rounds to wait."""
        if waits and not has_sets and self.validation_fraction is None:
            fix = "Pass validation_fraction=0.2 to the constructor, or eval_set and eval_groups to fit."
            fail(waits, "be combined with evaluation data", f"{waits!r} alone", fix)

    def _check_features(self, parameter: str, X: Features) -> None:
        """Check that the library accepts the features."""

    def _check_fit_parameters(self, names: Set[str], tuned: Set[str], X: Features = None) -> None:
        """Check features, if known, and early stopping, unless `tuned` parameters have other values."""
        self._check_features("X", X)
        requests = get_routing_for_object(self).fit.requests
        aliases = {name if alias is True else alias for name, alias in requests.items() if name in SETS}
        waits = self._find_wait()
        if tuned.isdisjoint((waits, "validation_fraction")):
            self._check_stopping(waits, has_sets=bool(names & {*SETS, *aliases}))

    def _check_eval_weights(self, sets: list[RankingData], stopping: Stopping) -> None:
        """Check that a metric uses the weights of evaluation sets, if there are any."""
        given = any(data.row_data.get("eval_sample_weight") is not None for data in sets)
        if given and stopping.scorers and not stopping.has_own and not any(map(weighs, stopping.scorers)):
            fix = f"Pass eval_metric={stopping.scorers[0].describe()}.set_score_request(sample_weight=True)."
            fail("eval_sample_weight", "be None unless the eval_metric requests weights", "weights", fix)

    def _keep_of_fit(self, data: TrainingData, metric: str | None = None) -> None:
        """Keep the columns and the held-out ids, after training with early stopping by `metric`."""
        self._columns = data.columns
        self.__dict__.pop("validation_groups_", None)
        if data.held_out is not None:
            self.validation_groups_ = _as_array(data.held_out)
            [*_, log] = self.evals_result_.values()
            names = log if metric is None else [metric]
            values = [np.unique(log[name]) for name in names if len(log[name]) > 1]
            if values and all(len(distinct) == 1 for distinct in values):
                warn_user(CONSTANT.format(function=name_call(), value=values[0][0]), RankingWarning)

    def set_params(self, **params: object) -> Any:
        """Set the parameters of this ranker.

        Parameters
        ----------
        **params
            Parameters of the constructor. A scorer is replaced as a whole.

        Returns
        -------
        object
            This ranker.
        """
        for name in params:
            metric, inside, _ = name.partition("__")
            if inside and metric in ("eval_metric", "metric"):
                fail(metric, "be set as a whole", repr(name), f"Pass {metric}=ndcg_scorer(k=10).")
        return super().set_params(**params)

    @explain_parameters
    def predict(self, X: Features, *args: object, **options: object) -> np.ndarray:
        """Predict the scores of documents; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features. A frame must have the same columns as in `fit`, in the same order.
        *args, **options
            Other arguments of the library's `predict`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Predicted scores.

        Raises
        ------
        ValueError
            If a frame does not have the columns of `fit` in the same order.
        NotFittedError
            If the ranker is not fitted.
        """
        check_is_fitted(self)
        check_columns(self._columns, X)
        return super().predict(as_readable(X), *args, **options)


def _as_array(ids: Ids) -> np.ndarray:
    """Return query ids as an array, which any format can save; pairs stay together."""
    if isinstance(ids, list) and isinstance(ids[0], tuple):
        return np.fromiter(ids, dtype=object, count=len(ids))
    return np.ravel(ids)
