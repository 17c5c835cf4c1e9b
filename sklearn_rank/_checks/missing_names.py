"""Names that a module does not have: imported now if they are its own, else an error says where they are."""

import re
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from inspect import currentframe
from itertools import chain
from typing import Any

PACKAGE = "sklearn_rank"
# Folders and files of the package that users import by name.
ROOMS = (
    "clicks",
    "conventions",
    "datasets",
    "distributed",
    "inspection",
    "metrics",
    "model_selection",
    "preprocessing",
    "rankers",
    "reports",
)
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
    # Classes of scorers in version 0.1.0 of this package, and later ones.
    **{
        f"{kind}Scorer": "RankingScorer"
        for kind in ("Base", "Exposure", "Group", "Grouped", "Intent", "List", "Sampled", "Strata")
    },
}
# Metrics of scikit-learn whose mean over queries has a name here.
BY_QUERY = {
    "auc": "group_auc_score",
    "roc_auc_score": "group_auc_score",
    "average_precision_score": "map_score",
}


def find_missing(module: str, name: str, public: list[str], homes: Mapping[str, str] | None = None) -> Any:
    """Return what is imported when it is first asked for; of any other name say where it is.

    The former are the public folders of the package, and names with the file of the folder that has them,
    `homes`. For ``from sklearn_rank import name`` the error is an ImportError: Python drops the words of an
    AttributeError.
    """
    if homes is not None and name in homes:
        value = getattr(import_module(homes[name], module), name)
        setattr(sys.modules[module], name, value)
        return value
    if module == PACKAGE and name in ROOMS:
        return import_module(f"{module}.{name}")
    if name.startswith("_"):  # perhaps a file of the package: the error makes Python import it
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    hint = _find_name(name, public)
    message = f"module {module!r} has no attribute {name!r}{hint}"
    frame = currentframe()
    asked_by = frame.f_back.f_back if frame is not None and frame.f_back is not None else None
    importing = asked_by is not None and asked_by.f_code.co_name == "_handle_fromlist"  # of importlib
    raise ImportError(message, name=module) if hint and importing else AttributeError(message)


def _find_name(name: str, public: list[str]) -> str:
    """Say where a name is, or which names are like it."""
    places = [PACKAGE, *(f"{PACKAGE}.{room}" for room in ROOMS)]
    names_in = {place: getattr(import_module(place), "__all__", ()) for place in places}
    home = next((place for place, names in names_in.items() if name in names), None)
    if home is not None:
        return f": it is in {home}, from {home} import {name}"
    for theirs in map(import_module, ("sklearn.model_selection", "sklearn.metrics")):
        if name in theirs.__all__:
            ours = f". For the mean over queries there is {BY_QUERY[name]}" if name in BY_QUERY else ""
            return f": it is scikit-learn's, from {theirs.__name__} import {name}{ours}"
    known = dict.fromkeys(chain(public, *names_in.values()))
    near = [OTHER_NAMES[name]] if name in OTHER_NAMES else _list_near(name, list(known))
    return f". Did you mean {' or '.join(near)}?" if near else ""


def _list_near(name: str, known: list[str]) -> list[str]:
    """List names that are similar even without the ending `_score`, which most metrics have."""
    near = get_close_matches(name, known)
    return [each for each in near if get_close_matches(_cut_end(name), [_cut_end(each)], cutoff=0.5)]


def _cut_end(name: str) -> str:
    return re.sub(r"_?scor[a-z]*$", "", name)
