"""ir_measures, which asks other programs: pytrec_eval for most, also gdeval, cwl_eval and code of its own."""

import ast
import re
from math import inf, nan

from ..._checks.types import Options
from . import formulas
from .formulas import binary_gain, gain_table, graded_gain, insq_discount, rbp_discount
from .library_table import (
    ALL_RETRIEVED,
    CUTOFF,
    NEEDED,
    NOT_BUILT,
    OF_POOLS,
    WHOLE,
    Library,
    Row,
    read_positive,
    read_share,
    relevant_from,
)
from .trec_eval import CONVENTION

# IPrec@0.1 is at a recall, the others at a rank.
FORM = re.compile(
    rf"(?P<stem>\w+)\s*(\((?P<params>[^()]*)\))?\s*(@\s*((?P<recall>[0-9]*\.[0-9]*)|{CUTOFF}))?"
)
N_OF_CWL = 1000  # ranks that cwl_eval looks at
COUNT = "a count, of which it reports the sum over queries and no mean"
OF_SUBTOPICS = "it is computed of judgements of subtopics"
OF_USERS = ("T", "min_rel", "max_rel")  # those of cwl_eval who want to find so much
OF_JUDGED = ("rel", "judged_only")


def _read_beta(number: str) -> Options:
    """Read the weight of recall."""
    if not 0 < float(number) < inf:
        raise ValueError
    return {"beta": float(number)}


def _read_gains(table: str) -> Options:
    """Read a table of gains, {1: 1, 2: 5}; 0 is worth nothing, as what is not judged."""
    try:
        gains = ast.literal_eval(table)
    except SyntaxError:
        raise ValueError from None
    if not isinstance(gains, dict) or gains.get(0, 0) != 0:
        raise ValueError
    return {"gain": gain_table(tuple((int(grade), float(gain)) for grade, gain in gains.items()))}


def _read_goal(number: str) -> float:
    """Read how much users want to find."""
    if not 0 < float(number) <= 10**6:
        raise ValueError
    return float(number)


ROWS = {
    "P": Row("precision", cutoff="required", takes=OF_JUDGED),
    "R": Row("recall", cutoff="required", takes=OF_JUDGED),
    "Success": Row("hit_rate", cutoff="required", takes=OF_JUDGED),
    "AP": Row("map", {"denominator": "relevant"}, "optional", takes=OF_JUDGED),
    "RR": Row("mrr", takes=OF_JUDGED),
    "RR@": Row("mrr", cutoff="required", takes=("rel",), example="RR@10", held="later_first"),
    "Rprec": Row("r_precision", takes=OF_JUDGED),
    "Bpref": Row("bpref", {"unjudged": "drop"}, takes=("rel",)),
    "nDCG": Row("ndcg", cutoff="optional", takes=("dcg", "gains", "judged_only")),
    "nDCG(dcg=exp-log2)": Row(
        "ndcg",
        {"gain": "exponential"},
        "optional",
        takes=("dcg",),
        example="nDCG(dcg='exp-log2')@10",
        held="given",
    ),
    "ERR": Row("err", {"gain": "exponential", "max_grade": 4}, "required", held="given"),
    "RBP": Row(
        "dcg", {"discount": rbp_discount(0.8), "ties": "average"}, "optional", takes=("p",), held="given"
    ),
    "RBP(rel)": Row(
        "dcg",
        {"k": N_OF_CWL, "discount": rbp_discount(0.8, N_OF_CWL)},
        takes=("rel", "p"),
        example="RBP(rel=1)",
        params={
            "rel": lambda number: {"gain": binary_gain(read_positive(number))},
            "p": lambda number: {"discount": rbp_discount(read_share(number), N_OF_CWL)},
        },
        held="given",
    ),
    "INSQ": Row(
        "dcg",
        {"k": N_OF_CWL, "gain": NEEDED, "discount": insq_discount(1.0, N_OF_CWL)},
        takes=OF_USERS,
        example="INSQ(max_rel=2)",
        params={
            "T": lambda number: {"discount": insq_discount(_read_goal(number), N_OF_CWL)},
            "max_rel": lambda number: {"gain": graded_gain(read_positive(number))},
        },
        held="given",
    ),
    "INST": Row(formulas.inst, takes=OF_USERS, example="INST(max_rel=2)", held="given"),
    "BPM": Row(formulas.bpm, cutoff="required", takes=OF_USERS, example="BPM(max_rel=2)@10", held="given"),
    "IPrec": Row(formulas.interpolated_precision, takes=("recall", *OF_JUDGED), example="IPrec@0.1"),
    "SetP": Row("precision", ALL_RETRIEVED, takes=("relative", *OF_JUDGED)),
    "SetP(relative=True)": Row(
        formulas.set_relative_precision, takes=("relative", *OF_JUDGED), example="SetP(relative=True)"
    ),
    "SetR": Row("recall", {"k": WHOLE}, takes=("rel",)),
    "SetF": Row(formulas.set_f, takes=("beta", *OF_JUDGED)),
    "SetAP": Row(formulas.set_map, takes=OF_JUDGED),
    "Judged": Row("judged", cutoff="optional", whole=WHOLE, held="later_first"),
    "Accuracy": Row(formulas.accuracy, {"zero_division": nan}, "optional", takes=("rel",), held="given"),
}

IR_MEASURES = Library(
    "ir_measures",
    "0.4.3",
    FORM,
    "{stem}@{k}",
    ROWS,
    without={
        **dict.fromkeys(["NumQ", "NumRel", "NumRet", "NumRelRet"], COUNT),
        **dict.fromkeys(["Compat", "NERR8", "NERR9", "NERR10", "NERR11"], NOT_BUILT),
        "infAP": OF_POOLS,
        "SDCG": "dcg_score with a function as gain and one as discount is it",
        **dict.fromkeys(
            ["alpha_DCG", "alpha_nDCG", "\u03b1_DCG", "\u03b1_nDCG", "AP_IA", "MAP_IA", "ERR_IA", "nERR_IA"]
            + ["NRBP", "nNRBP", "P_IA", "StRecall"],
            OF_SUBTOPICS,
        ),
    },
    convention=CONVENTION,
    params={
        "rel": relevant_from,
        "judged_only": {"True": {"unjudged": "drop"}, "False": {}}.__getitem__,
        "dcg": {"log2": {}, "exp-log2": {}}.__getitem__,
        "relative": {"True": {}, "False": {}}.__getitem__,
        "gains": _read_gains,
        "beta": _read_beta,
        "T": lambda number: {"goal": _read_goal(number)},
        "min_rel": {"0": {}}.__getitem__,
        "max_rel": lambda number: {"highest_grade": read_positive(number)},
        "p": lambda number: {"discount": rbp_discount(read_share(number))},
        "recall": lambda number: {"recall_levels": (round(read_share(number), 2),)},
    },
    held="float32",
    also={
        "MAP": "AP",
        "MRR": "RR",
        "NDCG": "nDCG",
        "Precision": "P",
        "Recall": "R",
        "RPrec": "Rprec",
        "BPref": "Bpref",
        "SetRelP": "SetP(relative=True)",
    },
    cutoff="cutoff",
    notes=(
        "Most numbers are those of pytrec_eval: scores in float32, equal ones by document id from high to "
        "low, as from_run puts the rows. Judged, and RR at a cutoff, hold float64 and put equal ones from "
        "low to high.",
        "ERR and nDCG(dcg='exp-log2') are gdeval's, which prints five decimals; here they are not rounded.",
        "RBP with rel, INSQ, INST and BPM are cwl_eval's, of the first 1000 documents.",
        "For these and Accuracy equal scores stand in the order of the run there, here in that of the rows.",
        "RBP without rel has no provider by default; here it is that of trectools, in which labels are gains "
        "and ties are averaged.",
        "Judged counts a grade below 0 as judged; from_run gives such documents the label NaN.",
        "Accuracy leaves queries out of the mean in which no relevant document is retrieved; with nothing "
        "else retrieved it is an error there and such a query is left out here.",
        "Means are over all judged queries: queries='judged' of from_run.",
    ),
)
