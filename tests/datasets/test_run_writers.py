"""Runs and qrels that are written and read back."""

import gzip
import io

import numpy as np
import pytest

from sklearn_rank import from_run
from sklearn_rank.datasets import to_qrels, to_run
from tests.datasets.test_runs import draw

pytestmark = pytest.mark.filterwarnings("ignore:.*the run has no document for")


@pytest.mark.parametrize("name", ["a.run", "a.run.gz"])
@pytest.mark.parametrize("kind", ["ties", "float32", "unicode"])
def test_from_run_reads_back_rows_of_to_run_and_to_qrels(kind, name, tmp_path):
    run, qrels = draw(3, kind)  # Each query has a grade >= 0, because rows without one are not written.
    qrels = {query: {each: abs(grade) for each, grade in names.items()} for query, names in qrels.items()}
    rows = from_run(qrels, run, return_items=True)
    order = np.random.default_rng(0).permutation(len(rows[0]))
    y_true, y_score, groups, documents = (column[order] for column in rows)
    to_run(y_score, groups, documents, tmp_path / name)
    to_qrels(y_true, groups, documents, str(tmp_path / f"of_{name}"))
    got = from_run(tmp_path / f"of_{name}", tmp_path / name, return_items=True)
    for one, other in zip(got, rows):
        np.testing.assert_array_equal(one, other)
    if name.endswith("gz"):
        assert gzip.decompress((tmp_path / name).read_bytes()).startswith(b"q")


def test_run_writer_writes_ranked_lines():
    file = io.BytesIO()
    scores = [0.1, np.float32(0.1), 1e-300, -np.inf, 3]
    to_run(scores, [2, 2, 2, 2, 10], ["a", "b", "c", "d", "a"], file)
    assert file.getvalue().decode().splitlines() == [
        "10 Q0 a 1 3.0 sklearn-rank",
        "2 Q0 b 1 0.10000000149011612 sklearn-rank",
        "2 Q0 a 2 0.1 sklearn-rank",
        "2 Q0 c 3 1e-300 sklearn-rank",
    ]


def test_qrels_writer_writes_judged_lines():
    file = io.BytesIO()
    to_qrels([1, 0.5, np.nan, -1], ["q"] * 4, [1, 2, 3, 4], file)
    assert file.getvalue().decode().splitlines() == ["q 0 1 1", "q 0 2 0.5", "q 0 4 -1"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"documents": ["a", "b c"]},
            r"'documents' .* contain only non-empty UTF-8 text without blanks and null bytes. Got 'b c'",
        ),
        ({"documents": ["a", ""]}, r"'documents' .* not contain empty ids"),
        (
            {"documents": ["a", "a"]},
            r"'documents' .* contain each document once per query. Got 'a' twice for query 'q'",
        ),
        ({"groups": ["q", None]}, r"'groups' .* not contain missing ids"),
        ({"groups": ["q"]}, r"'groups' .* one id per row .2 rows."),
        (
            {"y_score": [1, np.nan]},
            r"'y_score' .* be finite, or -inf for documents that were not retrieved. Got nan",
        ),
        ({"tag": "my run"}, r"'tag' .* must be non-empty UTF-8 text without blanks"),
        ({"path": 3}, r"'path' .* be a path or an open binary file. Got 3"),
    ],
)
def test_run_writer_rejects_invalid_input_and_writes_no_file(change, words, tmp_path):
    path = tmp_path / "a.run"
    given = {"y_score": [1, 2], "groups": ["q", "q"], "documents": ["a", "b"], "path": path} | change
    with pytest.raises(ValueError, match=words):
        to_run(**given)
    assert not path.exists()


def test_qrels_writer_rejects_infinite_labels_and_writes_no_file(tmp_path):
    with pytest.raises(ValueError, match=r"'y_true' parameter of to_qrels must be finite"):
        to_qrels([np.inf], ["q"], ["a"], tmp_path / "a")
    assert not (tmp_path / "a").exists()
