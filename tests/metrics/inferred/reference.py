"""Published formula of inferred AP for one ranking, document by document."""

from itertools import groupby, permutations, product

import numpy as np

EPSILON = 0.00001


def xinfap(ranked, unseen, prior=0.5):
    """Infer the AP of documents (label or None, stratum or None) in rank order, and of others in the pool."""
    pool = [each for each in [*ranked, *unseen] if each[1] is not None]
    strata = sorted({stratum for _, stratum in pool})
    n_relevant, sums = {}, dict.fromkeys(strata, 0.0)
    scale = {}
    for stratum in strata:
        labels = [label for label, of in pool if of == stratum]
        judged = [label for label in labels if label is not None]
        n_relevant[stratum] = sum(label >= 1 for label in judged)
        scale[stratum] = len(labels) / len(judged) if judged else 0
    total = sum(scale[stratum] * n_relevant[stratum] for stratum in strata)
    for place, (label, own) in enumerate(ranked):
        if own is None or label is None or label < 1:
            continue
        expected = 1.0
        for stratum in strata:
            above = [each for each, of in ranked[:place] if of == stratum]
            judged = [each for each in above if each is not None]
            good = sum(each >= 1 for each in judged)
            expected += len(above) * (good + EPSILON) / (len(judged) + EPSILON / prior)
        sums[own] += expected / (place + 1)
    return sum(scale[stratum] * sums[stratum] for stratum in strata) / total if total else None


def over_orders(y_true, y_score, strata, prior=0.5):
    """List the values over all orders of tied documents; None where there is none."""
    rows = [
        (score, (None if np.isnan(label) else label, None if stratum < 0 else stratum))
        for label, score, stratum in zip(y_true, y_score, strata)
    ]
    rows.sort(key=lambda row: -row[0])
    shown, unseen = [row for row in rows if row[0] > -np.inf], [row[1] for row in rows if row[0] == -np.inf]
    runs = [[row[1] for row in run] for _, run in groupby(shown, key=lambda row: row[0])]
    orders = product(*(permutations(run) for run in runs))
    return [xinfap(sum(order, ()), unseen, prior) for order in orders]
