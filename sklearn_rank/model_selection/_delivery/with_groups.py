"""Models whose methods take query ids and pass them to the parts that need them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._checks import explain_parameters
from ..._checks.containers import as_rows, check_same_order, count_rows, resolve_groups
from ..._checks.errors import fail
from ..._checks.groups import check_groups
from ..._checks.types import ArrayLike, Estimator, Features, Function, Groups, Ids, Labels, Options, Scores
from ..._rows.bound import call_method, unwrap
from ..._rows.inner_models import METHODS, OUTPUTS, find_best
from ..._rows.needs import Needs
from .call import prepare_call

_KEPT: WeakKeyDictionary[Any, Needs] = WeakKeyDictionary()  # of each fitted object; not part of its pickles
Mixin: Any = object  # so that type checkers allow methods of the other base class


def available_with(method: str) -> Callable[[Function], Any]:
    """Return a decorator that provides a method only if the model has it."""
    return available_if(lambda self: self._has_method(method))


OF_IDS = """
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level or a column of X. Required if a part of the
            model requests ids.
        **params
            Ids under other names that the model requests, and parameters of its method."""


def _make_method(method: str, summary: str) -> Scores:
    """Make a method that passes ids to the fitted model."""

    def call(self: Any, X: Features, *, groups: Groups = None, **params: object) -> Scores:
        _called_as = f"{type(self).__name__}.{method}"
        return self._call_method(method, X, groups, params)

    call.__name__, call.__qualname__ = method, f"PredictsWithGroups.{method}"
    call.__doc__ = f"""{summary}

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.{OF_IDS}

        Returns
        -------
        ndarray
            Result of the model.
        """
    return available_with(method)(explain_parameters(call))


class PredictsWithGroups(Mixin):
    """Methods that pass `groups` to all parts of a fitted model that request them."""

    _names_in_fit: Sequence[str] = ()  # other than `groups`, under which `fit` got ids
    passes_ids_itself = True  # `fit` takes ids as an argument and passes them to the parts; routing ends here

    predict = _make_method("predict", "Predict the score of each row.")
    predict_proba = _make_method("predict_proba", "Predict the probabilities of the classes.")
    predict_log_proba = _make_method("predict_log_proba", "Predict the logarithms of the probabilities.")
    decision_function = _make_method("decision_function", "Return the decision values of the model.")
    transform = _make_method("transform", "Transform the features.")
    score_samples = _make_method("score_samples", "Return log-likelihoods or similar.")
    inverse_transform = _make_method("inverse_transform", "Reverse `transform`.")

    def __init_subclass__(cls, **_: object) -> None:
        """Make no methods such as `set_fit_request`, because the parts of the model make requests."""

    def _keep_names(self, params: Options) -> None:
        """Store the names under which `fit` got ids; other methods require the same."""
        self._names_in_fit = [name for name in self._find_needs().names if params.get(name) is not None]

    def _find_needs(self) -> Needs:
        """Return the needs of the fitted model, found once in each process, or else of the given model."""
        fitted = vars(self).get("estimator_", vars(self).get("best_estimator_"))
        if fitted is None:  # parameters of the model can change
            return Needs(self.estimator)
        if self not in _KEPT or _KEPT[self].model is not fitted:
            _KEPT[self] = Needs(fitted)
        return _KEPT[self]

    def _call_method(self, method: str, X: Features, groups: Ids, params: Options, y: Labels = None) -> Any:
        """Call a method of the fitted model with the ids that it or its parts need."""
        check_is_fitted(self)
        ids, others = self._read_columns(method, X, y, groups, params)
        needs = self._find_needs()
        return call_method(needs.model, method, X, y, ids, others, needs)

    def _read_columns(
        self, method: str, X: Features, y: Labels, groups: Ids, params: Options
    ) -> tuple[Options, Options]:
        """Return the ids under each name that the fitted model takes, and the other parameters."""
        check_same_order(**{"X": X, "y": y, "groups": groups, **params})
        needs = self._find_needs()
        needed = [name for name in needs.list_needed(method) if params.get(name) is None]
        for name in {*self._names_in_fit}.intersection(needed):
            fix = f"Pass {name}=, the ids of these rows."
            fail(name, "be passed, because it was passed to fit", None, fix)
        names = [name for name, kind in needs.names.items() if kind == "ids"]
        given = {"groups": groups, **{name: params.get(name, groups) for name in names}}
        ids = {name: resolve_groups(each, X, y, name) for name, each in given.items() if each is not None}
        if ids:
            ids.setdefault("groups", next(iter(ids.values())))
        elif needed:
            Needs(find_best(needs.model)).check_given(OUTPUTS, params)
        for name, values in ids.items():
            check_groups(values, count_rows(X), name)
        return ids, {name: value for name, value in params.items() if name not in names}


def _of_fitted(name: str, summary: str) -> Any:
    """Make a property that reads an attribute of the fitted model. Before `fit`, it raises AttributeError."""
    return property(lambda self: getattr(vars(self).get("estimator_"), name), doc=summary)


class WithGroups(PredictsWithGroups, MetaEstimatorMixin, BaseEstimator):
    """A model whose `fit`, `predict` and `score` take query ids.

    Without metadata routing, scikit-learn does not pass `groups` to the parts of a model. The methods of this
    class pass query ids to each part that requests them, as :func:`cross_validate` does.

    Parameters
    ----------
    estimator : estimator object
        A ranker, a pipeline, a stack, a search or any other estimator.

    Attributes
    ----------
    estimator_ : estimator object
        The fitted model, without wrappers of this package.
    classes_ : ndarray
        The classes, if the model is a classifier.
    n_features_in_ : int
        The number of features in `fit`, if the model has it.
    feature_names_in_ : ndarray of str
        The names of the features in `fit`, if the model has them.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_rank import WithGroups, ndcg_score
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.preprocessing import WithinGroupScaler
    >>> X, y, qid = make_ranking(n_queries=100, random_state=0)
    >>> train, test = qid < 80, qid >= 80
    >>> model = WithGroups(make_pipeline(WithinGroupScaler(), Ridge()))
    >>> model = model.fit(X[train], y[train], groups=qid[train])
    >>> scores = model.predict(X[test], groups=qid[test])
    >>> round(ndcg_score(y[test], scores, groups=qid[test], k=10), 2)
    0.86
    """

    estimator_: Any

    def __init__(self, estimator: Estimator):
        self.estimator = estimator

    @explain_parameters
    def fit(
        self, X: Features, y: ArrayLike | None = None, *, groups: Groups = None, **params: object
    ) -> Self:
        """Fit a clone of the model.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,), default=None
            Relevance labels. Rankers of this package do not train on rows whose label is NaN.
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level of X or y or of a column of X. Required if a
            part requests ids. A column stays a feature, on which the model trains.
        **params
            Parameters of `fit`, as in scikit-learn with or without metadata routing.

        Returns
        -------
        WithGroups
            The fitted model.

        Raises
        ------
        ValueError
            If a part of the model requests ids that are missing or do not reach it.
        """
        self._fit("fit", X, y, groups, params)
        return self

    def _fit(self, method: str, X: Features, y: Labels, groups: Ids, params: Options) -> Estimator:
        """Fit a clone of the model by `fit` or `fit_transform`, and return the result."""
        X = as_rows(X)
        all_rows: Any = [(np.arange(count_rows(X)), [])]
        call = prepare_call(self.estimator, X, y, groups, None, all_rows, params, scores=False)
        model = clone(call.estimator) if call.rows is None else call.estimator
        given = {name: value for name, value in call.params.items() if value is not None}
        result = getattr(model, method)(call.X, call.y, **given)
        self.estimator_ = unwrap(model)
        self._keep_names(params)
        return result

    @available_with("fit_transform")
    def fit_transform(
        self, X: Features, y: ArrayLike | None = None, *, groups: Groups = None, **params: object
    ) -> Features:
        """Fit a transformer, and transform the same rows.

        Parameters
        ----------
        X, y, groups, **params
            As in `fit`.

        Returns
        -------
        ndarray
            The transformed features.
        """
        return self._fit("fit_transform", X, y, groups, params)

    @available_with("score")
    @explain_parameters
    def score(
        self, X: Features, y: ArrayLike | None = None, *, groups: Groups = None, **params: object
    ) -> float:
        """Return the model's own score, such as R² or accuracy.

        Parameters
        ----------
        X, y, groups
            As in `fit`.
        **params
            Parameters of the model's `score`, such as `sample_weight`.

        Returns
        -------
        float
            The score.
        """
        return float(self._call_method("score", as_rows(X), groups, params, as_rows(y, "y")))

    def _has_method(self, method: str) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    def _list_needed_ids(self, method: str) -> dict[str, str]:
        """Return the ids that a method passes on: all in `fit`, else those that the model requests."""
        if method in ("fit", "fit_transform"):
            return {name: name for name in ("groups", *Needs(find_best(self.estimator)).names)}
        return {name: name for name in self._find_needs().list_needed(method)}

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the model requests, and the ids that each method passes on."""
        requests, mapping = MetadataRequest(owner=self), MethodMapping()
        for method in METHODS:
            for name in self._list_needed_ids(method):
                getattr(requests, method).add_request(param=name, alias=True)
        for method in ("fit", "score"):
            mapping.add(caller=method, callee=method)
        router = MetadataRouter(owner=self).add_self_request(requests)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Tags:
        return get_tags(self.estimator)

    classes_ = _of_fitted("classes_", "The classes, if the model is a classifier.")
    n_features_in_ = _of_fitted("n_features_in_", "The number of features in `fit`.")
    feature_names_in_ = _of_fitted("feature_names_in_", "The names of the features in `fit`.")
