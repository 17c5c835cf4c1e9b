"""Metrics on generated data sets, compared with other libraries under their conventions."""

import numpy as np
import pytest

from tests.oracles.__main__ import BEGIN, END
from tests.oracles.compare import Oracle, Row, all_data, compare
from tests.oracles.data import complete, single, two_classes, untied, with_relevant
from tests.oracles.pages import write_between
from tests.oracles.table import ORACLES

# Many of the data sets are degenerate on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
CASES = [
    pytest.param(oracle, row, id=f"{name}: {row}") for name, oracle in ORACLES.items() for row in oracle.rows
]


@pytest.mark.thorough
@pytest.mark.parametrize(("oracle", "row"), CASES)
def test_metrics_match_oracle_on_generated_data(oracle, row):
    pytest.importorskip(oracle.module)
    found = compare(oracle, row)
    assert found.largest <= oracle.tolerance, found.where
    assert found.n_data > 100
    assert found.n_values >= found.n_data


def test_oracle_comparisons_are_unique():
    assert len({case.id for case in CASES}) == len(CASES)


# ------------------------------------------------------------------ the data sets


def test_oracle_data_sets_contain_cases_in_which_libraries_differ():
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


@pytest.mark.parametrize("view", [complete, untied, with_relevant, two_classes])
def test_oracle_views_exclude_some_rows(view):
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


def test_oracle_compare_finds_no_difference_between_equal_values():
    assert compare(made_up(lambda values: values), HIT).largest == 0


def test_oracle_compare_finds_different_value_with_its_data_set():
    found = compare(made_up(lambda values: values + 1e-9 * (len(values) == 3)), HIT)
    assert found.largest == pytest.approx(1e-9)
    assert found.where.startswith("long")


def test_oracle_compare_compares_mean_with_mean():
    found = compare(made_up(np.mean), HIT)
    assert (found.n_values, found.largest) == (240, pytest.approx(0, abs=1e-15))


def test_oracle_compare_treats_nan_as_difference():
    found = compare(made_up(lambda values: np.where(len(values) == 1, np.nan, values)), HIT)
    assert np.isnan(found.largest)
    assert not found.largest <= 1


def test_oracle_compare_rejects_values_of_different_queries():
    with pytest.raises(AssertionError, match="hit_rate@1000 = hit: one query"):
        compare(made_up(lambda values: np.append(values, 1)), HIT)


def test_write_between_replaces_text_between_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write_between(page, BEGIN, END, "new")
    assert page.read_text() == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
