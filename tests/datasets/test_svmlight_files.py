"""Several files in svmlight format, and files with the sizes of queries."""

import io
import re

import numpy as np
import pytest
from scipy.sparse import vstack
from sklearn.datasets import dump_svmlight_file, load_svmlight_file, load_svmlight_files
from sklearn.linear_model import Ridge
from sklearn.model_selection import PredefinedSplit

from sklearn_rank import GridSearchCV, ndcg_score
from sklearn_rank._cli import main
from sklearn_rank.datasets import load_svmlight_ranking, make_ranking

WITHOUT_IDS = b"2 1:0.5 3:1 # a\n0 2:0.25 # b\n1 1:1 # c\n"


def dump(path, X, y, groups, zero_based=False):
    dump_svmlight_file(X, y, str(path), zero_based=zero_based, query_id=groups)
    return path


@pytest.fixture(params=[False, True], ids=["from 1", "from 0"])
def fold(request, tmp_path):
    """Return the files of a fold; the last one has no value of the last feature, nor of the first."""
    X, y, groups = make_ranking(n_queries=12, n_documents=5, random_state=0)
    X[groups >= 8, 0] = X[groups >= 8, -1] = 0
    parts = {"train": groups < 4, "vali": (groups >= 4) & (groups < 8), "test": groups >= 8}
    return [
        dump(tmp_path / name, X[rows], y[rows], groups[rows], request.param) for name, rows in parts.items()
    ]


def test_files_of_a_fold_are_concatenated_as_scikit_learn_reads_them(fold):
    X, y, groups, source = load_svmlight_ranking(fold, return_source=True)
    parts = load_svmlight_files(list(map(str, fold)), query_id=True)
    np.testing.assert_array_equal(X.toarray(), vstack(parts[::3]).toarray())
    np.testing.assert_array_equal(y, np.concatenate(parts[1::3]))
    np.testing.assert_array_equal(groups, np.concatenate(parts[2::3]))
    assert source.tolist() == [0] * 20 + [1] * 20 + [2] * 20


def test_one_file_has_the_source_0(fold):
    *_, source = load_svmlight_ranking(fold[0], return_source=True)
    assert source.tolist() == [0] * 20
    assert len(load_svmlight_ranking(fold[:1])) == 3


def test_rows_without_features_are_read_as_by_scikit_learn():
    data = b"1 qid:1\n0 qid:1\n"
    X, y, groups = load_svmlight_ranking(io.BytesIO(data))
    assert X.shape == load_svmlight_file(io.BytesIO(data))[0].shape
    assert (y.tolist(), groups.tolist()) == ([1, 0], [1, 1])


def test_documents_precede_the_source():
    found = load_svmlight_ranking(
        [io.BytesIO(b"1 qid:1 1:1 # a\n"), io.BytesIO(b"0 qid:2 1:1 # bc\n")],
        return_items=True,
        return_source=True,
    )
    assert [each.tolist() for each in found[3:]] == [["a", "bc"], [0, 1]]


@pytest.mark.parametrize("places", [(0, 1, 0), (2, 1, 2)])
def test_query_in_two_files_raises_an_error(places, fold):
    with pytest.raises(ValueError, match=r"'path' .* each query in one file. Got query \d+ in .* and .*"):
        load_svmlight_ranking([fold[place] for place in places])


def test_error_names_the_file_of_several():
    files = [io.BytesIO(b"1 qid:1 1:1\n"), io.BytesIO(b"1 qid:2 1:1\n1 qid:2 1:x\n")]
    files[1].name = "vali.txt"
    with pytest.raises(ValueError, match=r"'path' .* svmlight format.*in line 2 of vali\.txt"):
        load_svmlight_ranking(files)


def test_n_features_must_not_be_too_small(fold):
    n_features = load_svmlight_ranking(fold)[0].shape[1]
    assert load_svmlight_ranking(fold, n_features=n_features + 2)[0].shape == (60, n_features + 2)
    with pytest.raises(ValueError, match=f"'n_features' .* at least {n_features}, .*Got {n_features - 1}"):
        load_svmlight_ranking(fold, n_features=n_features - 1)


# ------------------------------------------------------------------ sizes


def read_sizes(*texts, rows=WITHOUT_IDS):
    """Load as many files of rows as there are texts of sizes."""
    files, sizes = [io.BytesIO(rows) for _ in texts], list(map(io.BytesIO, texts))
    return load_svmlight_ranking(files, sizes=sizes, return_items=True, return_source=True)


@pytest.mark.parametrize("text", [b"2\n1\n", b"2\r\n1", b"\n2\n\n 1 \n\n"])
def test_sizes_number_the_queries(text, tmp_path):
    _, y, groups, documents, _ = read_sizes(text)
    assert (y.tolist(), groups.tolist(), documents.tolist()) == ([2, 0, 1], [0, 0, 1], ["a", "b", "c"])
    (tmp_path / "rank.train").write_bytes(WITHOUT_IDS)
    (tmp_path / "rank.train.query").write_bytes(text)
    path = tmp_path / "rank.train"
    assert load_svmlight_ranking(path, sizes=f"{path}.query")[2].tolist() == [0, 0, 1]


def test_queries_of_several_files_have_different_numbers():
    _, _, groups, _, source = read_sizes(b"2\n1\n", b"3\n0\n", b"0\n1\n2\n")
    assert (groups[:6].tolist(), source.tolist()) == ([0, 0, 1, 2, 2, 2], [0] * 3 + [1] * 3 + [2] * 3)
    assert len(np.unique(groups)) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"2\n2\n", "the number of rows of each query, in all 3 rows. Got a sum of 4 in an open file"),
        (b"2\nx\n", "have an integer >= 0 in each line. Got none in line 2 of an open file, 'x'"),
        (b"2\n-1\n2\n", "have an integer >= 0 in each line. Got none in line 2 of an open file, '-1'"),
        (b"", "in all 3 rows. Got a sum of 0"),
        (b"1" * 5000, "have an integer >= 0 in each line. Got none in line 1 of an open file"),
    ],
)
def test_sizes_must_be_those_of_the_rows(text, words):
    with pytest.raises(ValueError, match=f"'sizes' parameter of load_svmlight_ranking must .*{words}"):
        read_sizes(text)


def test_sizes_and_query_ids_exclude_each_other():
    with pytest.raises(
        ValueError, match=r"'sizes' .* be left out if lines have a qid. Got a file for an open"
    ):
        read_sizes(b"1\n", rows=b"1 qid:1 1:1\n")


def test_each_file_needs_its_sizes():
    with pytest.raises(ValueError, match=r"'sizes' .* have a file for each file of 'path' \(2\). Got 1"):
        load_svmlight_ranking([io.BytesIO(WITHOUT_IDS)] * 2, sizes=io.BytesIO(b"2\n1\n"))


@pytest.mark.parametrize(
    ("option", "value", "got"),
    [
        ("path", [], r"\[\]"),
        ("path", ["a", 3], r"\['a', 3\]"),
        ("sizes", [2, 1], r"\[2, 1\]"),
        ("sizes", 3, "3"),
    ],
)
def test_files_must_be_paths_or_open_files(option, value, got):
    given = {"path": io.BytesIO(WITHOUT_IDS), option: value}
    with pytest.raises(ValueError, match=f"'{option}' .* be a path, an open file, or a list .* Got {got}"):
        load_svmlight_ranking(**given)


def test_error_without_ids_shows_sizes_that_work(tmp_path):
    (tmp_path / "sizes").write_text("2\n1\n")
    with pytest.raises(ValueError, match=r"have a qid in each line.* pass sizes=path\."):
        load_svmlight_ranking(io.BytesIO(WITHOUT_IDS))
    assert load_svmlight_ranking(io.BytesIO(WITHOUT_IDS), sizes=tmp_path / "sizes")[2].tolist() == [0, 0, 1]


# ------------------------------------------------------------------ command line


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rank.test").write_bytes(WITHOUT_IDS)
    (tmp_path / "rank.test.query").write_text("2\n1\n")
    (tmp_path / "with_ids.svm").write_text("2 qid:0 1:1\n0 qid:0 1:1\n1 qid:1 1:1\n")
    (tmp_path / "scores.txt").write_text("1\n2\n3\n")
    return tmp_path


def test_command_reads_sizes(folder, capsys):
    outputs = []
    for words in (["with_ids.svm"], ["rank.test", "--sizes", "rank.test.query"]):
        assert main(["evaluate", *words, "scores.txt", "-m", "ndcg@3", "-m", "mrr", "-q"]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rank.test", "--input", "svmlight"], "have a qid in each line.* pass --sizes FILE"),
        (["rank.test", "--sizes", "scores.txt"], "scores.txt: must .* in all 3 rows, got a sum of 6"),
        (["with_ids.svm", "--sizes", "rank.test.query"], "rank.test.query: must be left out if lines have a"),
        (["rank.test", "--sizes", "none"], "none: No such file"),
    ],
)
def test_command_rejects_wrong_sizes(words, message, folder, capsys):
    assert main(["evaluate", *words, "scores.txt"]) == 1
    assert re.search(message, capsys.readouterr().err)


# ------------------------------------------------------------------ official folds


def test_predefined_split_selects_on_the_validation_file(fold):
    X, y, qid, source = load_svmlight_ranking(fold, return_source=True)
    X, (train, vali) = X.toarray(), (source == 0, source == 1)
    grid = {"alpha": [0.1, 1e3, 1e6]}
    search = GridSearchCV(
        Ridge(), grid, scoring="ndcg@3", cv=PredefinedSplit(source[source < 2] - 1), refit=False
    )
    search.fit(X[source < 2], y[source < 2], groups=qid[source < 2])
    scores = [
        ndcg_score(
            y[vali], Ridge(alpha=alpha).fit(X[train], y[train]).predict(X[vali]), groups=qid[vali], k=3
        )
        for alpha in grid["alpha"]
    ]
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(scores, abs=1e-12)
    model = Ridge().set_params(**search.best_params_).fit(X[train], y[train])
    assert model.alpha == grid["alpha"][int(np.argmax(scores))]
