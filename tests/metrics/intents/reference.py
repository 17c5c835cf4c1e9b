"""Simple implementations of metrics of several intents for one ranking, as in their papers."""

from itertools import pairwise, permutations
from math import log2


def fading_gains(ranked, alpha):
    """Return the gain of each rank: of each intent, (1 - alpha) ** (relevant documents above)."""
    seen = [0] * len(ranked[0])
    gains = []
    for labels in ranked:
        gains.append(sum((1 - alpha) ** n for n, label in zip(seen, labels) if label))
        seen = [n + label for n, label in zip(seen, labels)]
    return gains


def greedy(documents, alpha):
    """Return the documents in the greedy best order; of equal gains the greatest labels."""
    left, ranked = list(documents), []
    while left:
        gains = [fading_gains([*ranked, labels], alpha)[-1] for labels in left]
        highest = max(gains)
        ranked.append(max(labels for labels, gain in zip(left, gains) if gain > highest - 1e-9))
        left.remove(ranked[-1])
    return ranked


def alpha_dcg(ranked, alpha=0.5, k=None):
    gains = fading_gains(ranked, alpha) if ranked else []
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], start=1))


def nrbp(ranked, alpha=0.5, beta=0.5):
    gains = fading_gains(ranked, alpha) if ranked else []
    return sum(gain * beta**place for place, gain in enumerate(gains))


def err_sum(ranked, k=None):
    """Sum ERR of labels 0 and 1 over intents."""
    gains = fading_gains(ranked, 0.5) if ranked else []
    return sum(gain / 2 / rank for rank, gain in enumerate(gains[:k], start=1))


def covered(ranked, k):
    return sum(any(column) for column in zip(*ranked[:k]))


def mean_over_orders(documents, scores, value):
    """Return the mean value over all orders of tied documents; those at -inf have no rank."""
    shown = [(score, labels) for score, labels in zip(scores, documents) if score > -float("inf")]
    values = []
    for order in permutations(range(len(shown))):
        if all(shown[a][0] >= shown[b][0] for a, b in pairwise(order)):
            values.append(value([shown[place][1] for place in order]))
    return sum(values) / len(values)


def n_present(documents):
    return sum(any(column) for column in zip(*documents))
