"""The table of the outermost model."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..._checks.containers import count_rows, take
from ..._checks.types import Features, Labels, Options, Values
from ..._rows.bound import Rows


class CallRows(Rows):
    """The table of a call, with the query of each row, and columns of pairs to record."""

    def __init__(self, columns: Mapping[str, Any], X: Features, y: Labels, codes: np.ndarray):
        super().__init__(columns, X, y)
        self.codes = codes
        self.recorded: tuple[tuple[Any, Any], ...] = ()  # columns of users and items to record in `fit`
        self.by_query = False  # whether numbers are those of queries
        self.params: Options = {}  # parameters of `fit`, if numbers are those of queries
        self.weighs = (
            False  # whether weights of `fit` are also those of scores, if numbers are those of queries
        )

    def take_params(self, numbers: Values) -> Options:
        """Return the parameters of `fit` for some rows; those without an entry per row are unchanged."""
        return {
            name: take(each, numbers) if self._is_by_row(each) else each for name, each in self.params.items()
        }

    def _is_by_row(self, value: Any) -> bool:
        sized = not isinstance(value, str | dict) and (hasattr(value, "__len__") or hasattr(value, "shape"))
        return sized and getattr(value, "shape", None) != () and count_rows(value) == len(self.codes)
