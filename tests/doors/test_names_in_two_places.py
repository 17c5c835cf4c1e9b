"""Ids and labels by name in an index level and a column: equal values are read, others are an error."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from sklearn_rank import cross_val_report, ndcg_scorer
from sklearn_rank.model_selection import BalancedGroupKFold, GroupTimeSeriesSplit, cross_val_score

pandas = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N_QUERIES, N_DOCUMENTS = 8, 5
ROWS = N_QUERIES * N_DOCUMENTS
QID, TIMES = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS), np.arange(ROWS)
LABELS = RNG.integers(0, 3, ROWS) + 0.0
LABELS[3] = np.nan  # not judged
NAMED = {"qid": QID, "day": TIMES, "grade": LABELS}
Y = np.nan_to_num(LABELS)


def frame(name, in_column, place):
    """Return X and y with the values of a name in an index level of X or y, and in a column of X."""
    X = pandas.DataFrame({"feature": RNG.random(ROWS), name: in_column})
    index = pandas.Index(NAMED[name], name=name)
    return (X.set_axis(index), Y) if place == "X" else (X, pandas.Series(Y, index))


def score_by_name(X, y):
    return ndcg_scorer(k=3, groups="qid")(Ridge().fit(X, y), X, y)


def score_labels_by_name(X, y):
    scorer = ndcg_scorer(k=3, labels="grade", unjudged="drop")
    model = make_pipeline(ColumnTransformer([("feature", "passthrough", ["feature"])]), Ridge())
    return scorer(model.fit(X, y), X, y, groups=QID)


DOORS = {
    "scorer": ("qid", score_by_name),
    "cross_val_score": (
        "qid",
        lambda X, y: cross_val_score(Ridge(), X, y, groups="qid", cv=2, scoring=ndcg_scorer(k=3)),
    ),
    "cross_val_report": (
        "qid",
        lambda X, y: cross_val_report(Ridge(), X, y, groups="qid", cv=2, scoring=["ndcg@3"]).mean,
    ),
    "splitter": ("qid", lambda X, y: list(BalancedGroupKFold(2).split(X, y, groups="qid"))),
    "times": ("day", lambda X, y: list(GroupTimeSeriesSplit(2).split(X, y, groups=QID, times="day"))),
    "labels": ("grade", score_labels_by_name),
}


@pytest.mark.parametrize("place", ["X", "y"])
@pytest.mark.parametrize("door", DOORS)
def test_different_values_of_one_name_are_an_error(door, place):
    name, call = DOORS[door]
    X, y = frame(name, np.roll(NAMED[name], 1), place)
    with pytest.raises(ValueError, match=f"exist once.*{name!r}, which index levels or columns"):
        call(X, y)


@pytest.mark.filterwarnings("ignore:.*contains the query ids as column")
@pytest.mark.parametrize("place", ["X", "y"])
@pytest.mark.parametrize("door", DOORS)
def test_equal_values_of_one_name_are_read(door, place):
    name, call = DOORS[door]
    call(*frame(name, NAMED[name], place))
