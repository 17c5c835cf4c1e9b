"""A scorer that uses query ids, based on scikit-learn's `make_scorer`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from inspect import signature
from itertools import islice
from pprint import saferepr
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypedDict, TypeGuard, Unpack

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from ..._checks.containers import (
    check_rows_of_fold,
    check_same_order,
    column_names,
    has_column,
    resolve_groups,
)
from ..._checks.errors import as_printed, fail
from ..._checks.missed import Missed
from ..._checks.options import is_same, pick
from ..._checks.outputs import make_line
from ..._checks.types import (
    AnyScorer,
    Arguments,
    ArrayLike,
    Estimator,
    Features,
    Function,
    Groups,
    Ids,
    Labels,
    Options,
    ResponseMethod,
    Scores,
    Table,
    Weights,
)
from .._compute import compute_many
from .._group_values import request_groups
from .._libraries.library_names import is_prefixed
from .._names import USUAL, build_requests, merge_options, parse_name
from .._query_values import ScoredQueries, check_kept, score_queries
from .._table import Given, Request, find_label_rules
from .input_columns import ARGUMENTS, NO_NAMES, WITH_CALL, check_unseen, read_input
from .responses import HAS_NO_THRESHOLD, find_response, mark_positive, predict_scores, with_classes

WITHOUT_GROUPS = (
    "{scorer} received no query ids. If you call it yourself, pass groups=qid. scikit-learn passes `groups` "
    "to scorers only with metadata routing: use the function of the same name in sklearn_rank with "
    "groups=qid, or see 'How to pass query ids' in the docs."
)

MOST_SPELLED = 5  # entries of a table that the description of a scorer shows in full

INPUTS = ("items", "columns", "strata", "intents")
DEFAULTS = {"intents": "intents"}  # names of inputs in the factories


class Metadata(TypedDict, total=False):
    """The metadata that a scorer accepts by name."""

    groups: Groups
    sample_weight: ArrayLike | None
    labels: ArrayLike
    strata: ArrayLike
    intents: ArrayLike


class RankingScorer:
    """Scorer that computes ranking metrics of fitted models, as made by `ndcg_scorer` and other factories.

    It requests `groups` from scikit-learn's metadata routing, unless query ids are read from the data. Scores
    of rankers and regressors are their predictions. For binary classifiers, they are the output of
    ``decision_function`` or else ``predict_proba``, and for classifiers with several numeric grades, the
    expected grade, ``predict_proba(X) @ classes_``. Models whose predictions are not scores raise an error:
    clusterers, density estimators, models with several targets, and outlier
    detectors. For outlier detectors, use ``response_method="decision_function"`` (higher for inliers).
    Classes must be numeric grades, where higher is more relevant, unless `pos_label` is set. Ids of offers or
    categories are not grades.

    Like the scorers of scikit-learn, it has no parameters that searches can set. Clones of a search share
    their scorer, so `set_score_request` changes it for all of them; ``copy.copy(scorer)`` is independent.

    Parameters
    ----------
    metrics : str, list of str or callable
        Name of a metric, such as "ndcg@10", to return a float; list of names to return a dict of floats; or a
        metric function of this package with inputs other than labels, scores and query ids.
    options : dict, default=None
        Keyword arguments of the metric functions that differ from their defaults.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that contains the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model; the first method that exists is called. "auto" chooses as described above.
    score_request : dict, default=None
        Metadata to request from metadata routing, as set by `set_score_request`.
    labels : str, default=None
        Name of the labels for scoring, if they differ from the `y` on which the model is trained. They are
        passed by metadata routing, ``params={"debiased": labels}``, or are an index level of X or y, or a
        column of X that the model does not use.
    greater_is_better : bool, default=True
        Whether to return the value of a metric function or its negative.
    missed : Missed, default=None
        Labels of judged documents that are not rows. They are added when the metric groups the rows.
    pos_label : object, default=None
        Class of a classifier whose documents are relevant, as in scikit-learn. Documents are ranked by the
        scores of this class, and the labels `y` are replaced by 1 for this class and 0 for others. Required
        for text classes. If `None`, classes are grades.
    **inputs : str or list
        Other inputs of a metric function. `strata` and `intents` are names like `labels`, `items`
        is the name of an index level or a column, and `columns` are the columns of X with features of items.
        `intents` can also be a list of columns of X that the model does not use.

    Examples
    --------
    >>> from sklearn_rank.metrics import RankingScorer, ndcg_scorer
    >>> isinstance(ndcg_scorer(k=10), RankingScorer)
    True
    """

    highest: float | None = None  # label of all folds, if a metric needs it
    is_scored_later: bool = False  # whether a call only makes the checks, and returns 0
    _report_queries: Callable[[ScoredQueries], Any] | None = None  # receives the query values of each score

    def __init__(
        self,
        metrics: str | list[str] | Function,
        options: Options | None = None,
        groups: str | None = None,
        response_method: ResponseMethod = "auto",
        score_request: Options | None = None,
        labels: str | None = None,
        greater_is_better: bool = True,
        missed: Missed | None = None,
        pos_label: Any = None,
        **inputs: Any,
    ):
        for name in inputs:
            if name not in INPUTS or not callable(metrics):
                raise TypeError(f"RankingScorer() got an unexpected keyword argument {name!r}")
        self.metrics: Any = metrics
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request
        self.labels = labels
        self.greater_is_better = greater_is_better
        self.missed = missed
        self.pos_label = pos_label
        self.inputs = inputs

    if not TYPE_CHECKING:  # pragma: no branch - type checkers use the existing attributes

        def __getattr__(self, name: str) -> NoReturn:
            """Raise an error, for private attributes with the reason why scorers do not have them."""
            reason = HAS_NO_THRESHOLD if name.startswith("_") and not name.startswith("__") else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{reason}")

    @property
    def __name__(self) -> str:
        """The name of the metrics, which the displays of scikit-learn show."""
        if callable(self.metrics):
            function = self.metrics.args[0] if isinstance(self.metrics, partial) else self.metrics
            return "neg_" * (not self.greater_is_better) + getattr(function, "__name__", repr(function))
        return self.metrics if isinstance(self.metrics, str) else ", ".join(self.metrics)

    def _accept_sample_weight(self) -> bool:
        """Return whether searches without metadata routing pass the weights of `fit`."""
        return (self.score_request or {}).get("sample_weight") is True

    def __deepcopy__(self, memo: object) -> Self:
        """Return the scorer itself, so that clones of a search share its data."""
        return self

    def __repr__(self) -> str:
        """Return the non-default parameters, or the factory's call if the metric is a function."""
        if callable(self.metrics):
            requests = ", ".join(f"{name}={alias!r}" for name, alias in (self.score_request or {}).items())
            return self.describe() + f".set_score_request({requests})" * bool(requests)
        defaults = signature(RankingScorer).parameters
        changed = [
            f"{name}={saferepr(value)}"
            for name, value in vars(self).items()
            if name in defaults and name != "inputs" and not is_same(value, defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        return as_printed(repr(self))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    # Weights are not in the signature: scikit-learn would pass those of `fit` without a request.
    def __call__(
        self, estimator: Estimator, X: Features, y_true: ArrayLike, **metadata: Unpack[Metadata]
    ) -> Any:
        """Score a fitted model on held-out rows.

        Parameters
        ----------
        estimator : object
            A fitted model.
        X : array-like of shape (n_rows, n_features)
            Features.
        y_true : array-like of shape (n_rows,)
            Relevance labels.
        **metadata
            `groups`: array-like of shape (n_rows,), or the name of the ids in the data; `sample_weight`:
            array-like of shape (n_rows,). If the scorer has a name for them, also `labels` or
            `strata` with one entry per row, or `intents` of shape (n_rows, n_intents).

        Returns
        -------
        float or dict of str to float
            One value, or one value per name if the scorer has several names.
        """
        named = ["groups", "sample_weight", *self.names_of_rows]
        if unknown := sorted(metadata.keys() - named):
            taken = " and ".join((", ".join(map(repr, named[:-1])), repr(named[-1])))
            raise TypeError(f"{self.describe()} takes {taken}. Got {unknown[0]!r} instead.")
        if self.is_scored_later:
            return dict.fromkeys(self.metrics, 0.0) if isinstance(self.metrics, list) else 0.0
        check_same_order(X=X, y_true=y_true, **metadata)
        check_rows_of_fold(X=X, y_true=y_true, **metadata)
        groups = self._find_groups(metadata.get("groups"), X, y_true)
        rows: Options = {"groups": groups, "sample_weight": metadata.get("sample_weight")}
        for kind, origin in self._origins.items():
            rows[ARGUMENTS.get(kind, kind)] = read_input(
                kind, origin, dict(metadata).get(kind), X, y_true, self.groups
            )
        y_true = rows.pop("y_true", None if "y_true" in rows else mark_positive(self, y_true))
        model, response_method = find_response(self, estimator, groups)
        origins = [self.labels, self.inputs.get("intents")]
        names = [[origin] if isinstance(origin, str) else origin or [] for origin in origins]
        if unseen := [name for some in names for name in some if has_column(X, name)]:  # not features
            check_unseen(unseen, model, response_method, X, y_true)

        y_score = predict_scores(model, response_method, X, y_true)
        if callable(self.metrics) and self._report_queries is None:
            scorer = with_classes(self, model)
            return scorer._call_function(y_true=y_true, y_score=y_score, y_pred=y_score, **rows)
        are_floats = isinstance(y_score, np.ndarray) and y_score.dtype.kind == "f"  # as in most calls
        if not are_floats and is_classifier(model) and np.asarray(y_score).dtype.kind in "biu":
            y_score = y_score * 1.0  # `choose_response` has warned of these classes
        return name_values(self, with_classes(self, model)._compute(y_true, y_score, **rows))

    def score_rows(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Any:
        """Score predictions instead of a model.

        Parameters
        ----------
        y_true, y_score, groups, sample_weight : array-like of shape (n_rows,)
            Labels, scores, query ids and weights of queries, as in the metric functions. Ids are not required
            for 2-D input. If `sample_weight` is `None`, all weights are equal.

        Returns
        -------
        float or dict of str to float
            One value, or one value per name if the scorer has several names.

        Examples
        --------
        >>> from sklearn_rank import ndcg_scorer
        >>> ndcg_scorer(k=1).score_rows([0, 2], [0.5, 0.1], groups=["shoes", "shoes"])
        0.0
        """
        return name_values(self, self._compute(mark_positive(self, y_true), y_score, groups, sample_weight))

    def _find_groups(self, given: object, X: Features, y_true: Labels) -> Any:
        """Return query ids that were passed, or read them by name."""
        if given is None and self.groups is not None and not (_has_labels(X) or _has_labels(y_true)):
            got = f"X of type {type(X).__name__} and y of type {type(y_true).__name__}"
            fail("groups", "name an index level of X or y, or a column of X", got, NO_NAMES)
        groups = resolve_groups(self.groups if given is None else given, X, y_true)
        if groups is None:
            raise ValueError(WITHOUT_GROUPS.format(scorer=self.describe()))
        return groups

    @property
    def _origins(self) -> Options:
        """Return where the inputs of the metric come from."""
        return self.inputs if self.labels is None else {"labels": self.labels, **self.inputs}

    @property
    def names_of_rows(self) -> dict[str, str]:
        """Return the names of the inputs that the scorer requests, by kind, such as "labels" or "strata"."""
        origins = self._origins
        return {kind: origins[kind] for kind in WITH_CALL if isinstance(origins.get(kind), str)}

    def _call_function(self, **rows: object) -> float:
        """Call a metric function with the rows that it takes."""
        taken = signature(self.metrics).parameters
        if rows["sample_weight"] is not None and "sample_weight" not in taken:
            raise TypeError(
                f"{self.describe()} does not take 'sample_weight', because it is not a mean over queries."
            )
        passed = {name: value for name, value in rows.items() if name in taken}
        value = float(self.metrics(**passed, **(self.options or {})))
        return value if self.greater_is_better else -value

    def _compute(self, y_true: Labels, y_score: Scores, groups: Ids, sample_weight: Weights) -> list[float]:
        """Return the value of each metric."""
        given = Given(y_true, y_score, groups, sample_weight, self.missed_of_parts)
        requests = self.list_requests()
        if self._report_queries is None:
            return list(compute_many(requests, given).values())
        scored = score_queries(requests, given, (self.options or {}).get("min_relevance", 1))
        self._report_queries(scored)
        return [each.mean() for each in scored.metrics.values()]

    @property
    def missed_of_parts(self) -> Missed | None:
        """Return the labels of documents that are not rows, for a call with a part of the queries."""
        return None if self.missed is None else self.missed.of_parts()

    @property
    def unjudged(self) -> str:
        """Return how the metrics treat NaN labels: "raise" if one metric rejects NaN."""
        return find_label_rules(self.list_requests()).unjudged

    def list_requests(self) -> list[Request]:
        """List the metrics with their options, if the scorer has names of metrics or a function of groups."""
        if isinstance(self.metrics, partial):
            return [as_request(self, self.__name__, {})._replace(column=None)]
        if callable(self.metrics):
            raise TypeError(
                f"{self.describe()} scores fitted models only. For known scores, call its metric function."
            )
        single = isinstance(self.metrics, str)
        names = [self.metrics] if single else self.metrics
        requests = build_requests(names, self.options or {}, shared=not single)
        if self.highest is None:
            return requests
        return [each._replace(highest=self.highest) for each in requests]

    def describe(self, **changed: object) -> str:
        """Return the call of the factory that makes this scorer, such as ndcg_scorer(k=10).

        Parameters
        ----------
        **changed
            Arguments to show instead of those of this scorer.

        Returns
        -------
        str
            The call.
        """
        first: list[str] = []
        arguments: Options = {}
        response: str | None = "auto"
        if isinstance(self.metrics, partial):
            (function,) = self.metrics.args
            factory, response = "make_group_scorer", None
            first = [getattr(function, "__name__", repr(function))]
            arguments = {} if self.greater_is_better else {"greater_is_better": False}
        elif callable(self.metrics):
            prefix = "" if self.greater_is_better else "neg_"
            factory = f"{prefix}{self.metrics.__name__.removesuffix('_score')}_scorer"
        elif not isinstance(self.metrics, str):
            factory, arguments = "ranking_scorer", {"metrics": self.metrics}
        elif is_prefixed(self.metrics):
            factory, first = "get_scorer", [repr(self.metrics)]
        else:
            metric, arguments = parse_name(self.metrics)
            factory = metric.factory.__name__
        inputs = {
            kind: origin
            for kind, origin in self.inputs.items()
            if origin is not None and not (isinstance(origin, str) and origin == DEFAULTS.get(kind))
        }
        others: Options = {"groups": self.groups, "labels": self.labels, "missed": self.missed}
        others["pos_label"] = self.pos_label
        if self.response_method != response:
            others = {"response_method": self.response_method, **others}
        given = {name: value for name, value in others.items() if value is not None}
        arguments = {**inputs, **arguments, **(self.options or {}), **given, **changed}
        named = [f"{name}={_spell_value(value)}" for name, value in arguments.items()]
        return f"{factory}({', '.join(first + named)})"

    def set_score_request(self, *, groups: Ids = UNCHANGED, sample_weight: Weights = UNCHANGED) -> Self:
        """Set the metadata that this scorer requests, with or without metadata routing enabled.

        Parameters
        ----------
        groups, sample_weight : bool, None or str, default=UNCHANGED
            Whether to request this input; a string requests it under that name. By default, `groups` is
            requested, unless query ids are read from the data, and `sample_weight` is not. Without metadata
            routing, scikit-learn's searches pass weights only to scorers that are plain functions: use the
            searches of this package, or enable routing.

        Returns
        -------
        RankingScorer
            This scorer.
        """
        aliases = {"groups": groups, "sample_weight": sample_weight}
        for name, alias in aliases.items():
            if not (alias is None or isinstance(alias, bool) or (isinstance(alias, str) and alias)):
                fail(name, "be True, False, None or a name", repr(alias))
        changed = {name: alias for name, alias in aliases.items() if alias is not UNCHANGED}
        self.score_request = {**(self.score_request or {}), **changed}
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the requests of this scorer for scikit-learn's metadata routing."""
        request = MetadataRequest(owner=type(self).__name__)
        aliases = {"groups": self.groups is None, "sample_weight": False, **(self.score_request or {})}
        for name, alias in {**aliases, **self.names_of_rows}.items():
            request.score.add_request(param=name, alias=alias)
        return request


def as_request(scorer: RankingScorer, name: str, options: Arguments) -> Request:
    """Return the request of a scorer in a call with these options; its own options count."""
    own = scorer.options or {}
    rest = merge_options(name, options, own, USUAL)
    if isinstance(scorer.metrics, partial):
        kwargs = {key: value for key, value in own.items() if key not in ("average", "zero_division")}
        sign = 1.0 if scorer.greater_is_better else -1.0
        return request_groups(name, scorer.metrics.args[0], sign, scorer.labels, {**rest, **own}, kwargs)
    if not isinstance(scorer.metrics, str):
        rule = "contain scorers of one metric of labels and scores"
        fail("metrics", rule, scorer.describe(), "Pass names of its metrics.")
    (request,), (mine,) = build_requests([scorer.metrics], rest), scorer.list_requests()
    params = {**request.params, **pick(own, mine.params)}
    rules = request.rules._replace(**pick(own, mine.rules._asdict()))
    request = request._replace(params=params, rules=rules, column=scorer.labels)
    request.check_together()
    return request


def name_values(scorer: RankingScorer, values: list[float]) -> Any:
    """Return one value as a float, or several values by name."""
    numbers = list(map(float, values))
    return numbers[0] if not isinstance(scorer.metrics, list | tuple) else dict(zip(scorer.metrics, numbers))


def with_callback(scorer: RankingScorer, report_queries: Callable[[ScoredQueries], Any]) -> RankingScorer:
    """Return a copy of a scorer that also passes the query values of each score to a function."""
    check_kept(scorer.list_requests())
    copied = copy(scorer)
    copied._report_queries = report_queries
    return copied


def is_ranking(scorer: AnyScorer) -> TypeGuard[RankingScorer]:
    """Return whether a scorer computes metrics by name, from labels, scores and query ids only."""
    return isinstance(scorer, RankingScorer) and not callable(scorer.metrics)


def _has_labels(data: Table) -> bool:
    """Return whether rows or columns are labeled."""
    return hasattr(data, "index") or column_names(data) is not None


def _spell_value(value: Any) -> str:
    """Return an argument as code; a large table is shown by its first entries and their number."""
    table = dict(value.items()) if hasattr(value, "to_dict") and hasattr(value, "items") else value
    if not isinstance(table, Mapping) or len(table) <= MOST_SPELLED:
        return make_line(repr(table))  # of a frame, several lines
    first = ", ".join(f"{key!r}: {each!r}" for key, each in islice(table.items(), 2))
    return f"{{{first}, ... {len(table)} entries}}"
