"""DCG and NDCG with a weight per document, compared with TF-Ranking's definition without ties."""

import numpy as np
import pytest

from sklearn_rank import dcg_score, ndcg_score


def draw(seed, zero_gains=False):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 4, (20, 8))
    grades[:, 0] = np.maximum(grades[:, 0], 1)
    if zero_gains:
        grades[:3] = 0
    y_score = np.array([rng.permutation(8) for _ in range(20)])
    return grades, rng.uniform(0.1, 3, (20, 8)), y_score


def of_list(grades, weights, y_score, k):
    """DCG, ideal DCG and W of one list."""
    gains = [2.0**grade - 1 for grade in grades]
    order = sorted(range(len(gains)), key=lambda place: -y_score[place])
    best = sorted((w * gain for w, gain in zip(weights, gains)), reverse=True)
    dcg = sum(weights[place] * gains[place] / np.log2(rank + 2) for rank, place in enumerate(order[:k]))
    ideal = sum(each / np.log2(rank + 2) for rank, each in enumerate(best[:k]))
    total = sum(gains)
    return dcg, ideal, sum(w * gain for w, gain in zip(weights, gains)) / total if total else None


def of_all(grades, weights, y_score, k):
    """NDCG and DCG: means over lists weighted by W; a list without gains has the mean W of the others."""
    lists = [of_list(*rows, k) for rows in zip(grades, weights, y_score)]
    known = [W for _, _, W in lists if W is not None]
    each = [np.mean(known) if W is None else W for _, _, W in lists]
    ndcg = [dcg / ideal if ideal else 0 for dcg, ideal, _ in lists]
    dcg = [dcg / W for (dcg, _, _), W in zip(lists, each)]
    return np.average(ndcg, weights=each), np.average(dcg, weights=each), np.array(each)


@pytest.mark.parametrize("zero_gains", [False, True])
@pytest.mark.parametrize("k", [3, 8])
@pytest.mark.parametrize("seed", range(5))
def test_weighted_gains_as_labels_match_tf_ranking(seed, k, zero_gains):
    grades, weights, y_score = draw(seed, zero_gains)
    ndcg, dcg, each = of_all(grades, weights, y_score, k)
    weighted = weights * (2.0**grades - 1)
    assert ndcg_score(weighted, y_score, k=k, sample_weight=each) == pytest.approx(ndcg, abs=1e-12)
    got = dcg_score(weighted, y_score, k=k, average=None).sum() / each.sum()
    assert got == pytest.approx(dcg, abs=1e-12)
