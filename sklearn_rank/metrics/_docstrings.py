"""Complete docstrings of popular metrics, whose sources refer to each other for shared parameters."""

import re
from collections.abc import Iterable
from inspect import cleandoc, signature
from typing import Any

_REFERENCE = re.compile(r"\n    As in :func:`(\w+)`\.$")


def complete_docstrings(functions: Iterable[Any]) -> None:
    """Replace references by the entries of the functions before, in the order of the signature."""
    known: dict[str, dict[str, str]] = {}
    for function in functions:
        if not function.__doc__:  # pragma: no cover - python -OO removes it, in a process of its own
            return
        start, title, rest = cleandoc(function.__doc__).partition("Parameters\n----------\n")
        described, _, end = rest.partition("\n\n")
        entries = known[function.__name__] = {}
        for entry in re.split(r"\n(?=\S)", described):
            found = _REFERENCE.search(entry)
            for name in re.split(" : |\n", entry)[0].split(", "):
                entries[name] = known.get(found[1], {}).get(name, f"{name}{found[0]}") if found else entry
        in_order = "\n".join(dict.fromkeys(entries[name] for name in signature(function).parameters))
        function.__doc__ = f"{start}{title}{in_order}\n\n{end}"
