"""``sklearn-rank evaluate``: metrics of runs with their judgements."""

from __future__ import annotations

from argparse import Namespace

from ._errors import UsageError
from ._inputs import read_rows
from ._options import Parser, add_inputs

FORMATS = ("table", "csv", "json", "markdown", "latex", "trec_eval")
EXAMPLE = "sklearn-rank evaluate qrels.txt bm25.run -m ndcg@10 -m map"


def run(words: list[str]) -> str:
    """Return what the command prints."""
    parser = Parser(
        "evaluate", "Compute metrics of runs, or of other scores, with their judgements.", EXAMPLE
    )
    add_inputs(parser)
    parser.add_argument("-m", dest="metrics", action="append", metavar="NAME", default=[], help="a metric")
    parser.add_argument("-q", dest="by_query", action="store_true", help="the values of each query too")
    parser.add_argument("--format", choices=FORMATS, default="table", help="of the output; default: table")
    args = parser.parse(words)
    return _print_as_trec_eval(args)


def _print_as_trec_eval(args: Namespace) -> str:
    from ._trec_measures import read_measures

    asked = read_measures(args.metrics)
    if len(args.files) != 2:
        raise UsageError("--format trec_eval takes the file of judgements and one run")
    (rows,) = read_rows(args)
    from ._trec_print import print_values
    from ._trec_values import compute_values

    values = compute_values(rows, asked, args.min_relevance, args.complete, args.judged_only)
    return print_values(values, asked, rows.tag, args.by_query)
