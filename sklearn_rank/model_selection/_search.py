"""Searches whose `groups` reach splitter, model and scorer."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import sklearn.model_selection
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, get_routing_for_object

from .._data import resolve_groups
from ._candidates import Candidate, around_scorers, inside_scorers
from ._folds import as_splitter
from ._query_samples import QueryModel, by_query
from ._requests import SEARCHES_WEIGH, find_models, request_undecided_groups
from ._routing import Call, check_routing, list_aliases, prepare
from ._scoring import EstimatorScore, check_single, deliver_groups, resolve_scoring
from ._whole_queries import SameFolds, WholeQueries

Mixin: Any = object  # type checkers then expect what the classes have that it is mixed into


class GroupedSearch(Mixin):
    """What the searches add to scikit-learn's classes."""

    # `fit` and `score` name `groups`; what a search requests is what its parts do.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__score = {"groups": UNUSED}  # noqa: RUF012

    best_estimator_: Any
    scorer_: Any

    # Successive halving compares candidates by one score, and may draw samples, which are whole queries then.
    _halves = False

    @property
    def _samples_are_queries(self) -> bool:
        return False

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, **params: Any) -> Self:
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
        call = prepare(name, self.estimator, X, y, groups, self.scoring, self.cv, params, SEARCHES_WEIGH)
        if self._halves:
            check_single(self.scoring, name)
        models = find_models(getattr(self, self._grid))
        if models and "groups" in call.params:
            call = self._among_models(call, models, params)
        rows = {"X": X, "y": y}
        with config_context(enable_metadata_routing=call.routing):
            if self._samples_are_queries and "groups" in call.params:
                call, queries = by_query(name, call, X, y)
                rows = {"X": queries, "y": None}
            elif self._halves and "groups" in call.params:  # candidates of all rounds meet the same folds
                call = call._replace(cv=SameFolds(call.cv))
            with _with_attributes(self, estimator=call.estimator, scoring=call.scoring, cv=call.cv):
                super().fit(**rows, **call.params)
        while isinstance(getattr(self, "best_estimator_", None), Candidate | QueryModel):
            self.best_estimator_ = self.best_estimator_.estimator
        if hasattr(self, "scorer_"):
            self.scorer_ = inside_scorers(self.scorer_)
        return self

    def _among_models(self, call: Call, models: list[Any], params: Mapping[str, Any]) -> Call:
        """Ask each candidate what it takes, where the grid has models."""
        decide = not get_config()["enable_metadata_routing"]
        with config_context(enable_metadata_routing=True):
            for model in models:
                check_routing(model)
            of_others = {*call.cv.get_metadata_routing().split.requests, *list_aliases(call.scoring)}
        given = call.params
        if decide:  # under the user's names: each candidate settles anew what takes them
            passed = {name: value for name, value in params.items() if {name, f"fit__{name}"} & set(given)}
            given = {**passed, "groups": given["groups"]}
        names = [name for name in given if name != "groups" and name not in of_others]
        weigh = decide and SEARCHES_WEIGH and "sample_weight" in names
        candidate = Candidate(call.estimator, decide, names, weigh)
        scoring = call.scoring
        if isinstance(scoring, EstimatorScore):
            scoring = EstimatorScore(candidate, scoring.weigh)
        elif scoring is not None:
            scoring = around_scorers(scoring)
        return call._replace(estimator=candidate, scoring=scoring, params=given)

    def score(self, X: Any, y: Any = None, *, groups: Any = None, **params: Any) -> float:
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
        if groups is None:
            return super().score(X, y, **params)
        groups = resolve_groups(groups, X, y, f"{type(self).__name__}.score")
        user_routing = get_config()["enable_metadata_routing"]
        with config_context(enable_metadata_routing=True):
            estimator = getattr(self, "best_estimator_", self.estimator)
            estimator = estimator if user_routing else request_undecided_groups(clone(estimator))
            scorer = getattr(self, "scorer_", None)
            if isinstance(scorer, Mapping):  # only that of `refit` is called
                scorer = scorer.get(self.refit)
            if isinstance(scorer, EstimatorScore):
                scorer = EstimatorScore(estimator)
            if get_routing_for_object(scorer).consumes("score", ["groups"]):
                params["groups"] = groups
            with _with_attributes(self, estimator=estimator):
                return super().score(X, y, **params)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the search requests: `groups`, as soon as its splitter keeps queries whole."""
        with self._resolved():
            return super().get_metadata_routing()

    def _resolved(self) -> Any:
        """Scorers and splitter as `fit` will have them; the parameters themselves stay as they are."""
        scoring = deliver_groups(resolve_scoring(self.scoring, type(self).__name__))
        estimator = self.estimator
        if not isinstance(estimator, Candidate) and find_models(getattr(self, self._grid)):
            estimator = Candidate(estimator, decide=False)
        if scoring is None and hasattr(estimator, "score"):
            scoring = EstimatorScore(estimator)
        cv = self.cv
        if not isinstance(cv, WholeQueries):  # folds that are listed request nothing, and are read in `fit`
            cv = WholeQueries(as_splitter(cv if hasattr(cv, "split") else None, 0, type(self).__name__))
        return _with_attributes(self, estimator=estimator, scoring=scoring, cv=cv)


@contextmanager
def _with_attributes(search: Any, **attributes: Any) -> Iterator[None]:
    """Let a search have other parameters for a while."""
    before = {name: getattr(search, name) for name in attributes}
    try:
        for name, value in attributes.items():
            setattr(search, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(search, name, value)


class GridSearchCV(GroupedSearch, sklearn.model_selection.GridSearchCV):
    """Grid search by cross-validation between queries.

    As :class:`sklearn.model_selection.GridSearchCV`, with ``fit(X, y, groups=qid)``: the ids reach splitter,
    model and scorers. `scoring` also takes names such as "ndcg@10"; `cv` None or an int means
    :class:`BalancedGroupKFold` where there are groups.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import GridSearchCV, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(random_state=0)
    >>> search = GridSearchCV(Ridge(), {"alpha": [1e-3, 1e6]}, scoring=ndcg_scorer(k=10), cv=3)
    >>> search.fit(X, y, groups=qid).best_params_
    {'alpha': 0.001}
    """

    _grid = "param_grid"


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

    _grid = "param_distributions"
