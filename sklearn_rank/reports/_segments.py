"""Reports of segments of the queries, and how each differs from the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..metrics import MetricValues
from ._equal import find_scale, rank_equal
from ._intervals import t_quantile
from ._sample import Sample, estimate, find_terms
from ._summary import find_traits
from ._tables import FEW, MARK, Printed, Table, decimals_of, write, write_interval, write_signed

if TYPE_CHECKING:
    from ._report import RankingReport


class Difference(NamedTuple):
    """The mean of a segment less that of all other queries, with its interval."""

    value: float
    interval: tuple[float, float]


def compare_to_rest(
    metrics: Mapping[str, MetricValues],
    clusters: np.ndarray | None,
    inside: np.ndarray,
    confidence_level: float,
) -> dict[str, Difference]:
    """Compare some of the queries with the others, by Welch's t; over clusters where there are any."""
    return {
        name: _difference(find_terms(each), clusters, inside, confidence_level)
        for name, each in metrics.items()
    }


def _difference(
    terms: Sample, clusters: np.ndarray | None, inside: np.ndarray, confidence_level: float
) -> Difference:
    parts = [estimate(Sample(*(each * side for each in terms))) for side in (inside, ~inside)]
    value = parts[0].ratio - parts[1].ratio
    if clusters is None:
        squares = [each.standard_error**2 for each in parts]
        if min(each.df for each in parts) > 0:
            df = sum(squares) ** 2 / max(
                sum(s**2 / p.df for s, p in zip(squares, parts)), np.finfo(float).tiny
            )
        else:
            df = np.nan
        error = float(np.sqrt(sum(squares)))
    else:  # a cluster may be in both parts
        both = np.bincount(clusters, parts[0].residuals - parts[1].residuals)
        n, *of_parts = (_count_clusters(terms.below * side, clusters) for side in (1, inside, ~inside))
        df = n - 1
        error = float(np.sqrt(n / df * (both @ both))) if min(of_parts) > 1 else np.nan
    half = t_quantile(confidence_level, df) * error if error else 0.0
    return Difference(value, (value - half, value + half))


def _count_clusters(below: np.ndarray, clusters: np.ndarray) -> int:
    return int(np.count_nonzero(np.bincount(clusters, below)))


class SegmentReports(Printed, dict[Any, "RankingReport"]):
    """Reports by segment, printed with the worst segment of each metric first.

    Attributes
    ----------
    rest : dict
        By segment and metric, the difference to the mean of all other queries, with its interval by Welch's
        t: `value` and `interval`.
    """

    def __init__(self, segments: Mapping[Any, RankingReport], rest: Mapping[Any, Mapping[str, Difference]]):
        super().__init__(segments)
        self.rest = dict(rest)

    def __reduce__(self) -> tuple[Any, ...]:
        return SegmentReports, (dict(self), self.rest)

    def table(self) -> Table:
        """Return what is printed: a row a metric and segment, the worst segment first."""
        rows: list[tuple[Any, ...]] = []
        texts: list[tuple[str, ...]] = []
        few = False
        for metric in next(iter(self.values())).metrics:
            sign = 1 if find_traits(metric).greater_is_better else -1
            means = np.array([sign * each.mean[metric] for each in self.values()])
            order = np.argsort(rank_equal(means, find_scale(means)), kind="stable")
            names = list(self)
            for name in (names[place] for place in order):  # those without a mean at the end
                report, rest = self[name], self.rest[name][metric]
                interval = report.interval[metric]
                rows.append(
                    (
                        metric,
                        name,
                        report.n_queries,
                        report.mean[metric],
                        *interval,
                        rest.value,
                        *rest.interval,
                    )
                )
                digits, apart = decimals_of(interval), decimals_of(rest.interval)
                mark = MARK if report.is_of_few(metric) else ""
                few = few or bool(mark)
                difference = f"{write_signed(rest.value, apart)} {write_interval(rest.interval, apart)}"
                mean = write(report.mean[metric], digits)
                written = write_interval(interval, digits, mark)
                texts.append((metric, str(name), str(report.n_queries), mean, written, difference))
        heads = "metric", "segment", "queries", "mean", "low", "high", "to_rest", "rest_low", "rest_high"
        shown = "metric", "segment", "queries", "mean", "interval", "to the rest"
        level = f"{100 * next(iter(self.values())).confidence_level:g} %"
        return Table(
            dict(zip(heads, map(list, zip(*rows)))),
            dict(zip(shown, map(list, zip(*texts)))),
            f"{len(self)} segments, {level} intervals, the worst first",
            (FEW,) if few else (),
        )
