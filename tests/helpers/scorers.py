"""A table of the scorers to test."""

from sklearn.utils.metadata_routing import get_routing_for_object

import sklearn_rank
from sklearn_rank import get_scorer, ndcg_scorer, ranking_scorer
from tests.helpers.table import METRICS

FACTORIES = {
    stem: getattr(
        sklearn_rank.metrics, f"{entry.prefix}{entry.function.__name__}".replace("_score", "") + "_scorer"
    )
    for stem, entry in METRICS.items()
}
CUTOFF = {stem: {} if entry.cutoff == "none" else {"k": 3} for stem, entry in METRICS.items()}
WITH_K = [stem for stem in METRICS if CUTOFF[stem]]
REQUIRED = [stem for stem, entry in METRICS.items() if entry.cutoff == "required"]
NAMES = ["ndcg@3", "map", "precision@2", "group_auc", "mrr@5"]
SCORERS = [FACTORIES[stem](average="weighted", **CUTOFF[stem]) for stem in METRICS] + [
    ranking_scorer(NAMES, gain="exponential", groups="qid"),
    ndcg_scorer(gain=[0, 1, 3, 7, 15], zero_division=1.0),
    ndcg_scorer(response_method="predict"),
    get_scorer("map@7").set_score_request(sample_weight="w"),
]


def requests(scorer):
    return get_routing_for_object(scorer).score.requests
