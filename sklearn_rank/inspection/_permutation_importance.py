"""Permutation importance: the decrease of a score when the values of a feature are permuted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import sklearn.inspection
from sklearn.utils import Bunch
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.random import sample_without_replacement

from .._checks import explain_parameters
from .._checks.arrays import read_array
from .._checks.containers import (
    check_entries,
    check_same_order,
    permute_column,
    permute_within,
    take,
)
from .._checks.errors import check_count, fail
from .._checks.groups import read_ids
from .._checks.options import check_flag, check_params, check_random
from .._checks.types import (
    Arguments,
    ArrayLike,
    Estimator,
    Features,
    Groups,
    Ids,
    Labels,
    Options,
    RandomState,
    Scoring,
    Weights,
)
from .._checks.warn import inside_call, warn_once
from .._rows.bound import call_method
from .._rows.inner_models import OUTPUTS
from .._rows.needs import Needs
from .._rows.scorer_columns import list_labels
from ..metrics import (
    RankingScorer,
    check_missed,
    check_once,
    find_cautions,
    find_labels,
    give_caution,
    is_ranking,
    prepare_rows,
)
from ..model_selection import (
    BoundScorer,
    bind_scorers,
    check_delivery,
    check_model,
    resolve_scoring,
)

ONLY = ""  # the name of a single scorer without a name


@explain_parameters
@warn_once
def permutation_importance(
    estimator: Estimator,
    X: Features,
    y: ArrayLike | None,
    *,
    groups: Groups = None,
    scoring: Scoring = None,
    n_repeats: int = 5,
    n_jobs: int | None = None,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
    max_samples: float = 1.0,
    within_groups: bool = False,
    labels: Mapping[str, ArrayLike] | None = None,
) -> Any:
    """Compute the decrease of a model's score when the values of a feature are permuted.

    Works like :func:`sklearn.inspection.permutation_importance`, and passes query ids to the scorers. With
    ids, permutations are drawn in a different way, and `max_samples` draws queries instead of rows.
    Importances therefore differ from scikit-learn's for the same `random_state`; more repeats reduce the
    difference.

    Source: L. Breiman, "Random forests", Machine Learning 45, 2001.

    Parameters
    ----------
    estimator : object
        A fitted model.
    X : ndarray, frame or sparse matrix of shape (n_rows, n_features)
        Features, preferably of queries that the model was not trained on.
    y : array-like of shape (n_rows,)
        Relevance labels.
    groups : array-like of shape (n_rows,) or str, default=None
        Query id of each row, or the name of an index level of X or y or of a column of X. A scorer with its
        own `groups` uses its own ids instead. Without ids, scikit-learn's function is called.
    scoring : str, list of str, callable, dict or None, default=None
        As in :func:`cross_validate`. If `None`, the `score` method of the model is used.
    n_repeats : int, default=5
        Number of permutations of each feature.
    n_jobs : int, default=None
        Number of features that are scored in parallel.
    random_state : int, RandomState instance or None, default=None
        Seed of the permutations.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights that are passed to the scorers. For ranking scorers, repeat a query's weight on each of its
        rows.
    max_samples : int or float, default=1.0
        Number of queries to draw in each repeat without replacement, or their share as a float in (0, 1]. If
        there are no ids, rows are drawn.
    within_groups : bool, default=False
        Whether to permute values only within queries. A feature that is constant in each query then has
        importance 0.
    labels : dict of str to array-like of shape (n_rows,), default=None
        Labels other than `y`, and other columns, by the names under which scorers request them, such as
        ``labels={"revenue": revenue}``.

    Returns
    -------
    Bunch or dict of str to Bunch
        `importances` of shape (n_features, n_repeats) contains the score of the drawn queries minus their
        score with the permuted feature. `importances_mean` and `importances_std` of shape (n_features,) are
        the mean and standard deviation over repeats. If `scoring` has several scorers, a dict with a Bunch
        for each name.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn_rank import permutation_importance
    >>> from sklearn_rank.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_features=3, random_state=0)
    >>> model = Ridge().fit(X, y)
    >>> result = permutation_importance(model, X, y, groups=qid, scoring="ndcg@10", random_state=0)
    >>> result.importances.shape
    (3, 5)
    """
    check_count(n_repeats, 1, "n_repeats")
    check_flag(within_groups, "within_groups")
    check_model(estimator)
    check_same_order(X=X, y=y, groups=groups, sample_weight=sample_weight)
    scorers = _read_scorers(scoring, estimator)
    columns = _read_columns(scorers, labels, X, y)
    ids, by_scorer = _read_all_ids(groups, within_groups, scorers, X, y)
    if ids is None:
        options: Options = {"n_repeats": n_repeats, "n_jobs": n_jobs, "random_state": random_state}
        options |= {"sample_weight": sample_weight, "max_samples": max_samples}
        if columns:
            fail("groups", "be passed with scorers of other labels", None, "Pass groups=qid.")
        given = {name: scorer and scorer.scorer for name, scorer in scorers.items()}
        options["scoring"] = given.get(ONLY, given)
        return sklearn.inspection.permutation_importance(estimator, X, y, **options)
    codes = read_ids(ids, X, y)[1]
    check_entries(y, len(codes), "y")
    for scorer in scorers.values():
        if scorer is not None and isinstance(scorer.scorer, RankingScorer):
            check_missed(scorer.scorer, ids)
    n_queries = _count_queries_to_draw(max_samples, int(codes.max()) + 1)
    X = X if hasattr(X, "shape") else read_array(X, "X", "be a 2-D array")
    if len(X.shape) != 2:
        fail("X", "be a 2-D array", f"shape {X.shape}")
    random = check_random(random_state)
    repeats = [_draw(codes, n_queries, within_groups, random) for _ in range(n_repeats)]
    check_delivery(
        Needs(estimator), [*OUTPUTS, "score"] if None in scorers.values() else OUTPUTS, is_fitted=True
    )
    data = ScoredRows(X, y, ids, by_scorer, sample_weight, columns)
    _caution(scorers, data)
    with inside_call():
        repeats = _prepare(scorers, data, repeats)
    bases = [_score_all(scorers, estimator, data.take(repeat.rows), repeat.prepared) for repeat in repeats]
    permuted = Parallel(n_jobs=n_jobs)(
        delayed(_score_permuted)(scorers, estimator, data, feature, repeats) for feature in range(X.shape[1])
    )
    results = {}
    for name in bases[0]:
        decreases = [[base[name] - score[name] for base, score in zip(bases, scores)] for scores in permuted]
        mean, std = np.mean(decreases, axis=1), np.std(decreases, axis=1)
        results[name] = Bunch(importances_mean=mean, importances_std=std, importances=np.array(decreases))
    return results[ONLY] if list(results) == [ONLY] else results


def _read_scorers(scoring: Any, estimator: Estimator) -> Options:
    """Return scorers by name, with ONLY for a single one. `None` means the model's own `score`."""
    scoring = bind_scorers(resolve_scoring(scoring))
    scorers = dict(scoring) if isinstance(scoring, Mapping) else {ONLY: scoring}
    if any(scorer is None for scorer in scorers.values()) and not hasattr(estimator, "score"):
        rule = "be passed if the model has no score method"
        fail("scoring", rule, None, "Pass scoring='ndcg@10'.")
    return scorers


def _read_columns(scorers: Options, given: Any, X: Features, y: Labels) -> Options:
    """Return the columns that scorers request, before X is permuted."""
    given = check_params(given, "labels")
    kinds: Options = {}
    for scorer in scorers.values():
        kinds |= list_labels(getattr(scorer, "scorer", None))
    check_same_order(X=X, **given)
    for name in kinds:
        check_once(name, given.get(name), X, y, "labels")
    return {name: find_labels(name, given.get(name), X, y, "labels", kind) for name, kind in kinds.items()}


def _read_all_ids(
    groups: Ids, within_groups: bool, scorers: Options, X: Features, y: Labels
) -> tuple[Any, Options]:
    """Return the ids of the queries to draw, and a dict of the ids of each scorer that takes ids."""
    # Read them before permuting, because a scorer might find them in a permuted column of X.
    own_scorers = {name: scorer.scorer for name, scorer in scorers.items() if scorer is not None}
    names = {name: scorer.groups for name, scorer in own_scorers.items() if isinstance(scorer, RankingScorer)}
    own = {name: read_ids(ids, X, y)[0] for name, ids in names.items() if ids is not None}
    takers = [name for name, scorer in scorers.items() if scorer is None or "groups" in scorer.names]
    if groups is not None:
        return read_ids(groups, X, y)[0], dict.fromkeys(takers) | own
    if len(own) < len(names) or (within_groups and not own):
        fix = "Pass groups=qid, or the name of an index level of X or y or of a column of X."
        fail("groups", "contain the query id of each row", None, fix)
    return next(iter(own.values()), None), dict.fromkeys(takers) | own


class ScoredRows(NamedTuple):
    """Rows with all data that scorers get."""

    X: Features
    y: Labels
    groups: Ids
    by_scorer: dict[str, Ids]  # ids for each scorer that takes any; None for `groups`
    sample_weight: Weights
    columns: Options  # other labels, by name

    def labels_of(self, scorer: Any) -> Labels:
        return self.y if scorer.labels is None else self.columns[scorer.labels]

    def ids_of(self, name: str) -> Ids:
        ids = self.by_scorer[name]
        return self.groups if ids is None else ids

    def take(self, rows: np.ndarray | None) -> ScoredRows:
        by_scorer = {name: take(ids, rows) for name, ids in self.by_scorer.items()}
        X, y, groups, weights = (
            take(each, rows) for each in (self.X, self.y, self.groups, self.sample_weight)
        )
        columns = {name: take(each, rows) for name, each in self.columns.items()}
        return ScoredRows(X, y, groups, by_scorer, weights, columns)


class Repeat(NamedTuple):
    """The drawn rows (None for all), and the permutation of a feature's values."""

    rows: np.ndarray | None
    order: np.ndarray
    prepared: Mapping[str, Any] = {}  # prepared rows by scorer name


def _count_queries_to_draw(max_samples: Any, n_queries: int) -> int:
    is_share = isinstance(max_samples, float | np.floating) and 0 < max_samples <= 1
    if not is_share:
        check_count(max_samples, 1, "max_samples", " or a float in (0, 1]")
        if max_samples > n_queries:
            fail("max_samples", f"be at most the number of queries, {n_queries}", max_samples)
    return max(1, int(max_samples * n_queries)) if is_share else int(max_samples)


def _draw(codes: np.ndarray, n_queries: int, within_groups: bool, random: np.random.RandomState) -> Repeat:
    """Draw queries, and a permutation of their rows."""
    rows = None
    if n_queries <= codes.max():
        drawn = sample_without_replacement(codes.max() + 1, n_queries, random_state=random)
        rows = np.flatnonzero(np.isin(codes, drawn))
        codes = codes[rows]
    return Repeat(rows, permute_within(codes if within_groups else np.zeros_like(codes), random))


def _prepare(scorers: Options, data: ScoredRows, repeats: list[Repeat]) -> list[Repeat]:
    """Prepare the rows of each repeat once for all features, for scorers that support it."""
    prepared: Options = {}
    done: list[Repeat] = []
    for repeat in repeats:
        if repeat.rows is not None or not done:  # otherwise all rows are used again
            drawn = data.take(repeat.rows)
            prepared = {
                name: prepare_rows(each, drawn.labels_of(each), drawn.ids_of(name), drawn.sample_weight)
                for name, each in _list_own(scorers).items()
            }
        done.append(repeat._replace(prepared=prepared))
    return done


def _list_own(scorers: Options) -> Options:
    """Return the ranking scorers of this package, without instances of subclasses."""
    found = {name: each.scorer for name, each in scorers.items() if isinstance(each, BoundScorer)}
    return {name: each for name, each in found.items() if type(each) is RankingScorer and is_ranking(each)}


def _caution(scorers: Options, data: ScoredRows) -> None:
    """Issue the warnings of all scorers about labels, for each kind of ids."""
    by_ids: dict[Any, list[Any]] = {}
    for name, scorer in _list_own(scorers).items():
        by_ids.setdefault((id(data.ids_of(name)), scorer.labels), []).append((name, scorer))
    for same_ids in by_ids.values():
        rows = data.labels_of(same_ids[0][1]), data.ids_of(same_ids[0][0])
        requests = [request for _, scorer in same_ids for request in scorer.list_requests()]
        for finding in find_cautions(*rows, requests)[0]:
            give_caution(finding, len(requests) + len(scorers) - len(same_ids))


def _score_all(scorers: Options, model: Estimator, data: ScoredRows, prepared: Arguments) -> dict[str, float]:
    """Return the values of all scorers by name."""
    values: dict[str, float] = {}
    for name, scorer in scorers.items():
        metadata = {} if data.sample_weight is None else {"sample_weight": data.sample_weight}
        ids = data.ids_of(name) if name in data.by_scorer else None
        if scorer is None:
            value = call_method(model, "score", data.X, data.y, {"groups": ids}, metadata)
        else:
            metadata |= {} if ids is None else {"groups": ids}
            columns = {"groups": data.groups, **data.columns}
            value = scorer.score(model, data.X, data.y, columns, metadata, prepared.get(name))
        values |= value if isinstance(value, Mapping) else {name: value}
    return values


def _score_permuted(
    scorers: Options, model: Estimator, data: ScoredRows, feature: int, repeats: list[Repeat]
) -> list[dict[str, float]]:
    scores = []
    for rows, order, prepared in repeats:
        drawn = data.take(rows)
        drawn = drawn._replace(X=permute_column(drawn.X, feature, order))
        scores.append(_score_all(scorers, model, drawn, prepared))
    return scores
