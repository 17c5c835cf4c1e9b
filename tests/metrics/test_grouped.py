"""`group_score` and its scorer for any metric."""

import pickle
import warnings
from copy import copy
from functools import partial, wraps
from inspect import signature
from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    d2_absolute_error_score,
    f1_score,
    jaccard_score,
    log_loss,
    mean_absolute_error,
    mean_pinball_loss,
    precision_score,
    r2_score,
    recall_score,
    roc_auc_score,
    root_mean_squared_error,
)

from sklearn_rank import (
    GridSearchCV,
    cross_val_score,
    cross_validate,
    group_auc_score,
    group_score,
    make_group_scorer,
)
from tests.helpers.naming import PUBLIC, name_of

REGRESSION = [root_mean_squared_error, mean_absolute_error, r2_score]
CLASSIFICATION = [accuracy_score, f1_score, average_precision_score, roc_auc_score]


@pytest.fixture
def users():
    """Numbers, predictions and string ids of 30 users in mixed order, with two rows or more each."""
    rng = np.random.default_rng(0)
    ids = np.concatenate([np.arange(30).repeat(2), rng.integers(0, 30, 240)])
    rng.shuffle(ids)
    y_true = rng.standard_normal(300)
    return y_true, y_true + rng.standard_normal(300), np.char.add("u", ids.astype(str))


def each_alone(metric, y_true, y_pred, ids, **options):
    return [metric(y_true[ids == user], y_pred[ids == user], **options) for user in np.unique(ids)]


@pytest.mark.parametrize("metric", REGRESSION)
def test_group_score_computes_metric_of_each_group(metric, users):
    got = group_score(metric, *users[:2], groups=users[2], average=None)
    np.testing.assert_allclose(got, each_alone(metric, *users), rtol=1e-12)


def test_group_score_averages_and_weights_groups(users):
    y_true, y_pred, ids = users
    values = np.array(each_alone(mean_absolute_error, *users))
    sizes = np.unique(ids, return_counts=True)[1]
    score = partial(group_score, mean_absolute_error, y_true, y_pred, groups=ids)
    assert score() == pytest.approx(values.mean(), abs=1e-12)
    assert score(average="weighted") == pytest.approx(np.average(values, weights=sizes), abs=1e-12)
    assert score(average="weighted") == pytest.approx(mean_absolute_error(y_true, y_pred), abs=1e-12)
    weights = 1 + np.unique(ids, return_inverse=True)[1] % 3
    expected = np.average(values, weights=1 + np.arange(30) % 3)
    assert score(sample_weight=weights) == pytest.approx(expected, abs=1e-12)
    assert type(score()) is float


def test_group_score_passes_options_to_function(users):
    got = group_score(mean_pinball_loss, *users[:2], groups=users[2], alpha=0.1, average=None)
    np.testing.assert_array_equal(got, each_alone(mean_pinball_loss, *users, alpha=0.1))


def test_group_score_accepts_custom_function_and_labels_of_any_type():
    y_true, y_pred = np.array(["yes", "no", "yes"]), np.array(["yes", "yes", "no"])
    got = group_score(
        lambda t, p: (t == p).sum(), y_true, y_pred, groups=[(1, 2), (1, 2), (0, 0)], average=None
    )
    np.testing.assert_array_equal(got, [0, 1])


def test_group_score_accepts_probabilities_of_several_classes():
    y_true, y_pred = (
        [0, 1, 2, 1],
        np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.4, 0.1]]),
    )
    got = group_score(log_loss, y_true, y_pred, groups=[0, 0, 1, 1], labels=[0, 1, 2], average=None)
    np.testing.assert_allclose(got, [-np.log(0.8), -(np.log(0.6) + np.log(0.4)) / 2])


@pytest.mark.parametrize("value", [0.0, 1.0, np.nan])
def test_group_score_uses_zero_division_for_group_without_positives(value):
    y_true, y_pred, ids = [1, 0, 0, 0, 0, 1], [0.9, 0.1, 0.8, 0.2, 0.4, 0.6], [0, 0, 1, 1, 2, 2]
    got = group_score(average_precision_score, y_true, y_pred, groups=ids, zero_division=value, average=None)
    np.testing.assert_array_equal(got, [1, value, 1])


def test_group_score_of_log_loss_accepts_labels_option():
    got = group_score(log_loss, [0, 1, 1], [0.25, 0.5, 0.5], groups=[1, 1, 2], labels=[0, 1], average=None)
    np.testing.assert_allclose(got, [-(np.log(0.75) + np.log(0.5)) / 2, -np.log(0.5)])


@pytest.mark.parametrize("value", [np.bool_(True), np.array(1.0), np.float32(1)], ids=repr)
def test_group_score_accepts_numpy_scalar_as_value(value):
    assert group_score(lambda y_true, y_pred: value, [1, 2], [1, 2], groups=[0, 1]) == 1


@pytest.mark.parametrize("value", [0.0, 1.0, np.nan])
@pytest.mark.parametrize("metric", [roc_auc_score, r2_score, f1_score])
def test_group_score_uses_zero_division_for_undefined_group(metric, value):
    y_true, y_pred, ids = [0, 1, 0, 1], [0, 1, 0, 1], ["a", "b", "c", "c"]
    got = group_score(metric, y_true, y_pred, groups=ids, zero_division=value, average=None)
    np.testing.assert_array_equal(got, [value, 1.0 if metric is f1_score else value, 1.0])


@pytest.mark.parametrize("metric", [precision_score, recall_score, f1_score, jaccard_score])
def test_group_score_is_undefined_if_scikit_learn_warns_that_it_is(metric):
    kinds = np.array(list(product([0, 1], repeat=4)))  # all pairs of rows that two labels can make
    y_true, y_pred = kinds[:, :2], kinds[:, 2:]
    got = group_score(metric, y_true.ravel(), y_pred.ravel(), groups=np.arange(16).repeat(2), average=None)
    for value, true, predicted in zip(got, y_true, y_pred):
        try:
            assert value == metric(true, predicted)
        except UndefinedMetricWarning:
            assert np.isnan(value)


def test_group_score_keeps_zero_division_of_function():
    score = partial(f1_score, zero_division=1)
    assert group_score(score, [0, 1], [0, 0], groups=[0, 1], average=None).tolist() == [1, 0]


UNDEFINED_OF_ONE = [
    roc_auc_score,
    average_precision_score,
    partial(average_precision_score, pos_label=1),
    r2_score,
    d2_absolute_error_score,
]


@pytest.mark.parametrize("action", ["error", "ignore", "always"])
@pytest.mark.parametrize("shape", [(3,), (3, 1)], ids=str)
@pytest.mark.parametrize("metric", UNDEFINED_OF_ONE)
def test_group_score_excludes_undefined_group_without_warning(metric, shape, action):
    y_true, y_pred = np.array([0, 1, 0]), np.array([0, 1, 1])
    with warnings.catch_warnings(record=True, action=action) as warned:
        got = group_score(
            metric, y_true.reshape(shape), y_pred.reshape(shape), groups=[0, 1, 1], average=None
        )
    np.testing.assert_array_equal(got, [np.nan, metric(y_true[1:], y_pred[1:])])
    assert not warned


@pytest.mark.parametrize(
    ("metric", "parameter"), [*((metric, "y_pred") for metric in UNDEFINED_OF_ONE), (r2_score, "y_true")]
)
def test_group_score_rejects_nan_in_undefined_group(metric, parameter):
    given = {"y_true": [0, 1, 0], "y_pred": [0.0, 1, 1], parameter: [np.nan, 0, 1]}
    with pytest.raises(ValueError, match=r"contains NaN\.") as error:
        group_score(metric, groups=[0, 1, 1], **given)
    assert error.value.__notes__ == ["This happened in group_score, in the group 0."]


@pytest.mark.parametrize("pos_label", ["no", "yes"])
def test_group_score_uses_pos_label_to_find_undefined_groups(pos_label):
    y_true, y_pred, ids = np.array(["no", "no", "yes"]), [0.1, 0.2, 0.3], [0, 1, 1]
    metric = partial(average_precision_score, pos_label=pos_label)
    got = group_score(metric, y_true, y_pred, groups=ids, average=None)
    np.testing.assert_array_equal(got, [1 if pos_label == "no" else np.nan, metric(y_true[1:], y_pred[1:])])


def test_group_score_of_multilabel_matches_scikit_learn_with_warning():
    y_true, y_pred = np.array([[1, 0], [0, 0]]), np.array([[0.9, 0.1], [0.2, 0.3]])
    with pytest.warns(UserWarning, match="No positive class found"):
        assert group_score(average_precision_score, y_true, y_pred, groups=["a", "a"]) == 0.5


def test_group_score_of_wrapped_function_keeps_its_zero_division():
    @wraps(f1_score)
    def score(y_true, y_pred):
        return f1_score(y_true, y_pred, zero_division=1.0)

    assert group_score(score, [0, 1], [0, 1], groups=[0, 1], average=None).tolist() == [1, 1]


def test_group_score_leaves_warning_filters_unchanged():
    def are_the_same(y_true, y_pred):
        return warnings.filters is filters and filters == before

    filters, before = warnings.filters, list(warnings.filters)
    assert group_score(are_the_same, [1, 0], [1, 0], groups=["a", "b"]) == 1


def test_group_score_excludes_undefined_groups_from_mean():
    y_true, y_pred, ids = [1, 0, 1, 0, 0], [0.9, 0.1, 0.2, 0.8, 0.5], [1, 1, 2, 2, 3]
    assert group_score(roc_auc_score, y_true, y_pred, groups=ids) == 0.5
    assert group_auc_score(y_true, y_pred, groups=ids) == 0.5


def test_group_score_warns_and_returns_nan_if_no_group_is_defined():
    with pytest.warns(UndefinedMetricWarning, match="group_score is undefined"):
        assert np.isnan(group_score(lambda y_true, y_pred: np.nan, [1, 2], [1, 2], groups=[0, 1]))


def test_group_score_raises_warnings_that_are_errors():
    def warn(y_true, y_pred):
        raise UserWarning("as under -W error")

    with pytest.raises(UserWarning, match="as under -W error"):
        group_score(warn, [1, 0], [1, 0], groups=["a", "a"])


def test_group_score_error_names_the_group():
    with pytest.raises(ValueError, match="multiclass") as error:
        group_score(f1_score, [0, 1, 2, 1], [0, 1, 0, 1], groups=["ann", "ann", "bob", "bob"])
    assert error.value.__notes__ == ["This happened in group_score, in the group 'bob'."]


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"score_func": "rmse"}, "score_func"),
        ({"score_func": lambda y_true, y_pred: "high"}, "score_func"),
        ({"score_func": lambda y_true, y_pred: y_pred}, "score_func"),
        ({"y_pred": [1, 2]}, "y_pred"),
        ({"y_true": [], "y_pred": [], "groups": []}, "y_true"),
        ({"y_true": None}, "y_true"),
        ({"groups": None}, "groups"),
        ({"groups": [0, None, 1]}, "groups"),
        ({"average": "micro"}, "average"),
        ({"zero_division": 0.5}, "zero_division"),
        ({"sample_weight": [1, 2, 1]}, "sample_weight"),
        ({"sample_weight": [1, 1]}, "sample_weight"),
    ],
    ids=name_of,
)
def test_group_score_names_invalid_argument(change, parameter):
    given = {"score_func": r2_score, "y_true": [1, 2, 3], "y_pred": [1, 2, 3], "groups": [0, 0, 1]} | change
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of group_score must"):
        group_score(given.pop("score_func"), given.pop("y_true"), given.pop("y_pred"), **given)


# ------------------------------------------------------------------ scorers


@pytest.mark.parametrize("metric", REGRESSION)
def test_group_scorer_equals_group_score_of_predictions(metric, routing, model, ranking_data):
    X, y, groups = ranking_data
    expected = group_score(metric, y, model.predict(X), groups=groups)
    assert make_group_scorer(metric)(model, X, y, groups=groups) == expected
    assert make_group_scorer(metric, greater_is_better=False)(model, X, y, groups=groups) == -expected


@pytest.mark.parametrize("method", ["predict_proba", "decision_function", ["predict_proba", "predict"]])
def test_group_scorer_uses_response_method(method, ranking_data):
    X, y, groups = ranking_data
    model = LogisticRegression().fit(X, y > 1)
    scorer = make_group_scorer(roc_auc_score, response_method=method)
    expected = group_auc_score(y > 1, model.predict_proba(X)[:, 1], groups=groups)
    assert scorer(model, X, y > 1, groups=groups) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_group_scorer_works_in_cross_validation_and_search(n_jobs, routing, ranking_data, folds, by_hand):
    X, y, groups = ranking_data
    scorer = make_group_scorer(root_mean_squared_error, greater_is_better=False, average="weighted")
    expected = by_hand(Ridge(), metric=partial(group_score, root_mean_squared_error), average="weighted")
    got = cross_val_score(Ridge(), X, y, scoring=scorer, groups=groups, cv=folds, n_jobs=n_jobs)
    np.testing.assert_allclose(got, -np.array(expected))
    results = cross_validate(
        Ridge(), X, y, scoring={"a": scorer, "b": "ndcg"}, groups=groups, cv=folds, n_jobs=n_jobs
    )
    np.testing.assert_array_equal(results["test_a"], got)
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring=scorer, cv=folds).fit(X, y, groups=groups)
    assert search.best_score_ == got.mean()


def test_group_scorer_reads_ids_by_name(ranking_data, model):
    pandas = pytest.importorskip("pandas")
    X, y, groups = ranking_data
    frame = pandas.DataFrame(X, index=pandas.Index(groups, name="user"))
    scorer = make_group_scorer(mean_absolute_error, groups="user")
    expected = group_score(mean_absolute_error, y, model.predict(X), groups=groups)
    assert scorer(model, frame.set_axis(range(5), axis=1), y) == pytest.approx(expected, abs=1e-12)


def test_group_scorer_error_without_ids_shows_ways_to_pass_them(model, ranking_data):
    X, y, _ = ranking_data
    with pytest.raises(ValueError, match=r"make_group_scorer\(r2_score\) received no query ids"):
        make_group_scorer(r2_score)(model, X, y)


@pytest.mark.parametrize("make_copy", [copy, lambda scorer: pickle.loads(pickle.dumps(scorer))])
def test_group_scorer_copy_returns_same_score(make_copy, model, ranking_data):
    X, y, groups = ranking_data
    scorer = make_group_scorer(mean_pinball_loss, greater_is_better=False, alpha=0.3)
    scorer.set_score_request(sample_weight=True)
    again = make_copy(scorer)
    assert again(model, X, y, groups=groups) == scorer(model, X, y, groups=groups)
    assert again.score_request == {"sample_weight": True}


def test_group_scorer_description_is_code_that_makes_it():
    scorer = make_group_scorer(
        f1_score, response_method="predict", average="weighted", zero_division=0.0, groups="user", pos_label=2
    )
    made = eval(scorer.describe(), {**PUBLIC, "f1_score": f1_score})
    assert repr(made) == repr(scorer)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"average": None}, "average"),
        ({"average": "micro"}, "average"),
        ({"zero_division": "warn"}, "zero_division"),
        ({"greater_is_better": 1}, "greater_is_better"),
        ({"response_method": "score"}, "response_method"),
        ({"groups": 5}, "groups"),
        ({"sample_weight": [1, 2]}, "sample_weight"),
    ],
    ids=name_of,
)
def test_make_group_scorer_rejects_invalid_options(options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of make_group_scorer must"):
        make_group_scorer(r2_score, **options)
    with pytest.raises(ValueError, match="'score_func' parameter of make_group_scorer must"):
        make_group_scorer("r2")


@pytest.mark.parametrize("score_func", [r2_score, mean_absolute_error])
def test_progress_bar_counts_groups_of_functions_that_are_called_for_each(score_func, capsys):
    pytest.importorskip("tqdm")
    rows = [1.0, 2, 3, 5], [1.0, 2, 4, 5]
    value = group_score(score_func, *rows, groups=[0, 0, 1, 1], progress=True)
    bar = capsys.readouterr().err.rpartition("\r")[2]
    assert bar.startswith("scoring: 100%") if score_func is r2_score else bar == ""
    assert value == group_score(score_func, *rows, groups=[0, 0, 1, 1])


def test_progress_must_be_true_or_false():
    with pytest.raises(ValueError, match="'progress' parameter of group_score must be True or False"):
        group_score(r2_score, [1, 2], [1, 2], groups=[0, 0], progress="yes")


def test_scorer_takes_functions_without_a_signature():
    with pytest.raises(ValueError, match="signature"):
        signature(max)
    assert repr(make_group_scorer(max)) == "make_group_scorer(max)"
