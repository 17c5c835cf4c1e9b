"""One race: which fits were run, what they scored, and which candidates fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from ..metrics import ScoredQueries
from ..reports import find_scale, first_best, look, rank_equal, sum_by_unit
from ._keeping import Keeper
from ._kept_queries import KeptQueries


class Rules(NamedTuple):
    """When candidates fall, and when the race ends."""

    confidence_level: float
    min_folds: int
    margin: float | None
    n_folds: int  # at most, over all repeats


class Race:
    """The state of a race, fold after fold.

    Parameters
    ----------
    n_candidates : int
        How many start.
    rules : Rules
        When they fall.
    keeper : Keeper or None
        What reads the values of queries; None where the scorer gives none.
    """

    def __init__(self, n_candidates: int, rules: Rules, keeper: Keeper | None):
        self.rules, self.keeper = rules, keeper
        self.numbers = np.full((n_candidates, 0), -1)  # of the fit of each candidate in each fold
        self.scores = np.empty((n_candidates, 0))
        self.fits: list[list[ScoredQueries | None]] = [[] for _ in range(n_candidates)]
        self.alive = np.arange(n_candidates)
        self.fell_to = np.full(n_candidates, -1)
        self.end = ""
        self.keeps_values = keeper is not None

    @property
    def n_fits(self) -> int:
        """Return the number of fits so far, without the one on all data."""
        return int((self.numbers >= 0).sum())

    def row_of(self, candidate: int) -> int:
        """Return the row of a fit of a candidate, in the results with a row for each fit."""
        if not -1 < candidate < len(self.numbers):
            raise IndexError("best_index_ index out of range")
        return int(self.numbers[candidate, 0])

    def take(self, results: Mapping[str, Any], n_before: int, key: str) -> None:
        """Take the results of one more fold, of all candidates that are left: rows from `n_before` on."""
        n_candidates = len(self.numbers)
        numbers, scores = np.full(n_candidates, -1), np.full(n_candidates, np.nan)
        numbers[self.alive] = np.arange(n_before, n_before + len(self.alive))
        scores[self.alive] = np.asarray(results[f"split0_test_{key}"])[n_before:]
        self.numbers, self.scores = np.c_[self.numbers, numbers], np.c_[self.scores, scores]
        failed = np.isnan(scores[self.alive])
        if self.keeper is not None:
            fits = self.keeper.read_fits(numbers[self.alive, np.newaxis])
            for candidate, fit in zip(self.alive, fits):
                self.fits[candidate].append(fit[0])
                failed[self.alive == candidate] |= fit[0] is None
        self.alive = self.alive[~failed]
        self._judge()

    def _judge(self) -> None:
        """Let candidates fall, and see whether the race is over."""
        rules, n_done = self.rules, self.scores.shape[1]
        if n_done >= rules.min_folds and len(self.alive) > 1:
            n_looks = rules.n_folds - rules.min_folds + 1
            level = (1 - rules.confidence_level) / ((len(self.numbers) - 1) * n_looks)
            kept = self.read(self.alive) if self.keeps_values else None
            everywhere = np.arange(len(self.alive))
            units = None if kept is None else sum_by_unit(kept.candidates(everywhere, None))
            found = look(self.scores[self.alive], units, level)
            self.fell_to[self.alive[found.worse]] = self.alive[found.leader]
            if rules.margin is not None and found.equivalent(rules.margin):
                self.end = f"those that are left differ by less than {rules.margin:g}"
            self.alive = self.alive[~found.worse]
        if not len(self.alive):
            self.end = "none has a score in every fold"
        elif n_done >= rules.min_folds and len(self.alive) == 1 < len(self.numbers):
            self.end = "one is left"

    def read(self, candidates: Sequence[int] | np.ndarray) -> KeptQueries:
        """Return the values of queries of some candidates."""
        assert self.keeper is not None
        n_folds = self.scores.shape[1]
        fits = [self.fits[each] + [None] * (n_folds - len(self.fits[each])) for each in candidates]
        return self.keeper.arrange(fits)

    def best(self) -> int:
        """Return the candidate with the best mean among those that are left, or else that ran longest."""
        n_run = (self.numbers >= 0).sum(axis=1)
        left = self.alive if len(self.alive) else np.flatnonzero(n_run == n_run.max())
        return int(left[first_best(np.nan_to_num(self.scores[left].mean(axis=1), nan=-np.inf))])

    def lay_out(self, results: Mapping[str, Any]) -> dict[str, Any]:
        """Return results with a row for each fit as `cv_results_` has them, with a row for each candidate."""
        first = self.numbers[:, 0]
        laid_out: dict[str, Any] = {}
        for name, column in results.items():
            if name == "params":
                laid_out[name] = [column[row] for row in first]
            elif name.startswith("param_"):
                laid_out[name] = column[first]
            elif name.startswith("split0_"):
                laid_out |= self._lay_out_folds(name.removeprefix("split0_"), column)
            elif name in ("mean_fit_time", "mean_score_time"):
                kind = name.removeprefix("mean_")
                laid_out[name], laid_out[f"std_{kind}"] = self._average(column)
        n_folds = (self.numbers >= 0).sum(axis=1)
        fell = np.setdiff1d(np.arange(len(first)), self.alive)
        laid_out["n_folds"] = n_folds
        laid_out["fell"] = np.isin(np.arange(len(first)), fell)
        laid_out["fell_to"] = self.fell_to
        return laid_out

    def _lay_out_folds(self, kind: str, column: Any) -> dict[str, Any]:
        """Return the scores of folds, their mean and deviation, and of tests the rank."""
        folds = enumerate(self._spread(column).T.copy())
        found: dict[str, Any] = {f"split{fold}_{kind}": of_fold for fold, of_fold in folds}
        found[f"mean_{kind}"], found[f"std_{kind}"] = self._average(column)
        if kind.startswith("test_"):
            found[f"rank_{kind}"] = self._rank(found[f"mean_{kind}"])
        return found

    def _spread(self, column: Any) -> np.ndarray:
        """Return one number of each fit as a table of candidates and folds; nan where none was run."""
        table = np.full(self.numbers.shape, np.nan)
        run = self.numbers >= 0
        table[run] = np.asarray(column)[self.numbers[run]]
        return table

    def _average(self, column: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return means and deviations over the folds that were run, which come first."""
        table, n_run = self._spread(column), (self.numbers >= 0).sum(axis=1)
        means, deviations = np.full((2, len(table)), np.nan)
        for n in np.unique(n_run):
            rows = n_run == n
            run = table[rows][:, :n]
            means[rows] = np.average(run, axis=1)
            deviations[rows] = np.sqrt(np.average((run - means[rows][:, np.newaxis]) ** 2, axis=1))
        return means, deviations

    def _rank(self, means: np.ndarray) -> np.ndarray:
        """Rank those that are left by their means, behind them those that fell, the last to fall first."""
        known = np.nan_to_num(means, nan=np.nanmin(means) - 1 if np.isfinite(means).any() else 0.0)
        by_mean = rankdata(-rank_equal(known, find_scale(known)), method="min")
        rounds = (self.numbers >= 0).sum(axis=1) + np.isin(np.arange(len(means)), self.alive)
        return rankdata(by_mean - rounds * (len(means) + 1.0), method="min").astype(np.int32)

    def describe(self) -> str:
        """Say what the race has saved, and how it decided."""
        n_candidates, n_folds = self.numbers.shape
        n_left = len(self.alive)
        by = "" if self.keeps_values else " They were compared by the means of folds alone."
        end = self.end or "all folds are used"
        return (
            f"{self.n_fits} of {n_candidates * self.rules.n_folds} fits: {n_candidates - n_left} of "
            f"{n_candidates} candidates fell, {n_left} {'is' if n_left == 1 else 'are'} left after {n_folds} "
            f"folds; {end}.{by}"
        )
