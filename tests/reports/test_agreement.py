"""Letters, p-values, intervals and verdicts of random tables do not contradict each other."""

import re
import warnings

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare

UNBOUNDED = "dcg"


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
    return compare(
        reports,
        test=str(rng.choice(["t", "t", "randomization"])),
        correction=rng.choice(["auto", "auto", "auto", "bonferroni", None]),
        margin=rng.choice([None, 0.05, 0.3]),
        confidence_level=float(rng.choice([0.95, 0.95, 0.8])),
        n_resamples=int(rng.choice([399, 999])),
    )


def check_row(row, letters, alpha, margin):
    """Check one row of a table."""
    up = row["metric"] != "fallout_loss@3"
    low, high = (row["low"], row["high"]) if up else (-row["high"], -row["low"])
    is_better, is_worse = low > 0, high < 0
    word = row["verdict"].split(",")[0]
    assert (row["p_corrected"] <= alpha) == (is_better or is_worse)
    assert (word == "better", word == "worse") == (is_better, is_worse)
    assert (row["other"] in letters[row["system"]], row["system"] in letters[row["other"]]) == (
        is_better,
        is_worse,
    )
    inside = margin is not None and -margin < low and high < margin
    assert ("by less than" in row["verdict"] or word == "equivalent") == inside
    assert (word == "no worse") == (margin is not None and -margin < low <= 0 and high >= margin)
    assert bool(row["why"]) == (word == "undecided")
    assert np.isnan(low) or row["low"] <= row["difference"] <= row["high"]
    n_differ = row["wins"] + row["losses"]
    if 2.0 ** (1 - n_differ) > alpha:
        assert not (is_better or is_worse)
        assert np.isnan(low) == (row["metric"] == UNBOUNDED or np.isnan(row["p"]))
    assert row["p"] <= row["p_corrected"] or np.isnan(row["p"])


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
    beaten = read_letters(found)
    for place in range(len(columns["p"])):
        row = {name: each[place] for name, each in columns.items()}
        letters = {name: beaten.get((row["metric"], name), []) for name in found.systems}
        check_row(row, letters, 1 - plan.confidence_level, plan.margin)


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
