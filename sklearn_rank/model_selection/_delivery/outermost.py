"""The outermost model of a call, which gets numbers of rows or of queries instead of X.

In learning curves and successive halving, scikit-learn counts samples, draws some of them and splits them. If
each query is a sample, queries stay whole.
"""

from contextlib import nullcontext
from typing import Any

import numpy as np

from ..._checks.containers import take
from ..._checks.errors import fail
from ..._checks.types import Estimator, Features, Labels, Options, Table
from ..._checks.warn import inside_call, part_of_call, running_call
from ..._rows.bound import Bound, RowTable
from ..._rows.inner_models import takes
from ..._rows.needs import Needs
from ...metrics import without_cautions
from .._catalog.seen_pairs import Pairs, read_pairs
from .check_folds import are_watched, watched_searches
from .fitting import BoundModel
from .read_scoring import find_own_scorer


class OutermostModel(BoundModel):
    """The outermost model of a call."""

    def __init__(self, estimator: Estimator, rows: RowTable, needs: Needs | None = None):
        super().__init__(estimator, rows, "rows", needs)
        self.seen: dict[tuple[Any, Any], Pairs] = {}  # the recorded pairs
        self.running_call = running_call()  # which shows each warning once
        self.number: int | None = None  # of the fit; a search makes a clone for each
        self.n_clones = 0

    def __sklearn_clone__(self) -> Bound:
        model: Any = super().__sklearn_clone__()
        model.number, model.n_clones = self.n_clones, 0
        self.n_clones += 1
        return model

    def _fit(self, method: str, X: Features, y: Labels, params: Options) -> Any:
        if recorded := self.rows.recorded:
            X_train = take(self.rows.X, self.numbers(X))
            self.seen = {columns: read_pairs(X_train, *columns) for columns in recorded}
        with inside_call(), part_of_call(self.running_call), watched_searches(self.needs):
            return super()._fit(method, X, y, params)

    def _answer(self, method: str, X: Features, y: Labels, params: Options) -> Any:
        if method == "score" and self.rows.weighs and takes(self.estimator, "score", "sample_weight"):
            params = {"sample_weight": take(self.rows.params["sample_weight"], self.numbers(X)), **params}
        is_cautioned = method == "score" and (are_watched() or find_own_scorer(self.estimator) is not None)
        with without_cautions() if is_cautioned else nullcontext(), part_of_call(self.running_call):
            return super()._answer(method, X, y, params)


def check_whole(rows: Table, codes: np.ndarray) -> np.ndarray:
    """Check that queries are whole, and return the queries of the rows."""
    sizes = np.bincount(codes)
    n_rows_in = np.bincount(codes[rows], minlength=len(sizes))
    cut = (n_rows_in > 0) & (n_rows_in < sizes)
    if cut.any():
        got = f"folds that cut {cut.sum()} of {len(cut)} queries"
        fail("cv", "keep queries whole", got, "Pass cv=5 or BalancedGroupKFold().")
    return np.flatnonzero(n_rows_in)
