"""Count the parts of the package: ``python -m tests.census`` in a checkout.

The counts are lines of code, signatures, docstrings and imports, files of each folder, frames from a score to
its formula, mentions of a metric, tables of metrics, scorer classes and import cycles. To count another
checkout, pass its path: ``python -m tests.census ../before``.
"""

import ast
import sys
import tokenize
from collections import Counter
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

METRIC = "r_precision"  # no other metric uses it
MANY_PARAMETERS = 6
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


class Lines(NamedTuple):
    """Numbers of lines of a file by kind, without blank lines and comments."""

    code: int
    signatures: int
    docstrings: int
    imports: int


def count_lines(path: Path) -> Lines:
    """Count the lines of a file by kind."""
    kinds: dict[int, str] = {}
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            is_text = token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)
            if is_text and token.string.strip():
                kinds |= dict.fromkeys(range(token.start[0], token.end[0] + 1), "code")
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            mark(kinds, node.lineno, node.end_lineno, "imports")
        if isinstance(node, FUNCTIONS):
            mark(kinds, node.lineno, node.body[0].lineno - 1, "signatures")
        if docstring := find_docstring(node):
            mark(kinds, docstring.lineno, docstring.end_lineno, "docstrings")
    text = path.read_text().splitlines()
    counts = Counter(kind for line, kind in kinds.items() if text[line - 1].strip())
    return Lines(*(counts[kind] for kind in Lines._fields))


def mark(kinds: dict[int, str], first: int, last: int | None, kind: str) -> None:
    """Set the kind of the nonblank lines in a range."""
    kinds |= {line: kind for line in range(first, (last or first) + 1) if line in kinds}


def find_docstring(node: ast.AST) -> ast.Expr | None:
    """Return the docstring of a module, a class or a function."""
    first = node.body[0] if isinstance(node, ast.Module | ast.ClassDef | FUNCTIONS) and node.body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first if is_text and isinstance(first.value.value, str) else None


def share_repeated(paths: list[Path]) -> float:
    """Return the share of docstring lines that occur more than once."""
    lines = []
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            docstring = find_docstring(node)
            text = str(docstring.value.value) if docstring else ""
            lines += [line.strip() for line in text.splitlines() if line.strip()]
    counts = Counter(lines)
    return sum(n for n in counts.values() if n > 1) / len(lines)


def list_long_signatures(package: Path, paths: list[Path]) -> list[str]:
    """List the private functions with more than six parameters."""
    public = find_public_names(package)
    found = []
    for path in paths:
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, FUNCTIONS):
                continue
            n = len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)
            if n > MANY_PARAMETERS and node.name not in public:
                found.append(f"{path.relative_to(package)}:{node.name} ({n})")
    return found


def find_public_names(package: Path) -> set[str]:
    """Return the names that the package and its subpackages list in `__all__`."""
    subpackages = [path.parent.name for path in package.glob("[!_]*/__init__.py")]
    modules = [package.name, *(f"{package.name}.{subpackage}" for subpackage in subpackages)]
    return {name for module in modules for name in import_module(module).__all__}


class ScorePath(NamedTuple):
    """The number of frames between caller and formula, and the names of the scores in them."""

    frames: int
    names: list[str]


def follow_score(package: Path) -> ScorePath:
    """Follow the scores from `ndcg_score` to its formula.

    A name is a variable or an attribute that contains the scores, in any order and with any sign.
    """
    rng = np.random.default_rng(0)
    y_true, y_score, groups = rng.integers(0, 4, 200), rng.random(200), np.repeat(np.arange(20), 10)
    in_order = np.sort(y_score)
    names: list[str] = []
    depths: list[int] = []

    def is_score(value: Any) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or value.size != len(y_score):
            return False
        return np.array_equal(np.sort(np.abs(value), axis=None), in_order)

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if not is_inside(frame, package):
            return
        for name, value in frame.f_locals.items():
            fields = value._asdict() if hasattr(value, "_asdict") else getattr(value, "__dict__", {})
            parts = fields if type(value).__module__.startswith(package.name) else {}
            found = [key for key, part in {**parts, name: value}.items() if is_score(part)]
            names.extend(key for key in found if key not in names)
        if event == "call" and frame.f_code.co_name == "_ndcg":
            depths.append(count_frames(frame, package))

    compute = import_module(package.name).ndcg_score
    sys.setprofile(watch)
    try:
        compute(y_true, y_score, groups=groups)
    finally:
        sys.setprofile(None)
    return ScorePath(depths[0], names)


def count_frames(frame: FrameType | None, package: Path) -> int:
    """Count the frames of the package from a formula up to the public function."""
    n = 0
    while frame is not None:
        n += is_inside(frame, package)
        frame = frame.f_back
    return n


def is_inside(frame: FrameType, package: Path) -> bool:
    """Return whether a frame belongs to the package."""
    return frame.f_code.co_filename.startswith(str(package))


def count_any(paths: list[Path]) -> int:
    """Count the uses of `Any`."""
    return sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
    )


def count_functions(paths: list[Path]) -> int:
    """Count the functions with a parameter `function` of type str."""
    nodes = [node for path in paths for node in ast.walk(ast.parse(path.read_text()))]
    signatures = [node.args for node in nodes if isinstance(node, FUNCTIONS)]
    return sum(
        argument.arg == "function" and ast.unparse(argument.annotation or ast.Constant(None)) == "str"
        for each in signatures
        for argument in each.posonlyargs + each.args + each.kwonlyargs
    )


def list_registries(package: Path) -> list[str]:
    """List the tables of metrics: dicts of objects of this package that have a formula or a function."""
    found = {}
    for path in sorted((package / "metrics").rglob("*.py")):
        module = import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
        tables = {name: value for name, value in vars(module).items() if isinstance(value, dict) and value}
        found |= {id(table): name for name, table in tables.items() if all(map(is_metric, table.values()))}
    return sorted(found.values())


def is_metric(row: Any) -> bool:
    """Return whether a row of a table is a metric."""
    formula = getattr(row, "formula", None) or getattr(row, "function", None)
    return type(row).__module__.startswith("sklearn_rank.") and callable(formula)


def list_scorer_classes(package: Path) -> list[str]:
    """List the scorer classes."""
    trees = [ast.parse(path.read_text()) for path in sorted((package / "metrics").rglob("*.py"))]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [node.name for node in classes if node.name.endswith("Scorer")]


def list_cycles(package: Path, paths: list[Path]) -> list[list[str]]:
    """List the groups of modules that import each other, in any of the ways of `find_imports`."""
    modules = {}
    for path in paths:
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        modules[name.removesuffix(".__init__")] = path
    reached = {name: find_imports(name, path, set(modules)) - {name} for name, path in modules.items()}
    for between in modules:
        for name, others in reached.items():
            if between in others:
                reached[name] = others | reached[between]
    groups = {tuple(sorted(other for other in reached[name] if name in reached[other])) for name in modules}
    return [list(group) for group in sorted(groups) if group]


def find_imports(name: str, path: Path, modules: set[str]) -> set[str]:
    """Return the modules that a module imports, also inside functions, by name, or for type checking only."""
    subpackage = name if path.stem == "__init__" else name.rpartition(".")[0]
    tree = ast.parse(path.read_text())
    found = set(list_named_imports(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            module = resolve_name(relative, subpackage) if node.level else node.module
            names = {f"{module}.{each.name}" for each in node.names}
            found |= names & modules or {str(module)}
    return found & modules


def list_named_imports(tree: ast.AST) -> list[str]:
    """List the modules that `import_module` imports by a complete name."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    named = [call.args[0] for call in calls if ast.unparse(call.func).endswith("import_module")]
    return [each.value for each in named if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def count_mentions(paths: list[Path], stem: str) -> dict[Path, int]:
    """Count the lines that name a metric, in each file that does."""
    counts = {path: sum(stem in line.lower() for line in path.read_text().splitlines()) for path in paths}
    return {path: n for path, n in counts.items() if n}


def main() -> None:
    """Print the counts."""
    sys.path[:0] = sys.argv[1:2]
    [home] = import_module("sklearn_rank").__path__
    package = Path(home)
    paths = sorted(package.rglob("*.py"))
    totals = [count_lines(path) for path in paths]
    for kind in Lines._fields:
        print(f"{kind:11} {sum(getattr(lines, kind) for lines in totals):6,} lines")
    print(f"{share_repeated(paths):.0%} of the docstring lines occur more than once")
    folders = Counter(str(path.parent.relative_to(package.parent)) for path in paths)
    for folder, n in sorted(folders.items()):
        print(f"{folder:38} {n:3} files")
    score_path = follow_score(package)
    print(f"{score_path.frames} frames from ndcg_score to its formula")
    print(f"{len(score_path.names)} names of y_score on the way: {', '.join(score_path.names)}")
    print(f"Any: {count_any(paths)}")
    print(f"{count_functions(paths)} functions with a parameter `function`")
    for kind, names in {
        "registries": list_registries(package),
        "scorer classes": list_scorer_classes(package),
        "import cycles": ["/".join(cycle) for cycle in list_cycles(package, paths)],
    }.items():
        print(f"{len(names)} {kind}: {', '.join(names)}")
    print(f"{len(import_module(package.name).__all__)} names exported by {package.name}")
    long = list_long_signatures(package, paths)
    print(f"{len(long)} private functions with more than {MANY_PARAMETERS} parameters: {', '.join(long)}")
    mentions = count_mentions(paths, METRIC)
    places = ", ".join(f"{path.relative_to(package)} ({n} lines)" for path, n in mentions.items())
    print(f"{METRIC} is named in {len(mentions)} files: {places}")


if __name__ == "__main__":
    main()
