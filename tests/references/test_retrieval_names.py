"""Metric names of BEIR, MTEB, sentence-transformers, LETOR and MSLR, compared with their definitions."""

import numpy as np
import pytest

from sklearn_rank import explain, from_run, ranking_scores, unique_groups
from sklearn_rank.metrics import judged_at_k_score
from tests.helpers.library_queries import list_untested
from tests.references.library_names import draw
from tests.references.retrieval_definitions import ASKED, DEFINITIONS, letor_ndcg

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")  # lists are shorter than k
NAMES = [(prefix, name) for prefix, names in DEFINITIONS.items() for name in names]
CUTOFFS = (1, 3, 10, 100)


def make_run(prefix, seed):
    """Draw a run and qrels with the same queries; the scripts need all documents judged, and few grades."""
    is_script = prefix in ("letor", "mslr")
    run, qrels = draw(seed, shared=True, negative=not is_script, complete=is_script, grades=2)
    return run, qrels


def ours(name, run, qrels, average=None):
    y_true, y_score, groups = from_run(qrels, run)
    values = ranking_scores(y_true, y_score, groups=groups, metrics=[name], average=average)[name]
    return values if average else dict(zip(unique_groups(groups).tolist(), values.tolist()))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize(("prefix", "name"), NAMES)
def test_retrieval_names_match_definition_per_query(prefix, name, k, seed):
    run, qrels = make_run(prefix, seed)
    found = ours(f"{prefix}:{name.format(k=k)}", run, qrels)
    expected = {query: DEFINITIONS[prefix][name](run[query], qrels[query], k) for query in found}
    assert [query for query, value in found.items() if np.isnan(value)] == [
        query for query, value in expected.items() if value is None
    ]
    assert found == pytest.approx(
        {query: np.nan if value is None else value for query, value in expected.items()},
        abs=1e-12,
        nan_ok=True,
    )


@pytest.mark.parametrize(("prefix", "name"), NAMES)
def test_retrieval_names_match_library_mean(prefix, name):
    if prefix not in ASKED:
        pytest.skip("a script, not a package")
    run, qrels = make_run(prefix, 3)
    some = [query for query, grades in qrels.items() if max(grades.values()) > 0]  # BEIR's R_cap divides by 0
    run, qrels = ({query: each[query] for query in some} for each in (run, qrels))
    name = name.format(k=3)
    expected = ASKED[prefix](name, run, qrels, 3)
    assert ours(f"{prefix}:{name}", run, qrels, "macro") == pytest.approx(expected, abs=5.001e-6)  # rounded


@pytest.mark.parametrize("prefix", DEFINITIONS)
def test_retrieval_tables_are_compared_in_every_row(prefix):
    assert list_untested(prefix, [f"{prefix}:{name.format(k=3)}" for name in DEFINITIONS[prefix]]) == {}


def test_letor_ndcg_of_short_list_is_zero():
    # Gains 3 and 1 at ranks 2 and 3, with the discounts 1 and 1 / log2(3).
    y_true, y_score = [[0, 2, 1]], [[3, 2, 1]]
    found = ranking_scores(y_true, y_score, metrics=["letor:NDCG@2", "letor:NDCG@3", "letor:NDCG@4"])
    assert found == pytest.approx(
        {"letor:NDCG@2": 3 / 4, "letor:NDCG@3": (3 + 1 / np.log2(3)) / 4, "letor:NDCG@4": 0}
    )
    assert letor_ndcg(*y_true, *y_true, 3) == pytest.approx(found["letor:NDCG@3"])


def test_mslr_counts_labels_from_2_as_relevant():
    found = ranking_scores(
        [[1, 2, 0]], [[3, 2, 1]], metrics=["mslr:P@2", "letor:P@2", "mslr:MAP", "letor:MAP"]
    )
    assert found == {"mslr:P@2": 0.5, "letor:P@2": 1, "mslr:MAP": 0.5, "letor:MAP": 1}


def test_sentence_transformers_names_accept_similarities():
    names = [f"sentence_transformers:{each}ndcg@10" for each in ("", "cosine_", "dot_", "maxsim_")]
    assert len(set(ranking_scores([[0, 1]], [[2, 1]], metrics=names).values())) == 1


def test_hole_is_one_minus_judged_of_documents_without_any_judgment():
    qrels, run = (
        {"q": {"a": 1}, "r": {"b": 0}},
        {"q": {"a": 3.0, "b": 2.0, "c": 1.0}, "r": {"b": 1.0, "d": 0.5}},
    )
    _, y_score, groups, items = from_run(qrels, run, return_items=True)
    annotated = {name for judged in qrels.values() for name in judged}
    labels = [0 if item in annotated else np.nan for item in items]
    holes = 1 - judged_at_k_score(labels, y_score, groups=groups, k=3, average=None)
    n_shown = np.array([3, 2])
    assert holes * n_shown / 3 == pytest.approx([1 / 3, 1 / 3])


@pytest.mark.parametrize("name", ["beir:Hole@10", "mteb:nauc_ndcg", "mteb:main_score"])
def test_retrieval_names_without_equivalent_raise_error(name):
    with pytest.raises(ValueError, match="be the name of an available metric of"):
        explain(name)
