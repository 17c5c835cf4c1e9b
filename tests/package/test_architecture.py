"""Rules of the code: allowed imports, unique names, sizes of files and public names."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from inspect import isclass, isfunction
from itertools import takewhile
from pathlib import Path

import pytest

import sklearn_rank
from tests.census import (
    find_docstring,
    follow_score,
    list_cycles,
    list_named_imports,
    list_registries,
    list_scorer_classes,
)
from tests.helpers.naming import PUBLIC
from tests.public_names import SUBPACKAGES

PACKAGE = Path(sklearn_rank.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
OPTIONAL = ["catboost", "dask", "lightgbm", "matplotlib", "pandas", "polars", "pyarrow", "xgboost"]

# The subpackages that each subpackage can import. There are no cycles.
ALLOWED_IMPORTS = {
    "_hints": set(),
    "_checks": {"_hints"},
    "_engine": {"_checks"},
    "_rows": {"_checks", "_hints"},
    "metrics": {"_checks", "_engine", "_hints", "_rows"},
    "reports": {"_checks", "metrics"},
    "model_selection": {"_checks", "_hints", "_rows", "metrics", "reports"},
    "rankers": {"_checks", "_hints", "metrics", "model_selection"},
    "distributed": {"_checks", "metrics", "reports"},
    "inspection": {"_checks", "_rows", "datasets", "distributed", "metrics", "model_selection", "reports"},
    "preprocessing": {"_checks"},
    "datasets": {"_checks"},
    "clicks": {"_checks", "metrics"},
    "_cli": {"_checks", "datasets", "inspection", "metrics", "reports"},
    "__main__": {"_cli"},
    "__init__": {
        "_checks",
        "datasets",
        "distributed",
        "inspection",
        "metrics",
        "model_selection",
        "reports",
    },
}


def imports(path):
    """Yield the full dotted name of everything that a file imports, also inside functions and by name."""
    package = ["sklearn_rank", *path.relative_to(PACKAGE).parts[:-1]]
    tree = ast.parse(path.read_text())
    yield from list_named_imports(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def subpackage_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


EVERY = pytest.mark.parametrize("subpackage", ALLOWED_IMPORTS)


def list_imports(subpackage, ours):
    """List the imports of a subpackage from this package, or from others: the file, and parts of the name."""
    found = [(path, name) for path in FILES if subpackage_of(path) == subpackage for name in imports(path)]
    return [(str(path), name.split(".")) for path, name in found if name.startswith("sklearn_rank.") == ours]


@EVERY
def test_subpackages_import_only_allowed_subpackages(subpackage):
    allowed = ALLOWED_IMPORTS[subpackage] | {subpackage}
    assert [
        (path, parts) for path, parts in list_imports(subpackage, ours=True) if parts[1] not in allowed
    ] == []


@EVERY
def test_subpackages_do_not_import_private_files_of_others(subpackage):
    others = [
        (path, parts[2:]) for path, parts in list_imports(subpackage, ours=True) if parts[1] != subpackage
    ]
    assert [each for each in others if any(part.startswith("_") for part in each[1])] == []


def test_package_root_has_only_public_files():
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}


@EVERY
def test_subpackages_import_only_public_names_of_dependencies(subpackage):
    theirs = [
        (path, parts) for path, parts in list_imports(subpackage, ours=False) if parts[0] != "__future__"
    ]
    assert [each for each in theirs if any(part.startswith("_") for part in each[1])] == []


def count_code_lines(path):
    """Count the lines of a file that are not part of a docstring."""
    text = path.read_text()
    docstrings = [found for node in ast.walk(ast.parse(text)) if (found := find_docstring(node))]
    return len(text.splitlines()) - sum(each.end_lineno - each.lineno + 1 for each in docstrings)


@EVERY
def test_files_have_at_most_350_lines_of_code(subpackage):
    lengths = {str(path): count_code_lines(path) for path in FILES if subpackage_of(path) == subpackage}
    assert {path: n for path, n in lengths.items() if n > 350} == {}


def test_count_code_lines_excludes_docstrings(tmp_path):
    (tmp_path / "short.py").write_text('"""One\n\ntwo.\n"""\n\ndef f():\n    """Return."""\n    return 1\n')
    assert count_code_lines(tmp_path / "short.py") == 3


def test_modules_do_not_import_each_other():
    assert list_cycles(PACKAGE, FILES) == []


def test_ndcg_score_reaches_its_formula_in_eight_frames():
    assert follow_score(PACKAGE).frames <= 8  # one of them explains unknown arguments


def list_repeated(pairs):
    """Return the names that occur more than once, and where."""
    places = {}
    for name, place in pairs:
        places.setdefault(name, []).append(place)
    return {name: found for name, found in places.items() if len(found) > 1}


def test_class_names_are_unique():
    trees = {path: ast.walk(ast.parse(path.read_text())) for path in FILES}
    classes = [
        (node.name, path) for path, tree in trees.items() for node in tree if isinstance(node, ast.ClassDef)
    ]
    assert list_repeated(classes) == {}


def test_file_names_are_unique():
    stems = sorted({(path.stem.strip("_"), path.parent) for path in FILES})
    assert list_repeated(pair for pair in stems if pair[0] not in ("init", "main")) == {}


def test_package_has_one_metric_table_and_one_scorer_class():
    assert list_registries(PACKAGE) == ["METRICS"]
    assert list_scorer_classes(PACKAGE) == ["RankingScorer"]


def test_files_have_at_least_60_lines_except_errors():
    lengths = {
        path.name: len(path.read_text().splitlines()) for path in FILES if not path.stem.startswith("__")
    }
    assert {name: n for name, n in lengths.items() if n < 60}.keys() <= {"errors.py"}


@pytest.mark.parametrize(
    ("of_d", "cycle"),
    [
        ("x = 1", ["b", "c"]),
        ("if TYPE_CHECKING:\n    from .a import f", ["a", "b", "c", "d"]),
        ("def h():\n    return import_module('package.a')", ["a", "b", "c", "d"]),
    ],
)
def test_list_cycles_finds_indirect_local_and_named_imports(tmp_path, of_d, cycle):
    texts = {
        "a": "from . import b",
        "b": "def f():\n    from .c import g",
        "c": "from .b import f\nfrom .d import h",
        "d": of_d,
    }
    paths = [tmp_path / "package" / f"{name}.py" for name in texts]
    paths[0].parent.mkdir()
    for path, text in zip(paths, texts.values()):
        path.write_text(text)
    assert list_cycles(tmp_path / "package", paths) == [[f"package.{each}" for each in cycle]]


# Calls and modules that run code, open files, start processes or connect to other machines.
CALLS = {"eval", "exec", "compile", "open", "__import__", "input", "breakpoint"}
MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "subprocess", "multiprocessing"}
MODULES |= {"os", "shutil", "tempfile", "pathlib", "socket", "urllib", "http", "ctypes", "runpy", "gzip"}
# Functions and methods of other packages that do the same, independently of the module.
NAMES = {"dump", "fromfile", "genfromtxt", "load", "loadtxt", "memmap", "open", "read_bytes", "read_text"}
NAMES |= {"save", "savetxt", "savez", "savez_compressed", "tofile", "write_bytes", "write_text"}
NAMES |= {"Parallel", "Popen", "ProcessPoolExecutor", "popen", "system"}
# The ones that each subpackage can use. Add a subpackage that opens files or starts processes here and in
# docs/security.md.
ALLOWED_USES = {
    "_hints": set(),
    "_checks": {"open", "os"},  # files that are written
    "_engine": set(),
    "_rows": set(),
    "metrics": set(),
    "reports": set(),
    "model_selection": {"Parallel"},  # of scikit-learn, for n_jobs
    "rankers": set(),
    "inspection": {"Parallel"},  # of scikit-learn, for n_jobs
    "distributed": {"os"},  # names of files that pyarrow reads
    "preprocessing": set(),
    "datasets": {"gzip", "open", "os"},  # files of runs and judgments, and their sizes
    "clicks": {"Parallel"},  # of scikit-learn, for n_jobs
    "_cli": {"open", "os"},  # files of a command, and closed pipes
    "__main__": set(),
    "__init__": set(),
}


def list_uses(path):
    """List the calls, modules and names above that a file uses."""
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    plain = {function.id for function in calls if isinstance(function, ast.Name)}
    methods = {function.attr for function in calls if isinstance(function, ast.Attribute)}
    parts = [name.split(".") for name in imports(path)]
    modules, names = {first for first, *_ in parts}, {last for *_, last in parts}
    return plain & CALLS | modules & MODULES | (methods | names) & NAMES


@EVERY
def test_subpackages_use_only_allowed_io_and_processes(subpackage):
    used = {
        (name, path.name) for path in FILES if subpackage_of(path) == subpackage for name in list_uses(path)
    }
    assert {name for name, _ in used} == ALLOWED_USES[subpackage], used


def rows_of(page, header):
    """List the names in backticks in each cell of a table in the docs."""
    root = next(folder for folder in Path(__file__).resolve().parents if (folder / "docs").is_dir())
    lines = (root / "docs" / page).read_text().splitlines()
    rows = takewhile(lambda line: line.startswith("|"), lines[lines.index(header) + 2 :])
    return [[set(re.findall(r"`(\w+)`", cell)) for cell in row.strip("|").split("|")] for row in rows]


def test_security_page_lists_allowed_io_and_processes():
    rows = rows_of("security.md", "| subpackage | uses | purpose |")
    assert [
        ({subpackage}, ALLOWED_USES[subpackage]) for subpackage in ALLOWED_USES if ALLOWED_USES[subpackage]
    ] == [(row[0], row[1]) for row in rows]


def test_contributing_page_lists_allowed_imports():
    rows = rows_of("contributing.md", "| subpackage | contents | can import |")
    expected = [
        ({subpackage}, others)
        for subpackage, others in ALLOWED_IMPORTS.items()
        if not subpackage.startswith("__")
    ]
    assert [(row[0], row[2]) for row in rows] == expected


@pytest.mark.slow
def test_package_imports_no_optional_dependency():
    code = f"""
import sys, sklearn.metrics, sklearn.model_selection, sklearn.pipeline  # which can import pandas
before = set(sys.modules)
import sklearn_rank.rankers, sklearn_rank.datasets, sklearn_rank.preprocessing, sklearn_rank.clicks
from sklearn_rank import *
from sklearn_rank.metrics import *
from sklearn_rank.model_selection import *
print(set({OPTIONAL}) & (set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_package_imports_no_dependency_at_start():
    code = """
import sys
import sklearn_rank
print({"joblib", "numpy", "scipy", "sklearn"} & set(sys.modules), "ndcg_score" in dir(sklearn_rank))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set() True"


def test_hints_are_imported_only_for_errors():
    code = """
import sys
import sklearn_rank.metrics, sklearn_rank.model_selection, sklearn_rank.rankers, sklearn_rank.datasets
print([name for name in sys.modules if name.startswith("sklearn_rank._hints.")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_package_exports_at_most_80_names():
    assert len(sklearn_rank.__all__) <= 80


def test_public_names_are_in_exactly_one_subpackage():
    names = [
        name for subpackage in SUBPACKAGES for name in import_module(f"sklearn_rank.{subpackage}").__all__
    ]
    assert sorted(names) == sorted({*names})


@pytest.mark.parametrize("name", sklearn_rank.__all__)
def test_package_names_are_those_of_subpackages(name):
    subpackages = [
        sklearn_rank.metrics,
        sklearn_rank.datasets,
        sklearn_rank.model_selection,
        sklearn_rank.distributed,
        sklearn_rank.inspection,
        sklearn_rank.reports,
    ]
    homes = [subpackage for subpackage in subpackages if name in subpackage.__all__]
    assert len(homes) == (name != "RankingWarning")
    assert all(getattr(sklearn_rank, name) is getattr(home, name) for home in homes)
    assert getattr(sklearn_rank, name) is vars(sklearn_rank)[name]


@pytest.mark.parametrize(
    "module",
    [
        "metrics",
        "model_selection",
        "distributed",
        "inspection",
        "rankers",
        "datasets",
        "preprocessing",
        "clicks",
    ],
)
def test_public_names_are_sorted_and_exist(module):
    subpackage = __import__(f"sklearn_rank.{module}", fromlist=["__all__"])
    assert subpackage.__all__ == sorted(subpackage.__all__, key=lambda name: (not name.isupper(), name))
    for name in subpackage.__all__:
        try:
            getattr(subpackage, name)
        except ImportError as error:  # the optional package is not installed
            assert "pip install" in str(error)


def test_public_docstrings_have_an_example():
    for name, value in PUBLIC.items():
        if isfunction(value) or (isclass(value) and name in sklearn_rank.__all__):
            assert ">>> " in value.__doc__, name
