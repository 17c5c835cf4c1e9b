"""How a metric of another library is written as one of ours."""

from collections.abc import Mapping
from typing import Any

from .formulas import FOREIGN
from .table import Library, Meaning


def spell_name(meaning: Meaning, library: Library) -> str:
    """Write our name for a metric, without what holds for all metrics of the library.

    Where a name cannot hold a value it is a call; of a metric without a name here it is the formula in words.
    """
    metric, said = meaning.metric, meaning.said
    changed = {
        key: value
        for key, value in said.items()
        if key != "k"
        and not _is(value, metric.defaults.get(key))
        and not _is(value, library.convention.get(key))
    }
    if metric.stem in FOREIGN:
        return str(metric.formula.__doc__).splitlines()[0].rstrip(".")
    k = said.get("k")
    if not all(isinstance(value, str | bool | int | float | None) for value in changed.values()):
        return _spell_call(metric.name, {**({} if k is None else {"k": k}), **changed})
    params = ", ".join(f"{key}={_short(value)}" for key, value in changed.items())
    cutoff = "" if k is None else f"@{k}"
    return f"{metric.stem}{cutoff}{f'({params})' if params else ''}"


def spell_options(options: Mapping[str, Any]) -> str:
    """Write options as arguments of a call."""
    return ", ".join(f"{key}={spell_value(value)}" for key, value in options.items())


def spell_value(value: Any) -> str:
    """Write a value; a function by its name."""
    return getattr(value, "__name__", None) or repr(value)


def _spell_call(function: str, options: Mapping[str, Any]) -> str:
    return f"{function}({spell_options(options)})"


def _short(value: Any) -> str:
    """Write a value as names have it."""
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def _is(value: Any, other: Any) -> bool:
    return value is other or (type(value) is type(other) and value == other)
