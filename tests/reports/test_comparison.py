"""Verdicts, changes and formats of comparisons, and numbers of queries needed."""

import pickle

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import Comparison, RankingReport, compare
from tests.helpers.forms import load
from tests.helpers.reports import A, B, C, column, compare_values

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
def test_comparison_verdict_follows_the_interval(shift, margin, verdict):
    middle = np.linspace(0.3, 0.6, 50)
    assert column(compare_values(middle, middle + NOISE + shift, margin=margin), "verdict") == verdict


@pytest.mark.parametrize(("margin", "verdict"), [(0.001, "undecided"), (0.2, "equivalent")])
def test_comparison_is_undecided_when_the_margin_is_small(margin, verdict):
    found = compare_values(np.full(50, 0.5), 0.5 + 30 * NOISE, margin=margin)
    assert column(found, "verdict") == verdict


def test_comparison_is_no_worse_when_interval_exceeds_margin_above():
    found = compare_values(np.full(50, 0.5), 0.504 + 30 * NOISE, margin=0.01)
    assert -0.01 < column(found, "low") < 0 < 0.01 < column(found, "high")
    assert column(found, "verdict") == "no worse"


@pytest.mark.parametrize("name", ["bpr_loss", "fallout_loss@3"])
def test_comparison_calls_a_lower_loss_better(name):
    found = compare_values(0.5 + A / 4, 0.3 + A / 4 + NOISE, name=name)
    assert [column(found, each) for each in ("verdict", "wins", "losses")] == ["better", 50, 0]
    assert column(found, "difference") < 0


def test_comparison_calls_a_higher_negated_loss_better():
    found = compare_values(-0.5 - A / 4, -0.3 - A / 4 + NOISE, name="neg_bpr_loss")
    assert [column(found, each) for each in ("verdict", "wins", "losses")] == ["better", 50, 0]


def test_comparison_calls_a_loss_no_worse():
    found = compare_values(np.full(50, 0.5), 0.496 + 30 * NOISE, name="bpr_loss", margin=0.01)
    assert (column(found, "verdict"), column(found, "difference") < 0) == ("no worse", True)


# ------------------------------------------------------------------ methods of comparisons


def test_comparison_can_be_pickled():
    found = compare_values(A, B, C, margin=0.01)
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(found, Comparison)
    assert repr(again) == repr(found)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_comparison_to_frame_has_all_columns(library):
    load(library)
    found = compare_values(A, B, C)
    frame = found.to_frame(library)
    assert list(frame.columns) == list(found.columns)
    assert list(frame["verdict"]) == found.columns["verdict"].tolist()


def test_comparison_shows_margin_and_means_in_all_formats():
    found = compare_values(A, B, baseline="a", margin=0.01)
    for text in (str(found), found._repr_html_(), found.to_markdown(), found.to_latex("comparisons")):
        assert "Equivalence margin: 0.01." in text
        assert f"{B.mean():.3f}" in text


def test_comparison_changes_are_sorted_from_worst_to_best():
    one, other = [0.5, 0.5, 0.5, 0.5, np.nan, 0.5], [0.6, 0.1, 0.5, 0.9, 0.5, 0.3]
    table = compare_values(one, other).changes("mrr")
    assert table.columns["query"].tolist() == [1, 5, 0, 3]
    assert table.columns["difference"].tolist() == pytest.approx([-0.4, -0.2, 0.1, 0.4])
    assert table.columns["a"].tolist() == [0.5] * 4
    assert table.columns["b"].tolist() == [0.1, 0.3, 0.6, 0.9]
    assert table.caption == 'mrr: 2 queries worse with "b", 2 better'
    assert compare_values(one, other).changes("mrr", 1).columns["query"].tolist() == [1, 3]


def test_comparison_names_the_queries_that_changed_most():
    one, other = np.full(9, 0.5), 0.5 + np.array([0.1, -0.4, 0, 0.4, -0.1, 0.3, 0.2, -0.2, -0.3])
    gains, losses = "3 (+0.400), 5 (+0.300), 6 (+0.200)", "1 (-0.400), 8 (-0.300), 7 (-0.200)"
    note = f"Largest changes of mrr: worse {losses}; better {gains}."
    assert compare_values(one, other).table().notes[-1] == note
    note = f"Largest changes of bpr_loss: worse {gains}; better {losses}."
    assert compare_values(one, other, name="bpr_loss").table().notes[-1] == note
    assert (
        str(compare_values(one, np.maximum(one, other))).splitlines()[-1]
        == f"Largest changes of mrr: better {gains}."
    )


def test_comparison_names_no_changes_without_any_or_of_three_systems():
    for values in ((A, A), (A, B, C)):
        assert "Largest changes" not in str(compare_values(*values))


def test_comparison_names_changes_of_the_first_metric_and_shortens_ids():
    ids = ["x" * 50, "b"]
    reports = {
        name: RankingReport.from_values(ids, {"map": [0.5, value], "mrr": [0.5, 0.5]})
        for name, value in {"one": 0.25, "two": 0.75}.items()
    }
    assert str(compare(reports)).splitlines()[-1] == "Largest changes of map: better b (+0.500)."
    again = {
        name: RankingReport.from_values(ids, {"map": each})
        for name, each in {"one": [1, 1], "two": [0, 1]}.items()
    }
    assert (
        str(compare(again)).splitlines()[-1] == "Largest changes of map: worse xxxxxxxxxxxx...xxxxx (-1.000)."
    )


def test_comparison_changes_of_a_loss_list_increases_first():
    table = compare_values([0.5, 0.5], [0.6, 0.1], name="bpr_loss").changes("bpr_loss")
    assert table.columns["query"].tolist() == [0, 1]
    assert table.columns["difference"].tolist() == pytest.approx([0.1, -0.4])


def test_comparison_changes_needs_the_pair_when_there_are_many():
    found = compare_values(A, B, C)
    assert found.changes("mrr", system="c", other="a").caption.startswith("mrr: ")
    assert found.changes("mrr", system="b").caption.endswith("better")
    for pair in ({}, {"system": "c"}, {"system": "a", "other": "c"}, {"system": "x"}):
        with pytest.raises(
            ValueError,
            match=r"'system' parameter of Comparison.changes must name one .* pass system='b', other='a'",
        ):
            found.changes("mrr", **pair)


@pytest.mark.parametrize(("arguments", "parameter"), [(("map",), "metric"), (("mrr", 0), "n")])
def test_comparison_changes_rejects_invalid_arguments(arguments, parameter):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of Comparison.changes must"):
        compare_values(A, B).changes(*arguments)


def test_queries_needed_has_the_power_of_the_t_test():
    found = compare_values(A, B)
    [n] = found.queries_needed(0.05, 0.9).columns["n"].tolist()
    deviation = (B - A).std(ddof=1)

    def power(n):
        critical, shift = stats.t.isf(0.025, n - 1), 0.05 / deviation * np.sqrt(n)
        return stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)

    assert power(n) >= 0.9 > power(n - 1)


def test_queries_needed_shows_the_level_and_the_number_for_the_pair_alone():
    table = compare_values(A, B, C, correction="bonferroni").queries_needed()
    assert table.columns["level"] == pytest.approx([0.05 / 3] * 3)
    assert table.texts["level"] == ["0.017"] * 3
    alone = compare_values(A, B, C, correction=None).queries_needed()
    assert (
        table.columns["n_alone"].tolist() == alone.columns["n"].tolist() == alone.columns["n_alone"].tolist()
    )
    assert table.texts["alone"] == [f"{n:,.0f}" for n in alone.columns["n"]]
    assert "alone" not in compare_values(A, B).queries_needed().texts


def test_queries_needed_has_the_level_of_the_critical_value():
    found = compare_values(A, B, C, baseline="a")
    level = found.queries_needed().columns["level"]
    critical = (found.columns["high"] - found.columns["difference"]) / (found._paired.t.standard_error)
    assert level == pytest.approx(2 * stats.t.sf(critical, 49), rel=1e-9)


def test_queries_needed_grows_with_the_number_of_comparisons():
    alone, of_many = compare_values(A, B), compare_values(A, B, C)
    assert alone.queries_needed().columns["n"][0] < of_many.queries_needed().columns["n"][0]
    table = alone.queries_needed(margin=0.02)
    assert table.columns["low"][0] < table.columns["n"][0] < table.columns["high"][0]
    assert table.caption == "queries needed to show equivalence within 0.02, power 80%"
    assert alone.queries_needed().caption == "queries needed to detect a difference of 0.01, power 80%"
    with pytest.raises(
        ValueError, match=r"'difference' parameter.*must be None if 'margin' is given. Got 0.02"
    ):
        alone.queries_needed(difference=0.02, margin=0.02)
    clustered = compare_values(A, B, options={"cluster": np.arange(50) // 5})
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
def test_queries_needed_rejects_invalid_arguments(given, parameter):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of Comparison.queries_needed must"):
        compare_values(A, B).queries_needed(**given)
