"""Simulate properties of the statistics: python -m tests.simulations coverage comparisons [--repeats 2000].

Each simulation draws samples of queries from known distributions and counts how often an interval, a verdict
or a number of queries is correct, or runs searches and scores the chosen model on many more queries. Each
takes a few minutes on one core, except for searches. All numbers except times are reproducible. `--write`
writes the tables to the docs.
"""

import argparse

from ..helpers.pages import ROOT
from ..oracles.pages import write_between
from . import ab_tests, choices, clicks, comparisons, coverage, gate, model_labels, optimism
from .tables import format_table


def main() -> None:
    """Run simulations from the command line, and print or write the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulations", description=__doc__)
    parser.add_argument(
        "what", nargs="*", help=f"any of {', '.join(SIMULATIONS)}; by default the first three"
    )
    parser.add_argument("--repeats", type=int, default=coverage.REPEATS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="write the tables into the pages of docs")
    options = parser.parse_args()
    for what in options.what or list(SIMULATIONS)[:3]:
        pages = SIMULATIONS[what](options.repeats, options.seed)
        print(pages["trust_tables.md"], flush=True)
        for page, table in pages.items() if options.write else ():
            marks = (f"<!-- {word} of the {what} -->" for word in ("begin", "end"))
            write_between(ROOT / "docs" / page, *marks, table)


def show_coverage(repeats: int, seed: int) -> dict[str, str]:
    """Return the table of coverage, for one page."""
    sizes = [f"{n} units" for n in coverage.N_UNITS]
    return {
        "trust_tables.md": format_table(["values", "interval", *sizes], coverage.make_rows(repeats, seed))
    }


def show_comparisons(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of comparisons, for one page."""
    sizes, sparse = ([f"n = {n}" for n in each] for each in (comparisons.SIZES, comparisons.SPARSE_SIZES))
    rule = comparisons.make_rule_rows(repeats, seed)
    few = comparisons.make_sparse_rows(repeats, seed)
    power = comparisons.make_power_rows(repeats, seed)
    ranges = comparisons.make_range_rows(repeats, seed)
    tables = [
        f"Shares of {repeats:,} tables of nine comparisons: all intervals are true, and a verdict is false:",
        format_table(["differences", "true difference", *sizes], rule),
        f"Shares of {repeats:,} tables of six comparisons, two systems losing 1 on few of n queries: all "
        "intervals are true, and a verdict is false; and share of undecided comparisons:",
        format_table(["expected queries", *sparse], few),
        "Share of tables with as many queries as `queries_needed` returns whose first comparison succeeds:",
        format_table(["aim", "comparisons", "power", "queries", "share"], power),
        "Share of pilots whose 80% range contains the true number of queries:",
        format_table(["pilot", "share"], ranges),
    ]
    return {"trust_tables.md": "\n\n".join(tables)}


def show_searches(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of contenders and optimism: a quarter of the repeats for slow ones."""
    few = max(1, repeats // 4)
    queries = [f"{n} queries" for n in optimism.SIZES]
    measured = ["best score", "corrected score", "coverage"]
    tables = [
        f"Share of {few:,} searches whose contenders include the truly best of 24, and their mean number:",
        format_table(["candidates", *queries], optimism.make_contender_rows(few, seed)),
        "Difference from the true score of the best of 50 candidates, in standard errors, for 300 queries; "
        f"{repeats:,} searches if candidates are equal, otherwise {few:,}:",
        format_table(["candidates", "rho", "theory", *measured], optimism.make_optimism_rows(repeats, seed)),
    ]
    return {"trust_tables.md": "\n\n".join(tables)}


def show_choices(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of searches on data sets, with one seed per hundred repeats. This is slow."""
    seeds = max(2, repeats // 100)
    head = ["data", "model", "seeds", "seconds: grid, halving", "NDCG@10 of grid", "halving - grid"]
    claims = choices.make_claim_rows(choices.SEEDS, seed)
    tables = [
        "NDCG@10 on held-out queries of the best of 40 candidates, chosen by grid search or halving:",
        format_table(head, choices.make_choice_rows(seeds, seed)),
        f"The best of 12 trees on the digits, NDCG@10, mean of {choices.SEEDS} draws:",
        format_table(["estimate", "mean", "difference from held-out queries"], claims),
    ]
    return {"trust_tables.md": "\n\n".join(tables)}


def show_clicks(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of estimates from clicks, for one page."""
    values = clicks.make_value_rows(repeats, seed)
    tables = [
        f"DCG of {clicks.N_QUERIES} queries with {clicks.N_SESSIONS} rankings each, over {repeats:,} logs:",
        format_table(["logged by", "estimate", "truth", "mean", "bias (SE)"], values),
        "Propensities 1 / k of ten positions: most significant relative bias, and coverage of 95% intervals:",
        format_table(
            ["method", "queries", "logs", "bias (SE)", "lowest coverage", "mean coverage"],
            clicks.make_curve_rows(repeats, seed, clicks.CURVE_SIZES),
        ),
        "Coverage of 95% intervals over 200 queries, with known and estimated propensities:",
        format_table(["value", "known", "estimated"], clicks.make_cover_rows(repeats, seed)),
    ]
    return {"trust_tables.md": "\n\n".join(tables)}


def show_gate(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of red days of a gate, by page."""
    seeds = [f"{n} seed{'s' * (n > 1)}" for n in gate.SEEDS]
    measured = ("mean", "in 1 of 10 years at least", f"if {gate.LOSS:g} worse")
    head = ["gate", *(f"{what}, {of}" for of in seeds for what in measured)]
    rows = gate.make_gate_rows(repeats, seed)
    short = ["gate", *(f"red days, baseline of {of}" for of in seeds), f"red if {gate.LOSS:g} worse"]
    setting = (
        f"Red days of {gate.DAYS}, over {repeats:,} years with one recorded baseline each, and the share of "
        "days that are red if the new model is worse:"
    )
    return {
        "trust_tables.md": f"{setting}\n\n{format_table(head, rows)}",
        "gate.md": format_table(short, [[row[0], row[1], row[4], row[3]] for row in rows]),
    }


def show_model_labels(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of few human labels and many model labels, for one page."""
    head = ["values", "labeled by people", "interval", "PPI++, normal quantiles", "people alone", "worth"]
    widths = ["coverage", "width", "width by subtracting", "coverage, people alone", "width, people alone"]
    tables = [
        f"Coverage of 95% intervals, and the median worth of the labels in queries, {repeats:,} draws:",
        format_table(head, model_labels.make_judge_rows(repeats, seed)),
        f"Coverage for queries of users, 1 to {model_labels.PER_USER} each:",
        format_table(["labeled by people", "coverage"], model_labels.make_user_rows(repeats, seed)),
        "Difference of two systems; the correlations are 0.9 for values and 0.7 for differences:",
        format_table(["labeled by people", *widths], model_labels.make_difference_rows(repeats, seed)),
    ]
    return {"trust_tables.md": "\n\n".join(tables)}


def show_ab_tests(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of A/B tests and of metrics over all lists; half of the repeats for lists."""
    half = max(1, repeats // 2)
    groups, watched = (make(repeats, seed) for make in (ab_tests.make_group_rows, ab_tests.make_watch_rows))
    lists = ab_tests.make_list_rows(half, seed)
    n_drawn = min(half, ab_tests.MOST_BOOTSTRAPPED)
    tables = [
        f"Intervals of the difference of two groups, {repeats:,} tests each:",
        format_table(["values", "users", "method", "coverage", "mean width"], groups),
        f"Share of {repeats:,} runs in which t misses the mean at some n from 20 to 1,000, if it is watched:",
        format_table(["values", "share"], watched),
        f"Intervals of metrics over all lists, {half:,} samples of users (bootstrap: {n_drawn:,}):",
        format_table(["metric", "users", "mean", "jackknife", "percentile bootstrap"], lists),
    ]
    return {"trust_tables.md": "\n\n".join(tables)}


SIMULATIONS = {
    "coverage": show_coverage,
    "comparisons": show_comparisons,
    "searches": show_searches,
    "choices": show_choices,
    "clicks": show_clicks,
    "gate": show_gate,
    "model_labels": show_model_labels,
    "ab_tests": show_ab_tests,
}

if __name__ == "__main__":
    main()
