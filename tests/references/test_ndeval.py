"""Judgments of subtopics in files, compared with ndeval, the program of the TREC web track."""

import json
from itertools import count

import numpy as np
import pytest

from sklearn_rank._cli import main

NAMES = {
    "alpha_ndcg@10": "alpha-nDCG@10",
    "alpha_ndcg@5(normalize=bound)": "alpha-DCG@5",
    "nrbp": "NRBP",
    "nrbp(normalize=ideal)": "nNRBP",
    "subtopic_recall@10": "strec@10",
}
OF_MARKS = {  # ndeval's labels are 0 and 1
    "err_ia@10(max_grade=1, normalize=bound)": "ERR-IA@10",
    "err_ia@20(max_grade=1, normalize=ideal)": "nERR-IA@20",
}
PLAIN = {"n_subtopics": (4, 4), "grades": (0, 0, 1), "digits": 9, "judged": 0.8, "missing": 0.0}
SHAPES = {
    "plain": {},
    "tied scores": {"digits": 0},
    "one subtopic in most topics": {"n_subtopics": (2, 1)},
    "many subtopics": {"n_subtopics": (12, 12), "grades": (0, 0, 0, 1)},
    "grades and negative judgments": {"grades": (-2, 0, 0, 1, 2, 3)},
    "few judgments": {"judged": 0.2},
    "missing topics": {"missing": 0.4},
    "few relevant documents": {"grades": (0,) * 30 + (1,)},
}
Row = tuple[str, str, str, int]


def draw(
    seed, n_subtopics, grades, digits, judged, missing
) -> tuple[list[Row], list[tuple[str, str, float]]]:
    """Draw judgments (topic, subtopic, document, grade), and a run (topic, document, score).

    The first of two numbers of subtopics is that of the first topic.
    Names of documents begin with their labels, because among documents of equal gain ndeval's best list takes
    the greatest name and ours the greatest labels.
    """
    rng = np.random.default_rng(seed)
    qrels, run, numbers = [], [], count()
    for topic in map(str, range(101, 121)):
        seen, shown = (rng.random(2) >= missing) | (topic == "101")
        labels = rng.choice(grades, (int(rng.integers(1, 40)), n_subtopics[topic > "101"]))
        for row, is_judged in zip(labels, rng.random(len(labels)) < judged):
            marks = (row >= 1) & is_judged
            name = "".join(map(str, marks.astype(int))) + f"-{next(numbers):05d}"
            if seen and is_judged:
                qrels += [(topic, f"{place:02d}", name, grade) for place, grade in enumerate(row.tolist())]
            if shown and rng.random() < 0.8:
                run.append((topic, name, round(rng.normal(), digits)))
    return qrels, run


def ask_ndeval(qrels, run):
    """Return the values of each topic. As in ndeval -traditional, tied documents are in decreasing order."""
    pyndeval = pytest.importorskip("pyndeval")
    ranked = sorted(run, key=lambda row: (row[0], row[2], row[1]), reverse=True)
    ranks = [(topic, name, -rank) for rank, (topic, name, _) in enumerate(ranked)]
    return pyndeval.ndeval(qrels, ranks, measures=[*NAMES.values(), *OF_MARKS.values()])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES)
def test_evaluate_command_matches_ndeval_on_files(shape, seed, tmp_path, capsys):
    qrels, run = draw(seed, **PLAIN | SHAPES[shape])
    theirs = ask_ndeval(qrels, run)
    (tmp_path / "a.qrels").write_text("".join(f"{' '.join(map(str, row))}\n" for row in qrels))
    (tmp_path / "a.run").write_text("".join(f"{topic} Q0 {name} 0 {score} x\n" for topic, name, score in run))
    names = NAMES | ({} if max(grade for *_, grade in qrels) > 1 else OF_MARKS)
    words = [word for name in names for word in ("-m", name)]
    files = [str(tmp_path / "a.qrels"), str(tmp_path / "a.run")]
    options = ["-q", "--drop-missing", "--ties", "order", "--format", "json"]
    assert main(["evaluate", *files, *options, *words]) == 0
    *rows, mean = json.loads(capsys.readouterr().out)
    assert [row["query"] for row in rows] == sorted(theirs)
    for name, measure in names.items():
        # ndeval divides 0 by 0 for topics without a relevant document.
        expected = np.nan_to_num([theirs[row["query"]][measure] for row in rows])
        np.testing.assert_allclose([row[name] for row in rows], expected, rtol=0, atol=1e-12, err_msg=name)
        assert mean[name] == pytest.approx(expected.mean(), abs=1e-12)
