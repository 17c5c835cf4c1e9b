"""Margins by metric, and the gate: what is worse, what passes, and what the error contains."""

import numpy as np
import pytest

from sklearn_rank import compare
from sklearn_rank.reports import assert_not_worse, find_failure
from tests.helpers.reports import A, B, C, column, compare_values, report_of

BASE = np.linspace(0.3, 0.6, 50)
NOISE = np.tile([-0.001, 0.001], 25)  # an interval of about +-0.0003
WIDE = 30 * NOISE  # and of about +-0.0086


def outcome_of(comparison):
    return find_failure(comparison, "undecided")[0] or "passed"


@pytest.mark.parametrize(
    ("shift", "noise", "margin", "outcome"),
    [
        (-0.02, NOISE, None, "worse"),
        (-0.02, NOISE, 0.01, "worse"),
        (-0.02, NOISE, 0.05, "passed"),  # worse, by less than the margin
        (0.02, NOISE, None, "passed"),
        (0.0, NOISE, None, "undecided"),
        (0.0, NOISE, 0.01, "passed"),
        (-0.012, WIDE, 0.01, "worse"),
        (-0.009, WIDE, 0.01, "undecided"),  # the verdict is "worse", but the margin is inside the interval
        (-0.012, WIDE, 0.03, "passed"),
        (-0.005, WIDE, 0.002, "undecided"),
    ],
)
def test_gate_reads_interval_difference_and_margin(shift, noise, margin, outcome):
    assert outcome_of(compare_values(BASE, BASE + shift + noise, margin=margin)) == outcome
    loss = compare_values(BASE, BASE - shift - noise, margin=margin, name="bpr_loss")
    assert outcome_of(loss) == outcome


@pytest.mark.parametrize("n", [1, 3, 50])
@pytest.mark.parametrize("margin", [None, 0.001])
def test_gate_passes_identical_values(n, margin):
    assert outcome_of(compare_values(BASE[:n], BASE[:n], margin=margin)) == "passed"


@pytest.mark.filterwarnings("ignore:.*is undefined")
@pytest.mark.parametrize("n_known", [0, 25])
@pytest.mark.parametrize("fail_on", ["worse", "undecided"])
def test_gate_rejects_systems_without_common_values(n_known, fail_on):
    one = np.where(np.arange(50) < n_known, BASE, np.nan)
    other = np.where(np.arange(50) < 25, np.nan, BASE)
    with pytest.raises(ValueError, match="Got no such query for 'mrr' of 'b', 'a' instead"):
        assert_not_worse(compare_values(one, other, margin=0.01), fail_on=fail_on)


@pytest.mark.parametrize(("n", "outcome"), [(5, "undecided"), (6, "worse")])
def test_gate_counts_equal_losses_of_six_queries_as_worse(n, outcome):
    assert outcome_of(compare_values(np.ones(n), np.zeros(n), margin=0.1)) == outcome
    gained = compare_values(np.zeros(n), np.ones(n), margin=0.1)
    assert outcome_of(gained) == ("passed" if n == 6 else "undecided")


@pytest.mark.parametrize(
    "options",
    [{"confidence_level": 0.999}, {"confidence_level": 0.95, "baseline": "a", "correction": "holm"}],
)
def test_gate_has_the_level_of_the_table_for_equal_losses(options):
    losses = [np.zeros(7)] * (4 if "baseline" in options else 1)  # 2 ** -6 = 0.016, four of them 0.0625
    found = compare_values(np.ones(7), *losses, **options)
    assert outcome_of(found) == "undecided"
    assert set(found.columns["verdict"]) == {"undecided"}


def test_gate_fails_as_worse_before_undecided():
    values = {"mrr": BASE, "map": BASE}, {"mrr": BASE + WIDE, "map": BASE - 0.1 + NOISE}
    found = compare(dict(zip("ab", map(report_of, values))), baseline="a")
    assert find_failure(found, "undecided") == ("worse", '"b" is worse than "a" in map')
    assert find_failure(found, "worse") == ("worse", '"b" is worse than "a" in map')


def test_gate_names_at_most_three_pairs():
    found = compare_values(BASE, *(BASE - 0.1 + i * NOISE for i in range(1, 6)), baseline="a")
    sentence = find_failure(found, "worse")[1]
    assert sentence.endswith('"d" is worse than "a" in mrr; and 2 more')


# ------------------------------------------------------------------ assert_not_worse


def test_assert_not_worse_shows_the_table():
    found = compare_values(BASE, BASE - 0.1 + NOISE, baseline="a")
    with pytest.raises(AssertionError) as error:
        assert_not_worse(found)
    assert str(error.value) == f'"b" is worse than "a" in mrr.\nThe labels could not be checked.\n{found}'


def test_assert_not_worse_fails_on_undecided_only_on_request():
    found = compare_values(BASE, BASE + WIDE)
    assert_not_worse(found)
    with pytest.raises(
        AssertionError, match=r'^"b" might be worse than "a" in mrr\.\nThe labels .*\n50 queries'
    ):
        assert_not_worse(found, fail_on="undecided")


@pytest.mark.parametrize(
    ("comparison", "options", "message"),
    [
        (report_of(A), {}, "be a Comparison. Got a RankingReport instead"),
        (compare_values(A, B, C), {}, r"have a baseline, .* Got 3 systems without .*baseline='a'"),
        (compare_values(A, B, test="sign"), {}, r"have intervals. Got test='sign' .* test='t'"),
        (compare_values(A, B), {"fail_on": "better"}, "be one of 'worse', 'undecided'"),
    ],
    ids=["report", "no baseline", "sign test", "fail_on"],
)
def test_assert_not_worse_rejects_invalid_arguments(comparison, options, message):
    with pytest.raises(ValueError, match=f"parameter of assert_not_worse must {message}"):
        assert_not_worse(comparison, **options)


# ------------------------------------------------------------------ margins by metric


def test_compare_uses_the_margin_of_each_metric():
    values = {"mrr": BASE, "map": BASE, "bpr_loss": BASE}
    changed = {name: each - 0.02 + NOISE for name, each in values.items()}
    reports = {"a": report_of(values), "b": report_of(changed)}
    found = compare(reports, margin={"mrr": 0.05, "bpr_loss": 0.03})
    expected = ["worse, by less than 0.05", "worse", "better, by less than 0.03"]
    assert found.columns["verdict"].tolist() == expected
    assert "Equivalence margins: 0.05 for mrr, 0.03 for bpr_loss." in str(found)


def test_compare_margins_equal_a_number_if_all_are_equal():
    values = BASE, BASE - 0.005 + WIDE
    one, other = (compare_values(*values, margin=each) for each in (0.02, {"mrr": 0.02}))
    assert column(one, "verdict") == column(other, "verdict") == "equivalent"
