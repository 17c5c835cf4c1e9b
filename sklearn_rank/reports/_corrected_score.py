"""The score that the best candidate of a search may claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scipy import stats

from .._checks.as_printed import as_printed
from ._candidates import Candidates, sum_by_unit
from ._intervals import clip
from ._optimism import score_out_of_bag
from ._summary import find_traits
from ._tables import decimals_of, write, write_interval


@dataclass(frozen=True)
class CorrectedScore:
    """The best score of a search, without the luck of being the best.

    Attributes
    ----------
    metric : str
        The name of the metric.
    score : float
        The corrected score.
    interval : tuple of float
        Where it lies: the score and on both sides the half width of the interval of the best candidate.
    best_score : float
        The best mean of the means of folds, as `best_score_`.
    optimism : float
        The best score less the corrected one.
    n_candidates : int
        Of which the best was chosen.
    n_left_out : int
        Candidates of the search that the correction leaves out: those that successive halving eliminated,
        and those that failed. With any, the true optimism is at least `optimism`.
    confidence_level : float
        Of the interval.
    """

    metric: str
    score: float
    interval: tuple[float, float]
    best_score: float
    optimism: float
    n_candidates: int
    n_left_out: int
    confidence_level: float

    def __str__(self) -> str:
        digits = decimals_of(self.interval)
        values = [write(each, digits) for each in (self.score, self.best_score, self.optimism)]
        lines = [
            f"{self.metric} {values[0]} {write_interval(self.interval, digits)}, "
            f"{100 * self.confidence_level:g} % interval over queries",
            f"the best of {self.n_candidates} had {values[1]}: {values[2]} of it by the choice",
        ]
        if self.n_left_out:
            lines.append(f"at least this optimistic: {self.n_left_out} candidates had left before")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return as_printed(str(self))


def correct_score(
    metric: str,
    candidates: Candidates,
    *,
    n_left_out: int,
    options: Sequence[str] = (),
    n_resamples: int,
    confidence_level: float,
    random_state: Any,
) -> CorrectedScore:
    """Correct the score of the best of some candidates."""
    units = sum_by_unit(candidates)
    best = units.best
    of_choices, of_best = score_out_of_bag(
        candidates, best, n_resamples=n_resamples, random_state=random_state
    )
    # The luck of the draws is the same for both, and goes out of their difference.
    optimism = float((of_best - of_choices).mean())
    half = stats.t.ppf(0.5 + confidence_level / 2, units.n_effective - 1) * units.standard_error(best)
    traits = find_traits(metric, options)
    best_score = float(units.means[best])
    score = best_score - optimism
    interval = clip((score - half, score + half), traits.lower, traits.upper)
    return CorrectedScore(
        metric, score, interval, best_score, optimism, len(units.means), n_left_out, confidence_level
    )
