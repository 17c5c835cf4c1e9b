"""Targets of the fuzzer: a call, its arguments and the check of its result."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Target:
    """A public function, scorer, splitter or search."""

    call: Callable[..., Any]
    draw: Callable[[Any], dict[str, Any]]  # arguments that are valid or almost valid
    check: Callable[[Any, dict[str, Any]], str | None]  # returns the violation of a result, or None
    functions: tuple[Callable[..., Any], ...]  # functions that messages can name, the called one first
    rows: tuple[str, ...] = ()  # arguments with an entry per row; their common order does not matter
    theirs: Callable[..., Any] | None = None  # of scikit-learn; its errors and warnings are passed on
    passes: tuple[type[Exception], ...] = ()  # errors of the system that are passed on
    reference: str = ""  # the metric whose slow reference has the same value

    def __post_init__(self):
        self.name = self.functions[0].__name__
        self.names = {each.__name__ for each in self.functions}
        self.parameters = {name for each in self.functions for name in inspect.signature(each).parameters}
