"""Simulate properties of the statistics: python -m tests.simulations coverage comparisons [--repeats 2000].

Each simulation draws samples of queries from known distributions and counts how often an interval, a verdict
or a number of queries is right, or runs searches whose choice is scored on many more queries. Each takes a
few minutes on one core, except for searches. All numbers except times are reproducible. `--write` writes the
tables to the docs.
"""

import argparse

from ..helpers.pages import ROOT
from ..oracles.pages import write_between
from . import choices, clicks, comparisons, coverage, optimism, sampled
from .tables import format_table

SHORT = {  # values on the page about decisions, at the smallest and largest number of units
    ("normal", "t"),
    ("reciprocal ranks", "t"),
    ("reciprocal ranks", "studentized"),
    ("60 % zeros", "t"),
    ("60 % zeros", "studentized"),
    ("hit rate .05", "t"),
    ("hit rate .05", "Wilson"),
    ("clusters of 10", "t"),
    ("clusters of 10, taken for independent", "t"),
    ("10 repeats, averaged first", "t"),
    ("10 repeats, taken for independent", "t"),
}


def main() -> None:
    """Read what to simulate, and print or write the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulations", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"of {', '.join(SIMULATIONS)}; the first three by default")
    parser.add_argument("--repeats", type=int, default=coverage.REPEATS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="into docs/trust.md and docs/decisions.md")
    asked = parser.parse_args()
    for what in asked.what or list(SIMULATIONS)[:3]:
        pages = SIMULATIONS[what](asked.repeats, asked.seed)
        print(pages["trust.md"], flush=True)
        for page, table in pages.items() if asked.write else ():
            marks = (f"<!-- {word} of the {what} -->" for word in ("begin", "end"))
            write_between(ROOT / "docs" / page, *marks, table)


def show_coverage(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of coverage by page."""
    sizes = [f"{n} units" for n in coverage.N_UNITS]
    rows = coverage.make_rows(repeats, seed)
    short = [[*row[:3], row[-1]] for row in rows if tuple(row[:2]) in SHORT]
    head = ["values", "interval"]
    return {
        "trust.md": format_table([*head, *sizes], rows),
        "decisions.md": format_table([*head, sizes[0], sizes[-1]], short),
    }


def show_comparisons(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of comparisons, all of one page."""
    queries = {what: [f"{n} queries" for n in sizes] for what, sizes in comparisons.SIZES.items()}
    errors = comparisons.make_error_rows(repeats, seed)
    verdicts = comparisons.make_verdict_rows(repeats, seed)
    power = comparisons.make_power_rows(repeats, seed)
    ranges = comparisons.make_range_rows(repeats, seed)
    tables = [
        "Tables of five comparisons without any difference in which some corrected p is at most .05:",
        format_table(["differences", "test, correction", *queries["errors"]], errors),
        "Tables of three systems by three metrics, nine comparisons, in which some verdict is false:",
        format_table(["differences", "truth", "test, correction", *queries["verdicts"]], verdicts),
        "Tables whose first comparison finds what it shall, of as many queries as `queries_needed` says:",
        format_table(["to find a", "comparisons", "power", "n", "succeeded"], power),
        "Pilots whose range, of 80 %, holds the true number of queries:",
        format_table(["pilot", "share"], ranges),
    ]
    return {"trust.md": "\n\n".join(tables)}


def show_searches(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of contenders and optimism: a quarter of the repeats where each takes long."""
    few = max(1, repeats // 4)
    queries = [f"{n} queries" for n in optimism.SIZES]
    above = ["best score", "corrected score", "coverage"]
    tables = [
        f"Of {few:,} searches those whose contenders hold the truly best, and how many of 24 these are:",
        format_table(["candidates", *queries], optimism.make_contender_rows(few, seed)),
        f"What searches among 50 claim above the truth, in standard errors, 300 queries; {repeats:,} where "
        f"candidates are equal, else {few:,}:",
        format_table(["candidates", "rho", "theory", *above], optimism.make_optimism_rows(repeats, seed)),
    ]
    return {"trust.md": "\n\n".join(tables)}


def show_choices(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of searches on data, with a seed for each hundred repeats: this takes long."""
    seeds = max(2, repeats // 100)
    head = ["data", "model", "seeds", "seconds: grid, halving", "NDCG@10 of grid", "halving"]
    claims = choices.make_claim_rows(choices.SEEDS, seed)
    tables = [
        "What is chosen of 40 candidates, by NDCG@10 on held-out queries, less what the grid search chooses:",
        format_table(head, choices.make_choice_rows(seeds, seed)),
        f"The best of 12 trees on the digits, NDCG@10, mean of {choices.SEEDS} draws:",
        format_table(["claim", "mean", "above held-out queries"], claims),
    ]
    return {"trust.md": "\n\n".join(tables)}


def show_sampled(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of metrics of sampled candidates: a twentieth of the repeats, of all users each."""
    few = max(2, repeats // 20)
    users = [f"{n:,} users" for n in sampled.SIZES]
    tables = [
        f"Means of three models over 10,000 users, and the share of {few:,} draws with the true order:",
        format_table(["metric", "method", *sampled.MODELS, *users], sampled.make_order_rows(few, seed)),
        "Recall@10 of one user, and its mean where the true one is .100, computed without draws:",
        format_table(["method", "deviation of a user", "expected mean"], sampled.make_figure_rows()),
    ]
    return {"trust.md": "\n\n".join(tables)}


def show_clicks(repeats: int, seed: int) -> dict[str, str]:
    """Return the tables of what clicks tell, all of one page."""
    values = clicks.make_value_rows(repeats, seed)
    tables = [
        f"DCG of {clicks.N_QUERIES} queries, of each of which {clicks.N_SESSIONS} lists were clicked, over "
        f"{repeats:,} logs:",
        format_table(["log of", "estimate", "truth", "mean", "bias (s.e.)"], values),
        "Propensities 1 / k of ten positions, relative bias at the position where it is clearest, and "
        "intervals of 95 % that hold the truth:",
        format_table(
            ["method", "queries", "logs", "bias (s.e.)", "least coverage", "mean coverage"],
            clicks.make_curve_rows(repeats, seed, clicks.CURVE_SIZES),
        ),
        "Intervals of 95 % over 200 queries that hold the true value, by propensities:",
        format_table(["value", "known", "estimated"], clicks.make_cover_rows(repeats, seed)),
    ]
    return {"trust.md": "\n\n".join(tables)}


SIMULATIONS = {
    "coverage": show_coverage,
    "comparisons": show_comparisons,
    "searches": show_searches,
    "choices": show_choices,
    "sampled": show_sampled,
    "clicks": show_clicks,
}

if __name__ == "__main__":
    main()
