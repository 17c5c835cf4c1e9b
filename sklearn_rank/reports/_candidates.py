"""Comparison of a search's candidates by the mean of their fold means, as in the search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import check_random_state

from .._checks.errors import as_printed
from .._checks.types import RandomState
from ._equal import ROUNDING, first_best, subtract_equal
from ._intervals import clip, draw_counts, t_quantile
from ._paired_tests import TOLERANCE, are_few, flip_signs, studentize, upper_quantile
from ._tables import decimals_of, write, write_interval, write_level
from ._traits import find_traits


class Candidates(NamedTuple):
    """The contributions a and b of each tested query to each candidate's fold mean, sum(a) / sum(b)."""

    above: np.ndarray  # a, of shape (n_candidates, n_tests)
    below: np.ndarray  # b > 0, of the same shape
    folds: np.ndarray  # of each test, ascending
    units: np.ndarray  # of each test: its query, or the cluster of its query, as a number
    rounding: float = ROUNDING  # relative difference up to which values are equal


class UnitTerms(NamedTuple):
    """The contribution of each unit, a query or a cluster, to the mean of each candidate."""

    terms: np.ndarray  # of shape (n_units, n_candidates); the columns sum to the means
    residuals: np.ndarray  # of the same shape, centered: how much each unit changes the mean
    means: np.ndarray
    n_effective: float  # number of equally weighted units with the same information
    rounding: float = ROUNDING

    @property
    def best(self) -> int:
        """Return the first candidate with the highest mean."""
        return int(first_best(self.means, self.rounding))

    def standard_error(self, candidate: int) -> float:
        """Return the standard error of a mean."""
        n, residuals = len(self.residuals), self.residuals[:, candidate]
        return float(np.sqrt(n / (n - 1) * (residuals @ residuals))) if n > 1 else np.nan


def fold_means(candidates: Candidates) -> np.ndarray:
    """Return the mean of each candidate in each fold, of shape (n_candidates, n_folds)."""
    starts = np.unique(candidates.folds, return_index=True)[1]
    above, below = (np.add.reduceat(each, starts, axis=1) for each in candidates[:2])
    return above / below


def sum_by_unit(candidates: Candidates) -> UnitTerms:
    """Write each mean as a sum over units: e = (a - R b) / (n_folds sum(b)), with sum(b) over the fold."""
    means = fold_means(candidates).mean(axis=1)
    _, starts, sizes = np.unique(candidates.folds, return_index=True, return_counts=True)
    shares = 1 / np.repeat(np.add.reduceat(candidates.below, starts, axis=1) * len(starts), sizes, axis=1)
    below, terms = candidates.below * shares, candidates.above * shares
    codes = np.unique(candidates.units, return_inverse=True)[1]
    adding = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))
    weights = adding @ below[0]
    return UnitTerms(
        adding @ terms.T,
        adding @ (terms - means[:, np.newaxis] * below).T,
        means,
        float(weights.sum() ** 2 / (weights @ weights)),
        candidates.rounding,
    )


class Contenders(NamedTuple):
    """The test of each candidate against the best, and its result."""

    statistic: np.ndarray  # the largest (m_j - m_i) / se_ij of each candidate i
    critical: np.ndarray  # its quantile at confidence_level if there are no differences
    stays: np.ndarray
    difference: np.ndarray  # the mean of each minus that of the best
    low: np.ndarray  # interval of the difference from the best of the others; stays if high >= 0
    high: np.ndarray


def find_contenders(
    units: UnitTerms, *, confidence_level: float, n_resamples: int, random_state: RandomState
) -> Contenders:
    """Keep each candidate whose largest studentized deficit to another could be due to chance.

    Each candidate has its own one-sided quantile under sign flips that all share, as in Hsu (1984).
    """
    residuals, n = units.residuals, len(units.residuals)
    difference = subtract_equal(units.means, units.means[:, np.newaxis], rounding=units.rounding)
    squares = _pairwise_squares(residuals, units.rounding) * (n / max(n - 1, 1))
    equal = squares == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(equal, np.where(difference > 0, np.inf, 0.0), difference / np.sqrt(squares))
    np.fill_diagonal(t, 0.0)
    statistic = t.max(axis=1)
    flips = flip_signs(residuals, n_resamples, check_random_state(random_state))
    maxima = np.concatenate([_largest_by_candidate(sums, squares, n) for sums in flips])
    few = are_few(n, n_resamples)
    critical = np.array([upper_quantile(each, confidence_level, few) for each in maxima.T])
    low, high = _intervals(difference, squares, critical)
    stays = statistic * (1 - TOLERANCE) <= critical
    high = np.where(stays, np.maximum(high, 0.0), high)  # exactly 0 if both are equal
    return Contenders(statistic, critical, stays, 0.0 - difference[:, units.best], low, high)


def _intervals(
    difference: np.ndarray, squares: np.ndarray, critical: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return intervals of the difference from the best of the others; a candidate stays if high >= 0."""
    apart = np.where(squares > 0, -difference, np.inf)  # m_i - m_j, except for equal candidates
    reach = np.zeros_like(apart)
    np.multiply(critical[:, np.newaxis], np.sqrt(squares), out=reach, where=squares > 0)
    each, nearest = np.arange(len(apart)), apart.argmin(axis=1)
    low, high = (apart - reach)[each, nearest], (apart + reach).min(axis=1)
    alone = np.isinf(apart).all(axis=1)  # all others are equal
    return np.where(alone, 0.0, low), np.where(alone, 0.0, high)


def _pairwise_squares(residuals: np.ndarray, rounding: float) -> np.ndarray:
    """Return the sums of squared differences of all pairs of columns; 0 for equal columns."""
    products = residuals.T @ residuals
    norms = np.diag(products)
    squares = norms[:, np.newaxis] + norms - 2 * products
    scale = norms[:, np.newaxis] + norms
    # For similar columns the formula would lose digits, so subtract them first.
    for one, other in np.argwhere(np.triu(squares < 1e-6 * scale, 1)):
        each = residuals[:, one] - residuals[:, other]
        square = each @ each
        squares[one, other] = squares[other, one] = square if square > rounding**2 * scale[one, other] else 0
    np.fill_diagonal(squares, 0.0)
    return squares


def _largest_by_candidate(sums: np.ndarray, squares: np.ndarray, n: int) -> np.ndarray:
    """Return the largest (S_j - S_i) / se_ij for each flip and candidate i, with se_ij of that flip."""
    largest = np.zeros(sums.shape)
    for place, of_pairs in enumerate(squares):
        differ = of_pairs > 0
        t = studentize(sums[:, differ] - sums[:, [place]], of_pairs[differ], n)
        largest[:, place] = t.max(axis=1, initial=0.0)
    return largest


def score_out_of_bag(
    candidates: Candidates, best: int, n_resamples: int, random_state: RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Return out-of-bag scores of each resample's best candidate, and of the overall best on these queries.

    Resamples with an empty out-of-bag set are skipped. This is the bootstrap bias correction: choose on the
    bag, score on the other queries (Tsamardinos, Greasidou and Borboudakis, Machine Learning 107, 2018).
    """
    codes = np.unique(candidates.units, return_inverse=True)[1]
    chosen_scores, best_scores = [], []
    for of_units in draw_counts(codes.max() + 1, n_resamples, len(codes), check_random_state(random_state)):
        counts = of_units[:, codes]
        chosen = first_best(_mean_of_folds(counts, candidates), candidates.rounding)
        scores = _mean_of_folds(counts == 0, candidates)
        of_chosen = scores[np.arange(len(scores)), chosen]
        known = np.isfinite(of_chosen)
        chosen_scores.append(of_chosen[known])
        best_scores.append(scores[known, best])
    return np.concatenate(chosen_scores), np.concatenate(best_scores)


def _mean_of_folds(counts: np.ndarray, candidates: Candidates) -> np.ndarray:
    """Return the mean of each candidate in each resample, over the folds with a query in the resample."""
    total, n_known = np.zeros((2, len(counts), len(candidates.above)))
    same = (candidates.below == candidates.below[0]).all()
    for fold in np.unique(candidates.folds):
        inside = candidates.folds == fold
        of_fold = counts[:, inside].astype(np.float64)
        above = of_fold @ candidates.above[:, inside].T
        below = of_fold @ (candidates.below[:1] if same else candidates.below)[:, inside].T
        known = below > 0
        total += np.divide(above, below, out=np.zeros_like(above), where=known)
        n_known += known
    with np.errstate(invalid="ignore"):
        return np.where(n_known > 0, total / n_known, -np.inf)


@dataclass(frozen=True, repr=False)
class CorrectedScore:
    """Best score of a search, corrected for selection bias.

    Attributes
    ----------
    metric : str
        Name of the metric.
    score : float
        The corrected score.
    interval : tuple of float
        Confidence interval of the score, as wide as the interval of the best candidate.
    best_score : float
        Highest mean over folds, equal to `best_score_`.
    optimism : float
        Selection bias: the best score minus the corrected one.
    n_candidates : int
        Number of candidates from which the best was chosen.
    n_left_out : int
        Number of candidates that the correction excludes, because successive halving eliminated them or their
        fits failed. If there are any, the true selection bias is at least `optimism`.
    confidence_level : float
        Confidence level of the interval.
    """

    metric: str
    score: float
    interval: tuple[float, float]
    best_score: float
    optimism: float
    n_candidates: int
    n_left_out: int
    confidence_level: float

    def __repr__(self) -> str:
        digits = decimals_of(self.interval)
        score, best, bias = (write(each, digits) for each in (self.score, self.best_score, self.optimism))
        interval = f"{write_level(self.confidence_level)} CI {write_interval(self.interval, digits)}"
        text = f"{self.metric}: {score}, {interval} over queries\n"
        text += f"Best of {self.n_candidates} candidates: {best}, of which {bias} is selection bias."
        n = f"{self.n_left_out} candidate{'s' * (self.n_left_out != 1)}"
        left_out = f"\nThe selection bias is at least this large: {n} had already been eliminated or failed."
        return text + left_out * (self.n_left_out > 0)

    def _repr_html_(self) -> str:
        return as_printed(repr(self))


def correct_score(
    metric: str,
    candidates: Candidates,
    *,
    n_left_out: int,
    options: Sequence[str] = (),
    n_resamples: int,
    confidence_level: float,
    random_state: RandomState,
) -> CorrectedScore:
    """Correct the score of the best of some candidates."""
    units = sum_by_unit(candidates)
    best = units.best
    of_choices, of_best = score_out_of_bag(candidates, best, n_resamples, random_state)
    # Both scores have the same random error of the draws, which cancels in the difference.
    optimism = float((of_best - of_choices).mean())
    half = t_quantile(confidence_level, units.n_effective - 1) * units.standard_error(best)
    traits = find_traits(metric, options)
    best_score = float(units.means[best])
    score = best_score - optimism
    interval = clip((score - half, score + half), traits.lower, traits.upper)
    return CorrectedScore(
        metric, score, interval, best_score, optimism, len(units.means), n_left_out, confidence_level
    )
