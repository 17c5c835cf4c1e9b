"""Names of test cases that are the same in every process, which parallel workers require."""

import re

import sklearn_rank


def name_of(value):
    """Describe a value without its memory address, and a function by its name."""
    return re.sub(r"<function (\S+) at 0x[0-9a-f]+>| at 0x[0-9a-f]+", r"\1", str(value))


# Names for code in messages. Users import them from the package or the subpackage that defines them.
MODULES = (
    sklearn_rank.metrics,
    sklearn_rank.model_selection,
    sklearn_rank.datasets,
    sklearn_rank.clicks,
    sklearn_rank,
)
PUBLIC = {name: getattr(module, name) for module in MODULES for name in module.__all__}
PUBLIC_NAMES = tuple(PUBLIC)  # `eval` adds `__builtins__` to its scope
