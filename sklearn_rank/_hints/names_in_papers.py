"""Names of metrics in papers, and in libraries whose names have no prefix here."""

from .arguments import LIFT_SCORER

BY_HITS, BY_ALL = "hit_rate@{k}", "recall@{k}(average=micro)"
PAPERS = "most papers"
OF_SCORING = "roc_auc"  # scikit-learn's name, which `metrics=` does not accept
OF_SENTENCES = "sentence-transformers and BEIR"
AT_ONE = f"{OF_SENTENCES} as accuracy@1"
COMMON = frozenset({OF_SENTENCES, AT_ONE})  # sources whose meaning of a name comes first
OF_RATIOS = {"papers": BY_HITS, "papers that divide by all relevant items": BY_ALL}

# Names, in any case and with {k} for a cutoff, and the equivalent metrics here by source. Meanings in
# libraries come first, unless all sources here are in `COMMON`. Names that need a cutoff have no row without
# one.
ELSEWHERE: dict[str, dict[str, str]] = {
    # recommender papers
    "HR@{k}": OF_RATIOS,
    "hit_ratio@{k}": {"papers": BY_HITS},
    "hitratio@{k}": {"papers": BY_HITS},
    "hitrate@{k}": {"papers": BY_HITS},
    "hits@{k}": {"papers on graphs": BY_HITS},
    "hits": {"papers on graphs as hits@10": "hit_rate@10"},
    "accuracy@{k}": {OF_SENTENCES: BY_HITS},
    "accuracy": {AT_ONE: "hit_rate@1"},
    "acc@{k}": {PAPERS: BY_HITS},
    "top_{k}_accuracy": {PAPERS: BY_HITS},
    "mapk": {"ml_metrics": "map@10"},
    "MAP@R": {"papers on metric learning": "map_at_r"},
    "F2@{k}": {PAPERS: "f1@{k}(beta=2)"},
    "F0.5@{k}": {PAPERS: "f1@{k}(beta=0.5)"},
    "fbeta@{k}": {"scikit-learn's fbeta_score with beta=2": "f1@{k}(beta=2)"},
    "pAUC": {"papers, up to a false positive rate of 0.1": "group_auc(max_fpr=0.1)"},
    "partial_auc": {"papers, up to a false positive rate of 0.1": "group_auc(max_fpr=0.1)"},
    "GAUC": {"most papers, users weighted by their rows": "group_auc(average=weighted)"},
    "auc": {"papers, of each user": "group_auc", "scikit-learn's scoring, of all rows together": OF_SCORING},
    "auc_per_user": {PAPERS: "group_auc"},
    "per_user_auc": {PAPERS: "group_auc"},
    # classifiers and sales
    "lift": {"the top 10% of each group": LIFT_SCORER},
    "lift_score": {"the top 10% of each group": LIFT_SCORER},
    "revenue": {"the sum of the top 10, with revenue as labels": "dcg@10(discount=None)"},
    "revenue@{k}": {"the sum of the top k, with revenue as labels": "dcg@{k}(discount=None)"},
    # retrieval for language models
    "context_precision": {"Ragas, of the top 5": "map@5(denominator=hits)"},
    "context_precision@{k}": {"Ragas": "map@{k}(denominator=hits)"},
    "context_recall": {"Ragas by ids, of the top 5": "recall@5"},
    "context_recall@{k}": {"Ragas by ids": "recall@{k}"},
    "nugget_recall": {"TREC RAG, with nuggets as intents": "subtopic_recall@10"},
    "nugget_recall@{k}": {"TREC RAG, with nuggets as intents": "subtopic_recall@{k}"},
    "BPR": {PAPERS: "neg_bpr_loss"},
    "ARP": {"TF-Ranking, of labels 0 and 1": "neg_average_rank_loss(average=micro)"},
    "OPA": {"TF-Ranking": "pairwise_accuracy(average=micro, ties=worst)"},
    # finance and scipy
    "IC": {"Qlib": "pearson", "alphalens": "spearman"},
    "Rank_IC": {"Qlib": "spearman"},
    "RankIC": {"Qlib": "spearman"},
    "spearmanr": {"scipy": "spearman"},
    "pearsonr": {"scipy": "pearson"},
    "kendalltau": {"scipy": "kendall_tau"},
    "kendall": {"pandas": "kendall_tau"},
    # in full
    "average_precision": {PAPERS: "map"},
    "mean_average_precision": {PAPERS: "map"},
    "meanAveragePrecision": {"Spark": "map"},
    "meanAveragePrecisionAt@{k}": {"Spark": "map@{k}"},
    "mean_reciprocal_rank": {PAPERS: "mrr"},
    "mean_reciprocal_rank@{k}": {PAPERS: "mrr@{k}"},
    "normalized_discounted_cumulative_gain": {PAPERS: "ndcg"},
    "normalized_discounted_cumulative_gain@{k}": {PAPERS: "ndcg@{k}"},
    # metrics with other inputs than labels and scores
    "coverage": {"RecBole's ItemCoverage": "catalog_coverage_scorer(...)"},
    "ItemCoverage": {"RecBole": "catalog_coverage_scorer(...)"},
    "gini": {"RecBole's GiniIndex": "neg_exposure_gini_loss_scorer(...)"},
    "GiniIndex": {"RecBole": "neg_exposure_gini_loss_scorer(...)"},
    "coverage@{k}": {"RecBole's ItemCoverage": "catalog_coverage@{k}"},
    "ItemCoverage@{k}": {"RecBole": "catalog_coverage@{k}"},
    "gini@{k}": {"RecBole's GiniIndex": "neg_exposure_gini_loss@{k}"},
    "GiniIndex@{k}": {"RecBole": "neg_exposure_gini_loss@{k}"},
}
