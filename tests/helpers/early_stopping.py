"""Rankers with early stopping, and their rows for training and validation."""

import pytest

import sklearn_rank.rankers
from sklearn_rank import map_scorer
from sklearn_rank.datasets import make_ranking
from tests.helpers.rankers import LIBRARIES, STOPPED

X, Y, GROUPS = make_ranking(n_queries=60, shuffle=True, random_state=0)
HELD_OUT = GROUPS % 4 == 0
TRAIN = {"X": X[~HELD_OUT], "y": Y[~HELD_OUT], "groups": GROUPS[~HELD_OUT]}
PAIRS = {"eval_set": [(X[HELD_OUT], Y[HELD_OUT])], "eval_groups": [GROUPS[HELD_OUT]]}
MAP = map_scorer(k=10)


def make_stopping(name, metric=MAP):
    """Return a ranker whose stopping metric is passed unchanged."""
    pytest.importorskip(LIBRARIES[name])
    patience = "early_stopping_round" if name == "LGBMRanker" else "early_stopping_rounds"
    stop_by = {"metric" if name == "LGBMRanker" else "eval_metric": metric}
    return getattr(sklearn_rank.rankers, name)(**STOPPED[name], **{patience: 4}, **stop_by)


PATIENCE = {"LGBMRanker": "early_stopping_round"}


def make_holdout(name, metric=MAP, **options):
    """Return a ranker that holds out a fifth of the queries and stops by a metric."""
    pytest.importorskip(LIBRARIES[name])
    patience = {PATIENCE.get(name, "early_stopping_rounds"): 4}
    stop_by = {"metric" if name == "LGBMRanker" else "eval_metric": metric}
    given = STOPPED[name] | patience | stop_by | {"validation_fraction": 0.2} | options
    return getattr(sklearn_rank.rankers, name)(**given)
