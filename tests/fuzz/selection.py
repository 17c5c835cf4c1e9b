"""Calls with a model, rows and ids: cross-validation, searches, importance and the pairwise ranker."""

import warnings
from functools import partial

import numpy as np
import sklearn.inspection
import sklearn.model_selection
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold

import sklearn_rank
from sklearn_rank.model_selection import HalvingGridSearchCV
from sklearn_rank.rankers import PairwiseRanker

from .draws import OPTIONS, choose
from .models import Grades, Line
from .target import Target

SCORINGS = ["ndcg@2", "map", "neg_bpr_loss", "r2", "neg_mean_absolute_error", None, ["mrr", "ndcg"]]
SCORINGS += [{"a": "map", "b": "r2"}, sklearn_rank.map_scorer(), sklearn_rank.ndcg_scorer(k=2)]
SCORINGS += [sklearn_rank.ranking_scorer(["ndcg@2", "map"]), lambda estimator, X, y: 1.0]
SCORINGS += [lambda estimator, X, y, groups: float(len(groups))]
FOLDS = [2, 3, None, sklearn_rank.BalancedGroupKFold(2), GroupKFold(2), KFold(2)]
FOLDS += [sklearn_rank.WithinGroupKFold(2), [([0, 1], [2, 3])], [(np.arange(3), np.array([3]))]]
IDS = [[0, 1, 2, 3, 4], ["a", "b", "c"], [(1, "a"), (1, "b"), (2, "a")], [0.5, 1e300, 3]]

OF_SCORES = {"scoring": SCORINGS, "params": [None, {}]}
OF_SEARCHES = {"scoring": SCORINGS, "refit": [True, False, "a"], "return_train_score": [True, False]}
OF_IMPORTANCE = {"scoring": SCORINGS, "random_state": OPTIONS["random_state"]}
OF_IMPORTANCE |= {"within_groups": [False, True], "max_samples": [1.0, 0.5, 1]}
OF_PAIRS = {"max_pairs": [None, 2], "random_state": OPTIONS["random_state"]}
VALUES = [[0, 1], [2]]
SIZES = [[0.5, 1.0], [1, 2], np.array([1])]
REQUIRED = ("scoring", "param_range", "train_sizes")
STRICT = {"error_score": "raise"}  # errors must not become nan

# Functions whose messages these calls can raise.
FACTORIES = [
    getattr(sklearn_rank.metrics, name) for name in sklearn_rank.metrics.__all__ if name.endswith("_scorer")
]
INNER_FUNCTIONS = [*FACTORIES, sklearn_rank.BalancedGroupKFold, sklearn_rank.BalancedGroupKFold.split]
INNER_FUNCTIONS += [sklearn_rank.WithinGroupKFold, sklearn_rank.WithinGroupKFold.split]


class Learner(Line):
    """A regressor with a parameter."""

    def __init__(self, learns=0):
        self.learns = learns


MODELS = [Learner(), Learner(), Grades()]


def draw_folds(random, options=(), without=()):
    """Draw a model, rows of queries, folds and options."""
    n = random.randint(4, 12)
    given = {"estimator": random.choice(MODELS), "cv": random.choice(FOLDS)}
    given["X"] = [[random.choice([0.0, 1.0, 2.0]), random.random()] for _ in range(n)]
    given["y"] = random.choices(random.choice([[0, 1], [0, 1, 2, 3, 4], [0.0, 1.0]]), k=n)
    given["groups"] = random.choices(random.choice(IDS), k=n)
    given |= choose(random, dict(options), [name for name in REQUIRED if name in options])
    return {name: value for name, value in given.items() if name not in without}


# ---------------------------------------------------------------------------- calls


def _search(search, estimator, X, y=None, groups=None, **options):
    """Make and fit a search; scikit-learn's searches get no ids."""
    ids = {} if groups is None else {"groups": groups}
    return search(estimator, {"learns": [0, 1]}, error_score="raise", **options).fit(X, y, **ids)


def _rank_pairs(X, y=None, groups=None, **options):
    return PairwiseRanker(LogisticRegression(), **options).fit(X, y, groups=groups).predict(X)


def _fit_rows(X, y=None, **options):
    return LogisticRegression().fit(X, y)


def _importance(X, y=None, within_groups=False, **options):
    return sklearn.inspection.permutation_importance(X=X, y=y, n_repeats=1, **options)


def without_ids(theirs, given):
    """Call scikit-learn's function without ids and without our scorers, and return the error, if any."""
    given = {name: value for name, value in given.items() if name != "groups"}
    for name, right, neutral in (("scoring", SCORINGS, None), ("cv", FOLDS, 2)):
        if name in given and any(given[name] is one for one in right):
            given[name] = neutral
    with warnings.catch_warnings(action="ignore"):
        try:
            theirs(**given)
        except Exception as error:
            return error
    return None


# ---------------------------------------------------------------------------- checks of results


def _check_scores(result, given):
    parts = result if isinstance(result, tuple) else (result,)
    known = parts and all(np.asarray(part).dtype.kind in "fiu" for part in parts)
    return None if known else f"{result!r} instead of scores"


def _check_predictions(result, given):
    known = isinstance(result, np.ndarray) and len(result) == len(given["X"])
    return None if known else f"{result!r} instead of a prediction per row"


def _check_dict(result, given):
    return None if isinstance(result, dict) and result else f"{result!r} instead of results"


def _check_search(result, given):
    return None if len(result.cv_results_["params"]) > 1 else "a search without results"


# Name, fixed arguments that are not spoiled, random arguments, and check of the result.
FUNCTIONS = [
    ("cross_val_score", STRICT, OF_SCORES, _check_scores),
    ("cross_validate", STRICT, OF_SCORES | {"return_train_score": [True, False]}, _check_dict),
    ("cross_val_predict", {}, {"method": ["predict"]}, _check_predictions),
    (
        "validation_curve",
        STRICT | {"param_name": "learns"},
        OF_SCORES | {"param_range": VALUES},
        _check_scores,
    ),
    ("learning_curve", STRICT, OF_SCORES | {"train_sizes": SIZES}, _check_scores),
    ("permutation_test_score", {"n_permutations": 2}, {"scoring": SCORINGS}, _check_scores),
]


def _targets():
    for name, fixed, options, check in FUNCTIONS:
        ours, theirs = (getattr(module, name) for module in (sklearn_rank, sklearn.model_selection))
        calls = (partial(ours, **fixed), partial(theirs, **fixed))
        yield calls, partial(draw_folds, options=options), check, (ours,)
    for ours in (sklearn_rank.GridSearchCV, HalvingGridSearchCV):
        calls = (partial(_search, ours), partial(_search, getattr(sklearn.model_selection, ours.__name__)))
        yield calls, partial(draw_folds, options=OF_SEARCHES), _check_search, (ours, ours.fit)
    importance = sklearn_rank.permutation_importance
    calls = (partial(importance, n_repeats=1), _importance)
    yield calls, partial(draw_folds, options=OF_IMPORTANCE, without=["cv"]), _check_dict, (importance,)
    calls = (_rank_pairs, _fit_rows)
    draw = partial(draw_folds, options=OF_PAIRS, without=["cv", "estimator"])
    yield calls, draw, _check_predictions, (PairwiseRanker, PairwiseRanker.fit)


SELECTION = [
    Target(ours, draw, check, (*functions, *INNER_FUNCTIONS), theirs=theirs)
    for (ours, theirs), draw, check, functions in _targets()
]
