"""Error messages of `cross_val_report`."""

from inspect import signature

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import cross_val_report, evaluate, map_scorer
from tests.helpers.forms import load

NAMES = ["ndcg@10", "mrr"]


@pytest.mark.parametrize(
    ("given", "parameter", "rule"),
    [
        ({"confidence_level": 95}, "confidence_level", "be between 0 and 1"),
        ({"interval": "normal"}, "interval", "be one of 't', 'bootstrap'"),
        ({"n_resamples": 10}, "n_resamples", "be an int from 100"),
        ({"random_state": "x"}, "random_state", "be None, an int"),
        ({"average": None}, "average", "be 'macro', 'micro' or 'weighted'. Got None"),
        ({"scoring": []}, "scoring", "be a non-empty list of distinct names"),
        ({"scoring": ["ndgc"]}, "scoring", "name a metric .did you mean ndcg"),
        ({"groups": None}, "groups", "contain the query id of each row. Got None"),
        ({"sample_weight": [1.0]}, "sample_weight", "have one entry per row"),
        ({"cluster": [1, 2, 3]}, "cluster", "have one id per row"),
        ({"ties": "last"}, "ties", ""),
    ],
    ids=str,
)
def test_cross_val_report_rejects_bad_arguments_before_training(given, parameter, rule, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of cross_val_report must {rule}"):
        cross_val_report(object(), X, y, **{"groups": groups, "scoring": NAMES} | given)


@pytest.mark.parametrize(
    ("name", "rule"), [("sample_weight", "be the same for all rows of a query"), ("cluster", "be the same")]
)
def test_cross_val_report_rejects_values_that_vary_in_a_query(name, rule, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match=f"The '{name}' parameter of cross_val_report must {rule}"):
        cross_val_report(Ridge(), X, y, groups=groups, scoring=NAMES, **{name: np.arange(len(y)) + 1.0})


@pytest.mark.parametrize("name", ["sample_weight", "cluster"])
def test_cross_val_report_rejects_rows_in_another_order(name, ranking_data):
    X, y, groups = ranking_data
    pd = load("pandas")
    moved = pd.Series(groups + 1.0).sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match=f"'{name}' parameter of cross_val_report must have its rows"):
        cross_val_report(
            Ridge(), pd.DataFrame(X), pd.Series(y), groups=groups, scoring=NAMES, **{name: moved}
        )


def test_cross_val_report_rejects_weights_of_a_scorer_without_its_own(ranking_data):
    X, y, groups = ranking_data
    scorer = map_scorer().set_score_request(sample_weight=True)
    options = {"groups": groups, "scoring": {"map": scorer}, "params": {"sample_weight": np.ones(len(y))}}
    with pytest.raises(ValueError, match=r"'sample_weight' parameter of cross_val_report must be passed"):
        cross_val_report(Ridge(), X, y, **options)


def test_cross_val_report_raises_if_a_fit_fails(ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(ValueError, match="alpha"):
        cross_val_report(Ridge(alpha=-1), X, y, groups=groups, scoring=NAMES)


def test_cross_val_report_shares_option_names_with_evaluate():
    ours, theirs = signature(cross_val_report).parameters, signature(evaluate).parameters
    of_batches = {"data"}
    list_metrics = {"items", "features", "popularity", "history", "intents", "strata"}
    shared = (
        set(theirs) - {"y_true", "y_score", "metrics"} - of_batches - list_metrics
    )  # options of existing predictions
    assert shared <= set(ours)
    assert all(ours[name].default == theirs[name].default for name in shared - {"groups"})
