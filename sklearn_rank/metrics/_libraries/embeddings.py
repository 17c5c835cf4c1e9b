"""Libraries that evaluate embeddings for retrieval, and the scripts of LETOR and MSLR."""

import re
from collections.abc import Mapping
from math import nan

from ..._checks.types import Arguments
from . import formulas
from .formulas import binary_gain
from .library_table import CUT_FIRST, CUTOFF, Library, Row

BY_PYTREC_EVAL: Arguments = {"ties": "order", "unjudged": "nonrelevant"}
BY_ALL = {"denominator": "relevant"}
OF_CONFIDENCE = "it measures how well the scores of a query predict the metric"
OF_CORPUS = (
    "it counts documents that no query of the qrels judges, which labels cannot express; see its page in "
    "'My number differs'"
)
ALL_QUERIES = "Queries without a relevant document count as 0."

BEIR = Library(
    "BEIR",
    "2.2.0",
    CUT_FIRST,
    "{stem}@{k}",
    {
        "NDCG": Row("ndcg", cutoff="required", scores="float32"),
        "MAP": Row("map", BY_ALL, "required", scores="float32"),
        "Recall": Row("recall", cutoff="required", scores="float32"),
        "P": Row("precision", cutoff="required", scores="float32"),
        "MRR": Row("mrr", cutoff="required"),
        "R_cap": Row("recall", {"denominator": "achievable"}, "required"),
        "Accuracy": Row("hit_rate", cutoff="required"),
    },
    without={"Hole": OF_CORPUS, "hole": OF_CORPUS},
    convention=BY_PYTREC_EVAL,
    also={"recall_cap": "R_cap", "top_k_accuracy": "Accuracy"},
    notes=(
        "NDCG, MAP, Recall, P: Values are those of pytrec_eval, with scores in float32, and tied scores "
        "ranked by decreasing document id, as from_run sorts the rows.",
        "MRR, R_cap, Accuracy: BEIR uses float64 and ranks tied scores in the order of the results; here, "
        "they are ranked in row order.",
        f"{ALL_QUERIES} In BEIR, R_cap raises an error for them.",
        "BEIR removes documents whose id is the query id, unless ignore_identical_ids=False. from_run does "
        "so with ignore_identical_ids=True.",
        "BEIR rounds means to 5 decimals.",
    ),
)

MTEB = Library(
    "MTEB",
    "2.26.24",
    re.compile(rf"(?P<stem>\w+?)(_at_{CUTOFF})?"),
    "{stem}_at_{k}",
    {
        "ndcg": Row("ndcg", cutoff="required"),
        "map": Row("map", BY_ALL, "required"),
        "recall": Row("recall", cutoff="required"),
        "precision": Row("precision", cutoff="required"),
        "mrr": Row("mrr", cutoff="required", scores="given"),
        "hit_rate": Row("hit_rate", cutoff="required"),
        "accuracy": Row("recall", {"k": 1}),
    },
    without={
        **dict.fromkeys(
            [f"nauc_{each}" for each in ("ndcg", "map", "recall", "precision", "mrr")], OF_CONFIDENCE
        ),
        "main_score": "it is another metric of the task, such as ndcg_at_10",
    },
    convention=BY_PYTREC_EVAL,
    scores="float32",
    notes=(
        "All metrics except mrr are those of pytrec_eval: scores in float32, and tied scores ranked by "
        "decreasing document id, as from_run sorts the rows. mrr uses float64 and the same order.",
        ALL_QUERIES,
        "accuracy: It is recall_at_1.",
        "Tasks with ignore_identical_ids remove documents whose id is the query id. from_run does so with "
        "ignore_identical_ids=True.",
        "MTEB rounds means to 5 decimals, except for mrr.",
    ),
)

SENTENCE_TRANSFORMERS = Library(
    "sentence-transformers",
    "6.2.0",
    re.compile(rf"((cosine|dot|euclidean|manhattan|(mean)?maxsim)_)?(?P<stem>\w+?)(@{CUTOFF})?"),
    "{stem}@{k}",
    {
        "accuracy": Row("hit_rate", cutoff="required"),
        "precision": Row("precision", cutoff="required"),
        "recall": Row("recall", cutoff="required"),
        "ndcg": Row("ndcg", {"gain": binary_gain(1)}, "required"),
        "mrr": Row("mrr", cutoff="required"),
        "map": Row("map", cutoff="required"),
    },
    without={},
    convention={"ties": "order", "unjudged": "nonrelevant", "zero_division": nan},
    scores="later_first",
    notes=(
        "Names are those of InformationRetrievalEvaluator, with or without the similarity, as in "
        "cosine_ndcg@10.",
        "Judgments are sets of relevant documents: labels of at least 1 are relevant and have equal gains.",
        "Queries without a relevant document are excluded.",
        "Tied scores are ranked by increasing document id: in reverse row order, as from_run sorts the rows "
        "by decreasing id. Older versions rank them in the order of torch.topk, which is not defined.",
    ),
)


def _describe_script(title: str, version: str, relevant: int, highest: int) -> Library:
    """Return the names of an evaluation script: labels >= `relevant` are relevant in P and MAP."""
    options: Mapping[str, int] = {} if relevant == 1 else {"min_relevance": relevant}
    return Library(
        title,
        version,
        CUT_FIRST,
        "{stem}@{k}",
        {
            "NDCG": Row(formulas.letor_ndcg, cutoff="required"),
            "MeanNDCG": Row(formulas.letor_mean_ndcg),
            "P": Row("precision", {**options}, "required"),
            "MAP": Row("map", {**options}),
        },
        without={},
        convention={"ties": "order"},
        notes=(
            "NDCG, MeanNDCG: Gains are 2**label - 1. The discount is 1 at ranks 1 and 2, and 1 / log2(rank) "
            "below. NDCG@k is 0 for lists of fewer than k documents, and for queries without a relevant one.",
            f"P, MAP: Labels of at least {relevant} are relevant. P@k is divided by k.",
            f"Labels are integers up to {highest}. Tied scores are ranked in row order.",
            "The script prints four decimals, for cutoffs up to 10.",
        ),
    )


LETOR = _describe_script("LETOR", "4.0", relevant=1, highest=2)
MSLR = _describe_script("MSLR", "2010", relevant=2, highest=4)
