"""Reports of segments: a dict of reports that is printed as one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._equal import find_scale, rank_equal
from ._intervals import RatioTerms, estimate_contrast, find_traits, t_quantile
from ._tables import Printed, Table, decimals_of, write_interval, write_level, write_signed

if TYPE_CHECKING:
    from ._report import RankingReport


class Difference(NamedTuple):
    """The mean of a segment minus that of all other queries, with its interval."""

    value: float
    interval: tuple[float, float]


def compare_to_rest(
    terms: RatioTerms, clusters: np.ndarray | None, inside: np.ndarray, confidence_level: float
) -> Difference:
    """Compare some queries with the others by Welch's t; over clusters if there are any."""
    value, error, df = estimate_contrast(terms, clusters, inside)
    half = t_quantile(confidence_level, df) * error if error else 0.0
    return Difference(value, (value - half, value + half))


class SegmentReports(Printed, dict[Any, "RankingReport"]):
    """Reports by segment, printed with the worst segment of each metric first.

    Attributes
    ----------
    rest : dict
        By segment and metric, the difference from the mean of all other queries: its `value` and its
        confidence `interval`, by Welch's t.
    """

    def __init__(self, segments: Mapping[Any, RankingReport], rest: Mapping[Any, Mapping[str, Difference]]):
        super().__init__(segments)
        self.rest = dict(rest)

    def __reduce__(self) -> tuple[Any, ...]:
        return SegmentReports, (dict(self), self.rest)

    def table(self) -> Table:
        """Return the printed table: a row per metric and segment, with the worst segment first."""
        rows: list[tuple[Any, ...]] = []
        texts: list[tuple[str, ...]] = []
        for metric in next(iter(self.values())).metrics:
            sign = 1 if find_traits(metric).greater_is_better else -1
            means = np.array([sign * each.mean[metric] for each in self.values()])
            order = np.argsort(rank_equal(means, find_scale(means)), kind="stable")
            digits = decimals_of(*(each.interval[metric] for each in self.values()))
            apart = decimals_of(*(each[metric].interval for each in self.rest.values()))
            names = list(self)
            for name in (names[place] for place in order):  # segments without a mean come last
                report, rest = self[name], self.rest[name][metric]
                n, mean = report.n_queries, report.mean[metric]
                rows.append((metric, name, n, mean, *report.interval[metric], rest.value, *rest.interval))
                difference = f"{write_signed(rest.value, apart)} {write_interval(rest.interval, apart)}"
                texts.append((metric, str(name), str(n), *report._write(metric, digits)[:2], difference))
        level = write_level(next(iter(self.values())).confidence_level)
        heads = "metric", "segment", "queries", "mean", f"{level} CI", f"vs. rest ({level} CI)"
        columns = *heads[:4], "low", "high", "difference", "difference_low", "difference_high"
        return Table(
            dict(zip(columns, map(list, zip(*rows)))),
            dict(zip(heads, map(list, zip(*texts)))),
            f"{len(self)} segments, {level} confidence intervals, worst segment first",
            tuple(dict.fromkeys(note for each in self.values() for note in each._note_few())),
        )
