"""Required and optional cutoffs, and their error messages."""

import numpy as np
import pytest

import sklearn_rank
from sklearn_rank import (
    RankingWarning,
    hit_rate_at_k_score,
    ndcg_score,
    precision_at_k_score,
    precision_at_k_scorer,
    ranking_scores,
)
from tests.helpers.messages import INF, ROWS, assert_message
from tests.helpers.scorers import REQUIRED
from tests.helpers.table import METRICS

ONE_LIST = {
    "y_true": [[1, 0, 0, 1, 1, 0]],
    "y_score": [[5, 4, 3, 2, -np.inf, -np.inf]],
}  # 2 hits of 4; 3 relevant


def test_metrics_that_require_cutoff_are_named_at_k():
    names = [
        name.removesuffix("_score").replace("_at_k", "")
        for name in sklearn_rank.metrics.__all__
        if name.endswith(("_at_k_score", "_at_k_loss"))
    ]
    names.remove("overlap")  # it compares two rankings
    assert sorted(REQUIRED) == sorted(names)


@pytest.mark.parametrize("stem", REQUIRED)
def test_metric_at_k_requires_k(stem):
    function = METRICS[stem].function
    with pytest.raises(
        TypeError, match=rf"{function.__name__}\(\) missing 1 required keyword-only argument: 'k'"
    ):
        function(**ONE_LIST)


@pytest.mark.parametrize("stem", REQUIRED)
def test_factory_and_name_of_metric_at_k_require_k(stem):
    entry = METRICS[stem]
    factory = getattr(sklearn_rank.metrics, entry.factory.__name__)
    with pytest.raises(TypeError, match=r"\(\) missing a required (keyword-only )?argument: 'k'"):
        factory()
    for name in (entry.prefix + stem, f"{entry.prefix}{stem}(k=None)"):
        with pytest.raises(ValueError, match=f"have a cutoff, such as {entry.prefix}{stem}@10"):
            sklearn_rank.ranking_scorer([name, "ndcg"])
        with pytest.raises(ValueError, match=f"have a cutoff, such as {entry.prefix}{stem}@10"):
            sklearn_rank.ranking_scores(**ONE_LIST, metrics=[name])


@pytest.mark.parametrize(
    ("stem", "options", "expected"),
    [
        ("precision", {"adaptive_k": True}, 2 / 4),
        ("recall", {}, 2 / 3),
        ("hit_rate", {}, 1),
        ("fallout_loss", {}, 2 / 3),
        ("judged", {}, 1),
    ],
)
def test_set_metrics_accept_cutoff_that_no_list_exceeds(stem, options, expected):
    for k in (6, 1000):
        assert METRICS[stem].function(**ONE_LIST, k=k, **options) == expected


NEEDED = {
    "precision_at_k_score": lambda k: precision_at_k_score(**ROWS, k=k),
    "hit_rate_at_k_score": lambda k: hit_rate_at_k_score(**ROWS, k=k),
    "precision_at_k_scorer": lambda k: precision_at_k_scorer(k=k),
}
CUTOFFS = [INF, "10", 10.0, [5, 10], 0, 1.5]


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize("name", NEEDED)
def test_required_cutoff_error_allows_none(name, k):
    rule = f"'k' parameter of {name} must be an int >= 1 or None. Got {k!r}"
    assert_message(lambda: NEEDED[name](k), rule)


@pytest.mark.parametrize("k", [INF, "10", 0])
def test_optional_cutoff_error_allows_none(k):
    assert_message(lambda: ndcg_score(**ROWS, k=k), "be an int >= 1 or None")


@pytest.mark.parametrize(
    ("k", "fix"),
    [("10", "Pass k=10."), (10.0, "Pass k=10."), ([5, 10], "to ranking_scores."), (1.5, "Pass k=None.")],
    ids=repr,
)
def test_cutoff_error_shows_code_to_pass(k, fix):
    with pytest.raises(ValueError, match="'k' parameter of ndcg_score must be an int >= 1 or None") as error:
        ndcg_score(**ROWS, k=k)
    assert str(error.value).partition(" instead.")[2].strip().endswith(fix)


@pytest.mark.parametrize("stem", ["recall", "hit_rate", "neg_fallout_loss"])
def test_very_large_cutoff_means_whole_list_without_warning(stem):
    with pytest.warns(RankingWarning, match="no query has more documents than k=999999"):
        ranking_scores(**ROWS, metrics=[f"{stem}@999999"])
    assert abs(ranking_scores(**ROWS, metrics=[f"{stem}@1000000"])[f"{stem}@1000000"]) == 1
