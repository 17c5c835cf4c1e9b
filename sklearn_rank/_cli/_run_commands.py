"""The commands on runs: ``evaluate``, ``ties`` and ``plot``."""

from __future__ import annotations

import sys
from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._checks.outputs import replace_file
from ._command_options import (
    Parser,
    add_format,
    add_inputs,
    add_metrics,
    add_model_labels,
    add_ties,
    check_all_ties,
    check_metrics,
    list_needs,
    list_options,
    read_count,
)
from ._formats import stack, tabulate, write_table
from ._inputs import RunRows, find_inputs, read_rows, rows_at_fault
from ._usage_errors import PROGRAM, DataError, UsageError, files_at_fault

LIKE_TREC_EVAL = """-q, -c, -l, -M and -J are those of trec_eval. With --format trec_eval, -m takes its names,
such as -m P.5,10, and the output is the same; with other formats, write -m trec_eval:P_5. Its -R and -T are
--input, its -h is --help. Its -n, -N, -D and -Z have no equivalent."""

if TYPE_CHECKING:
    from .._checks.types import Axes, Options
    from ..reports import RankingReport
    from ._formats import Shown


def run_evaluate(words: list[str]) -> str:
    """Return the output of the command."""
    example = "sklearn-rank evaluate qrels.txt bm25.run -m ndcg@10 -m map"
    parser = Parser("evaluate", "Compute metrics of runs or of other scores.", example, LIKE_TREC_EVAL)
    add_inputs(parser)
    add_metrics(parser, "repeat the option for several; names of other libraries such as trec_eval:map too")
    add_ties(parser)
    add = parser.add_argument
    add("-q", dest="by_query", action="store_true", help="print the values of each query too")
    add("--by", metavar="FIELD", help="report segments of queries: a column of a table, or of --fields")
    add("--fields", metavar="FILE", help="a .csv or .tsv table with one row per query, for --by")
    add("--confidence-level", type=float, metavar="P", help="add confidence intervals, for example 0.95")
    add_model_labels(parser)
    rounding = "with --format trec_eval: the version, for recall levels and scores; default: trec_eval_9"
    add("--rounding", choices=("trec_eval_9", "trec_eval_10"), default=None, help=rounding)
    add_format(parser, ("trec_eval",))
    args = parser.parse_intermixed_args(words)
    if args.format == "trec_eval":
        return _print_as_trec_eval(args)
    if args.rounding:
        raise UsageError("--rounding requires --format trec_eval")
    if args.by_query and (args.by or args.confidence_level is not None):
        raise UsageError("-q cannot be combined with --by or --confidence-level")
    if args.model_labels and (args.by_query or args.by):
        raise UsageError("--model-labels cannot be combined with -q or --by")
    if args.fields and not args.by:
        raise UsageError("--fields requires --by FIELD")
    find_inputs(args)
    metrics = check_metrics(args)
    make = _tabulate_queries if args.by_query else _tabulate_means
    if args.by or args.model_labels or args.confidence_level is not None:
        make = _tabulate_reports
    return write_table(make(args, metrics), args.format)


def _score(rows: RunRows, metrics: list[str], args: Namespace, average: object) -> Options:
    from ..metrics import ranking_scores

    options = list_options(args) | {"average": average, "strata": rows.strata, "intents": rows.intents}
    with rows_at_fault(rows, args):
        return ranking_scores(rows.y_true, rows.y_score, groups=rows.queries, metrics=metrics, **options)


def _tabulate_means(args: Namespace, metrics: list[str]) -> Shown:
    """Return a table with one row per metric and one column per run, or one row per run if it is too wide."""
    from .._checks.errors import WIDTH

    columns: dict[str, list[Any]] = {"metric": metrics}
    counts = {}
    for rows in read_rows(args, **list_needs(metrics)):
        columns[rows.name] = list(_score(rows, metrics, args, "macro").values())
        counts[rows.name] = len(rows.starts)
    table = tabulate(columns, _write_counts(counts))
    if args.format in ("csv", "json"):  # others show the caption
        with_counts = {name: [*cells, counts.get(name, "queries")] for name, cells in columns.items()}
        return replace(table, columns=with_counts)
    if args.format != "table" or max(map(len, str(table).splitlines())) <= WIDTH:
        return table
    by_run = {metric: values for metric, *values in zip(*columns.values())}
    return tabulate({"run": list(counts), **by_run}, table.caption)


def _tabulate_queries(args: Namespace, metrics: list[str]) -> Shown:
    """Return a table with one row per query and one for all queries, and one column per metric."""
    tables = {}
    for rows in read_rows(args, **list_needs(metrics)):
        values = _score(rows, metrics, args, None)
        means = _score(rows, metrics, args, "macro")
        ids = [*rows.ids.tolist(), "all"]
        columns = {"query": ids, **{name: [*values[name].tolist(), means[name]] for name in metrics}}
        tables[rows.name] = tabulate(columns, _write_counts({rows.name: len(ids) - 1}))
    return stack(tables)


def _tabulate_reports(args: Namespace, metrics: list[str]) -> Shown:
    """Return means with intervals, over all queries or by segment."""
    tables: dict[str, Shown] = {}
    for rows in read_rows(args, **list_needs(metrics)):
        report = make_report(rows, metrics, args)
        tables[rows.name] = report
        if args.by:
            fields = rows.fields or {}
            ids = rows.ids if report.ids is None else report.ids
            labels = {query: fields.get(str(query)) for query in ids.tolist()}
            missing = [str(query) for query, label in labels.items() if label is None]
            if missing:
                rule = f"must have a label ({args.by}) for each query, got none for {missing[0]!r}"
                raise DataError(f"{args.fields or args.qrels}: {rule}")
            tables[rows.name] = report.by(labels)
    return stack(tables)


def make_report(rows: RunRows, metrics: list[str], args: Namespace) -> RankingReport:
    """Return the report of a run, with the labels of a model if there is a file of them."""
    from ..inspection import evaluate

    level = 0.95 if args.confidence_level is None else args.confidence_level
    options = list_options(args) | {"confidence_level": level, "strata": rows.strata, "intents": rows.intents}
    with rows_at_fault(rows, args):
        report = evaluate(rows.y_true, rows.y_score, groups=rows.groups, metrics=metrics, **options)
    path = getattr(args, "model_labels", None)
    if path is None:
        return report
    runs = {rows.name: args.runs[rows.name]}
    of_model = Namespace(**{**vars(args), "qrels": path, "runs": runs, "model_labels": None})
    (labeled,) = read_rows(of_model, **list_needs(metrics))
    _check_documents(rows, labeled, args)
    model_report = make_report(labeled, metrics, of_model)
    with files_at_fault({"model_report": path}):
        return report.with_model_labels(model_report)


def _check_documents(rows: RunRows, labeled: RunRows, args: Namespace) -> None:
    """Check that people did not label only some documents of each query."""
    by_people, by_model = (dict(zip(of.ids.tolist(), of.unjudged.tolist())) for of in (rows, labeled))
    if by_people and all(n > by_model.get(query, n) for query, n in by_people.items()):
        fact = "must label all documents of a query, got fewer for each query than in"
        fix = "Label fewer queries completely, or pass -M N if people labeled the top N"
        raise DataError(f"{args.qrels}: {fact} {args.model_labels}. {fix}")


def _write_counts(counts: dict[str, int]) -> str:
    from ..reports import count_queries

    words = {name: count_queries(n) for name, n in counts.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{name}: {text}" for name, text in words.items())


# ---------------------------------------------------------------------------- trec_eval


def _print_as_trec_eval(args: Namespace) -> str:
    from ._trec_measures import MISSING, read_measures

    for option in ("by", "fields", "confidence_level", "model_labels"):
        if getattr(args, option) is not None:
            raise UsageError(f"--{option.replace('_', '-')} cannot be combined with --format trec_eval")
    if args.ties != "average" or args.gain != "linear":
        raise UsageError("--ties and --gain cannot be combined with --format trec_eval, which fixes both")
    if args.min_relevance % 1 != 0:  # trec_eval would truncate it
        raise UsageError(f"-l must be an integer with --format trec_eval, got {args.min_relevance:g}")
    chosen = read_measures(args.metrics, args.judged_only)
    find_inputs(args)
    if len(args.runs) > 1:
        raise UsageError(f"--format trec_eval requires exactly one run, got {len(args.runs)} runs")
    from ._trec_values import evaluate_run, print_values

    values, tag = evaluate_run(args, chosen)
    text = print_values(values, chosen, tag, args.by_query)
    if "all_trec" in args.metrics:
        print(f"{PROGRAM}: all_trec omits unsupported measures: {', '.join(MISSING)}", file=sys.stderr)
    return text


RULES = {"worst": "worst", "average": "average", "best": "best", "order": "id order"}  # with their headers


def run_ties(words: list[str]) -> str:
    """Return the output of the command."""
    parser = Parser(
        "ties",
        "Show how metrics depend on the order of tied documents.",
        "sklearn-rank ties qrels.txt bm25.run -m ndcg@10",
    )
    add_inputs(parser)
    add_metrics(parser)
    add_format(parser)
    args = parser.parse_intermixed_args(words)
    find_inputs(args)
    metrics = check_metrics(args)
    check_all_ties(metrics)
    from ..metrics import tie_report

    tables = {}
    for rows in read_rows(args):
        with rows_at_fault(rows, args):
            given = rows.y_true, rows.y_score
            found = tie_report(*given, groups=rows.queries, metrics=metrics, **list_options(args))
        numbers = {rule: [found.metrics[name][rule] for name in metrics] for rule in RULES}
        shares = str(found).splitlines()[-1]
        note = shares if len(args.runs) == 1 else f"{rows.name}: {shares}"
        table = tabulate(
            {"metric": metrics, **numbers}, _write_counts({rows.name: len(rows.starts)}), (note,)
        )
        texts = {RULES.get(name, name): cells for name, cells in table.texts.items()}
        columns = {**table.columns, "queries": [len(rows.starts)] * len(metrics)}
        tables[rows.name] = replace(table, columns=columns, texts=texts)
    return write_table(stack(tables), args.format)


# ---------------------------------------------------------------------------- plot

KINDS = {
    "cutoffs": "a metric over the cutoff",
    "queries": "the distribution of a metric over queries",
    "difference": "the difference of two runs for each query",
    "ties": "the range of metrics over the orders of tied documents, for one run",
    "recall": "precision at levels of recall",
}


def run_plot(words: list[str]) -> str:
    """Save a figure to a file, and return no output."""
    example = "sklearn-rank plot qrels.txt bm25.run dense.run -m ndcg -o ndcg.png"
    parser = Parser("plot", "Plot metrics of runs.", example)
    add_inputs(parser)
    kinds = "; ".join(f"{name}: {text}" for name, text in KINDS.items())
    add = parser.add_argument
    add("-o", dest="output", required=True, metavar="FILE", help="the figure: .png, .svg or .pdf")
    add("--kind", choices=tuple(KINDS), default="cutoffs", help=f"{kinds}; default: cutoffs")
    add("-m", dest="metrics", action="append", metavar="NAME", help="the metric; default: ndcg")
    add(
        "--max-k",
        type=read_count,
        metavar="K",
        help="the largest cutoff; default: the length of the longest run",
    )
    parser.set_defaults(gain="linear", ties="average", confidence_level=None)
    args = parser.parse_intermixed_args(words)
    args.metrics = args.metrics or ["ndcg"]
    find_inputs(args)
    from ..metrics import CURVE_STEMS

    n_runs = {"difference": 2, "ties": 1}.get(args.kind, len(args.runs))
    if len(args.runs) != n_runs:
        runs = f"{n_runs} run{'s' * (n_runs > 1)}"
        raise UsageError(f"--kind {args.kind} requires exactly {runs}, got {len(args.runs)}")
    if len(args.metrics) > 1 and args.kind != "ties":
        raise UsageError(f"--kind {args.kind} requires exactly one -m, got {len(args.metrics)}")
    if args.kind != "cutoffs":
        metrics = check_metrics(args)
    elif (metrics := args.metrics)[0] not in CURVE_STEMS:
        rule = f"-m must be one of {', '.join(CURVE_STEMS)}, without a cutoff, for --kind cutoffs"
        raise UsageError(f"{rule}, got {metrics[0]!r}. Set the largest cutoff by --max-k")
    if args.kind == "ties":
        check_all_ties(metrics)
    axes = _open_axes(args.output)
    found = list(read_rows(args, **list_needs(metrics if args.kind != "cutoffs" else [])))
    with files_at_fault({"y_true": args.qrels, "y_score": " ".join(args.runs.values())}):
        _draw(args, found, metrics, axes)
    with files_at_fault({"output": args.output}), replace_file(args.output) as file:
        axes.figure.savefig(file, format=args.output.rpartition(".")[2].lower())
    return ""


def _open_axes(output: str) -> Any:
    """Create axes without a window."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise DataError("plot requires matplotlib: pip install 'sklearn-rank[plots]'") from error
    figure = Figure(layout="constrained")
    known = FigureCanvasAgg(figure).get_supported_filetypes()
    if "." not in output or output.rpartition(".")[2].lower() not in known:
        raise UsageError(f"-o must end with one of .{', .'.join(sorted(known))}, got {output!r}")
    return figure.add_subplot()


def _draw(args: Namespace, runs: list[RunRows], metrics: list[str], axes: Axes) -> None:
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
            if args.drop_missing and len({frozenset(rows.ids.tolist()) for rows in runs}) > 1:
                fix = "Leave out --drop-missing: queries that a run lacks then count as empty lists"
                raise UsageError(f"--kind difference requires the same queries in both runs. {fix}")
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
            max_k = args.max_k or max(each.longest for each in runs) or None
            MetricAtKDisplay.from_predictions(metric=metrics[0], max_k=max_k, **given)
