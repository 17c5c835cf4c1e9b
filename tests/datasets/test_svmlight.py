"""Files in the svmlight format, with documents in comments."""

import gzip
import io

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from sklearn_rank.datasets import load_svmlight_ranking

LETOR = b"""# a header
2 qid:10 1:0.5 3:1 #docid = GX000-00 inc = 1 prob = 0.02
0 qid:10 2:0.25 # docid: GX000-01

1 qid:11 1:1 # GX000-02 and more
"""


@pytest.mark.parametrize("form", ["path", "name", "gzip", "open", "open gzip"])
def test_load_svmlight_ranking_reads_features_labels_and_documents(form, tmp_path):
    path = tmp_path / "letor.txt"
    data = gzip.compress(LETOR) if "gzip" in form else LETOR
    path.write_bytes(data)
    given = io.BytesIO(data) if "open" in form else str(path) if form == "name" else path
    X, y, groups, documents = load_svmlight_ranking(given, return_items=True)
    np.testing.assert_array_equal(X.toarray(), [[0.5, 0, 1], [0, 0.25, 0], [1, 0, 0]])
    assert (y.tolist(), groups.tolist()) == ([2, 0, 1], [10, 10, 11])
    assert documents.tolist() == ["GX000-00", "GX000-01", "GX000-02"]


def test_load_svmlight_ranking_reads_files_written_by_scikit_learn(tmp_path):
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(20, 4)), rng.integers(0, 3, 20), np.repeat(np.arange(5), 4)
    dump_svmlight_file(X, y, str(tmp_path / "a"), zero_based=False, query_id=groups)
    got = load_svmlight_ranking(tmp_path / "a")
    np.testing.assert_allclose(got[0].toarray(), X, rtol=1e-15)
    np.testing.assert_array_equal(got[1], y)
    np.testing.assert_array_equal(got[2], groups)


def test_load_svmlight_ranking_uses_n_features():
    assert load_svmlight_ranking(io.BytesIO(LETOR), n_features=7)[0].shape == (3, 7)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            LETOR + b"1 qid:11 1:x # a\n",
            r"be in svmlight format.*line 6 of an open file, '1 qid:11 1:x # a'",
        ),
        (
            LETOR + b"1 qid:99999999999999999999 1:3 # a\n",
            r"be in svmlight format.*line 6 of an open file, '1 qid:9",
        ),
        (
            LETOR + b"1 1:3 # a\n",
            r"have a qid in each line\. Got none in line 6 of an open file, '1 1:3 # a'",
        ),
        (LETOR + b"1 qid:11 1:3\n", r"have the document of each line in a comment\. Got none in line 6 of"),
        (b"", r"contain rows with a qid\. Got none in an open file"),
    ],
)
def test_load_svmlight_ranking_error_shows_the_invalid_line(data, words):
    with pytest.raises(ValueError, match=f"'path' parameter of load_svmlight_ranking must {words}"):
        load_svmlight_ranking(io.BytesIO(data), return_items=True)


@pytest.mark.parametrize(("option", "value"), [("path", 3), ("n_features", 0), ("return_items", 1)])
def test_load_svmlight_ranking_rejects_invalid_options(option, value):
    given = {"path": io.BytesIO(LETOR)} | {option: value}
    with pytest.raises(ValueError, match=f"'{option}' parameter of load_svmlight_ranking must"):
        load_svmlight_ranking(**given)


@pytest.mark.parametrize("word", [b"1:" + b"x" * 400, b"x" * 400 + b":1"])
def test_svmlight_error_names_the_line_when_its_words_are_long(word):
    with pytest.raises(
        ValueError, match=r"an error of scikit-learn .* in line 2 of an open file, "
    ) as caught:
        load_svmlight_ranking(io.BytesIO(b"1 qid:1 1:0.5\n1 qid:1 " + word + b"\n"))
    assert len(str(caught.value)) <= 350
