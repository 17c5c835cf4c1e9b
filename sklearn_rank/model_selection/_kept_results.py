"""What a search tells of its candidates, query by query."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._checks.errors import fail, is_int
from .._checks.options import check_random, check_resamples
from .._checks.types import ById, Estimator, Options, RandomState
from ..metrics import align_labels
from ..reports import (
    Candidates,
    Comparison,
    Contenders,
    CorrectedScore,
    RankingReport,
    Settings,
    check_level,
    check_settings,
    compare,
    correct_score,
    find_contenders,
    sum_by_unit,
)
from ._kept_queries import KeptQueries, count_started, find_candidates

Mixin: Any = object  # so that type checkers allow calls of methods that a class beside the mixin has


class KeptResults(Mixin):
    """What searches with ``keep_queries=True`` tell of their candidates."""

    kept_queries_: KeptQueries
    cv_results_: Options
    best_index_: int

    def report(
        self,
        candidate: int,
        *,
        cluster: ById | None = None,
        confidence_level: float = 0.95,
        interval: Literal["t", "bootstrap"] = "t",
        n_resamples: int = 2000,
        random_state: RandomState = None,
    ) -> RankingReport:
        """Report a candidate over queries, each scored by the model that was not trained on it.

        Parameters
        ----------
        candidate : int
            Its place in `cv_results_`.
        cluster : mapping or pandas.Series, default=None
            The cluster of each query, by query id.
        confidence_level, interval, n_resamples, random_state
            As in :func:`evaluate`.

        Returns
        -------
        RankingReport
            Its mean is over all queries, where `mean_test_score` is the mean of the means of folds.

        Raises
        ------
        ValueError
            If the search kept no values, or there is no such candidate.
        """
        kept = self._need_kept()
        settings = check_settings(Settings(confidence_level, interval, n_resamples, random_state))
        clusters = _align_clusters(cluster, kept)
        return kept.report(self._check_candidate(candidate), clusters, settings)

    def compare(
        self,
        *candidates: int,
        cluster: ById | None = None,
        test: Literal["t", "randomization", "wilcoxon", "sign"] = "t",
        correction: Literal["holm", "bonferroni", "fdr_bh", "max"] | None = "holm",
        margin: float | None = None,
        confidence_level: float = 0.95,
        missing: Literal["raise", "drop"] = "raise",
        n_resamples: int = 10_000,
        random_state: RandomState = None,
    ) -> Comparison:
        """Compare candidates by tests that are paired over queries.

        Parameters
        ----------
        *candidates : int
            Two or more places in `cv_results_`.
        cluster : mapping or pandas.Series, default=None
            As in :meth:`report`.
        test, correction, margin, confidence_level, missing, n_resamples, random_state
            As in :func:`sklearn_rank.compare`.

        Returns
        -------
        Comparison
            Of systems named by their places, as "3". Candidates that were chosen because they are the best
            look better here than they are: see :meth:`contenders`.

        Raises
        ------
        ValueError
            If the search kept no values, there is no such candidate, or as :func:`sklearn_rank.compare`.
        """
        self._need_kept()
        for each in candidates:
            self._check_candidate(each)
        if len(set(candidates)) < max(len(candidates), 2):
            fail("candidates", "be two or more, each once", repr(candidates))
        reports = {str(each): self.report(each, cluster=cluster) for each in candidates}
        return compare(
            reports,
            test=test,
            correction=correction,
            margin=margin,
            confidence_level=confidence_level,
            missing=missing,
            n_resamples=n_resamples,
            random_state=random_state,
        )

    def contenders(
        self,
        confidence_level: float = 0.95,
        *,
        cluster: ById | None = None,
        n_resamples: int = 2000,
        random_state: RandomState = 0,
    ) -> np.ndarray:
        """List the candidates that cannot be told from the best.

        The candidate that is truly the best on queries like these, with the models that were fitted, is
        among them with the probability `confidence_level`.

        Parameters
        ----------
        confidence_level : float, default=0.95
            In (0, 1).
        cluster : mapping or pandas.Series, default=None
            As in :meth:`report`.
        n_resamples : int, default=2000
            Random sign flips, from 100 to 10**7; all of them are used if there are no more.
        random_state : int, RandomState or None, default=0
            Of the sign flips.

        Returns
        -------
        ndarray of int
            Places in `cv_results_`, the best mean first. After successive halving only candidates of the
            last round are included.

        Raises
        ------
        ValueError
            If the search kept no values, or all candidates failed.

        Notes
        -----
        Candidate i stays if the largest (m_j - m_i) / se_ij over all others is no larger than its own
        quantile under sign flips that all candidates share, one-sided: the multiple comparison with the best
        of Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with the best", The
        Annals of Statistics 12, 1984. The means are those of `mean_test_score`, and the standard errors are
        paired over queries.
        """
        rows, found = self._compare_with_best(confidence_level, cluster, n_resamples, random_state)
        staying, difference = rows[found.stays], found.difference[found.stays]
        return staying[np.argsort(-difference, kind="stable")]

    def compare_with_best(
        self,
        confidence_level: float = 0.95,
        *,
        cluster: ById | None = None,
        n_resamples: int = 2000,
        random_state: RandomState = 0,
    ) -> tuple[np.ndarray, Contenders]:
        """Return how each candidate differs from the best, of which :meth:`contenders` are made.

        Parameters
        ----------
        confidence_level, cluster, n_resamples, random_state
            As in :meth:`contenders`.

        Returns
        -------
        candidates : ndarray of int of shape (n_candidates,)
            Places in `cv_results_`; after successive halving only those of the last round.
        found : Contenders
            Arrays of that length: `difference`, the mean of each less the best one; `low` and `high`, where
            its difference to the best of the others lies; `stays`, whether it is a contender, which is so
            where `high` is at least 0; `statistic` and `critical`, which decide that.

        Raises
        ------
        ValueError
            As :meth:`contenders`.
        """
        return self._compare_with_best(confidence_level, cluster, n_resamples, random_state)

    def _compare_with_best(
        self, confidence_level: Any, cluster: Any, n_resamples: Any, random_state: RandomState
    ) -> tuple[np.ndarray, Contenders]:
        """Check the arguments, and compare each candidate with the best of the others."""
        rows, candidates = self._find_candidates(confidence_level, cluster, n_resamples, random_state)
        return rows, find_contenders(
            sum_by_unit(candidates),
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            random_state=random_state,
        )

    def _find_candidates(
        self, confidence_level: Any, cluster: Any, n_resamples: Any, random_state: RandomState
    ) -> tuple[np.ndarray, Candidates]:
        check_level(confidence_level)
        check_resamples(n_resamples)
        check_random(random_state)
        kept = self._need_kept()
        return find_candidates(kept, self.cv_results_, _align_clusters(cluster, kept))

    def corrected_score(
        self,
        n_resamples: int = 1000,
        *,
        cluster: ById | None = None,
        confidence_level: float = 0.95,
        random_state: RandomState = 0,
    ) -> CorrectedScore:
        """Return what the best score is when it is not scored on the queries that it was chosen by.

        The best of many candidates is the best partly by chance, so that `best_score_` is too high. Here
        queries are drawn with replacement, the best candidate is chosen on those that are drawn, and it is
        scored on those that are not; the mean over many such draws is the corrected score. Nothing is fitted.

        Parameters
        ----------
        n_resamples : int, default=1000
            Draws, from 100 to 10**7.
        cluster : mapping or pandas.Series, default=None
            As in :meth:`report`: clusters are drawn whole.
        confidence_level : float, default=0.95
            Of the interval, in (0, 1).
        random_state : int, RandomState or None, default=0
            Of the draws.

        Returns
        -------
        CorrectedScore
            With `score`, `interval`, `best_score` and `optimism`. The score is a little too low where
            candidates differ: a choice on fewer queries is a worse choice.

        Raises
        ------
        ValueError
            If the search kept no values, or all candidates failed.

        References
        ----------
        Tsamardinos, Greasidou and Borboudakis, "Bootstrapping the out-of-sample predictions for efficient and
        accurate cross-validation", Machine Learning 107, 2018.
        """
        rows, candidates = self._find_candidates(confidence_level, cluster, n_resamples, random_state)
        return correct_score(
            self.kept_queries_.metric,
            candidates,
            n_left_out=count_started(self.cv_results_) - len(rows),
            options=self.kept_queries_.like.options,
            n_resamples=n_resamples,
            confidence_level=confidence_level,
            random_state=random_state,
        )

    def _need_kept(self) -> KeptQueries:
        check_is_fitted(self, "cv_results_")
        kept = getattr(self, "kept_queries_", None)
        if kept is None:
            fail("keep_queries", "be set when the search is fitted", "a search without it")
        return kept

    def _check_candidate(self, candidate: Estimator) -> int:
        n_candidates = len(self.cv_results_["params"])
        if not is_int(candidate) or not 0 <= candidate < n_candidates:
            rule = f"be a place in cv_results_, from 0 to {n_candidates - 1}"
            fail("candidate", rule, repr(candidate))
        if not self._need_kept().tested[candidate].any():
            fail("candidate", "have a fit that did not fail", repr(candidate))
        return int(candidate)


def _align_clusters(cluster: Any, kept: KeptQueries) -> np.ndarray | None:
    return None if cluster is None else align_labels(cluster, None, kept.ids, "cluster")[0]
