"""Words of errors, which name the parameter, the function, the rule and what was got; values as shown."""

from numbers import Integral, Real
from typing import NoReturn, TypeGuard

import numpy as np


def fail(parameter: str, function: str, rule: str, got: object, fix: str = "") -> NoReturn:
    """Raise the error for a bad argument: rule and value, then the `fix`, a sentence with code to paste."""
    message = f"The '{parameter}' parameter of {function} must {rule}. Got {got} instead."
    raise ValueError(f"{message} {fix}".rstrip())


def spell_id(value: object) -> str:
    """Return an id as text, with numpy's types as Python's: 'a' and not np.str_('a')."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def is_int(value: object) -> TypeGuard[int]:
    """Tell whether a value is an integer: no truth value, and no span of time, which numpy counts as one."""
    if type(value) is int:  # the most frequent one, at once
        return True
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def is_real(value: object) -> TypeGuard[float]:
    """Tell whether a value is a real number, likewise."""
    if type(value) is float or type(value) is int:
        return True
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_ | np.timedelta64)


def check_count(value: object, lowest: int, parameter: str, function: str, other: str = "") -> None:
    """Check an integer that counts something; `other` says what else it might have been."""
    if not is_int(value) or value < lowest:
        fail(parameter, function, f"be an int >= {lowest}{other}", repr(value))


def as_printed(text: str) -> str:
    """Return a text in HTML as it is printed; notebooks have another font for <pre>."""
    from html import escape

    return f'<pre style="font-family: monospace; white-space: pre; overflow-x: auto">{escape(text)}</pre>'
