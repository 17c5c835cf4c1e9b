"""List the public names and their parameters: ``python -m tests.public_names`` in a checkout.

The ``diff`` of the lists of two checkouts shows how a change affects users. To list another checkout, pass
its path: ``python -m tests.public_names ../before``. Types are omitted, because they can become narrower.
"""

import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

SUBPACKAGES = (
    "clicks",
    "datasets",
    "distributed",
    "inspection",
    "metrics",
    "model_selection",
    "preprocessing",
    "rankers",
    "reports",
)


def list_names() -> Iterator[str]:
    """List the names of the package and its subpackages, and the attributes of their classes."""
    described = set()
    for module in (*(f"sklearn_rank.{name}" for name in SUBPACKAGES), "sklearn_rank"):
        imported = import_module(module)
        for name in getattr(imported, "__all__", None) or filter(
            str.isupper, vars(imported)
        ):  # for older checkouts
            value = getattr(imported, name)
            yield f"{module}.{name}{describe(value)}"
            if inspect.isclass(value) and value not in described:  # described once
                described.add(value)
                public = (name for name in dir(value) if not name.startswith("_"))
                yield from (f"{module}.{name}.{part}{describe_static(value, part)}" for part in public)


def describe(value: Any) -> str:
    """Return the signature of a callable, or the keys or the type of another value."""
    if not callable(value):
        return f": {', '.join(map(str, value)) if isinstance(value, dict) else type(value).__name__}"
    try:
        signature = inspect.signature(value)
    except ValueError:  # for example the signature of an exception
        return "(...)"
    bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def describe_static(owner: type, name: str) -> str:
    """Describe an attribute of a class without getting it, because properties can raise errors."""
    value = inspect.getattr_static(owner, name)
    return describe(value.__func__ if isinstance(value, classmethod | staticmethod) else value)


def main() -> None:
    """Print the list in alphabetical order."""
    sys.path[:0] = sys.argv[1:2]
    print("\n".join(sorted(list_names())))


if __name__ == "__main__":
    main()
