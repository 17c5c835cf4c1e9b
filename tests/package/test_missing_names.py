"""Errors for missing names, which suggest imports that work."""

import pickle
import re
import subprocess
import sys
import types
from importlib import import_module

import pytest

import sklearn_rank
import sklearn_rank.clicks
import sklearn_rank.datasets
import sklearn_rank.preprocessing
import sklearn_rank.rankers
from sklearn_rank import RankingWarning
from sklearn_rank._checks import find_missing
from tests.helpers.pages import table_rows

SUBPACKAGES = ("clicks", "datasets", "inspection", "metrics", "model_selection", "preprocessing", "rankers")
PLACES = [
    (name, f"sklearn_rank.{subpackage}")
    for subpackage in SUBPACKAGES
    for name in getattr(sklearn_rank, subpackage).__all__
    if name not in sklearn_rank.__all__
]
PLACES += [("GroupKFold", "sklearn.model_selection"), ("StratifiedGroupKFold", "sklearn.model_selection")]
PLACES += [
    ("auc", "sklearn.metrics"),
    ("roc_auc_score", "sklearn.metrics"),
    ("make_scorer", "sklearn.metrics"),
]


def message_of(module, name):
    """Return the error message of a missing attribute, which must equal that of the import."""
    with pytest.raises(AttributeError) as by_attribute:
        getattr(sys.modules[module], name)
    with pytest.raises(ImportError) as by_import:
        exec(f"from {module} import {name}")
    assert str(by_import.value) == str(by_attribute.value)
    return str(by_import.value)


@pytest.mark.parametrize(("name", "home"), PLACES)
def test_missing_name_error_names_the_subpackage(name, home):
    message = message_of("sklearn_rank", name)
    start = re.escape(f"module 'sklearn_rank' has no attribute '{name}'. ")
    assert re.match(f"{start}(Import it from {home}|It is part of scikit-learn): ", message)
    code = re.search(rf"from {home} import {name}", message)[0]
    try:
        exec(code)
    except ImportError as error:  # the optional package is not installed
        assert "pip install" in str(error)


def test_changelog_table_lists_moved_names():
    moved = [
        (home.strip("`"), name.strip("`"))
        for home, names in table_rows("changelog.md", "| now in")
        for name in names.split(", ")
    ]
    for home, name in moved:
        assert message_of("sklearn_rank", name).endswith(f"from {home} import {name}")
    assert len(moved) == 62


# In another process, because the subpackages are already imported in this one.
@pytest.mark.thorough
@pytest.mark.parametrize("code", ["from sklearn_rank import {}", "import sklearn_rank; sklearn_rank.{}"])
@pytest.mark.parametrize("subpackage", ["datasets", "preprocessing", "rankers"])
def test_subpackage_is_imported_on_first_access(subpackage, code):
    done = subprocess.run([sys.executable, "-c", code.format(subpackage)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert sklearn_rank.__getattr__(subpackage) is sys.modules[f"sklearn_rank.{subpackage}"]


@pytest.mark.parametrize("module", ["sklearn_rank", "sklearn_rank.metrics"])
def test_missing_name_without_a_hint_raises_attribute_error(module):
    assert __import__(module, fromlist=["dummy"]) is sys.modules[module]
    assert not hasattr(sys.modules[module], "_ndcg_score")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ndcg_at_k", "ndcg_score"),
        ("map_at_k", "map_score"),
        ("mean_average_precision", "map_score"),
        ("mean_reciprocal_rank", "mrr_score"),
        ("reciprocal_rank", "mrr_score"),
        ("hit_rate", "hit_rate_at_k_score"),
        ("gauc", "group_auc_score"),
        ("precision_at_k", "precision_at_k_score"),
        ("recall_at_k", "recall_at_k_score"),
        ("ncdg_score", "ndcg_score"),
        ("GridsearchCV", "GridSearchCV"),
        ("LGBRanker", "LGBMRanker"),
        ("BalancedGroupKfold", "BalancedGroupKFold"),
    ],
)
def test_missing_name_error_suggests_our_name(name, expected):
    message = message_of("sklearn_rank", name)
    assert re.search(r"Did you mean (\w+)", message)[1] == expected
    homes = [sklearn_rank, sklearn_rank.rankers]
    assert any(expected in home.__all__ for home in homes)


@pytest.mark.parametrize(
    ("name", "ours"), [("auc", "group_auc_score"), ("average_precision_score", "map_score")]
)
def test_missing_name_error_suggests_the_mean_over_queries(name, ours):
    assert message_of("sklearn_rank", name).endswith(f"For the mean over queries, use {ours}")


@pytest.mark.parametrize(
    ("module", "name", "code"),
    [
        ("metrics", "LGBMRanker", "from sklearn_rank.rankers import LGBMRanker"),
        ("rankers", "ndcg_score", "from sklearn_rank import ndcg_score"),
        ("model_selection", "GroupKFold", "from sklearn.model_selection import GroupKFold"),
        ("model_selection", "ndcg_scorer", "from sklearn_rank import ndcg_scorer"),
        ("datasets", "ndcg_score", "from sklearn_rank import ndcg_score"),
        ("inspection", "GridSearchCV", "from sklearn_rank import GridSearchCV"),
        ("preprocessing", "PairwiseRanker", "from sklearn_rank.rankers import PairwiseRanker"),
        # names that were in metrics in 0.1.0
        ("metrics", "from_recommendations", "from sklearn_rank import from_recommendations"),
        ("metrics", "from_score_matrix", "from sklearn_rank import from_score_matrix"),
    ],
)
def test_missing_name_error_of_subpackages_names_the_import(module, name, code):
    assert message_of(f"sklearn_rank.{module}", name).endswith(code)
    exec(code)


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        ("datasets", "make_rankings", "make_ranking"),
        ("inspection", "permutation_importances", "permutation_importance"),
        ("preprocessing", "WithinGroupsScaler", "WithinGroupScaler"),
    ],
)
def test_missing_name_error_of_subpackages_suggests_corrections(module, name, expected):
    message = message_of(f"sklearn_rank.{module}", name)
    assert re.search(r"Did you mean (\w+)", message)[1] == expected
    exec(f"from sklearn_rank.{module} import {expected}")


@pytest.mark.parametrize(
    "module", ["sklearn_rank", *(f"sklearn_rank.{subpackage}" for subpackage in SUBPACKAGES)]
)
def test_modules_have_no_names_of_hints(module):
    subpackage = sys.modules[module]
    assert not hasattr(subpackage, "GroupKFold")
    assert getattr(subpackage, "mapk", 7) == 7
    assert "LGBMRanker" not in dir(subpackage) or module == "sklearn_rank.rankers"
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'qzxv'$"):
        getattr(subpackage, "qzxv")  # noqa: B009
    with pytest.raises(AttributeError, match=r"has no attribute '_private'$"):
        getattr(subpackage, "_private")  # noqa: B009


def test_pickle_fails_normally_for_a_function_without_module():
    # pickle looks up the name in all modules and handles only AttributeError.
    function = types.FunctionType((lambda: 7).__code__, {}, "GroupKFold")
    function.__module__ = None
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(function)


@pytest.mark.slow
def test_interpreter_shows_the_hint_of_a_missing_name():
    code = "from sklearn_rank import LGBMRanker"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.strip().endswith(
        "Import it from sklearn_rank.rankers: from sklearn_rank.rankers import LGBMRanker"
    )
    assert "ImportError" in done.stderr


def test_ranking_warning_is_named_as_it_is_imported():
    assert f"{RankingWarning.__module__}.{RankingWarning.__name__}" == "sklearn_rank.RankingWarning"
    assert pickle.loads(pickle.dumps(RankingWarning("few"))).args == ("few",)


def test_find_missing_imports_a_subpackage():
    found = find_missing("sklearn_rank", "metrics", [])
    assert found is import_module("sklearn_rank.metrics")


@pytest.mark.parametrize("name", ["k_core", "score_core", "z_score"])
def test_missing_name_error_suggests_nothing_for_unrelated_names(name):
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'$"):
        getattr(sklearn_rank, name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("ndgc_score", "ndcg_score"), ("mrr_scores", "mrr_score"), ("map_scor", "map_score")],
)
def test_missing_name_error_suggests_misspelled_metrics(name, expected):
    assert f"Did you mean {expected}" in message_of("sklearn_rank", name)
