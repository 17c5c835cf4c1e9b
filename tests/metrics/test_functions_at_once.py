"""Functions of scikit-learn that are computed for all groups at once."""

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    roc_auc_score,
)

from sklearn_rank import group_score

OF_SCORES = [log_loss, brier_score_loss, mean_squared_error, mean_absolute_error, roc_auc_score]
OF_SCORES += [average_precision_score]
NAMES = [each.__name__ for each in OF_SCORES]


def make_rows(kind):
    """Return labels, probabilities and groups of 40 groups; some have one row or one class."""
    rng = np.random.default_rng(0)
    groups = np.concatenate([np.arange(40), rng.integers(0, 40, 500)])
    y_true = rng.integers(0, 2, len(groups))
    y_true[groups < 4], y_true[(groups >= 4) & (groups < 8)] = 0, 1
    y_pred = np.clip(rng.random(len(groups)), 0, 1)
    if kind == "ties":
        y_pred = y_pred.round(1)
    if kind == "float32":
        y_pred = y_pred.astype(np.float32)
    if kind == "bool":
        y_true = y_true.astype(bool)
    if kind == "constant":
        y_pred[:] = 0.5
    order = np.argsort(groups, kind="stable") if kind == "sorted" else rng.permutation(len(groups))
    return y_true[order], y_pred[order], groups[order]


def each_alone(function, y_true, y_pred, groups):
    options = {"labels": [0, 1]} if function is log_loss else {}
    values = []
    for group in np.unique(groups):
        inside = groups == group
        n_classes = len(np.unique(y_true[inside]))
        has_none = function is average_precision_score and not y_true[inside].any()
        if has_none or (function is roc_auc_score and n_classes == 1):
            values.append(np.nan)
        else:
            values.append(function(y_true[inside], y_pred[inside], **options))
    return values


@pytest.mark.parametrize("kind", ["shuffled", "sorted", "ties", "constant", "float32", "bool"])
@pytest.mark.parametrize("function", OF_SCORES, ids=NAMES)
def test_values_equal_scikit_learn_in_each_group(function, kind):
    y_true, y_pred, groups = make_rows(kind)
    y_true = y_true.astype(int) if function in (mean_squared_error, mean_absolute_error) else y_true
    got = group_score(function, y_true, y_pred, groups=groups, average=None)
    np.testing.assert_allclose(got, each_alone(function, y_true, y_pred, groups), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", ["shuffled", "sorted"])
def test_accuracy_equals_scikit_learn_in_each_group(kind):
    y_true, y_pred, groups = make_rows(kind)
    classes = (y_pred > 0.5).astype(int)
    got = group_score(accuracy_score, y_true, classes, groups=groups, average=None)
    np.testing.assert_allclose(got, each_alone(accuracy_score, y_true, classes, groups), rtol=1e-12)


@pytest.mark.parametrize("function", OF_SCORES, ids=NAMES)
def test_mean_uses_weights_of_groups(function):
    y_true, y_pred, groups = make_rows("ties")
    values = np.array(each_alone(function, y_true, y_pred, groups))
    weights = np.arange(1.0, 41)
    known = ~np.isnan(values)
    got = group_score(function, y_true, y_pred, groups=groups, sample_weight=weights[groups])
    assert got == pytest.approx(np.average(values[known], weights=weights[known]), rel=1e-12)


@pytest.mark.parametrize("function", OF_SCORES, ids=NAMES)
def test_weighted_average_counts_rows(function):
    y_true, y_pred, groups = make_rows("ties")
    values, sizes = np.array(each_alone(function, y_true, y_pred, groups)), np.bincount(groups)
    known = ~np.isnan(values)
    got = group_score(function, y_true, y_pred, groups=groups, average="weighted")
    assert got == pytest.approx(np.average(values[known], weights=sizes[known]), rel=1e-12)


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("function", [roc_auc_score, average_precision_score], ids=lambda each: each.__name__)
def test_undefined_group_has_value_of_zero_division(function, value):
    got = group_score(
        function, [0, 0, 1, 0], [1, 2, 2, 1], groups=list("aabb"), zero_division=value, average=None
    )
    np.testing.assert_array_equal(got, [value, 1.0])


def test_log_loss_of_several_classes_and_text():
    y_true, odds = ["a", "b", "c"], [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]
    got = group_score(log_loss, y_true, odds, groups=[0, 1, 1], average=None)
    np.testing.assert_allclose(got, [-np.log(0.5), -(np.log(0.8) + np.log(0.6)) / 2])


def test_log_loss_of_one_class_in_all_rows_counts_it_as_0_or_1():
    got = group_score(log_loss, [0, 0], [0.25, 0.5], groups=[0, 1], average=None)
    np.testing.assert_allclose(got, [-np.log(0.75), -np.log(0.5)])


def test_log_loss_is_finite_for_probabilities_0_and_1():
    got = group_score(log_loss, [0, 1], [1.0, 0.0], groups=[0, 1], average=None)
    np.testing.assert_allclose(got, [log_loss([0], [1.0], labels=[0, 1])] * 2)


# Inputs for which scikit-learn's function is called: it rejects them, or has other options.
REJECTED = {
    "log loss above 1": (log_loss, [0, 1], [0.5, 1.5], {}),
    "log loss below 0": (log_loss, [0, 1], [0.5, -0.5], {}),
    "Brier score above 1": (brier_score_loss, [0, 1], [0.5, 1.5], {}),
    "accuracy of scores": (accuracy_score, [0, 1], [0.5, 0.2], {}),
    "infinite score": (roc_auc_score, [0, 1], [0.5, np.inf], {}),
    "NaN label": (mean_squared_error, [0.0, np.nan], [0.5, 1], {}),
    "columns for other classes": (log_loss, [0, 1], [[0.2, 0.3, 0.5]] * 2, {"labels": [0, 1]}),
    "labels as objects": (log_loss, np.array([0, "a"], dtype=object), [0.5, 0.5], {}),
}


@pytest.mark.parametrize("case", REJECTED)
def test_input_that_scikit_learn_rejects_raises(case):
    function, y_true, y_pred, options = REJECTED[case]
    with pytest.raises((ValueError, TypeError)):
        group_score(function, y_true, y_pred, groups=[0, 0], **options)


OTHERS = {
    "classes -1 and 1": (roc_auc_score, [-1, 1, 1, -1], [0.1, 0.9, 0.2, 0.3], {}, [1.0, 0.0]),
    "two columns": (mean_absolute_error, [[1, 2], [3, 4]] * 2, [[1, 3], [3, 3]] * 2, {}, [0.5, 0.5]),
    "text": (accuracy_score, ["a", "b", "a", "b"], ["a", "b", "a", "a"], {}, [1.0, 0.5]),
    "columns of classes": (accuracy_score, [[0, 1], [1, 1]] * 2, [[0, 1], [1, 0]] * 2, {}, [0.5, 0.5]),
    "columns of scores": (roc_auc_score, [[0], [1]] * 2, [[0.1], [0.2]] * 2, {}, [1.0, 1.0]),
    "several labels per row": (roc_auc_score, [[0, 1], [1, 0]] * 2, [[0.1, 0.9], [0.2, 0.1]] * 2, {}, [1, 1]),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_inputs_have_values_of_scikit_learn(case):
    function, y_true, y_pred, options, expected = OTHERS[case]
    got = group_score(function, y_true, y_pred, groups=[0, 0, 1, 1], average=None, **options)
    np.testing.assert_allclose(got, expected)


def test_option_of_function_counts():
    got = group_score(accuracy_score, [0, 1, 1], [0, 0, 1], groups=[0, 0, 0], normalize=False)
    assert got == 2
