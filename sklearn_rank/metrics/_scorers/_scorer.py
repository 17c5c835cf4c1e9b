"""A scorer that knows which rows belong to one query, around scikit-learn's `make_scorer`."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from ..._options import check_options
from ..._validation import fail, resolve_groups
from .._compute import check_requests
from .._names import build_requests, parse_name, score_named
from .._registry import DEFAULTS, METRICS, Entry

RESPONSES = {"decision_function", "predict", "predict_proba"}
WITHOUT_GROUPS = """{scorer} got no query ids. Pass them in one of these ways:
  from sklearn_rank import cross_val_score  # and cross_validate, GridSearchCV, ...
  cross_val_score(model, X, y, scoring={scorer}, groups=qid)

  sklearn.set_config(enable_metadata_routing=True)  # scikit-learn's own functions
  sklearn.model_selection.cross_val_score(model, X, y, scoring={scorer}, params={{"groups": qid}})

  # ids that travel in the data: an index level of X or y, or a column of X
  sklearn.model_selection.cross_val_score(model, X, y, scoring={by_name})

  scorer(model, X_test, y_test, groups=qid_test)  # a scorer called directly"""


class _ExpectedGrade(RegressorMixin, BaseEstimator):
    """A classifier of grades seen as a regressor: it predicts the expected grade."""

    def __init__(self, classifier: Any):
        self.classifier = classifier

    def predict(self, X: Any) -> np.ndarray:
        return self.classifier.predict_proba(X) @ np.asarray(self.classifier.classes_, dtype=np.float64)


class RankingScorer(BaseEstimator):
    """Score a fitted model by ranking metrics; made by `ndcg_scorer` and its kin or `ranking_scorer`.

    It requests `groups` from scikit-learn's metadata routing, unless ids travel in the data. Rankers and
    regressors answer by ``predict``, binary classifiers by ``decision_function`` or else ``predict_proba``,
    classifiers of several numeric grades by the expected grade, ``predict_proba(X) @ classes_``.

    Parameters
    ----------
    metrics : str or list of str
        One name ("ndcg@10") for a float, a list of names for a dict of floats.
    options : dict, default=None
        Keyword arguments of the metric functions other than their defaults.
    groups : str, default=None
        Name of an index level of X or y, or of a column of X, that holds the query ids.
    response_method : str or tuple of str, default="auto"
        Methods of the model to ask, the first that it has; "auto" chooses as said above.
    score_request : dict, default=None
        What metadata routing should deliver, as set by `set_score_request`.
    """

    def __init__(
        self,
        metrics: Any,
        options: dict[str, Any] | None = None,
        groups: str | None = None,
        response_method: Any = "auto",
        score_request: dict[str, Any] | None = None,
    ):
        self.metrics = metrics
        self.options = options
        self.groups = groups
        self.response_method = response_method
        self.score_request = score_request

    # Weights are not named in the signature: scikit-learn would pass those of `fit` on, unasked.
    def __call__(self, estimator: Any, X: Any, y_true: Any, **metadata: Any) -> Any:
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
            `groups`, array-like of shape (n_rows,) or a name to read them by, and `sample_weight`,
            array-like of shape (n_rows,).

        Returns
        -------
        float or dict of str to float
            One value, or one per name where `metrics` is a list.

        Raises
        ------
        ValueError
            Without query ids, or where the metric refuses labels, scores, ids or weights.
        """
        call = self.describe()
        unknown = sorted(set(metadata) - {"groups", "sample_weight"})
        if unknown:
            raise TypeError(f"{call} takes 'groups' and 'sample_weight'. Got {unknown[0]!r} instead.")
        groups = metadata.get("groups")
        groups = resolve_groups(self.groups if groups is None else groups, X, y_true, call)
        if groups is None:
            raise ValueError(self.explain_groups())
        model, response_method = self._choose_response(estimator)
        names = [self.metrics] if isinstance(self.metrics, str) else self.metrics
        scorer = make_scorer(
            _score_values,
            response_method=response_method,
            function=call,
            groups=groups,
            metrics=names,
            options=self.options or {},
            sample_weight=metadata.get("sample_weight"),
            shared=not isinstance(self.metrics, str),
        )
        values = scorer(model, X, y_true).tolist()
        return values[0] if isinstance(self.metrics, str) else dict(zip(names, values))

    def _choose_response(self, estimator: Any) -> tuple[Any, Any]:
        """Return the model to ask and the methods to ask it by."""
        if self.response_method != "auto":
            return estimator, self.response_method
        if not is_classifier(estimator):
            return estimator, "predict"
        if not hasattr(estimator, "classes_"):
            raise NotFittedError(f"{self.describe()} needs a fitted model. Got {estimator} instead.")
        classes = np.asarray(estimator.classes_)
        if len(classes) == 2:
            return estimator, ("decision_function", "predict_proba")
        if classes.dtype.kind not in "biuf":
            fail("estimator", self.describe(), "have numeric grades as classes", f"{classes}")
        if not hasattr(estimator, "predict_proba"):
            rule = "have predict_proba: a classifier of several grades is scored by its expected grade"
            fail("estimator", self.describe(), rule, type(estimator).__name__)
        return _ExpectedGrade(estimator), "predict"

    def describe(self, **changed: Any) -> str:
        """Return the call of the factory that makes this scorer, such as ndcg_scorer(k=10)."""
        if isinstance(self.metrics, str):
            entry, arguments = parse_name(self.metrics, "get_scorer")
            factory = factory_name(entry)
        else:
            factory, arguments = "ranking_scorer", {"metrics": self.metrics}
        arguments |= self.options or {}
        if self.response_method != "auto":
            arguments["response_method"] = self.response_method
        if self.groups is not None:
            arguments["groups"] = self.groups
        arguments |= changed
        return f"{factory}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    def explain_groups(self) -> str:
        """Say in code how query ids reach this scorer."""
        return WITHOUT_GROUPS.format(scorer=self.describe(), by_name=self.describe(groups="qid"))

    def set_score_request(
        self, *, groups: Any = UNCHANGED, sample_weight: Any = UNCHANGED
    ) -> "RankingScorer":
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
        RankingScorer
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
        for name, alias in aliases.items():
            request.score.add_request(param=name, alias=alias)
        return request


def build_metric_scorer(
    stem: str,
    factory: Callable[..., RankingScorer],
    k: int | None,
    options: dict[str, Any],
    groups: str | None,
    response_method: Any,
) -> RankingScorer:
    """Build the scorer of one row of the table under its name, such as ndcg@10."""
    entry = METRICS[stem]
    check_options(factory.__name__, k=k)
    if k is None and entry.cutoff == "required":
        fail("k", factory.__name__, "be an int >= 1", None)
    name = entry.prefix + stem + ("" if k is None else f"@{int(k)}")
    return build_scorer(factory, entry.function, name, options, groups, response_method)


def factory_name(entry: Entry) -> str:
    """Return the name of the factory of a metric's scorers, such as ndcg_scorer."""
    return f"{entry.prefix}{entry.function.__name__.removesuffix('_score')}_scorer"


def build_scorer(
    factory: Callable[..., RankingScorer],
    defaults_of: Callable[..., Any],
    metrics: Any,
    options: dict[str, Any],
    groups: str | None,
    response_method: Any,
) -> RankingScorer:
    """Check everything now, as an error raised inside cross-validation becomes nan; keep non-defaults."""
    function = factory.__name__
    defaults = signature(defaults_of).parameters
    asked = {name: value for name, value in options.items() if not _same(value, defaults[name].default)}
    if asked.get("average", "macro") is None:
        fail("average", function, "be 'macro', 'micro' or 'weighted': a scorer returns one number", None)
    single = isinstance(metrics, str)
    requests = build_requests(function, [metrics] if single else metrics, asked, shared=not single)
    for name in requests:
        check_direction(name, function, "metrics")
    check_requests(function, requests, **{name: asked.get(name, value) for name, value in DEFAULTS.items()})
    if groups is not None and not (isinstance(groups, str) and groups):
        rule = "be the name of an index level or of a column of X; ids themselves go to the call"
        fail("groups", function, rule, repr(groups) if isinstance(groups, str) else type(groups).__name__)
    methods = [response_method] if isinstance(response_method, str) else response_method
    is_list = isinstance(methods, list | tuple) and len(methods) > 0
    known = is_list and all(isinstance(method, str) and method in RESPONSES for method in methods)
    if not known and methods != ["auto"]:
        rule = f"be 'auto', one of {', '.join(map(repr, sorted(RESPONSES)))} or a list of them"
        fail("response_method", function, rule, repr(response_method))
    return RankingScorer(metrics, asked or None, groups, response_method)


def check_direction(name: str, function: str, parameter: str) -> None:
    """Refuse a loss that is not negated: what scorers return is maximised."""
    entry, _ = parse_name(name, function, parameter)
    if not name.startswith(entry.prefix):
        fail(parameter, function, f"be negated in a scorer, as {entry.prefix}{name}", repr(name))


def _same(value: Any, default: Any) -> bool:
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default
    return value is default or (isinstance(value, str | int | float) and value == default)


def _score_values(y_true: Any, y_score: Any, **arguments: Any) -> np.ndarray:
    """Return scores as an array: scikit-learn multiplies what a scorer returns by a sign."""
    return np.array(list(score_named(y_true, y_score, **arguments).values()))
