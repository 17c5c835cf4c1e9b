"""``sklearn-rank evaluate`` and ``ties``: metrics of runs with their judgements, and how ties change them."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from ._errors import PROGRAM, DataError, UsageError, options_at_fault
from ._formats import DECIMALS, stack, write_table
from ._inputs import Inputs, Rows, find_inputs, read_rows, rows_at_fault
from ._options import (
    Parser,
    add_format,
    add_inputs,
    add_metrics,
    add_ties,
    check_all_ties,
    check_metrics,
    list_options,
    needs_pool,
)

if TYPE_CHECKING:
    from ..reports import RankingReport, Table


EXAMPLE = "sklearn-rank evaluate qrels.txt bm25.run -m ndcg@10 -m map"


def run_evaluate(words: list[str]) -> str:
    """Return what the command prints."""
    parser = Parser(
        "evaluate", "Compute metrics of runs, or of other scores, with their judgements.", EXAMPLE
    )
    add_inputs(parser)
    add_metrics(parser, "repeated for several, ours or another library's, as trec_eval:map")
    add_ties(parser)
    add = parser.add_argument
    add("-q", dest="by_query", action="store_true", help="the values of each query too")
    add(
        "--by",
        metavar="FIELD",
        help="each segment of the queries by itself: a column of a table, or of --fields",
    )
    add("--fields", metavar="FILE", help="a table, .csv or .tsv, with a row per query, for --by")
    add(
        "--confidence-level", type=float, metavar="P", help="means with intervals of this level, such as 0.95"
    )
    add_format(parser, ("trec_eval",))
    args = parser.parse(words)
    if args.format == "trec_eval":
        return _print_as_trec_eval(args)
    if args.by_query and (args.by or args.confidence_level is not None):
        raise UsageError("-q goes without --by and --confidence-level")
    if args.fields and not args.by:
        raise UsageError("--fields goes with --by FIELD")
    inputs = find_inputs(args)
    metrics = check_metrics(args)
    if args.by_query:
        return write_table(_tabulate_queries(args, inputs, metrics), args.format)
    if args.by or args.confidence_level is not None:
        return write_table(_tabulate_reports(args, inputs, metrics), args.format)
    return write_table(_tabulate_means(args, inputs, metrics), args.format)


def _score(rows: Rows, inputs: Inputs, metrics: list[str], args: Namespace, average: Any) -> dict[str, Any]:
    from ..metrics import ranking_scores

    with rows_at_fault(rows, inputs, args):
        return ranking_scores(
            rows.y_true,
            rows.y_score,
            groups=rows.queries,
            metrics=metrics,
            average=average,
            strata=rows.strata,
            **list_options(args),
        )


def _tabulate_means(args: Namespace, inputs: Inputs, metrics: list[str]) -> Table:
    """Return a row a metric and a column a run."""
    from ..reports import Table

    columns: dict[str, list[Any]] = {"metric": list(metrics)}
    counts = {}
    for rows in read_rows(args, inputs, with_pool=needs_pool(metrics)):
        columns[rows.name] = list(_score(rows, inputs, metrics, args, "macro").values())
        counts[rows.name] = len(rows.starts)
    texts = {name: [f"{each:.{DECIMALS}f}" for each in columns[name]] for name in counts}
    return Table(columns, {"metric": list(metrics), **texts}, _write_counts(counts))


def _tabulate_queries(args: Namespace, inputs: Inputs, metrics: list[str]) -> Table:
    """Return a row a query, and one of all, with a column a metric."""
    from ..reports import Table

    tables = {}
    for rows in read_rows(args, inputs, with_pool=needs_pool(metrics)):
        values = _score(rows, inputs, metrics, args, None)
        means = _score(rows, inputs, metrics, args, "macro")
        ids = [*rows.ids.tolist(), "all"]
        columns = {"query": ids, **{name: [*values[name].tolist(), means[name]] for name in metrics}}
        texts = {name: [f"{each:.{DECIMALS}f}" for each in columns[name]] for name in metrics}
        caption = _write_counts({rows.name: len(ids) - 1})
        tables[rows.name] = Table(columns, {"query": list(map(str, ids)), **texts}, caption)
    return stack(tables)


def _tabulate_reports(args: Namespace, inputs: Inputs, metrics: list[str]) -> Table:
    """Return means with intervals: of all queries, or of each segment."""
    tables = {}
    for rows in read_rows(args, inputs, with_pool=needs_pool(metrics)):
        report = make_report(rows, inputs, metrics, args)
        tables[rows.name] = report.table()
        if args.by:
            fields = {str(query): label for query, label in (rows.fields or {}).items()}
            found = [] if report.ids is None else report.ids.tolist()
            ids = list(map(str, found))
            lacking = [each for each in ids if each not in fields]
            if lacking:
                where = args.fields or inputs.qrels
                raise DataError(
                    f"{where}: must have a label for each query of --by, got none for {lacking[0]!r}"
                )
            tables[rows.name] = report.by(dict(zip(found, map(fields.get, ids)))).table()
    return stack(tables)


def make_report(rows: Rows, inputs: Inputs, metrics: list[str], args: Namespace) -> RankingReport:
    """Return the report of a run."""
    from ..inspection import evaluate
    from ..metrics import build_requests, check_kept
    from ..reports import check_level

    level = 0.95 if args.confidence_level is None else args.confidence_level
    with options_at_fault():
        check_level(level, "evaluate")
        requests = build_requests("evaluate", metrics, list_options(args))
        check_kept([request.rules.average for request in requests], "evaluate")
    with rows_at_fault(rows, inputs, args):
        return evaluate(
            rows.y_true,
            rows.y_score,
            groups=rows.groups,
            metrics=metrics,
            confidence_level=level,
            strata=rows.strata,
            **list_options(args),
        )


def _write_counts(counts: dict[str, int]) -> str:
    """Write how many queries means are over."""
    words = {name: "1 query" if n == 1 else f"{n} queries" for name, n in counts.items()}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return ", ".join(f"{name}: {text}" for name, text in words.items())


# ---------------------------------------------------------------------------- trec_eval


def _print_as_trec_eval(args: Namespace) -> str:
    """Print what trec_eval prints."""
    from ._trec_measures import list_missing, read_measures

    for option in ("by", "fields", "confidence_level"):
        if getattr(args, option) is not None:
            raise UsageError(f"--{option.replace('_', '-')} goes without --format trec_eval")
    if args.ties != "average" or args.gain != "linear":
        raise UsageError("--ties and --gain go without --format trec_eval, which has its own")
    if args.min_relevance % 1 != 0:  # trec_eval truncates it
        raise UsageError(f"-l must be an integer with --format trec_eval, got {args.min_relevance:g}")
    asked = read_measures(args.metrics)
    inputs = find_inputs(args)
    if len(inputs.runs) > 1:
        raise UsageError("--format trec_eval takes the file of judgements and 1 run")
    from ._trec_values import evaluate_run, print_values

    values, tag = evaluate_run(args, inputs, asked)
    text = print_values(values, asked, tag, args.by_query)
    missing = list_missing(args.metrics)
    if missing:
        print(f"{PROGRAM}: not computed here: {', '.join(missing)}", file=sys.stderr)
    return text


RULES = ("worst", "average", "best", "order")


def run_ties(words: list[str]) -> str:
    """Return what the command prints."""
    parser = Parser(
        "ties",
        "Show how much a value depends on the order of tied documents.",
        "sklearn-rank ties qrels.txt bm25.run -m ndcg@10",
    )
    add_inputs(parser)
    add_metrics(parser)
    add_format(parser)
    args = parser.parse(words)
    inputs = find_inputs(args)
    metrics = check_metrics(args)
    check_all_ties(metrics)
    from ..metrics import tie_report
    from ..reports import Table

    tables = {}
    for rows in read_rows(args, inputs):
        with rows_at_fault(rows, inputs, args):
            given = rows.y_true, rows.y_score
            found = tie_report(*given, groups=rows.queries, metrics=metrics, **list_options(args))
        numbers = {rule: [found.metrics[name][rule] for name in metrics] for rule in RULES}
        texts = {rule: [f"{each:.{DECIMALS}f}" for each in numbers[rule]] for rule in RULES}
        shares = (
            f"{found.tied_queries:.1%} of the queries have ties, {found.tied_documents:.1%} of the documents."
        )
        note = shares if len(inputs.runs) == 1 else f"{rows.name}: {shares}"
        tables[rows.name] = Table({"metric": metrics, **numbers}, {"metric": metrics, **texts}, "", (note,))
    return write_table(stack(tables), args.format)
