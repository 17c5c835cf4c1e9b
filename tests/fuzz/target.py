"""What is called, and what may be said of it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Target:
    """A public function, scorer, splitter or search."""

    call: Callable[..., Any]
    draw: Callable[[Any], dict[str, Any]]  # arguments that are right, or nearly
    check: Callable[[Any, dict[str, Any]], str | None]  # what is wrong with a result
    functions: tuple[Callable[..., Any], ...]  # whose names and parameters messages may name; its own first
    rows: tuple[str, ...] = ()  # arguments with an entry per row, whose order together does not matter
    theirs: Callable[..., Any] | None = None  # scikit-learn's, whose errors and warnings are passed on
    passes: tuple[type[Exception], ...] = ()  # errors of the system that are passed on

    def __post_init__(self):
        self.name = self.functions[0].__name__
        self.names = {each.__name__ for each in self.functions}
        self.parameters = {name for each in self.functions for name in inspect.signature(each).parameters}
