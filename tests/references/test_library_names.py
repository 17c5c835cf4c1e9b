"""Metric names of other libraries, compared with the libraries themselves."""

import warnings

import numpy as np
import pytest

from sklearn_rank import from_run, ranking_scores, unique_groups
from sklearn_rank.metrics._libraries.library_names import LIBRARIES, find_key, split_name
from tests.references.library_names import ASKED, Case, draw, find_case

# Many of the lists are degenerate on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingWarning")
NAMES = [f"{library}:{name}" for library, (_, names) in ASKED.items() for name in names]


def ours(name, run, qrels, average):
    y_true, y_score, groups = from_run(qrels, run, queries="judged")
    values = ranking_scores(y_true, y_score, groups=groups, metrics=[name], average=average)[name]
    return values if average else dict(zip(unique_groups(groups).tolist(), values.tolist()))


def ask(case, name, run, qrels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from compilers and frames
        return case.ask(name.partition(":")[2], run, qrels)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_library_names_match_library_per_query(name, seed):
    case: Case = find_case(name)
    run, qrels = case.draw(seed)
    theirs = ask(case, name, run, qrels)
    assert len(theirs.by_query) > 10
    values = ours(name, run, qrels, None)
    assert {query: values[query] for query in theirs.by_query} == pytest.approx(
        theirs.by_query, rel=0, abs=case.tolerance
    )


@pytest.mark.parametrize("name", NAMES)
def test_library_names_match_library_mean(name):
    case: Case = find_case(name)
    run, qrels = case.draw(3)
    theirs = ask(case, name, run, qrels)
    assert ours(name, run, qrels, "macro") == pytest.approx(theirs.mean, rel=0, abs=case.tolerance)


# ------------------------------------------------------------------ compared names


@pytest.mark.parametrize("library", ASKED)
def test_library_names_are_compared_with_every_row_and_parameter(library):
    table = LIBRARIES[library]
    asked, cutoffs = {}, {}
    for name in ASKED[library][1]:
        stem, k, params = split_name(table, name)
        key = find_key(table, stem, k, params)
        asked.setdefault(key, set()).update(params)
        cutoffs.setdefault(key, set()).add(k is not None)
    expected = {"none": {False}, "required": {True}, "optional": {False, True}}
    assert asked == {key: set(row.takes) for key, row in table.rows.items()}
    assert cutoffs == {key: expected[row.cutoff] for key, row in table.rows.items()}


def test_drawn_runs_contain_cases_in_which_libraries_differ():
    run, qrels = draw(0)
    lists = list(run.values())
    grades = [list(judged.values()) for judged in qrels.values()]
    assert run.keys() - qrels.keys()
    assert qrels.keys() - run.keys()
    assert any(len(scores) == 1 for scores in lists)
    assert any(max(judged) <= 0 for judged in grades)
    assert any(min(judged) < 0 for judged in grades)
    assert any(scores.keys() - qrels[query].keys() for query, scores in run.items() if query in qrels)
    assert any(qrels[query].keys() - scores.keys() for query, scores in run.items() if query in qrels)
    assert any(len(set(scores.values())) < len(scores) for scores in lists)
    in_float32 = [np.float32(list(scores.values())) for scores in lists]
    assert any(len(set(rounded)) < len(set(scores.values())) for rounded, scores in zip(in_float32, lists))
