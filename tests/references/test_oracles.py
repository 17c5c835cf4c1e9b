"""The values of other libraries on generated data sets, under their conventions, are ours."""

import numpy as np
import pytest

from tests.oracles.__main__ import BEGIN, END
from tests.oracles.compare import Oracle, Row, all_data, compare
from tests.oracles.data import answered, complete, single, two_classes, untied
from tests.oracles.pages import write_between
from tests.oracles.table import ORACLES

# Many of the data sets are degenerate on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
CASES = [
    pytest.param(oracle, row, id=f"{name}: {row}") for name, oracle in ORACLES.items() for row in oracle.rows
]


@pytest.mark.thorough
@pytest.mark.parametrize(("oracle", "row"), CASES)
def test_values_are_those_of_the_oracle(oracle, row):
    pytest.importorskip(oracle.module)
    found = compare(oracle, row)
    assert found.largest <= oracle.tolerance, found.where
    assert found.n_data > 150
    assert found.n_values >= found.n_data


def test_no_comparison_stands_twice():
    assert len({case.id for case in CASES}) == len(CASES)


# ------------------------------------------------------------------ the data sets


def test_data_sets_have_what_libraries_differ_in():
    data = all_data()
    assert len({(d.name, d.y_true.tobytes(), d.weights.tobytes()) for d in data}) == len(data) == 288
    queries = [query for d in data for query in d.queries()]
    assert sum(len(labels) == 1 for labels, _ in queries) > 900
    assert sum(not (labels > 0).any() for labels, _ in queries) > 900
    assert sum((labels > 0).all() for labels, _ in queries) > 500
    assert sum(len(np.unique(scores)) < len(scores) for _, scores in queries) > 900
    assert sum(np.isnan(labels).any() for labels, _ in queries) > 400
    assert sum(np.isneginf(scores).any() for _, scores in queries) > 300
    assert sum((scores < 0).all() for _, scores in queries) > 700
    assert sum(np.abs(scores[np.isfinite(scores)]).max() > 1e29 for _, scores in queries) > 400
    assert sum((single(d).y_score != d.y_score).any() for d in data) > 100
    assert all((np.diff(d.groups) >= 0).all() for d in data)


@pytest.mark.parametrize("view", [complete, untied, answered, two_classes])
def test_views_leave_out_some_and_keep_some(view):
    seen = [view(data) for data in all_data()]
    n_rows = sum(len(data.groups) for data in seen if data is not None)
    assert 0 < n_rows < sum(len(data.groups) for data in all_data())


# ------------------------------------------------------------------ the comparison


def made_up(change):
    """An oracle that reports the number of queries that have a relevant document, changed."""
    answers = {"hit": lambda data: np.array([float((y > 0).any()) for y, _ in data.queries()])}
    return Oracle(
        "numpy", lambda data: lambda name, weighted: change(answers[name](data)), [], views=(complete,)
    )


HIT = Row("hit_rate@1000", "hit", {"ties": "order"})


def test_equal_values_differ_by_nothing():
    assert compare(made_up(lambda values: values), HIT).largest == 0


def test_one_different_value_is_found_with_its_data_set():
    found = compare(made_up(lambda values: values + 1e-9 * (len(values) == 3)), HIT)
    assert found.largest == pytest.approx(1e-9)
    assert found.where.startswith("long")


def test_a_mean_is_compared_with_the_mean():
    found = compare(made_up(np.mean), HIT)
    assert (found.n_values, found.largest) == (240, pytest.approx(0, abs=1e-15))


def test_what_is_no_number_is_a_difference():
    found = compare(made_up(lambda values: np.where(len(values) == 1, np.nan, values)), HIT)
    assert np.isnan(found.largest)
    assert not found.largest <= 1


def test_values_of_other_queries_are_refused():
    with pytest.raises(AssertionError, match="hit_rate@1000 = hit: one query"):
        compare(made_up(lambda values: np.append(values, 1)), HIT)


def test_the_table_stands_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_between(page, BEGIN, END, "new")
    assert page.read_text() == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
