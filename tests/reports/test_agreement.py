"""Letters, p, intervals, verdicts and the gate do not contradict each other in random tables."""

import re
import warnings

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare
from sklearn_rank.reports import find_failure
from tests.helpers.reports import TESTS

UNBOUNDED = "dcg"
RANKS = ("wilcoxon", "sign")


def draw_differences(rng, n):
    """Draw differences of n queries: of few queries, of one size, all equal, with ties, or of any size."""
    kind = rng.integers(5)
    if kind == 0:
        few = rng.permutation(n) < rng.integers(0, 7)
        return few * rng.choice([-0.3, 0.1, 0.2, 0.3, rng.random()], n)
    if kind == 1:
        return rng.choice([-0.1, 0.1], n, p=[0.1, 0.9])
    if kind == 2:
        return np.full(n, rng.choice([0.0, 0.1]))
    return rng.integers(-2, 4, n) / 10 if kind == 3 else rng.normal(0.1, 0.1, n)


def draw_table(seed):
    """Compare drawn systems with drawn options."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([*range(3, 11), 20, 50]))
    metrics = ["mrr", "fallout_loss@3", UNBOUNDED][: rng.integers(1, 4)]
    base = rng.random((n, len(metrics))) / 2 + 0.25
    options, given = {}, rng.integers(6)
    if given < 2:
        options["cluster"] = rng.integers(0, rng.integers(2, n + 1), n) if given else np.arange(n) // 2
    elif given == 2:
        options["weights"] = rng.random(n)
    reports = {}
    for name in "abc"[: rng.integers(2, 4)]:
        values = base + np.column_stack([draw_differences(rng, n) for _ in metrics])
        values = values.clip(0, 1)
        if given == 3:
            values[rng.random(values.shape) < 0.1] = np.nan
        reports[name] = RankingReport.from_values(range(n), dict(zip(metrics, values.T)), **options)
    test = str(rng.choice(["auto", *TESTS]))
    return compare(
        reports,
        test=test,
        correction=rng.choice(["auto", "auto", "holm", "bonferroni", None]),
        margin=None if test in RANKS else rng.choice([None, 0.05, 0.3]),
        confidence_level=float(rng.choice([0.95, 0.95, 0.8])),
        n_resamples=int(rng.choice([399, 999])),
    )


def check_row(row, letters, alpha, margin, by_holm, outcome):
    """Check one row of a table of a test with intervals, and the outcome of the gate for this row alone."""
    up = row["metric"] != "fallout_loss@3"
    low, high = (row["low"], row["high"]) if up else (-row["high"], -row["low"])
    difference = row["difference"] if up else -row["difference"]
    is_significant = row["p"] <= alpha * (1 + 1e-9)
    is_better, is_worse = is_significant and difference > 0, is_significant and difference < 0
    word = row["verdict"].split(",")[0]
    assert (word == "better", word == "worse") == (is_better, is_worse)
    in_letters = row["other"] in letters[row["system"]], row["system"] in letters[row["other"]]
    assert in_letters == (is_better, is_worse)
    assert is_significant == (is_better or is_worse)
    is_marked = row["why"].startswith("significant by Holm")
    assert not is_marked or (by_holm and is_significant and low <= 0 <= high)
    if not np.isnan(low):
        assert (low > 0, high < 0) == (is_better and not is_marked, is_worse and not is_marked)
        assert row["low"] - 1e-12 <= row["difference"] <= row["high"] + 1e-12
    inside = margin is not None and -margin < low and high < margin
    assert ("by less than" in row["verdict"] or word == "equivalent") == inside
    assert (word == "no worse") == (
        margin is not None and -margin < low and high >= margin and not is_significant
    )
    assert bool(row["why"]) == (word == "undecided" or is_marked)
    assert row["p_unadjusted"] <= row["p"] or np.isnan(row["p"])
    same = row["wins"] + row["losses"] == 0 and row["difference"] == 0
    if word in ("better", "equivalent", "no worse") or same or "by less than" in row["verdict"]:
        assert outcome == ""
    elif word == "worse" and difference < -(margin or 0):
        assert outcome == "worse"
    else:
        assert outcome == ("" if low > -(margin or 0) else "undecided")


def read_letters(found):
    """Read the worse systems of each metric and system from the letters of the LaTeX table."""
    rows = [line.rstrip("\\ ").split(" & ") for line in found.to_latex().splitlines() if " & " in line]
    metrics, rows = [each.replace("\\_", "_") for each in rows[0][2:]], rows[1:]
    names = dict(zip([row[0] for row in rows], found.systems))
    beaten = {}
    for letter, _, *cells in rows:
        for metric, cell in zip(metrics, cells):
            marks = re.findall(r"\^\{(\w+)\}", cell)
            beaten[metric, names[letter]] = [names[mark] for mark in "".join(marks)]
    return beaten


def check_table(found):
    columns, plan = found.columns, found._plan
    if plan.test in RANKS:
        assert set(columns["verdict"]) == {""}
        assert np.isnan([columns["low"], columns["high"]]).all()
        assert (columns["p_unadjusted"] <= columns["p"]).all()
        return
    beaten, by_holm = read_letters(found), plan.correction in ("holm", "auto")
    failures = list_failures(found)
    for place in range(len(columns["p"])):
        row = {name: each[place] for name, each in columns.items()}
        letters = {name: beaten.get((row["metric"], name), []) for name in found.systems}
        check_row(row, letters, 1 - plan.confidence_level, plan.margin, by_holm, failures[place])


def list_failures(found):
    """Return the outcome of the gate for each row, from tables with only this row."""
    outcomes = []
    columns, n_differ = found.columns, found._paired.n_differ
    for place, undefined in enumerate(np.isnan(columns["difference"])):
        found.columns = {name: each[[place]] for name, each in columns.items()}
        found._paired = found._paired._replace(n_differ=n_differ[[place]])
        outcomes.append("undecided" if undefined else find_failure(found, "undecided")[0])
    found.columns, found._paired = columns, found._paired._replace(n_differ=n_differ)
    return outcomes


def check_tables(seeds):
    words = set()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The mean of .* is undefined")
        for seed in seeds:
            found = draw_table(seed)
            check_table(found)
            words.update(found.columns["verdict"].tolist())
    assert {"better", "worse", "equivalent", "no worse", "undecided"} <= words


def test_letters_p_intervals_and_verdicts_of_random_tables_agree():
    check_tables(range(300))


@pytest.mark.slow
def test_letters_p_intervals_and_verdicts_of_10_000_tables_agree():
    check_tables(range(300, 10_300))
