"""Values of metrics per query, with everything that their means depend on, for reports."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .._checks.codes import rank_ids
from .._checks.containers import check_same_order, count_rows
from .._checks.errors import fail, kind_of
from .._checks.groups import check_groups, list_keys, take_ids
from .._checks.options import check_jobs
from .._checks.rows import check_weights
from .._checks.types import Ids, Labels, Weights
from .._engine.prepared import Queries, find_queries
from ._average import Counts, MetricValues, query_weights
from ._compute import collect_values, compute_values, count_relevant, score_with_inputs, split_labels
from ._cut_lists import RetrievedLists, find_lists
from ._label_warnings import Facts, caution, find_facts, list_subjects
from ._prepared_input import BY_ID, Opened, is_by_id, open_rows, show_index, take_by_id
from ._table import Given, Request, Tables, find_label_rules, keep_label_metrics


class ScoredQueries(NamedTuple):
    """Queries in the order of their ids, and the values of metrics for each."""

    ids: np.ndarray
    sizes: np.ndarray  # number of rows of each query
    n_relevant: np.ndarray
    metrics: dict[str, MetricValues]
    clusters: np.ndarray | None = None  # cluster of each query
    facts: Facts | None = None  # facts about all rows of a part, for cautions about all parts
    counts: Mapping[str, Counts] = {}  # of metrics of all queries together
    lists: RetrievedLists | None = None  # retrieved and other documents of the queries of a part
    labels: np.ndarray | None = None  # fingerprints of the labels of each query: `mark_labels`

    def take(self, queries: np.ndarray) -> "ScoredQueries":
        taken: dict[int, np.ndarray] = {}
        metrics = {name: each.take(queries, taken) for name, each in self.metrics.items()}
        clusters = None if self.clusters is None else self.clusters[queries]
        lists = None if self.lists is None else self.lists.take(queries)
        columns = self.ids[queries], self.sizes[queries], self.n_relevant[queries]
        labels = None if self.labels is None else self.labels[queries]
        return ScoredQueries(*columns, metrics, clusters, self.facts, lists=lists, labels=labels)


def check_kept(requests: Iterable[Request]) -> None:
    """Check the averages of metrics whose query values are kept for intervals and comparisons of means."""
    if any(request.rules.average == "geometric" for request in requests):
        fix = "For the geometric mean, call ranking_scores(..., average='geometric')."
        fix = f"Intervals and comparisons are of means. {fix}"
        fail("average", "be 'macro', 'weighted' or 'micro'", "'geometric'", fix)


def score_queries(
    requests: Sequence[Request],
    given: Given,
    min_relevance: float = 1,
    cluster: object = None,
    n_jobs: int | None = None,
    tables: Tables | None = None,
    is_part: bool = False,
) -> ScoredQueries:
    """Compute checked metrics like `compute_many`, and keep everything that their means depend on.

    If `is_part`, return `facts` and `lists` for cautions about all parts, and give no cautions.
    """
    (same, _), *others = split_labels(requests, given)
    plain = keep_label_metrics(same)
    opened = open_rows(given, find_label_rules(plain))
    check_same_order(y_true=given.y_true, groups=given.groups, cluster=cluster)
    if n_jobs is not None:
        check_jobs(n_jobs)
    check_kept(requests)
    found = _collect(plain, opened, n_jobs)
    with_inputs, counts = score_with_inputs(same, given, tables or Tables())
    found |= with_inputs
    for of_column, rows in others:
        found |= score_column(of_column, rows, n_jobs, is_part)
    known: dict[bytes, np.ndarray] = {}  # equal arrays of weights, and of defined queries, are stored once

    def share(array: np.ndarray | None) -> np.ndarray | None:
        return None if array is None else known.setdefault(array.tobytes(), array)

    of_requests = {each.name: found[each.name] for each in requests if each.name in found}
    metrics = {
        name: each._replace(weights=share(each.weights), defined=share(each.defined))
        for name, each in of_requests.items()
    }
    queries, by_id = opened.rows.queries, opened.rows.queries.by_id
    ids, n_relevant = _find_ids(given.groups, queries), by_id(count_relevant(opened.rows, min_relevance))
    labels = by_id(mark_labels(opened))
    scored = ScoredQueries(ids, by_id(queries.lengths), n_relevant, metrics, counts=counts, labels=labels)
    if is_part:  # rows of parts are not kept
        counts = {name: each._replace(rows=None) for name, each in counts.items()}
        facts = find_facts(opened.rows, opened.scores, list_subjects(plain))
        lists = find_lists(opened.rows, opened.scores)
        return scored._replace(facts=facts, lists=lists, counts=counts)
    caution(opened, plain, [metrics[request.name].values for request in plain])
    if cluster is None:
        return scored
    n_rows, is_flat = len(opened.rows.given) - opened.rows.n_missed, given.groups is not None
    if opened.rows.n_missed:  # clusters are of the caller's rows
        queries = find_queries(check_groups(given.groups, n_rows), n_rows)
    codes, names = code_labels(cluster, queries, n_rows, ids, "cluster", is_flat)
    return scored._replace(clusters=names[queries.by_id(codes)])


def score_column(
    requests: Sequence[Request], given: Given, n_jobs: int | None = None, is_part: bool = False
) -> dict[str, MetricValues]:
    """Compute metrics of other labels or scores than those of the call."""
    found = score_with_inputs(requests, given, Tables())[0]
    if plain := keep_label_metrics(requests):
        opened = open_rows(given, find_label_rules(plain))
        found |= _collect(plain, opened, n_jobs)
        if not is_part:
            caution(opened, plain, [found[request.name].values for request in plain])
    return found


def _collect(requests: list[Request], opened: Opened, n_jobs: int | None) -> dict[str, MetricValues]:
    """Return the values of metrics of labels and scores."""
    computed = compute_values(requests, opened, n_jobs, marked=True)
    return {each.name: collect_values(each, values, opened.rows) for each, values in zip(requests, computed)}


# The labels of a query: sums of hashes and numbers of all labels and of those above 0, the lowest and the
# highest label of the call, whether documents have no rank or no row, and whether several documents have a
# rank and all of these the same score.
FINGERPRINT = np.dtype(
    {
        "names": ["hashes", "hashes_above", "n", "n_above", "lowest", "highest", "is_retrieved", "is_tied"],
        "formats": ["u8", "u8", "u4", "u4", "f8", "f8", "?", "?"],
    }
)


def mark_labels(opened: Opened) -> np.ndarray:
    """Return the fingerprint of each query's labels; NaN does not count.

    The sums modulo 2**64 do not depend on the order of rows, and merge.
    """
    rows, (order, firsts, *_) = opened.rows, opened.rows.queries

    def count(marks: np.ndarray, dtype: str = "u4") -> np.ndarray:
        return np.add.reduceat(marks if order is None else marks[order], firsts, dtype=dtype)

    labels = rows.given.astype(np.float64) + 0.0  # -0.0 is 0.0
    is_known, is_above = ~np.isnan(labels), labels > 0
    hashes = np.where(is_known, _hash_bits(labels.view(np.uint64)), np.uint64(0))
    found = np.zeros(len(firsts), FINGERPRINT)
    found["hashes"], found["n"] = count(hashes, "u8"), count(is_known)
    found["hashes_above"], found["n_above"] = count(hashes * is_above, "u8"), count(is_above)
    found["lowest"], found["highest"] = rows.lowest, rows.highest
    scores = opened.scores.values if order is None else opened.scores.values[order]
    is_ranked = scores > -np.inf
    n_ranked = np.add.reduceat(is_ranked, firsts, dtype="u4")
    highest = np.maximum.reduceat(scores, firsts)
    lowest = np.minimum.reduceat(np.where(is_ranked, scores, np.inf), firsts)
    found["is_retrieved"] = n_ranked < rows.queries.lengths
    found["is_tied"] = (n_ranked > 1) & (lowest == highest)
    return found


def _hash_bits(bits: np.ndarray) -> np.ndarray:
    """Mix the bits of each number (Steele, Lea and Flood's SplitMix64); overflow is intended."""
    mixed = bits + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _find_ids(groups: Ids, queries: Queries) -> np.ndarray:
    """Return the query ids in their own type, or query numbers if each row of a matrix is a query."""
    if groups is None:
        return np.arange(len(queries.lengths))
    firsts = queries.firsts if queries.rows is None else queries.rows[queries.firsts]
    return take_ids(groups, queries.by_id(firsts))


OF_SOME_ROWS = (
    "For a segment of rows, such as items of new sellers, only its rows count if the labels of all others "
    "are 0: evaluate(numpy.where(is_inside, y_true, 0), y_score, groups=groups, metrics=metrics)."
)


def code_labels(
    labels: Labels, queries: Queries, n_rows: int, ids: np.ndarray, parameter: str, is_flat: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return a code for each query, in the order of the queries, and the label of each code."""
    n_queries = len(queries.lengths)
    n_labels = 0 if isinstance(labels, Mapping) else count_rows(labels, parameter)
    by_id = isinstance(labels, Mapping) or (n_labels != n_rows and is_by_id(labels))
    of_queries = by_id or n_labels == n_queries != n_rows
    if by_id:
        labels = take_by_id(labels, ids, parameter)
    elif of_queries and is_flat:
        rule = f"have one entry per row ({n_rows} rows) or be a mapping or pandas.Series of query id to label"
        fail(parameter, rule, f"{n_labels} entries, one per query,", BY_ID)
    codes = rank_ids(check_groups(labels, n_queries if of_queries else n_rows, parameter))
    names = take_ids(labels, np.unique(codes, return_index=True)[1])
    if of_queries:
        order = np.arange(n_queries) if queries.names is None else np.argsort(np.argsort(queries.names))
        return codes[order], names
    in_order = codes if queries.rows is None else codes[queries.rows]
    lowest = np.minimum.reduceat(in_order, queries.firsts)
    varies = lowest != np.maximum.reduceat(in_order, queries.firsts)
    if varies.any():
        rule = "be the same for all rows of a query"
        fix = OF_SOME_ROWS if parameter == "labels" else ""
        fail(parameter, rule, f"different values in {varies.sum()} of {n_queries} queries", fix)
    return lowest, names


def align_labels(
    labels: Labels, groups: Ids, ids: np.ndarray, parameter: str = "labels", of_rows: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Return codes in the order of `ids`, and the label of each code, from labels of rows or by query id.

    Labels of rows need `groups`, the ids of the rows. Errors end with `of_rows`, on how to pass them.
    """
    if isinstance(labels, str):
        fail(parameter, "contain the labels, not their name", repr(labels), f"Pass frame[{labels!r}].")
    if groups is None:
        if not is_by_id(labels):
            rule = "be a mapping or pandas.Series of query id to label" + of_rows
            fail(parameter, rule, kind_of(labels) + show_index(labels), BY_ID)
        n_queries = len(ids)
        each = Queries(None, np.arange(n_queries), np.ones(n_queries, dtype=np.int64))
        labels = take_by_id(labels, ids, parameter)
        return code_labels(labels, each, n_queries, ids, parameter, False)
    n_rows = len(groups)
    check_same_order(**{"groups": groups, parameter: labels})
    queries = find_queries(check_groups(groups, n_rows), n_rows)
    codes, names = code_labels(labels, queries, n_rows, ids, parameter, True)
    codes, found = queries.by_id(codes), _find_ids(groups, queries)
    if np.array_equal(found, ids):
        return codes, names
    known = take_by_id(dict(zip(list_keys(found), codes.tolist())), ids, "groups")  # of some of the queries
    kept, codes = np.unique(known, return_inverse=True)
    return codes, names[kept]


def align_weights(sample_weight: Weights, groups: Ids) -> np.ndarray | None:
    """Return the weight of each query in the order of the ids, from weights of rows."""
    if sample_weight is None:
        return None
    n_rows = len(groups)
    queries = find_queries(check_groups(groups, n_rows), n_rows)
    weights = query_weights(check_weights(sample_weight, n_rows, "row"), queries)
    return None if weights is None else queries.by_id(weights)
