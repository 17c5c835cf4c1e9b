"""Oracles by the names that docs/trust.md uses."""

from .arrays import SCIKIT_LEARN, SCIPY, TORCHMETRICS
from .boosters import CATBOOST, LIGHTGBM, XGBOOST
from .compare import Oracle
from .embeddings import BEIR_SEARCH, MTEB_TASK, SENTENCE_SEARCH
from .intents import NDEVAL
from .retrieval import BEIR, MTEB, RERANKERS, SENTENCE_TRANSFORMERS
from .trec import GDEVAL, IR_MEASURES, PYTREC_EVAL, RANX

ORACLES: dict[str, Oracle] = {
    "scikit-learn": SCIKIT_LEARN,
    "scipy": SCIPY,
    "trec_eval (pytrec_eval-terrier)": PYTREC_EVAL,
    "LightGBM": LIGHTGBM,
    "XGBoost": XGBOOST,
    "CatBoost": CATBOOST,
    "ndeval (pyndeval)": NDEVAL,
    "ranx": RANX,
    "ir_measures": IR_MEASURES,
    "gdeval (ir_measures)": GDEVAL,
    "torchmetrics": TORCHMETRICS,
    "BEIR": BEIR,
    "MTEB": MTEB,
    "sentence-transformers": SENTENCE_TRANSFORMERS,
    "BEIR, search": BEIR_SEARCH,
    "MTEB, task": MTEB_TASK,
    "sentence-transformers, search": SENTENCE_SEARCH,
    "sentence-transformers, rerankers": RERANKERS,
}
