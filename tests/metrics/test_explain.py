"""Explanations of metric names, in words and as a call."""

import re

import numpy as np
import pytest

from sklearn_rank import explain, metrics, ranking_scores
from sklearn_rank.metrics import Missed
from sklearn_rank.metrics._libraries.library_names import LIBRARIES, name_row
from tests.helpers.naming import PUBLIC
from tests.helpers.public_calls import NAMES
from tests.helpers.reports import join_lines

Y_TRUE = np.array([0, 2, 1, 1, 0, 0, 1, 3])
Y_SCORE = np.array([0.5, 0.5, 0.7, 0.1, 0.2, 2, 1, 1])
QID = np.repeat([0, 1], 4)
OF_LIBRARIES = ["trec_eval:map_cut_2", "trec_eval:bpref", "trec_eval:set_P", "neg_fallout_loss@2"]
OF_LIBRARIES += ["lightgbm:map@2", "lightgbm:ndcg@2(label_gain=[0,1,3,8])", "xgboost:pre", "xgboost:auc"]
OF_LIBRARIES += ["catboost:MAP:border=2", "catboost:NDCG:type=Exp;top=2", "catboost:QueryAUC"]
OF_LIBRARIES += ["sklearn:dcg(log_base=10)", "recommenders:ndcg_at_k", "recbole:ndcg@2", "recbole:GAUC"]
WITH_OPTIONS = [
    "ndcg@3(gain=exponential, ties=order)",
    "map@2(denominator=relevant)",
    "group_auc(average=weighted)",
]


@pytest.mark.parametrize("name", [*NAMES, *OF_LIBRARIES, *WITH_OPTIONS])
def test_explain_call_computes_same_value_as_name(name):
    scope = {**vars(np), "y_true": Y_TRUE, "y_score": Y_SCORE, "qid": QID}
    call = explain(name).call
    assert eval(call, scope | PUBLIC) == ranking_scores(Y_TRUE, Y_SCORE, groups=QID, metrics=[name])[name]


@pytest.mark.parametrize("name", ["alpha_ndcg@2", "err_ia@3(max_grade=3)", "nrbp", "subtopic_recall@2"])
def test_explain_call_of_intents_computes_same_value_as_name(name):
    intents = np.stack([Y_TRUE, Y_TRUE[::-1]], axis=1)
    scope = {"intents": intents, "y_score": Y_SCORE, "qid": QID}
    values = ranking_scores(Y_TRUE, Y_SCORE, groups=QID, metrics=[name], intents=intents)
    call = explain(name).call
    assert eval(call, scope | {each: getattr(metrics, each) for each in metrics.__all__}) == values[name]


def test_explain_has_no_call_for_metric_of_library_only():
    explained = explain("trec_eval:set_map")
    assert explained.call == ""
    assert explained.formula.startswith("Precision times recall")


def test_explain_marks_options_that_differ_from_defaults():
    explained = explain("map@5(denominator=relevant)")
    assert explained.changed == {"k": 5, "denominator": "relevant"}
    options = re.split(r"\n  (?=\w)", str(explained))
    lines = [each for each in options if "by default" in join_lines(each)]
    assert [line.split()[0] for line in lines] == ["k", "denominator"]


def test_explain_compares_formulas_of_other_libraries_with_the_usual_options():
    changed = explain("letor:NDCG@10").changed
    assert changed | {"discount": None} == {"k": 10, "gain": "exponential", "discount": None, "ties": "order"}
    assert changed["discount"](3) == 1 / np.log2(3)


@pytest.mark.parametrize("name", ["ndkg@10", "map_cut_10", 3, None])
def test_explain_rejects_invalid_name(name):
    with pytest.raises(ValueError, match="'name' parameter of explain must"):
        explain(name)


def test_explain_names_the_factory_of_metrics_of_lists():
    with pytest.raises(
        ValueError,
        match=r"must depend only on labels .*Got .novelty@10. instead.* Use the scorer novelty_scorer\(...\)",
    ):
        explain("novelty@10")


MISSED = {"a": [1, 2], "b": [0]}


@pytest.mark.parametrize(
    ("name", "relevant"),
    [
        ("ndcg@10", "(label > 0): 2"),
        ("recall@5(min_relevance=2)", "(label >= 2): 1"),
        ("trec_eval:map", "(label >= 1): 2"),
    ],
)
def test_explain_counts_missed_documents(name, relevant):
    note = f"`missed` adds 3 judged documents without a row, of 2 queries; relevant {relevant}."
    explained = explain(name, missed=MISSED)
    assert explained.notes[-1].startswith(note)
    assert note in join_lines(explained)
    assert "groups=qid, missed=missed" in explained.call


def test_explain_says_that_missed_is_empty():
    assert explain("ndcg", missed={}).notes == ("`missed` contains no documents.",)


@pytest.mark.parametrize(
    ("name", "missed", "rule"),
    [
        ("pearson", MISSED, "must be None for metrics of the values of scores"),
        ("ndcg@9", Missed(["a"], [1], depth=5), "must have lists of at least k=9 documents"),
        ("alpha_ndcg@9", MISSED, "must be None for metrics of intents"),
        ("ndcg@9", [1.0], "must be a mapping of query id to a list of labels"),
    ],
)
def test_explain_rejects_missed_as_the_metric_does(name, missed, rule):
    with pytest.raises(ValueError, match=f"'missed' parameter of explain {rule}"):
        explain(name, missed=missed)


NOTES = [(prefix, note) for prefix, library in LIBRARIES.items() for note in library.notes]


@pytest.mark.parametrize(("prefix", "note"), NOTES, ids=lambda value: value[:30])
def test_explain_prints_a_note_for_the_metrics_that_it_is_about(prefix, note):
    library, stems = LIBRARIES[prefix], note.partition(": ")[0].split(", ")
    known = {key: re.split("[@(]", key)[0] for key in library.rows}
    is_of_some = set(stems) <= set(known.values())
    printed = {key for key in known if note in explain(f"{prefix}:{name_row(library, key)}").notes}
    assert printed == {key for key, stem in known.items() if stem in stems or not is_of_some}


@pytest.mark.parametrize(
    ("name", "present", "absent"),
    [
        ("xgboost:pre@5", "count as 0, with and", "count as 1"),
        ("xgboost:auc", "values differ if labels are equal within a query", "default cutoff"),
        ("xgboost:map@5-", "count as 1, or as 0", "auc"),
        ("catboost:QueryAUC", "ignores query weights", "PFound"),
        ("ir_measures:AP", "judged queries", "RBP"),
        ("ranx:map@10", "ranx", "bpref"),
    ],
)
def test_explain_prints_no_notes_about_other_metrics(name, present, absent):
    notes = " ".join(explain(name).notes[1:])
    assert present in notes
    assert absent not in notes
