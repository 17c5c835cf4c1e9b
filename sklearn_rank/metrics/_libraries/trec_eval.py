"""trec_eval, as pytrec_eval and its C code up to version 9 have it."""

from collections.abc import Mapping
from typing import Any

from ... import conventions
from . import formulas
from .table import (
    ALL_RETRIEVED,
    NEEDED,
    NOT_BUILT,
    OF_POOLS,
    UNDERSCORED,
    WHOLE,
    Library,
    NoEquivalentError,
    Row,
    read_share,
)

PRESET = conventions.TREC_EVAL
CONVENTION: Mapping[str, Any] = {"ties": "order", "unjudged": "nonrelevant", "rounding": "trec_eval_9"}
COUNT = "counts of all queries are sums and no means; `sklearn-rank evaluate --format trec_eval` prints them"
GEOMETRIC: Mapping[str, Any] = {"average": "geometric"}
OF_PREFERENCES = "it is computed of preferences between documents, and not of grades"


def _read_multiple(number: str) -> dict[str, Any]:
    """Read a multiple of the number of relevant documents."""
    if float(number) == 0:
        raise ValueError
    if round(float(number) * 10, 6) % 1:
        raise NoEquivalentError("here the cutoff is rounded up, and there only from a tenth on")
    return {"multiple": float(number)}


ROWS = {
    "map": Row("map"),
    "map_cut": Row("map", PRESET["map"], "required"),
    "gm_map": Row("map", GEOMETRIC),
    "Rprec": Row("r_precision"),
    "Rprec_mult": Row(
        "r_precision",
        {"multiple": NEEDED},
        takes=("level",),
        example="Rprec_mult_0.20",
        params={"level": _read_multiple},
    ),
    "bpref": Row("bpref", PRESET["bpref"]),
    "gm_bpref": Row("bpref", {**PRESET["bpref"], **GEOMETRIC}),
    "recip_rank": Row("mrr"),
    "P": Row("precision", cutoff="required"),
    "recall": Row("recall", cutoff="required"),
    "ndcg": Row("ndcg"),
    "ndcg_cut": Row("ndcg", cutoff="required"),
    "success": Row("hit_rate", cutoff="required"),
    "relative_P": Row("recall", {"denominator": "achievable"}, "required"),
    "set_P": Row("precision", ALL_RETRIEVED),
    "set_recall": Row("recall", {"k": WHOLE}),
    "set_relative_P": Row(formulas.set_relative_precision),
    "set_map": Row(formulas.set_map),
    "set_F": Row(formulas.set_f),
    "11pt_avg": Row(
        formulas.interpolated_precision, {"recall_levels": tuple(level / 10 for level in range(11))}
    ),
    "iprec_at_recall": Row(formulas.interpolated_precision, takes=("level",), example="iprec_at_recall_0.10"),
}

TREC_EVAL = Library(
    "trec_eval",
    "9.0.8",
    UNDERSCORED,
    "{stem}_{k}",
    ROWS,
    without={
        **dict.fromkeys(["num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"], COUNT),
        "runid": "the name of a run is no number",
        **dict.fromkeys(["utility", "binG", "G", "ndcg_rel", "Rndcg", "yaap"], NOT_BUILT),
        "infAP": OF_POOLS,
        "relstring": "a list of grades is no number",
        **dict.fromkeys(["prefs_simp", "prefs_pair", "prefs_avgjg"], OF_PREFERENCES),
    },
    convention=CONVENTION,
    params={"level": lambda number: {"recall_levels": (read_share(number),)}},
    own={"min_relevance": None, "unjudged": ("drop",)},
    held="float32",
    notes=(
        "Equal scores stand in the order of the rows. trec_eval's own is that of document ids, from high to "
        "low, in which from_run and from_interactions put them.",
        "-l n is min_relevance=n and -J is unjudged='drop'; -c is queries='judged' and -M n is depth=n of "
        "from_run.",
        "Queries without a relevant document count 0.",
    ),
)
