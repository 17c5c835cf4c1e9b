"""``sklearn-rank metrics``: the table of metrics."""

from __future__ import annotations

import re
from typing import Any

from ._errors import DataError
from ._formats import write_table
from ._options import Parser, add_format

AVERAGED = re.compile(",? per (query|group), averaged over (queries|groups)|, averaged over (queries|groups)")
EXAMPLE = "sklearn-rank metrics relevant"


def run(words: list[str]) -> str:
    """Return what the command prints."""
    parser = Parser("metrics", "List the metrics, or those that a word finds.", EXAMPLE)
    parser.usage = "%(prog)s [WORD] [options]"
    parser.add_argument("word", nargs="?", default="", metavar="WORD", help="part of a name or of what it is")
    add_format(parser)
    args = parser.parse(words)
    from ..metrics import METRICS
    from ..reports import Table

    columns = {
        "name": [_write_name(metric) for metric in METRICS.values()],
        "what it is": [_describe(metric) for metric in METRICS.values()],
        "range": [f"{metric.lower:g} to {metric.upper:g}" for metric in METRICS.values()],
        "parameters": [
            ", ".join(each for each in metric.params if each != "k") for metric in METRICS.values()
        ],
        "function": [metric.name for metric in METRICS.values()],
    }
    rows = [row for row in zip(*columns.values()) if any(args.word.lower() in cell.lower() for cell in row)]
    if not rows:
        raise DataError(f"no metric is found by {args.word!r}; explain has names of other libraries")
    found: dict[str, list[str]] = dict(zip(columns, map(list, zip(*rows))))
    width = max(map(len, ("what it is", *found["what it is"])))
    texts = {name: found[name] for name in ("name", "range")}
    texts["what it is".ljust(width)] = [text.ljust(width) for text in found["what it is"]]
    return write_table(Table(found, texts), args.format)


def _write_name(metric: Any) -> str:
    """Write the name of a metric, with a cutoff where it has one."""
    name = f"{metric.prefix}{metric.stem}"
    return {"none": name, "optional": f"{name}[@k]", "required": f"{name}@k"}[metric.cutoff]


def _describe(metric: Any) -> str:
    """Return the first line of what is said of the function."""
    line = (metric.function.__doc__ or "").strip().split("\n")[0].rstrip(".")
    return AVERAGED.sub("", line)
