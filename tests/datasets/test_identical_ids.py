"""from_run with documents whose id is the id of the query."""

import io

import numpy as np
import pytest

from sklearn_rank import from_run, ranking_scores

QRELS = {"a": {"b": 1, "a": 2}, "b": {"c": 1}, "c": {"d": 1}}
RUN = {"a": {"a": 3.0, "b": 2.0, "c": 1.0}, "b": {"b": 1.0, "c": 0.5}, "c": {"c": 1.0}}
WITHOUT = {
    query: {name: score for name, score in documents.items() if name != query}
    for query, documents in RUN.items()
}


def as_file(run):
    lines = [
        f"{query} Q0 {name} 1 {score} t\n" for query, each in run.items() for name, score in each.items()
    ]
    return io.BytesIO("\n".join(lines).encode())  # with blank lines


@pytest.mark.parametrize("form", [dict, as_file])
@pytest.mark.parametrize(
    "options", [{}, {"depth": 1}, {"queries": "judged"}, {"return_strata": True}], ids=str
)
def test_identical_ids_are_removed_before_other_options(options, form):
    got = from_run(QRELS, form(RUN), ignore_identical_ids=True, return_items=True, **options)
    expected = from_run(QRELS, WITHOUT, return_items=True, **options)
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_identical_ids_are_removed_from_large_files(tmp_path, monkeypatch):
    monkeypatch.setattr("sklearn_rank.datasets._runs.LARGE", 1)
    (tmp_path / "run").write_bytes(as_file(RUN).getvalue())
    qrels = tmp_path / "qrels"
    qrels.write_text("a 0 b 1\na 0 a 2\nb 0 c 1\nc 0 d 1\n")
    got = from_run(qrels, tmp_path / "run", ignore_identical_ids=True)
    for mine, theirs in zip(got, from_run(QRELS, WITHOUT), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_query_with_only_its_own_document_counts_as_0():
    y_true, y_score, groups = from_run(QRELS, RUN, ignore_identical_ids=True)
    values = ranking_scores(y_true, y_score, groups=groups, metrics=["beir:Recall@1"], average=None)
    assert values["beir:Recall@1"].tolist() == [0.5, 1, 0]


def test_integer_ids_are_compared():
    items = from_run({1: {2: 1}}, {1: {1: 3.0, 2: 2.0}}, ignore_identical_ids=True, return_items=True)[3]
    assert items.tolist() == [2]


def test_query_ids_and_document_ids_of_other_types_raise_error():
    rule = r"be False if ids .* differ in type\. Got True for 1 \(int\) and 'a' \(str\)"
    with pytest.raises(ValueError, match=rule):
        from_run({1: {"a": 1}}, {1: {"a": 3.0}}, ignore_identical_ids=True)


def test_ignore_identical_ids_must_be_a_bool():
    with pytest.raises(
        ValueError, match="'ignore_identical_ids' parameter of from_run must be True or False"
    ):
        from_run(QRELS, RUN, ignore_identical_ids="yes")
