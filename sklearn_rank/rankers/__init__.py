"""Rankers with query ids as scikit-learn estimators, most of them from other libraries."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._checks import find_missing
from ._eval_metric import as_eval_metric
from ._pairwise import PairwiseRanker

if TYPE_CHECKING:
    from ._catboost import CatBoostRanker
    from ._lightgbm import LGBMRanker
    from ._xgboost import XGBRanker

__all__ = ["CatBoostRanker", "LGBMRanker", "PairwiseRanker", "XGBRanker", "as_eval_metric"]

_HOMES = {
    "CatBoostRanker": ("._catboost", "catboost"),
    "LGBMRanker": ("._lightgbm", "lightgbm"),
    "XGBRanker": ("._xgboost", "xgboost"),
}


def __getattr__(name: str) -> Any:
    """Import a ranker and its library at first use."""
    if name not in _HOMES:
        return find_missing(__name__, name, __all__)
    module, library = _HOMES[name]
    try:
        return getattr(import_module(module, __name__), name)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        raise ImportError(f"{name} needs {library}: pip install {library}") from error


def __dir__() -> list[str]:
    return __all__
