"""A model whose methods take query ids and pass them to the parts that need them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from ..._checks import explain_parameters
from ..._checks.arrays import is_masked
from ..._checks.codes import MISSING_TYPES
from ..._checks.containers import as_rows, check_entries, check_same_order, count_rows, take
from ..._checks.errors import fail
from ..._checks.groups import check_groups
from ..._checks.options import check_choice
from ..._checks.types import ArrayLike, Estimator, Features, Groups, Ids, Labels, Options, Scores
from ..._rows.bound import is_by_row, unwrap_model
from ..._rows.inner_models import OUTPUTS, find_best
from ..._rows.needs import Needs
from .call import prepare_call
from .predicting import PredictsWithGroups, available_with


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
    missing_labels : {"raise", "drop", "pass"}, default="raise"
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

    def __init__(self, estimator: Estimator, *, missing_labels: str = "raise"):
        self.estimator = estimator
        self.missing_labels = missing_labels

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
            and `missing_labels="raise"`.
        """
        self._fit("fit", X, y, groups, params)
        return self

    def _fit(self, method: str, X: Features, y: Labels, groups: Ids, params: Options) -> Estimator:
        """Fit a clone of the model by `fit` or `fit_transform`, and return the result."""
        X, y, groups, params = self._take_judged(as_rows(X), as_rows(y, "y"), groups, params)
        all_rows: Any = [(np.arange(count_rows(X)), [])]
        call = prepare_call(self.estimator, X, y, groups, None, all_rows, params, scores=False)
        model = clone(call.estimator) if call.rows is None else call.estimator
        given = {name: value for name, value in call.params.items() if value is not None}
        result = getattr(model, method)(call.X, call.y, **given)
        self.estimator_ = unwrap_model(model)
        self._set_needed(self.estimator_, params)
        self.ids_of_fit_ = list(self._names_in_fit)
        return result

    @available_with("transform")
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
        if self.missing_labels != "drop" and hasattr(self.estimator, "fit_transform"):
            return self._fit("fit_transform", X, y, groups, params)
        self._fit("fit", X, y, groups, params)
        return self.transform(X, groups=groups, **{name: params[name] for name in self._names_in_fit})

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
        check_is_fitted(self)
        if self.missing_labels == "drop" and y is not None and _find_missing(y).any():
            fix = "For NDCG of judged rows, call ndcg_scorer(unjudged='drop')(model, X, y, groups=qid)."
            fail("y", "not contain NaN in score", "NaN", fix)
        X, y, groups, params = self._take_judged(as_rows(X), as_rows(y, "y"), groups, params)
        return float(self._call_with_ids(self.estimator_, "score", X, y, groups, params))

    def _has_method(self, method: str) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), method)

    def _call_method(self, method: str, X: Features, groups: Ids, params: Options) -> Scores:
        """Call a method of the fitted model."""
        check_is_fitted(self)
        return self._call_with_ids(self.estimator_, method, X, None, groups, params)

    def _take_judged(self, X: Features, y: Labels, groups: Ids, params: Options) -> tuple[Any, ...]:
        """Return the rows to fit or to score on; with `missing_labels="drop"` those with a label."""
        check_choice("missing_labels", self.missing_labels, ("raise", "drop", "pass"))
        if y is None or self.missing_labels == "pass" or not (missing := _find_missing(y)).any():
            return X, y, groups, params
        if self.missing_labels == "raise":
            fix = "If NaN means not judged, pass WithGroups(model, missing_labels='drop')."
            fail("y", "not contain NaN when missing_labels='raise'", f"{missing.sum()} NaN", fix)
        check_same_order(**{"X": X, "y": y, "groups": groups, **params})
        n_rows = count_rows(X)
        check_entries(y, n_rows, "y")
        rows = np.flatnonzero(~missing)
        if not len(rows):
            fail("y", "contain at least one label", f"{n_rows} NaN")
        if groups is not None and not isinstance(groups, str):
            check_groups(groups, n_rows)
            groups = take(groups, rows)
        of_rows = {name: take(each, rows) for name, each in params.items() if is_by_row(each, n_rows)}
        return take(X, rows), take(y, rows), groups, {**params, **of_rows}

    def _list_needed_ids(self, method: str) -> dict[str, str]:
        """Return the ids that a method passes on: all in `fit`, else those that the model requests."""
        if method in ("fit", "fit_transform"):
            return {name: name for name in ("groups", *Needs(find_best(self.estimator)).names)}
        needed = self._needed if hasattr(self, "estimator_") else Needs(self.estimator).needed
        return {name: name for name in needed.get(method, ())}

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the model requests, and the ids that each method passes on."""
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
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.get_feature_names_out(input_features))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Tags:
        return get_tags(self.estimator)

    classes_ = _of_fitted("classes_", "The classes, if the model is a classifier.")
    n_features_in_ = _of_fitted("n_features_in_", "The number of features in `fit`.")
    feature_names_in_ = _of_fitted("feature_names_in_", "The names of the features in `fit`.")


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
