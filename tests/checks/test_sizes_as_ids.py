"""Sizes of queries, repeated in their rows, are not query ids."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RankingWarning,
    cross_val_report,
    cross_val_score,
    evaluate,
    ndcg_score,
    ndcg_scorer,
    ranking_scores,
)
from sklearn_rank.metrics import unique_groups

SIZES = np.random.default_rng(0).integers(1, 15, 60)
OF_ROWS = np.repeat(SIZES, SIZES)
NDCG = ndcg_scorer(k=10)


def draw(n_rows):
    random = np.random.default_rng(1)
    return random.normal(size=(n_rows, 3)), random.integers(0, 3, n_rows), random.normal(size=n_rows)


CALLS = {
    "ndcg_score": lambda X, y, scores, ids: ndcg_score(y, scores, groups=ids),
    "ranking_scores": lambda X, y, scores, ids: ranking_scores(
        y, scores, groups=ids, metrics=["map", "ndcg"]
    ),
    "evaluate": lambda X, y, scores, ids: evaluate(y, scores, groups=ids, metrics=["map", "ndcg"]),
    "unique_groups": lambda X, y, scores, ids: unique_groups(ids),
    "cross_val_score": lambda X, y, scores, ids: cross_val_score(Ridge(), X, y, scoring=NDCG, groups=ids),
    "cross_val_score in processes": lambda X, y, scores, ids: cross_val_score(
        Ridge(), X, y, scoring=NDCG, groups=ids, n_jobs=2
    ),
    "cross_val_report": lambda X, y, scores, ids: cross_val_report(
        Ridge(), X, y, scoring=["map"], groups=ids
    ),
    "GridSearchCV.fit": lambda X, y, scores, ids: GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring=NDCG).fit(
        X, y, groups=ids
    ),
    "BalancedGroupKFold.split": lambda X, y, scores, ids: list(BalancedGroupKFold(3).split(X, y, ids)),
}


@pytest.mark.parametrize("is_sorted", [True, False])
@pytest.mark.parametrize("call", CALLS)
def test_functions_warn_once_if_ids_are_sizes(call, is_sorted):
    X, y, scores = draw(len(OF_ROWS))
    ids = OF_ROWS if is_sorted else np.random.default_rng(2).permutation(OF_ROWS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RankingWarning)
        CALLS[call](X, y, scores, ids)
    [text] = [str(each.message) for each in caught if "divides" in str(each.message)]
    assert text == (
        f"{call.partition(' ')[0]}: each id in 'groups' divides its number of rows, so the ids look like "
        "sizes of queries, and queries of the same size count as one. Pass the query id of each row: "
        "groups=frame['qid']."
    )


def test_unique_groups_warns_of_large_sizes_in_many_rows():
    sizes = np.random.default_rng(0).integers(600, 900, 150)
    with pytest.warns(RankingWarning, match="each id in 'groups' divides its number of rows"):
        unique_groups(np.random.default_rng(1).permutation(np.repeat(sizes, sizes)))


# Ids that divide their number of rows by chance, or are not integers above 0.
ORDINARY = {
    "seven sizes": np.repeat(np.arange(1, 8), np.arange(1, 8)),
    "as many rows for each id": np.repeat(np.arange(1, 11), 2520),
    "a size with one row less": OF_ROWS[:-1],
    "from 0": np.append(OF_ROWS, 0),
    "text": OF_ROWS.astype(str),
    "floats": OF_ROWS + 0.0,
    "query ids": np.repeat(np.arange(1, 61), SIZES),
    "one row for each id": np.arange(1, 61),
    "large ids of many rows": np.repeat(np.arange(50_000, 50_100), 1_000),
}


@pytest.mark.filterwarnings("ignore:.*one document only")
@pytest.mark.parametrize("kind", ORDINARY)
def test_ndcg_score_accepts_ordinary_ids(kind):
    ids = ORDINARY[kind]
    _, y, scores = draw(len(ids))
    ndcg_score(y, scores, groups=ids)


def draw_ids(random):
    """Draw query ids from 1 or from a larger number, with sizes that are equal, similar or skewed."""
    n_queries = random.integers(8, 200)
    sizes = [
        np.full(n_queries, random.integers(1, 30)),
        random.integers(1, 30, n_queries),
        random.geometric(0.1, n_queries),
        random.zipf(1.5, n_queries).clip(1, 1000),
    ][random.integers(4)]
    return random.permutation(np.repeat(random.integers(1, 50) + np.arange(n_queries), sizes))


def test_ids_of_a_thousand_random_data_sets_do_not_look_like_sizes():
    random = np.random.default_rng(0)
    for _ in range(1000):
        unique_groups(draw_ids(random))
