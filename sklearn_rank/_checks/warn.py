"""Warnings that point at the caller's line, however deep they arise, and that a call shows once."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from inspect import currentframe
from numbers import Real
from typing import Any, TypeVar
from warnings import warn

from . import share_globals

# Packages between the caller's line and ours: this one, and those that call it back.
BETWEEN = ("sklearn_rank", "sklearn", "joblib", "contextlib")

Value = TypeVar("Value")
Called = TypeVar("Called", bound=Callable[..., Any])
Note = tuple[str, type[Warning]]  # the text of a warning, and its category


class RankingWarning(UserWarning):
    """Warning about a value that is less informative than it looks, such as MAP of relevant documents only.

    Examples
    --------
    >>> import warnings
    >>> from sklearn_rank import RankingWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", RankingWarning)  # raise an error for such a value
    """

    __module__ = "sklearn_rank"  # where users find it, and what Python prints


class _Call:
    """A call that fits many models and shows each warning once; workers have one of the same name."""

    def __init__(self, is_here: bool):
        self.is_here = is_here  # or in another process
        self.shown: dict[Note, object] = {}
        self.sent: list[Note] = []  # by workers


_CALLS: dict[str, _Call] = {}
_running: ContextVar[str] = ContextVar("running", default="")  # the name of the call
_noted: ContextVar[list[Note] | None] = ContextVar("noted", default=None)
_inside: ContextVar[bool] = ContextVar("inside", default=False)


@contextmanager
def set_mark(mark: ContextVar[Value], value: Value) -> Iterator[None]:
    """Set a mark for the code inside, in this thread or task only."""
    token = mark.set(value)
    try:
        yield
    finally:
        mark.reset(token)


def turn_on(mark: ContextVar[bool]) -> AbstractContextManager[None]:
    """Set a mark to True for the code inside."""
    return set_mark(mark, True)


def inside_call() -> AbstractContextManager[None]:
    """Mark the code inside as part of a call of this package, which has warned about its rows."""
    return turn_on(_inside)


def is_inside_call() -> bool:
    """Return whether a call of this package is fitting a model."""
    return _inside.get()


# ------------------------------------------------------------------ calls that show each warning once


def warn_once(function: Called) -> Called:
    """Make a function show each warning once, however many models it fits, here and in other processes."""
    start, show = _start_call, warn_user

    def run(*args: object, **options: object) -> Any:
        with start() as sent:
            result = function(*args, **options)
            for note in sent:
                show(*note)
            return result

    return share_globals(run, function)


@contextmanager
def _start_call() -> Iterator[list[Note]]:
    """Start a call, unless one is running; yield the warnings that its workers send."""
    if _running.get():
        yield []
        return
    from uuid import uuid4

    name = uuid4().hex
    call = _CALLS[name] = _Call(is_here=True)
    try:
        with set_mark(_running, name):
            yield call.sent
    finally:
        del _CALLS[name]


def running_call() -> str:
    """Return the name of the running call, or "" if there is none. Objects take it to other processes."""
    return _running.get()


def part_of_call(name: str) -> AbstractContextManager[None]:
    """Mark the code inside as part of the call of this name, if there is one."""
    return set_mark(_running, name or _running.get())


def send_warnings(name: str, score: Callable[[], Any]) -> Any:
    """Compute a score as part of a call. In a worker, the score carries the warnings to the call's process.

    Warnings of a model that is fitted inside a worker are shown there, because its scores can be lost.
    """
    with part_of_call(name):
        call = _find_call()
        if call is None or call.is_here or _noted.get() is not None or is_inside_call():
            return score()
        notes: list[Note] = []
        with set_mark(_noted, notes):
            value = score()
        first = next(iter(value), None) if isinstance(value, dict) else None
        number = value if first is None else value[first]
        if notes and isinstance(number, Real):
            carrying = _carry(float(number), running_call(), notes)
            return carrying if first is None else {**value, first: carrying}
        for note in notes:
            warn_user(*note)
        return value


class WarningScore(float):
    """A score that carries warnings to the process of a call when it is pickled."""

    carried: tuple[str, list[Note]]

    def __reduce__(self) -> Any:
        return _carry, (float(self), *self.carried)


def _carry(score: float, name: str, notes: list[Note]) -> WarningScore:
    """Make a score with warnings, and note them if the call runs in this process."""
    carrying = WarningScore(score)
    carrying.carried = name, notes
    if name in _CALLS and _CALLS[name].is_here:
        _CALLS[name].sent += notes
    return carrying


def _find_call() -> _Call | None:
    """Return the running call, or None. A worker makes one of the same name, in place of earlier ones."""
    name = _running.get()
    if name and name not in _CALLS:
        for other in [each for each, call in _CALLS.items() if not call.is_here]:
            del _CALLS[other]
        _CALLS[name] = _Call(is_here=False)
    return _CALLS.get(name)


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's line, the first one outside this package and those that call it back.

    Python shows a warning once per line and text, so each of the user's lines shows it. A call that fits many
    models shows it once.
    """
    call, notes, note = _find_call(), _noted.get(), (message, category)
    if notes is not None:
        notes.append(note)
    elif call is None or call.shown.setdefault(note, own := object()) is own:
        try:
            warn(message, category, stacklevel=_count_frames())
        except Warning:  # by a filter
            if call is not None:
                del call.shown[note]
            raise


@contextmanager
def warnings_about(call: str, subject: str) -> Iterator[None]:
    """Name the subject, such as one of several runs, in warnings of the code inside, after their call."""
    notes: list[Note] = []
    try:
        with set_mark(_noted, notes):
            yield
    finally:
        for text, category in notes:
            warn_user(text.replace(call, f"{call} for {subject}", 1), category)


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
