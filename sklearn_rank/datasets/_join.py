"""The join of retrieved with judged documents, sorted by query and decreasing document id."""

from typing import NamedTuple

import numpy as np

from .._checks.codes import (
    decode_ascii,
    encode_ascii,
    find_edges,
    find_places,
    first_rows,
    order_ids,
    rank_ids,
)
from .._checks.errors import count_of, fail, is_real, spell_id
from .._checks.groups import check_groups
from .._checks.warn import RankingWarning, warn_user
from ._entries import (
    Entries,
    Ids,
    are_long,
    as_python,
    join_ids,
    name_side,
    show_entry,
    show_id,
    show_typed_id,
    start_warning,
)
from ._mismatch import Overlap, check_overlap, find_overlap

SAME_TYPE = (
    "Convert the ids to one type, for example str; pandas.read_csv(file, dtype={'qid': str}) keeps leading "
    "zeros."
)
BEST_OF_CHUNKS = "To count the best of several chunks of a document, pass duplicates='max'."
MAX_KEY = 2**61  # of query and document; the number of documents is rounded up to a power of 2


class Joined(NamedTuple):
    """Rows with their labels, scores, queries and documents."""

    y_true: np.ndarray
    y_score: np.ndarray
    codes: np.ndarray  # index of each row's query in `query_names`
    query_names: np.ndarray  # sorted; some can have no rows
    entries: np.ndarray  # index of each row's document in `all_documents`, concatenated
    all_documents: tuple[Ids, Ids]  # retrieved, and judged
    overlap: Overlap = Overlap(0, 0, 0, 0)  # of all queries
    labels: np.ndarray | None = None  # by intent, in the rows that `y_true` contains
    in_run: np.ndarray | None = None  # whether the run has each query; None if those with retrieved documents

    @property
    def intents(self) -> np.ndarray | None:
        """Return the label of each row for each intent, if judgments have intents; NaN if not judged."""
        if self.labels is None:
            return None
        judged = self.y_true >= 0
        found = np.full((len(judged), self.labels.shape[1]), np.nan)
        found[judged] = self.labels[self.y_true[judged].astype(np.int64)]
        return found

    @property
    def groups(self) -> np.ndarray:
        """Return the query of each row."""
        return self.query_names[self.codes]

    @property
    def documents(self) -> np.ndarray:
        return decode_ascii(self.find_documents())

    def find_documents(self) -> np.ndarray:
        """Return the document of each row, as bytes if files contain only short ASCII names."""
        one, other = (ids.names for ids in self.all_documents)
        places = [ids.spread(np.arange(len(ids.names))) for ids in self.all_documents]
        places[1] = places[1] + len(one)
        return join_ids(*as_one_kind(one, other))[np.concatenate(places)[self.entries]]

    def rows(self, return_items: bool, return_strata: bool = False) -> tuple[np.ndarray, ...]:
        """Return labels, scores and queries, and optionally the documents and the pool."""
        joined = self.split_pool() if return_strata else self
        intents = self.intents
        rows = joined.y_true if intents is None else intents, joined.y_score, joined.groups
        more = (joined.documents,) if return_items else ()
        return (*rows, *more, find_pool(self.y_true)) if return_strata else (*rows, *more)

    def say_lacking(self) -> str:
        """Return a clause about the judged queries that the run lacks; an empty list is not lacking."""
        edges = find_edges(self.codes)
        lacking = edges[:-1][np.maximum.reduceat(self.y_score, edges[:-1]) == -np.inf]
        if self.in_run is not None:
            lacking = lacking[~self.in_run[self.codes[lacking]]]
        if not len(lacking):
            return ""
        query, n = spell_id(self.query_names[self.codes[lacking[0]]]), len(lacking)
        of_all = count_of(len(edges) - 1, "query", "queries")
        return f"the run has no document for {n} of {of_all}, such as {query:.60}, so "

    def split_pool(self) -> "Joined":
        """Return the rows with NaN as the label of unjudged documents in the pool."""
        return self._replace(y_true=np.where(self.y_true < 0, np.nan, self.y_true))

    def keep(self, kept: np.ndarray) -> "Joined":
        """Return some of the rows."""
        if kept.all():
            return self
        columns = (self.y_true, self.y_score, self.codes, self.entries)
        y_true, y_score, codes, entries = (column[kept] for column in columns)
        return self._replace(y_true=y_true, y_score=y_score, codes=codes, entries=entries)


def find_pool(y_true: np.ndarray) -> np.ndarray:
    """Return 0 for documents in the pool, which have a grade (also one below 0), and -1 for others."""
    return np.where(y_true == y_true, 0, -1)


class Sides(NamedTuple):
    """The entries to join, and their names for errors."""

    retrieved: Entries
    judged: Entries
    parameters: tuple[str, str] = ("run", "qrels")
    missing: float = np.nan  # the label of unjudged documents
    with_pool: bool = False  # use the label -1 if the grade is below 0
    are_runs: bool = False  # whether both sides are runs, in which a query can have an empty result
    duplicates: str = ""  # "max" keeps the best entry of a document; empty for readers without the option


class MatchedQueries(NamedTuple):
    """The queries of both sides."""

    names: np.ndarray  # sorted
    codes: tuple[np.ndarray, np.ndarray]  # index of each entry's query in `names`
    in_run: np.ndarray
    in_judged: np.ndarray


def join_entries(sides: Sides, queries: str, depth: int | None, with_warnings: bool = True) -> Joined:
    """Join retrieved with judged documents, for the queries in both, one or either of them.

    If `with_warnings`, warn of ids that seem to be written differently.
    """
    matched = match_queries(sides)
    _check_queries(sides, matched)
    _, _, in_run, in_judged = matched
    masks = {"both": in_run & in_judged, "judged": in_judged, "run": in_run, "all": in_run | in_judged}
    joined = join_queries(sides, matched, masks[queries], depth)
    if sides.are_runs and queries == "both" and (in_run ^ in_judged).any():
        _warn_of_excluded(sides, matched)
    if with_warnings:
        names = [name_side(*each) for each in zip((sides.retrieved, sides.judged), sides.parameters)]
        check_overlap(joined.overlap, (names[0], names[1]), sides.retrieved.source.words)
    return joined


def remove_identical(entries: Entries) -> Entries:
    """Remove the entries whose document has the id of the query."""
    queries, documents = entries.queries, entries.documents
    both = as_one_kind(queries.names, documents.names)
    if len({each.dtype.kind in "iufb" for each in both}) > 1:
        got = " and ".join(show_typed_id(as_python(each[0])) for each in both if len(each))
        fail(
            "ignore_identical_ids",
            "be False if ids of queries and documents differ in type",
            f"True for {got}",
        )
    return entries.keep(queries.spread(both[0]) != documents.spread(both[1]))


def match_queries(sides: Sides) -> MatchedQueries:
    """Find the queries of both sides."""
    both = sides.retrieved.queries, sides.judged.queries
    names, ids = join_names(*both, sides.parameters, sides.retrieved.source.words[0])
    ranks = rank_ids(ids)
    n_names = len(both[0].names)
    names = names[first_rows(ranks)]
    codes = both[0].spread(ranks[:n_names]), both[1].spread(ranks[n_names:])
    in_run, in_judged = np.zeros((2, len(names)), dtype=bool)
    in_run[ranks[:n_names]] = True  # a query can have an empty result
    in_judged[ranks[n_names:] if sides.are_runs else codes[1]] = True
    return MatchedQueries(names, codes, in_run, in_judged)


def join_queries(sides: Sides, queries: MatchedQueries, is_kept: np.ndarray, depth: int | None) -> Joined:
    """Join both sides, and keep the queries in a mask."""
    joined = _merge(sides, queries)
    if not is_kept.all():
        joined = joined.keep(is_kept[joined.codes])
    if depth is not None:
        joined = _cut(joined, depth)
    return joined.keep(_is_needed(joined))


def _check_queries(sides: Sides, queries: MatchedQueries) -> None:
    """Check that both sides have a common query."""
    both = sides.retrieved, sides.judged
    of_query, of_document = sides.retrieved.source.words
    for parameter, ids in zip(sides.parameters, both):
        if not len(ids.values if ids is sides.judged else ids.queries.names):
            got = "only excluded ones" if len(ids.documents.names) else "none"
            number = "grades" if parameter in ("qrels", "interactions") else "scores"
            fail(parameter, f"contain {of_document}s with {number}", got, place=ids.source.locate())
    if not (queries.in_run & queries.in_judged).any():
        judged = sides.judged.queries  # some might have lost all documents
        names = sides.retrieved.queries.names[0], judged.names[judged.spread(np.arange(len(judged.names)))[0]]
        shown = [show_typed_id(as_python(each)) for each in names]
        rule = f"contain a {of_query} of {sides.parameters[1]!r}, such as {shown[1]}"
        fix = f"Use the same {of_query} ids in both."
        fail(sides.parameters[0], rule, f"{of_query} ids such as {shown[0]}", fix)


def _warn_of_excluded(sides: Sides, queries: MatchedQueries) -> None:
    """Warn of the queries that one of two runs lacks."""
    lacking = np.flatnonzero(queries.in_run ^ queries.in_judged)
    side = int(queries.in_run[lacking[0]])
    lacks = name_side((sides.retrieved, sides.judged)[side], sides.parameters[side])
    example, total = show_id(as_python(queries.names[lacking[0]])), len(queries.names)
    warn_user(
        f"{start_warning()}{lacks} lacks query {example}, and {len(lacking)} of {total} queries are in one "
        "run only, so they are excluded, also from fused runs. Pass queries='either' to count them as "
        "queries for which a run retrieved no document.",
        RankingWarning,
    )


def _merge(sides: Sides, queries: MatchedQueries) -> Joined:
    """Sort by query and decreasing document; merge the retrieved and judged entry of a document."""
    retrieved, judged = sides.retrieved, sides.judged
    keys, n_bits = _make_keys(sides, queries)
    order = np.argsort(keys) if sides.duplicates != "max" else _find_best(sides, keys)
    ordered = keys[order]
    is_again = ordered[1:] == ordered[:-1]
    is_judged = order >= len(retrieved.values)
    first = np.flatnonzero(is_again)  # the first of two entries of the same document
    second = first + 1
    if (is_judged[first] == is_judged[second]).any() or (second[:-1] == first[1:]).any():
        _reject_twice(sides, ordered, order)
    grades = np.where(judged.values < 0, -1.0 if sides.with_pool else np.nan, judged.values)
    y_true = np.concatenate((np.full(len(retrieved.values), sides.missing), grades))[order]
    y_score = np.concatenate((retrieved.values, np.full(len(grades), -np.inf)))[order]
    y_true[first] = np.where(is_judged[first], y_true[first], y_true[second])
    y_score[first] = np.maximum(y_score[first], y_score[second])
    documents = retrieved.documents, judged.documents
    codes = ordered >> n_bits
    counts = [np.bincount(each, minlength=len(queries.names)) for each in (*queries.codes, codes[first])]
    overlap = find_overlap(queries.codes, documents, queries.names, counts, sides.missing == 0)
    joined = Joined(y_true, y_score, codes, queries.names, order, documents, overlap, None, queries.in_run)
    return joined.keep(np.append(True, ~is_again)) if len(first) else joined


def _make_keys(sides: Sides, queries: MatchedQueries) -> tuple[np.ndarray, int]:
    """Return integer keys to sort by query and decreasing document, and the number of document bits."""
    both = sides.retrieved.documents, sides.judged.documents
    ids = join_names(*both, sides.parameters, sides.retrieved.source.words[1])[1]
    codes = number_backwards(ids, len(queries.names))
    n_bits = int(codes.max(initial=0)).bit_length()
    n_names = len(both[0].names)
    parts = zip(both, queries.codes, (codes[:n_names], codes[n_names:]))
    keys = [(query.astype(np.int64) << n_bits) | ids.spread(each) for ids, query, each in parts]
    return np.concatenate(keys), n_bits


def number_backwards(ids: np.ndarray, n_groups: int) -> np.ndarray:
    """Return integers from 0 in decreasing order of ids, which fit into keys of a group and an id."""
    codes, n_codes = order_ids(ids)
    if n_codes > MAX_KEY // max(n_groups, 1):
        codes = rank_ids(codes)
    return np.subtract(codes.max(initial=0), codes, out=codes)


def _find_best(sides: Sides, keys: np.ndarray) -> np.ndarray:
    """Return the entries sorted by key, with the highest score and the highest grade of each document."""
    values = np.concatenate((sides.retrieved.values, sides.judged.values))
    is_judged = np.arange(len(keys)) >= len(sides.retrieved.values)
    order = np.lexsort((-values, is_judged, keys))
    is_new = (np.diff(keys[order]) != 0) | np.diff(is_judged[order])
    return order[np.append(True, is_new)]


def _cut(joined: Joined, depth: int) -> Joined:
    """Mark all but the top `depth` documents of each query, as ranked by trec_eval, as not retrieved."""
    with np.errstate(over="ignore", under="ignore"):  # scores can exceed the range of float32
        scores = joined.y_score.astype(np.float32)
    order = np.lexsort((-scores, ~(joined.y_score > -np.inf), joined.codes))
    y_score = joined.y_score.copy()
    y_score[order[find_places(joined.codes) >= depth]] = -np.inf
    return joined._replace(y_score=y_score)


def _is_needed(joined: Joined) -> np.ndarray:
    """Return a mask of retrieved or graded documents, or of all if a query has none of these."""
    is_needed = (joined.y_score > -np.inf) | (joined.y_true >= 0)
    if is_needed.all():
        return is_needed
    counts = np.bincount(joined.codes[is_needed], minlength=len(joined.query_names))
    return is_needed | (counts[joined.codes] == 0)


def join_names(
    one: Ids, other: Ids, parameters: tuple[str, str], kind: str, fix: str = SAME_TYPE
) -> tuple[np.ndarray, np.ndarray]:
    """Join the names of both sides, and check that they are comparable; also return ids in their order."""
    if len(one.names) and len(other.names):
        known, new = (as_python(ids.names[0]) for ids in (one, other))
        if any(isinstance(first, str) and is_real(last) for first, last in ((known, new), (new, known))):
            rule = f"contain {kind} ids of the same type as {parameters[0]!r}, such as {show_typed_id(known)}"
            fail(parameters[1], rule, show_typed_id(new), fix)
    for ids, parameter in zip((one, other), parameters):
        check_groups(ids.names, len(ids.names), parameter)  # it rejects missing ids and several types
    names = join_ids(*as_one_kind(one.names, other.names))
    return names, check_groups(names, len(names), parameters[0])


def find_pairs(
    rows: tuple[Ids, Ids], pairs: tuple[Ids, Ids], parameters: tuple[str, str], words: tuple[str, str]
) -> np.ndarray:
    """Return a mask of the rows whose query and document are in a list of pairs."""
    keys = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for of_rows, of_pairs, word in zip(rows, pairs, words):
        ranks = rank_ids(join_names(of_rows, of_pairs, parameters, word)[1])
        n_names = len(of_rows.names)
        parts = of_rows.spread(ranks[:n_names]), of_pairs.spread(ranks[n_names:])
        one, other = (key * (ranks.max(initial=0) + 1) + part for key, part in zip(keys, parts))
        keys = one, other
    return np.isin(*keys)


def as_one_kind(*names: np.ndarray) -> list[np.ndarray]:
    """Convert names of text and bytes to bytes if possible, else to text; keep names of one type.

    If one long name would make an array of bytes large, names become text, which `join_ids` makes objects.
    """
    if {each.dtype.kind for each in names} == {"S", "U"} and not are_long(*names):
        names = tuple(map(encode_ascii, names))
    are_mixed = len({each.dtype.kind for each in names}) > 1
    return list(map(decode_ascii, names)) if are_mixed else list(names)


def _reject_twice(sides: Sides, keys: np.ndarray, order: np.ndarray) -> None:
    """Raise an error that a query has a document twice; `keys` are sorted by `order`."""
    n_retrieved = len(sides.retrieved.values)
    parts = (order < n_retrieved, 0), (order >= n_retrieved, n_retrieved)
    for entries, parameter, (is_part, start) in zip((sides.retrieved, sides.judged), sides.parameters, parts):
        of_part, rows = keys[is_part], order[is_part] - start
        again = np.flatnonzero(of_part[1:] == of_part[:-1])
        if len(again):
            row = int(np.maximum(rows[again], rows[again + 1]).min())
            rule = "contain each {1} once per {0}".format(*entries.source.words)
            fix = BEST_OF_CHUNKS * bool(sides.duplicates)
            fail(parameter, rule, f"a second {show_entry(entries, row)}", fix)
