"""The libraries whose names are known, by the word that stands before a name."""

from .table import Library
from .trec_eval import TREC_EVAL

LIBRARIES: dict[str, Library] = {"trec_eval": TREC_EVAL}
