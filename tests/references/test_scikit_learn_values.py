"""Metrics that scikit-learn also has, compared with scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics

from sklearn_rank import dcg_score, f1_at_k_score, group_auc_score, map_score, ndcg_score


def draw(n_queries=40, n_documents=15, n_scores=None, seed=0):
    """Draw a row per query; few distinct scores make ties."""
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 5, (n_queries, n_documents))
    shape = y_true.shape
    return y_true, rng.standard_normal(shape) if n_scores is None else rng.integers(
        0, n_scores, shape
    ).astype(float)


@pytest.mark.parametrize("n_scores", [None, 1, 3, 8])
@pytest.mark.parametrize("k", [None, 1, 4, 15, 99])
def test_dcg_and_ndcg_match_scikit_learn(k, n_scores):
    y_true, y_score = draw(n_scores=n_scores)
    for ours, theirs in ((ndcg_score, sklearn.metrics.ndcg_score), (dcg_score, sklearn.metrics.dcg_score)):
        assert ours(y_true, y_score, k=k) == pytest.approx(theirs(y_true, y_score, k=k), abs=1e-12)


@pytest.mark.parametrize("n_scores", [None, 3])
def test_ndcg_with_query_weights_matches_scikit_learn(n_scores):
    y_true, y_score = draw(n_scores=n_scores)
    weights = np.arange(len(y_true)) % 3
    expected = sklearn.metrics.ndcg_score(y_true, y_score, sample_weight=weights)
    assert ndcg_score(y_true, y_score, sample_weight=weights) == pytest.approx(expected, abs=1e-12)


def test_ndcg_without_ties_matches_scikit_learn_ignore_ties():
    y_true, y_score = draw()
    expected = sklearn.metrics.ndcg_score(y_true, y_score, ignore_ties=True)
    assert ndcg_score(y_true, y_score) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_scores", [None, 1, 3])
def test_group_auc_is_mean_of_scikit_learn_roc_auc(n_scores):
    y_true, y_score = draw(n_scores=n_scores)
    y_true = (y_true >= 3).astype(int)
    defined = [row for row, labels in enumerate(y_true) if 0 < labels.sum() < len(labels)]
    expected = [sklearn.metrics.roc_auc_score(y_true[row], y_score[row]) for row in defined]
    groups = np.repeat(np.arange(len(y_true)), y_true.shape[1])
    got = group_auc_score(y_true.ravel(), y_score.ravel(), groups=groups)
    assert got == pytest.approx(np.mean(expected), abs=1e-12)


@pytest.mark.parametrize("max_fpr", [0.05, 0.1, 0.33, 0.5, 0.99, 1])
def test_group_auc_up_to_max_fpr_matches_scikit_learn_without_ties(max_fpr):
    y_true, y_score = draw(n_documents=40)
    y_true = (y_true >= 3).astype(int)
    expected = [sklearn.metrics.roc_auc_score(*pair, max_fpr=max_fpr) for pair in zip(y_true, y_score)]
    got = group_auc_score(y_true, y_score, max_fpr=max_fpr, average=None)
    assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_f1_with_beta_matches_scikit_learn_fbeta(beta):
    y_true, y_score = draw()
    y_true = y_true >= 2
    top = np.argsort(np.argsort(-y_score)) < 5
    expected = sklearn.metrics.fbeta_score(y_true, top, beta=beta, average="samples")
    assert f1_at_k_score(y_true, y_score, k=5, beta=beta) == pytest.approx(expected, abs=1e-12)


def test_group_auc_of_large_unbalanced_groups_matches_scikit_learn():
    rng = np.random.default_rng(0)
    for n_relevant in (1, 50_000, 99_999):
        y_true = np.arange(100_000) < n_relevant
        y_score = rng.integers(0, 1000, len(y_true))
        expected = sklearn.metrics.roc_auc_score(y_true, y_score)
        assert group_auc_score(y_true, y_score, groups=np.zeros(len(y_true))) == pytest.approx(
            expected, abs=1e-12
        )


def test_map_without_ties_matches_scikit_learn_average_precision():
    y_true, y_score = draw()
    y_true = (y_true >= 2).astype(int)
    expected = [sklearn.metrics.average_precision_score(*row) for row in zip(y_true, y_score)]
    np.testing.assert_allclose(map_score(y_true, y_score, average=None), expected, atol=1e-12)
