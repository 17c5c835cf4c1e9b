"""Errors for other libraries' metric names that have no equivalent here."""

import re

import pytest

from sklearn_rank import get_scorer

REFUSED = [
    ("trec_eval:ndcg_cut", 'For example, write "trec_eval:ndcg_cut_10"'),
    ("lightgbm:ndcg", "contain the cutoff, an int >= 1. Got"),
    ("lightgbm:ndcg@0", "be the name of a metric of LightGBM"),
    ("lightgbm:nDCG@5", 'Did you mean "lightgbm:ndcg@10"'),
    ("lightgbm:map@5(label_gain=[0,1])", "This metric takes no parameters."),
    ("lightgbm:ndcg@5(label_gain=[0,one])", "set label_gain to a value that LightGBM accepts"),
    (
        "lightgbm:auc",
        "available metric of LightGBM. Got 'lightgbm:auc' instead. It is computed over all rows together",
    ),
    ("xgboost:ndcg@5(ndcg_exp_gain=perhaps)", "set ndcg_exp_gain to a value that XGBoost accepts"),
    ("xgboost:map@5(ndcg_exp_gain=False)", "This metric takes minus."),
    ("xgboost:auc@5", "XGBoost computes auc for whole lists only"),
    ("xgboost:aucpr", "instead. The area under the precision-recall curve"),
    ("catboost:NDCG:top=0", "set top to a value that CatBoost accepts"),
    ("catboost:NDCG:type=Ranking", "set type to a value that CatBoost accepts"),
    ("catboost:NDCG:decay=0.5", "This metric takes top, hints, use_weights, proba_border, type, denominator"),
    ("catboost:MAP:border=-1", "set border to a value that CatBoost accepts"),
    ("catboost:PFound:decay=2", "The decay must be between 0 and 1."),
    ("catboost:NDCG:use_weights=false", "To ignore weights, do not pass sample_weight."),
    ("catboost:AverageGain", 'For example, write "catboost:AverageGain:top=10"'),
    ("catboost:FilteredDCG", "It keeps the documents with scores above 0 in row order"),
    ("catboost:PairAccuracy", 'It uses given pairs of documents; "pairwise_accuracy"'),
    (
        "sklearn:ndcg(ignore_ties=True)",
        "With ignore_ties=True, the order of tied scores is not defined.",
    ),
    ("sklearn:dcg(log_base=0.5)", "The base must be finite and above 1, because discounts are positive."),
    ("sklearn:average_precision", 'it equals "map"; group_score computes it per query'),
    ("sklearn:precision", 'for the top 10 of a ranking, use "precision@10"'),
    (
        "recommenders:map_at_k(relevancy_method=by_threshold)",
        "not contain relevancy_method=by_threshold. Got",
    ),
    ("recommenders:map_at_k(k=0)", "set k to a value that recommenders accepts"),
    ("recommenders:mapk", 'Did you mean "recommenders:map'),
    ("recommenders:auc", "It is computed over all rows together"),
    ("recbole:ItemCoverage", "catalog_coverage_score is similar"),
    ("recbole:auc", "instead. It is computed over all rows together"),
    ("neg_recbole:mrr@5", 'Higher values are better. Write "recbole:mrr@5".'),
]


@pytest.mark.parametrize(("name", "rule"), REFUSED)
def test_library_name_without_equivalent_is_rejected_with_reason(name, rule):
    with pytest.raises(ValueError, match=re.escape(rule)):
        get_scorer(name)
