"""Models whose methods take query ids and pass them to the parts that request them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any, Self

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRequest, MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._checks import explain_parameters
from .._checks.arrays import is_masked
from .._checks.codes import MISSING_TYPES
from .._checks.containers import check_entries, check_same_order, count_rows, resolve_groups, take
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.options import check_choice
from .._checks.types import ArrayLike, Estimator, Features, Function, Groups, Ids, Labels, Options, Scores
from .._routing.delivery import check_delivery, check_needed, find_requesting
from .._routing.model_calls import call_method, unwrap_model
from .._routing.model_parts import OUTPUTS, is_search, list_requested_ids, list_routed, read_routing
from ._calls.call import Arguments, prepare_call
from ._calls.grouped_model import GroupedModel
from ._calls.part_requests import list_aliases, list_label_names

Mixin: Any = object  # so that type checkers allow methods of the other base class


def available_with(method: str) -> Callable[[Function], Any]:
    """Return a decorator that provides a method only if the model has it."""
    return available_if(lambda self: self._has_method(method))


def _like_predict(method: str, summary: str) -> Scores:
    """Make a method that passes ids as `predict` does."""

    def call(self: Any, X: Features, *, groups: Groups = None, **params: object) -> Scores:
        return self._call_method(method, X, groups, params)

    call.__name__ = method
    call.__qualname__ = f"PredictsWithGroups.{method}"
    call.__doc__ = f"""{summary}

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        groups : array-like of shape (n_rows,) or str, default=None
            As in `predict`.
        **params
            As in `predict`.

        Returns
        -------
        ndarray
            Result of the model.
        """
    return available_with(method)(explain_parameters(call))


class PredictsWithGroups(Mixin):
    """Methods that pass `groups` to all parts of a fitted model that request them."""

    # The parts of the model make requests. The parameter `groups` of these methods is not one.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__score = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__predict = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__predict_log_proba = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__decision_function = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__transform = {"groups": UNUSED}  # noqa: RUF012

    settles_ids = True  # `fit` takes ids as an argument and passes them to the parts; routing ends here

    @available_with("predict")
    @explain_parameters
    def predict(self, X: Features, *, groups: Groups = None, **params: object) -> Scores:
        """Predict the score of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level or a column of X. Required if a part of the
            model requests ids.
        **params
            Ids under other names that the model requests, and parameters of its method.

        Returns
        -------
        ndarray
            The predictions of the model.
        """
        return self._call_method("predict", X, groups, params)

    predict_proba = _like_predict("predict_proba", "Predict the probabilities of the classes.")
    predict_log_proba = _like_predict(
        "predict_log_proba", "Predict the logarithms of the probabilities of the classes."
    )
    decision_function = _like_predict("decision_function", "Return the decision values of the model.")
    transform = _like_predict("transform", "Transform the features.")

    @available_with("score_samples")
    def score_samples(self, X: Features) -> Scores:
        """Return the score of each row, such as a log-likelihood. This method passes no ids.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray
            The scores.
        """
        return self._call_without_ids("score_samples", X)

    @available_with("inverse_transform")
    def inverse_transform(self, X: Features) -> Features:
        """Map transformed features back to the original ones. This method passes no ids.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Transformed features.

        Returns
        -------
        ndarray
            The features.
        """
        return self._call_without_ids("inverse_transform", X)

    def _call_without_ids(self, method: str, X: Features) -> Any:
        check_is_fitted(self)
        model = find_best(getattr(self, "estimator_", self))
        with config_context(enable_metadata_routing=True):
            part = find_requesting(model, OUTPUTS)
        if part is None:
            return getattr(model, method)(X)
        rule = f"have no part that needs query ids in {method}, which passes none"
        fail("estimator", rule, type(part).__name__)


def read_ids(
    model: Estimator,
    method: str,
    X: Features,
    y: Labels,
    groups: Ids,
    params: Options,
    ids_of_fit: Collection[str] = (),
) -> tuple[Options, Options]:
    """Return the ids under each name that a fitted model requests, and the other parameters.

    Raise ValueError if a part requests ids that are missing or do not reach it.
    """
    check_same_order(**{"X": X, "y": y, "groups": groups, **params})
    with config_context(enable_metadata_routing=True):
        needed = [name for name in list_needed_ids(model, method) if params.get(name) is None]
        for name in {*ids_of_fit}.intersection(needed):
            fail(
                name, "be passed, because it was passed to fit", None, f"Pass {name}=, the ids of these rows."
            )
        labels = list_label_names(model)
        names = [name for name in list_aliases(model) if name not in labels]
        given = {"groups": groups, **{name: params.get(name, groups) for name in names}}
        ids = {name: resolve_groups(each, X, y, name) for name, each in given.items() if each is not None}
        if ids:
            check_delivery([model], methods=[method])
        elif method == "score" or list_needed_ids(model, method):
            check_needed(model, OUTPUTS, params)
    for name, values in ids.items():
        check_groups(values, count_rows(X), name)
    return ids, {name: value for name, value in params.items() if name not in names}


def find_best(model: Estimator) -> Any:
    """Return the best model of a search, its model before `fit`, or any other model itself."""
    while is_search(model):
        model = getattr(model, "best_estimator_", model.estimator)
    return model


def list_needed_ids(model: Estimator, method: str) -> list[str]:
    """List the ids that a method of a model takes or routes; call with routing enabled."""
    model = find_best(model)
    names = ["groups", *list_aliases(model)]
    routed = list_routed(model, method, names) if isinstance(read_routing(model), MetadataRouter) else []
    return routed or list(list_requested_ids(model, method).values())


class WithGroups(PredictsWithGroups, MetaEstimatorMixin, BaseEstimator):
    """A model whose `fit`, `predict` and `score` take query ids.

    Without metadata routing, scikit-learn does not pass `groups` to the parts of a model. The methods of this
    class pass query ids to each part that requests them, as :func:`cross_validate` does.

    Parameters
    ----------
    estimator : estimator object
        A ranker, a pipeline, a stack, a search or any other estimator.
    unjudged : {"raise", "drop", "pass"}, default="raise"
        How `fit` and `score` handle rows whose label is NaN.

        - "raise" raises an error.
        - "drop" excludes these rows from `fit`. `predict` still takes all rows, and `score` raises an error.
        - "pass" passes them to the model. Rankers of this package exclude them from training.

    Attributes
    ----------
    estimator_ : estimator object
        The fitted model, without wrappers of this package.
    ids_of_fit_ : list of str
        Names other than `groups` under which `fit` received ids. Other methods require the same ids if a part
        of the model requests them.
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

    def __init__(self, estimator: Estimator, *, unjudged: str = "raise"):
        self.estimator = estimator
        self.unjudged = unjudged

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
            Relevance labels.
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
            If a part of the model requests ids that are missing or do not reach it, or if `y` contains NaN
            and `unjudged="raise"`.
        """
        self._fit("fit", X, y, groups, params)
        return self

    def _fit(self, method: str, X: Features, y: Labels, groups: Ids, params: Options) -> Estimator:
        """Fit a clone of the model by `fit` or `fit_transform`, and return the result."""
        X, y, groups, params = self._take_judged(X, y, groups, params)
        all_rows: Any = [(np.arange(count_rows(X)), [])]
        call = prepare_call(Arguments(self.estimator, X, y, groups, None, all_rows, params, scores=False))
        model, routing = clone(call.estimator), get_config()["enable_metadata_routing"]
        if call.codes is not None:
            model = model if isinstance(model, GroupedModel) else GroupedModel(model, routing)
            routing = True
        given = {name: value for name, value in call.params.items() if value is not None}
        with config_context(enable_metadata_routing=routing):
            result = getattr(model, method)(X, y, **given)
        self.estimator_ = unwrap_model(model)
        self.ids_of_fit_ = [name for name in self._list_needed_ids("fit") if params.get(name) is not None]
        return result

    @available_with("transform")
    def fit_transform(
        self, X: Features, y: ArrayLike | None = None, *, groups: Groups = None, **params: object
    ) -> Features:
        """Fit a transformer, and transform the same rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,), default=None
            Relevance labels.
        groups : array-like of shape (n_rows,) or str, default=None
            As in `fit`.
        **params
            As in `fit`.

        Returns
        -------
        ndarray
            The transformed features.
        """
        if self.unjudged != "drop" and hasattr(self.estimator, "fit_transform"):
            return self._fit("fit_transform", X, y, groups, params)
        self._fit("fit", X, y, groups, params)
        names = self._list_needed_ids("fit")
        return self.transform(X, groups=groups, **{name: params[name] for name in names if name in params})

    @available_with("score")
    @explain_parameters
    def score(
        self, X: Features, y: ArrayLike | None = None, *, groups: Groups = None, **params: object
    ) -> float:
        """Return the model's own score, such as R² or accuracy.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,), default=None
            Relevance labels.
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level of X or y or of a column of X.
        **params
            Parameters of the model's `score`, such as `sample_weight`.

        Returns
        -------
        float
            The score.
        """
        check_is_fitted(self)
        if self.unjudged == "drop" and y is not None and _find_missing(y).any():
            fix = "For NDCG of judged rows, call ndcg_scorer(unjudged='drop')(model, X, y, groups=qid)."
            fail("y", "not contain NaN in score", "NaN", fix)
        X, y, groups, params = self._take_judged(X, y, groups, params)
        ids, others = read_ids(self.estimator_, "score", X, y, groups, params, self.ids_of_fit_)
        model = GroupedModel(self.estimator_, get_config()["enable_metadata_routing"])
        return model.score(X, y, **ids, **others)

    def _has_method(self, method: str) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    def _call_method(self, method: str, X: Features, groups: Ids, params: Options) -> Scores:
        """Call a method of the fitted model."""
        check_is_fitted(self)
        ids, others = read_ids(self.estimator_, method, X, None, groups, params, self.ids_of_fit_)
        return call_method(self.estimator_, method, X, ids, others, check=False)

    def _take_judged(self, X: Features, y: Labels, groups: Ids, params: Options) -> tuple[Any, ...]:
        """Return the rows to fit or to score on; with `unjudged="drop"` those with a label."""
        check_choice("unjudged", self.unjudged, ("raise", "drop", "pass"))
        if y is None or self.unjudged == "pass" or not (missing := _find_missing(y)).any():
            return X, y, groups, params
        if self.unjudged == "raise":
            fix = "If NaN means not judged, pass WithGroups(model, unjudged='drop')."
            fail("y", "not contain NaN when unjudged='raise'", f"{missing.sum()} NaN", fix)
        check_same_order(**{"X": X, "y": y, "groups": groups, **params})
        n_rows = count_rows(X)
        check_entries(y, n_rows, "y")
        rows = np.flatnonzero(~missing)
        if not len(rows):
            fail("y", "contain at least one label", f"{n_rows} NaN")
        if groups is not None and not isinstance(groups, str):
            check_groups(groups, n_rows)
            groups = take(groups, rows)
        of_rows = {name: take(each, rows) for name, each in params.items() if _has_rows(each, n_rows)}
        return take(X, rows), take(y, rows), groups, {**params, **of_rows}

    def _list_needed_ids(self, method: str) -> dict[str, str]:
        """Return the ids that a method passes on: all in `fit`, else those that the model requests."""
        model = getattr(self, "estimator_", self.estimator)
        if method in ("fit", "fit_transform"):
            return {name: name for name in ("groups", *list_aliases(find_best(model)))}
        with config_context(enable_metadata_routing=True):
            return {name: name for name in list_needed_ids(model, method)}

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the model requests, and the ids that each method passes on.

        Returns
        -------
        MetadataRouter
            The router of scikit-learn's metadata routing.
        """
        requests, mapping = MetadataRequest(owner=self), MethodMapping()
        for method in ("fit", "score", *OUTPUTS):
            for name in self._list_needed_ids(method) if hasattr(type(self), method) else ():
                getattr(requests, method).add_request(param=name, alias=True)
        for method in ("fit", "score"):
            mapping.add(caller=method, callee=method)
        router = MetadataRouter(owner=self).add_self_request(requests)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    @available_with("set_output")
    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the output container of `transform`.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, default=None
            As in scikit-learn.

        Returns
        -------
        WithGroups
            The model.
        """
        for model in (self.estimator, vars(self).get("estimator_", self.estimator)):
            model.set_output(transform=transform)
        return self

    @available_with("get_feature_names_out")
    def get_feature_names_out(self, input_features: Features = None) -> np.ndarray:
        """Return the names of the transformed features.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the features.

        Returns
        -------
        ndarray of str
            The names.
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.get_feature_names_out(input_features))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Tags:
        return get_tags(self.estimator)

    @property
    def classes_(self) -> Any:
        """The classes, if the model is a classifier."""
        return self._read_fitted("classes_")

    @property
    def n_features_in_(self) -> Any:
        """The number of features in `fit`."""
        return self._read_fitted("n_features_in_")

    @property
    def feature_names_in_(self) -> Any:
        """The names of the features in `fit`."""
        return self._read_fitted("feature_names_in_")

    def _read_fitted(self, name: str) -> Any:
        """Return an attribute of the fitted model. Before `fit`, raise AttributeError."""
        return getattr(vars(self).get("estimator_"), name)


def _find_missing(y: Labels) -> np.ndarray:
    """Return which labels are missing; for labels in several columns, the rows in which one is."""
    missing = np.zeros(0, dtype=bool)
    with suppress(Exception):  # the model raises an error for labels that numpy cannot read
        if is_masked(y):
            missing = np.ma.getmaskarray(y) | np.isnan(np.ma.getdata(y).astype(float))
        elif (labels := np.asarray(y)).dtype == object:
            flat = [type(label).__name__ in MISSING_TYPES or label != label for label in labels.ravel()]
            missing = np.reshape(flat, labels.shape)
        elif labels.dtype.kind == "f":
            missing = np.isnan(labels)
    return np.asarray(missing.reshape(len(missing), int(np.prod(missing.shape[1:]))).any(axis=1))


def _has_rows(values: Any, n_rows: int) -> bool:
    """Return whether a parameter has an entry for each row."""
    sized = hasattr(values, "__len__") or hasattr(values, "shape")
    return sized and not isinstance(values, str | Mapping) and np.shape(values)[:1] == (n_rows,)
