"""trec_eval's names on generated files: values of each query and means, with and without its options."""

import numpy as np
import pytest

from tests.oracles import runs

FEW = [0, 19, 37, 44, 88, 126, 170, 211]  # of 40 to 1,000 queries
OPTIONS = [name for name, _ in runs.list_options(0)]


@pytest.mark.parametrize("name", OPTIONS, ids=lambda name: name or "none")
@pytest.mark.parametrize("index", FEW)
def test_trec_eval_names_match_pytrec_eval_on_files(index, name):
    pytest.importorskip("pytrec_eval")
    found = runs.compare(index, dict(runs.list_options(index))[name])
    assert found.of_queries <= 1e-15
    assert found.of_means <= 1e-15
    assert found.n_values > 1000


# ------------------------------------------------------------------ the files


def has_ties(run, qrels):
    return any(len(set(documents.values())) < len(documents) for documents in run.values())


def has_ties_in_float32_alone(run, qrels):
    with np.errstate(over="ignore", under="ignore"):
        held = [{np.float32(score) for score in documents.values()} for documents in run.values()]
    return any(len(one) < len(set(documents.values())) for one, documents in zip(held, run.values()))


def has_negative_grades(run, qrels):
    return any(grade < 0 for grades in qrels.values() for grade in grades.values())


def has_queries_without_a_relevant_document(run, qrels):
    return any(max(grades.values()) == 0 for grades in qrels.values())


def has_unjudged_documents(run, qrels):
    return any(set(documents) - set(qrels.get(query, documents)) for query, documents in run.items())


def misses_documents(run, qrels):
    return any(set(grades) - set(run.get(query, grades)) for query, grades in qrels.items())


def misses_queries_on_both_sides(run, qrels):
    return bool(set(run) - set(qrels) and set(qrels) - set(run))


KINDS = {
    has_ties: 2,
    has_ties_in_float32_alone: 2,
    has_negative_grades: 4,
    has_queries_without_a_relevant_document: 4,
    has_unjudged_documents: 4,
    misses_documents: 4,
    misses_queries_on_both_sides: 8,
}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least"), KINDS.items())
def test_generated_files_contain_cases_in_which_programs_differ(kind, least):
    assert sum(kind(*runs.make_files(index)) for index in FEW) >= least


def test_generated_files_are_288_of_40_to_5000_queries():
    sizes = [n_queries for n_queries, _ in runs.SIZES]
    assert (min(sizes), max(sizes), len(runs.TABLE)) == (40, 5000, 288)
