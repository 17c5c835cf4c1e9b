"""Values of metrics of all lists without each user, compared with those of the rows without the user."""

import numpy as np
import pytest

from sklearn_rank.metrics import (
    Given,
    Tables,
    leave_out_units,
    ranking_scores,
    read_entries,
    request_metrics,
    score_queries,
)

NAMES = ["catalog_coverage@3({})", "exposure_gini_loss@3({})", "neg_exposure_gini_loss@2(discount=log2,{})"]


def draw(seed, tied=False, n_users=12, n_items=15, n_rows=80):
    """Draw scores of some items for each user, in any order, with ids that are not in this order."""
    rng = np.random.default_rng(seed)
    pairs = rng.permutation(n_users * n_items)[:n_rows]
    scores = rng.integers(0, 3, n_rows) if tied else rng.gumbel(size=n_rows) + pairs % n_items % 4
    users = np.array([f"u{7 * user % 13}" for user in pairs // n_items])
    return {"groups": users, "items": pairs % n_items, "y_score": scores.astype(float)}


def leave_out(rows, names, clusters=None):
    given = Given(np.zeros(len(rows["items"])), rows["y_score"], rows["groups"])
    tables = Tables(items=rows["items"])
    requests = request_metrics(read_entries(names), {}, given, tables)
    return leave_out_units(requests, score_queries(requests, given, tables=tables).counts, clusters)


@pytest.mark.filterwarnings("ignore:.*no relevant document")
@pytest.mark.parametrize("catalog", [15, 40])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("by_cluster", [False, True])
def test_values_without_units_equal_recomputed_values(by_cluster, tied, catalog):
    rows = draw(3, tied)
    users = np.unique(rows["groups"])
    clusters = np.arange(len(users)) % 5 if by_cluster else np.arange(len(users))
    names = [name.format(f"catalog={catalog}") for name in NAMES]
    found = leave_out(rows, names, clusters if by_cluster else None)
    for unit in range(clusters.max() + 1):
        inside = np.isin(rows["groups"], users[clusters != unit])
        rest = {name: each[inside] for name, each in rows.items()}
        expected = ranking_scores(np.zeros(inside.sum()), **rest, metrics=names)
        for name in names:
            assert found[name][unit] == pytest.approx(expected[name], abs=1e-13)


@pytest.mark.filterwarnings("ignore:.*no relevant document")
def test_gini_without_the_only_user_with_a_list_is_nan():
    rows = {
        "groups": np.array([1, 1, 2]),
        "items": np.array([5, 6, 5]),
        "y_score": np.array([2.0, 1, -np.inf]),
    }
    without_first, without_second = leave_out(rows, ["exposure_gini_loss@1"])["exposure_gini_loss@1"]
    assert np.isnan(without_first)
    assert without_second == 0.5


@pytest.mark.filterwarnings("ignore:.*no relevant document")
def test_metrics_without_a_jackknife_are_left_out():
    assert list(leave_out(draw(0), ["personalization@3", "catalog_coverage@3"])) == ["catalog_coverage@3"]
