"""Arrays of the array API standard, wherever scikit-learn's cross-validation accepts them."""

import os
import subprocess
import sys

import pytest

from tests.helpers.forms import SCIKIT_LEARN_VERSION

SCRIPT = """
import importlib, sys
import numpy as np
import sklearn
from sklearn.linear_model import Ridge
from sklearn_rank import *
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection import HalvingGridSearchCV
from sklearn_rank.preprocessing import WithinGroupScaler
from sklearn_rank.rankers import PairwiseRanker

library = importlib.import_module(sys.argv[1])
data = make_ranking(n_queries=40, n_documents=(4, 9), n_features=3, shuffle=True, random_state=0)
model, grid = Ridge(solver="svd"), {"alpha": [1.0, 9.0]}
scored = {"scoring": "ndcg@5", "cv": 2}
curve = {"train_sizes": [10], **scored}
values = {"param_name": "alpha", "param_range": [1.0, 9.0], **scored}
drawn = {"random_state": 0, **scored}
repeats = {"scoring": "ndcg@5", "random_state": 0, "n_repeats": 2, "max_samples": 20}
CALLS = {
    "cross_val_score": lambda X, y, ids: cross_val_score(model, X, y, groups=ids, **scored),
    "cross_val_predict": lambda X, y, ids: cross_val_predict(model, X, y, groups=ids, cv=2),
    "learning_curve": lambda X, y, ids: learning_curve(model, X, y, groups=ids, **curve)[2],
    "validation_curve": lambda X, y, ids: validation_curve(model, X, y, groups=ids, **values)[1],
    "permutation_test_score": lambda X, y, ids: permutation_test_score(
        model, X, y, groups=ids, n_permutations=2, **drawn
    )[1],
    "GridSearchCV": lambda X, y, ids: GridSearchCV(model, grid, **scored).fit(X, y, groups=ids).best_score_,
    "HalvingGridSearchCV": lambda X, y, ids: HalvingGridSearchCV(model, grid, **drawn)
    .fit(X, y, groups=ids)
    .best_score_,
    "permutation_importance": lambda X, y, ids: permutation_importance(
        Ridge(solver="svd").fit(X, y), X, y, groups=ids, **repeats
    ).importances,
    "PairwiseRanker": lambda X, y, ids: PairwiseRanker(Ridge(), random_state=0)
    .fit(X, y, groups=ids)
    .predict(X),
    "WithinGroupScaler": lambda X, y, ids: WithinGroupScaler().fit_transform(X, groups=ids),
}
for name, call in CALLS.items():
    expected = np.asarray(call(*data))
    with sklearn.config_context(array_api_dispatch=True):
        got = np.asarray(call(*map(library.asarray, data)))
    np.testing.assert_allclose(got, expected, atol=1e-9, err_msg=name)
print(len(CALLS))
"""


@pytest.mark.slow
@pytest.mark.parametrize("library", ["array_api_strict", "torch"])
def test_functions_give_the_same_for_array_api_and_numpy_arrays(library):
    pytest.importorskip(library)
    if SCIKIT_LEARN_VERSION < (1, 7):
        pytest.importorskip("array_api_compat")
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}  # read when scipy is imported
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, library]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) == 10
