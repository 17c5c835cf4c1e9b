"""Errors that end a command, each in one line: of its usage, and of the data."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

PROGRAM = "sklearn-rank"
# The form of this package's errors: see `fail`. The command line omits the fix, which is Python code.
_WORDED = re.compile(
    r"The '(?P<parameter>\w+)' parameter of \S+ must (?P<rule>.*)\. Got (?P<got>.*) instead\.( .*)?", re.S
)
# The option for a parameter of a function.
OPTIONS = {
    "metrics": "-m",
    "average": "-m",
    "min_relevance": "-l",
    "depth": "-M",
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
    "max_k": "--max-k",
    "name": "NAME",
}
OF_GRADES = "gain"  # the option that is right or wrong by the grades of a file


class UsageError(Exception):
    """A command that is written wrong: exit code 2."""


class DataError(Exception):
    """Files or data that are wrong: exit code 1."""


def to_line(text: object) -> str:
    """Write an error in one line."""
    return " ".join(str(text).split())


@contextmanager
def options_at_fault() -> Iterator[None]:
    """Turn errors of this package into errors of usage, which name the option."""
    try:
        yield
    except (ValueError, TypeError) as error:
        worded = _WORDED.fullmatch(str(error))
        if worded is None:
            raise UsageError(to_line(error)) from error
        name = OPTIONS.get(worded["parameter"], worded["parameter"])
        raise UsageError(to_line(f"{name} must {worded['rule']}, got {worded['got']}")) from error


@contextmanager
def files_at_fault(files: Mapping[str, str]) -> Iterator[None]:
    """Turn errors of this package into errors of data; `files` has the name of the file by parameter."""
    try:
        yield
    except OSError as error:
        file = error.filename or next(iter(files.values()))
        raise DataError(f"{file}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        worded = _WORDED.fullmatch(str(error))
        if worded is not None and worded["parameter"] in OPTIONS.keys() - files.keys() - {OF_GRADES}:
            with options_at_fault():
                raise
        raise DataError(to_line(_place(str(error), files))) from error


def _place(message: str, files: Mapping[str, str]) -> str:
    """Put the file and the line, if an error knows them, in front of what is wrong."""
    worded = _WORDED.fullmatch(message)
    if worded is None:
        return f"{' '.join(files.values())}: {message}"
    rule, got = worded["rule"], worded["got"]
    for parameter, file in files.items():  # rules name other parameters too
        rule = rule.replace(f"{parameter!r}", file)
    file = files.get(worded["parameter"], " ".join(files.values()))
    line = re.search(rf" in line (\d+) of {re.escape(file)}(, )?", got)
    if line is None:
        return f"{file}: must {rule}, got {got.removesuffix(f' in {file}')}"
    sign = ": " if line[2] else ""  # of the line itself
    return f"{file}:{line[1]}: must {rule}, got {got[: line.start()]}{sign}{got[line.end() :]}"
