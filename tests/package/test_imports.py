"""Imports: subpackages and the evaluation of small files import only numpy."""

import ast
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.metrics import mean_absolute_error

import sklearn_rank

SLOW = {"joblib", "matplotlib", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
SUBPACKAGES = ["datasets", "inspection", "metrics", "model_selection", "reports"]
WITHOUT_SCIKIT_LEARN = [
    "clicks",
    "datasets",
    "inspection",
    "metrics",
    "reports",
]  # these do not import scikit-learn
RUN = "a Q0 x 1 0.9 t\na Q0 y 2 0.8 t\nb Q0 x 1 0.5 t\n"
QRELS = "a 0 y 1\nb 0 x 1\n"
READ = """
from sklearn_rank import evaluate, from_run, ranking_scores
y_true, y_score, groups = from_run("qrels", "run")
given = {"groups": groups, "metrics": ["mrr", "precision@1"], "unjudged": "nonrelevant"}
"""


def run_in_new_process(code, folder=None):
    """Run code in a new process; return its output and the imported modules."""
    end = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    call = [sys.executable, "-W", "error", "-c", code + end]
    done = subprocess.run(call, capture_output=True, text=True, check=True, cwd=folder)
    *printed, modules = done.stdout.splitlines()
    return printed, set(json.loads(modules))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "qrels").write_text(QRELS)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("subpackage", WITHOUT_SCIKIT_LEARN)
def test_subpackage_imports_only_numpy(subpackage):
    assert run_in_new_process(f"import sklearn_rank.{subpackage}")[1] & SLOW == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    "call", ["ranking_scores(y_true, y_score, **given)", "evaluate(y_true, y_score, **given).mean"]
)
def test_evaluation_of_small_files_imports_only_numpy(call, folder):
    printed, modules = run_in_new_process(f"{READ}print({call})", folder)
    assert printed == ["{'mrr': 0.75, 'precision@1': 0.5}"]
    assert modules & SLOW == set()


@pytest.mark.slow
def test_evaluation_of_parquet_does_not_import_pandas(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    labels, scores = [1, 0, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    parquet.write_table(
        arrow.table({"qid": [1, 1, 2, 2, 3], "label": labels, "score": scores}), tmp_path / "rows.parquet"
    )
    columns = '"label", "score", groups="qid", data="rows.parquet", metrics=["mrr"]'
    code = f"from sklearn_rank import evaluate\nprint(evaluate({columns}).mean)"
    printed, modules = run_in_new_process(code, tmp_path)
    assert printed == ["{'mrr': 0.8333333333333334}"]
    assert modules & SLOW == {"pyarrow"}


@pytest.mark.slow
def test_intervals_do_not_import_scipy_stats(folder):
    printed, modules = run_in_new_process(f"{READ}print(evaluate(y_true, y_score, **given))", folder)
    assert printed[0] == "2 queries, 95% confidence intervals over queries"
    assert modules & SLOW == {"scipy"}
    assert "scipy.stats" not in modules


@pytest.mark.slow
@pytest.mark.parametrize(("n_rows", "expected"), [(10_000, False), (50_000, True)])
def test_pyarrow_is_imported_only_for_large_files(n_rows, expected, folder):
    pytest.importorskip("pyarrow")
    lines = [f"a Q0 {f'd{row}' if row else 'y'} 1 {-row} run_of_test\n" for row in range(n_rows)]
    (folder / "run").write_text("".join([*lines, "b Q0 x 1 0.5 run_of_test\n"]))
    modules = run_in_new_process(f"{READ}", folder)[1]
    assert ("pyarrow" in modules, "pandas" in modules) == (expected, False)


# ------------------------------------------------------------------ lazy names


@pytest.mark.slow
@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_lazy_names_are_listed_by_dir(subpackage):
    code = f"import sklearn_rank.{subpackage} as module\nprint(set(module.__all__) - set(dir(module)))"
    assert run_in_new_process(code)[0] == ["set()"]


def find_late_imports(path):
    """Return the module of each name that a file imports only for type checkers."""
    blocks = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.If)]
    shown = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: "." * node.level + str(node.module) for node in shown for alias in node.names}


# The stub of metrics is written from its lazy names.
@pytest.mark.parametrize("subpackage", [subpackage for subpackage in SUBPACKAGES if subpackage != "metrics"])
def test_lazy_names_are_imported_for_type_checkers(subpackage):
    module = __import__(f"sklearn_rank.{subpackage}", fromlist=["_HOMES"])
    assert find_late_imports(Path(module.__file__)) == module._HOMES


@pytest.mark.thorough
@pytest.mark.parametrize(
    "scorer",
    [
        sklearn_rank.ndcg_scorer(k=3),
        sklearn_rank.ranking_scorer(["map", "mrr"]),
        sklearn_rank.neg_intra_list_similarity_loss_scorer(k=3),
        sklearn_rank.make_group_scorer(mean_absolute_error),
    ],
    ids=lambda scorer: scorer.describe().partition("(")[0],
)
def test_scorers_are_unpickled_in_a_new_process(scorer):
    code = f"import pickle\nprint(pickle.loads({pickle.dumps(scorer)!r}).describe())"
    assert run_in_new_process(code)[0] == [scorer.describe()]
