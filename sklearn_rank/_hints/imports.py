"""Names that a module does not have: where they are, or which names are similar."""

import re
from collections.abc import Sequence
from importlib import import_module
from itertools import chain

from . import list_near

PACKAGE = "sklearn_rank"
# Names in other libraries, and what they are called here.
OTHER_NAMES = {
    "ndcg_at_k": "ndcg_score",
    "ndcg": "ndcg_score",
    "dcg_at_k": "dcg_score",
    "map_at_k": "map_score",
    "mapk": "map_score",
    "mean_average_precision": "map_score",
    "average_precision": "map_score",
    "mean_reciprocal_rank": "mrr_score",
    "reciprocal_rank": "mrr_score",
    "mrr": "mrr_score",
    "hit_rate": "hit_rate_at_k_score",
    "hit_rate_at_k": "hit_rate_at_k_score",
    "gauc": "group_auc_score",
    "auc_score": "group_auc_score",
    "gini_score": "exposure_gini_score",
    "coverage_score": "catalog_coverage_score",
}
# Metrics of scikit-learn whose mean over queries has a name here.
BY_QUERY = {
    "auc": "group_auc_score",
    "roc_auc_score": "group_auc_score",
    "average_precision_score": "map_score",
}


def find_name(name: str, public: list[str], rooms: Sequence[str]) -> str:
    """Return where a name is, or which names are similar; "" if there are none."""
    places = [PACKAGE, *(f"{PACKAGE}.{room}" for room in rooms)]
    names_in = {place: getattr(import_module(place), "__all__", ()) for place in places}
    home = next((place for place, names in names_in.items() if name in names), None)
    if home is not None:
        return f": it is in {home}, from {home} import {name}"
    for theirs in map(import_module, ("sklearn.model_selection", "sklearn.metrics")):
        if name in theirs.__all__:
            ours = f". For the mean over queries there is {BY_QUERY[name]}" if name in BY_QUERY else ""
            return f": it is scikit-learn's, from {theirs.__name__} import {name}{ours}"
    known = dict.fromkeys(chain(public, *names_in.values()))
    near = list_near(name, known)
    # Names that are similar even without the ending `_score`, which most metrics have.
    near = [each for each in near if list_near(_cut_end(name), [_cut_end(each)], 0.5)]
    near = [OTHER_NAMES[name]] if name in OTHER_NAMES else near
    return f". Did you mean {' or '.join(near)}?" if near else ""


def _cut_end(name: str) -> str:
    return re.sub(r"_?scor[a-z]*$", "", name)
