"""Warnings that point at the caller's line, however deep they arise."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from inspect import currentframe
from warnings import warn

# Packages between the caller's line and ours: this one, and those that call it back.
BETWEEN = ("sklearn_rank", "sklearn", "joblib")


class RankingWarning(UserWarning):
    """Warning of a number that says less than it seems to, such as the MAP where all is relevant.

    Examples
    --------
    >>> import warnings
    >>> from sklearn_rank import RankingWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", RankingWarning)  # stop at such a number
    """

    __module__ = "sklearn_rank"  # where users find it, and what Python prints


_inside: ContextVar[bool] = ContextVar("inside", default=False)


@contextmanager
def turn_on(mark: ContextVar[bool]) -> Iterator[None]:
    """Set a mark for the code inside, in this thread or task only."""
    token = mark.set(True)
    try:
        yield
    finally:
        mark.reset(token)


def inside_call() -> AbstractContextManager[None]:
    """Mark the code inside as part of a call of this package, which has warned about its rows."""
    return turn_on(_inside)


def is_inside_call() -> bool:
    """Return whether a call of this package is fitting a model."""
    return _inside.get()


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's line, the first one outside this package and those that call it back.

    Python shows a warning once per line and text, so each of the user's lines shows it.
    """
    warn(message, category, stacklevel=_count_frames())


def _count_frames() -> int:
    """Return the `stacklevel` for `warn` in `warn_user`: the user's frame, or else the outermost one."""
    frame = currentframe()
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    packages = (str(each.f_globals.get("__name__", "")).partition(".")[0] for each in frames)
    outside = (level for level, package in enumerate(packages) if package not in BETWEEN)
    return next(outside, len(frames) - 1)  # frames[0] is this function's, frames[1] that of level 1
