"""Fixtures for several folders, and a check of the tested package."""

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import sklearn_rank
from sklearn_rank import BalancedGroupKFold, ndcg_score
from sklearn_rank.datasets import make_ranking
from tests.helpers.covering import list_redundant
from tests.helpers.id_models import ChecksIds
from tests.helpers.message_lengths import limited_messages
from tests.helpers.pages import ROOT

SMOKE = (ROOT / "tests" / "engine", ROOT / "tests" / "metrics" / "test_ties.py")
TESTED = Path(sklearn_rank.__file__).resolve().parent


def pytest_configure():
    """Raise an error if tox would test the checkout instead of the installed package."""
    if "TOX_ENV_NAME" in os.environ and TESTED == ROOT / "sklearn_rank":
        raise pytest.UsageError(f"tox must test the installed package, not the checkout {TESTED}")


def pytest_report_header():
    """Return a line with the path of the tested package."""
    return f"tested: {TESTED}"


@pytest.hookimpl(tryfirst=True)  # before tests are deselected by their marks
def pytest_collection_modifyitems(items):
    """Mark redundant combinations as thorough, and skip doctests that need missing packages."""
    for item in list_redundant(items):
        item.add_marker(pytest.mark.thorough)
    for item in items:
        is_quick = not any(map(item.get_closest_marker, ("slow", "thorough")))
        if is_quick and any(item.path.is_relative_to(path) for path in SMOKE):
            item.add_marker(pytest.mark.smoke)
        if isinstance(item, pytest.DoctestItem):
            needed = re.findall(r"^ *>>> import (\w+)$", item.dtest.docstring, re.MULTILINE)
            for missing in (name for name in needed if find_spec(name) is None):
                item.add_marker(pytest.mark.skip(reason=f"could not import {missing!r}"))


@pytest.fixture(scope="session", autouse=True)
def limit_messages():
    """Fail tests in which a message of the package is too long."""
    with limited_messages():
        yield


@pytest.fixture(autouse=True)
def close_figures():
    """Close the figures that a test leaves open, because matplotlib warns of more than 20."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(scope="session")
def queries():
    """Shuffled rows of 60 queries: labels 0 to 4, scores with ties, string ids."""
    rng = np.random.default_rng(0)
    groups = np.array([f"q{i:02d}" for i in range(60)])[rng.integers(0, 60, 700)]
    y_true = rng.integers(0, 5, 700) * (rng.random(700) < 0.4)
    y_score = (rng.standard_normal(700) + 0.5 * y_true).round(1)
    return y_true, y_score, groups


@pytest.fixture(scope="session")
def ranking_data():
    """Features, grades and ids of 60 queries, rows shuffled."""
    return make_ranking(n_queries=60, n_documents=(4, 14), n_features=5, shuffle=True, random_state=0)


@pytest.fixture(scope="session")
def model(ranking_data):
    """A model that is fitted to the features and grades of `ranking_data`."""
    X, y, _ = ranking_data
    return Ridge().fit(X, y)


@pytest.fixture(params=[False, True], ids=["routing off", "routing on"])
def routing(request):
    """Run a test with scikit-learn's metadata routing disabled and enabled."""
    with config_context(enable_metadata_routing=request.param):
        yield request.param


@pytest.fixture(scope="session")
def folds(ranking_data):
    """Three folds of the queries of `ranking_data`."""
    return list(BalancedGroupKFold(3).split(*ranking_data))


@pytest.fixture(scope="session")
def by_hand(ranking_data, folds):
    """Score a model by a loop over the folds: clone, fit, predict, metric."""
    X, y, groups = ranking_data

    def score(model, metric=ndcg_score, folds=folds, **options):
        values = []
        for train, test in folds:
            fit = clone(model).fit(X[train], y[train])
            values.append(metric(y[test], fit.predict(X[test]), groups=groups[test], **options))
        return values

    return score


@pytest.fixture
def with_ids(ranking_data):
    """A model that checks its ids, and features whose last column repeats them."""
    X, _, groups = ranking_data
    return ChecksIds(), np.column_stack([X, groups])


@pytest.fixture(params=["index of X", "index of y", "column of X"])
def data_with_ids(request, ranking_data):
    """Data that contain the ids under the name qid, and a model that does not train on them."""
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    frame, index = pandas.DataFrame(X).add_prefix("x"), pandas.Index(groups, name="qid")
    if request.param == "index of X":
        return Ridge(), frame.set_index(index), y
    if request.param == "index of y":
        return Ridge(), X, pandas.Series(y, index=index)
    drop = make_column_transformer(("drop", ["qid"]), remainder="passthrough")
    return make_pipeline(drop, Ridge()), frame.assign(qid=groups), y


@pytest.fixture(params=[False, True], ids=["all retrieved", "some not retrieved"])
def rows(request):
    """Three users in mixed order, of three to six items each, with tied scores."""
    rng = np.random.default_rng(1)
    groups = np.repeat(["u", "v", "w"], [3, 5, 6])
    items = np.concatenate([rng.permutation(9)[:n] for n in (3, 5, 6)])
    X = rng.integers(-2, 3, (14, 3)).astype(float)
    X[2] = 0
    y_score = rng.integers(0, 3, 14).astype(float)
    if request.param:
        y_score[[1, 5, 12]] = -np.inf
    mixed = rng.permutation(14)
    return {"groups": groups[mixed], "items": items[mixed], "X": X[mixed], "y_score": y_score[mixed]}


@pytest.fixture(scope="session")
def weights(ranking_data):
    """A weight for each row."""
    return np.random.default_rng(0).random(len(ranking_data[0]))
