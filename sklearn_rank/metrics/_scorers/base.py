"""A scorer that knows which rows belong to one query."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypedDict, Unpack

from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from ..._checks.containers import (
    check_rows_of_fold,
    check_same_order,
    column_names,
    has_column,
    resolve_groups,
)
from ..._checks.errors import as_printed, fail
from ..._checks.types import ArrayLike, Groups, ResponseMethod
from ..._models.answers import with_groups
from .labels import check_unseen, find_labels
from .responses import check_estimator, check_kind, choose_response

WITHOUT_GROUPS = """{scorer} got no query ids. Pass them in one of these ways:
  # the functions and searches of sklearn_rank: cross_validate, GridSearchCV, ...
  from sklearn_rank import cross_val_score
  cross_val_score(model, X, y, scoring={scorer}, groups=qid)

  # those of scikit-learn, with metadata routing enabled and folds of whole queries
  from sklearn_rank import BalancedGroupKFold
  sklearn.set_config(enable_metadata_routing=True)
  params, cv = {{"groups": qid}}, BalancedGroupKFold()
  sklearn.model_selection.cross_val_score(model, X, y, scoring={scorer}, cv=cv, params=params)

  # ids that travel in the data: an index level of X or y, or a column of X
  from sklearn_rank import BalancedGroupKFold
  X = pandas.DataFrame(X).set_index(pandas.Index(qid, name="qid"))
  cv = list(BalancedGroupKFold().split(X, y, groups=qid))
  sklearn.model_selection.cross_val_score(model, X, y, scoring={by_name}, cv=cv)

  # inside a model that scores by itself and keeps the index of y: SequentialFeatureSelector, RidgeCV(cv=cv)
  from sklearn_rank import BalancedGroupKFold
  cv = list(BalancedGroupKFold().split(X, y, groups=qid))
  y = pandas.Series(y, index=pandas.Index(qid, name="qid"))
  sklearn.linear_model.RidgeCV(cv=cv, scoring={by_name}).fit(X, y)
  # inside one that hands on arrays alone no ids reach a scorer: HistGradientBoosting's early stopping,
  # ScoringMonitor. RFECV takes them with metadata routing, fit(X, y, groups=qid), and LogisticRegressionCV
  # from scikit-learn 1.9 on. A ranker of sklearn_rank.rankers stops early with validation_fraction=0.1.

  # a scorer called directly
  scorer = {scorer}
  scorer(model, X_test, y_test, groups=qid_test)"""


MOST_SPELLED = 5  # entries of a table in the description of a scorer

NO_LABELS = (
    "name an index level of X or y, or a column of X, to read {name!r} from. Models that score by themselves "
    "may hand on arrays, which have none: HistGradientBoosting, RFECV, RidgeCV(), LogisticRegressionCV. "
    "RFECV and RidgeCV take ids with metadata routing, fit(X, y, groups=qid), LogisticRegressionCV from "
    "scikit-learn 1.9 on; a ranker of sklearn_rank.rankers stops early by a scorer, with "
    "validation_fraction=0.1"
)
HAS_NO_THRESHOLD = (
    ". If TunedThresholdClassifierCV asks for it: a ranking does not depend on the threshold that it tunes. "
    "Give it a score of decisions, as scoring='f1'"
)


def _has_labels(data: Any) -> bool:
    """Tell whether rows or columns have labels."""
    return hasattr(data, "index") or column_names(data) is not None


def _spell_value(value: Any) -> str:
    """Write an argument; of a table of many entries the first ones, and how many there are."""
    if not isinstance(value, Mapping) or len(value) <= MOST_SPELLED:
        return repr(value)
    first = ", ".join(f"{key!r}: {each!r}" for key, each in islice(value.items(), 2))
    return f"{{{first}, ... {len(value)} entries}}"


class Metadata(TypedDict, total=False):
    """What a scorer takes by name."""

    groups: Groups
    sample_weight: ArrayLike | None
    labels: ArrayLike
    owners: ArrayLike
    strata: ArrayLike
    intents: ArrayLike


class BaseScorer(ABC, BaseEstimator):
    """What scorers of groups share: where ids come from, and what they request from metadata routing.

    Subclasses have the parameters `groups`, `response_method` and `score_request`.
    """

    groups: str | None
    response_method: ResponseMethod
    score_request: dict[str, Any] | None
    labels: str | None = None  # the name of the labels to score by; None for those that a model is trained on
    owners: str | None = None  # the name of the owners of rows; None where there are none
    strata: str | None = None  # likewise of their strata
    labels_are = "labels"  # the parameter that takes them

    @abstractmethod
    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer."""

    @abstractmethod
    def _score(self, estimator: Any, X: Any, y_true: Any, groups: Any, sample_weight: Any) -> Any:
        """Score a fitted model with ids."""

    if not TYPE_CHECKING:  # pragma: no branch - type checkers know the attributes that are there

        def __getattr__(self, name: str) -> NoReturn:
            """Say why there is no function of labels and decisions, which scikit-learn's scorers have."""
            asked_by = HAS_NO_THRESHOLD if name.startswith("_") and not name.startswith("__") else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{asked_by}")

    # The diagram of an estimator would show the name of the class and hide that of the metric.
    def _repr_html_(self) -> str:
        return as_printed(repr(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    # Weights are not named in the signature: scikit-learn would pass those of `fit` on, unasked.
    def __call__(self, estimator: Any, X: Any, y_true: ArrayLike, **metadata: Unpack[Metadata]) -> Any:
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
            `groups`, array-like of shape (n_rows,) or a name to read them by, `sample_weight`, array-like
            of shape (n_rows,), and `labels`, `owners` or `strata`, array-likes with an entry per row, or
            `intents`, of shape (n_rows, n_intents), if the scorer has a name for them.

        Returns
        -------
        float or dict of str to float
            One value, or one per name where the scorer has several.

        Raises
        ------
        ValueError
            Without query ids, or where the metric refuses labels, scores, ids or weights.
        """
        call = self.describe()
        named = ["groups", "sample_weight", *self.names_of_rows]
        unknown = sorted(set(metadata) - set(named))
        if unknown:
            taken = " and ".join((", ".join(map(repr, named[:-1])), repr(named[-1])))
            raise TypeError(f"{call} takes {taken}. Got {unknown[0]!r} instead.")
        check_estimator(estimator, self.response_method, call)
        check_same_order(call, X=X, y_true=y_true, **metadata)
        check_rows_of_fold(call, X=X, y_true=y_true, **metadata)
        groups = metadata.get("groups")
        if groups is None and self.groups is not None and not (_has_labels(X) or _has_labels(y_true)):
            got = f"X of type {type(X).__name__} and y of type {type(y_true).__name__}"
            fail("groups", call, NO_LABELS.format(name=self.groups), got)
        groups = resolve_groups(self.groups if groups is None else groups, X, y_true, call)
        if groups is None:
            raise ValueError(self.explain_groups())
        if self.labels is not None:
            given: Any = dict(metadata).get(self.labels_are)
            kind = self.labels_are
            y_true = find_labels(self.labels, given, X, y_true, call, kind, kind)
        asked = with_groups(estimator, {"groups": groups})
        beside: dict[str, Any] = {}
        for kind, name in {"owners": self.owners, "strata": self.strata}.items():
            if name is not None:
                beside[kind] = find_labels(name, dict(metadata).get(kind), X, y_true, call, kind, kind)
        return self._score(asked, X, y_true, groups, metadata.get("sample_weight"), **beside)

    @property
    def names_of_rows(self) -> dict[str, str]:
        """Return by what it is, such as "labels" or "owners", the name under which the scorer asks for it."""
        names = {self.labels_are: self.labels, "owners": self.owners, "strata": self.strata}
        return {kind: name for kind, name in names.items() if name is not None}

    def check_kind(self, estimator: Any, function: str) -> None:
        """Raise what scoring raises for models whose predictions are not scores."""
        if self.response_method == "auto":
            check_kind(estimator, function)

    def choose_response(self, estimator: Any) -> tuple[Any, Any]:
        """Return the model to ask and the methods to ask it by."""
        return choose_response(estimator, self.response_method, self.describe())

    def spell(
        self, factory: str, first: str, arguments: dict[str, Any], response: str, changed: dict[str, Any]
    ) -> str:
        """Write the call of a factory, with what differs from its defaults."""
        if self.response_method != response:
            arguments["response_method"] = self.response_method
        if self.groups is not None:
            arguments["groups"] = self.groups
        arguments |= self._spell_labels()
        named = [f"{name}={_spell_value(value)}" for name, value in {**arguments, **changed}.items()]
        return f"{factory}({', '.join([first] * bool(first) + named)})"

    def _spell_labels(self) -> dict[str, Any]:
        """Return the argument that says where labels other than `y` come from."""
        return {} if self.labels is None else {self.labels_are: self.labels}

    def check_labels_unseen(self, model: Any, response_method: Any, X: Any, y_true: Any) -> None:
        """Check that a model does not use the column of X that holds the labels to score by, if one does."""
        if self.labels is not None and has_column(X, self.labels):
            check_unseen(self.describe(), [self.labels], model, response_method, X, y_true)

    def explain_groups(self) -> str:
        """Say in code how query ids reach this scorer."""
        return WITHOUT_GROUPS.format(scorer=self.describe(), by_name=self.describe(groups="qid"))

    def set_score_request(self, *, groups: Any = UNCHANGED, sample_weight: Any = UNCHANGED) -> Self:
        """Say what metadata routing should deliver; works with routing enabled or not.

        Parameters
        ----------
        groups, sample_weight : bool, None or str, default=UNCHANGED
            True to request, False not to, a string to request under that name. `groups` are requested from
            the start, unless they travel in the data; `sample_weight` is not. With routing off,
            scikit-learn's own searches keep weights from any scorer that is not a plain function: use those
            of this package, or enable routing.

        Returns
        -------
        BaseScorer
            This scorer.
        """
        asked = {"groups": groups, "sample_weight": sample_weight}
        for name, alias in asked.items():
            if not (alias is None or isinstance(alias, bool) or (isinstance(alias, str) and alias)):
                fail(name, "set_score_request", "be True, False, None or a name", repr(alias))
        changed = {name: alias for name, alias in asked.items() if alias is not UNCHANGED}
        self.score_request = {**(self.score_request or {}), **changed}
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what this scorer requests, for scikit-learn's metadata routing."""
        request = MetadataRequest(owner=type(self).__name__)
        aliases = {"groups": self.groups is None, "sample_weight": False, **(self.score_request or {})}
        for name, alias in {**aliases, **self.names_of_rows}.items():
            request.score.add_request(param=name, alias=alias)
        return request
