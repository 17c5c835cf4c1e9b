"""Errors in the usage or the data that end a command, each in one line."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

PROGRAM = "sklearn-rank"
EXIT_CODES = """exit codes: 0 success, 1 invalid file or data, 2 invalid command,
3 worse and 4 undecided with compare --fail-on"""
# The form of this package's errors: see `fail`.
_FAILURE = re.compile(
    r"The '(?P<parameter>\w+)' parameter of \S+ must (?P<rule>.*?)\. Got (?P<got>.*?) instead\."
    r"( (?P<fix>.*))?",
    re.S,
)
_CODE = re.compile(r"sklearn_rank\.|\bPass \w+=|\(\.\.\.|_scorer\(")  # Python code in a fix
# A function of this package at the beginning of a warning, with the names of metrics.
_CALL = re.compile(r"(?:ranking_scores|evaluate|tie_report|from_two_runs|\w+Display\.\w+)(?: \((.*?)\))?: ")
# The option for a parameter of a function.
OPTIONS = {
    "metrics": "-m",
    "average": "-m",
    "min_relevance": "-l",
    "depth": "-M",
    "ignore_identical_ids": "--ignore-identical-ids",
    "columns": "--columns",
    "confidence_level": "--confidence-level",
    "ties": "--ties",
    "unjudged": "-J",
    "gain": "--gain",
    "baseline": "--baseline",
    "test": "--test",
    "correction": "--correction",
    "margin": "--margin",
    "random_state": "--seed",
    "n_resamples": "the number of sign flips",
    "max_k": "--max-k",
    "difference": "--difference",
    "power": "--power",
    "name": "NAME",
}
COLUMN_NAMES = (
    "If it has other fields, such as user item rating time, add a line with their names, and pass "
    "--qrels-columns query=user,document=item,grade=rating"
)
# Fixes in the command line, by code in the fix of a function.
HINTS = {
    "duplicates=": ". To count the best of several chunks of a document, pass --duplicates max",
    "sizes=": ". If a file has the sizes of the queries, pass --sizes FILE",
}
DEPENDS_ON_GRADES = "gain"  # an option that can be invalid for the grades in a file


class UsageError(Exception):
    """An error in the command line: exit code 2."""


class DataError(Exception):
    """An error in files or data: exit code 1."""


class GateError(Exception):
    """A comparison that fails the gate; it is raised after the `output` is complete, with the exit code."""

    def __init__(self, message: str, output: str, code: int):
        super().__init__(message)
        self.output = output
        self.code = code


def to_line(text: object) -> str:
    """Format an error in one line."""
    return " ".join(str(text).split())


def remove_call(warning: str) -> str:
    """Remove the name of a function and Python code from a warning, and name the option of the threshold."""
    warning = warning.replace("min_relevance=", "-l ").replace("min_relevance", "-l")
    call = _CALL.match(warning)
    warning = warning if call is None else f"{call[1]}: " * bool(call[1]) + warning[call.end() :]
    return _drop_code(warning)


@contextmanager
def options_at_fault() -> Iterator[None]:
    """Convert errors of this package to usage errors that name the option."""
    try:
        yield
    except (ValueError, TypeError) as error:
        failure = _FAILURE.fullmatch(str(error))
        if failure is None:
            raise UsageError(to_line(error)) from error
        name = OPTIONS.get(failure["parameter"], failure["parameter"])
        is_named = name in ("-m", "NAME") or "be left out" in failure["rule"]
        fix = _drop_code(failure["fix"] or "") if is_named else ""
        fix = f". {fix}" if fix else ""
        raise UsageError(to_line(f"{name} must {failure['rule']}, got {failure['got']}{fix}")) from error


def _drop_code(text: str) -> str:
    """Return the sentences that contain no Python code."""
    return " ".join(each for each in re.split(r"(?<=[.?]) (?=[A-Z])", text) if not _CODE.search(each))


@contextmanager
def files_at_fault(files: Mapping[str, str]) -> Iterator[None]:
    """Convert errors of this package to data errors. `files` maps parameters to names of files."""
    try:
        yield
    except OSError as error:
        file = error.filename or next(iter(files.values()))
        raise DataError(f"{file}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        failure = _FAILURE.fullmatch(str(error))
        if failure is not None and failure["parameter"] in OPTIONS.keys() - files.keys() - {
            DEPENDS_ON_GRADES
        }:
            with options_at_fault():
                raise
        raise DataError(to_line(_place(str(error), files))) from error


def _place(message: str, files: Mapping[str, str]) -> str:
    """Prefix a message with the file and the line, if the error contains them."""
    failure = _FAILURE.fullmatch(message)
    if failure is None:
        return f"{' '.join(files.values())}: {message}"
    rule, got = failure["rule"], failure["got"]
    for parameter, file in files.items():  # rules can name other parameters
        rule = rule.replace(f"{parameter!r}", file)
    file = files.get(failure["parameter"], " ".join(files.values()))
    line = re.search(rf" in line (\d+) of {re.escape(file)}(, )?", got)
    if line is None:
        hint = f". {COLUMN_NAMES}" if rule.startswith("have judgments") else ""
        return f"{file}: must {rule}, got {got.removesuffix(f' in {file}')}{hint}"
    sign = ": " if line[2] else ""  # the text of the line follows
    is_swapped = {"run", "qrels"} <= files.keys() and got.startswith(("4 fields", "6 fields"))
    hint = ". QRELS comes before RUN" * is_swapped
    hint = next((text for code, text in HINTS.items() if code in (failure["fix"] or "")), hint)
    if " qid:" in got or got.startswith("1 fields"):
        hint = ". For an svmlight file and a file with a score per line, pass --input svmlight"
    return f"{file}:{line[1]}: must {rule}, got {got[: line.start()]}{sign}{got[line.end() :]}{hint}"
