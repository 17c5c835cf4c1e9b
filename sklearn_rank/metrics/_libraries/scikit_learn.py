"""scikit-learn's metrics of rankings, of each query and averaged."""

import numpy as np

from ..._checks.types import Options
from . import formulas
from .formulas import Curve
from .library_table import CUT_FIRST, Library, NoEquivalentError, Row, cut_at, read_flag


def _read_base(number: str) -> Options:
    if not 1 < float(number) < np.inf:
        raise NoEquivalentError("discounts are above 0")
    base = float(number)
    code = f"lambda rank: log({base!r}) / log(rank + 1)"
    curve = Curve(code, lambda rank: np.log(base) / np.log(rank + 1))
    return {"discount": "log2" if base == 2 else curve}


def _read_ignore_ties(word: str) -> Options:
    if read_flag(word):
        raise NoEquivalentError("the order of equal scores is that of a sort, which nothing fixes")
    return {}


NDCG = Row("ndcg", cutoff="optional", takes=("k", "ignore_ties"))
DCG = Row("dcg", cutoff="optional", takes=("k", "log_base", "ignore_ties"))
ROC_AUC = Row("group_auc")
ONE_THRESHOLD = (
    "all documents of a tie get there the precision after the last of them; without ties, and with a "
    'relevant document in each query, it is "map"'
)
BY_GROUP = "group_score computes it of each query"
OF_CLASSES = "it is of predicted classes; of the top ten of a ranking it is"

SKLEARN = Library(
    "scikit-learn",
    "1.9.1",
    CUT_FIRST,
    "{stem}@{k}",
    {
        "ndcg": NDCG,
        "ndcg_score": NDCG,
        "dcg": DCG,
        "dcg_score": DCG,
        "roc_auc": ROC_AUC,
        "roc_auc_score": ROC_AUC,
        "label_ranking_average_precision_score": Row(
            formulas.label_ranking_precision, {"zero_division": 1.0}
        ),
        "coverage_error": Row(formulas.coverage_error),
        "label_ranking_loss": Row(formulas.label_ranking_loss),
    },
    without={
        **dict.fromkeys(["average_precision", "average_precision_score"], f"{ONE_THRESHOLD}, and {BY_GROUP}"),
        **dict.fromkeys(["top_k_accuracy", "top_k_accuracy_score"], "it is of classes and not of rankings"),
        **dict.fromkeys(["precision", "precision_score"], f'{OF_CLASSES} "precision@10"'),
        **dict.fromkeys(["recall", "recall_score"], f'{OF_CLASSES} "recall@10"'),
        **dict.fromkeys(["f1", "f1_score"], f'{OF_CLASSES} "f1@10"'),
    },
    convention={},
    params={"k": cut_at, "log_base": _read_base, "ignore_ties": _read_ignore_ties},
    notes=(
        "Each metric is computed of each query and averaged; scikit-learn's roc_auc_score of a whole data "
        "set is one curve of all rows.",
        "Queries of one class have no AUC and are left out of its mean. Equal scores count the mean over "
        "their orders.",
        "In those of label rankings a tie counts as in its worst order, and -inf is the lowest score of all.",
        "A query of one document, which scikit-learn's ndcg_score refuses, counts 1 with a relevant document "
        "and 0 without.",
    ),
)
