"""Metrics of one relevant item among sampled negatives, corrected for the sampling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .._checks import explain_parameters
from .._checks.arrays import read_floats, to_float
from .._checks.codes import rank_ids
from .._checks.containers import check_same_order
from .._checks.errors import fail, is_int, is_real
from .._checks.groups import check_groups
from .._checks.options import call_given, check_choice, check_flag, check_mean, is_one_of
from .._checks.rows import LabelRules
from .._checks.types import Arguments, ArrayLike, Ids, Options, PlainAverage, Values
from ._average import average_values
from ._factory import RANKING, add_parameter, make_factory
from ._names import is_metric_name, parse_name
from ._prepared_input import BY_ID, Opened, is_by_id, open_rows, show_index, take_by_id, unique_groups
from ._sampled_correction import WORTHS, Correction, Design, OneRelevant, find_values
from ._scorers.factories import build_function_scorer
from ._table import Given

RULE_OF_N_ITEMS = "be an int >= 2, or one per user"
RULE_OF_SCORERS = "be an int >= 2, or a mapping or pandas.Series of user id to int"
MOST_NEGATIVES = 2000  # number up to which a table is fitted: the time grows with its cube
MOST_ITEMS = 10**8  # limits memory: several arrays of this many floats take 0.8 GB each
MOST_TABLES = 1000  # each takes at least 0.1 s
LEAST_GAMMA = 1e-8  # below it, rounding errors are visible

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
    """Metric over all items, estimated from the one relevant item among sampled negatives of each user.

    Each list holds the relevant item of a user and m negatives, drawn uniformly from the other items and anew
    for each user. Metrics of such lists may order models otherwise than those over all items do. Corrected
    ones restore the order for some 10,000 users and more; they are no estimate of the level. The standard
    error of a mean over their values, as in a report, is that of users and draws alone, without the bias.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_queries, n_documents)
        Relevance labels: real, finite, >= 0, with one relevant item per user.
    y_score : array-like of the shape of `y_true`
        Predicted scores, higher first; -inf is an ordinary lowest score. The mean over the places of equal
        scores counts.
    groups : array-like of shape (n_rows,), default=None
        Query id of each row, in any order and of any sortable type. Required unless the input is
        two-dimensional with a row per query.
    metric : str, default="recall@10"
        "recall@k", "hit_rate@k", "ndcg", "mrr" or "map", the last three with a cutoff, as "ndcg@10", or
        without one. Of one relevant item the hit rate is the recall, and MAP is MRR.
    n_items : int, mapping or pandas.Series of user id to int, or array-like of shape (n_queries,)
        How many items there are of which the relevant one and its negatives were taken, such as all that the
        user had not seen: one number for all users, or one per user by id. For two-dimensional input, the
        order of its rows can replace ids.
        "least_bias" and "bias_variance" take at most 10**8 items, and 1,000 different pairs of `n_items` and
        a number of negatives, each of which takes 0.1 s or more: round it to a few values, or take "rank".
    method : {"bias_variance", "least_bias", "rank", "none"}, default="bias_variance"
        Value of each sampled rank s: the one with the least squared bias and `gamma` times the variance; the
        one with the least bias, which varies too much unless there are few negatives (singular values below
        1e-8 of the largest are left out); the metric at the rank 1 + (n_items - 1) (s - 1) / m; or at s,
        uncorrected.
    gamma : float, default=0.01
        Weight of the variance in "bias_variance", >= 1e-8.
    prior : {"uniform"} or callable, default="uniform"
        Weights of the ranks for which "bias_variance" and "least_bias" are best: a function of the ranks 1 to
        `n_items`, an array of floats, that returns an array of weights >= 0.
    replacement : bool, default=True
        Whether the negatives of a user were drawn with replacement, so that one may be there twice.
    items : array-like of shape (n_rows,), default=None
        Item id of each row, for checks alone: lists that cannot have been drawn so are refused.
    min_relevance : float, default=1
        Labels from this one on are relevant; > 0.
    zero_division : {0.0, 1.0, nan}, default=0.0
        Value of a query without a relevant document; nan leaves it out of the mean.
    average : {"macro", "weighted"} or None, default="macro"
        Mean over queries, weighted by their number of rows or not; None for the value of each query
        in the order of :func:`unique_groups`.
    sample_weight : array-like of shape (n_rows,), default=None
        Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Higher is better; by "bias_variance" and "least_bias" not always in [0, 1]. nan, with a warning, if
        every query is left out.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    References
    ----------
    Krichene and Rendle, "On sampled metrics for item recommendation", KDD 2020 and CACM 2022.

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
    check_draws(lists, numbers, bool(replacement))
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
                rule = "give some weight to the ranks that the lists may come from"
                fail("prior", rule, "none for those of some lists")
            rule = "be so large that so many of the negatives, and no more, can stand above the relevant item"
            fail("n_items", rule, f"{n} with {m} negatives")
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
        fail("y_true", "not contain NaN: what was drawn is not relevant", f"{missing.sum()} NaN")
    if queries.rows is not None:
        labels, scores = labels[queries.rows], scores[queries.rows]
    relevant = labels >= min_relevance
    n_relevant = np.add.reduceat(relevant, queries.firsts, dtype=np.int64)
    if n_relevant.max() > 1:
        rule = (
            "hold one relevant item per user: among common negatives several are not independent, and their "
            "ideal order is not known; give each a group of its own, with negatives drawn for it"
        )
        fail("y_true", rule, f"{n_relevant.max()} of one user")
    found = n_relevant == 1
    n_negatives = queries.lengths - 1
    if (n_negatives[found] == 0).any():
        rule = "hold drawn negatives beside the relevant item of each user"
        fail("y_true", rule, "a relevant item alone")
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
    """Check one number of items."""
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
        rule = f"be 'rank' or 'none' for lists of more than {MOST_NEGATIVES} negatives"
        fail("method", rule, repr(method))
    if n_items > MOST_ITEMS:
        rule = f"be at most {MOST_ITEMS:,} with method={method!r}, for memory: take method='rank'"
        fail("n_items", rule, f"{n_items:,}")
    if len(kinds) > MOST_TABLES:
        rule = (
            f"be of few values with method={method!r}, which fits a table for each pair of one and of "
            f"a number of negatives, at most {MOST_TABLES}: round them to a few values, or take method='rank'"
        )
        fail("n_items", rule, f"{len(kinds)} pairs")


def _read_each(n_items: Values, groups: Ids, n_users: int) -> np.ndarray:
    """Return one number for each user, in the order of the ids."""
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


def check_draws(lists: SampledLists, n_items: np.ndarray, replacement: bool) -> None:
    """Check that there are enough items to draw the negatives from."""
    many = lists.found & (lists.n_negatives > n_items - 1)
    if many.any() and not replacement:
        rule = "be above the number of negatives, which are drawn without replacement from all items but one"
        fail("n_items", rule, f"{n_items[many][0]} with {lists.n_negatives[many][0]} negatives")


def check_items(
    items: Ids, opened: Opened, lists: SampledLists, n_items: np.ndarray, replacement: bool
) -> None:
    """Reject items that cannot have been drawn uniformly and independently for each user."""
    queries = opened.rows.queries
    codes = rank_ids(check_groups(items, len(lists.relevant), "items"))
    codes = codes if queries.rows is None else codes[queries.rows]
    if codes.max() >= n_items.max():
        fail("n_items", f"count all items, of which {codes.max() + 1} are here", n_items.max())
    users = np.repeat(np.arange(len(queries.lengths)), queries.lengths)
    order = np.lexsort((lists.relevant, codes, users))
    users_so, codes_so, relevant_so = users[order], codes[order], lists.relevant[order]
    twice = (codes_so[1:] == codes_so[:-1]) & (users_so[1:] == users_so[:-1])
    of_relevant = twice & relevant_so[1:]
    if of_relevant.any():
        rule = "not hold the relevant item of a user a second time, among the negatives"
        fail("items", rule, f"it for {of_relevant.sum()} users")
    if twice.any() and not replacement:
        rule = "hold each item of a user once: negatives are said to be drawn without replacement"
        fail("items", rule, f"{twice.sum()} a second time")
    lengths = queries.lengths
    alike = len(lengths) > 1 and lists.found.all() and (lengths == lengths[0]).all()
    drawn = np.sort(codes[~lists.relevant].reshape(len(lengths), -1), axis=1) if alike else codes
    if alike and not (lengths >= n_items).all() and (drawn == drawn[0]).all():
        rule = "differ between users: a correction is for negatives that are drawn for each user anew"
        fail("items", rule, "the same negatives for all users")


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
        fail("prior", "be 'uniform' or a function of ranks", repr(prior))
    if method != "bias_variance" and gamma != 0.01:
        fail("gamma", f"be left out with method={method!r}, which has none", repr(gamma))
    if method in ("rank", "none") and callable(prior):
        fail("prior", f"be left out with method={method!r}, which has none", repr(prior))
    return metric, Correction(method, float(gamma), _bind_prior(prior) if callable(prior) else None)


def _read_metric(metric: object) -> OneRelevant:
    """Parse the name of a metric that can be corrected."""
    names = ", ".join(WORTHS)
    if isinstance(metric, str) and metric == "group_auc":
        rule = "be another: the AUC of sampled lists is that of all items but for chance, by group_auc_score"
        fail("metric", rule, repr(metric))
    if is_metric_name(metric) and ":" not in metric and "(" not in metric:
        row, parsed = parse_name(metric, "metric")
        if row.stem in WORTHS:
            return OneRelevant(row.stem, parsed.get("k"))
    fail("metric", f"name one of {names}, as 'recall@10', without parameters", repr(metric))


def _bind_prior(prior: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], np.ndarray]:
    """Return a prior that is checked when it is called."""
    rule = "return a weight per rank, finite and >= 0, not all 0"

    def weigh(ranks: np.ndarray) -> np.ndarray:
        weights = read_floats(call_given(prior, "prior", ranks.copy()), ranks.shape, "prior", rule)
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
    for number, (n, m) in enumerate(different.tolist()):
        yield users[kind_of.ravel() == number], find_values(metric, Design(n, m, replacement), correction)


def _check_scorer(options: Options) -> None:
    """Check the options of a scorer."""
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
