"""ndeval, the program of the TREC web track, by pyndeval. Its subtopics are intents here."""

from collections.abc import Callable
from functools import partial

import numpy as np

from sklearn_rank.metrics import (
    alpha_ndcg_score,
    err_ia_score,
    intent_aware_score,
    nrbp_score,
    subtopic_recall_score,
)

from .compare import Compute, Oracle, Row
from .data import Data, with_relevant

Metric = Callable[..., np.ndarray]


def list_metrics(k: int, alpha: float, beta: float) -> dict[str, Metric]:
    """Return our function for each measure of ndeval. Its alpha is also the gain of ERR."""
    err = partial(err_ia_score, k=k, gain={0: 0, 1: alpha})
    nrbp = partial(nrbp_score, alpha=alpha, beta=beta)
    alpha_ndcg = partial(alpha_ndcg_score, k=k, alpha=alpha)
    return {
        "alpha-nDCG": alpha_ndcg,
        "alpha-DCG": partial(alpha_ndcg, normalize="bound"),
        "ERR-IA": partial(err, normalize="bound"),
        "nERR-IA": partial(err, normalize="ideal"),
        "P-IA": partial(intent_aware_score, f"precision@{k}"),
        "strec": partial(subtopic_recall_score, k=k),
        "NRBP": nrbp,
        "nNRBP": partial(nrbp, normalize="ideal"),
        "MAP-IA": partial(intent_aware_score, "map(denominator=relevant)"),
    }


def read_name(name: str) -> tuple[str, float, float]:
    """Split a measure, such as "alpha-nDCG@5", from its options."""
    measure, *options = name.split()
    return (measure, *map(float, options[1::2])) if options else (measure, 0.5, 0.5)


def draw(data: Data) -> tuple[Data, np.ndarray, list[str]]:
    """Draw a label of each row for each intent, and document ids; some queries do not have all intents.

    Among documents with equal gains, ndeval's best list takes the greatest id, and ours the greatest labels:
    ids begin with the labels. Rows are in the order in which pyndeval ranks tied documents, by increasing id.
    """
    rng = np.random.default_rng(len(data.groups))
    n_intents = int(rng.integers(1, 7))
    shares = rng.choice([0.0, 0.1, 0.4, 0.9], (len(data.heads), n_intents))[
        np.repeat(range(len(data.heads)), data.sizes)
    ]
    served = rng.random(shares.shape) < shares
    served[:, 0] |= ~served.any(axis=1)
    labels = np.where(served | np.isnan(data.y_true)[:, None], data.y_true[:, None], 0)
    marks = np.where(labels >= 1, "1", "0")
    names = [f"{''.join(row)}-{place:05d}" for place, row in enumerate(marks)]
    order = np.lexsort((names, data.groups))
    data = data._replace(
        **{name: getattr(data, name)[order] for name in ("y_true", "y_score", "groups", "weights")}
    )
    return data, labels[order], [names[row] for row in order]


def prepare_ndeval(data: Data) -> Compute:
    import pyndeval

    data, labels, names = draw(data)
    queries = [str(group) for group in data.groups]
    judgments = [
        (query, str(intent), name, int(grade))
        for query, name, row in zip(queries, names, labels)
        for intent, grade in enumerate(row)
        if grade == grade
    ]
    run = [row for row in zip(queries, names, data.y_score.tolist()) if row[-1] > -np.inf]

    def compute(name: str, weighted: bool) -> np.ndarray:
        measure, alpha, beta = read_name(name)
        values = pyndeval.ndeval(judgments, run, measures=[measure], alpha=alpha, beta=beta)
        return np.array([values[str(query)][measure] for query in np.unique(data.groups)])

    return compute


def compute_ours(name: str, data: Data) -> np.ndarray:
    """Return our value of each query."""
    measure, alpha, beta = read_name(name)
    stem, _, k = measure.partition("@")
    data, labels, _ = draw(data)
    labels = np.minimum(labels, 1) if "ERR" in stem else labels  # the others need min_relevance alone
    options = {"ties": "order", "unjudged": "nonrelevant", "average": None}
    values = list_metrics(int(k or 1), alpha, beta)[stem](labels, data.y_score, groups=data.groups, **options)
    if measure in ("alpha-DCG@1", "ERR-IA@1"):  # ndeval does not divide them by the number of intents
        values *= np.maximum.reduceat(labels >= 1, data.heads).sum(axis=1)
    return values


STEMS = ("alpha-nDCG", "alpha-DCG", "ERR-IA", "nERR-IA", "P-IA", "strec")
MEASURES = [*(f"{stem}@{k}" for stem in STEMS for k in (1, 5, 20)), "NRBP", "nNRBP", "MAP-IA"]
OF_ALPHA = ("alpha-nDCG@10", "alpha-DCG@10", "ERR-IA@10", "nERR-IA@10", "NRBP", "nNRBP")
NAMES = [*MEASURES, *(f"{name} -alpha 0.25 -beta 0.8" for name in OF_ALPHA)]
NDEVAL = Oracle(
    "pyndeval",
    prepare_ndeval,
    [Row("intents", name, compute=partial(compute_ours, name)) for name in NAMES],
    views=(with_relevant,),  # it divides by the number of relevant documents
)
