"""``sklearn-rank ties``: how much a value depends on the order of tied documents."""

from __future__ import annotations

from ._formats import DECIMALS, stack, write_table
from ._inputs import find_inputs, read_rows, rows_at_fault
from ._options import Parser, add_format, add_inputs, add_metrics, check_all_ties, check_metrics, list_options

EXAMPLE = "sklearn-rank ties qrels.txt bm25.run -m ndcg@10"
RULES = ("worst", "average", "best", "order")


def run(words: list[str]) -> str:
    """Return what the command prints."""
    parser = Parser("ties", "Show how much a value depends on the order of tied documents.", EXAMPLE)
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
