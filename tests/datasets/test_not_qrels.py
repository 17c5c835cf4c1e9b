"""Files that are not judgments, such as ratings, are refused."""

import random

import pytest

from sklearn_rank import evaluate_runs, from_run, mrr_score
from sklearn_rank._cli import main

# Ratings of MovieLens: user, item, rating and time. Each user rates one item.
RATINGS = [(user, 1000 + 7 * user % 300, 1 + user % 5, 880_000_000 + user) for user in range(200)]
SIGNS = {
    "times": (RATINGS, "the grade 880000199"),
    "items": (
        [(*row[:3], 1) for row in RATINGS],
        "200 different entries in the second field and 5 documents",
    ),
}
# The rated item is at rank 1 + user % 4, so the mean reciprocal rank is (1 + 1/2 + 1/3 + 1/4) / 4.
MRR = (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4


@pytest.fixture(params=SIGNS)
def files(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ratings, sign = SIGNS[request.param]
    write("u.data", ratings, "\t")
    lines = []
    for user, item, *_ in ratings:
        top = [f"x{place}" for place in range(4)] + ["1", "3"]
        top[user % 4] = item
        lines += [(user, "Q0", name, 0, -place, "a") for place, name in enumerate(top)]
    write("a.run", lines)
    return sign


def write(path, rows, blank=" "):
    with open(path, "w") as file:
        file.writelines(f"{blank.join(map(str, row))}\n" for row in rows)


@pytest.mark.parametrize(
    "read",
    [lambda *given: from_run(*given), lambda qrels, run: evaluate_runs(qrels, {"a": run}, metrics=["mrr"])],
)
def test_ratings_are_refused_as_qrels(read, files):
    with pytest.raises(
        ValueError, match=rf"must have judgments.* Got {files} in u.data instead.*columns=\{{'query'"
    ):
        read("u.data", "a.run")


def test_evaluate_command_refuses_ratings_as_qrels(files, capsys):
    assert main(["evaluate", "u.data", "a.run"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(
        "sklearn-rank: u.data: must have judgments, query iteration document grade, in each line, got "
        f"{files}"
    )
    assert err.endswith("pass --qrels-columns query=user,document=item,grade=rating\n")


def test_trec_eval_format_keeps_the_value_for_ratings_with_a_warning(files, capsys):
    with open("u.data") as file:  # the rating, from 1 to 5, is read as the document
        documents = {user: name for user, _, name, _ in map(str.split, file)}
    with open("a.run") as file:
        ranks = [1 - int(row[4]) for row in map(str.split, file) if documents[row[0]] == row[2]]
    expected = sum(1 / rank for rank in ranks) / len(RATINGS)
    assert main(["evaluate", "u.data", "a.run", "--format", "trec_eval", "-m", "recip_rank"]) == 0
    found = capsys.readouterr()
    assert found.out == f"{'recip_rank':<22}\tall\t{expected:6.4f}\n"
    assert found.err.startswith(
        f"sklearn-rank: warning: u.data does not look like judgments: it has {files}. The"
    )


def test_ratings_with_column_names_have_the_right_value(files, capsys):
    with open("u.data") as file:
        text = file.read()
    with open("u.data", "w") as file:
        file.write(f"who\tfilm\tstars\ttime\n{text}")
    columns = {"query": "who", "document": "film", "grade": "stars"}
    y_true, y_score, groups = from_run("u.data", "a.run", columns=columns)
    value = mrr_score(y_true, y_score, groups=groups, unjudged="nonrelevant")
    words = ["--qrels-columns", ",".join(f"{key}={name}" for key, name in columns.items())]
    assert main(["evaluate", "u.data", "a.run", *words, "-m", "mrr"]) == 0
    assert value == pytest.approx(MRR)
    assert capsys.readouterr().out.split()[-1] == f"{MRR:.4f}"


def draw_qrels(seed):
    """Draw ordinary judgments: the second field is constant, an assessor, a round or a subtopic."""
    rng = random.Random(seed)
    seconds = rng.choice([["0"], ["Q0"], [str(n) for n in range(6)], [f"NIST{n}" for n in range(20)]])
    n_documents = rng.choice([2, 5, 30, 1000])
    highest = rng.choice([1, 3, 100, 10**6])
    return [
        (query, rng.choice(seconds), f"d{place}", rng.randint(-1, highest))
        for query in range(rng.randint(1, 60))
        for place in rng.sample(range(n_documents), rng.randint(1, min(n_documents, 20)))
    ]


@pytest.mark.parametrize(
    "start", [pytest.param(start, marks=pytest.mark.slow) for start in range(0, 1000, 250)]
)
def test_ordinary_judgments_are_read(start, tmp_path):
    for seed in range(start, start + 250):
        rows, run = draw_qrels(seed), {}
        write(tmp_path / "a.qrels", rows)
        for place, (query, _, document, _) in enumerate(rows):
            run.setdefault(str(query), {})[document] = 1 / (1 + place)
        assert len(from_run(tmp_path / "a.qrels", run)[0])


MSLR = "2 qid:1 {}\n0 qid:1 {}\n"


@pytest.mark.parametrize("n_features", [1, 2, 136])
@pytest.mark.parametrize("run", ["scores.txt", "a.run"])
def test_evaluate_command_names_the_format_of_svmlight_files(run, n_features, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    features = " ".join(f"{place}:0.5" for place in range(1, n_features + 1))
    (tmp_path / "test.txt").write_text(MSLR.format(features, features))
    (tmp_path / "scores.txt").write_text("2\n1.5\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 1 x\n")
    assert main(["evaluate", "test.txt", run]) == 1
    assert "pass --input svmlight" in capsys.readouterr().err
    if run == "scores.txt":
        assert main(["evaluate", "test.txt", run, "--input", "svmlight", "-m", "mrr"]) == 0


def test_from_run_names_the_reader_of_svmlight_files(tmp_path):
    (tmp_path / "test.txt").write_text(MSLR.format("1:3 2:1 3:5", "1:3"))
    with pytest.raises(ValueError, match="Read it by load_svmlight_ranking"):
        from_run(tmp_path / "test.txt", {"1": {"a": 1.0}})
