"""``sklearn-rank plot``: a picture of runs."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ._command_options import (
    Parser,
    add_inputs,
    check_all_ties,
    check_metrics,
    list_options,
    needs_pool,
    read_count,
)
from ._evaluate import make_report
from ._inputs import RunRows, find_inputs, read_rows
from ._usage_errors import DataError, UsageError, files_at_fault

EXAMPLE = "sklearn-rank plot qrels.txt bm25.run dense.run -m ndcg -o ndcg.png"
KINDS = {
    "cutoffs": "a metric at every cutoff",
    "queries": "how a metric is distributed over queries",
    "difference": "the queries of two runs, one less the other",
    "ties": "what the order of tied documents may change, of one run",
    "recall": "precision at levels of recall",
}


def run_plot(words: list[str]) -> str:
    """Draw a picture into a file; nothing is printed."""
    parser = Parser("plot", "Draw a picture of runs.", EXAMPLE)
    add_inputs(parser)
    kinds = "; ".join(f"{name}: {text}" for name, text in KINDS.items())
    add = parser.add_argument
    add("-o", dest="output", required=True, metavar="FILE", help="the picture: .png, .svg or .pdf")
    add("--kind", choices=tuple(KINDS), default="cutoffs", help=f"{kinds}; default: cutoffs")
    add("-m", dest="metrics", action="append", metavar="NAME", help="the metric; default: ndcg")
    add("--max-k", type=read_count, metavar="K", help="the last cutoff")
    parser.set_defaults(gain="linear", ties="average", confidence_level=None)
    args = parser.parse_intermixed_args(words)
    args.metrics = args.metrics or ["ndcg"]
    find_inputs(args)
    n_runs = {"difference": 2, "ties": 1}.get(args.kind, len(args.runs))
    if len(args.runs) != n_runs:
        runs = f"{n_runs} run{'s' * (n_runs > 1)}"
        raise UsageError(f"--kind {args.kind} takes the file of judgements and {runs}")
    if len(args.metrics) > 1 and args.kind != "ties":
        raise UsageError(f"--kind {args.kind} takes one -m")
    metrics = _check_curve(args.metrics) if args.kind == "cutoffs" else check_metrics(args)
    if args.kind == "ties":
        check_all_ties(metrics)
    axes = _open_axes(args.output)
    with_pool = args.kind != "cutoffs" and needs_pool(metrics)
    found = list(read_rows(args, with_pool=with_pool))
    with files_at_fault({"y_true": args.qrels, "y_score": " ".join(args.runs.values())}):
        _draw(args, found, metrics, axes)
    with files_at_fault({"output": args.output}):
        axes.figure.savefig(args.output)
    return ""


def _check_curve(metrics: list[str]) -> list[str]:
    """Return the metric, which is drawn over its cutoffs."""
    from ..metrics import CURVE_STEMS

    if metrics[0] not in CURVE_STEMS:
        known = ", ".join(CURVE_STEMS)
        raise UsageError(f"--kind cutoffs draws -m {known}, at each cutoff to --max-k, got {metrics[0]!r}")
    return metrics


def _open_axes(output: str) -> Any:
    """Open a picture that no window shows."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise DataError("pictures are drawn by matplotlib: pip install sklearn-rank[plots]") from error
    figure = Figure(layout="constrained")
    ending = output.rpartition(".")[2].lower()
    known = FigureCanvasAgg(figure).get_supported_filetypes()
    if "." not in output or ending not in known:
        raise UsageError(f"-o must end with .{', .'.join(sorted(known))}, got {output!r}")
    return figure.add_subplot()


def _draw(args: Namespace, runs: list[RunRows], metrics: list[str], axes: Any) -> None:
    from ..inspection import (
        InterpolatedPrecisionDisplay,
        MetricAtKDisplay,
        MetricDistributionDisplay,
        QueryDifferenceDisplay,
        TieRangeDisplay,
    )

    options = list_options(args)
    options.pop("gain")
    ties = options.pop("ties")
    if args.kind in ("queries", "difference"):
        reports = {rows.name: make_report(rows, metrics, args) for rows in runs}
        if args.kind == "queries":
            MetricDistributionDisplay.from_reports(reports, metrics[0], ax=axes)
        else:
            one, other = reports.values()
            QueryDifferenceDisplay.from_reports(one, other, metrics[0], names=list(reports), ax=axes)
        return
    for rows in runs:
        given: Any = {"groups": rows.groups, "name": rows.name, "ax": axes}
        given |= {"y_true": rows.y_true, "y_score": rows.y_score}
        if args.kind == "ties":
            TieRangeDisplay.from_predictions(metrics=metrics, **given, **options)
        elif args.kind == "recall":
            InterpolatedPrecisionDisplay.from_predictions(n_queries=0, **given, **options)
        else:
            others = {"min_relevance": args.min_relevance} if metrics[0] != "ndcg" else None
            given |= {"unjudged": options["unjudged"], "ties": ties, "options": others}
            MetricAtKDisplay.from_predictions(metric=metrics[0], max_k=args.max_k, **given)
