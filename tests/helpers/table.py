"""Selections from the table of metrics."""

from functools import partial

import numpy as np

from sklearn_rank.metrics import METRICS as ALL_METRICS

# Metrics that need only labels and scores, and metrics that need further data.
METRICS = {stem: entry for stem, entry in ALL_METRICS.items() if not entry.needs}
EXTRA_DATA_METRICS = {stem: entry for stem, entry in ALL_METRICS.items() if entry.needs}
RULES = ["average", "order", "best", "worst"]
WITH_TIES = [stem for stem, entry in METRICS.items() if "ties" in entry.defaults]
WITHOUT_TIES = [stem for stem in METRICS if stem not in WITH_TIES]
BY_ORDER = [stem for stem, entry in METRICS.items() if not entry.uses_scores]
ANY_SIGN = [stem for stem, entry in METRICS.items() if entry.any_label]
CUTOFFS = [stem for stem, entry in METRICS.items() if entry.cutoff != "none"]
# Each metric, with a default cutoff of 5 if it needs one.
SCORE_OF = {
    stem: partial(entry.function, k=5) if entry.cutoff == "required" else entry.function
    for stem, entry in METRICS.items()
}
BINARY = [stem for stem, entry in METRICS.items() if "min_relevance" in entry.defaults]
SIGN = {stem: 1 if entry.greater_is_better else -1 for stem, entry in METRICS.items()}
# Each metric with each of its tie rules.
BY_RULE = [(stem, {"ties": rule}) for stem in WITH_TIES for rule in RULES] + [(s, {}) for s in WITHOUT_TIES]


def with_unjudged(y_true):
    """Replace every fourth label by NaN."""
    return np.where(np.arange(len(y_true)) % 4 == 0, np.nan, y_true)


# ------------------------------------------------------------------ rows without ids

# Calls that take y_true, y_score and groups: name -> further arguments.
ROW_CALLS = {entry.function.__name__: {"k": 1} for entry in METRICS.values() if entry.cutoff == "required"}
ROW_CALLS |= {entry.function.__name__: {} for entry in METRICS.values() if entry.cutoff != "required"}
ROW_CALLS |= {
    name: {} for name in ("ndcg_curve", "map_curve", "interpolated_precision_curve", "group_roc_curve")
}
ROW_CALLS |= {name: {} for name in ("precision_curve", "recall_curve")}
ROW_CALLS |= {
    name: {"metrics": ["ndcg", "judged@1"]} for name in ("ranking_scores", "tie_report", "evaluate")
}
