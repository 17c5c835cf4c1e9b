"""Libraries of information retrieval: trec_eval, ir_measures and ranx."""

import ast
import re
from math import inf, nan

from ..._checks.types import Arguments, Options
from . import formulas
from .formulas import binary_gain, gain_from, gain_table, graded_gain, insq_discount, rbp_discount
from .library_table import (
    ALL_RETRIEVED,
    CUTOFF,
    NEEDED,
    NOT_BUILT,
    NOTHING,
    OF_POOLS,
    UNDERSCORED,
    Library,
    NoEquivalentError,
    Row,
    Translations,
    read_positive,
    read_share,
    relevant_from,
)

CONVENTION: Arguments = {"ties": "order", "unjudged": "nonrelevant", "rounding": "trec_eval_9"}
COUNT = "it is a count over all queries, not a mean; `sklearn-rank evaluate --format trec_eval` prints it"
GEOMETRIC: Arguments = {"average": "geometric"}
OF_PREFERENCES = "it is computed from preferences between documents, not from grades"


def _read_multiple(number: str) -> Options:
    """Read a multiple of the number of relevant documents."""
    if float(number) == 0:
        raise ValueError
    if round(float(number) * 10, 6) % 1:
        raise NoEquivalentError("Use a multiple of 0.1, because trec_eval rounds other cutoffs differently.")
    return {"multiple": float(number)}


# Rows of measures, or the reasons why they are missing, in the order in which trec_eval prints them.
TREC_MEASURES: dict[str, Row | str] = {
    "runid": "it is the name of a run, not a number",
    "num_q": COUNT,
    "num_ret": COUNT,
    "num_rel": COUNT,
    "num_rel_ret": COUNT,
    "map": Row("map"),
    "gm_map": Row("map", GEOMETRIC),
    "Rprec": Row("r_precision"),
    "bpref": Row("bpref", {"unjudged": "drop"}),
    "recip_rank": Row("mrr"),
    "iprec_at_recall": Row(formulas.interpolated_precision, takes=("level",), example="iprec_at_recall_0.10"),
    "P": Row("precision", cutoff="required"),
    "recall": Row("recall", cutoff="required"),
    "infAP": OF_POOLS,
    "gm_bpref": Row("bpref", {"unjudged": "drop", **GEOMETRIC}),
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
    "map_cut": Row("map", {"denominator": "relevant"}, "required"),
    "relative_P": Row("recall", {"denominator": "achievable"}, "required"),
    "success": Row("hit_rate", cutoff="required"),
    "set_P": Row("precision", ALL_RETRIEVED),
    "set_relative_P": Row(formulas.set_relative_precision),
    "set_recall": Row("recall", ALL_RETRIEVED),
    "set_map": Row(formulas.set_map),
    "set_F": Row(formulas.set_f),
    "num_nonrel_judged_ret": COUNT,
}
# Measures that version 10 adds, in its order after the others. It compares scores in float64.
TREC_10_ROWS = {
    "rbp": Row(formulas.graded_rbp, {"p": 0.9}, scores="given"),
    "rbp_resid": Row(formulas.rbp_residual, {"p": 0.9}, scores="given"),
    "unj": Row(formulas.unjudged_share, cutoff="required", scores="given"),
}
TREC_ROWS = {name: each for name, each in TREC_MEASURES.items() if isinstance(each, Row)}

TREC_EVAL = Library(
    "trec_eval",
    "9.0.8",
    UNDERSCORED,
    "{stem}_{k}",
    {**TREC_ROWS, **TREC_10_ROWS},
    without={
        **{name: why for name, why in TREC_MEASURES.items() if isinstance(why, str)},
        **dict.fromkeys(["binG", "G", "ndcg_rel", "Rndcg", "yaap"], NOT_BUILT),
        "relstring": "it is a list of grades, not a number",
        **dict.fromkeys(["prefs_simp", "prefs_pair", "prefs_avgjg"], OF_PREFERENCES),
    },
    convention=CONVENTION,
    params={"level": lambda number: {"recall_levels": (read_share(number),)}},
    own={"min_relevance": None, "unjudged": ("drop",)},
    scores="float32",
    notes=(
        "Documents with tied scores are ranked in row order. trec_eval ranks them by decreasing document "
        "id; from_run and from_interactions sort the rows in this order.",
        "The option -l n is min_relevance=n, and -J is unjudged='drop'. In from_run, -c is "
        "queries='judged' and -M n is depth=n.",
        "Queries without a relevant document count as 0.",
    ),
)


# IPrec@0.1 has a recall level, other names have a cutoff.
IR_FORM = re.compile(
    rf"(?P<stem>\w+)\s*(\((?P<params>[^()]*)\))?\s*(@\s*((?P<recall>[0-9]*\.[0-9]*)|{CUTOFF}))?"
)
N_OF_CWL = 1000  # number of ranks that cwl_eval uses
SUM_OF_COUNTS = "it is a count, summed over queries instead of averaged"
OF_SUBTOPICS = "it is computed from judgments of subtopics"
OF_USERS = ("T", "min_rel", "max_rel")  # parameters of cwl_eval's users, who have a goal
OF_JUDGED = ("rel", "judged_only")


def _read_beta(number: str) -> Options:
    """Read the weight of recall."""
    if not 0 < float(number) < inf:
        raise ValueError
    return {"beta": float(number)}


def _read_gains(table: str) -> Options:
    """Read a table of gains, such as {1: 1, 2: 5}; the gain of 0 must be 0, as for unjudged documents."""
    try:
        gains = ast.literal_eval(table)
    except SyntaxError:
        raise ValueError from None
    if not isinstance(gains, dict) or gains.get(0, 0) != 0:
        raise ValueError
    return {"gain": gain_table(tuple((int(grade), float(gain)) for grade, gain in gains.items()))}


def _read_goal(number: str) -> float:
    """Read the gain that users want to find."""
    if not 0 < float(number) <= 10**6:
        raise ValueError
    return float(number)


IR_ROWS = {
    "P": Row("precision", cutoff="required", takes=OF_JUDGED),
    "R": Row("recall", cutoff="required", takes=OF_JUDGED),
    "Success": Row("hit_rate", cutoff="required", takes=OF_JUDGED),
    "AP": Row("map", {"denominator": "relevant"}, "optional", takes=OF_JUDGED),
    "RR": Row("mrr", takes=OF_JUDGED),
    "RR@": Row("mrr", cutoff="required", takes=("rel",), example="RR@10", scores="later_first"),
    "Rprec": Row("r_precision", takes=OF_JUDGED),
    "Bpref": Row("bpref", {"unjudged": "drop"}, takes=("rel",)),
    "nDCG": Row("ndcg", cutoff="optional", takes=("dcg", "gains", "judged_only")),
    "nDCG(dcg=exp-log2)": Row(
        "ndcg",
        {"gain": "exponential"},
        "optional",
        takes=("dcg",),
        example="nDCG(dcg='exp-log2')@10",
        scores="given",
    ),
    "ERR": Row("err", {"gain": "exponential", "max_grade": 4}, "required", scores="given"),
    "RBP": Row(
        "dcg", {"discount": rbp_discount(0.8), "ties": "average"}, "optional", takes=("p",), scores="given"
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
        scores="given",
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
        scores="given",
    ),
    "INST": Row(formulas.inst, takes=OF_USERS, example="INST(max_rel=2)", scores="given"),
    "BPM": Row(formulas.bpm, cutoff="required", takes=OF_USERS, example="BPM(max_rel=2)@10", scores="given"),
    "IPrec": Row(formulas.interpolated_precision, takes=("recall", *OF_JUDGED), example="IPrec@0.1"),
    "SetP": Row("precision", ALL_RETRIEVED, takes=("relative", *OF_JUDGED)),
    "SetP(relative=True)": Row(
        formulas.set_relative_precision, takes=("relative", *OF_JUDGED), example="SetP(relative=True)"
    ),
    "SetR": Row("recall", ALL_RETRIEVED, takes=("rel",)),
    "SetF": Row(formulas.set_f, takes=("beta", *OF_JUDGED)),
    "SetAP": Row(formulas.set_map, takes=OF_JUDGED),
    "Judged": Row("judged", cutoff="optional", scores="later_first"),
    "Accuracy": Row(formulas.accuracy, {"zero_division": nan}, "optional", takes=("rel",), scores="given"),
}

IR_MEASURES = Library(
    "ir_measures",
    "0.4.3",
    IR_FORM,
    "{stem}@{k}",
    IR_ROWS,
    without={
        **dict.fromkeys(["NumQ", "NumRel", "NumRet", "NumRelRet"], SUM_OF_COUNTS),
        **dict.fromkeys(["Compat", "NERR8", "NERR9", "NERR10", "NERR11"], NOT_BUILT),
        "infAP": OF_POOLS,
        "SDCG": "use dcg_score with callables as `gain` and `discount`",
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
        "T": lambda number: {"desired_gain": _read_goal(number)},
        "min_rel": {"0": {}}.__getitem__,
        "max_rel": lambda number: {"highest_grade": read_positive(number)},
        "p": lambda number: {"discount": rbp_discount(read_share(number))},
        "recall": lambda number: {"recall_levels": (round(read_share(number), 2),)},
    },
    scores="float32",
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
        "Most values are those of pytrec_eval: scores in float32, and tied scores ranked by decreasing "
        "document id, as from_run sorts the rows. Judged and RR with a cutoff use float64 and rank tied "
        "scores by increasing document id.",
        "ERR, nDCG: ERR and nDCG(dcg='exp-log2') are those of gdeval, which prints five decimals. Here they "
        "are not rounded.",
        "RBP, INSQ, INST, BPM: Values, of RBP with rel, are those of cwl_eval, computed from the first 1,000 "
        "documents.",
        "RBP, INSQ, INST, BPM, Accuracy: ir_measures ranks tied scores in the order of the run; here they "
        "are ranked in row order.",
        "RBP: Without rel, it has no default provider. Here it is that of trectools, where labels are gains "
        "and ties are averaged.",
        "Judged: Negative grades count as judged, but from_run sets their labels to NaN.",
        "Accuracy: Queries in which no relevant document is retrieved are excluded. If only relevant "
        "documents are retrieved, ir_measures raises an error; here, such a query is excluded.",
        "Means are taken over all judged queries, as with queries='judged' in from_run.",
    ),
)


# rbp.95 and rbp@95 have a persistence of 0.95.
RANX_FORM = re.compile(
    rf"(?P<stem>[a-z_]+(1|-precision)?)((?<=rbp)[.@](?P<p>[0-9]+)|@{CUTOFF})?(-l(?P<l>[0-9]+))?"
)
LEVEL = ("l",)


def _keep_from(exponential: bool) -> Translations:
    """Return the translation of the lowest grade with a gain."""
    return {"l": lambda level: {"gain": gain_from(read_positive(level), exponential)}}


LINEAR, EXPONENTIAL = _keep_from(False), _keep_from(True)

RANX_ROWS = {
    "hits": Row(
        "dcg",
        {"gain": binary_gain(1), "discount": None},
        "optional",
        takes=LEVEL,
        params={"l": lambda level: {"gain": binary_gain(read_positive(level))}},
    ),
    "hit_rate": Row("hit_rate", cutoff="optional", takes=LEVEL),
    "precision": Row("precision", ALL_RETRIEVED, takes=LEVEL),
    "precision@": Row("precision", cutoff="required", takes=LEVEL, example="precision@10"),
    "recall": Row("recall", cutoff="optional", takes=LEVEL),
    "f1": Row(formulas.set_f, takes=LEVEL),
    "f1@": Row("f1", cutoff="required", takes=LEVEL, example="f1@10"),
    "r-precision": Row("r_precision", takes=LEVEL),
    "mrr": Row("mrr", cutoff="optional", takes=LEVEL),
    "map": Row("map", {"denominator": "relevant"}, "optional", takes=LEVEL),
    "dcg": Row("dcg", cutoff="optional", takes=LEVEL, params=LINEAR),
    "dcg_burges": Row("dcg", {"gain": "exponential"}, "optional", takes=LEVEL, params=EXPONENTIAL),
    "ndcg": Row("ndcg", cutoff="optional", takes=LEVEL, params=LINEAR),
    "ndcg_burges": Row("ndcg", {"gain": "exponential"}, "optional", takes=LEVEL, params=EXPONENTIAL),
    "bpref": Row("bpref", {"unjudged": "drop"}, takes=LEVEL),
    "rbp": Row(
        "dcg",
        {"gain": gain_from(1), "discount": NEEDED},
        takes=("p", *LEVEL),
        example="rbp.80",
        params=LINEAR,
    ),
}

RANX = Library(
    "ranx",
    "0.3.21",
    RANX_FORM,
    "{stem}@{k}",
    RANX_ROWS,
    without=NOTHING,
    convention={"ties": "order", "unjudged": "nonrelevant"},
    params={"l": relevant_from, "p": lambda digits: {"discount": rbp_discount(read_share(f"0.{digits}"))}},
    notes=(
        "ranx ranks tied scores in the order of the run if lists have up to 15 documents. In longer lists, "
        "the order is not defined. Here tied scores are ranked in row order.",
        "rbp: Labels are gains, so it can exceed 1 if grades exceed 1.",
        "bpref: In ranx, it is nan if all judged documents of a query are relevant. A query without a "
        "relevant document ends the computation, so all queries after it have the value 0. Negative grades "
        "count as judged, but from_run sets their labels to NaN.",
        "ranx rejects runs in which a judged query is missing. With make_comparable=True, missing queries "
        "count as 0, as with queries='judged' in from_run.",
    ),
)
