"""The libraries whose names are known, by the word that stands before a name."""

from .catboost import CATBOOST
from .ir_measures import IR_MEASURES
from .lightgbm import LIGHTGBM
from .ranx import RANX
from .recbole import RECBOLE
from .recommenders import RECOMMENDERS
from .scikit_learn import SKLEARN
from .table import Library
from .torchmetrics import TORCHMETRICS
from .trec_eval import TREC_EVAL
from .xgboost import XGBOOST

LIBRARIES: dict[str, Library] = {
    "trec_eval": TREC_EVAL,
    "ir_measures": IR_MEASURES,
    "ranx": RANX,
    "lightgbm": LIGHTGBM,
    "xgboost": XGBOOST,
    "catboost": CATBOOST,
    "sklearn": SKLEARN,
    "recommenders": RECOMMENDERS,
    "recbole": RECBOLE,
    "torchmetrics": TORCHMETRICS,
}
