"""Runs and judgments from other libraries, as frames and objects."""

import re
from importlib import import_module
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from sklearn_rank import (
    RankingWarning,
    from_interactions,
    from_recommendations,
    from_run,
    from_score_matrix,
)
from tests.datasets.test_runs import QRELS, RUN, draw

pytestmark = pytest.mark.filterwarnings("ignore:.*the run has no document for")


def columns_of(table, names):
    rows = [(query, name, value) for query, names in table.items() for name, value in names.items()]
    return dict(zip(names, map(list, zip(*rows))))


def make_frame(library, columns):
    if library == "pandas categories":
        return make_frame("pandas", columns).astype(dict.fromkeys(list(columns)[:2], "category"))
    module = pytest.importorskip(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


NAMES = {
    "ours": (("query", "document", "grade"), ("query", "document", "score")),
    "PyTerrier": (("qid", "docno", "label"), ("qid", "docno", "score")),
    "ir_measures": (("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")),
    "users": (("user", "item", "rating"), ("user", "item", "score")),
    "sessions": (("session_id", "item_id", "relevance"), ("session_id", "item_id", "score")),
    "short": (("query", "doc", "rel"), ("query", "doc", "score")),
    "given": (("q", "d", "g"), ("q", "d", "s")),
    "given in part": (("qid", "doc_id", "g"), ("query", "d", "score")),
}
GIVEN = {
    "given": {"query": "q", "document": "d", "score": "s", "grade": "g"},
    "given in part": {"item": "d", "rating": "g"},
}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("library", ["pandas", "pandas categories", "polars", "pyarrow"])
def test_from_run_reads_frames_like_dicts(library, names):
    run, qrels = draw(1, "ties")
    tables = [columns_of(table, each) for table, each in zip((qrels, run), NAMES[names])]
    frames = [make_frame(library, columns) for columns in tables]
    got = from_run(*frames, columns=GIVEN.get(names), return_items=True)
    for one, other in zip(got, from_run(qrels, run, return_items=True)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("library", ["pandas", "pandas categories", "polars", "pyarrow"])
def test_from_run_returns_text_ids_for_frames(library):
    frames = [
        make_frame(library, {"query": ["q", "q"], "document": ["a", "bc"], number: [1, 2]})
        for number in ("grade", "score")
    ]
    groups, documents = from_run(*frames, return_items=True)[2:]
    assert (groups.dtype, documents.dtype) == (np.dtype("U1"), np.dtype("U2"))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_from_run_keeps_numeric_ids_of_frames(library):
    run = make_frame(library, {"query": [7, 7, 3], "document": [1, 10, 2], "score": [1, 2, 3]})
    qrels = make_frame(library, {"query": [7, 3], "document": [2, 2], "grade": [1.0, 1.0]})
    y_true, y_score, groups, items = from_run(qrels, run, return_items=True)
    np.testing.assert_array_equal(y_true, [1, np.nan, 1, np.nan])
    assert (groups.tolist(), items.tolist()) == ([3, 7, 7, 7], [2, 10, 2, 1])
    assert y_score.tolist() == [3, 2, -np.inf, 1]


class TrecQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def as_objects(table, kind, *more):
    return (
        kind(query, name, value, *more) for query, names in table.items() for name, value in names.items()
    )


class OfRanx:
    """A run or qrels as ranx holds them: what is read of it are `keys` and `to_dict`."""

    def __init__(self, table):
        self.table = table

    def keys(self):
        return self.table.keys()

    def to_dict(self):
        return {
            query: {name: np.float64(each) for name, each in self.table[query].items()}
            for query in self.table
        }


OBJECTS = {
    "ranx": lambda qrels, run: (OfRanx(qrels), OfRanx(run)),
    "ir_measures": lambda qrels, run: (as_objects(qrels, TrecQrel, "0"), list(as_objects(run, ScoredDoc))),
    "ir_datasets": lambda qrels, run: (
        SimpleNamespace(qrels_iter=lambda: as_objects(qrels, TrecQrel, "0")),
        as_objects(run, ScoredDoc),
    ),
    "dict and objects": lambda qrels, run: (as_objects(qrels, TrecQrel, "0"), run),
}


@pytest.mark.parametrize("form", OBJECTS)
def test_from_run_reads_objects_like_dicts(form):
    run, qrels = draw(2, "ties")
    got = from_run(*OBJECTS[form](qrels, run), return_items=True)
    for one, other in zip(got, from_run(qrels, run, return_items=True)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("library", "kind"), [("ranx", "ranx"), ("ir_measures", "ir_measures")])
def test_from_run_reads_objects_of_ranx_and_ir_measures(library, kind):
    pytest.importorskip(library)
    run, qrels = draw(2, "ties")
    module = import_module(library)
    if library == "ranx":
        given = module.Qrels(qrels), module.Run(run)
    else:
        given = as_objects(qrels, lambda *parts: module.Qrel(*parts, "0")), as_objects(run, module.ScoredDoc)
    for one, other in zip(from_run(*given, return_items=True), from_run(qrels, run, return_items=True)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("change", "columns", "words"),
    [
        (
            {"score": None},
            None,
            r"'run' .* have one column 'score'\. Got the columns 'query'.* pass columns={'score': name}\.",
        ),
        (
            {"user": ["q1"]},
            None,
            r"'run' .* have one column 'query', .* or 'user_id'\. Got the columns .* 'user'",
        ),
        ({"score": ["high"]}, None, r"'run' .* must have numbers as scores\. Got the text 'high' instead"),
        ({"score": [np.nan]}, None, r"'run' .* finite numbers as scores\. Got nan for document 'a'"),
        ({"document": [None]}, None, r"'run' .* not contain missing ids"),
        (
            {},
            {"query": "q"},
            r"'columns' .* contain names of columns of the frames\. Got 'q' .* are 'query', ",
        ),
        ({}, {"id": "query"}, r"'columns' .* be a mapping of 'query', 'document', .*\. Got 'id'"),
        ({}, ["query"], r"'columns' .* be a mapping of 'query'"),
    ],
)
def test_from_run_rejects_invalid_frames(change, columns, words):
    pandas = pytest.importorskip("pandas")
    columns_of_run = {"query": ["q1"], "document": ["a"], "score": [1.0]} | change
    frame = pandas.DataFrame({name: each for name, each in columns_of_run.items() if each is not None})
    with pytest.raises(ValueError, match=words):
        from_run(QRELS, frame, columns=columns)


def test_from_run_rejects_columns_when_no_frame_is_given():
    with pytest.raises(
        ValueError, match=r"'columns' .* contain names of columns of the frames\. Got 'q' instead\.$"
    ):
        from_run(QRELS, RUN, columns={"query": "q"})


@pytest.mark.parametrize("given", [np.array("a"), memoryview(np.eye(2)), 3, b"q1"])
def test_from_run_rejects_objects_without_rows(given):
    with pytest.raises(
        ValueError, match=r"'run' .* be a path, an open file, a mapping .*\. Got (ndarray|m|int|b)"
    ):
        from_run(QRELS, given)


def test_from_run_names_the_frame_for_records():
    with pytest.raises(ValueError, match=r"Got a list of other objects .* Pass pandas.DataFrame\(records\)"):
        from_run(QRELS, [{"qid": "q1", "docno": "a", "score": 1.0}])


# ------------------------------------------------------------------ ranks, and ids in addition to query texts

RANKED = {"query": ["q"] * 3, "document": ["a", "b", "c"], "score": [0.1, 0.2, 0.3], "rank": [1, 2, 3]}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", ["rank", "place"])
def test_from_run_warns_when_ranks_of_a_frame_contradict_scores(library, name):
    frame = make_frame(library, {name if key == "rank" else key: each for key, each in RANKED.items()})
    columns = {"rank": name} if name != "rank" else None
    expected = (
        "^from_run: the ranks in 'run' contradict the scores, .* For query 'q', document 'c' has rank 3 and "
        "score"
    )
    with pytest.warns(RankingWarning, match=expected):
        from_run(qrels={"q": {"a": 1}}, run=frame, columns=columns)


@pytest.mark.parametrize(
    "ranks",
    [
        [3, 2, 1],
        [2.0, 1.0, 0.0],
        ["3", "2", "1"],
        [2, 2, 1],
        [1, None, 3],
        ["best", "b", "c"],
        [np.inf, 2, 3],
        [10**400, 2, 3],
    ],
)
def test_from_run_accepts_consistent_or_nonnumeric_ranks(ranks):
    pandas = pytest.importorskip("pandas")
    from_run(qrels={"q": {"a": 1}}, run=pandas.DataFrame(RANKED | {"rank": ranks}))


def test_from_run_accepts_two_rank_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(RANKED)
    from_run(qrels={"q": {"a": 1}}, run=pandas.concat([frame, frame[["rank"]]], axis=1))


@pytest.mark.parametrize("name", ["qid", "query_id"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_from_run_prefers_query_ids_over_query_texts(library, name):
    frame = make_frame(library, {name: ["1"], "query": ["good tea"], "docno": ["a"], "score": [1.0]})
    assert from_run(qrels={"1": {"a": 1}}, run=frame)[2].tolist() == ["1"]


def test_from_run_prefers_ids_over_texts_and_sessions():
    columns = {"user_id": ["1"], "session_id": ["s"], "doc": ["text"], "doc_id": ["a"]}
    frames = [
        make_frame("pandas", columns | {"rel": ["high"], "label": [1]}),
        make_frame("pandas", columns | {"score": [1.0]}),
    ]
    y_true, _, groups, documents = from_run(*frames, return_items=True)
    assert (y_true.tolist(), groups.tolist(), documents.tolist()) == ([1], ["1"], ["a"])


def test_from_run_rejects_two_columns_of_query_ids():
    frame = make_frame(
        "pandas", {"query_id": ["1"], "qid": ["1"], "query": ["t"], "docno": ["a"], "score": [1]}
    )
    with pytest.raises(ValueError, match=r"'run' .* have one column 'query', 'query_id', 'query-id', 'qid'"):
        from_run(qrels={"1": {"a": 1}}, run=frame)


# ------------------------------------------------------------------ not in memory


@pytest.mark.parametrize(
    ("function", "first", "second"),
    [
        (from_run, "qrels", "run"),
        (from_interactions, "interactions", "recommended"),
        (from_recommendations, "relevant", "recommended"),
        (from_score_matrix, "relevant", "scores"),
    ],
)
def test_readers_reject_duckdb_relations(function, first, second):
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select 'u' as user, 'a' as item, 1.0 as score")
    with pytest.raises(ValueError, match=f"parameter of {function.__name__} must be in memory") as error:
        function(**{first: relation, second: relation})
    assert re.search(r"Got a DuckDBPyRelation of _?duckdb instead\. Pass (\w+)\.df\(\)\.$", str(error.value))


def test_from_interactions_reads_frames_made_by_duckdb():
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pandas")
    done, shown = (
        duckdb.sql("select 'u' as user, 'a' as item"),
        duckdb.sql("select 'u' as user, 'a' as item, 1 as score"),
    )
    assert from_interactions(interactions=done.df(), recommended=shown.df())[0].tolist() == [1]


def test_from_run_names_collect_for_lazy_frames():
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match=r"Got a LazyFrame of polars instead\. Pass run\.collect\(\)\."):
        from_run(qrels={"q": {"a": 1}}, run=polars.LazyFrame(RANKED))


def test_from_run_rejects_collections_without_a_known_method():
    kind = type("Collection", (), {"__module__": "ray.data"})
    with pytest.raises(ValueError, match=r"Got a Collection of ray instead\.$"):
        from_run(qrels={"q": {"a": 1}}, run=kind())
