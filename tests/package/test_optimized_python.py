"""The package in Python without docstrings and asserts."""

import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_rank

CODE = """
import sklearn_rank
from sklearn_rank.metrics import METRICS, explain
for name in sklearn_rank.__all__:
    getattr(sklearn_rank, name)
print(repr(sklearn_rank.ndcg_scorer(k=10)), explain("ndcg@10"))
print(sklearn_rank.evaluate([1, 0, 1, 0], [2, 1, 1, 2], groups=[1, 1, 2, 2], metrics=["mrr", "ndcg@1"]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_package_works_without_docstrings(option):
    folder = Path(sklearn_rank.__file__).parents[1]
    done = subprocess.run([sys.executable, option, "-c", CODE], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "mrr     0.75" in done.stdout
