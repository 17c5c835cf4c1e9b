"""Runs and judgments as rows, whose values equal those of trec_eval for each query."""

import gzip
import io
import warnings

import numpy as np
import pytest

from sklearn_rank import RankingWarning, from_recommendations, from_run, ranking_scores

pytestmark = pytest.mark.filterwarnings("ignore:.*the run has no document for")

INF = float("inf")
RUN = {"q1": {"a": 0.9, "b": 0.8, "c": 0.7}, "q2": {"a": 0.3, "d": 0.3}, "q3": {"a": 1.0}}
QRELS = {"q1": {"b": 1, "c": 0, "e": 2, "f": -1}, "q2": {"d": 1}, "q4": {"a": 1, "b": 0}}


def rows_of(result):
    y_true, y_score, groups, documents = (column.tolist() for column in result)
    labels = [None if label != label else label for label in y_true]
    return list(zip(groups, documents, labels, y_score))


FIRST = [("q1", "e", 2, -INF), ("q1", "c", 0, 0.7), ("q1", "b", 1, 0.8), ("q1", "a", None, 0.9)]
SECOND = [("q2", "d", 1, 0.3), ("q2", "a", None, 0.3)]


@pytest.mark.parametrize(
    ("queries", "more"),
    [
        ("both", []),
        ("judged", [("q4", "b", 0, -INF), ("q4", "a", 1, -INF)]),
        ("run", [("q3", "a", None, 1.0)]),
    ],
)
def test_from_run_returns_rows_of_selected_queries(queries, more):
    assert rows_of(from_run(QRELS, RUN, queries=queries, return_items=True)) == FIRST + SECOND + more


def test_from_run_depth_keeps_top_documents_in_trec_eval_order():
    rows = rows_of(from_run(QRELS, RUN, queries="both", depth=1, return_items=True))
    assert rows == [
        ("q1", "e", 2, -INF),
        ("q1", "c", 0, -INF),
        ("q1", "b", 1, -INF),
        ("q1", "a", None, 0.9),
        ("q2", "d", 1, 0.3),
    ]


def test_from_run_depth_compares_scores_in_float32():
    run = {"q": {"a": 1 + 1e-9, "b": 1.0, "c": 0.5}}
    rows = rows_of(from_run({"q": {"a": 1}}, run, depth=1, return_items=True))
    assert rows == [("q", "b", None, 1.0), ("q", "a", 1, -INF)]


def test_from_run_counts_queries_with_only_negative_grades():
    run, qrels = {"q": {"a": 2, "b": 1}}, {"q": {"a": 1}, "r": {"b": -1, "c": -1}}
    y_true, y_score, groups = from_run(qrels, run, queries="judged")
    assert (y_score.tolist(), groups.tolist()) == ([1, 2, -INF, -INF], ["q", "q", "r", "r"])
    values = ranking_scores(y_true, y_score, groups=groups, metrics=["map"], unjudged="nonrelevant")
    assert values == {"map": 0.5}


# ---------------------------------------------------------------------------- trec_eval

MEASURES = {
    "map(denominator=relevant)": "map",
    "precision@10": "P_10",
    "ndcg@10": "ndcg_cut_10",
    "mrr": "recip_rank",
    "recall@5": "recall_5",
    "bpref": "bpref",
}


def draw(seed, kind):
    """Draw a run and judgements with ties, gaps, documents without judgement and grades below 0."""
    rng = np.random.default_rng(seed)
    run, qrels = {}, {}
    for query in range(40):
        n_documents = int(rng.integers(1, 60))
        ids = rng.choice(500, size=n_documents, replace=False)
        names = [f"d{each}" if kind != "unicode" else f"d{chr(200 + each)}" for each in ids.tolist()]
        scores = rng.integers(0, 8, n_documents) / 3 if kind == "ties" else rng.normal(size=n_documents)
        if kind == "float32":
            scores = 1 + 1e-9 * rng.integers(0, 5, n_documents) + rng.integers(0, 2, n_documents)
        shown = rng.random(n_documents) < 0.7
        seen = rng.random(n_documents) < 0.6
        grades = rng.integers(-1, 4, n_documents).tolist()
        if query % 9:
            run[f"q{query}"] = {
                name: score for name, score, one in zip(names, scores.tolist(), shown) if one
            } or {"x": 1.0}
        if query % 7:
            qrels[f"q{query}"] = {name: grade for name, grade, one in zip(names, grades, seen) if one} or {
                "y": 1
            }
    for grades in qrels.values():
        if max(grades.values()) < 0:  # without such a grade trec_eval reads uninitialized memory
            grades[next(iter(grades))] = 0
    return run, qrels


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["ties", "float32", "unicode"])
def test_from_run_gives_values_of_pytrec_eval(kind, seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, qrels = draw(seed, kind)
    asked = {"map", "P.10", "ndcg_cut.10", "recip_rank", "recall.5", "bpref"}
    expected = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
    y_true, y_score, groups = from_run(qrels, run, queries="both")
    y_score = y_score.astype(np.float32)
    queries = np.unique(groups).tolist()
    assert queries == sorted(expected)
    for name, theirs in MEASURES.items():
        unjudged = "drop" if name == "bpref" else "nonrelevant"
        options = {"ties": "order", "unjudged": unjudged, "average": None}
        values = ranking_scores(y_true, y_score, groups=groups, metrics=[name], **options)[name]
        np.testing.assert_allclose(values, [expected[query][theirs] for query in queries], rtol=1e-15)


# ---------------------------------------------------------------------------- files


def write_run(run, tag="t"):
    lines = []
    for query, documents in run.items():
        ranked = sorted(documents.items(), key=lambda item: (-item[1], item[0]))
        lines += [f"{query} Q0 {name} {rank} {score!r} {tag}" for rank, (name, score) in enumerate(ranked, 1)]
    return "\n".join([*lines, ""]).encode()


def write_qrels(qrels):
    return "".join(
        f"{query} 0 {name} {grade}\n" for query, names in qrels.items() for name, grade in names.items()
    ).encode()


def as_path(data, folder):
    path = folder / "a.run"
    path.write_bytes(data)
    return path


def as_gzip(data, folder):
    path = folder / "a.run.gz"
    path.write_bytes(gzip.compress(data[:100]) + gzip.compress(data[100:]))
    return path


FORMS = {
    "path": as_path,
    "name": lambda data, folder: str(as_path(data, folder)),
    "gzip": as_gzip,
    "open": lambda data, folder: io.BytesIO(data),
    "text": lambda data, folder: io.StringIO(data.decode()),
    "open gzip": lambda data, folder: io.BytesIO(gzip.compress(data)),
    "tabs": lambda data, folder: as_path(data.replace(b" ", b"\t"), folder),
    "many blanks": lambda data, folder: as_path(data.replace(b" ", b" \t "), folder),
    "of windows": lambda data, folder: as_path(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"), folder),
    "empty lines": lambda data, folder: as_path(b"\n" + data.replace(b"\n", b"\n \n\n"), folder),
    "no end": lambda data, folder: as_path(data[:-1], folder),
}


@pytest.mark.parametrize("form", FORMS)
def test_from_run_reads_files_like_dicts(form, tmp_path):
    run, qrels = draw(0, "ties")
    expected = from_run(qrels, run, return_items=True)
    (tmp_path / "judged").mkdir()
    file = FORMS[form](write_run(run), tmp_path)
    got = from_run(FORMS[form](write_qrels(qrels), tmp_path / "judged"), file, return_items=True)
    for one, other in zip(got, expected):
        np.testing.assert_array_equal(one, other)


GOOD = b"q1 Q0 a 1 2.5 t\n\nq1 Q0 b 2 1.5 t\n"


@pytest.mark.parametrize(
    ("data", "rule", "got"),
    [
        (GOOD + b"q1 Q0 c 3\n", "have the fields query Q0 document rank score tag in each line", "4 fields"),
        (
            GOOD + b"q1 Q0 c 3 1 2 u\n",
            "have the fields query Q0 document rank score tag in each line",
            "7 fi",
        ),
        (GOOD + b"q1 Q0 c 3 high t\n", "have a finite number as the score in each line", "none"),
        (GOOD + b"q1 Q0 c 3 nan t\n", "have a finite number as the score in each line", "none"),
        (GOOD + b"q1 Q0 c 3 1_0 t\n", "have a finite number as the score in each line", "none"),
        (GOOD + b"q1 Q0 \xff 3 1 t\n", "be text in UTF-8", "other bytes"),
        (GOOD + b"q1 Q0 c\0 3 1 t\n", "not contain null bytes", "one"),
        (
            GOOD + b"q1 Q0 b 3 1 t\n",
            "contain each document once per query",
            "a second document 'b' of query 'q1'",
        ),
    ],
)
def test_from_run_error_shows_the_invalid_line_of_a_run(data, rule, got, tmp_path):
    path = as_path(data, tmp_path)
    with pytest.raises(ValueError) as caught:
        from_run({"q1": {"a": 1}}, path)
    message = str(caught.value)
    assert message.startswith(f"The 'run' parameter of from_run must {rule}. Got {got}")
    assert f"in line 4 of {path}" in message


@pytest.mark.parametrize(
    ("run", "qrels", "said"),
    [
        (b"q1 0 a 1\n", b"q1 0 a 1\n", "tag in each line. Got 4 fields in line 1"),
        (b"q1 Q0 a 1 1 t\n", b"q1 Q0 a 1 1 t\n", "grade in each line. Got 6 fields in line 1"),
    ],
)
def test_from_run_rejects_swapped_open_files(run, qrels, said):
    with pytest.raises(ValueError, match=said):
        from_run(io.BytesIO(qrels), io.BytesIO(run))


def test_from_run_error_shows_the_line_of_an_invalid_grade():
    qrels = io.BytesIO(b"q1 0 a 1\nq1 0 b x\n")
    with pytest.raises(
        ValueError, match=r"'qrels' .* finite number as the grade .* line 2 of an open file, '"
    ):
        from_run(qrels, {"q1": {"a": 1}})


def test_from_run_rejects_truncated_gzip(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(write_run(draw(0, "ties")[0]))[:-20])
    with pytest.raises(ValueError, match=r"'run' .* must be a complete gzip file"):
        from_run(QRELS, path)


@pytest.mark.parametrize(
    ("run", "qrels", "words"),
    [
        ({"q": {"a": 1}}, {"q": {"a": 1, None: 1}}, r"'qrels' .* not contain missing ids"),
        ({"q": {"a": 1}}, {"q": {"a": 1, 2: 1}}, r"'qrels' .* contain ids of one type\. Got int and str"),
        ({"q": {"a": 1, 2: 1}}, {"q": {"a": 1}}, r"'run' .* contain ids of one type\. Got int and str"),
        (
            {"q": {"a": 1}},
            {"r": {"a": 1}},
            r"'run' .* contain a query of 'qrels', such as 'r' .* ids such as 'q'",
        ),
        ({}, {"r": {"a": 1}}, r"'run' .* must contain documents with scores\. Got none"),
        ({"r": {"a": 1}}, {}, r"'qrels' .* must contain documents with grades\. Got none"),
        (
            {"q": {"a": 1}},
            {1: {"a": 1}},
            r"'qrels' .* query ids of the same type as 'run', such as 'q' \(str\)\. Got 1 \(int\)",
        ),
        (
            {"q": {"a": 1}},
            {"q": {1: 1}},
            r"'qrels' .* document ids of the same type as 'run', such as 'a' \(str\)",
        ),
        (
            {"q": {"a": "x"}},
            {"q": {"a": 1}},
            r"'run' .* finite numbers as scores\. Got 'x' \(str\) for document 'a'",
        ),
        ({"q": {"a": True}}, {"q": {"a": 1}}, r"'run' .* finite numbers as scores"),
        ({"q": {"a": 1}}, {"q": {"a": INF}}, r"'qrels' .* finite numbers as grades\. Got inf for .* 'a'"),
        (
            {"q": ["a"]},
            {"q": {"a": 1}},
            r"'run' .* map each query to a mapping of documents to scores. Got list for query 'q'",
        ),
        (
            [1, 2],
            {"q": {"a": 1}},
            r"'run' .* be a path, .* objects with query_id, doc_id and score\. Got a list of other objects",
        ),
    ],
)
def test_from_run_rejects_invalid_runs_and_qrels(run, qrels, words):
    with pytest.raises(ValueError, match=words):
        from_run(qrels, run)


@pytest.mark.parametrize(
    ("option", "value"), [("queries", "all"), ("depth", 0), ("depth", 1.5), ("return_items", 1)]
)
def test_from_run_rejects_invalid_options(option, value):
    with pytest.raises(ValueError, match=f"The '{option}' parameter of from_run must"):
        from_run(QRELS, RUN, **{option: value})


def test_from_run_warns_when_ranks_of_a_file_contradict_scores(tmp_path):
    path = as_path(b"q1 Q0 a 2 2.5 t\nq1 Q0 b 1 1.5 t\n", tmp_path)
    words = (
        r"the ranks in .* contradict the scores, .* For query 'q1', document 'a' \(line 1\) has rank 2 and"
    )
    with pytest.warns(RankingWarning, match=words):
        from_run({"q1": {"a": 1}}, path)


@pytest.mark.parametrize(
    "data",
    [
        b"q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\nq0 Q0 b 1 1.5 t\n",
        b"q1 Q0 b 2 1.5 t\nq1 Q0 a 1 2.5 t\n",
        b"q1 Q0 a 2 1.5 t\nq1 Q0 b 1 1.5 t\n",
        b"q1 Q0 a 0 2.5 t\nq1 Q0 b 0 3.5 t\n",
        b"q1 Q0 a - 2.5 t\nq1 Q0 b x 3.5 t\n",
    ],
    ids=["falling", "in another order", "ties", "constant", "no numbers"],
)
def test_from_run_accepts_ranks_that_do_not_contradict_scores(data):
    assert len(from_run({"q1": {"a": 1, "b": 1}}, io.BytesIO(data))[0]) == 2


POOL = {"q": {"a": 1, "b": -1, "d": 1, "e": -2, "f": 0}}
IN_RUN = {"q": {"a": 4, "b": 3, "c": 2, "d": 1}}


@pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "in-pieces"])
def test_from_run_returns_strata_of_pooled_documents(is_cut, tmp_path, request):
    if is_cut:
        pytest.importorskip("pyarrow")
        request.getfixturevalue("monkeypatch").setattr("sklearn_rank.datasets._runs.LARGE", 1)
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text("".join(f"q Q0 {name} 0 {score} me\n" for name, score in IN_RUN["q"].items()))
    qrels.write_text("".join(f"q 0 {name} {grade}\n" for name, grade in POOL["q"].items()))
    got = from_run(qrels, run, return_items=True, return_strata=True)
    y_true, _, _, documents, strata = got
    assert documents.tolist() == ["f", "d", "c", "b", "a"]  # "e" was neither retrieved nor judged
    assert strata.tolist() == [0, 0, -1, 0, 0]
    np.testing.assert_array_equal(y_true, [0, 1, np.nan, np.nan, 1])


def test_from_run_rows_do_not_depend_on_return_strata():
    with_pool, without = from_run(POOL, IN_RUN, return_strata=True), from_run(POOL, IN_RUN)
    for one, other in zip(with_pool, without):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("number", "shown"), [("1", r"'1' \(str\)"), (True, r"True \(bool\)"), (None, "None")]
)
def test_from_run_error_shows_nonnumeric_values_with_their_type(number, shown):
    for given in (
        {"qrels": {"q": {"a": number}}, "run": {"q": {"a": 1}}},
        {"qrels": {"q": {"a": 1}}, "run": {"q": {"a": number}}},
    ):
        with pytest.raises(
            ValueError, match=f"must have finite numbers as .* Got {shown}.* for document 'a'"
        ):
            from_run(**given)


# ------------------------------------------------------------------ empty results


def draw_with_empty(seed):
    """Draw a run in which some queries have an empty result, and some are not judged."""
    rng = np.random.default_rng(seed)
    names = [f"d{n}" for n in range(12)]
    run = {
        f"q{n}": dict(zip(rng.permutation(names).tolist(), rng.random(rng.choice([0, 1, 8])).tolist()))
        for n in range(6)
    }
    qrels = {f"q{n}": dict(zip(names, rng.integers(-1, 3, size=12).tolist())) for n in range(1, 8)}
    return run | {"q1": {}, "q2": {"d0": 1.0}}, qrels | {"q2": {"d0": 1}}


@pytest.mark.parametrize("seed", range(30))
def test_from_run_counts_empty_results_like_pytrec_eval(seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, qrels = draw_with_empty(seed)
    y_true, y_score, groups = from_run(qrels=qrels, run=run, queries="both")
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg"}).evaluate(run)
    assert np.unique(groups).tolist() == sorted(expected)
    for name in ("map", "ndcg"):
        options = {"groups": groups, "metrics": [f"trec_eval:{name}"], "average": None}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankingWarning)  # queries without a relevant document
            (values,) = ranking_scores(y_true, y_score, **options).values()
        np.testing.assert_allclose(values, [expected[query][name] for query in sorted(expected)], rtol=1e-12)


EMPTY_RUN = {"q1": {}, "q2": {"d2": 0.4, "d9": 0.3}, "q3": {"d1": 1.0}}
JUDGED = {"q1": {"d1": 1}, "q2": {"d2": 1, "d3": 1}, "q3": {"d1": 2}}


class OfRanx:
    """A run as ranx holds it."""

    def keys(self):
        return EMPTY_RUN.keys()

    def to_dict(self):
        return EMPTY_RUN


@pytest.mark.parametrize("queries", ["both", "run", "judged"])
@pytest.mark.parametrize("form", [lambda: EMPTY_RUN, OfRanx])
def test_from_run_scores_a_query_with_an_empty_result_as_0(queries, form):
    y_true, y_score, groups = from_run(qrels=JUDGED, run=form(), queries=queries)
    values = ranking_scores(y_true, y_score, groups=groups, metrics=["trec_eval:map"])
    assert values == {"trec_eval:map": 0.5}  # 0, 0.5 and 1


def test_from_run_and_from_recommendations_agree_on_empty_results():
    lists = {query: sorted(names, key=names.get, reverse=True) for query, names in EMPTY_RUN.items()}
    rows = from_run(qrels=JUDGED, run=EMPTY_RUN), from_recommendations(relevant=JUDGED, recommended=lists)
    of_run, of_lists = (
        ranking_scores(y_true, y_score, groups=groups, metrics=["map", "recall@1"], unjudged="nonrelevant")
        for y_true, y_score, groups in rows
    )
    assert of_run == of_lists


def test_from_run_drops_an_empty_result_of_an_unjudged_query():
    groups = from_run(qrels={"q2": {"a": 1}}, run={"q1": {}, "q2": {"a": 1.0}}, queries="run")[2]
    assert groups.tolist() == ["q2"]


def test_from_run_accepts_a_run_with_only_empty_results():
    y_true, y_score, groups = from_run(qrels={"q": {"a": 1}}, run={"q": {}})
    assert (y_true.tolist(), y_score.tolist(), groups.tolist()) == ([1], [-INF], ["q"])


def test_from_run_ignores_queries_without_judged_documents():
    groups = from_run(qrels={"q1": {}, "q2": {"a": 1}}, run={"q1": {"a": 1.0}, "q2": {"a": 1.0}})[2]
    assert groups.tolist() == ["q2"]  # as pytrec_eval does
