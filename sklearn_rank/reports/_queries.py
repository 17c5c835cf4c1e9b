"""What a report keeps of each query."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..metrics import MetricValues


class Queries(NamedTuple):
    """Queries in the order of their ids."""

    ids: np.ndarray
    metrics: dict[str, MetricValues]
    sizes: np.ndarray | None = None
    n_relevant: np.ndarray | None = None
    folds: np.ndarray | None = None
    clusters: np.ndarray | None = None

    def take(self, places: np.ndarray) -> Queries:
        """Return some of the queries."""
        taken: dict[int, np.ndarray] = {}
        metrics = {name: each.take(places, taken) for name, each in self.metrics.items()}
        others = [None if each is None else each[places] for each in self[2:]]
        return Queries(self.ids[places], metrics, *others)

    def freeze(self) -> Queries:
        """Refuse changes of what means were computed of."""
        for each in (*self.columns().values(), self.folds):
            if each is not None:
                each.flags.writeable = False
        return self

    def columns(self) -> dict[str, np.ndarray]:
        """Return what is known of each, column by column."""
        folds = self.folds if self.folds is not None and self.folds.ndim == 1 else None
        known = {"query": self.ids, "size": self.sizes, "relevant": self.n_relevant}
        known |= {"cluster": self.clusters, "fold": folds}
        values = {name: each.values for name, each in self.metrics.items()}
        return {name: each for name, each in known.items() if each is not None} | values
