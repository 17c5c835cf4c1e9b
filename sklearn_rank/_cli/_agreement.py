"""The command ``rbo``: how much two runs agree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ._command_options import Parser, add_format, read_count
from ._files import cached, open_file, show
from ._formats import tabulate, write_table
from ._inputs import name_by_tags
from ._usage_errors import UsageError, files_at_fault, options_at_fault

if TYPE_CHECKING:
    from .._checks.types import Options


def run_rbo(words: list[str]) -> str:
    """Return the output of the command."""
    parser = Parser(
        "rbo",
        "Compute how much two runs agree, without judgments: rank-biased overlap (RBO) and the share of "
        "common documents (overlap) of the top K. Queries of only one run are excluded.",
        "sklearn-rank rbo bm25.run dense.run -k 10",
    )
    parser.usage = "%(prog)s RUN RUN [options]"
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="RUN RUN")
    add("-k", type=read_count, default=10, metavar="K", help="compare the top K documents; default: 10")
    text = "factor by which the weight in RBO decreases from rank to rank; default: 0.9"
    add("-p", type=float, default=0.9, metavar="P", help=text)
    add("-q", dest="by_query", action="store_true", help="print the values of each query too")
    add_format(parser)
    args = parser.parse_intermixed_args(words)
    if len(args.files) != 2 or args.files[0] == args.files[1]:
        raise UsageError(f"rbo requires exactly two different runs, got {' '.join(args.files) or 'none'}")
    if not 0 < args.p < 1:
        raise UsageError(f"-p must be a number above 0 and below 1, got {args.p:g}")
    from ..datasets import from_two_runs
    from ..metrics import overlap_at_k_score, rbo_score
    from ..reports import count_queries

    cached.clear()
    names = name_by_tags(args.files)
    shown = dict(zip(("run_a", "run_b"), map(show, args.files)))
    with files_at_fault(shown), open_file(args.files[0]) as one, open_file(args.files[1]) as other:
        *scores, groups = from_two_runs(one, other)
    given: Options = {"groups": groups, "k": args.k}
    metrics = f"rbo@{args.k}", f"overlap@{args.k}"
    values = []
    for average in (None, "macro"):
        given["average"] = average
        with options_at_fault():
            values.append((rbo_score(*scores, p=args.p, **given), overlap_at_k_score(*scores, **given)))
    ids = groups[[True, *(groups[1:] != groups[:-1])]].tolist()
    caption = f"{count_queries(len(ids))}, {names[0]} and {names[1]}, p={args.p:g}"
    if args.by_query:
        columns = {name: [*each.tolist(), mean] for name, each, mean in zip(metrics, *values)}
        return write_table(tabulate({"query": [*ids, "all"], **columns}, caption), args.format)
    table = tabulate({"metric": list(metrics), "mean": list(values[1])}, caption)
    return write_table(replace(table, columns={**table.columns, "queries": [len(ids)] * 2}), args.format)
