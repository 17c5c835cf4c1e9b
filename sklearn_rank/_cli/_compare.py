"""``sklearn-rank compare``: runs on the same queries, with tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._errors import DataError, UsageError, files_at_fault
from ._evaluate import make_report
from ._formats import write_table
from ._inputs import find_inputs, read_rows
from ._options import Parser, add_format, add_inputs, add_metrics, add_ties, check_metrics, needs_pool

if TYPE_CHECKING:
    from ..reports import Comparison, RankingReport

EXAMPLE = "sklearn-rank compare qrels.txt bm25.run dense.run --baseline bm25 -m ndcg@10"
TESTS = ("t", "randomization", "wilcoxon", "sign")
CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "max", "none")


def _make_parser() -> Parser:
    parser = Parser("compare", "Compare runs by tests that are paired over queries.", EXAMPLE)
    add_inputs(parser, "QRELS RUN RUN [RUN ...]")
    add_metrics(parser)
    add_ties(parser)
    add = parser.add_argument
    add("--baseline", metavar="RUN", help="the run that all others are compared with; default: all pairs")
    add("--test", choices=TESTS, default="t", help="default: the paired t test")
    add("--correction", choices=CORRECTIONS, default="holm", help="of p for their number; default: holm")
    add("--margin", type=float, metavar="D", help="a difference that does not matter")
    add("--confidence-level", type=float, default=0.95, metavar="P", help="of the intervals; default: 0.95")
    add("--drop-missing", action="store_true", help="leave out queries that a run lacks; see also -c")
    add(
        "--changes",
        type=int,
        metavar="N",
        help="list also up to N queries that got worse, and N that got better",
    )
    add("--seed", type=int, default=0, metavar="N", help="of the randomization test; default: 0")
    add_format(parser)
    return parser


def run_compare(words: list[str]) -> str:
    """Return what the command prints."""
    args = _make_parser().parse(words)
    inputs = find_inputs(args)
    if len(inputs.runs) < 2:
        raise UsageError("name the file of judgements and at least two runs")
    baseline = _find_baseline(args.baseline, inputs.runs)
    if args.correction == "max" and args.test != "randomization":
        raise UsageError("--correction max goes with --test randomization")
    metrics = check_metrics(args)
    if args.margin is not None and not args.margin > 0:
        raise UsageError(f"--margin must be a number above 0, got {args.margin}")
    if args.changes is not None and (args.changes < 1 or args.format != "table"):
        raise UsageError("--changes is a number from 1 on, and goes with --format table")
    reports = {
        rows.name: _leave_out_sizes(make_report(rows, inputs, metrics, args))
        for rows in read_rows(args, inputs, with_pool=needs_pool(metrics))
    }
    if not args.drop_missing:
        _check_queries(reports, inputs.runs)
    from ..reports import compare

    with files_at_fault({"reports": " ".join(inputs.runs.values())}):
        found = compare(
            reports,
            baseline=baseline,
            test=args.test,
            correction=None if args.correction == "none" else args.correction,
            margin=args.margin,
            confidence_level=args.confidence_level,
            missing="drop" if args.drop_missing else "raise",
            random_state=args.seed,
        )
    text = f"{found.to_latex()}\n" if args.format == "latex" else write_table(found.table(), args.format)
    return text if args.changes is None else "\n".join((text, *_list_changes(found, args.changes)))


def _list_changes(found: Comparison, n: int) -> Iterator[str]:
    """Yield tables of the queries that changed most, one for each comparison and metric."""
    couples = dict.fromkeys(zip(found.columns["system"].tolist(), found.columns["other"].tolist()))
    for metric in found.metrics:
        for system, other in couples:
            yield write_table(found.changes(metric, n, system=system, other=other), "table")


def _check_queries(reports: Mapping[str, RankingReport], runs: Mapping[str, str]) -> None:
    """Check that all runs have the same queries."""
    ids = {
        name: dict.fromkeys([] if each.ids is None else each.ids.tolist()) for name, each in reports.items()
    }
    for query in {query: None for of_run in ids.values() for query in of_run}:
        for name, of_run in ids.items():
            if query not in of_run:
                what = f"must have the query {query!r}, which another run has"
                raise DataError(
                    f"{runs[name]}: {what}: -c counts such queries, --drop-missing leaves them out"
                )


def _leave_out_sizes(report: RankingReport) -> RankingReport:
    """Return a report without the numbers of rows: runs have other documents of the same queries."""
    ids: Any = report.ids
    level = report.confidence_level
    return type(report).from_values(ids, report.values, n_relevant=report.n_relevant, confidence_level=level)


def _find_baseline(asked: str | None, runs: dict[str, str]) -> str | None:
    """Return the name of the run that is asked for by its name or its file."""
    if asked is None:
        return None
    found = [name for name, path in runs.items() if asked in (name, path)]
    if not found:
        raise UsageError(f"--baseline must be one of the runs, {', '.join(runs)}, got {asked!r}")
    return found[0]
