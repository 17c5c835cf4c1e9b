"""``sklearn-rank metrics`` and ``explain``: the table of metrics, and the definition of one."""

from __future__ import annotations

import re
from typing import Any

from ._command_options import Parser, add_format
from ._formats import write_table
from ._usage_errors import DataError, options_at_fault

# Parts of summaries that the table leaves out.
AVERAGED = re.compile("^Compute (the )?|( per group)?, averaged over (queries|groups)| over queries$")
EXAMPLE = "sklearn-rank metrics trec_eval"


def run_metrics(words: list[str]) -> str:
    """Return the output of the command."""
    parser = Parser("metrics", "List metrics, or those that a word finds, of other libraries too.", EXAMPLE)
    parser.usage = "%(prog)s [WORD] [options]"
    what = "part of a name, or of what the metric is"
    parser.add_argument("word", nargs="?", default="", metavar="WORD", help=what)
    add_format(parser)
    args = parser.parse_intermixed_args(words)
    from ..reports import Table

    rows = _find_rows(args.word.lower())
    if not rows:
        raise DataError(f"no metric is found by {args.word!r}")
    found: dict[str, list[str]] = {key: [row[key] for row in rows] for key in rows[0]}
    width = max(map(len, ("what it is", *found["what it is"])))
    texts = {name: found[name] for name in ("name", "range")}
    texts["what it is".ljust(width)] = [text.ljust(width) for text in found["what it is"]]
    return write_table(Table(found, texts), args.format)


def _find_rows(word: str) -> list[dict[str, str]]:
    """Return rows about our metrics, and about those of other libraries whose names contain a word."""
    from ..metrics import METRICS, list_names, parse_name

    ours = [metric for metric in METRICS.values() if not metric.needs]
    rows = [_write_row(_write_name(metric), metric, _describe(metric)) for metric in ours]
    rows = [row for row in rows if any(word in cell.lower() for cell in row.values())]
    theirs = [(name, what) for name, what in list_names().items() if word and word in name.lower()]
    return rows + [_write_row(name, parse_name(name)[0], what) for name, what in theirs]


def _write_row(name: str, metric: Any, what: str) -> dict[str, str]:
    return {
        "name": name,
        "what it is": what,
        "range": f"{metric.lower:g} to {metric.upper:g}",
        "parameters": ", ".join(each for each in metric.params if each != "k"),
        "function": metric.name,
    }


def _write_name(metric: Any) -> str:
    """Return the name of a metric, with a cutoff if it takes one."""
    name = f"{metric.prefix}{metric.stem}"
    return {"none": name, "optional": f"{name}[@k]", "required": f"{name}@k"}[metric.cutoff]


def _describe(metric: Any) -> str:
    """Return what the function computes, from the first line of its docstring."""
    summary = AVERAGED.sub("", (metric.function.__doc__ or "").strip().split("\n")[0].rstrip("."))
    return summary[:1].upper() + summary[1:]


def run_explain(words: list[str]) -> str:
    """Return the output of the command."""
    parser = Parser(
        "explain",
        "Say what the metric of a name computes, ours or another library's.",
        "sklearn-rank explain trec_eval:map_cut_10",
    )
    parser.usage = "%(prog)s NAME"
    parser.add_argument("name", metavar="NAME", help="such as ndcg@10, trec_eval:P_10 or ir_measures:AP")
    args = parser.parse_intermixed_args(words)
    from ..metrics import explain

    with options_at_fault():
        return f"{explain(args.name)}\n"
