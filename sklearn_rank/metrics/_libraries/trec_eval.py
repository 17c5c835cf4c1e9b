"""trec_eval, as pytrec_eval and its C code up to version 9 have it."""

from ... import conventions
from ..._checks.types import Arguments, Options
from . import formulas
from .library_table import (
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
CONVENTION: Arguments = {"ties": "order", "unjudged": "nonrelevant", "rounding": "trec_eval_9"}
COUNT = "counts of all queries are sums and no means; `sklearn-rank evaluate --format trec_eval` prints them"
GEOMETRIC: Arguments = {"average": "geometric"}
OF_PREFERENCES = "it is computed of preferences between documents, and not of grades"


def _read_multiple(number: str) -> Options:
    """Read a multiple of the number of relevant documents."""
    if float(number) == 0:
        raise ValueError
    if round(float(number) * 10, 6) % 1:
        raise NoEquivalentError("here the cutoff is rounded up, and there only from a tenth on")
    return {"multiple": float(number)}


# Rows of measures, and why others are not here, in the order in which the program prints them.
TREC_MEASURES: dict[str, Row | str] = {
    "runid": "the name of a run is no number",
    "num_q": COUNT,
    "num_ret": COUNT,
    "num_rel": COUNT,
    "num_rel_ret": COUNT,
    "map": Row("map"),
    "gm_map": Row("map", GEOMETRIC),
    "Rprec": Row("r_precision"),
    "bpref": Row("bpref", PRESET["bpref"]),
    "recip_rank": Row("mrr"),
    "iprec_at_recall": Row(formulas.interpolated_precision, takes=("level",), example="iprec_at_recall_0.10"),
    "P": Row("precision", cutoff="required"),
    "recall": Row("recall", cutoff="required"),
    "infAP": OF_POOLS,
    "gm_bpref": Row("bpref", {**PRESET["bpref"], **GEOMETRIC}),
    "Rprec_mult": Row(
        "r_precision",
        {"multiple": NEEDED},
        takes=("level",),
        example="Rprec_mult_0.20",
        params={"level": _read_multiple},
    ),
    "utility": NOT_BUILT,
    "11pt_avg": Row(formulas.interpolated_precision, {"recall_levels": tuple(n / 10 for n in range(11))}),
    "ndcg": Row("ndcg"),
    "ndcg_cut": Row("ndcg", cutoff="required"),
    "map_cut": Row("map", PRESET["map"], "required"),
    "relative_P": Row("recall", {"denominator": "achievable"}, "required"),
    "success": Row("hit_rate", cutoff="required"),
    "set_P": Row("precision", ALL_RETRIEVED),
    "set_relative_P": Row(formulas.set_relative_precision),
    "set_recall": Row("recall", {"k": WHOLE}),
    "set_map": Row(formulas.set_map),
    "set_F": Row(formulas.set_f),
    "num_nonrel_judged_ret": COUNT,
}
ROWS = {name: each for name, each in TREC_MEASURES.items() if isinstance(each, Row)}

TREC_EVAL = Library(
    "trec_eval",
    "9.0.8",
    UNDERSCORED,
    "{stem}_{k}",
    ROWS,
    without={
        **{name: why for name, why in TREC_MEASURES.items() if isinstance(why, str)},
        **dict.fromkeys(["binG", "G", "ndcg_rel", "Rndcg", "yaap"], NOT_BUILT),
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
