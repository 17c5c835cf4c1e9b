"""Values of queries by a pandas index whose integers can be row numbers."""

import numpy as np
import pytest

from sklearn_rank import RankingReport, evaluate
from sklearn_rank.metrics import calibration_loss

pandas = pytest.importorskip("pandas")
IDS = np.arange(4)
VALUES = [0.4, 0.1, 0.3, 0.2]
ROWS = {"y_true": [1, 0] * 4, "y_score": [2, 1] * 4, "groups": np.repeat(IDS, 2)}
ROW_NUMBERS = r"Unnamed integers can be row numbers.* Pass {0}\.rename_axis\(\"query\"\) .*zip\(ids, {0}"
# One row per query, sorted by time. The row numbers 2, 0, 3, 1 are not the ids.
USERS = pandas.DataFrame({"query": [1, 3, 0, 2], "value": [7, 8, 7, 8], "time": [2, 4, 1, 3]})
SORTED = USERS.sort_values("time")["value"]
REPORT = RankingReport.from_values(IDS, {"mrr": VALUES})
GENRES = [[1, 0]] * 4, [1] * 4

CALLS = {
    "by": ("labels", lambda values: REPORT.by(values)),
    "cluster": ("cluster", lambda values: evaluate(**ROWS, metrics=["mrr"], cluster=values)),
    "weights": ("weights", lambda values: RankingReport.from_values(IDS, {"mrr": VALUES}, weights=values)),
    "values": ("values", lambda values: RankingReport.from_values(IDS, {"mrr": values / 10})),
    "history": (
        "history",
        lambda values: calibration_loss(*GENRES, groups=IDS, history=values.to_frame().assign(b=1)),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_series_readers_reject_row_numbers_as_query_ids(name):
    parameter, call = CALLS[name]
    with pytest.raises(ValueError, match=ROW_NUMBERS.format(parameter)):
        call(SORTED)


@pytest.mark.parametrize("name", CALLS)
def test_series_readers_accept_integer_ids_in_a_named_index(name):
    call = CALLS[name][1]
    by_id = USERS.set_index("query")["value"]
    call(by_id)
    call(SORTED.rename_axis("query"))  # the fix that the error suggests


@pytest.mark.parametrize("rows", [[3, 1, 0, 2], [1, 2, 3], [2, 3]], ids=["shuffled", "without 0", "filtered"])
def test_report_by_rejects_row_numbers_of_part_of_a_frame(rows):
    report = RankingReport.from_values(rows, {"mrr": VALUES[: len(rows)]})
    with pytest.raises(ValueError, match=ROW_NUMBERS.format("labels")):
        report.by(pandas.Series(list("abab"))[rows])


def test_report_by_reads_negative_integers_as_ids():
    labels = pandas.Series(["a", "b"], index=[3, -1])
    report = RankingReport.from_values([-1, 3], {"mrr": [0.25, 0.5]})
    assert {name: each.mean["mrr"] for name, each in report.by(labels).items()} == {"a": 0.5, "b": 0.25}


@pytest.mark.parametrize("ids", [[5, 9, 7], [2, 0, 1]])
def test_report_from_values_accepts_an_index_in_the_order_of_the_ids(ids):
    values = pandas.Series([0.1, 0.2, 0.3], index=ids)
    report = RankingReport.from_values(np.array(ids), {"mrr": values})
    assert report.values["mrr"].tolist() == [values[id_] for id_ in sorted(ids)]


def test_report_by_rejects_an_index_of_lists():
    index = pandas.Index([[each] for each in IDS], dtype=object, name="query")
    with pytest.raises(ValueError, match=r"Got ids that cannot be looked up \(unhashable type"):
        REPORT.by(pandas.Series(VALUES, index=index))
