"""How users go down a list: one table of models, and what each gives the rows of a list."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._checks.errors import fail
from ..._checks.options import check_options, is_one_of
from ..._engine.blocks import iter_blocks
from ..._engine.prepared import PreparedRows
from .._gains_and_discounts import bind_discount, bind_stop
from .._opened import Opened, spread_worth


class Model(NamedTuple):
    """One way to go down a list."""

    p: float | None = None  # with which probability users go on, where none is given; None: it takes none
    stops: bool = False  # whether users stop at documents by their labels


MODELS = {"log2": Model(), "reciprocal": Model(), "rbp": Model(p=0.8), "cascade": Model(p=1.0, stops=True)}


class BrowsingOptions(NamedTuple):
    """A model of browsing with its options."""

    browsing: Any
    p: float | None
    k: int | None
    gain: Any
    max_grade: float | None

    @property
    def stops(self) -> bool:
        """Tell whether users stop at documents by their labels."""
        return isinstance(self.browsing, str) and MODELS[self.browsing].stops

    def checked(self, function: str) -> "BrowsingOptions":
        """Check all options, and that they go together."""
        browsing, p, k, gain, max_grade = self
        if not (callable(browsing) or is_one_of(browsing, (*MODELS, None))):
            rule = f"be {', '.join(map(repr, MODELS))}, None or a callable of the rank"
            fail("browsing", function, rule, repr(browsing))
        model = MODELS[browsing] if isinstance(browsing, str) else Model()
        if p is not None:
            check_options(function, p=p)
            if model.p is None:
                rule = "be None unless browsing='rbp' or 'cascade', in which users go on with a probability"
                fail("p", function, rule, repr(p))
        options = check_options(function, k=k, gain=gain, max_grade=max_grade)
        if max_grade is not None and not self.stops:
            rule = "be None unless browsing='cascade', in which users stop by the grade of a document"
            fail("max_grade", function, rule, repr(max_grade))
        return BrowsingOptions(browsing, model.p if p is None else float(p), **options)

    def worth(self, n_ranks: int, function: str) -> np.ndarray:
        """Return the probability that users look at each rank, before they stop at any document."""
        ranks = np.arange(n_ranks)
        worth = (
            bind_discount(self.browsing, n_ranks, function, "browsing") if self.p is None else self.p**ranks
        )
        return worth * (ranks < (self.k or n_ranks))

    def expose(self, opened: Opened, ties: str, function: str) -> np.ndarray:
        """Return the expected exposure of each row; 0 to rows without a rank."""
        rows = opened.rows
        worth = self.worth(rows.longest, function)
        if not self.stops:
            return spread_worth(opened, ties, worth)
        return _expose_until_stop(opened, ties, worth, self._stop(rows, function))

    def _stop(self, rows: PreparedRows, function: str) -> np.ndarray:
        """Return the probability to stop at each row."""
        stop: Callable[..., np.ndarray] = bind_stop(self.gain, self.max_grade, rows, function)
        judged = rows.labels == rows.labels
        stops = np.zeros(len(rows.labels))
        stops[judged] = stop(rows.labels[judged])
        return stops


def _expose_until_stop(opened: Opened, ties: str, worth: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Give each row what its rank is worth to users who have not stopped above it."""
    of_rows = np.zeros(len(stops))
    for block in iter_blocks(opened.rows, opened.scores, "order" if ties == "order" else "average"):
        inside = block.ranks <= block.n_retrieved[:, None]
        rows = block.rows
        goes_on = np.where(inside, 1 - stops[rows], 1)
        of_rows[rows[inside]] = block.examined(goes_on, worth[: len(block.ranks)])[inside]
    return of_rows
