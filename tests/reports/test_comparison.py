"""Verdicts of comparisons, and what follows from a comparison."""

import pickle

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import Comparison
from tests.helpers.forms import load
from tests.helpers.reports import A, B, C, column, compared

# ------------------------------------------------------------------ verdicts

NOISE = np.tile([-0.001, 0.001], 25)


@pytest.mark.parametrize(
    ("shift", "margin", "verdict"),
    [
        (0.2, None, "better"),
        (-0.2, None, "worse"),
        (0.0, None, "undecided"),
        (0.2, 0.05, "better"),
        (-0.2, 0.05, "worse"),
        (0.0, 0.05, "equivalent"),
        (0.01, 0.05, "better, by less than 0.05"),
        (-0.01, 0.05, "worse, by less than 0.05"),
    ],
)
def test_verdicts_follow_the_interval(shift, margin, verdict):
    middle = np.linspace(0.3, 0.6, 50)
    assert column(compared(middle, middle + NOISE + shift, margin=margin), "verdict") == verdict


@pytest.mark.parametrize(("margin", "verdict"), [(0.001, "undecided"), (0.2, "equivalent")])
def test_a_margin_may_be_too_small_to_tell(margin, verdict):
    found = compared(np.full(50, 0.5), 0.5 + 30 * NOISE, margin=margin)
    assert column(found, "verdict") == verdict


def test_no_worse_is_below_neither_0_nor_the_margin():
    found = compared(np.full(50, 0.5), 0.504 + 30 * NOISE, margin=0.01)
    assert -0.01 < column(found, "low") < 0 < 0.01 < column(found, "high")
    assert column(found, "verdict") == "no worse"


@pytest.mark.parametrize("name", ["bpr_loss", "fallout@3"])
def test_a_lower_loss_is_better(name):
    found = compared(0.5 + A / 4, 0.3 + A / 4 + NOISE, name=name)
    assert [column(found, each) for each in ("verdict", "wins", "losses")] == ["better", 50, 0]
    assert column(found, "difference") < 0


def test_a_loss_as_a_score_is_better_where_it_is_higher():
    found = compared(-0.5 - A / 4, -0.3 - A / 4 + NOISE, name="neg_bpr_loss")
    assert [column(found, each) for each in ("verdict", "wins", "losses")] == ["better", 50, 0]


def test_a_loss_may_be_no_worse():
    found = compared(np.full(50, 0.5), 0.496 + 30 * NOISE, name="bpr_loss", margin=0.01)
    assert (column(found, "verdict"), column(found, "difference") < 0) == ("no worse", True)


# ------------------------------------------------------------------ what follows from it


def test_it_is_a_comparison_that_is_pickled():
    found = compared(A, B, C, margin=0.01)
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(found, Comparison)
    assert (str(again), repr(again)) == (str(found), "<Comparison of a, b, c: mrr>")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_frame_has_all_columns(library):
    load(library)
    found = compared(A, B, C)
    frame = found.to_frame(library)
    assert list(frame.columns) == list(found.columns)
    assert list(frame["verdict"]) == found.columns["verdict"].tolist()


def test_all_forms_show_each_system():
    found = compared(A, B, baseline="a", margin=0.01)
    for text in (str(found), found._repr_html_(), found.to_markdown(), found.to_latex()):
        assert "margin 0.01" in text
        assert f"{B.mean():.3f}" in text


def test_changes_are_from_the_worst_to_the_best():
    one, other = [0.5, 0.5, 0.5, 0.5, np.nan, 0.5], [0.6, 0.1, 0.5, 0.9, 0.5, 0.3]
    table = compared(one, other).changes("mrr")
    assert table.columns["query"].tolist() == [1, 5, 0, 3]
    assert table.columns["difference"].tolist() == pytest.approx([-0.4, -0.2, 0.1, 0.4])
    assert table.columns["a"].tolist() == [0.5] * 4
    assert table.columns["b"].tolist() == [0.1, 0.3, 0.6, 0.9]
    assert table.caption == "mrr: 2 queries worse with b, 2 better"
    assert compared(one, other).changes("mrr", 1).columns["query"].tolist() == [1, 3]


def test_changes_of_a_loss_are_worse_where_it_is_higher():
    table = compared([0.5, 0.5], [0.6, 0.1], name="bpr_loss").changes("bpr_loss")
    assert table.columns["query"].tolist() == [0, 1]
    assert table.columns["difference"].tolist() == pytest.approx([0.1, -0.4])


def test_changes_name_a_pair_of_many():
    found = compared(A, B, C)
    assert found.changes("mrr", system="c", other="a").caption.startswith("mrr: ")
    assert found.changes("mrr", system="b").caption.endswith("better")
    for pair in ({}, {"system": "c"}, {"system": "a", "other": "c"}, {"system": "x"}):
        with pytest.raises(
            ValueError,
            match=r"'system' parameter of Comparison.changes must name .*system='b', other='a'",
        ):
            found.changes("mrr", **pair)


@pytest.mark.parametrize(("arguments", "parameter"), [(("map",), "metric"), (("mrr", 0), "n")])
def test_changes_refuse(arguments, parameter):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of Comparison.changes must"):
        compared(A, B).changes(*arguments)


def test_queries_needed_are_those_of_the_t_test():
    found = compared(A, B)
    [n] = found.queries_needed(0.05, 0.9).columns["n"].tolist()
    deviation = (B - A).std(ddof=1)

    def power(n):
        critical, shift = stats.t.isf(0.025, n - 1), 0.05 / deviation * np.sqrt(n)
        return stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)

    assert power(n) >= 0.9 > power(n - 1)


def test_queries_needed_are_more_at_a_corrected_level_and_for_a_small_margin():
    alone, of_many = compared(A, B), compared(A, B, C)
    assert alone.queries_needed().columns["n"][0] < of_many.queries_needed().columns["n"][0]
    table = alone.queries_needed(margin=0.02)
    assert table.columns["low"][0] < table.columns["n"][0] < table.columns["high"][0]
    assert table.caption == "queries needed to show a margin of 0.02 with power 0.8"
    assert alone.queries_needed().caption == "queries needed to find a difference of 0.01 with power 0.8"
    with pytest.raises(ValueError, match=r"'difference' parameter.*must be left out with a margin"):
        alone.queries_needed(difference=0.02, margin=0.02)
    clustered = compared(A, B, options={"clusters": np.arange(50) // 5})
    assert clustered.queries_needed().caption.startswith("clusters needed")


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"difference": 0}, "difference"),
        ({"difference": "x"}, "difference"),
        ({"difference": "x"}, "difference"),
        ({"margin": -1}, "margin"),
        ({"margin": np.inf}, "margin"),
        ({"power": 80}, "power"),
        ({"power": "x"}, "power"),
    ],
    ids=str,
)
def test_queries_needed_refuse(given, parameter):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of Comparison.queries_needed must"):
        compared(A, B).queries_needed(**given)


def test_its_representation_names_systems_and_metrics():
    assert repr(compared(A, B)) == "<Comparison of a, b: mrr>"
