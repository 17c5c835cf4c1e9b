"""Count what the package is made of, ``python -m tests.census`` in a checkout.

Lines of code, signatures, docstrings and imports, files of each folder, how far a score is from its formula.
"""

import ast
import sys
import tokenize
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

import sklearn_rank

PACKAGE = Path(sklearn_rank.__file__).parent
MANY_PARAMETERS = 6
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


class Lines(NamedTuple):
    """Lines of one file by what they hold; blank ones and comments are not counted."""

    code: int
    signatures: int
    docstrings: int
    imports: int


def count_lines(path: Path) -> Lines:
    """Count the lines of a file; each is of one kind."""
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
    """Say of what kind lines are that are not blank."""
    kinds |= {line: kind for line in range(first, (last or first) + 1) if line in kinds}


def find_docstring(node: ast.AST) -> ast.Expr | None:
    """Return the docstring of a module, a class or a function."""
    first = node.body[0] if isinstance(node, ast.Module | ast.ClassDef | FUNCTIONS) and node.body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first if is_text and isinstance(first.value.value, str) else None


def share_repeated(paths: list[Path]) -> float:
    """Return the share of docstring lines that stand word for word in the docstrings elsewhere."""
    lines = []
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            docstring = find_docstring(node)
            text = str(docstring.value.value) if docstring else ""
            lines += [line.strip() for line in text.splitlines() if line.strip()]
    counts = Counter(lines)
    return sum(n for n in counts.values() if n > 1) / len(lines)


def list_long_signatures(paths: list[Path]) -> list[str]:
    """List the functions of more than six parameters that are not public: nobody has to remember those."""
    found = []
    for path in paths:
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, FUNCTIONS):
                continue
            n = len(node.args.posonlyargs) + len(node.args.args) + len(node.args.kwonlyargs)
            if n > MANY_PARAMETERS and not has_page(path, node.name):
                found.append(f"{path.relative_to(PACKAGE)}:{node.name} ({n})")
    return found


def has_page(path: Path, name: str) -> bool:
    """Tell whether a function is public: named in the `__all__` of its folder."""
    room = import_module(".".join(("sklearn_rank", *path.parent.relative_to(PACKAGE).parts)))
    return name in getattr(room, "__all__", ())


class Way(NamedTuple):
    """How a score gets from the caller to the formula."""

    frames: int
    names: list[str]


def follow_score() -> Way:
    """Follow the scores from `ndcg_score` to its formula: frames between, and names that they have there."""
    rng = np.random.default_rng(0)
    y_true, y_score, groups = rng.integers(0, 4, 200), rng.random(200), np.repeat(np.arange(20), 10)
    names: list[str] = []
    depths: list[int] = []

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if not frame.f_code.co_filename.startswith(str(PACKAGE)):
            return
        for name, value in frame.f_locals.items():
            if isinstance(value, np.ndarray) and np.shares_memory(value, y_score) and name not in names:
                names.append(name)
        if event == "call" and frame.f_code.co_name == "_ndcg":
            depths.append(count_frames(frame))

    sys.setprofile(watch)
    try:
        sklearn_rank.ndcg_score(y_true, y_score, groups=groups)
    finally:
        sys.setprofile(None)
    return Way(depths[0], names)


def count_frames(frame: FrameType | None) -> int:
    """Count the frames of the package from a formula up to the public function."""
    n = 0
    while frame is not None:
        n += frame.f_code.co_filename.startswith(str(PACKAGE))
        frame = frame.f_back
    return n


def count_any(paths: list[Path]) -> int:
    """Count how often a type is left open."""
    return sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
    )


def main() -> None:
    """Print the counts."""
    paths = sorted(PACKAGE.rglob("*.py"))
    totals = [count_lines(path) for path in paths]
    for kind in Lines._fields:
        print(f"{kind:11} {sum(getattr(lines, kind) for lines in totals):6,} lines")
    print(f"of the docstrings {share_repeated(paths):.0%} stand elsewhere word for word")
    rooms = Counter(str(path.parent.relative_to(PACKAGE.parent)) for path in paths)
    for room, n in sorted(rooms.items()):
        print(f"{room:38} {n:3} files")
    way = follow_score()
    print(f"{way.frames} frames from ndcg_score to its formula; y_score is called {', '.join(way.names)}")
    print(f"Any: {count_any(paths)}")
    long = list_long_signatures(paths)
    print(f"{len(long)} private functions of more than {MANY_PARAMETERS} parameters: {', '.join(long)}")


if __name__ == "__main__":
    main()
