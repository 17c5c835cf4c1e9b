"""`exclude` of from_run removes pairs of queries and documents from qrels and run."""

import pandas as pd
import pytest

from sklearn_rank import from_run

QRELS = {"q1": {"a": 1, "b": 0, "c": 2, "f": -1}, "q2": {"d": 1}, "q3": {"a": 1}}
RUN = {"q1": {"a": 3.0, "b": 2.0, "x": 1.0}, "q2": {"d": 2.0, "e": 1.0}, "q3": {"b": 1.0}}
EXCLUDED = {"q1": ["a", "f", "unknown"], "q2": ["d"], "q9": ["a"]}
PAIRS = [(query, name) for query, names in EXCLUDED.items() for name in names]


def as_qrels(folder):
    path = folder / "seen.txt"
    path.write_text("".join(f"{query} 0 {name} {place % 2}\n" for place, (query, name) in enumerate(PAIRS)))
    return path


FORMS = {
    "lists": lambda folder: EXCLUDED,
    "grades": lambda folder: {query: dict.fromkeys(names, 0) for query, names in EXCLUDED.items()},
    "a frame": lambda folder: pd.DataFrame(PAIRS, columns=["qid", "docno"]),
    "a file": as_qrels,
}


def keep_others(table):
    """Remove the pairs from a mapping."""
    return {
        query: {name: number for name, number in numbers.items() if name not in EXCLUDED.get(query, ())}
        for query, numbers in table.items()
    }


def list_rows(rows):
    return [[str(each) for each in column.tolist()] for column in rows]  # nan equals nan


@pytest.mark.parametrize("queries", ["both", "judged", "run"])
@pytest.mark.parametrize("depth", [None, 1])
@pytest.mark.parametrize("form", FORMS)
def test_excluded_pairs_are_removed_from_both_sides(form, depth, queries, tmp_path):
    options = {"queries": queries, "depth": depth, "return_items": True}
    expected = from_run(keep_others(QRELS), keep_others(RUN), **options)
    rows = from_run(QRELS, RUN, exclude=FORMS[form](tmp_path), **options)
    assert list_rows(rows) == list_rows(expected)


def test_excluded_pairs_are_removed_from_files(tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("q1 0 a 1\nq1 0 b 1\nq2 0 a 1\n")
    run.write_text("q1 Q0 a 1 2.0 t\nq2 Q0 a 1 2.0 t\nq2 Q0 b 2 1.0 t\n")
    _, y_score, groups, items = from_run(qrels, run, exclude={"q1": ["a"]}, return_items=True)
    assert (groups.tolist(), items.tolist()) == (["q1", "q2", "q2"], ["b", "b", "a"])
    assert y_score.tolist() == [-float("inf"), 1, 2]


def test_excluded_documents_are_not_missed():
    *_, missed = from_run(QRELS, RUN, exclude={"q1": ["c"]}, return_missed=True)
    assert (missed.ids.tolist(), missed.labels.tolist()) == (["q3"], [1])


@pytest.mark.parametrize(
    ("exclude", "rule"),
    [
        ({"q1": "a"}, "must map each query to a collection of documents. Got str for query 'q1'"),
        ({"q1": 1}, "must map each query to a collection of documents. Got int for query 'q1'"),
        ({"q1": [1]}, "must contain document ids of the same type as 'run'"),
        (3, "must be a path, an open file"),
        (pd.DataFrame({"qid": ["q1"]}), "must have one column 'document'"),
    ],
)
def test_errors_name_exclude(exclude, rule):
    with pytest.raises(ValueError, match=f"'exclude' parameter of from_run {rule}"):
        from_run(QRELS, RUN, exclude=exclude)


@pytest.mark.parametrize(
    ("qrels", "rule"),
    [
        ({"q1": {"a": 1}}, "'qrels' .* contain documents with grades. Got only excluded ones"),
        ({"q1": {"a": 1}, "q2": {"d": 1}}, "query of 'qrels', such as 'q2'.*Got query ids such as 'q1'"),
    ],
)
def test_errors_name_queries_with_documents_that_are_not_excluded(qrels, rule):
    with pytest.raises(ValueError, match=rule):
        from_run(qrels, {"q1": {"a": 1.0}}, exclude={"q1": ["a"]})
