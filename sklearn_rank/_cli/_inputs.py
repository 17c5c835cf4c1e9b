"""Reading of files as rows of labels, scores and query ids."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .._checks.warn import warn_user
from ._files import (
    STDIN,
    cached,
    detect_kind,
    find_tag,
    is_large,
    open_file,
    read_columns,
    read_first_line,
    read_frames,
    read_labels,
    show,
)
from ._usage_errors import DataError, UsageError, files_at_fault

if TYPE_CHECKING:
    import numpy as np

    from ..datasets import Frame, Joined

KINDS = ("auto", "trec", "csv", "tsv", "parquet", "svmlight")
TABLES = ("csv", "tsv", "parquet")
HEADS = {"metric"}  # column headers in addition to those of runs
DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/")  # folders of pipes, for example of a process substitution

BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"

Result = TypeVar("Result")


class RunRows(NamedTuple):
    """The rows of a run joined with its judgments."""

    name: str
    y_true: np.ndarray
    y_score: np.ndarray
    queries: np.ndarray  # index of each row's query in `names`; ascending
    names: np.ndarray  # of queries; some can have no rows
    tag: str = ""  # the last field of the last line of a run
    fields: dict[str, str] | None = None  # by query, for --by
    strata: np.ndarray | None = None  # of each row, if requested: 0 in the pool, -1 outside
    intents: np.ndarray | None = None  # the labels by intent, if requested; y_true is the highest

    @property
    def starts(self) -> np.ndarray:
        """Return the first row of each query."""
        from .._checks.codes import find_edges

        firsts: np.ndarray = find_edges(self.queries)[:-1]
        return firsts

    @property
    def ids(self) -> np.ndarray:
        """Return the name of each query that has a row."""
        return self.names[self.queries[self.starts]]

    @property
    def unjudged(self) -> np.ndarray:
        """Return the number of unjudged rows of each query that has a row."""
        import numpy as np

        return np.add.reduceat(np.isnan(self.y_true), self.starts, dtype=np.int64)

    @property
    def longest(self) -> int:
        """Return the number of retrieved documents of the longest list."""
        import numpy as np

        return int(np.add.reduceat(self.y_score > -np.inf, self.starts, dtype=np.int64).max())

    @property
    def groups(self) -> np.ndarray:
        """Return the name of the query of each row."""
        return self.names[self.queries]


def name_by_tags(paths: list[str]) -> list[str]:
    """Name runs by their tags. Runs without a tag, and all runs if two names are equal, are named by file."""
    files = [
        f"run {place}" if path.startswith(DESCRIPTORS) else name
        for place, (path, name) in enumerate(zip(paths, name_runs(paths)), 1)
    ]
    names = [_read_tag(path) or name for path, name in zip(paths, files)]
    return names if len(set(names)) == len(names) and HEADS.isdisjoint(names) else files


def _read_tag(path: str) -> str:
    """Return the tag in the first line of a TREC run, or an empty string for other files."""
    try:
        words = read_first_line(path).split(None, 5)
        float(words[4])
    except (OSError, ValueError, IndexError):  # reading the run raises an error
        return ""
    return words[5].strip().decode("utf-8", "surrogateescape") if len(words) == 6 else ""


def find_inputs(args: Namespace) -> None:
    """Check the files of a command, and add `qrels`, and `runs` by name, to its options."""
    cached.clear()
    read_first_line.cache_clear()
    args.names_lacking = not (args.complete or args.drop_missing or _is_like_trec_eval(args))
    args.complete |= args.names_lacking
    files = args.files
    if files.count(STDIN) > 1:
        raise UsageError("'-' (standard input) can be used for one file only")
    if len(files) == 1 and find_kind(files[0], args) in TABLES:
        files = files * 2  # one table contains both
    if len(files) < 2:
        raise UsageError("pass a file of judgments and at least one run (QRELS RUN), or one table with both")
    for path in files:
        if path == STDIN or os.path.exists(path):
            continue
        from ..metrics import is_metric_name

        if is_metric_name(path):
            raise UsageError(f"there is no file {path!r}. To compute this metric, pass -m {path}")
    is_table = [find_kind(file, args) in TABLES for file in files]
    options = {
        "--columns": args.columns,
        "--qrels-columns": args.qrels_columns,
        "--run-columns": args.run_columns,
    }
    used = any(is_table) or getattr(args, "fields", None), is_table[0], any(is_table[1:])
    for (option, names), is_used in zip(options.items(), used):
        if names and not is_used:
            raise UsageError(f"{option} requires a table: a .csv, .tsv or .parquet file, or --input")
    args.qrels, *paths = files
    args.runs = dict(zip(name_by_tags(paths), paths))
    if len(args.runs) < len(paths):
        raise UsageError("each run can be passed only once")


def find_kind(path: str, args: Namespace) -> str:
    """Return the format of a file: the value of --input, or the format that is recognized."""
    side = "qrels" if path in (args.files[0], getattr(args, "qrels", None)) else "run"
    if args.sizes and side == "qrels":
        return "svmlight"
    return detect_kind(path, read_columns(args, side)) if args.input == "auto" else str(args.input)


def name_runs(paths: list[str]) -> list[str]:
    """Name runs by their files, without folders and extensions if the names stay distinct."""
    from ..datasets import ENDINGS

    short = [show(path).replace("\\", "/").rsplit("/", 1)[-1] for path in paths]
    for ending in ENDINGS:
        short = [name.removesuffix(ending) for name in short]
    stems = [name.rsplit(".", 1)[0] or name for name in short]
    whole = [f"./{path}" if path in HEADS else path for path in paths]
    distinct = (names for names in (stems, short) if len(set(names)) == len(names))
    return next((names for names in distinct if HEADS.isdisjoint(names)), whole)


def read_rows(
    args: Namespace, tags: bool = False, with_pool: bool = False, with_intents: bool = False
) -> Iterator[RunRows]:
    """Yield the rows of each run, optionally with its tag, the pool and the labels by intent."""
    from ..datasets import put_together
    from ..metrics import warn_of_depths

    args.depths = {}
    field = getattr(args, "by", None)
    extra = read_labels(args.fields, field, args) if field and args.fields else None
    with files_at_fault({"qrels": show(args.qrels)}):
        for name, path in args.runs.items():
            pieces = (
                None if tags or with_intents else join_in_pieces(path, args, lambda joined: joined, with_pool)
            )
            if pieces is not None:
                joined, tag, fields = put_together(pieces[0]), "", None
            else:
                needed = field if extra is None else None
                joined, tag, fields = _join_whole(path, args, needed, tags, with_pool, with_intents)
            if args.names_lacking and (clause := joined.say_lacking()):
                how = "each counts as a query without retrieved documents. Pass -c if that is intended"
                warn_user(f"{show(path)}: {clause}{how}, or --drop-missing to exclude them.")
            rows = as_rows(name, joined, with_pool)
            if not (rows.y_true >= args.min_relevance).any():
                warn_none_relevant(path, args)
            of_trec_eval = [name for name in getattr(args, "metrics", ()) if name.startswith("trec_eval:")]
            if of_trec_eval and (rows.y_true % 1 > 0).any():
                fact = f"{show(args.qrels)} has fractional grades, which trec_eval truncates"
                fix = "To truncate them, use --format trec_eval."
                warn_user(f"{fact}, so {of_trec_eval[0]} can differ from trec_eval. {fix}")
            if field and extra is None and not fields:
                rule = "--by requires --fields FILE, a table with one row per query"
                raise UsageError(f"{rule}, or a column {field!r} in a table of scores or grades")
            yield rows._replace(tag=tag, fields=extra or fields)
    warn_of_depths(args.depths)


def _join_whole(
    path: str, args: Namespace, field: str | None, tags: bool, with_pool: bool, with_intents: bool
) -> tuple[Joined, str, dict[str, str] | None]:
    """Return a run joined with its judgments, its tag if `tags`, and a field of each query."""
    from ..datasets import Frame, join_run

    queries = "judged" if args.complete else "both"
    files = {"run": show(path), "qrels": show(args.qrels), "path": show(args.qrels)}
    files |= {"sizes": args.sizes} if args.sizes else {}
    with files_at_fault(files), _open_both(path, args, field) as (run, judged):
        given = run, judged, queries, args.depth, None, with_pool
        options = {
            "whole_grades": _is_like_trec_eval(args),
            "ignore_identical_ids": args.ignore_identical_ids,
            "duplicates": args.duplicates,
        }
        joined = join_run(*given, **options, intents=with_intents)
        tag = find_tag(run, name_runs([path])[0]) if tags and not isinstance(run, Frame) else ""
        labels = [each.labels for each in (run, judged) if isinstance(each, Frame) and each.labels]
        return joined, tag, next(iter(labels), None)


def as_rows(name: str, joined: Joined, with_pool: bool) -> RunRows:
    """Return the joined rows. If `with_pool`, negative labels mark unjudged documents in the pool."""
    import numpy as np

    from ..datasets import find_pool

    strata = find_pool(joined.y_true) if with_pool else None
    joined = joined.split_pool() if with_pool else joined
    intents = joined.intents
    y_true = joined.y_true if intents is None else np.fmax.reduce(intents, axis=1)
    return RunRows(
        name, y_true, joined.y_score, joined.codes, joined.query_names, strata=strata, intents=intents
    )


def warn_none_relevant(path: str, args: Namespace) -> None:
    """Warn that no document of a run's queries is relevant."""
    fact = f"no document of its queries has a grade of at least {args.min_relevance:g}"
    warn_user(f"{show(path)}: {fact}, so none is relevant. Set -l to the smallest relevant grade.")


@contextmanager
def rows_at_fault(rows: RunRows, args: Namespace) -> Iterator[None]:
    """Name the files of rows in errors. If no document is relevant, the library does not warn again."""
    from ..metrics import note_depths, without_cautions

    is_any = (rows.y_true >= args.min_relevance).any()
    files = {"y_true": args.qrels, "y_score": args.runs[rows.name]}
    cautions = note_depths() if is_any else without_cautions()
    with files_at_fault(files), cautions as args.depths[rows.name]:
        yield


def join_in_pieces(
    path: str, args: Namespace, use: Callable[[Joined], Result], with_pool: bool
) -> tuple[list[Result], str] | None:
    """Apply `use` to pieces of a run; return results and tag, or None if it must be read as a whole."""
    is_plain = {find_kind(each, args) for each in (path, args.qrels)} == {"trec"}
    if not (is_plain and is_large(path)) or args.ignore_identical_ids:
        return None
    from ..datasets import join_pieces

    queries = "judged" if args.complete else "both"
    with open_file(path) as run, open_file(args.qrels) as judged:
        try:
            found = join_pieces(run, judged, queries, args.depth, use, with_pool, _is_like_trec_eval(args))
            return found, find_tag(run, name_runs([path])[0])
        except ValueError:
            return None


def _is_like_trec_eval(args: Namespace) -> bool:
    """Return whether grades are truncated to integers and lacking queries excluded, as in trec_eval."""
    return getattr(args, "format", None) == "trec_eval"


@contextmanager
def _open_both(path: str, args: Namespace, field: str | None) -> Iterator[tuple[Any, Any]]:
    """Open a run and its judgments: TREC files as files, others as frames."""
    qrels = args.qrels
    kinds = find_kind(path, args), find_kind(qrels, args)
    with ExitStack() as stack:
        if kinds[1] == "svmlight":
            yield _read_svmlight(path, qrels, args.sizes)
        elif kinds[0] == "svmlight":
            raise UsageError("an svmlight file must come first, followed by its files of scores")
        elif path == qrels and kinds[0] in TABLES:
            names = read_columns(args, "qrels", "run")
            run, judged = read_frames(path, kinds[0], ("score", "grade"), names, field)
            yield run, judged
        else:
            both: list[Any] = []
            for each, kind, side in zip((path, qrels), kinds, ("run", "qrels")):
                if kind in TABLES:
                    number = "score" if side == "run" else "grade"
                    is_other_text = kinds.count("parquet") == 1
                    both += read_frames(each, kind, (number,), read_columns(args, side), field, is_other_text)
                else:
                    both.append(stack.enter_context(open_file(each)))
            yield both[0], both[1]


def _spell_line(line: bytes) -> str:
    """Return a line that is not a number for an error, with the reason if it is known."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return "bytes that are not text in UTF-8"
    return f"{text[:100]!r}" + ", which contains a byte order mark" * (BYTE_ORDER_MARK in text)


def _read_svmlight(path: str, data: str, sizes: str | None) -> tuple[Frame, Frame]:
    """Read a score per line for the rows of a file in svmlight format."""
    import numpy as np

    from ..datasets import Frame, load_svmlight_ranking, remove_marks

    with open_file(data) as file:
        _, y, groups = load_svmlight_ranking(file, sizes=sizes)
    if not (is_finite := np.isfinite(y)).all():
        row = int(np.argmin(is_finite))
        raise DataError(f"{show(data)}: row {row + 1} must have a finite grade, got {y[row]}")
    scores = []
    with open_file(path) as file:
        for line, text in enumerate(remove_marks(file.read()).splitlines(), 1):
            try:
                score = float(text) if text.strip() else None
            except ValueError:
                score = np.nan
            if score is not None and not np.isfinite(score):
                raise DataError(f"{show(path)}:{line}: must be a finite number, got {_spell_line(text)}")
            scores += [] if score is None else [score]
    if len(scores) != len(y):
        rule = f"must have as many scores as {show(data)} has rows"
        raise DataError(f"{show(path)}: {rule}, got {len(scores)} instead of {len(y)}")
    rows = {"query": groups, "document": -np.arange(len(y))}  # decreasing, because from_run sorts so
    run = Frame({**rows, "score": np.array(scores)}, (show(path),))
    return run, Frame({**rows, "grade": y}, (show(data),))
