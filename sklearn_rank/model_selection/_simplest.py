"""The simplest candidate among those that are as good as the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from scipy.stats import rankdata

from .._checks.errors import fail, is_real
from .._checks.options import check_random
from .._checks.types import Arguments, RandomState, Values
from ..reports import check_level, find_scale, first_best, rank_equal, subtract_equal, write
from ._kept_queries import (
    KeptQueries,
    compare_with_best,
    list_complete,
    list_last_round,
    standard_error_of,
)
from ._kept_values import scores_of_folds

TIMES = {"fit_time": "mean_fit_time", "score_time": "mean_score_time"}


def simplest(
    *by: str | Callable[[dict[str, Any]], Any],
    within: Literal["contenders", "standard_error"] | float = "contenders",
    metric: str | None = None,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> Simplest:
    """Choose the simplest among the candidates that are as good as the best: a `refit` of a search.

    Parameters
    ----------
    *by : str or callable
        What makes a candidate simple, the most important first: a parameter, lower being simpler, None the
        highest; ``"-name"`` for higher; "fit_time" or "score_time", the recorded means; or a function of the
        dict of parameters. A step need not be written: "max_depth" finds "model__max_depth".
    within : {"contenders", "standard_error"} or float, default="contenders"
        Which candidates are equals: those that cannot be told from the best, see `search.contenders`; those
        whose mean is at most one standard error of the best one below it; or at most a margin, > 0. The
        standard error is over queries, and over folds where the scorer is none of this package.
    metric : str, default=None
        Of several, the name of the one to choose by.
    confidence_level : float, default=0.95
        Of the contenders.
    random_state : int, RandomState or None, default=0
        Likewise.

    Returns
    -------
    Simplest
        To be given as `refit`. The search has `best_index_`, `best_params_`, `best_estimator_` and
        `best_score_` of the choice, and says in `choice_` how it was made.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; when the search is fitted, if no candidate has such a parameter,
        or its values are no numbers.

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
    max_depth=4: mean 0.7599, the best 0.7599
    by max_depth the simplest of 2 that cannot be told from the best at 95 %
    """
    function = "simplest"
    for each in by:
        if not (callable(each) or (isinstance(each, str) and each.strip("-"))):
            rule = "be names of parameters, 'fit_time', 'score_time' or functions of a dict of parameters"
            fail("by", function, rule, repr(each))
    if not by:
        fail("by", function, "say what is simple, as simplest('max_depth')", "nothing")
    if not (isinstance(within, str) and within in ("contenders", "standard_error")) and not (
        is_real(within) and 0 < within < np.inf
    ):
        rule = "be 'contenders', 'standard_error' or a margin > 0"
        fail("within", function, rule, repr(within))
    if metric is not None and not isinstance(metric, str):
        fail("metric", function, "be the name of a metric, or None", repr(metric))
    check_level(confidence_level, function)
    check_random(random_state, function)
    return Simplest(by, within, metric, confidence_level, random_state)


class Simplest:
    """How to choose the simplest candidate; made by :func:`simplest`."""

    def __init__(
        self,
        by: tuple[Any, ...],
        within: str | float,
        metric: str | None,
        confidence_level: float,
        random_state: Any,
    ):
        self.by = by
        self.within = within
        self.metric = metric
        self.confidence_level = confidence_level
        self.random_state = random_state

    def __repr__(self) -> str:
        by = [
            repr(each) if isinstance(each, str) else getattr(each, "__name__", repr(each)) for each in self.by
        ]
        return f"simplest({', '.join(by)}, within={self.within!r})"

    def check(self, names: list[str], keep_queries: bool | str) -> None:
        """Check that it says by which of several scores to choose, and that values are kept of that one."""
        if names and self.metric not in names:
            rule = f"name one of several scorers, {' or '.join(map(repr, names))}"
            fail("metric", "simplest", rule, repr(self.metric))
        needs_values = isinstance(self.within, str)
        if names and needs_values and isinstance(keep_queries, str) and keep_queries != self.metric:
            rule = f"be that of keep_queries, {keep_queries!r}, with within={self.within!r}"
            fail("metric", "simplest", rule, repr(self.metric))

    def __call__(self, results: Arguments) -> int:
        """Choose by the `cv_results_` of a search, as scikit-learn calls a `refit`."""
        return self.choose(results, self.metric or "score", None)[0]

    def choose(self, results: Arguments, key: str, kept: KeptQueries | None) -> tuple[int, str]:
        """Return the place of the simplest, and how it was chosen."""
        known = [name.removeprefix("mean_test_") for name in results if name.startswith("mean_test_")]
        if key not in known:
            fail("metric", "simplest", f"name a score, {' or '.join(map(repr, known))}", repr(self.metric))
        means = np.asarray(results[f"mean_test_{key}"])
        last = list_last_round(results, key)
        if kept is not None and isinstance(self.within, str):
            last = list_complete(kept, last)
        if not len(last):
            fail("refit", repr(self), "find a candidate whose fits did not fail", f"scores {means}")
        best = int(last[first_best(means[last])])
        equals, among = self._find_equals(results, key, means, best, last, kept)
        keys = [_sort_key(each, results, equals) for each in self.by]
        chosen = int(
            equals[np.lexsort([-rank_equal(means[equals], find_scale(means[equals])), *keys[::-1]])[0]]
        )
        params = ", ".join(f"{name}={value!r}" for name, value in results["params"][chosen].items())
        text = (
            f"{params}: mean {write(float(means[chosen]), 4)}, the best {write(float(means[best]), 4)}\n"
            f"by {', '.join(map(_describe, self.by))} the simplest of {len(equals)} {among}"
        )
        return chosen, text

    def _find_equals(
        self,
        results: Arguments,
        key: str,
        means: np.ndarray,
        best: int,
        last: np.ndarray,
        kept: KeptQueries | None,
    ) -> tuple[np.ndarray, str]:
        """Return the candidates that are as good as the best, and what they are called."""
        if self.within == "contenders":
            if kept is None:
                rule = "be a margin or 'standard_error', or refit of a search of this package"
                fail("within", "simplest", rule, repr(self.within))
            options = self.confidence_level, 2000, self.random_state
            rows, found = compare_with_best(kept, results, None, *options)
            return rows[
                found.stays
            ], f"that cannot be told from the best at {100 * self.confidence_level:g} %"
        if self.within == "standard_error":
            if kept is not None:
                margin, over = standard_error_of(kept, results, best), "queries"
            else:
                scores = scores_of_folds(results, key)[best]
                margin, over = float(scores.std(ddof=1) / np.sqrt(len(scores))), "folds"
            among = f"within one standard error over {over} of the best, {write(margin, 4)}"
        else:
            margin, among = float(self.within), f"within {self.within} of the best"
        below = subtract_equal(means[best] - margin, means[last], scale=abs(means[best]))
        return last[below <= 0], among


def _describe(term: object) -> str:
    return term if isinstance(term, str) else getattr(term, "__name__", repr(term))


def _sort_key(term: Any, results: Arguments, rows: np.ndarray) -> np.ndarray:
    """Return the ranks of candidates by one term, the simplest first."""
    params = [results["params"][row] for row in rows]
    if callable(term):
        found = [term(each) for each in params]
        _check_numbers(found, f"return a number for each candidate, as {_describe(term)} does not")
        return rankdata(found, method="dense")
    if term in TIMES:
        return rankdata(np.asarray(results[TIMES[term]])[rows], method="dense")
    name, sign = (term[1:], -1.0) if term.startswith("-") else (term, 1.0)
    full = _find_parameter(name, results["params"])
    values = [np.inf if each.get(full) is None else each[full] for each in params]
    _check_numbers(values, f"have numbers to order candidates by, or a function in the place of {name!r}")
    return sign * rankdata(np.array(values, dtype=float), method="dense")


def _check_numbers(values: list[Values], rule: str) -> None:
    for value in values:
        if not (is_real(value) or isinstance(value, bool | np.bool_)) or np.isnan(float(value)):
            fail("by", "simplest", rule, repr(value))


def _find_parameter(name: str, params: list[dict[str, Any]]) -> str:
    """Find a parameter by its name, or by the end of it after two underscores."""
    names = sorted({each for candidate in params for each in candidate})
    found = [each for each in names if each == name] or [each for each in names if each.endswith(f"__{name}")]
    if len(found) != 1:
        rule = f"name one of the parameters that are searched, {', '.join(map(repr, names))}"
        fail("by", "simplest", rule, repr(name))
    return found[0]


class BoundChoice:
    """A choice that knows what its search has kept; it is called when all fits are done."""

    def __init__(self, rule: Simplest, key: str, read: Callable[[Mapping[str, Any]], KeptQueries] | None):
        self.rule, self.key, self.read = rule, key, read
        self.text = ""

    def __call__(self, results: Arguments) -> int:
        """Return the place of the choice in the results."""
        kept = None if self.read is None else self.read(results)
        if f"mean_test_{self.key}" not in results and self.rule.metric is not None:
            self.key = self.rule.metric  # one of several that a function returns
        index, self.text = self.rule.choose(results, self.key, kept)
        return index
