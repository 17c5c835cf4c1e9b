"""Textbook definitions of metrics on one ranking, slow and independent of the package.

`shown` contains the labels in rank order, `judged` the labels of all judged documents.
"""

from fractions import Fraction
from functools import cache
from itertools import accumulate, groupby, permutations, product
from math import ceil, log2
from operator import mul

import numpy as np


def dcg(shown, judged, k=None, gain=float, discount=lambda rank: 1 / log2(rank + 1)):
    return sum(gain(label) * discount(rank) for rank, label in enumerate(shown[:k], 1))


def ndcg(shown, judged, k=None, ideal="judged", **options):
    best = [max(judged)] * k if ideal == "full" else sorted(judged, reverse=True)
    most = dcg(best, judged, k, **options)
    return dcg(shown, judged, k, **options) / most if most else None


def precision(shown, judged, k=None, least=1, adaptive_k=False):
    n_shown = len(shown) if k is None else min(k, len(shown)) if adaptive_k else k
    if not n_relevant(judged, least) or not n_shown:
        return None
    return n_relevant(shown[:k], least) / n_shown


def recall(shown, judged, k=None, least=1, denominator="relevant"):
    total = n_relevant(judged, least)
    most = min(k, total) if denominator == "achievable" else total
    return n_relevant(shown[:k], least) / most if total else None


def f1(shown, judged, k=None, least=1, beta=1):
    if not n_relevant(judged, least):
        return None
    p, r = precision(shown, judged, k, least) or 0.0, recall(shown, judged, k, least)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0


def average_precision(shown, judged, k=None, least=1, denominator="achievable"):
    total = n_relevant(judged, least)
    if not total:
        return None
    hits = [rank for rank, label in enumerate(shown[:k], 1) if label >= least]
    summed = sum(place / rank for place, rank in enumerate(hits, 1))
    by = {"achievable": total if k is None else min(k, total), "relevant": total, "hits": max(len(hits), 1)}
    return summed / by[denominator]


def reciprocal_rank(shown, judged, k=None, least=1):
    if not n_relevant(judged, least):
        return None
    return next((1 / rank for rank, label in enumerate(shown[:k], 1) if label >= least), 0.0)


def hit_rate(shown, judged, k=None, least=1):
    if not n_relevant(judged, least):
        return None
    return float(n_relevant(shown[:k], least) > 0)


def r_precision(shown, judged, least=1, multiple=Fraction(1)):
    cutoff = ceil(multiple * n_relevant(judged, least))
    return n_relevant(shown[:cutoff], least) / cutoff if cutoff else None


def average_precision_at_r(shown, judged, least=1):
    total = n_relevant(judged, least)
    precisions = [n_relevant(shown[:rank], least) / rank for rank in range(1, total + 1)]
    return sum(p * (label >= least) for p, label in zip(precisions, shown)) / total if total else None


def auc(shown, judged, least=1, max_fpr=1):
    relevant = [label >= least for label in shown]
    pairs = [a for i, a in enumerate(relevant) for b in relevant[i + 1 :] if a != b]
    return (sum(pairs) / len(pairs) if max_fpr == 1 else partial_auc(relevant, max_fpr)) if pairs else None


def partial_auc(relevant, max_fpr):
    """Return the area under the steps of the ROC curve up to a false positive rate, scaled as McClish."""
    n_others, area, least = relevant.count(False), 0.0, max_fpr**2 / 2
    for number, place in enumerate(place for place, each in enumerate(relevant) if not each):
        width = min(max(max_fpr - number / n_others, 0), 1 / n_others)
        area += width * sum(relevant[:place]) / sum(relevant)
    return (1 + (area - least) / (max_fpr - least)) / 2


def err(shown, judged, k=None, max_grade=None):
    top = max_grade if max_grade is not None else max(judged)
    if not any(judged):
        return None
    value, reach = 0.0, 1.0
    for rank, label in enumerate(shown[:k], 1):
        stop = (2**label - 1) / 2**top
        value += reach * stop / rank
        reach *= 1 - stop
    return value


def find_gain(label, judged, least, max_grade):
    if max_grade is None:
        return label >= least
    return label / (max(judged) if max_grade == "query" else max_grade)


def rbp(shown, judged, k=None, least=1, p=0.8, max_grade=None):
    if not n_relevant(judged, least):
        return None
    return (1 - p) * sum(
        find_gain(x, judged, least, max_grade) * p**place for place, x in enumerate(shown[:k])
    )


def rbp_residual(shown, judged, k=None, p=0.8):
    """Return the increase of RBP if all unjudged documents of an infinite ranking were relevant."""
    shown = list(shown[:k]) + [np.nan] * 500
    return (1 - p) * sum(p**place for place, label in enumerate(shown) if label != label)


@cache
def insq_weights(desired_gain):
    """Return the probability that a user looks at each rank, and its sum over an infinite ranking."""
    continues = [
        ((rank - 1 + 2 * desired_gain) / (rank + 2 * desired_gain)) ** 2 for rank in range(1, 100_000)
    ]
    looked_at = [1, *accumulate(continues, mul)]
    base = 100_000 - 1 + 2 * desired_gain
    return looked_at, sum(looked_at) + looked_at[-1] * base**2 / (base + 0.5)  # the rest is an integral


def insq(shown, judged, k=None, least=1, desired_gain=1, max_grade=None):
    if not n_relevant(judged, least):
        return None
    looked_at, total = insq_weights(desired_gain)
    found = sum(
        find_gain(x, judged, least, max_grade) * looked_at[place] for place, x in enumerate(shown[:k])
    )
    return found / total


def bpref(shown, judged, least=1, denominator="achievable"):
    total = n_relevant(judged, least)
    others = len(judged) - total
    if not total:
        return None
    most = min(total, others) if denominator == "achievable" else total
    value, above = 0.0, 0
    for label in shown:
        if label >= least:
            value += 1 - min(above, total) / most if above else 1
        else:
            above += 1
    return value / total


def fallout(shown, judged, k=None, least=1):
    others = len(judged) - n_relevant(judged, least)
    return sum(label < least for label in shown[:k]) / others if others else None


def judged_share(shown, judged, k=None):
    n_shown = len(shown[:k])
    return sum(label == label for label in shown[:k]) / n_shown if n_shown else None


def rank_sum(shown, judged):
    return sum(label * rank for rank, label in enumerate(shown, 1))


def infap(shown, judged, least=1):
    """Return the inferred AP of Yilmaz and Aslam.

    NaN marks documents that were not sampled, and a label below 0 marks documents outside the pool.
    """
    total, sums = n_relevant(judged, least), 0.0
    for place, label in enumerate(shown):
        if label >= least:
            pooled = [each for each in shown[:place] if not each < 0]
            above = [each for each in pooled if each == each]
            share = (n_relevant(above, least) + 1e-5) / (len(above) + 2e-5)
            sums += (1 + len(pooled) * share) / (place + 1)
    return sums / total if total else None


def average_rank(shown, judged, least=1):
    ranks = [rank for rank, label in enumerate(shown, 1) if label >= least]
    return sum(ranks) / len(ranks) if ranks else None


def pairwise_accuracy(shown, judged):
    pairs = [(a, b) for i, a in enumerate(shown) for b in shown[i + 1 :] if a != b]
    return sum(a > b for a, b in pairs) / len(pairs) if pairs else None


def kendall_tau_ap(shown, judged):
    """Return the mean share, over ranks >= 2, of documents above in the right order, scaled to [-1, 1].

    Equal labels count half.
    """
    if len(set(shown)) < 2:
        return None
    shares = [
        sum((above > here) + (above == here) / 2 for above in shown[:rank]) / rank
        for rank, here in enumerate(shown)
        if rank
    ]
    return 2 * sum(shares) / len(shares) - 1


def n_relevant(labels, least):
    return sum(label >= least for label in labels)


REFERENCES = {
    "dcg": dcg,
    "ndcg": ndcg,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "map": average_precision,
    "mrr": reciprocal_rank,
    "hit_rate": hit_rate,
    "r_precision": r_precision,
    "map_at_r": average_precision_at_r,
    "group_auc": auc,
    "err": err,
    "rbp": rbp,
    "rbp_residual_loss": rbp_residual,
    "insq": insq,
    "rank_sum_loss": rank_sum,
    "average_rank_loss": average_rank,
    "bpref": bpref,
    "infap": infap,
    "fallout_loss": fallout,
    "judged": judged_share,
    "pairwise_accuracy": pairwise_accuracy,
    "kendall_tau_ap": kendall_tau_ap,
}
ALL_RANKED = (
    "group_auc",
    "pairwise_accuracy",
    "kendall_tau_ap",
    "rank_sum_loss",
    "average_rank_loss",
)  # documents with score -inf are last


def by_enumeration(stem, y_true, y_score, **options):
    """Return the values of a metric over all orders of tied documents; None if undefined."""
    pairs = sorted(zip(y_score, y_true), key=lambda pair: -pair[0])
    if stem not in ALL_RANKED:  # documents with score -inf get no rank
        pairs = [pair for pair in pairs if pair[0] > -np.inf]
    runs = [[label for _, label in run] for _, run in groupby(pairs, key=lambda pair: pair[0])]
    orders = product(*(permutations(run) for run in runs))
    return [REFERENCES[stem](sum(order, ()), tuple(y_true), **options) for order in orders]
