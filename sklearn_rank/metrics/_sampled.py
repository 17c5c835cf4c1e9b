"""Metrics of one relevant item among sampled negatives, corrected for sampling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from reprlib import repr as short_repr
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import read_floats, to_float
from .._checks.codes import rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import fail, is_int, is_real
from .._checks.groups import check_groups
from .._checks.options import call_function, check_choice, check_flag, check_mean, is_one_of
from .._checks.rows import LabelRules
from .._checks.types import Arguments, ArrayLike, Ids, Options, PlainAverage, Values
from ._average import average_values
from ._factory import RANKING, add_parameter, make_factory
from ._names import is_metric_name, parse_name
from ._prepared_input import BY_ID, Opened, is_by_id, open_rows, show_index, take_by_id, unique_groups
from ._sampled_correction import RANK_VALUES, Correction, OneRelevant, interpolate_values
from ._scorers.factories import build_function_scorer
from ._table import Given

RULE_OF_N_ITEMS = "be an int >= 2, or one such int per user"
RULE_OF_SCORERS = "be an int >= 2, or a mapping or pandas.Series of user id to int"
MOST_NEGATIVES = 2000  # number up to which a table is fitted: the time grows with its cube
MOST_ITEMS = 10**8  # limits memory: several arrays of this many floats take 0.8 GB each
MOST_TABLES = 1000  # each takes at least 0.1 s
LEAST_GAMMA = 1e-8  # lower values give visible rounding errors

Method: TypeAlias = Literal["bias_variance", "least_bias", "rank", "none"]
Prior: TypeAlias = Literal["uniform"] | Callable[[np.ndarray], Any]
NumberOfItems: TypeAlias = int | ArrayLike | Mapping[Any, int]


@explain_parameters
def sampled_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metric: str = "recall@10",
    n_items: NumberOfItems,
    method: Method = "bias_variance",
    gamma: float = 0.01,
    prior: Prior = "uniform",
    replacement: bool = True,
    items: ArrayLike | None = None,
    min_relevance: float = 1,
    zero_division: float = 0.0,
    average: PlainAverage | None = "macro",
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    """Estimate a metric over all items from one relevant item and sampled negatives per user.

    Each query contains the relevant item of a user and m negatives, drawn uniformly from the other items and
    independently for each user. Without a correction, metrics of such queries can rank models differently
    than metrics over all items. Corrected values restore the ranking of models for about 10,000 users or
    more, but are biased. Their standard errors, as in a report, include the variance over users and draws,
    not the bias.

    Source: Krichene and Rendle, "On sampled metrics for item recommendation", KDD 2020 and CACM 2022.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: finite and non-negative, with exactly one relevant item per user.
    y_score : array-like of the shape of `y_true`
        Predicted scores; documents are ranked by decreasing score. A score of -inf is an ordinary lowest
        score. Items with equal scores get the mean over their possible ranks.
    groups, min_relevance, zero_division, sample_weight
        As in :func:`map_score`.
    metric : str, default="recall@10"
        Name of the metric: "recall@10", "hit_rate@10", "ndcg@10", "mrr@10" or "map@10", with any cutoff. The
        last three do not require a cutoff. For one relevant item, the hit rate is equal to recall, and MAP to
        MRR.
    n_items : int, mapping or pandas.Series of user id to int, or array-like of shape (n_queries,)
        Number of items from which the relevant item and its negatives were drawn, such as all items that the
        user had not seen: one number for all users, or one per user by id. For 2-D input, an array in row
        order is also allowed. For more than 32 different numbers, "bias_variance" interpolates values, with
        an error of at most 0.001 of the largest value.
    method : {"bias_variance", "least_bias", "rank", "none"}, default="bias_variance"
        How to compute the value of a sampled rank s: "bias_variance" minimizes the squared bias plus `gamma`
        times the variance, "least_bias" minimizes the bias, "rank" uses the metric at rank
        1 + (n_items - 1) (s - 1) / m, and "none" uses the metric at s, without a correction. "least_bias" has
        a high variance unless there are few negatives; it ignores singular values below 1e-8 of the largest.
    gamma : float, default=0.01
        Weight of the variance in "bias_variance", at least 1e-8.
    prior : {"uniform"} or callable, default="uniform"
        Weights of the ranks 1 to `n_items` in the bias and variance that "bias_variance" and "least_bias"
        minimize. A callable maps an array of ranks to an array of non-negative weights.
    replacement : bool, default=True
        Whether the negatives of a user were drawn with replacement, so that an item can occur twice.
    items : array-like of shape (n_rows,), default=None
        Item id of each row, used only for checks. An error is raised if the items cannot have been drawn as
        described.
    average : {"macro", "weighted"} or None, default="macro"
        As in :func:`ndcg_score`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Estimate; higher is better. With "bias_variance" and "least_bias", it can be outside [0, 1]. If every
        query is excluded, `nan` is returned with a warning.

    Examples
    --------
    >>> from sklearn_rank import recall_at_k_score
    >>> from sklearn_rank.metrics import sampled_score
    >>> y_true, y_score = [[1, 0, 0, 0], [0, 0, 1, 0]], [[4, 3, 2, 1], [4, 3, 2, 1]]
    >>> recall_at_k_score(y_true, y_score, k=1)
    0.5
    >>> sampled_score(y_true, y_score, metric="recall@1", n_items=100)
    0.11...
    """
    arguments = locals()
    estimated, correction = _check(arguments)
    opened = open_rows(Given(y_true, y_score, groups, sample_weight), LabelRules("drop"))
    lists = find_lists(opened, float(min_relevance))
    numbers = read_n_items(n_items, groups, opened)
    many = lists.found & (lists.n_negatives > numbers - 1)
    if many.any() and not replacement:
        rule = "be greater than the number of negatives with replacement=False"
        fail("n_items", rule, f"{numbers[many][0]} items with {lists.n_negatives[many][0]} negatives")
    if items is not None:
        check_same_order(y_true=y_true, groups=groups, items=items)
        check_items(items, opened, lists, numbers, bool(replacement))
    values = np.full(len(numbers), float(zero_division))
    for place, table in _list_tables(lists, numbers, estimated, correction, bool(replacement)):
        ties = np.column_stack((lists.above[place], lists.tied[place]))
        places, place_of = np.unique(ties, axis=0, return_inverse=True)
        means = [table[start : start + n_more + 1].mean() for start, n_more in places.tolist()]
        values[place] = np.array(means)[place_of.ravel()]
        if np.isnan(values[place]).any():
            n, m = numbers[place][0], lists.n_negatives[place][0]
            if correction.weigh is not None:
                rule = "return a positive weight for at least one possible rank of each relevant item"
                fail("prior", rule, "only zeros for some items")
            fail("n_items", "be large enough for the sampled ranks", f"{n} items with {m} negatives")
    return average_values(values, opened.rows.weights, opened.rows.queries, average)


class SampledLists(NamedTuple):
    """The relevant item and the negatives of each user, in the order of the queries."""

    above: np.ndarray  # negatives above the relevant item
    tied: np.ndarray  # negatives with its score
    n_negatives: np.ndarray
    found: np.ndarray  # whether there is a relevant item
    relevant: np.ndarray  # whether a row is the relevant item, for rows in the order of the queries


def find_lists(opened: Opened, min_relevance: float) -> SampledLists:
    """Count the negatives above the one relevant item of each user, and those with its score."""
    queries = opened.rows.queries
    labels, scores = opened.rows.labels, opened.scores.values
    missing = labels != labels
    if missing.any():
        fail("y_true", "not contain NaN", f"{missing.sum()} NaN", "Pass 0 as the label of sampled negatives.")
    if queries.rows is not None:
        labels, scores = labels[queries.rows], scores[queries.rows]
    relevant = labels >= min_relevance
    n_relevant = np.add.reduceat(relevant, queries.firsts, dtype=np.int64)
    if n_relevant.max() > 1:
        fix = "Give each relevant item its own query id and its own sampled negatives."
        fail("y_true", "contain one relevant item per query", f"{n_relevant.max()} in one query", fix)
    found = n_relevant == 1
    n_negatives = queries.lengths - 1
    if (n_negatives[found] == 0).any():
        fail("y_true", "contain sampled negatives for each relevant item", "a query without negatives")
    users = np.repeat(np.arange(len(found))[found], queries.lengths[found])
    own = np.zeros(len(found), dtype=scores.dtype)
    own[found] = scores[relevant]
    others, mark = scores[np.repeat(found, queries.lengths)], own[users]
    above = np.bincount(users[others > mark], minlength=len(found))
    tied = np.bincount(users[others == mark], minlength=len(found)) - found
    return SampledLists(above, tied, n_negatives, found, relevant)


def read_n_items(n_items: Values, groups: Ids, opened: Opened) -> np.ndarray:
    """Return the number of items of each user, in the order of the queries."""
    queries = opened.rows.queries
    n_users = len(queries.lengths)
    if np.isscalar(n_items):
        numbers = np.full(n_users, check_n_items(n_items))
    else:
        numbers = _read_each(n_items, groups, n_users)
    return numbers if queries.names is None else numbers[np.argsort(np.argsort(queries.names))]


def check_n_items(n_items: Values, rule: str = RULE_OF_N_ITEMS) -> Any:
    if not is_int(n_items) or not 2 <= n_items < 2**53:
        got = repr(n_items) if np.isscalar(n_items) or n_items is None else type(n_items).__name__
        fail("n_items", rule, got)
    return n_items


def check_tables(method: str, kinds: np.ndarray) -> None:
    """Check that tables can be fitted for these numbers of items and negatives, if the method uses tables."""
    if method not in ("bias_variance", "least_bias"):
        return
    n_items, n_negatives = kinds.max(axis=0, initial=0).tolist()
    if n_negatives > MOST_NEGATIVES:
        rule = f"be 'rank' or 'none' for more than {MOST_NEGATIVES} negatives per user"
        fail("method", rule, repr(method))
    if n_items > MOST_ITEMS:
        rule = f"be at most {MOST_ITEMS:,} with method={method!r}"
        fail("n_items", rule, f"{n_items:,}", "Pass method='rank', which needs less memory.")
    if len(kinds) > MOST_TABLES and method == "least_bias":
        rule = f"form at most {MOST_TABLES:,} pairs with the numbers of negatives for method={method!r}"
        fix = "Round n_items to a few values, or pass method='rank'."
        fail("n_items", rule, f"{len(kinds):,} different pairs", fix)


def _read_each(n_items: Values, groups: Ids, n_users: int) -> np.ndarray:
    """Return the number of items of each user, in the order of the ids."""
    if is_by_id(n_items):
        ids = np.arange(n_users) if groups is None else unique_groups(groups)
        n_items = list(take_by_id(n_items, ids, "n_items"))
        strange = [number for number in n_items if not is_real(number)]
        if strange:
            fail("n_items", RULE_OF_N_ITEMS, repr(strange[0]))
    elif groups is not None:
        got = f"a {type(n_items).__name__} of one per user{show_index(n_items)}"
        fail("n_items", RULE_OF_SCORERS, got, BY_ID)
    numbers = read_floats(n_items, (n_users,), "n_items", RULE_OF_N_ITEMS)
    wrong = ~((numbers >= 2) & (numbers < 2**53) & (numbers == np.floor(numbers)))
    if wrong.any():
        fail("n_items", RULE_OF_N_ITEMS, numbers[wrong][0])
    return numbers.astype(np.int64)


def check_items(
    items: Ids, opened: Opened, lists: SampledLists, n_items: np.ndarray, replacement: bool
) -> None:
    """Reject items that cannot have been drawn uniformly and independently for each user."""
    queries = opened.rows.queries
    codes = rank_ids(check_groups(items, len(lists.relevant), "items"))
    codes = codes if queries.rows is None else codes[queries.rows]
    if codes.max() >= n_items.max():
        fail("n_items", f"be at least the number of different 'items', {codes.max() + 1}", n_items.max())
    users = np.repeat(np.arange(len(queries.lengths)), queries.lengths)
    order = np.lexsort((lists.relevant, codes, users))
    users_so, codes_so, relevant_so = users[order], codes[order], lists.relevant[order]
    twice = (codes_so[1:] == codes_so[:-1]) & (users_so[1:] == users_so[:-1])
    of_relevant = twice & relevant_so[1:]
    if of_relevant.any():
        rule = "not repeat the relevant item of a user among the negatives"
        fail("items", rule, f"such items for {of_relevant.sum()} users")
    if twice.any() and not replacement:
        rule = "contain each item of a user once with replacement=False"
        fix = "If negatives were drawn with replacement, pass replacement=True."
        fail("items", rule, f"{twice.sum()} repeated items", fix)
    lengths = queries.lengths
    alike = len(lengths) > 1 and lists.found.all() and (lengths == lengths[0]).all()
    drawn = np.sort(codes[~lists.relevant].reshape(len(lengths), -1), axis=1) if alike else codes
    if alike and not (lengths >= n_items).all() and (drawn == drawn[0]).all():
        fix = "Draw negatives for each user independently."
        fail("items", "differ between users", "the same negatives for all users", fix)


def _check(arguments: Arguments) -> tuple[OneRelevant, Correction]:
    """Check the options before reading the data."""
    check_mean(**{name: arguments[name] for name in ("average", "zero_division", "min_relevance")})
    metric, method = _read_metric(arguments["metric"]), arguments["method"]
    gamma, prior = arguments["gamma"], arguments["prior"]
    check_choice("method", method, ("bias_variance", "least_bias", "rank", "none"))
    check_flag(arguments["replacement"], "replacement")
    if not (is_real(gamma) and LEAST_GAMMA <= to_float(gamma) < np.inf):
        fail("gamma", f"be a finite number >= {LEAST_GAMMA:g}", repr(gamma))
    if not (callable(prior) or is_one_of(prior, ("uniform",))):
        fail("prior", "be 'uniform' or a function of ranks", short_repr(prior))
    if method != "bias_variance" and gamma != 0.01:
        fix = "Only method='bias_variance' uses it."
        fail("gamma", f"be left out with method={method!r}", repr(gamma), fix)
    if method in ("rank", "none") and callable(prior):
        fix = "Only 'bias_variance' and 'least_bias' use it."
        fail("prior", f"be left out with method={method!r}", repr(prior), fix)
    return metric, Correction(method, float(gamma), _bind_prior(prior) if callable(prior) else None)


def _read_metric(metric: object) -> OneRelevant:
    """Parse the name of a metric that can be corrected."""
    fix = ""
    if isinstance(metric, str) and metric == "group_auc":
        fix = "The AUC of sampled lists needs no correction. Call group_auc_score."
    if is_metric_name(metric) and ":" not in metric and "(" not in metric:
        row, parsed = parse_name(metric, "metric")
        if row.stem in RANK_VALUES:
            return OneRelevant(row.stem, parsed.get("k"))
    rule = "be 'recall@k', 'hit_rate@k', 'ndcg[@k]', 'mrr[@k]' or 'map[@k]', without other parameters"
    fail("metric", rule, repr(metric), fix)


def _bind_prior(prior: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], np.ndarray]:
    """Return a prior that is checked when it is called."""
    rule = "return one weight per rank, finite and >= 0, not all 0"

    def weigh(ranks: np.ndarray) -> np.ndarray:
        weights = read_floats(call_function(prior, "prior", ranks.copy()), ranks.shape, "prior", rule)
        if not ((weights >= 0) & (weights < np.inf)).all() or not weights.any():
            fail("prior", rule, weights[~((weights > 0) & (weights < np.inf))][0])
        return weights / weights.max()

    return weigh


def _list_tables(
    lists: SampledLists, n_items: np.ndarray, metric: OneRelevant, correction: Correction, replacement: bool
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield users with equal numbers of items and negatives, and the values of their sampled ranks."""
    users = np.flatnonzero(lists.found)
    kinds = np.column_stack((n_items, lists.n_negatives))[users]
    different, kind_of = np.unique(kinds, axis=0, return_inverse=True)
    check_tables(correction.method, different)
    for m in np.unique(different[:, 1]).tolist():
        of_m = np.flatnonzero(different[:, 1] == m)
        tables = interpolate_values(metric, different[of_m, 0], m, replacement, correction)
        for table, number in zip(tables, of_m.tolist()):
            yield users[kind_of.ravel() == number], table


def _check_scorer(options: Options) -> None:
    _check(options)
    n_items = options["n_items"]
    if not (isinstance(n_items, Mapping) or hasattr(n_items, "to_dict")):
        n_items = check_n_items(n_items, RULE_OF_SCORERS)
        check_tables(options["method"], np.array([[n_items, 1]]))


INPUTS = RANKING._replace(
    replaced={"n_items": add_parameter("n_items", "int | Mapping[Any, int]")},
    example={"metric": "ndcg@10", "n_items": 10000},
)
BUILD = partial(build_function_scorer, sampled_score, _check_scorer)
sampled_scorer = make_factory(sampled_score, BUILD, "", INPUTS)
