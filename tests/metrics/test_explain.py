"""Explanations of metric names, in words and as a call."""

import numpy as np
import pytest

from sklearn_rank import explain, ranking_scores
from tests.helpers.naming import PUBLIC
from tests.helpers.public_calls import NAMES

Y_TRUE = np.array([0, 2, 1, 1, 0, 0, 1, 3])
Y_SCORE = np.array([0.5, 0.5, 0.7, 0.1, 0.2, 2, 1, 1])
QID = np.repeat([0, 1], 4)
OF_LIBRARIES = ["trec_eval:map_cut_2", "trec_eval:bpref", "trec_eval:set_P", "neg_fallout@2"]
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


def test_explain_has_no_call_for_metric_of_library_only():
    explained = explain("trec_eval:set_map")
    assert explained.call == ""
    assert explained.formula.startswith("Precision times recall")


def test_explain_marks_options_that_differ_from_defaults():
    explained = explain("map@5(denominator=relevant)")
    assert explained.changed == {"k": 5, "denominator": "relevant"}
    lines = [line for line in str(explained).splitlines() if "by default" in line]
    assert [line.split()[0] for line in lines] == ["k", "denominator"]


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
