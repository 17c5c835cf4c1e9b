"""Searches whose `groups` reach splitter, model and scorer."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import sklearn.model_selection
from sklearn import config_context, get_config
from sklearn.utils.metadata_routing import UNUSED, MetadataRequest, MetadataRouter, get_routing_for_object

from .._checks.containers import check_same_order, resolve_groups
from .._checks.errors import fail
from .._checks.foreign_arguments import explain_parameters
from .._checks.types import ArrayLike, Groups
from .._models.answers import answers_by_groups
from .._models.parts import list_candidates
from .._routing.call import Arguments, prepare_call
from .._routing.default_scorer import DefaultScorer
from .._routing.grouped_model import GroupedModel
from .._routing.query_model import QueryScorer, call_on_queries
from .._routing.repeating_splitter import RepeatingSplitter
from .._routing.requests import SEARCHES_WEIGH
from .._routing.scoring import (
    check_refit,
    check_single,
    deliver_groups,
    groups_request,
    resolve_scoring,
)
from .._routing.unwrapping_scorer import unwrap_scorers, wrap_scorers
from .._routing.watching_splitter import WatchingSplitter
from .._routing.wrapped_model import unwrap_model
from .._splitters.folds import as_splitter

Mixin: Any = object  # so that type checkers allow calls of methods that a class beside the mixin has


class GroupedSearch(Mixin):
    """What the searches add to those of scikit-learn: ids that reach splitter, model and scorers."""

    # A search requests what its parts do, and nothing of its own for having a parameter `groups`.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__score = {"groups": UNUSED}  # noqa: RUF012

    settles_ids = True  # `fit` takes them as an argument and hands them on, where routing ends

    best_estimator_: Any
    scorer_: Any

    _halves = False  # successive halving compares candidates by one score, in several rounds

    @property
    def _samples_are_queries(self) -> bool:
        """Tell whether the search draws samples, each of which is a whole query."""
        return False

    @explain_parameters
    def fit(self, X: Any, y: ArrayLike | None = None, *, groups: Groups = None, **params: Any) -> Self:
        """Search for the best parameters by cross-validation between queries.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,), default=None
            Relevance labels.
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level of X or y or of a column of X. They reach
            the splitter, every `fit` that takes `groups`, and the scorers.
        **params
            Parameters of `fit`, as in scikit-learn with or without metadata routing.

        Returns
        -------
        object
            The fitted search.

        Raises
        ------
        ValueError
            As :func:`cross_validate`.
        """
        name = type(self).__name__
        if "params" in params:
            fail(
                "params",
                f"{name}.fit",
                "come as keywords, as fit(X, y, groups=qid)",
                "a parameter of this name",
            )
        given = Arguments(name, self.estimator, X, y, groups, self.scoring, self.cv, params)
        call = prepare_call(given, SEARCHES_WEIGH, list_candidates(self))
        if self._halves:
            check_single(self.scoring, name)
        check_refit(self.refit, self.scoring, name)
        rows = {"X": X, "y": y}
        with config_context(enable_metadata_routing=call.routing):
            if self._samples_are_queries and call.codes is not None:
                call, queries = call_on_queries(name, call, X, y)
                rows = {"X": queries, "y": None}
            elif self._halves and call.codes is not None:  # candidates of all rounds meet the same folds
                call = call._replace(cv=RepeatingSplitter(call.cv))
            resolved = _with_attributes(self, estimator=call.estimator, scoring=call.scoring, cv=call.cv)
            super(GroupedSearch, resolved).fit(**rows, **call.params)
        self._take_results(resolved)
        return self

    def _take_results(self, fitted: Any) -> None:
        """Take over what a copy of the search has found, with models and scorers as they were given."""
        parameters = self.get_params(deep=False)
        for name, value in vars(fitted).items():
            if name not in parameters:
                setattr(self, name, value)
        for name, value in vars(self).items():
            while isinstance(
                value, WatchingSplitter | RepeatingSplitter
            ):  # which hold ids and rows of all folds
                value = value.splitter
                setattr(self, name, value)
        if hasattr(self, "best_estimator_"):
            self.best_estimator_ = unwrap_model(self.best_estimator_)
        if hasattr(self, "scorer_"):
            self.scorer_ = self._unwrap_scorers(self.scorer_)

    def _unwrap_scorers(self, scoring: Any) -> Any:
        """Return the scorers as they were, and the model's own score with the model itself."""
        if isinstance(scoring, Mapping):
            return {name: self._unwrap_scorers(scorer) for name, scorer in scoring.items()}
        scorer = unwrap_scorers(scoring.scorer if isinstance(scoring, QueryScorer) else scoring)
        is_own = isinstance(scorer, DefaultScorer)
        return DefaultScorer(getattr(self, "best_estimator_", self.estimator)) if is_own else scorer

    @explain_parameters
    def score(self, X: Any, y: ArrayLike | None = None, *, groups: Groups = None, **params: Any) -> float:
        """Score the best model on other rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,), default=None
            Relevance labels.
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name to read them by.
        **params
            Further parameters of the scorer.

        Returns
        -------
        float
            The value of the scorer that `refit` names.
        """
        check_same_order(f"{type(self).__name__}.score", **{"X": X, "y": y, "groups": groups, **params})
        routing = get_config()["enable_metadata_routing"]
        scorer = getattr(self, "scorer_", None)
        alone: dict[str, Any] = {}
        if isinstance(scorer, Mapping):  # only that of `refit` is called
            scorer, alone = scorer.get(self.refit), {"multimetric_": False}
        model = GroupedModel(getattr(self, "best_estimator_", self.estimator), routing)
        by_itself = isinstance(scorer, DefaultScorer)
        with config_context(enable_metadata_routing=True):
            asked = groups_request(scorer, None)
        names = model.aliases if by_itself else [asked] if isinstance(asked, str) else []
        given = {name: params.pop(name) for name in ("groups", *names) if params.get(name) is not None}
        if groups is not None:
            groups = given["groups"] = _read_ids_by_name(groups, X, y, self, "groups")
        if not given or not hasattr(self, "best_estimator_"):  # which scikit-learn words
            return super().score(X, y, **params)
        ids = {
            name: _read_ids_by_name(given.get(name, groups), X, y, self, name) for name in names or ["groups"]
        }
        if by_itself and not routing:
            return model.score(X, y, **{"groups": groups, **ids}, **params)
        with config_context(enable_metadata_routing=True):
            scorer = DefaultScorer(model.estimator) if by_itself else scorer
            if answers_by_groups(model.estimator):
                ids = {"groups": groups, **{name: given.get(name, groups) for name in model.aliases}, **ids}
                scorer = wrap_scorers(scorer, [name for name in ids if ids[name] is not None])
            known = get_routing_for_object(scorer).consumes("score", list(ids))
            alone |= {"scoring": scorer, "scorer_": scorer}
            resolved = _with_attributes(self, estimator=model.estimator, **alone)
            return super(GroupedSearch, resolved).score(X, y, **{name: ids[name] for name in known}, **params)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the search requests: `groups`, as soon as its splitter keeps queries whole."""
        weights = MetadataRequest(owner=self)  # which the score of a pipeline hands on even if there are none
        weights.score.add_request(param="sample_weight", alias=None)
        return super(GroupedSearch, self._copy_for_routing()).get_metadata_routing().add_self_request(weights)

    def _copy_for_routing(self) -> Any:
        """Return a copy with scorers and splitter as `fit` will have them."""
        scoring = deliver_groups(resolve_scoring(self.scoring, type(self).__name__))
        estimator = self.estimator
        if not isinstance(estimator, GroupedModel) and list_candidates(self):
            estimator = GroupedModel(estimator, routing=True)
        if scoring is None and hasattr(estimator, "score"):
            scoring = DefaultScorer(estimator)
        cv = self.cv
        if not isinstance(
            cv, WatchingSplitter
        ):  # folds that are listed request nothing, and are read in `fit`
            cv = WatchingSplitter(as_splitter(cv if hasattr(cv, "split") else None, 0, type(self).__name__))
        return _with_attributes(self, estimator=estimator, scoring=scoring, cv=cv)


def _with_attributes(search: Any, **attributes: Any) -> Any:
    """Return a copy of a search with other parameters; the search itself stays as it is."""
    resolved = copy(search)
    vars(resolved).update(attributes)
    return resolved


def _read_ids_by_name(ids: Any, X: Any, y: Any, search: Any, parameter: str) -> Any:
    """Read ids by name, if they are given by one."""
    return resolve_groups(ids, X, y, f"{type(search).__name__}.score", parameter)


class GridSearchCV(GroupedSearch, sklearn.model_selection.GridSearchCV):
    """Grid search by cross-validation between queries.

    As :class:`sklearn.model_selection.GridSearchCV`, with ``fit(X, y, groups=qid)``: the ids reach splitter,
    model and scorers. `scoring` also takes names such as "ndcg@10"; `cv` None or an int means
    :class:`BalancedGroupKFold` where there are groups.

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


class RandomizedSearchCV(GroupedSearch, sklearn.model_selection.RandomizedSearchCV):
    """Randomized search by cross-validation between queries.

    As :class:`sklearn.model_selection.RandomizedSearchCV`, with the additions of :class:`GridSearchCV`.

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
