"""Public calls that take rows, by their names in error messages."""

import re
from functools import partial
from inspect import signature

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error

import sklearn_rank
from tests.helpers.scorers import FACTORIES
from tests.helpers.table import METRICS, SCORE_OF

ROWS = ("y_true", "y_score", "groups", "sample_weight")
NAMES = [stem if entry.cutoff != "required" else f"{stem}@2" for stem, entry in METRICS.items()]
NAMES.remove("judged@2")  # it depends only on which labels are NaN
CURVES = ["group_roc_curve", "interpolated_precision_curve", "map_curve", "ndcg_curve"]
CURVES += ["precision_curve", "recall_curve"]

# Functions of labels, scores, ids and weights.
FUNCTIONS = {METRICS[stem].function.__name__: function for stem, function in SCORE_OF.items()}
FUNCTIONS |= {name: getattr(sklearn_rank.metrics, name) for name in CURVES}
FUNCTIONS["ranking_scores"] = partial(sklearn_rank.ranking_scores, metrics=NAMES)
FUNCTIONS["evaluate"] = partial(sklearn_rank.evaluate, metrics=NAMES)
FUNCTIONS["tie_report"] = partial(sklearn_rank.metrics.tie_report, metrics=NAMES)

MADE_WITH = {f"{FACTORIES[stem].__name__}": {"k": 2} for stem, e in METRICS.items() if e.cutoff == "required"}


class Echo(RegressorMixin, BaseEstimator):
    """A model that predicts X itself."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X


def _score(scorer, y_true, y_score, groups, sample_weight=None):
    """Score a model that predicts these scores."""
    return scorer(Echo(), y_score, y_true, groups=groups, sample_weight=sample_weight)


# Scorers called on a model, by their description.
_SCORERS = [factory(**MADE_WITH.get(factory.__name__, {})) for factory in FACTORIES.values()]
_SCORERS += [sklearn_rank.ranking_scorer(["ndcg@2", "map"]), sklearn_rank.get_scorer("rbp(p=0.5)")]
SCORERS = {scorer.describe(): partial(_score, scorer) for scorer in _SCORERS}


ITEMS = {"items": ["a", "b", "a", "b"]}
KNOWN = ITEMS | {"popularity": {"a": 0.5, "b": 0.25}}
# Functions of items take scores and ids, and some of them weights, but no labels.
LISTS = {
    "intra_list_similarity_loss": partial(sklearn_rank.intra_list_similarity_loss, X=np.eye(4)),
    "catalog_coverage_score": partial(sklearn_rank.catalog_coverage_score, **ITEMS),
    "exposure_gini_loss": partial(sklearn_rank.metrics.exposure_gini_loss, **ITEMS),
    "novelty_score": partial(sklearn_rank.metrics.novelty_score, **ITEMS, popularity={"a": 0.5, "b": 0.25}),
    "personalization_score": partial(sklearn_rank.metrics.personalization_score, **ITEMS),
    "average_popularity_loss": partial(sklearn_rank.metrics.average_popularity_loss, **KNOWN),
    "tail_share_score": partial(sklearn_rank.metrics.tail_share_score, **KNOWN),
    "diversity_score": partial(sklearn_rank.diversity_score, X=np.eye(4)),
    "calibration_loss": partial(sklearn_rank.metrics.calibration_loss, X=np.eye(4), history=np.ones((2, 4))),
    "serendipity_score": partial(
        sklearn_rank.metrics.serendipity_score, y_true=[1, 0, 1, 0], X=np.eye(4), history=np.ones((2, 4))
    ),
}
UNWEIGHTED_LISTS = ["catalog_coverage_score", "exposure_gini_loss", "personalization_score"]
WEIGHTED_LISTS = [name for name in LISTS if name not in UNWEIGHTED_LISTS]


def _per_group(groups, sample_weight=None):
    rows = [1, 0, 2, 0]
    given = {"groups": groups, "sample_weight": sample_weight}
    return sklearn_rank.group_score(mean_absolute_error, rows, rows, **given)


def _split(name, parameter, groups):
    others = {"groups": [0, 0, 1, 1]} if parameter == "times" else {}
    others |= {"times": [0, 1, 2, 3]} if parameter == "groups" and name in TIMED else {}
    splitter = getattr(sklearn_rank, name)(**FEW[name])
    return list(splitter.split(np.zeros((4, 1)), **others, **{parameter: groups}))


def _select(function, groups, **options):
    """Call a function of model selection."""
    rows = np.arange(4.0)
    return function(Ridge().fit(rows[:, None], rows), rows[:, None], rows, groups=groups, **options)


def _search(search, groups):
    rows = np.arange(4.0)
    return search.fit(rows[:, None], rows, groups=groups)


TIMED = ("LeaveLastOut", "GroupTimeSeriesSplit", "TimeCut")
FEW = {"LeaveLastOut": {}, "GroupTimeSeriesSplit": {"n_splits": 1}, "TimeCut": {}}
FEW |= {name: {"n_splits": 2} for name in ("BalancedGroupKFold", "WithinGroupKFold")}
FEW["RepeatedBalancedGroupKFold"] = {"n_splits": 2, "n_repeats": 2}
SELECTION_OPTIONS = {
    name: {"scoring": "mrr"} for name in ("cross_val_score", "cross_validate", "learning_curve")
}
SELECTION_OPTIONS |= {
    "cross_val_report": {"scoring": ["mrr"]},
    "cross_val_predict": {},
    "permutation_test_score": {"scoring": "mrr"},
}
SELECTION_OPTIONS |= {"validation_curve": {"scoring": "mrr", "param_name": "alpha", "param_range": [1, 2]}}
SELECTION_OPTIONS |= {"permutation_importance": {"scoring": "mrr"}}

# Other calls that take ids of rows: name in messages -> the call with only ids.
ID_CALLS = {"group_score": _per_group}
ID_CALLS |= {f"{name}.split": partial(_split, name, "groups") for name in FEW if name != "TimeCut"}
ID_CALLS["train_test_split"] = lambda groups: sklearn_rank.train_test_split(np.eye(4), groups=groups)
ID_CALLS["check_folds"] = lambda groups: sklearn_rank.model_selection.check_folds(
    2, np.eye(4), [1, 1, 1, 1], groups=groups
)
ID_CALLS |= {
    n: partial(_select, getattr(sklearn_rank, n), **options) for n, options in SELECTION_OPTIONS.items()
}
SEARCH = sklearn_rank.GridSearchCV(Ridge(), {"alpha": [1]}, scoring="mrr", cv=2)
ID_CALLS["GridSearchCV.fit"] = partial(_search, SEARCH)
TIME_CALLS = {f"{name}.split": partial(_split, name, "times") for name in TIMED}

CALLS = FUNCTIONS | SCORERS


def has_parameter(function, name):
    """Return whether a function has a parameter."""
    return name in signature(function).parameters


def list_bad(functions, bad):
    """List the invalid values of each parameter of each function, with the rule in the error message."""
    return [
        pytest.param(name, parameter, value, rule, id=f"{name}-{parameter}={value!r}")
        for name, function in functions.items()
        for parameter, (rule, values) in bad.items()
        for value in values
        if has_parameter(function, parameter)
    ]


GOOD = {"y_true": [1, 0, 2, 0], "y_score": [4.0, 3.0, 2.0, 1.0], "groups": [0, 0, 1, 1]}
UNREADABLE = {"y_true": object(), "y_score": [float("nan")], "groups": [None, 1], "sample_weight": "x"}


def assert_rejected(call, name, arguments, parameter, rule="", got=""):
    """Check that the error names the parameter, the function, the rule and the value."""
    with pytest.raises((ValueError, TypeError)) as error:
        call(**arguments)
    assert str(error.value).startswith(f"The '{parameter}' parameter of {name} must {rule}")
    assert re.search(rf"\. Got .*{got}.* instead\.( |$)", str(error.value), re.DOTALL), str(error.value)
