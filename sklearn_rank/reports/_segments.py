"""Reports of segments: a dict of reports that is printed as one table."""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from .._checks.types import Groups, Labels
from ..metrics import align_labels
from ._equal import find_scale, rank_equal
from ._intervals import RatioTerms, estimate_contrast, t_quantile
from ._system_names import order_naturally
from ._tables import Printed, Table, share_decimals, write_interval, write_level, write_signed

Report = TypeVar("Report", bound=Any)


def align_segments(labels: Labels, groups: Groups, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the code of each query's segment, and the segments in natural order."""
    codes, names = align_labels(labels, groups, ids, of_rows=", or have one entry per row with groups=qid")
    if names.dtype.kind not in "OU":
        return codes, names
    order = np.array(sorted(range(len(names)), key=lambda code: order_naturally(names[code])))
    return np.argsort(order)[codes], names[order]


class Difference(NamedTuple):
    """The mean of a segment minus that of all other queries, with its interval."""

    value: float
    interval: tuple[float, float]


def compare_to_rest(
    terms: RatioTerms, clusters: np.ndarray | None, inside: np.ndarray, confidence_level: float
) -> Difference:
    """Compare some queries with the others by Welch's t; over clusters if there are any."""
    value, error, df = estimate_contrast(terms, clusters, inside)
    known = 0.0 if value == 0 else np.nan  # without an error, all values of both parts are equal
    half = t_quantile(confidence_level, df) * error if error else known
    return Difference(value, (value - half, value + half))


class SegmentReports(Printed, dict[Any, Report], Generic[Report]):
    """Reports by segment, printed with the worst segment of each metric first.

    Attributes
    ----------
    rest : dict
        By segment and metric, the difference from the mean of all other queries: its `value` and its
        confidence `interval`, by Welch's t.
    """

    def __init__(self, segments: Mapping[Any, Report], rest: Mapping[Any, Mapping[str, Difference]]):
        super().__init__(segments)
        self.rest = dict(rest)

    def __reduce__(self) -> tuple[Any, ...]:
        return SegmentReports, (dict(self), self.rest)

    def table(self, digits: int | None = None) -> Table:
        """Return the printed table: a row per metric and segment, with the worst segment first.

        Parameters
        ----------
        digits : int, default=None
            Number of decimals. If `None`, two digits of the smallest half width of an interval.

        Returns
        -------
        Table
            Means of segments with intervals, and differences from the mean of all other queries.
        """
        first, names = next(iter(self.values())), list(self)
        traits = {metric: each.traits for metric, each in first._summaries.items()}
        means_of = {metric: [each.interval[metric] for each in self.values()] for metric in traits}
        rest_of = {metric: [each[metric].interval for each in self.rest.values()] for metric in traits}
        decimals, of_rest = (share_decimals(each, traits, digits) for each in (means_of, rest_of))
        rows: list[tuple[Any, ...]] = []
        texts: list[tuple[str, ...]] = []
        for metric in traits:
            sign = 1 if traits[metric].greater_is_better else -1
            means = np.array([sign * each.mean[metric] for each in self.values()])
            order = np.argsort(rank_equal(means, find_scale(means)), kind="stable")
            for name in (names[place] for place in order):  # segments without a mean come last
                report, rest = self[name], self.rest[name][metric]
                n, mean = report.n_defined[metric], report.mean[metric]
                rows.append((metric, name, n, mean, *report.interval[metric], rest.value, *rest.interval))
                difference = write_signed(rest.value, of_rest[metric])
                if not np.isnan(rest.interval).all():
                    difference += f" {write_interval(rest.interval, of_rest[metric])}"
                mean_texts = report._write(metric, decimals[metric])[:2]
                texts.append((metric, str(name), f"{n:,}", *mean_texts, difference))
        level = write_level(first.confidence_level)
        heads = "metric", "segment", "queries", "mean", f"{level} CI", f"vs. rest ({level} CI)"
        columns = *heads[:4], "low", "high", "difference", "difference_low", "difference_high"
        return Table(
            dict(zip(columns, map(list, zip(*rows)))),
            dict(zip(heads, map(list, zip(*texts)))),
            f"{len(self)} segments, {level} confidence intervals, worst segment first",
            tuple(dict.fromkeys(note for each in self.values() for note in each._note_few())),
        )
