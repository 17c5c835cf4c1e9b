"""A limit for the length of all messages that the package raises or gives as warnings in tests."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sklearn_rank._checks import warn as warnings_of_package

LONGEST = 350


def check_length(text: str) -> None:
    """Fail if a message is too long to be read at once."""
    assert len(text) <= LONGEST, f"a message of {len(text)} characters, more than {LONGEST}: {text}"


@contextmanager
def limited_messages() -> Iterator[None]:
    """Check the messages of errors that tests expect with `pytest.raises`, and of all warnings.

    Errors with a cause contain text of another package. The message of an AssertionError contains a table.
    """
    end_raises, warn = pytest.RaisesExc.__exit__, warnings_of_package.warn

    def end_and_check(self, kind, error, trace):
        expected = end_raises(self, kind, error, trace)
        if expected and _is_of_package(trace) and error.__cause__ is None:
            check_length(str(error).splitlines()[0] if kind is AssertionError else str(error))
        return expected

    def warn_and_check(message, category=UserWarning, stacklevel=1):
        check_length(str(message))
        warn(message, category, stacklevel=stacklevel + 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pytest.RaisesExc, "__exit__", end_and_check)
        patch.setattr(warnings_of_package, "warn", warn_and_check)
        yield


def _is_of_package(trace) -> bool:
    """Return whether an error was raised in the package."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return str(trace.tb_frame.f_globals.get("__name__")).startswith("sklearn_rank.")
