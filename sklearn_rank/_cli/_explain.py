"""``sklearn-rank explain``: what the metric of a name computes."""

from __future__ import annotations

from ._errors import options_at_fault
from ._options import Parser

EXAMPLE = "sklearn-rank explain trec_eval:map_cut_10"


def run(words: list[str]) -> str:
    """Return what the command prints."""
    parser = Parser("explain", "Say what the metric of a name computes, ours or another library's.", EXAMPLE)
    parser.usage = "%(prog)s NAME"
    parser.add_argument("name", metavar="NAME", help="such as ndcg@10, trec_eval:P_10 or ir_measures:AP")
    args = parser.parse(words)
    from ..metrics import explain

    with options_at_fault():
        return f"{explain(args.name)}\n"
