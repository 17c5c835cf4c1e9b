"""Means of few queries labeled by people, adjusted by values of many queries labeled by a model.

The estimate is double sampling with regression (Cochran, "Sampling techniques", 1977, chapter 12): mean(y) +
b (mean of x over all queries - mean of x over the labeled queries), with the slope b of human values y on
model values x. Units are queries, or clusters by the sums of their queries. All means are ratios as in
`_intervals`, and b is the slope of what the units add to them, centered.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .._checks.errors import fail, name_call
from .._checks.groups import number_ids
from ..metrics import MetricValues
from ._equal import ROUNDING, find_rounding, find_scale, subtract_equal
from ._intervals import (
    FEW_VALUES,
    NONE,
    RatioEstimate,
    RatioTerms,
    Settings,
    Summary,
    estimate,
    estimate_contrast,
    find_terms,
    sum_clusters,
    summarize_values,
)
from ._reported_queries import QueryValues, check_same, list_names, show
from ._tables import Table, write, write_signed

FEWEST = 5  # units, for three degrees of freedom
LARGEST_LEVERAGE = 0.999
LARGE_Z = 3  # probability 0.003 by chance


class ModelLabels(NamedTuple):
    """The part of a model's labels in the estimate of a mean, for one metric."""

    model_mean: float  # of the model's values over all its queries
    slope: float  # of human values on the model's values
    correlation: float  # of both, over the queries or clusters labeled by people
    worth: float  # number of queries labeled by people alone with the same standard error
    z: float  # model's mean of the labeled queries minus that of the others, in standard errors
    n_apart: int  # labeled queries whose human value and model value differ


class Units(NamedTuple):
    """A mean, or a difference of means, as a sum over units."""

    mean: float
    terms: np.ndarray  # what each unit adds to the mean
    residuals: np.ndarray  # the same, centered
    scale: float  # sum of squares of the terms, of both means for a difference
    shares: np.ndarray  # of the weight
    n: int  # units with a positive weight
    n_effective: float

    @property
    def squares(self) -> float:
        """Return the sum of squared residuals; 0 if all units are equal up to rounding."""
        squares = float(self.residuals @ self.residuals)
        return squares if squares > ROUNDING**2 * self.scale else 0.0

    @property
    def variance(self) -> float:
        return self.squares * self.n / (self.n - 1) if self.n > 1 else np.nan


def find_units(sample: RatioTerms, clusters: np.ndarray | None) -> Units:
    """Return a mean over queries as a sum over queries, or over clusters."""
    sample = sum_clusters(sample, clusters)
    found, total = estimate(sample), sample.below.sum() or 1.0
    terms = sample.above / total
    sizes = found.n_units, found.n_effective
    return Units(found.ratio, terms, found.residuals, float(terms @ terms), sample.below / total, *sizes)


def pair_units(
    one: MetricValues, other: MetricValues, clusters: np.ndarray | None, rounding: float
) -> tuple[Units, Units, Units]:
    """Return the means of two systems over the queries that count in both, and their difference."""
    samples = [find_terms(each) for each in (one, other)]
    compared = (samples[0].below > 0) & (samples[1].below > 0)
    first, second = (find_units(RatioTerms(*(each * compared for each in of)), clusters) for of in samples)
    terms = subtract_equal(first.terms, second.terms, find_scale(first.terms, second.terms), rounding)
    residuals = first.residuals - second.residuals if terms.any() else terms
    scale = first.scale + second.scale
    return first, second, Units(float(terms.sum()), terms, residuals, scale, *first[4:])


class Regression(NamedTuple):
    """A mean that is adjusted by a model's values."""

    mean: float
    standard_error: float
    slope: float
    correlation: float


def regress(human: Units, labeled: Units, every: Units, places: np.ndarray) -> Regression:
    """Adjust the mean of human values by the model's values of the same units and of all its units.

    The variance is that of the residuals, divided by 1 - leverage as in HC3, plus b**2 times the variance of
    the model's mean. `places` are the indices of the labeled units among all. The residuals and the model's
    values of these units are uncorrelated, except if people labeled only a part of the queries of a cluster.
    """
    x, y, squares = labeled.residuals, human.residuals, labeled.squares
    along = x / squares if squares else np.zeros(len(x))
    slope = float(y @ along)
    shift = every.mean - labeled.mean if slope else 0.0
    residuals = y - slope * x
    leverages = np.minimum(human.shares + x * along, LARGEST_LEVERAGE)
    of_labeled = (1 + shift * along) * residuals / (1 - leverages)
    shared = 2 * slope * float(residuals @ every.residuals[places])
    variance = of_labeled @ of_labeled + max(shared, 0.0) + slope**2 * every.variance
    norm = np.sqrt(squares * human.squares)
    correlation = float(y @ x / norm) if norm else np.nan
    error = float(np.sqrt(variance)) if human.n_effective > 2 else np.nan
    return Regression(human.mean + slope * shift, error, slope, correlation)


class LabelSets(NamedTuple):
    """Queries labeled by people, and the queries labeled by a model, among which they are."""

    human: QueryValues
    model: QueryValues
    places: np.ndarray  # index of each human query among the model's

    @property
    def units(self) -> np.ndarray:
        """Return the index of each human unit among the model's units."""
        if self.human.clusters is None or self.model.clusters is None:
            return self.places
        units = np.empty(self.human.clusters.max() + 1, dtype=np.int64)
        units[self.human.clusters] = self.model.clusters[self.places]
        return units


def match_labels(human: QueryValues, model: QueryValues) -> LabelSets:
    """Find the queries labeled by people among those labeled by a model, and check both."""
    lacking = [name for name in human.metrics if name not in model.metrics]
    if lacking:
        got = f"a report of {list_names(list(model.metrics))}, without {list_names(lacking)}"
        fail("model_report", f"contain the metrics of the report ({list_names(list(human.metrics))})", got)
    numbers = number_ids(model.ids)
    ids = list(number_ids(human.ids))
    if missing := [each for each in ids if each not in numbers]:
        got = f"{len(missing)} of {len(ids)} queries missing ({list_names(missing, 3)})"
        fix = "The model must label all queries that people labeled, with the same ids."
        fail("model_report", "contain all queries of the report", got, fix)
    places = np.array([numbers[each] for each in ids])
    same = model.take(places)._replace(folds=None)
    check_same({"human": human._replace(folds=None), "model": same}, human.metrics, "model_report")
    if human.sizes is not None and same.sizes is not None and (fewer := human.sizes < same.sizes).any():
        first = int(np.argmax(fewer))
        got = f"{same.sizes[first]} rows instead of {human.sizes[first]} in query {show(ids[first])}"
        fix = "People must label all documents of a query. Label fewer queries completely."
        fail("model_report", "have the same documents in each query that people labeled", got, fix)
    return LabelSets(human, model, places)


def combine_labels(name: str, sets: LabelSets, settings: Settings) -> tuple[Summary, ModelLabels]:
    """Summarize a metric by both sets of labels."""
    metric, of_model = sets.human.metrics[name], sets.model.metrics[name]
    same = of_model.take(sets.places, {})
    human = find_units(find_terms(metric), sets.human.clusters)
    if human.n < FEWEST:
        units = "queries" if sets.human.clusters is None else "clusters"
        got = f"requires at least {FEWEST} {units} labeled by people. Got {human.n} for {show(name)} instead"
        raise ValueError(f"{name_call()} {got}. Let people label more {units}.")
    every = find_units(find_terms(of_model), sets.model.clusters)
    labeled = find_units(find_terms(same), sets.human.clusters)
    found = regress(human, labeled, every, sets.units)
    counted = find_terms(metric).below > 0
    apart = subtract_equal(metric.values, same.values, 0.0, find_rounding([metric, same])) != 0
    n_apart = int(np.count_nonzero(apart & counted))
    inside = np.isin(np.arange(len(of_model.values)), sets.places)
    value, error, _ = estimate_contrast(find_terms(of_model), sets.model.clusters, inside)
    labels = ModelLabels(
        every.mean,
        found.slope,
        found.correlation,
        divide(np.count_nonzero(counted) * human.variance, found.standard_error**2),
        divide(value, error),
        n_apart,
    )
    n_effective = human.n_effective - 1  # another degree of freedom is that of the slope
    of_units = RatioEstimate(found.mean, found.standard_error, NONE, human.n, n_effective)
    summary = summarize_values(name, metric, found.mean, of_units, settings, of_queries=False)
    few = summary.small_sample or n_apart < FEW_VALUES
    return summary._replace(small_sample=few), labels


def divide(one: float, other: float) -> float:
    """Divide two numbers; nan if the second is 0."""
    return float(one / other) if other else np.nan


def adjust_pair(
    metric: str, one: LabelSets, other: LabelSets, rounding: float
) -> tuple[tuple[float, float], float, float, float, int]:
    """Regress the differences of human values on those of the model's values.

    Return both means and the mean difference, all adjusted, its standard error, which is nan if all
    differences are equal but not 0, the standard deviation of the differences of human values, and the number
    of units in which the difference of the model is another one than that of people.
    """
    first, second = (each.model.metrics[metric].take(each.places, {}) for each in (one, other))
    human = pair_units(one.human.metrics[metric], other.human.metrics[metric], one.human.clusters, rounding)
    labeled = pair_units(first, second, one.human.clusters, rounding)
    every = pair_units(one.model.metrics[metric], other.model.metrics[metric], one.model.clusters, rounding)
    *systems, found = (regress(*parts, one.units) for parts in zip(human, labeled, every))
    difference, terms = human[2], (human[2].terms, labeled[2].terms)
    is_constant = difference.terms.any() and not difference.squares
    apart = subtract_equal(*terms, find_scale(*terms), rounding)
    return (
        (systems[0].mean, systems[1].mean),
        found.mean,
        np.nan if is_constant else found.standard_error,
        float(np.sqrt(difference.variance * difference.n)),
        int(np.count_nonzero(apart)),
    )


def add_columns(table: Table, labels: Mapping[str, ModelLabels], n_labeled: int) -> Table:
    """Add the part of the model, with labels of `n_labeled` queries, to the table of a report."""
    columns = {
        name: [getattr(each, name) for each in labels.values()] for name in ("correlation", "worth", "z")
    }
    texts = {
        "correlation": [write(each, 2) for each in columns["correlation"]],
        "worth (queries)": [write(each, 0) for each in columns["worth"]],
        "z": [write_signed(each, 1) for each in columns["z"]],
    }
    by_people, rest = table.caption.split(",", 1)
    caption = f"{by_people} labeled by people, {n_labeled:,} by a model,{rest}"
    notes = [
        "worth: The number of queries labeled by people alone with the same SE.",
        "z: The model's mean of the queries labeled by people, less that of the others, in standard errors.",
    ]
    far = [name for name, each in labels.items() if abs(each.z) > LARGE_Z]
    if far:
        notes.append(
            f"The z of {', '.join(far)} is large: People did not label a random part. Do not use it."
        )
    else:
        notes.append("A z near 0 does not exclude that people labeled other queries than a random part.")
    notes = [*table.notes, *notes]
    return Table(
        {**table.columns, **columns}, {**table.texts, **texts}, caption, tuple(notes), table.optional
    )
