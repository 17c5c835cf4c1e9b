"""Oracles and the comparison of their values with ours."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata, util
from typing import Any, NamedTuple

import numpy as np

from tests.helpers.table import METRICS

from .data import Data, View, make_all

Compute = Callable[[Any, bool], Any]


class Row(NamedTuple):
    """A metric of this package, such as "ndcg@5", and the oracle's name for it."""

    ours: str
    theirs: Any
    options: Mapping[str, Any] = {}  # in addition to the preset of the oracle
    views: tuple[View, ...] = ()  # applied to both sides, in addition to the views of the oracle
    weighted: bool = False
    compute: Callable[[Data], np.ndarray] | None = None  # instead of a metric of the registry

    def __str__(self) -> str:
        views = [view.__name__ for view in self.views] + ["weighted"] * self.weighted
        return ", ".join([f"{self.ours} = {self.theirs}", *views])


class Oracle(NamedTuple):
    """A library, and the rows that compare its metrics with ours.

    `prepare` converts data to the format of the library and returns a function that computes a metric. The
    function takes the library's name of the metric and whether to weight queries. It returns the mean over
    queries or an array with the value of each query.
    """

    module: str
    prepare: Callable[[Data], Compute]
    rows: list[Row]
    tolerance: float = 1e-12  # absolute, for sums of some hundred terms in float64
    views: tuple[View, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = {}

    @property
    def is_installed(self) -> bool:
        return util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        [package] = set(metadata.packages_distributions()[self.module])
        return metadata.version(package)


class Found(NamedTuple):
    """The size of a comparison, its largest absolute difference, and the data set that has it."""

    n_data: int
    n_values: int
    largest: float
    where: str


all_data = cache(make_all)


def our_value(oracle: Oracle, row: Row, data: Data, average: str | None) -> Any:
    """Compute our value under the convention of the oracle."""
    if row.compute is not None:
        return row.compute(data)
    stem, _, k = row.ours.partition("@")
    options = {**oracle.presets.get(stem, {}), **row.options, **({"k": int(k)} if k else {})}
    options |= {"average": average, "sample_weight": data.weights if row.weighted else None}
    return METRICS[stem].function(data.y_true, data.y_score, groups=data.groups, **options)


@cache
def apply_views(views: tuple[View, ...], index: int) -> Data | None:
    """Return a data set after some views, or None if no query is left."""
    data = all_data()[index] if not views else apply_views(views[:-1], index)
    return views[-1](data) if views and data is not None else data


@cache
def prepare_once(prepare: Callable[[Data], Compute], views: tuple[View, ...], index: int) -> Compute:
    """Prepare a data set for an oracle, once for all metrics with the same views."""
    return prepare(apply_views(views, index))


def compare(oracle: Oracle, row: Row) -> Found:
    """Compare a metric on every data set of which the views leave a query."""
    views = oracle.views + row.views
    n_data, n_values, largest, where = 0, 0, 0.0, ""
    for index in range(len(all_data())):
        data = apply_views(views, index)
        if data is None:
            continue
        theirs = np.asarray(prepare_once(oracle.prepare, views, index)(row.theirs, row.weighted))
        ours = np.asarray(our_value(oracle, row, data, "macro" if theirs.ndim == 0 else None))
        assert ours.shape == theirs.shape, f"{row}: {data.name}"
        differences = np.abs(ours - theirs)
        n_data, n_values = n_data + 1, n_values + differences.size
        worst = float(differences.max(initial=0.0))
        if not worst <= largest:
            where = data.name
        largest = float(np.maximum(largest, worst))  # keeps nan
    return Found(n_data, n_values, largest, where)
