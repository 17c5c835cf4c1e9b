"""ranx, by the names that its `evaluate` takes."""

import re

from . import formulas
from .formulas import binary_gain, gain_from, rbp_discount
from .library_table import (
    ALL_RETRIEVED,
    CUTOFF,
    NEEDED,
    NOTHING,
    WHOLE,
    Library,
    Row,
    Translations,
    read_positive,
    read_share,
    relevant_from,
)

# rbp.95 and rbp@95 have a persistence of 0.95.
FORM = re.compile(
    rf"(?P<stem>[a-z_]+(1|-precision)?)((?<=rbp)[.@](?P<p>[0-9]+)|@{CUTOFF})?(-l(?P<l>[0-9]+))?"
)
LEVEL = ("l",)


def _keep_from(exponential: bool) -> Translations:
    """Read a level from which on labels have a gain."""
    return {"l": lambda level: {"gain": gain_from(read_positive(level), exponential)}}


LINEAR, EXPONENTIAL = _keep_from(False), _keep_from(True)

ROWS = {
    "hits": Row(
        "dcg",
        {"gain": binary_gain(1), "discount": None},
        "optional",
        takes=LEVEL,
        params={"l": lambda level: {"gain": binary_gain(read_positive(level))}},
    ),
    "hit_rate": Row("hit_rate", cutoff="optional", whole=WHOLE, takes=LEVEL),
    "precision": Row("precision", ALL_RETRIEVED, takes=LEVEL),
    "precision@": Row("precision", cutoff="required", takes=LEVEL, example="precision@10"),
    "recall": Row("recall", cutoff="optional", whole=WHOLE, takes=LEVEL),
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
    FORM,
    "{stem}@{k}",
    ROWS,
    without=NOTHING,
    convention={"ties": "order", "unjudged": "nonrelevant"},
    params={"l": relevant_from, "p": lambda digits: {"discount": rbp_discount(read_share(f"0.{digits}"))}},
    notes=(
        "Equal scores stand in the order of the run in lists of up to 15 documents; in longer ones nothing "
        "fixes their order there, and here it is the order of the rows.",
        "rbp takes labels for gains, so that it exceeds 1 for grades above 1.",
        "bpref is nan there if all judged documents of a query are relevant; one without a relevant document "
        "ends the computation, so that queries after it have 0. Grades below 0 are judged there; from_run "
        "gives such documents the label NaN.",
        "ranx refuses runs that miss a judged query. With make_comparable=True they count 0, as with "
        "queries='judged' of from_run.",
    ),
)
