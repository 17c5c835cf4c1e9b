"""Code of the user's that runs with the user's own configuration, although a call has enabled routing."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn import config_context


def with_routing(function: Callable[..., Any], routing: bool) -> Callable[..., Any]:
    """Return a function that runs with metadata routing as the user has it."""

    @wraps(function)
    def run(*args: Any, **params: Any) -> Any:
        with config_context(enable_metadata_routing=routing):
            return function(*args, **params)

    return run
