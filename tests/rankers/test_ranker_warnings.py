"""Warnings about evaluation sets in which every ranking has the same value."""

import re
import warnings

import pytest

import sklearn_rank.rankers
from sklearn_rank import map_scorer
from sklearn_rank.rankers import as_eval_metric
from tests.helpers.early_stopping import GROUPS, HELD_OUT, PAIRS, PATIENCE, TRAIN, X, Y, make_stopping
from tests.helpers.rankers import BOOSTED, LIBRARIES, STOPPED

NONE_RELEVANT = map_scorer(k=10, min_relevance=100)


def cautions_of(model, **rows):
    """Return the warnings of a fit that name no relevant document."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(**rows)
    return [str(each.message) for each in caught if "no document is relevant" in str(each.message)]


@BOOSTED
@pytest.mark.parametrize("make", [lambda metric, library: metric, as_eval_metric])
def test_ranker_fit_warns_once_about_uninformative_evaluation_sets(name, make):
    pytest.importorskip(LIBRARIES[name])
    metric = make(NONE_RELEVANT, library=LIBRARIES[name])
    expected = (
        rf"{name}\.fit: no document is relevant in any query \(no label is at least min_relevance=100\)"
    )
    options, stop_by = (
        STOPPED[name] | {PATIENCE.get(name, "early_stopping_rounds"): 4},
        {"eval_metric": metric},
    )
    if name == "LGBMRanker":
        stop_by["metric"] = "None"
    for fraction, rows in ((0.2, {"X": X, "y": Y, "groups": GROUPS}), (None, TRAIN | PAIRS)):
        model = getattr(sklearn_rank.rankers, name)(**options, **stop_by, validation_fraction=fraction)
        (message,) = cautions_of(model, **rows)
        assert re.match(expected, message)


@BOOSTED
def test_ranker_fit_does_not_warn_about_training_rows(name):
    half = Y.max() / 2
    train = TRAIN | {"y": Y[~HELD_OUT] // 3}
    assert (train["y"] < half).all()
    assert not cautions_of(make_stopping(name, map_scorer(k=10, min_relevance=half)), **train, **PAIRS)
