"""The commands ``metrics``, which lists metrics, and ``explain``, which explains one."""

import re
from typing import Any

from ._command_options import Parser, add_format
from ._formats import write_table
from ._usage_errors import PROGRAM, DataError, options_at_fault

# Parts of summaries that the table omits.
AVERAGED = re.compile(
    "^Compute (the )?| over queries$"
    "|,?( (per|for each) (query|group))?(, averaged| and average (it|them)) over (queries|groups)"
)
EXAMPLE = "sklearn-rank metrics trec_eval"


def run_metrics(words: list[str]) -> str:
    """Return the output of the command."""
    parser = Parser("metrics", "List metrics. With WORD, search the metrics of all libraries.", EXAMPLE)
    parser.usage = "%(prog)s [WORD] [options]"
    text = "part of a name or a description"
    parser.add_argument("word", nargs="?", default="", metavar="WORD", help=text)
    add_format(parser)
    args = parser.parse_intermixed_args(words)
    from ..reports import Table

    rows = _find_rows(args.word.lower())
    if not rows:
        raise DataError(f"no metric matches {args.word!r}. Run {PROGRAM} metrics to list all")
    found: dict[str, list[str]] = {key: [row[key] for row in rows] for key in rows[0]}
    texts = {name: found[name] for name in ("name", "range", "description")}
    return write_table(Table(found, texts, left=("description",)), args.format)


def _find_rows(word: str) -> list[dict[str, str]]:
    """Return one row per metric of this package or name of another library that contains a word."""
    from ..metrics import METRICS, list_names, parse_name

    own = [metric for metric in METRICS.values() if metric.named and metric.needs in ((), ("intents",))]
    cutoffs = {"none": "", "optional": "[@k]", "required": "@k"}
    names = [f"{metric.prefix}{metric.stem}{cutoffs[metric.cutoff]}" for metric in own]
    rows = [_write_row(name, metric, _describe(metric)) for name, metric in zip(names, own)]
    rows = [row for row in rows if any(word in cell.lower() for cell in row.values())]
    foreign = [(name, text) for name, text in list_names().items() if word and word in name.lower()]
    return rows + [_write_row(name, parse_name(name)[0], text) for name, text in foreign]


def _write_row(name: str, metric: Any, description: str) -> dict[str, str]:
    return {
        "name": name,
        "description": description,
        "range": f"{metric.lower:g} to {metric.upper:g}",
        "parameters": ", ".join(each for each in metric.params if each not in ("k", "ties", "unjudged")),
        "function": metric.name,
    }


def _describe(metric: Any) -> str:
    """Return the first line of the function's docstring, without the words that all metrics share."""
    text = AVERAGED.sub("", (metric.function.__doc__ or "").strip().split("\n")[0].rstrip("."))
    return text[:1].upper() + text[1:]


def run_explain(words: list[str]) -> str:
    """Return the output of the command."""
    parser = Parser(
        "explain",
        "Explain the name of a metric of this package or of another library.",
        "sklearn-rank explain trec_eval:map_cut_10",
    )
    parser.usage = "%(prog)s NAME"
    parser.add_argument("name", metavar="NAME", help="for example ndcg@10, trec_eval:P_10 or ir_measures:AP")
    args = parser.parse_intermixed_args(words)
    from ..metrics import explain_with

    with options_at_fault():
        return f"{explain_with({'unjudged': 'nonrelevant'}, args.name)}\n"
