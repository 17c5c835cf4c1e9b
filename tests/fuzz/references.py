"""Slow references of seven metrics: the mean over all orders of tied documents, for plain arguments."""

from contextlib import suppress
from math import factorial, isnan, nan, prod

import numpy as np

from tests.helpers.reference import by_enumeration

STEMS = ("ndcg", "map", "mrr", "group_auc", "precision", "recall", "f1")
PASSED = {"k": "k", "min_relevance": "least", "beta": "beta", "denominator": "denominator", "ideal": "ideal"}
PASSED |= {"adaptive_k": "adaptive_k", "max_fpr": "max_fpr"}
READ = {*PASSED, "y_true", "y_score", "groups", "sample_weight", "gain", "discount", "ties", "unjudged"}
READ |= {"zero_division", "average", "n_jobs"}
MOST_ORDERS, MOST_ROWS, RANGE = 720, 60, (1e-9, 1e9)  # of a query; of a call; of labels and weights
COMBINE = {"average": lambda values: sum(values) / len(values), "order": lambda values: values[0]}
COMBINE |= {"best": max, "worst": min}
DISCOUNTS = {"log2": lambda ranks: 1 / np.log2(ranks + 1), "reciprocal": lambda ranks: 1 / ranks}
DISCOUNTS |= {None: np.ones_like}


class TooHardError(Exception):
    """The reference does not read these arguments."""


def judge_by_reference(stem, result, given):
    """Return what is wrong with a result, "" if it is equal to the reference, or None without a reference."""
    try:
        expected = compute(stem, **given)
    except (TooHardError, OverflowError):
        return None
    if np.shape(result) == np.shape(expected) and np.allclose(result, expected, 1e-9, 1e-9, equal_nan=True):
        return ""
    return f"{result!r} in place of {expected!r} of the reference"


def compute(stem, y_true, y_score, groups=None, sample_weight=None, zero_division=0.0, **given):
    """Compute a metric in its slow way."""
    average = given.get("average", "macro")
    if set(given) - READ or not (average is None or average in ("macro", "weighted")):
        raise TooHardError
    if given.get("denominator") == "achievable" and given.get("k") is None and stem == "recall":
        raise TooHardError
    if groups is None:
        ids = [query for query, row in enumerate(y_true) for _ in row]
        labels, scores = ([each for row in rows for each in row] for rows in (y_true, y_score))
    else:
        ids, labels, scores = map(read_list, (groups, y_true, y_score))
    labels, scores = read_numbers(labels), read_numbers(scores)
    weights = [1.0] * len(ids) if sample_weight is None else read_numbers(read_list(sample_weight))
    if not len(ids) == len(labels) == len(scores) == len(weights) <= MOST_ROWS:
        raise TooHardError
    if any(each and not RANGE[0] <= abs(each) <= RANGE[1] for each in (*labels, *weights) if not isnan(each)):
        raise TooHardError
    values, of_queries = [], []
    for query in sorted(set(ids)):
        rows = [row for row, each in enumerate(ids) if each == query]
        values.append(find_value(stem, [labels[row] for row in rows], [scores[row] for row in rows], given))
        of_queries.append(weights[rows[0]] * (len(rows) if average == "weighted" else 1))
    values = [float(zero_division) if each is None else each for each in values]
    if average is None:
        return np.array(values)
    defined = [(each, weight) for each, weight in zip(values, of_queries) if not isnan(each)]
    total = sum(weight for _, weight in defined)
    return sum(each * weight for each, weight in defined) / total if total else nan


def find_value(stem, labels, scores, given):
    """Return the value of one query, or None if it is not defined."""
    if any(map(isnan, labels)):
        if given.get("unjudged") not in ("nonrelevant", "drop") or given.get("average") == "weighted":
            raise TooHardError
        kept = [not isnan(label) or given["unjudged"] == "nonrelevant" for label in labels]
        scores = [score for score, is_kept in zip(scores, kept) if is_kept]
        labels = [0.0 if isnan(label) else label for label, is_kept in zip(labels, kept) if is_kept]
    runs = [scores.count(score) for score in set(scores)]
    if prod(map(factorial, runs)) > MOST_ORDERS or any(map(isnan, scores)):
        raise TooHardError
    options = {PASSED[name]: read_option(name, given[name]) for name in PASSED.keys() & given}
    if stem == "ndcg":
        options["gain"] = find_gain(given.get("gain", "linear"))
        discount = given.get("discount", "log2")
        discount = discount if callable(discount) else DISCOUNTS[discount]
        options["discount"] = lambda rank: float(discount(np.array([float(rank)]))[0])
    values = by_enumeration(stem, labels, scores, **options)
    return None if None in values else COMBINE[given.get("ties", "average")](values)


def find_gain(gain):
    """Return the gain of one label as a function."""
    if isinstance(gain, str):
        return float if gain == "linear" else lambda label: 2**label - 1
    if callable(gain):
        return lambda label: float(np.asarray(gain(np.array([label])))[0])
    return lambda label: float(gain[int(label)])


def read_option(name, value):
    """Return an option as the reference takes it."""
    return value if name in ("k", "denominator", "ideal", "adaptive_k") else float(value)


def read_list(values):
    """Return a plain list or array as a list."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "biufU":
        return values.tolist()
    with suppress(TypeError):  # values that cannot be hashed
        if type(values) in (list, tuple) and set(values) and len({type(each) for each in values}) == 1:
            return list(values)
    raise TooHardError


def read_numbers(values):
    """Return a list of numbers."""
    if all(type(each) in (int, float, bool) for each in values):
        return values
    raise TooHardError
