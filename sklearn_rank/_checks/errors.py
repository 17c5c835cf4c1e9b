"""Errors that name the parameter, the function, the rule and the value; and values as text."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from inspect import currentframe, signature
from numbers import Integral, Real
from types import FrameType
from typing import NoReturn, TypeGuard

import numpy as np

from . import SUBPACKAGES
from .outputs import make_printable

MOST_LETTERS = 350  # of an error
OF_NAME = 60  # letters of a name in it
WIDTH = 80  # of printed text


def fail(parameter: str, rule: str, got: object, fix: str = "", place: str = "") -> NoReturn:
    """Raise the error for a bad argument: rule, value, and the `fix`, a sentence with code to paste.

    A long value is shortened so that its `place` in a file remains.
    """
    start = f"The '{parameter}' parameter of {name_call(parameter)} must {rule}. Got "
    end = f" instead. {fix}"
    room = max(MOST_LETTERS - len(start) - len(end), OF_NAME)
    shown = shorten(" ".join(map(str.strip, str(got).splitlines())), max(room - len(place), OF_NAME))
    raise ValueError(make_printable(f"{start}{shorten(shown + place, room)}{end}".rstrip()))


@contextmanager
def renamed(parameter: str, name: str) -> Iterator[None]:
    """Give a parameter another name in errors, such as that of the argument from which it was taken."""
    try:
        yield
    except ValueError as error:
        rule, got, value = str(error).partition(". Got ")
        error.args = (rule.replace(f"'{parameter}'", f"'{name}'") + got + value,)
        raise


def shorten(text: str, n_letters: int = OF_NAME) -> str:
    """Return a text of at most a number of letters; "..." replaces a part of a longer text."""
    n_last = n_letters // 4
    return text if len(text) <= n_letters else f"{text[: n_letters - n_last - 3]}...{text[-n_last:]}"


def count_of(n: int, unit: str, units: str = "") -> str:
    """Return a count with its unit, such as "1 row", "2 rows" or "2 queries"."""
    return f"{n:,} {unit if n == 1 else units or unit + 's'}"


def kind_of(value: object) -> str:
    """Return the type of a value with its article, such as "a list" or "an ndarray", or "None"."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' or name.startswith('nd') else 'a'} {name}"


def name_call(parameter: str = "") -> str:
    """Return the name of the public function, class or method that a message is about.

    It is the outermost one below the user's code that has the parameter, such as the splitter in a call of
    ``cross_val_score``. If none has it, it is the outermost one.
    """
    modules = [sys.modules.get(f"sklearn_rank.{each}") for each in SUBPACKAGES]
    public = {name for module in modules for name in getattr(module, "__all__", ())}
    outermost, frames = "", _list_frames()
    for frame in frames:
        name, has_parameter = _name_frame(frame, parameter, public)
        if name and has_parameter:
            return name
        outermost = outermost or name
    return outermost or frames[0].f_code.co_name


def _list_frames() -> list[FrameType]:
    """List the frames of this package below the user's code, outermost first. Python's library is skipped."""
    frame, found = currentframe(), []
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package == "sklearn_rank":
            found.append(frame)
        elif package not in sys.stdlib_module_names:
            break
        frame = frame.f_back
    return found[::-1]


def _name_frame(frame: FrameType, parameter: str, public: set[str]) -> tuple[str, bool]:
    """Return the name of what runs in a frame, empty if it is not public, and whether it has the parameter.

    A frame whose code has another name than its function sets the name as its local variable `_called_as`.
    """
    code, values = frame.f_code, frame.f_locals
    if "_called_as" in values:
        return str(values["_called_as"]), True
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    has_parameter = not parameter or parameter in own
    owner = values.get("self", values.get("cls")) if "." in code.co_qualname else None
    if owner is None:
        return code.co_name if code.co_name in public else "", has_parameter
    kind = owner if isinstance(owner, type) else type(owner)
    if public.isdisjoint(each.__name__ for each in kind.__mro__):
        return "", False
    name = kind.__name__ if owner is kind or not hasattr(kind, "describe") else shorten(owner.describe())
    method = "" if code.co_name.startswith("_") else f".{code.co_name}"
    if has_parameter and (method or code.co_name in ("__init__", "__call__")):
        return name + method, True
    is_option = parameter in _list_options(owner, kind)
    return name if is_option else name + method, is_option


def _list_options(owner: object, kind: type) -> set[str]:
    """List the parameters of a constructor, options of a scorer and keyword options of LightGBM's models."""
    options = set(signature(kind).parameters)
    with suppress(Exception):  # the constructor of the object might not have finished
        options.update(getattr(owner, "options", None) or ())
        options |= owner.get_params(deep=False).keys()  # type: ignore[attr-defined]
    return options


def spell_id(value: object) -> str:
    """Return an id as text, with numpy's types as Python's: 'a' and not np.str_('a')."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def is_int(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer, excluding bool and timedelta64."""
    if type(value) is int:  # the most frequent type, checked first
        return True
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def is_real(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number, excluding bool and timedelta64."""
    if type(value) is float or type(value) is int:
        return True
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_ | np.timedelta64)


def check_count(value: object, lowest: int, parameter: str, other: str = "") -> None:
    """Check an integer that counts something; `other` names other allowed values."""
    if not is_int(value) or value < lowest:
        fail(parameter, f"be an int >= {lowest}{other}", repr(value))


def as_printed(text: str) -> str:
    """Return text as HTML that looks as printed; notebooks use another font for <pre>."""
    from html import escape

    return f'<pre style="font-family: monospace; white-space: pre; overflow-x: auto">{escape(text)}</pre>'
