"""Metrics of all retrieved documents: `k=None` of metrics with a cutoff, and names that begin with "set_"."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import sklearn_rank
import sklearn_rank.metrics
from sklearn_rank import cross_val_score, evaluate, get_scorer, ranking_scores
from tests.helpers.table import METRICS

# Two of three retrieved documents are relevant, of four relevant and five others; one of one; nothing.
GAP = -np.inf
ROWS = {
    "y_true": [1, 0, 1, 1, 1, 0, 0, 0, 0] + [1, 0] + [1, 0],
    "y_score": [3, 2, 2, GAP, GAP, GAP, GAP, GAP, GAP] + [1, GAP] + [GAP, GAP],
    "groups": [0] * 9 + [1] * 2 + [2] * 2,
}
EXPECTED = {  # with R = 4, 1, 1 relevant documents and 5, 1, 1 others
    "precision": [2 / 3, 1, 0],
    "recall": [2 / 4, 1, 0],
    "f1": [2 * 2 / (3 + 4), 2 * 1 / (1 + 1), 0],
    "hit_rate": [1, 1, 0],
    "fallout_loss": [1 / 5, 0, 0],
    "judged": [1, 1, 0],
}
REQUIRED = [stem for stem, metric in METRICS.items() if metric.cutoff == "required" and not metric.needs]
X, Y, QUERIES = sklearn_rank.datasets.make_ranking(n_queries=10, random_state=0)


def name_of_set(stem):
    return f"{METRICS[stem].prefix}set_{stem}"


def test_each_metric_with_a_needed_cutoff_has_an_expected_value():
    assert set(REQUIRED) == EXPECTED.keys()


@pytest.mark.parametrize("stem", REQUIRED)
def test_k_none_means_all_retrieved_documents(stem):
    values = METRICS[stem].function(**ROWS, k=None, average=None)
    np.testing.assert_allclose(values, EXPECTED[stem], rtol=0, atol=1e-15)


@pytest.mark.parametrize("stem", REQUIRED)
def test_names_that_begin_with_set_have_the_value_of_k_none(stem):
    name, sign = name_of_set(stem), -1 if METRICS[stem].prefix else 1
    expected = sign * METRICS[stem].function(**ROWS, k=None)
    assert ranking_scores(**ROWS, metrics=[name]) == {name: expected}
    assert evaluate(**ROWS, metrics=[name]).mean[name] == expected
    assert sklearn_rank.metrics.is_metric_name(name)
    assert "k=None" in str(sklearn_rank.explain(name))


@pytest.mark.parametrize("stem", REQUIRED)
def test_scorers_accept_k_none(stem):
    scorer, name = METRICS[stem].factory(k=None), name_of_set(stem)
    assert repr(scorer) == f"RankingScorer(metrics={name!r})"
    model = Ridge().fit(X, Y)
    value = METRICS[stem].function(Y, model.predict(X), groups=QUERIES, k=None)
    assert scorer(model, X, Y, groups=QUERIES) == get_scorer(name)(model, X, Y, groups=QUERIES)
    assert scorer(model, X, Y, groups=QUERIES) == (-value if METRICS[stem].prefix else value)
    options = {"groups": QUERIES, "cv": 2}
    by_name, by_scorer = (cross_val_score(Ridge(), X, Y, scoring=each, **options) for each in (name, scorer))
    np.testing.assert_array_equal(by_name, by_scorer)


@pytest.mark.parametrize("ties", ["average", "order", "best", "worst"])
@pytest.mark.parametrize("stem", REQUIRED)
def test_k_none_does_not_depend_on_ties(stem, ties):
    options = {} if stem == "judged" else {"unjudged": "raise"}
    tied = ROWS | {"y_score": np.where(np.array(ROWS["y_score"]) > GAP, 1, GAP)}
    values = METRICS[stem].function(**tied, k=None, ties=ties, average=None, **options)
    np.testing.assert_allclose(values, EXPECTED[stem], rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("stem", "options", "expected"),
    [
        ("recall", {"denominator": "achievable"}, [2 / 4, 1, 0]),
        ("precision", {"adaptive_k": True}, [2 / 3, 1, 0]),
        ("precision", {"zero_division": np.nan}, [2 / 3, 1, np.nan]),
        ("f1", {"beta": 2}, [5 * 2 / (3 + 4 * 4), 1, 0]),
    ],
)
def test_k_none_combines_with_other_options(stem, options, expected):
    values = METRICS[stem].function(**ROWS, k=None, average=None, **options)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("set_precision", "trec_eval:set_P"),
        ("set_recall", "trec_eval:set_recall"),
        ("set_f1", "trec_eval:set_F"),
    ],
)
def test_set_names_have_the_values_of_trec_eval(name, theirs):
    assert len(set(ranking_scores(**ROWS, metrics=[name, theirs]).values())) == 1


@pytest.mark.parametrize("stem", ["precision", "f1"])
@pytest.mark.parametrize("k", [10**6, 2**62])
def test_metrics_that_divide_by_k_reject_a_cutoff_that_means_all_documents(stem, k):
    rule = rf"'k' parameter of \w+ must be below 10\*\*6.* Pass k=None or 'set_{stem}' for all retrieved"
    with pytest.raises(ValueError, match=rule):
        METRICS[stem].function(**ROWS, k=k)
    with pytest.raises(ValueError, match=r"must be below 10\*\*6"):
        ranking_scores(**ROWS, metrics=[f"{stem}@{k}"])


@pytest.mark.parametrize("name", ["set_precision@5", "set_map", "set_ndcg", "set_neg_fallout"])
def test_other_names_with_set_are_rejected(name):
    assert not sklearn_rank.metrics.is_metric_name(name)
    with pytest.raises(ValueError, match="'metrics' parameter of ranking_scores must"):
        ranking_scores(**ROWS, metrics=[name])
