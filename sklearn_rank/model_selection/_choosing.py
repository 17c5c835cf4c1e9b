"""Choice among the candidates of a search: reports, contenders and the simplest candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.validation import check_is_fitted

from .._checks import explain_parameters
from .._checks.errors import count_of, fail, is_int, is_real, name_call, shorten
from .._checks.options import check_random, check_resamples, is_one_of, pick
from .._checks.types import Arguments, ById, Estimator, Options, RandomState, Values
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
    find_scale,
    first_best,
    rank_equal,
    subtract_equal,
    sum_by_unit,
    write,
)
from ._kept_queries import KeptQueries, Reader, count_started, find_candidates, list_ended, scores_of_folds

Mixin: Any = object  # type checkers then allow methods of the other base class
TIMES = {"fit_time": "mean_fit_time", "score_time": "mean_score_time"}


class KeptResults(Mixin):
    """Reports and comparisons of the candidates of a search with ``keep_queries=True``."""

    kept_queries_: KeptQueries
    cv_results_: Options
    best_index_: int

    @explain_parameters
    def report(
        self,
        candidate: int,
        *,
        cluster: ById | None = None,
        confidence_level: float = 0.95,
        interval: Literal["t", "bootstrap"] = "t",
        n_resamples: int = 2000,
        random_state: RandomState = 0,
    ) -> RankingReport:
        """Report a candidate over queries. Each query is scored by models that were not trained on it.

        Parameters
        ----------
        candidate : int
            Index of the candidate in `cv_results_`.
        cluster : mapping or pandas.Series, default=None
            Cluster of each query, by query id.
        confidence_level, interval, n_resamples, random_state
            As in :func:`evaluate`.

        Returns
        -------
        RankingReport
            Report of the candidate. Its mean is over all queries; `mean_test_score` averages fold means.
        """
        kept = self._need_kept()
        settings = check_settings(Settings(confidence_level, interval, n_resamples, random_state))
        return kept.report(self._check_candidate(candidate), _align_clusters(cluster, kept), settings)

    @explain_parameters
    def compare(
        self,
        *candidates: int,
        cluster: ById | None = None,
        test: Literal["auto", "t", "randomization", "wilcoxon", "sign"] = "auto",
        correction: Literal["auto", "holm", "bonferroni"] | None = "auto",
        margin: float | Mapping[str, float] | None = None,
        confidence_level: float = 0.95,
        missing: Literal["raise", "drop"] = "raise",
        n_resamples: int = 10_000,
        random_state: RandomState = 0,
    ) -> Comparison:
        """Compare candidates with tests that are paired over queries.

        Parameters
        ----------
        *candidates : int
            At least two indices into `cv_results_`.
        cluster : mapping or pandas.Series, default=None
            As in :meth:`report`.
        test, correction, margin, confidence_level, missing, n_resamples, random_state
            As in :func:`sklearn_rank.compare`.

        Returns
        -------
        Comparison
            Comparison of systems that are named by their indices, such as "3". A candidate that was chosen
            because it has the best score looks better here than it is; see :meth:`contenders`.
        """
        options = pick(signature(compare).parameters.keys() - {"candidates"}, locals())
        self._need_kept()
        for each in candidates:
            self._check_candidate(each)
        if len(set(candidates)) < max(len(candidates), 2):
            rule = "be at least two different indices into cv_results_"
            fail("candidates", rule, repr(candidates), "Pass search.compare(0, 1).")
        reports = {str(each): self.report(each, cluster=cluster) for each in candidates}
        return compare(reports, **options)

    @explain_parameters
    def contenders(
        self,
        confidence_level: float = 0.95,
        *,
        cluster: ById | None = None,
        n_resamples: int = 2000,
        random_state: RandomState = 0,
    ) -> np.ndarray:
        """List the candidates that are not distinguishable from the best.

        With probability `confidence_level`, they include the candidate whose fitted models are the best on
        similar queries.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the best candidate is included, between 0 and 1.
        cluster : mapping or pandas.Series, default=None
            As in :meth:`report`.
        n_resamples : int, default=2000
            Number of random sign flips, from 100 to 10**7. If there are fewer possible flips, all are used.
        random_state : int, RandomState or None, default=0
            Seed of the sign flips.

        Returns
        -------
        ndarray of int
            Indices into `cv_results_`, in decreasing order of mean score. After successive halving, only
            candidates of the last round are included.

        Notes
        -----
        This is the multiple comparison with the best of Hsu, "Constrained simultaneous confidence intervals
        for multiple comparisons with the best", The Annals of Statistics 12, 1984. Candidate i is a contender
        if the largest (m_j - m_i) / se_ij over all other candidates j does not exceed the one-sided quantile
        of this maximum under sign flips that all candidates share. m is `mean_test_score`, and the standard
        errors se are paired over queries.
        """
        options = pick(("confidence_level", "cluster", "n_resamples", "random_state"), locals())
        rows, found = self.compare_with_best(**options)
        staying, difference = rows[found.stays], found.difference[found.stays]
        return staying[np.argsort(-difference, kind="stable")]

    @explain_parameters
    def compare_with_best(
        self,
        confidence_level: float = 0.95,
        *,
        cluster: ById | None = None,
        n_resamples: int = 2000,
        random_state: RandomState = 0,
    ) -> tuple[np.ndarray, Contenders]:
        """Return the difference between each candidate and the best one. :meth:`contenders` uses it.

        Parameters
        ----------
        confidence_level, cluster, n_resamples, random_state
            As in :meth:`contenders`.

        Returns
        -------
        candidates : ndarray of int of shape (n_candidates,)
            Indices into `cv_results_`. After successive halving, only candidates of the last round are
            included.
        found : Contenders
            Arrays with an entry for each candidate. `difference` is its mean minus the best mean. `low` and
            `high` are the confidence limits of its difference from the best other candidate. `stays` is
            whether it is a contender (`high` is at least 0). `statistic` and `critical` are the test
            statistic and its critical value.
        """
        options = pick(signature(find_contenders).parameters, locals())
        rows, candidates = self._find_candidates({**options, "cluster": cluster})
        return rows, find_contenders(sum_by_unit(candidates), **options)

    def _find_candidates(self, options: Arguments) -> tuple[np.ndarray, Candidates]:
        check_level(options["confidence_level"])
        check_resamples(options["n_resamples"])
        check_random(options["random_state"])
        kept = self._need_kept()
        return find_candidates(kept, self.cv_results_, _align_clusters(options["cluster"], kept))

    @explain_parameters
    def corrected_score(
        self,
        n_resamples: int = 2000,
        *,
        cluster: ById | None = None,
        confidence_level: float = 0.95,
        random_state: RandomState = 0,
    ) -> CorrectedScore:
        """Return the best score, corrected for selection bias.

        The best of many candidates is the best partly by chance, so `best_score_` is too high. To correct
        this, queries are drawn with replacement, the best candidate is chosen on them, and it is scored on
        the other queries. The mean over many draws is the corrected score. No model is fitted again.

        Source: Tsamardinos, Greasidou and Borboudakis, "Bootstrapping the out-of-sample predictions for
        efficient and accurate cross-validation", Machine Learning 107, 2018.

        Parameters
        ----------
        n_resamples : int, default=2000
            Number of draws, from 100 to 10**7.
        cluster : mapping or pandas.Series, default=None
            As in :meth:`report`. Whole clusters are drawn.
        confidence_level : float, default=0.95
            Level of the confidence interval, between 0 and 1.
        random_state : int, RandomState or None, default=0
            Seed of the draws.

        Returns
        -------
        CorrectedScore
            Object with `score`, `interval`, `best_score` and `optimism`. If candidates differ, the score is
            slightly too low, because a choice on fewer queries is less reliable.
        """
        given = pick(("n_resamples", "confidence_level", "random_state"), locals())
        rows, candidates = self._find_candidates({**given, "cluster": cluster})
        n_left_out, kept = count_started(self.cv_results_) - len(rows), self.kept_queries_
        of_search: Options = {"n_left_out": n_left_out, "options": kept.like.options}
        return correct_score(kept.metric, candidates, **of_search, **given)

    def _need_kept(self) -> KeptQueries:
        check_is_fitted(self, "cv_results_")
        kept = getattr(self, "kept_queries_", None)
        if kept is None:
            fix = "Fit the search with keep_queries=True."
            raise ValueError(f"{name_call()} requires the per-query values of the candidates. {fix}")
        return kept

    def _check_candidate(self, candidate: Estimator) -> int:
        n_candidates = len(self.cv_results_["params"])
        if not is_int(candidate) or not 0 <= candidate < n_candidates:
            rule = f"be an index into cv_results_, from 0 to {n_candidates - 1}"
            fail("candidate", rule, repr(candidate))
        if not self._need_kept().tested[candidate].any():
            fail("candidate", "have at least one successful fit", repr(candidate))
        return int(candidate)


def _align_clusters(cluster: object, kept: KeptQueries) -> np.ndarray | None:
    return None if cluster is None else align_labels(cluster, None, kept.ids, "cluster")[0]


@explain_parameters
def simplest(
    *by: str | Callable[[Options], Any],
    within: Literal["contenders", "standard_error"] | float = "contenders",
    metric: str | None = None,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> Simplest:
    """Make a `refit` for searches that chooses the simplest of the candidates that are as good as the best.

    Parameters
    ----------
    *by : str or callable
        How to measure simplicity, the most important criterion first.

        - Name of a parameter: lower values are simpler, and None counts as the highest value. The name of its
          step can be omitted: "max_depth" finds "model__max_depth".
        - ``"-name"``: higher values are simpler.
        - "fit_time" or "score_time": a shorter mean time is simpler.
        - Callable: maps the dict of parameters to a number, and lower is simpler.

    within : {"contenders", "standard_error"} or float, default="contenders"
        Which candidates count as good as the best.

        - "contenders": candidates that are not distinguishable from the best, see `search.contenders`.
        - "standard_error": candidates whose mean is at most one standard error (of the best candidate) below
          the best mean. The standard error is over queries, or over folds for scorers of other packages.
        - float: candidates whose mean is at most this positive margin below the best mean.

    metric : str, default=None
        Name of the metric to choose by. Required if the search computes several metrics.
    confidence_level : float, default=0.95
        Confidence level of the contenders.
    random_state : int, RandomState or None, default=0
        Seed of the sign flips of `contenders`.

    Returns
    -------
    Simplest
        Object to pass as `refit`. The fitted search has the `best_index_`, `best_params_`, `best_estimator_`
        and `best_score_` of the chosen candidate, and `choice_`, a text that explains the choice.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from sklearn_rank import GridSearchCV
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.model_selection import simplest
    >>> X, y, qid = make_ranking(random_state=0)
    >>> tree = DecisionTreeRegressor(random_state=0)
    >>> grid = {"max_depth": [2, 3, 4, 5]}
    >>> search = GridSearchCV(tree, grid, scoring="ndcg@10", refit=simplest("max_depth"))
    >>> search.fit(X, y, groups=qid).best_params_
    {'max_depth': 4}
    >>> print(search.choice_)
    max_depth=4: mean 0.7599 (best candidate: 0.7599)
    Simplest by max_depth of 2 candidates that are not distinguishable from the best at 95% confidence.
    """
    for each in by:
        if not (callable(each) or (isinstance(each, str) and each.strip("-"))):
            rule = "contain names of parameters, 'fit_time', 'score_time' or functions of the parameters"
            fail("by", rule, repr(each))
    if not by:
        fail("by", "contain at least one parameter", "none", "Pass simplest('max_depth').")
    is_margin = is_real(within) and 0 < within < np.inf
    if not is_margin and not is_one_of(within, ("contenders", "standard_error")):
        fail("within", "be 'contenders', 'standard_error' or a margin > 0", repr(within))
    if metric is not None and not isinstance(metric, str):
        fail("metric", "be the name of a metric or None", repr(metric))
    check_level(confidence_level)
    check_random(random_state)
    return Simplest(by, within, metric, confidence_level, random_state, metric or "score")


@dataclass(repr=False, eq=False)
class Simplest:
    """A rule that chooses the simplest candidate; made by :func:`simplest`."""

    by: tuple[Any, ...]
    within: str | float
    metric: str | None
    confidence_level: float
    random_state: Any
    key: str = "score"
    read: Reader | None = None
    kept: KeptQueries | None = None
    text: str = ""

    def __repr__(self) -> str:
        by = [repr(each) if isinstance(each, str) else _describe(each) for each in self.by]
        return f"simplest({', '.join(by)}, within={self.within!r})"

    def check(self, names: list[str], keep_queries: bool | str) -> None:
        """Check that `metric` is set if there are several scores, and that its values are kept."""
        _called_as = "simplest"
        if names and self.metric not in names:
            fix = f"Pass simplest(..., metric={names[0]!r})."
            fail("metric", f"be one of {', '.join(map(repr, names))}", repr(self.metric), fix)
        needs_values = isinstance(self.within, str)
        if names and needs_values and isinstance(keep_queries, str) and keep_queries != self.metric:
            rule = f"equal the 'keep_queries' of the search, {keep_queries!r}, if within={self.within!r}"
            fail("metric", rule, repr(self.metric), f"Pass metric={keep_queries!r}.")

    def __call__(self, results: Arguments) -> int:
        """Choose by the `cv_results_` of a search, as a `refit`; describe the choice in `text`."""
        _called_as = "simplest"
        self.kept = kept = self.read(results) if self.read is not None else None
        known = [name.removeprefix("mean_test_") for name in results if name.startswith("mean_test_")]
        if self.key not in known and self.metric is not None:
            self.key = self.metric  # one of several scores that a function returns
        if self.key not in known:
            fail("metric", f"be one of {', '.join(map(repr, known))}", repr(self.metric))
        means = np.asarray(results[f"mean_test_{self.key}"])
        last = list_ended(results, self.key, kept if isinstance(self.within, str) else None)
        if not len(last):
            fix = "To see why fits fail, pass error_score='raise' to the search."
            fail("refit", "find a candidate with a score", f"means {means}", fix)
        best = int(last[first_best(means[last])])
        equals, among = self._find_equals(results, means, best, last)
        keys = [_sort_key(each, results, equals) for each in self.by]
        by_mean = -rank_equal(means[equals], find_scale(means[equals]))
        chosen = int(equals[np.lexsort([by_mean, *keys[::-1]])[0]])
        params = ", ".join(f"{name}={value!r}" for name, value in results["params"][chosen].items())
        equal = count_of(len(equals), "candidate")
        mean, of_best = (write(float(means[each]), 4) for each in (chosen, best))
        by = ", ".join(map(_describe, self.by))
        self.text = (
            f"{params}: mean {mean} (best candidate: {of_best})\n"
            f"Simplest by {by if len(self.by) == 1 else f'({by})'} of {equal} {among}."
        )
        return chosen

    def _find_equals(
        self, results: Arguments, means: np.ndarray, best: int, last: np.ndarray
    ) -> tuple[np.ndarray, str]:
        """Return the candidates that are as good as the best, and a description of them."""
        margin, among = self.within, f"whose mean is at most {self.within} below the best"
        if isinstance(self.within, str) and self.kept is not None:
            rows, candidates = find_candidates(self.kept, results, None)
            units = sum_by_unit(candidates)
            if self.within == "contenders":
                level = self.confidence_level
                options = {"n_resamples": 2000, "random_state": self.random_state}
                found = find_contenders(units, confidence_level=level, **options)
                among = f"not distinguishable from the best at {100 * level:g}% confidence"
                return rows[found.stays], f"that are {among}"
            margin, over = units.standard_error(int(np.flatnonzero(rows == best)[0])), "queries"
        elif self.within == "contenders":
            rule = "be a margin or 'standard_error' in a search of scikit-learn"
            fail("within", rule, repr(self.within), "Use the search of this name in sklearn_rank.")
        elif self.within == "standard_error":
            scores = scores_of_folds(results, self.key)[best]
            margin, over = scores.std(ddof=1) / np.sqrt(len(scores)), "folds"
        margin = float(margin)
        if self.within == "standard_error":
            of_best = f"one standard error over {over} ({write(margin, 4)})"
            among = f"whose mean is at most {of_best} below the best"
        return last[subtract_equal(means[best] - margin, means[last], scale=abs(means[best])) <= 0], among


def _describe(term: object) -> str:
    return term if isinstance(term, str) else getattr(term, "__name__", repr(term))


def _sort_key(term: Any, results: Arguments, rows: np.ndarray) -> np.ndarray:
    """Return the ranks of candidates by one term, the simplest first."""
    params = [results["params"][row] for row in rows]
    if callable(term):
        found = [term(each) for each in params]
        _check_numbers(found, "return a number for each candidate", f" from {_describe(term)}")
        return rankdata(found, method="dense")
    if term in TIMES:
        return rankdata(np.asarray(results[TIMES[term]])[rows], method="dense")
    name, sign = (term[1:], -1.0) if term.startswith("-") else (term, 1.0)
    full = _find_parameter(name, results["params"])
    values = [np.inf if each.get(full) is None else each[full] for each in params]
    fix = f"Replace {name!r} by a function of the dict of parameters that returns a number."
    _check_numbers(values, "name a parameter whose values are numbers", f" for {name!r}", fix)
    return sign * rankdata(np.array(values, dtype=float), method="dense")


def _check_numbers(values: list[Values], rule: str, of_term: str, fix: str = "") -> None:
    for value in values:
        if not (is_real(value) or isinstance(value, bool | np.bool_)) or np.isnan(float(value)):
            fail("by", rule, f"{value!r}{of_term}", fix)


def _find_parameter(name: str, params: list[Options]) -> str:
    """Find a parameter by its name, or by the end of it after two underscores."""
    names = sorted({each for candidate in params for each in candidate})
    found = [each for each in names if each == name] or [each for each in names if each.endswith(f"__{name}")]
    if len(found) != 1:
        searched = shorten(", ".join(map(repr, names)), 120)
        fail("by", f"contain parameters of the search ({searched})", repr(name))
    return found[0]
