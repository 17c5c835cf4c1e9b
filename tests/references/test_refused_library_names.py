"""Errors for other libraries' metric names that have no equivalent here."""

import re

import pytest

from sklearn_rank import get_scorer

REFUSED = [
    ("trec_eval:ndcg_cut", "have its cutoff, an int >= 1, as ndcg_cut_10"),
    ("lightgbm:ndcg", "have its cutoff, an int >= 1, as ndcg@10"),
    ("lightgbm:ndcg@0", "name a metric of LightGBM"),
    ("lightgbm:nDCG@5", 'did you mean "lightgbm:ndcg@10"'),
    ("lightgbm:map@5(label_gain=[0,1])", "have parameters of LightGBM: it takes none"),
    ("lightgbm:ndcg@5(label_gain=[0,one])", "give label_gain a value that LightGBM knows"),
    ("lightgbm:auc", "LightGBM's auc is not: it is of all rows together"),
    ("xgboost:ndcg@5(ndcg_exp_gain=perhaps)", "give ndcg_exp_gain a value that XGBoost knows"),
    ("xgboost:map@5(ndcg_exp_gain=False)", "have parameters of XGBoost: it takes minus"),
    ("xgboost:auc@5", "have no cutoff: XGBoost has auc of whole lists"),
    ("xgboost:aucpr", "XGBoost's aucpr is not: there is no area under the curve"),
    ("catboost:NDCG:top=0", "give top a value that CatBoost knows"),
    ("catboost:NDCG:type=Ranking", "give type a value that CatBoost knows"),
    ("catboost:NDCG:decay=0.5", "it takes top, hints, use_weights, proba_border, type, denominator"),
    ("catboost:MAP:border=-1", "give border a value that CatBoost knows"),
    ("catboost:PFound:decay=2", "have no decay=2: no rank is looked at more than the one before it"),
    ("catboost:NDCG:use_weights=false", "have no use_weights=false: weights are left out by giving no"),
    ("catboost:AverageGain", "have its cutoff, an int >= 1, as AverageGain:top=10"),
    ("catboost:FilteredDCG", "it takes the documents with scores above 0 in the order of the rows"),
    ("catboost:PairAccuracy", 'of documents that are given; "pairwise_accuracy"'),
    (
        "sklearn:ndcg(ignore_ties=True)",
        "have no ignore_ties=True: the order of equal scores is that of a sort",
    ),
    ("sklearn:dcg(log_base=0.5)", "have no log_base=0.5: discounts are above 0"),
    ("sklearn:average_precision", 'it is "map", and group_score computes it of each query'),
    ("sklearn:precision", 'of the top ten of a ranking it is "precision@10"'),
    (
        "recommenders:map_at_k(relevancy_method=by_threshold)",
        "have no relevancy_method=by_threshold: the lists",
    ),
    ("recommenders:map_at_k(k=0)", "give k a value that recommenders knows"),
    ("recommenders:mapk", 'did you mean "recommenders:map'),
    ("recommenders:auc", "it is of all rows together"),
    ("recbole:ItemCoverage", "catalog_coverage_score is near it"),
    ("recbole:auc", "RecBole's auc is not: it is of all rows together"),
    ("neg_recbole:mrr@5", 'be "recbole:mrr@5", without "neg_"'),
]


@pytest.mark.parametrize(("name", "rule"), REFUSED)
def test_library_name_without_equivalent_is_rejected_with_reason(name, rule):
    with pytest.raises(ValueError, match=re.escape(rule)):
        get_scorer(name)
