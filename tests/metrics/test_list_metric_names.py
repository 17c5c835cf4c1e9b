"""Names of list metrics, in one call with metrics of labels and scores."""

import numpy as np
import pytest

import sklearn_rank
from sklearn_rank import get_scorer, ndcg_score, ranking_scores
from sklearn_rank.metrics import average_popularity_loss, novelty_score
from tests.helpers.table import ALL_METRICS, EXTRA_DATA_METRICS
from tests.metrics.test_list_metrics import LIST_METRICS as CALLS
from tests.metrics.test_list_metrics import PAST, PER_QUERY

LIST_METRICS = {stem: row for stem, row in EXTRA_DATA_METRICS.items() if "intents" not in row.needs}
SHARES = {item: 1 / (2 + item) for item in range(9)}
NAMES = [f"{stem}@3" for stem in LIST_METRICS]
OF_CALLS = {metric.name: {"k": 3} for metric in LIST_METRICS.values()}
for each in ("average_popularity_loss", "tail_share_score"):
    OF_CALLS[each]["popularity"] = SHARES


@pytest.fixture
def given(rows):
    """What a call with names takes: labels and scores, and what lists are of."""
    return {
        "y_true": rows["items"] % 3,
        "y_score": rows["y_score"],
        "groups": rows["groups"],
        "items": rows["items"],
        "features": np.abs(rows["X"]),
        "popularity": SHARES,
        "history": PAST,
    }


def call(name, rows, **options):
    return CALLS[name]({**rows, "X": np.abs(rows["X"])}, **OF_CALLS[name], **options)


def test_names_of_list_metrics_are_all_tested():
    assert {metric.name for metric in LIST_METRICS.values()} == set(CALLS)
    assert {metric.name for metric in LIST_METRICS.values() if metric.per_query} == set(PER_QUERY)


def test_metric_table_lists_required_inputs():
    needs = {stem: ALL_METRICS[stem].needs for stem in ("ndcg", "novelty", "err_ia")}
    assert needs == {"ndcg": (), "novelty": ("items", "popularity"), "err_ia": ("intents",)}


@pytest.mark.parametrize("name", NAMES)
def test_ranking_scores_by_name_equal_list_metric_function(name, given, rows):
    metric = LIST_METRICS[name.removesuffix("@3")]
    used = {*metric.needs, "y_true", "y_score", "groups"}
    taken = {key: value for key, value in given.items() if key in used}
    assert ranking_scores(**taken, metrics=[name]) == {name: call(metric.name, rows)}


def test_ranking_scores_mix_list_metrics_and_keep_order_of_names(given, rows):
    names = ["novelty@3", "ndcg@3", *[name for name in NAMES if name != "novelty@3"], "mrr"]
    found = ranking_scores(**given, metrics=names)
    assert list(found) == names
    labeled = given["y_true"], given["y_score"]
    assert found["ndcg@3"] == ndcg_score(*labeled, groups=given["groups"], k=3)
    assert found["novelty@3"] == call("novelty_score", rows)


@pytest.mark.parametrize("average", ["weighted", None])
def test_ranking_scores_of_lists_share_average_ties_and_weights(average, given, rows):
    weights = np.unique(rows["groups"], return_inverse=True)[1] + 1.0
    options = {"average": average, "ties": "order", "zero_division": 1.0, "sample_weight": weights}
    names = [name for name in NAMES if LIST_METRICS[name.removesuffix("@3")].per_query]
    found = ranking_scores(**given, metrics=names, **options)
    for name in names:
        expected = call(LIST_METRICS[name.removesuffix("@3")].name, rows, **options)
        np.testing.assert_array_equal(found[name], expected)


def test_metrics_of_all_lists_are_floats_when_average_is_none(given):
    found = ranking_scores(**given, metrics=[*NAMES, "mrr"], average=None)
    assert type(found["catalog_coverage@3"]) is type(found["personalization@3"]) is float
    assert found["novelty@3"].shape == found["mrr"].shape == (3,)


def test_metric_names_accept_options_of_list_metrics(given, rows):
    names = ["novelty@2(ties=order)", "exposure_gini_loss(discount=log2)", "catalog_coverage@1(catalog=50)"]
    names += ["serendipity@3(min_relevance=2, zero_division=0)", "novelty(average=weighted)"]
    names += ["tail_share@3(tail=.5)", "calibration_loss@3(smoothing=0.5)"]
    found = list(ranking_scores(**given, metrics=names, discount="reciprocal").values())
    features = {**rows, "X": np.abs(rows["X"])}
    assert found == [
        CALLS["novelty_score"](rows, k=2, ties="order"),
        CALLS["exposure_gini_loss"](rows, discount="log2"),
        CALLS["catalog_coverage_score"](rows, k=1, catalog=50),
        CALLS["serendipity_score"](features, k=3, min_relevance=2, zero_division=0.0),
        CALLS["novelty_score"](rows, average="weighted"),
        CALLS["tail_share_score"](rows, k=3, popularity=SHARES, tail=0.5),
        CALLS["calibration_loss"](features, k=3, smoothing=0.5),
    ]


def test_ranking_scores_pass_min_relevance_but_not_discount_to_lists(given, rows):
    names = ["exposure_gini_loss@3", "serendipity@3"]
    found = ranking_scores(**given, metrics=[*names, "novelty"], discount="log2", min_relevance=2)
    assert found["exposure_gini_loss@3"] == CALLS["exposure_gini_loss"](rows, k=3)  # it has its own discount
    features = {**rows, "X": np.abs(rows["X"])}
    assert found["serendipity@3"] == CALLS["serendipity_score"](features, k=3, min_relevance=2)


@pytest.mark.parametrize(
    "name", ["exposure_gini_loss@3", "intra_list_similarity_loss@3", "calibration_loss@3"]
)
def test_neg_prefix_negates_list_metric(name, given):
    names = [name, f"neg_{name}", "novelty", "calibration_loss"]  # together they need all inputs
    found = ranking_scores(**given, metrics=list(dict.fromkeys(names)))
    assert found[f"neg_{name}"] == -found[name] != 0


def test_list_metric_names_do_not_depend_on_row_order(given):
    mixed = np.random.default_rng(3).permutation(14)
    of_rows = ("y_true", "y_score", "groups", "items", "features")
    other = given | {name: given[name][mixed] for name in of_rows}
    expected = ranking_scores(**given, metrics=NAMES)
    assert ranking_scores(**other, metrics=NAMES) == pytest.approx(expected, abs=1e-12)


def test_list_metric_names_do_not_depend_on_item_names(given):
    names = ["catalog_coverage@3", "exposure_gini_loss@3", "personalization@3", "novelty@3", "tail_share@3"]
    needed = {key: given[key] for key in ("y_true", "y_score", "groups")}
    expected = ranking_scores(**needed, items=given["items"], popularity=SHARES, metrics=names)
    named = {f"item {item}": share for item, share in SHARES.items()}
    items = [f"item {item}" for item in given["items"]]
    found = ranking_scores(**needed, items=items, popularity=named, metrics=names)
    assert found == pytest.approx(expected, abs=1e-12)


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize("name", NAMES)
def test_ranking_scores_require_inputs_of_list_metric_names(name, given):
    needs = [need for need in LIST_METRICS[name.removesuffix("@3")].needs if need != "labels"]
    for need in needs:
        lacking = {key: value for key, value in given.items() if key != need}
        with pytest.raises(
            ValueError, match=f"'{need}' parameter of ranking_scores must be set for '{name}'.* Pass {need}="
        ):
            ranking_scores(**lacking, metrics=[name])
    labeled = {key: given[key] for key in ("y_true", "y_score", "groups")}
    words = ", ".join(f"{need}=..." for need in needs)
    with pytest.raises(
        ValueError, match=rf"must be passed with the inputs of the metric.*ranking_scores\(..., {words}"
    ):
        ranking_scores(**labeled, metrics=[name])


@pytest.mark.parametrize("table", ["items", "features", "popularity", "history"])
def test_ranking_scores_reject_list_inputs_that_no_name_uses(table, given):
    labeled = {key: given[key] for key in ("y_true", "y_score", "groups", table)}
    rule = f"'{table}' parameter of ranking_scores must be None unless a metric in 'metrics' uses it"
    with pytest.raises(ValueError, match=rule):
        ranking_scores(**labeled, metrics=["ndcg@3"])


WRONG = {
    "a cutoff of 0": ({"metrics": ["novelty@0"]}, "metrics"),
    "no parameter": ({"metrics": ["novelty@3(foo=1)"]}, "metrics"),
    "no form": ({"metrics": ["novelty@3(ties)"]}, "metrics"),
    "a sign that is none": ({"metrics": ["neg_novelty@3"]}, "metrics"),
    "twice": ({"metrics": ["novelty@3", "novelty@3"]}, "metrics"),
    "none": ({"metrics": []}, "metrics"),
    "no name": ({"metrics": ["novelty@3", 3]}, "metrics"),
    "no metric": ({"metrics": ["novelty@3", "noveltie"]}, "metrics"),
    "a best order": ({"ties": "best"}, "ties"),
    "a best order in a name": ({"metrics": ["novelty@3(ties=best)"]}, "ties"),
    "a ratio of sums": ({"average": "micro"}, "average"),
    "no option": ({"zero_division": 2}, "zero_division"),
    "no gain": ({"gain": "exp"}, "gain"),
    "no threads": ({"n_jobs": 0}, "n_jobs"),
    "labels of other rows": ({"y_true": [1, 0]}, "y_score"),
    "no labels": ({"y_true": None}, "y_true"),
    "items of other rows": ({"items": [1, 2]}, "items"),
    "an item twice": ({"items": np.zeros(14)}, "items"),
    "nobody knows it": ({"popularity": {0: 0.5}}, "popularity"),
}


@pytest.mark.parametrize(("change", "parameter"), WRONG.values(), ids=WRONG)
def test_ranking_scores_of_lists_errors_name_arguments_of_call(change, parameter, given):
    labeled = {key: given[key] for key in ("y_true", "y_score", "groups", "items", "popularity")}
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of ranking_scores must"):
        ranking_scores(**(labeled | {"metrics": ["novelty@3"]} | change))


def test_ranking_scores_reject_features_of_different_rows(given):
    labeled = {key: given[key] for key in ("y_true", "y_score", "groups")}
    for features in (given["features"][1:], "text", [[1, np.nan]] * 14):
        with pytest.raises(ValueError, match="'features' parameter of ranking_scores must"):
            ranking_scores(**labeled, features=features, metrics=["diversity@3"])


def test_ranking_scores_reject_items_in_different_order(given):
    pandas = pytest.importorskip("pandas")
    series = {key: pandas.Series(given[key]) for key in ("y_true", "y_score", "groups", "items")}
    series["items"] = series["items"][::-1]
    with pytest.raises(ValueError, match="'items'"):
        ranking_scores(**series, popularity=SHARES, metrics=["novelty@3"])


@pytest.mark.parametrize("name", ["catalog_coverage@3", "exposure_gini_loss@3", "personalization@3"])
def test_metrics_of_all_lists_reject_sample_weight(name, given):
    labeled = {key: given[key] for key in ("y_true", "y_score", "groups", "items")}
    with pytest.raises(ValueError, match=f"'sample_weight' parameter of ranking_scores .* '{name}'"):
        ranking_scores(**labeled, sample_weight=np.ones(14), metrics=[name, "mrr"])


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("novelty@10", r"novelty_scorer\(...\)"),
        ("diversity@10", r"diversity_scorer\(...\)"),
        ("neg_calibration_loss", r"neg_calibration_loss_scorer\(...\)"),
    ],
)
def test_get_scorer_error_for_list_metric_suggests_factory(name, remedy):
    with pytest.raises(ValueError, match=remedy):
        get_scorer(name)


def test_ranking_scores_of_labels_are_unchanged_by_list_metrics(given):
    labeled = given["y_true"], given["y_score"]
    names = ["ndcg@3", "mrr", "precision@2"]
    alone = ranking_scores(*labeled, groups=given["groups"], metrics=names)
    beside = ranking_scores(**given, metrics=[*names, *NAMES])
    assert alone == {name: beside[name] for name in names}


def test_popularity_accepts_counts_unless_shares_are_needed():
    given = {"groups": [0, 0], "popularity": {"a": 5, "b": 0}}
    assert average_popularity_loss(["a", "b"], [2, 1], **given) == 2.5
    with pytest.raises(ValueError, match="'popularity' parameter of novelty_score"):
        novelty_score(["a", "b"], [2, 1], **given)
    assert sklearn_rank.metrics.tail_share_score(["a", "b"], [2, 1], **given, tail=0.5) == 0.5
