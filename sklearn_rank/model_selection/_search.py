"""Searches that pass query ids to splitters, models and scorers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from inspect import signature
from typing import Any, Literal, Self

import numpy as np
import sklearn
import sklearn.model_selection
from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter

from .._checks import explain_parameters
from .._checks.containers import check_same_order, resolve_groups
from .._checks.errors import fail, shorten
from .._checks.options import check_choice
from .._checks.types import (
    AnyScorer,
    ArrayLike,
    Estimator,
    Features,
    Groups,
    Ids,
    Labels,
    Options,
    RandomState,
    Scores,
    Scoring,
    Splitter,
)
from .._checks.warn import warn_once
from .._hints import list_near
from .._rows.bound import Bound, RowTable, call_method, unwrap
from .._rows.inner_models import read_requests
from .._rows.needs import Needs
from .._rows.scorer_columns import list_labels, list_scorers
from ..metrics import RankingScorer, is_ranking
from ._choosing import KeptResults, Simplest
from ._delivery.bound_parts import BoundScorer
from ._delivery.call import Call, count_queries, prepare_call
from ._delivery.check_models import check_model
from ._delivery.read_columns import list_score_names, require_groups, resolve_scoring
from ._delivery.with_groups import PredictsWithGroups
from ._kept_queries import Reader, find_inner, find_kept, keep_values
from ._splitters.group_splits import as_splitter

SEARCHES_WEIGH = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 7)  # scores with weights of `fit`


class GroupedSearch(PredictsWithGroups, KeptResults):
    """Base class of the searches, which pass ids to splitters, models and scorers."""

    best_estimator_: Any
    scorer_: Any

    _fitted_with_ids = False
    _halves = False  # successive halving compares candidates by one score, in several rounds

    def _set_parameters(self, given: Mapping[str, Any]) -> None:
        """Set the arguments of a constructor: its own, and those of scikit-learn's search."""
        own = ("self", "keep_queries", "keep_dtype")
        super().__init__(**{name: value for name, value in given.items() if name not in own})
        self.keep_queries, self.keep_dtype = given["keep_queries"], given["keep_dtype"]

    @explain_parameters
    @warn_once
    def fit(
        self, X: Features, y: ArrayLike | None = None, *, groups: Groups = None, **params: object
    ) -> Self:
        """Search for the best parameters by cross-validation with folds of whole queries.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,), default=None
            Relevance labels.
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level of X or y or of a column of X. The ids are
            passed to the splitter, to the scorers, and to each `fit` that takes `groups`. A column stays a
            feature, on which the model trains.
        **params
            Parameters of `fit`, as in scikit-learn with or without metadata routing, and labels that
            scorers request by name.

        Returns
        -------
        object
            The fitted search.
        """
        if "params" in params:
            fix = "Pass fit(X, y, groups=qid, name=value)."
            fail("params", "be passed as keyword arguments", "a dict", fix)
        check_model(self.estimator)
        given = self.estimator, X, y, groups, self.scoring, self.cv, params
        call = prepare_call(*given, search=Needs(self), single=self._halves)
        self._check_refit()
        for known in ("kept_queries_", "choice_"):  # results of an earlier fit
            self.__dict__.pop(known, None)
        if self._halves and self.resource == "n_samples":
            call = count_queries(call, weighs=SEARCHES_WEIGH)  # each sample is a whole query
        with self._keep(call) as (call, read):
            resolved = _with_attributes(self, estimator=call.estimator, scoring=call.scoring, cv=call.cv)
            choice = None
            if isinstance(self.refit, Simplest):
                key = str(self.refit.metric) if list_score_names(self.scoring) else "score"
                resolved.refit = choice = replace(self.refit, key=key, read=read)
            super(GroupedSearch, resolved).fit(call.X, call.y, **call.params)
            own = self.get_params(deep=False)
            found = {name: unwrap(each) for name, each in vars(resolved).items() if name not in own}
            self.__dict__.update(found)
            if choice is not None:
                self.choice_ = choice.text
                self.best_score_ = self.cv_results_[f"mean_test_{choice.key}"][self.best_index_]
            if self.keep_queries and read is not None:
                self.kept_queries_ = (choice and choice.kept) or read(self.cv_results_)
        self._fitted_with_ids = call.rows is not None
        self._keep_names(params)
        return self

    def _check_refit(self) -> None:
        """Check that `refit` determines the score to choose by: with several scores, it names one of them."""
        refit, names = self.refit, list_score_names(self.scoring)
        is_off = isinstance(refit, bool | np.bool_) and not refit
        if isinstance(refit, Simplest) and self._halves:
            fix = "Successive halving chooses the best candidate of its last round."
            fail("refit", "be True or False", repr(refit), fix)
        elif isinstance(refit, Simplest):
            refit.check(names, self.keep_queries)
        elif names and not (callable(refit) or is_off or (isinstance(refit, str) and refit in names)):
            near = list_near(str(refit), map(str, names), 0.5) if isinstance(refit, str) else []
            rule = f"be one of {shorten(', '.join(map(repr, names)), 120)}, or False"
            fail("refit", rule, repr(refit), f"Pass refit={(near or names)[0]!r}.")

    def _keep(self, call: Call) -> AbstractContextManager[tuple[Call, Reader | None]]:
        """Return a context with a call whose fits keep the values of queries, if needed, and their reader."""
        if not isinstance(self.keep_queries, bool | str) or self.keep_queries == "":
            fail("keep_queries", "be True, False or the name of a metric", repr(self.keep_queries))
        check_choice("keep_dtype", self.keep_dtype, ("float64", "float32"))
        needs_values = bool(self.keep_queries)
        if not needs_values and isinstance(self.refit, Simplest):  # to choose by them
            within, scorer = self.refit.within, call.scoring
            scorer = scorer.get(self.refit.metric) if isinstance(scorer, Mapping) else scorer
            of_queries = within == "standard_error" and is_ranking(find_inner(scorer))
            needs_values = within == "contenders" or of_queries
        if not needs_values:
            return nullcontext((call, None))
        key, metric = find_kept(call.scoring, self._refit_name, self.keep_queries)
        return keep_values(call, key, metric, self.keep_dtype, self.error_score)

    @property
    def _refit_name(self) -> Any:
        """Return the name of the metric that `refit` chooses by, if any."""
        return self.refit.metric if isinstance(self.refit, Simplest) else self.refit

    @explain_parameters
    def score(
        self, X: Features, y: ArrayLike | None = None, *, groups: Groups = None, **params: object
    ) -> float:
        """Score the best model on new data.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,), default=None
            Relevance labels.
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level of X or y or of a column of X. Required by
            ranking scorers.
        **params
            Other parameters of the scorer.

        Returns
        -------
        float
            Score of the best model by the scorer that `refit` names.
        """
        check_same_order(**{"X": X, "y": y, "groups": groups, **params})
        scorer: AnyScorer = getattr(self, "scorer_", None)
        if isinstance(scorer, Mapping):  # call only the scorer that `refit` names
            scorer = scorer.get(self._refit_name)
        names = self._names_of_score(scorer)
        labels = [name for name, kind in names.items() if kind != "ids"]
        given = {name: params.pop(name) for name in ("groups", *names) if params.get(name) is not None}
        if groups is not None:
            groups = given["groups"] = resolve_groups(groups, X, y)
        is_fitted = hasattr(self, "best_estimator_")
        if not given and self._fitted_with_ids and is_fitted:
            from .._hints.arguments import explain_unknown, find_other_name

            called = f"{type(self).__name__}.score"
            if named := find_other_name(params):
                raise TypeError(explain_unknown(called, named, signature(self.score).parameters, self))
            if isinstance(scorer, RankingScorer) and scorer.groups is None:
                require_groups(called, scorer)
            self._read_columns("score", X, y, None, {})
        if not given or not is_fitted:  # scikit-learn raises the error
            # It looks for the name of a score in `refit`.
            changed = {"refit": self.refit.metric or True} if isinstance(self.refit, Simplest) else {}
            return super(GroupedSearch, _with_attributes(self, **changed)).score(X, y, **params)
        ids = {
            name: resolve_groups(given.get(name, groups), X, y, name) for name in names if name not in labels
        }
        needs = self._find_needs()
        ids = {"groups": groups, **ids, **{name: given[name] for name in labels if name in given}}
        if self.scoring is None or scorer is None:
            return call_method(self.best_estimator_, "score", X, y, ids, params, needs)
        model = Bound(self.best_estimator_, RowTable({}), needs=needs)
        value = BoundScorer(scorer).score(model, X, y, ids, params)
        return value[self._refit_name] if isinstance(value, Mapping) else value

    def _names_of_score(self, scorer: AnyScorer) -> Mapping[str, str]:
        """Return the names other than `groups` of the columns that `score` takes, and their kind."""
        if self.scoring is None or scorer is None:
            return self._find_needs().names
        requested = read_requests(scorer, "score").get("groups")
        return ({requested: "ids"} if isinstance(requested, str) else {}) | list_labels(scorer)

    def _has_method(self, method: str) -> bool:
        """Return whether scikit-learn's search has a method, or raise its error."""
        try:
            return callable(getattr(super(PredictsWithGroups, self), method))
        except AttributeError as error:
            raise error.__cause__ or error from None  # the reason, without scikit-learn's error around it

    def _call_method(
        self, method: str, X: Features, groups: Ids, params: Options, y: Labels = None
    ) -> Scores:
        """Call a method of the best model; if there were no ids, the method of scikit-learn's search."""
        if groups is None and not params and not self._fitted_with_ids:
            return getattr(super(PredictsWithGroups, self), method)(X)
        return super()._call_method(method, X, groups, params, y)

    def _list_needed_ids(self, method: str) -> dict[str, str]:
        """Return the columns that a method needs from a model around the search."""
        if method == "score":
            scorer = getattr(self, "scorer_", resolve_scoring(self.scoring))
            scorer = scorer.get(self._refit_name) if isinstance(scorer, Mapping) else scorer
            names: Iterable[str] = ("groups", *self._names_of_score(scorer))
        elif method in ("fit", "fit_transform"):
            in_scorers = [
                name for each in list_scorers(resolve_scoring(self.scoring)) for name in list_labels(each)
            ]
            names = ("groups", *Needs(self.estimator).names, *in_scorers)
        else:
            names = self._find_needs().list_needed(method)
        return {name: name for name in names}

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the search requests from metadata routing, including `groups`."""
        # Those of scikit-learn's search with the scorers and the splitter of `fit`.
        cv = as_splitter(self.cv, 0) if hasattr(self.cv, "split") else None
        model, scoring = Bound(self.estimator, RowTable({})), resolve_scoring(self.scoring)
        search = _with_attributes(self, estimator=model, scoring=scoring, cv=cv)
        requests = MetadataRequest(owner=self)
        requests.fit.add_request(param="groups", alias=True)
        # A pipeline's score passes weights on even if they are None.
        requests.score.add_request(param="sample_weight", alias=None)
        return super(GroupedSearch, search).get_metadata_routing().add_self_request(requests)


def _with_attributes(search: Estimator, **attributes: object) -> Any:
    """Return a copy of a search with other parameters; do not change the search itself."""
    resolved = copy(search)
    vars(resolved).update(attributes)
    return resolved


class GridSearchCV(GroupedSearch, sklearn.model_selection.GridSearchCV):
    """Grid search by cross-validation with folds of whole queries.

    Works like :class:`sklearn.model_selection.GridSearchCV`, with these additions. ``fit(X, y, groups=qid)``
    passes the query ids to the splitter, model and scorers. `scoring` can be the name of a ranking metric,
    such as "ndcg@10". With `groups`, `cv` as an int or `None` (5 folds) means :class:`BalancedGroupKFold`.

    Parameters
    ----------
    estimator : estimator object
        Model to tune. The query ids are passed to each `fit` in it that takes `groups`.
    param_grid : dict or list of dict
        Values to try of each parameter, by name.
    scoring : str, list of str, callable, dict or None, default=None
        Metrics to evaluate, as in scikit-learn. Names of ranking metrics, such as "ndcg@10", are also
        allowed. If `None`, the `score` method of the model is used.
    n_jobs, verbose, pre_dispatch, error_score, return_train_score
        As in :class:`sklearn.model_selection.GridSearchCV`.
    refit : bool, str, callable or object of `simplest`, default=True
        Whether to fit the best candidate on all rows, or how to choose it.

        - str: name of the metric to choose by. Required if the search computes several metrics.
        - callable: a function that takes `cv_results_` and returns the index of a candidate.
        - :func:`simplest`: choose the simplest of the candidates that count as good as the best.
    cv : int, splitter, iterable or None, default=None
        How to split the rows. With `groups`, an int or `None` (5 folds) means :class:`BalancedGroupKFold`.
        If both sets of a fold contain rows of the same query, a warning is issued.
    keep_queries : bool or str, default=False
        Whether to keep the value of each query for each candidate, which `report`, `compare`, `contenders`
        and `corrected_score` need. `True` keeps the metric of `refit`, a str the metric of this name. The
        scorer must be a ranking scorer of this package.
    keep_dtype : {"float64", "float32"}, default="float64"
        Type of the kept values, which take 8 or 4 bytes for each query and candidate.

    Attributes
    ----------
    best_params_ : dict of str to object
        Parameters of the best candidate.
    best_score_ : float
        Mean score of the best candidate over folds. It is optimistic, because the candidate was chosen by it;
        see :meth:`corrected_score`.
    best_index_ : int
        Index of the best candidate in `cv_results_`.
    best_estimator_ : estimator object
        Model with the best parameters, fitted on all rows; only set unless `refit` is False.
    cv_results_ : dict of str to ndarray of shape (n_candidates,)
        Parameters, scores and times of each candidate, as in scikit-learn.
    kept_queries_ : object
        Kept values of each query; only set with `keep_queries`. Its `values`, of shape (n_candidates,
        n_tests), have one column for each test of a query; `queries` contains the index into `ids` of the
        query of each test, and `folds` its fold. `metric` is the name of the metric.
    choice_ : str
        Explanation of the choice; only set if `refit` is made by :func:`simplest`.
    scorer_, n_splits_, refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in :class:`sklearn.model_selection.GridSearchCV`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from sklearn_rank import GridSearchCV, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> tree = DecisionTreeRegressor(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [2, 5, None]}, scoring=ndcg_scorer(k=10), cv=3)
    >>> search.fit(X, y, groups=qid).best_params_
    {'max_depth': 5}
    """

    @explain_parameters
    def __init__(
        self,
        estimator: Estimator,
        param_grid: Mapping[str, object] | Sequence[Mapping[str, object]],
        *,
        scoring: Scoring = None,
        n_jobs: int | None = None,
        refit: object = True,
        cv: Splitter = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        error_score: float | Literal["raise"] = np.nan,
        return_train_score: bool = False,
        keep_queries: bool | str = False,
        keep_dtype: Literal["float64", "float32"] = "float64",
    ):
        self._set_parameters(locals())


class RandomizedSearchCV(GroupedSearch, sklearn.model_selection.RandomizedSearchCV):
    """Randomized search by cross-validation with folds of whole queries.

    Works like :class:`sklearn.model_selection.RandomizedSearchCV`, with the additions of
    :class:`GridSearchCV`.

    Parameters
    ----------
    estimator, scoring, refit, cv, keep_queries, keep_dtype
        As in :class:`GridSearchCV`.
    param_distributions : dict or list of dict
        Values of each parameter, or the distribution to draw them from, by name.
    n_iter : int, default=10
        Number of candidates to draw.
    n_jobs, verbose, pre_dispatch, random_state, error_score, return_train_score
        As in :class:`sklearn.model_selection.RandomizedSearchCV`.

    Attributes
    ----------
    best_params_, best_score_, best_index_, best_estimator_, cv_results_, kept_queries_, choice_
        As in :class:`GridSearchCV`.
    scorer_, n_splits_, refit_time_, multimetric_, classes_, n_features_in_, feature_names_in_
        As in :class:`sklearn.model_selection.RandomizedSearchCV`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import RandomizedSearchCV
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> distributions = {"alpha": loguniform(1e-3, 1e3)}
    >>> search = RandomizedSearchCV(Ridge(), distributions, n_iter=4, scoring="map", random_state=0)
    >>> search.fit(X, y, groups=qid).n_splits_
    5
    """

    @explain_parameters
    def __init__(
        self,
        estimator: Estimator,
        param_distributions: Mapping[str, object] | Sequence[Mapping[str, object]],
        *,
        n_iter: int = 10,
        scoring: Scoring = None,
        n_jobs: int | None = None,
        refit: object = True,
        cv: Splitter = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: RandomState = None,
        error_score: float | Literal["raise"] = np.nan,
        return_train_score: bool = False,
        keep_queries: bool | str = False,
        keep_dtype: Literal["float64", "float32"] = "float64",
    ):
        self._set_parameters(locals())
