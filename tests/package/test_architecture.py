"""The house rules that a reader of the code relies on."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_rank

PACKAGE = Path(sklearn_rank.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
OPTIONAL = ["catboost", "dask", "lightgbm", "matplotlib", "pandas", "polars", "pyarrow", "xgboost"]

# What each room may import of the others: arrows go one way.
ROOMS = {
    "_checks": set(),
    "_engine": {"_checks"},
    "_models": {"_checks"},
    "metrics": {"_checks", "_engine", "_models"},
    "_splitters": {"_checks", "_models"},
    "_routing": {"_checks", "_models", "_splitters", "metrics"},
    "model_selection": {"_checks", "_models", "_routing", "_splitters"},
    "rankers": {"_checks", "_engine", "metrics", "model_selection"},
    "inspection": {"_checks", "_models", "_routing", "metrics"},
    "preprocessing": {"_checks"},
    "datasets": {"_checks"},
    "conventions": set(),
    "__init__": {"_checks", "conventions", "datasets", "inspection", "metrics", "model_selection"},
}


def imports(path):
    """Yield the full dotted name of everything that a file imports, wherever it stands."""
    package = ["sklearn_rank", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_go_one_way(path):
    rooms = {name.split(".")[1] for name in imports(path) if name.startswith("sklearn_rank.")}
    assert rooms - {room_of(path)} <= ROOMS[room_of(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_room_reaches_into_the_private_files_of_another(path):
    others = [name.split(".")[1:] for name in imports(path) if name.startswith("sklearn_rank.")]
    inside = [parts for parts in others if parts[0] != room_of(path)]
    assert [parts for parts in inside if any(part.startswith("_") for part in parts[1:])] == []


def test_at_the_top_lie_folders_and_what_users_import():
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files == {"__init__.py", "conventions.py", "py.typed"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_public_names_of_other_packages(path):
    theirs = [name for name in imports(path) if not name.startswith("sklearn_rank.")]
    private = [name for name in theirs if any(part.startswith("_") for part in name.split("."))]
    assert [name for name in private if not name.startswith("__future__")] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_is_read_in_one_sitting(path):
    assert len(path.read_text().splitlines()) <= 350


# What reads or runs what is not there yet: no input becomes code, a file, a process or a connection.
FORBIDDEN_CALLS = {"eval", "exec", "compile", "open", "__import__", "input", "breakpoint"}
FORBIDDEN_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "subprocess", "multiprocessing"}
FORBIDDEN_MODULES |= {"os", "shutil", "tempfile", "pathlib", "socket", "urllib", "http", "ctypes", "runpy"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_input_becomes_code_or_leaves_the_process(path):
    calls = {node.func.id for node in ast.walk(ast.parse(path.read_text())) if is_plain_call(node)}
    assert calls & FORBIDDEN_CALLS == set()
    assert {name.split(".")[0] for name in imports(path)} & FORBIDDEN_MODULES == set()


def is_plain_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def test_no_optional_package_is_imported():
    code = f"""
import sys, sklearn.metrics, sklearn.model_selection, sklearn.pipeline  # which may import pandas
before = set(sys.modules)
import sklearn_rank, sklearn_rank.rankers, sklearn_rank.datasets, sklearn_rank.preprocessing
print(set({OPTIONAL}) & (set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    "module", ["metrics", "model_selection", "inspection", "rankers", "datasets", "preprocessing"]
)
def test_public_names_are_listed_and_there(module):
    rooms = __import__(f"sklearn_rank.{module}", fromlist=["__all__"])
    assert rooms.__all__ == sorted(rooms.__all__, key=lambda name: (not name.isupper(), name))
    for name in rooms.__all__:
        try:
            getattr(rooms, name)
        except ImportError as error:  # of an optional package
            assert "pip install" in str(error)


def test_every_public_name_has_a_docstring_with_an_example():
    for name in sklearn_rank.__all__:
        if name == "conventions":  # a module
            continue
        assert ">>> " in getattr(sklearn_rank, name).__doc__, name
