"""Swapped runs and judgments: types raise errors, values raise warnings, ordinary data is accepted."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import (
    RankingWarning,
    from_interactions,
    from_recommendations,
    from_run,
    from_score_matrix,
)
from tests.datasets.test_run_objects import OfRanx, ScoredDoc, TrecQrel, as_objects, make_frame

FIX = "If the arguments are swapped, pass from_run(qrels, run)."
QRELS, RUN = {"q": {"a": 1, "b": 0}}, {"q": {"a": 0.5, "b": 0.25}}


class Qrels(OfRanx):
    """The class of judgments of ranx."""


class Run(OfRanx):
    """The class of runs of ranx."""


SWAPPED = {
    "ranx.Qrels as run": lambda: from_run(qrels=QRELS, run=Qrels(QRELS)),
    "ranx.Run as qrels": lambda: from_run(qrels=Run(RUN), run=RUN),
    "ir_measures.Qrel as run": lambda: from_run(qrels=QRELS, run=as_objects(QRELS, TrecQrel, "0")),
    "ir_measures.ScoredDoc as qrels": lambda: from_run(qrels=as_objects(RUN, ScoredDoc), run=RUN),
    "data set of ir_datasets as run": lambda: from_run(
        qrels=QRELS, run=SimpleNamespace(qrels_iter=lambda: as_objects(QRELS, TrecQrel, "0"))
    ),
    "frame of grades as run": lambda: from_run(
        qrels=QRELS, run=make_frame("pandas", {"query": ["q"], "document": ["a"], "grade": [1]})
    ),
    "frame of scores as qrels": lambda: from_run(
        qrels=make_frame("pandas", {"query": ["q"], "document": ["a"], "score": [1]}), run=RUN
    ),
}


@pytest.mark.parametrize("form", SWAPPED)
def test_from_run_raises_when_types_show_a_swap(form):
    with pytest.raises(ValueError, match=f"instead\\. .*{re.escape(FIX)}$"):
        SWAPPED[form]()


def test_from_run_raises_for_swapped_files(tmp_path):
    (tmp_path / "run").write_text("q Q0 a 1 0.5 t\n")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    with pytest.raises(
        ValueError, match=r"must have the fields query Q0 document rank score tag.*swapped, pass qrels"
    ):
        from_run(qrels=tmp_path / "run", run=tmp_path / "qrels")


@pytest.mark.parametrize("column", ["score", "rank", "points"])
def test_from_interactions_names_argument_order_without_ratings(column):
    pandas = pytest.importorskip("pandas")
    interactions = pandas.DataFrame({"user": [1, 2], "item": ["x", "y"]})
    recommended = interactions.assign(**{column: [1, 2]})
    columns = {"score": "points"} if column == "points" else None
    with pytest.raises(ValueError, match=r"swapped, pass from_interactions\(interactions, recommended\)\.$"):
        from_interactions(recommended, interactions, columns=columns)


def test_from_interactions_raises_for_swapped_frames():
    shown = make_frame("pandas", {"user": ["u"], "item": ["a"], "score": [0.5]})
    done = make_frame("pandas", {"user": ["u"], "item": ["a"], "rating": [4]})
    with pytest.raises(ValueError, match=re.escape("pass from_interactions(interactions, recommended).")):
        from_interactions(interactions=shown, recommended=done)


@pytest.mark.parametrize("relevant", [{"a", "b"}, {"a": 1, "b": 2}])
def test_from_recommendations_raises_for_swapped_collections(relevant):
    with pytest.raises(ValueError, match=re.escape("pass from_recommendations(relevant, recommended).")):
        from_recommendations(relevant=[["a", "b"]], recommended=[relevant])


# ------------------------------------------------------------------ values


def draw(seed, grades, scores, n_queries=10, n_documents=20):
    """Draw judgments and a run; both are given by what draws their numbers."""
    rng = np.random.default_rng(seed)
    names = [f"d{n}" for n in range(n_documents)]
    qrels, run = (
        {f"q{n}": dict(zip(names, each(rng, n_documents).tolist())) for n in range(n_queries)}
        for each in (grades, scores)
    )
    return qrels, run


NUMBERS = {
    "real": lambda rng, n: rng.normal(size=n),
    "positive": lambda rng, n: rng.exponential(size=n),
    "whole": lambda rng, n: rng.integers(0, 4, size=n),
    "gains": lambda rng, n: rng.choice([0, 0.25, 0.5, 1], size=n),
    "ranks": lambda rng, n: -rng.permutation(n),
    "short ranks": lambda rng, n: 10 - np.arange(n) % 10,
    "rounded": lambda rng, n: rng.normal(size=n).round(1),
    "counts": lambda rng, n: rng.poisson(100, size=n),
    "rounded up": lambda rng, n: rng.exponential(size=n).round(1),
    "ranks up": lambda rng, n: n - np.arange(n),
    "minus ranks": lambda rng, n: -1 - np.arange(n),
    "1/rank": lambda rng, n: 1 / (1 + np.arange(n)),
}


FEW = "there are {} distinct grades, and the scores are 4 distinct integers"
BELOW = "there are {} distinct negative grades that are not integers"


@pytest.mark.parametrize(
    ("grades", "scores", "fact"),
    [
        ("positive", "whole", FEW),
        ("rounded up", "whole", FEW),
        ("ranks up", "whole", FEW),
        ("1/rank", "whole", FEW),
        ("real", "whole", BELOW),
        ("real", "gains", BELOW),
        ("rounded", "counts", BELOW),
        ("minus ranks", "whole", FEW),
    ],
)
def test_from_run_warns_when_values_suggest_a_swap(grades, scores, fact):
    qrels, run = draw(0, NUMBERS[grades], NUMBERS[scores])
    numbers = {number for pairs in qrels.values() for number in pairs.values()}
    n_distinct = sum(fact is FEW or (number < 0 and number % 1 > 0) for number in numbers)
    expected = f"^from_run: {fact.format(n_distinct)}, so the arguments look swapped. {re.escape(FIX)}$"
    with pytest.warns(RankingWarning, match=expected) as caught:
        from_run(qrels=qrels, run=run)
    assert len(caught) == 1


@pytest.mark.parametrize("n_judged", [1, 2])
@pytest.mark.parametrize("scores", ["positive", "1/rank", "ranks up"])
def test_from_run_warns_when_one_of_few_judged_documents_is_left_out(scores, n_judged):
    qrels, run = draw(0, NUMBERS["whole"], NUMBERS[scores])
    judged = {query: dict.fromkeys([*pairs][:n_judged], 1) for query, pairs in qrels.items()}
    from_run(judged, run)
    with pytest.warns(RankingWarning, match="distinct grades, and the scores are 1 distinct integer, so"):
        from_run(run, judged)


@pytest.mark.parametrize("scores", NUMBERS)
@pytest.mark.parametrize("grades", ["whole", "gains", "counts"])
def test_from_run_accepts_ordinary_values(grades, scores):
    from_run(*draw(0, NUMBERS[grades], NUMBERS[scores]))


@pytest.mark.parametrize("scores", ["real", "positive", "ranks", "short ranks", "rounded", "counts"])
def test_from_run_accepts_real_grades_with_model_scores(scores):
    from_run(*draw(0, NUMBERS["positive"], NUMBERS[scores], n_documents=10))


def test_from_run_accepts_a_few_real_grades():
    from_run(*draw(0, NUMBERS["positive"], NUMBERS["whole"], n_queries=1, n_documents=19))


def test_from_run_warns_about_a_swap_when_files_are_read_in_pieces(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("sklearn_rank.datasets._runs.LARGE", 1)
    qrels, run = draw(0, NUMBERS["real"], NUMBERS["whole"])
    for name, each, line in (("run", run, "{} Q0 {} 1 {} t\n"), ("qrels", qrels, "{} 0 {} {}\n")):
        rows = [line.format(query, *pair) for query, pairs in each.items() for pair in pairs.items()]
        (tmp_path / name).write_text("".join(rows))
    with pytest.warns(RankingWarning, match="so the arguments look swapped"):
        from_run(qrels=str(tmp_path / "qrels"), run=str(tmp_path / "run"))


def test_from_interactions_warns_when_values_suggest_a_swap():
    rng = np.random.default_rng(0)
    ids = {"user": np.repeat(np.arange(10), 20).tolist(), "item": np.tile(np.arange(20), 10).tolist()}
    done = make_frame("pandas", ids | {"rating": rng.exponential(size=200)})
    shown = make_frame("pandas", ids | {"score": rng.integers(0, 4, size=200)})
    with pytest.warns(
        RankingWarning,
        match="^from_interactions: there are 200 distinct grades, and the scores are 4 distinct integers",
    ):
        from_interactions(interactions=done, recommended=shown)


def test_from_interactions_accepts_real_ratings_with_ranks():
    rng = np.random.default_rng(0)
    ids = {"user": np.repeat(np.arange(20), 10).tolist(), "item": np.tile(np.arange(10), 20).tolist()}
    done = make_frame("pandas", ids | {"rating": rng.exponential(size=200)})
    from_interactions(
        interactions=done, recommended=make_frame("pandas", ids | {"rank": np.tile(np.arange(10), 20)})
    )


# ------------------------------------------------------------------ matrices


@pytest.mark.parametrize("form", [np.array, sparse.csr_array])
@pytest.mark.parametrize("kind", [bool, int, float])
def test_from_score_matrix_raises_when_types_show_a_swap(kind, form):
    rng = np.random.default_rng(0)
    bought = form((rng.random((8, 30)) < 0.2).astype(kind))
    with pytest.raises(ValueError, match=re.escape("pass from_score_matrix(relevant, scores).")):
        from_score_matrix(relevant=rng.normal(size=(8, 30)), scores=bought)


def test_from_score_matrix_raises_for_negative_fractional_grades():
    with pytest.raises(ValueError, match=r"'scores' .* be predicted scores\. Got only 0 and 1, with real"):
        from_score_matrix(relevant=[[0.5, -0.5]], scores=[[0, 1]])


def test_from_score_matrix_warns_when_values_suggest_a_swap():
    rng = np.random.default_rng(0)
    with pytest.warns(
        RankingWarning, match="there are 240 distinct grades, and the scores are 4 distinct integers"
    ):
        from_score_matrix(relevant=rng.random((8, 30)), scores=rng.integers(0, 4, size=(8, 30)))


@pytest.mark.parametrize("scores", [lambda rng: rng.normal(size=(8, 30)), lambda rng: np.eye(8, 30)])
@pytest.mark.parametrize(
    "relevant",
    [
        lambda rng: rng.random((8, 30)) < 0.2,
        lambda rng: rng.integers(0, 5, size=(8, 30)),
        lambda rng: rng.choice([0, 0.5, 1], size=(8, 30)),
        lambda rng: sparse.csr_array((8, 30)),
    ],
)
def test_from_score_matrix_accepts_ordinary_matrices(relevant, scores):
    rng = np.random.default_rng(0)
    from_score_matrix(relevant=relevant(rng), scores=scores(rng))


def test_from_score_matrix_accepts_interaction_weights_as_grades():
    rng = np.random.default_rng(0)
    weights = sparse.random_array((8, 30), density=0.5, random_state=rng, format="csr")
    from_score_matrix(relevant=weights, scores=rng.normal(size=(8, 30)))


# ------------------------------------------------------------------ lists


def draw_lists(lengths, depths):
    """Draw relevant items and recommendations of these lengths for 40 users."""
    rng = np.random.default_rng(0)
    return tuple([rng.permutation(200)[:n].tolist() for n in sizes(rng)] for sizes in (lengths, depths))


LENGTHS = {
    "one": lambda rng: [1] * 40,
    "some": lambda rng: rng.integers(1, 20, 40),
    "as many": lambda rng: [7] * 40,
}
DEPTHS = {
    "top 10": lambda rng: [10] * 40,
    "top 10 without seen items": lambda rng: 10 - rng.binomial(9, 0.1, 40),
    "top 1": lambda rng: [1] * 40,
}


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("length", LENGTHS)
def test_from_recommendations_accepts_ordinary_lists(length, depth):
    if (length, depth) != ("as many", "top 1"):
        from_recommendations(*draw_lists(LENGTHS[length], DEPTHS[depth]))


@pytest.mark.parametrize(
    ("length", "lists"), [("one", "1 recommended one"), ("some", "1 to 19 recommended ones")]
)
def test_from_recommendations_warns_when_lengths_suggest_a_swap(length, lists):
    relevant, recommended = draw_lists(LENGTHS[length], DEPTHS["top 10"])
    expected = (
        f"from_recommendations: each user has 10 relevant items and {lists}, so the arguments look swapped. "
        "If the arguments are swapped, pass from_recommendations(relevant, recommended)."
    )
    with pytest.warns(RankingWarning, match=f"^{re.escape(expected)}$"):
        from_recommendations(recommended, relevant)
