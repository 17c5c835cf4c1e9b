"""The commands ``compare``, with its exit codes for continuous integration, and ``queries-needed``."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from ._command_options import (
    Parser,
    add_format,
    add_inputs,
    add_metrics,
    add_model_labels,
    add_ties,
    check_metrics,
    list_needs,
    read_margin,
)
from ._formats import write_table
from ._inputs import find_inputs, name_runs, read_rows
from ._run_commands import make_report
from ._usage_errors import GateError, UsageError, files_at_fault, options_at_fault

if TYPE_CHECKING:
    from ..reports import Comparison

TESTS = ("auto", "t", "randomization", "wilcoxon", "sign")
FAILURE_CODES = {"worse": 3, "undecided": 4}
CORRECTIONS = ("auto", "holm", "bonferroni", "none")


def run_compare(words: list[str]) -> str:
    """Return the output of the command."""
    parser = Parser(
        "compare",
        "Compare runs with significance tests that are paired over queries.",
        "sklearn-rank compare qrels.txt bm25.run dense.run --baseline bm25",
    )
    add_inputs(parser, "QRELS RUN RUN [RUN ...]")
    add_metrics(parser)
    add_ties(parser)
    _add_pairs(parser)
    add = parser.add_argument
    add("--test", choices=TESTS, default="auto", help="significance test; default: auto, the paired t test")
    text = "the largest difference that does not matter; NAME=D sets it for one metric, and can be repeated"
    add("--margin", type=read_margin, action="append", default=[], metavar="D", help=text)
    text = "exit with 3 if a run is worse by more than the margin; with undecided, also with 4 if it might be"
    add("--fail-on", choices=tuple(FAILURE_CODES), help=text)
    level = "level of the confidence intervals; default: 0.95"
    add("--confidence-level", type=float, default=0.95, metavar="P", help=level)
    add("--changes", type=int, metavar="N", help="also list up to N queries that got worse, and N better")
    add_model_labels(parser)
    add("--seed", type=int, default=0, metavar="N", help="seed of the sign flips; default: 0")
    add_format(parser)
    args = parser.parse_intermixed_args(words)
    metrics = _check_runs("compare", args)
    if args.changes is not None and (args.changes < 1 or args.format != "table"):
        raise UsageError("--changes must be an integer >= 1, and requires --format table")
    margin = _choose_margin(args.margin, metrics)
    if args.fail_on:
        _check_gate(args)
    found = _compare_runs(args, metrics, margin)
    text = write_table(found, args.format)
    from ..reports import find_failure, list_couples

    for metric in found.metrics if args.changes is not None else ():
        for system, other in list_couples(found.columns):
            changes = found.changes(metric, args.changes, system=system, other=other)
            text = f"{text}\n{write_table(changes, 'table')}"
    with files_at_fault({"reports": " ".join(args.runs.values())}):
        outcome, sentence = find_failure(found, args.fail_on) if args.fail_on else ("", "")
    if outcome:
        raise GateError(sentence, text, FAILURE_CODES[outcome])
    return text


def run_queries_needed(words: list[str]) -> str:
    """Return the output of the command."""
    parser = Parser(
        "queries-needed",
        "Estimate how many queries show a difference between runs, from the queries of QRELS.",
        "sklearn-rank queries-needed qrels.txt bm25.run dense.run -m ndcg@10",
    )
    add_inputs(parser, "QRELS RUN RUN [RUN ...]")
    add_metrics(parser)
    add_ties(parser)
    _add_pairs(parser)
    aim = parser.add_mutually_exclusive_group().add_argument
    aim("--difference", type=float, metavar="D", help="the difference to detect; default: 0.01")
    text = "count the queries that show equal runs to be equivalent within D, instead of a difference"
    aim("--margin", type=float, metavar="D", help=text)
    parser.add_argument(
        "--power", type=float, default=0.8, metavar="P", help="probability of success; default: 0.8"
    )
    add_format(parser)
    parser.set_defaults(test="auto", confidence_level=0.95, seed=0)
    args = parser.parse_intermixed_args(words)
    found = _compare_runs(args, _check_runs("queries-needed", args), None)
    with options_at_fault():
        needed = found.queries_needed(args.difference, args.power, margin=args.margin)
    return write_table(needed, args.format)


def _add_pairs(parser: Parser) -> None:
    """Add the options for the pairs of runs to compare."""
    add = parser.add_argument
    add("--baseline", metavar="RUN", help="the run to compare all others with; default: compare all pairs")
    add("--correction", choices=CORRECTIONS, default="auto", help="for many comparisons; default: auto")


def _check_runs(command: str, args: Namespace) -> list[str]:
    """Return the metrics, after checking the files."""
    find_inputs(args)
    if len(args.runs) < 2:
        raise UsageError(f"{command} requires a file of judgments and at least two runs")
    return check_metrics(args)


def _compare_runs(args: Namespace, metrics: list[str], margin: float | dict[str, float] | None) -> Comparison:
    from ..reports import compare

    runs = read_rows(args, **list_needs(metrics))
    reports = {rows.name: make_report(rows, metrics, args) for rows in runs}
    paths = list(args.runs.values())
    names = {**dict(zip(name_runs(paths), args.runs)), **dict(zip(paths, args.runs))}  # by file
    names |= dict(zip(args.runs, args.runs))
    with files_at_fault({"reports": " ".join(paths)}):
        return compare(
            reports,
            baseline=names.get(args.baseline, args.baseline),
            test=args.test,
            correction=None if args.correction == "none" else args.correction,
            margin=margin,
            confidence_level=args.confidence_level,
            missing="drop" if args.drop_missing else "raise",
            random_state=args.seed,
        )


def _choose_margin(given: list[tuple[str, float]], metrics: list[str]) -> float | dict[str, float] | None:
    """Return the margin, or the margins by metric; a margin without a name applies to all other metrics."""
    by_name = dict(given)
    if len(by_name) < len(given):
        raise UsageError("--margin must be passed once for each metric, and once without a metric")
    for_all = by_name.pop("", None)
    if unknown := by_name.keys() - set(metrics):
        raise UsageError(f"--margin must name one of {', '.join(metrics)}, got {min(unknown)!r}")
    if not by_name:
        return for_all
    return by_name if for_all is None else dict.fromkeys(metrics, for_all) | by_name


def _check_gate(args: Namespace) -> None:
    """Check that the comparison can fail: it needs a direction and intervals."""
    if args.baseline is None and len(args.runs) > 2:
        raise UsageError(f"--fail-on requires --baseline RUN, got {len(args.runs)} runs without it")
    if args.test not in TESTS[:3]:
        raise UsageError(f"--fail-on requires --test {', '.join(TESTS[:2])} or {TESTS[2]}, got {args.test}")
