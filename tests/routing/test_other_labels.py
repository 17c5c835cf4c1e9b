"""Labels for scoring other than the training labels: how they reach scorers, and errors."""

import warnings

import numpy as np
import pytest
import sklearn.model_selection
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, mean_absolute_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    cross_val_report,
    cross_val_score,
    cross_validate,
    dcg_score,
    dcg_scorer,
    group_score,
    learning_curve,
    make_group_scorer,
    ndcg_scorer,
    permutation_importance,
    permutation_test_score,
    ranking_scorer,
    validation_curve,
)
from sklearn_rank.model_selection import HalvingGridSearchCV

SCORER = dcg_scorer(k=5, signed=True, labels="debiased")
GRID = {"alpha": [0.1, 1000.0]}


@pytest.fixture
def data(ranking_data):
    """Features, clicks to train on, debiased labels to score by, ids."""
    X, y, groups = ranking_data
    random = np.random.default_rng(0)
    clicks = (random.random(len(y)) < 0.3 * y).astype(float)
    return X, clicks, clicks / 0.3 - 0.2, groups


def by_hand(model, X, y, labels, groups, cv=3, **weights):
    """Train on y and score by the labels, fold after fold."""
    values = []
    for train, test in BalancedGroupKFold(cv).split(X, y, groups=groups):
        of_train = {name: each[train] for name, each in weights.items()}
        fitted = clone(model).fit(X[train], y[train], **of_train)
        given = {"groups": groups[test], "k": 5, "signed": True}
        values.append(dcg_score(labels[test], fitted.predict(X[test]), **given))
    return np.array(values)


@pytest.fixture
def expected(data):
    return by_hand(Ridge(), *data)


# ------------------------------------------------------------------ sources of labels


def test_cross_val_score_reads_scoring_labels_from_params(data, expected, routing):
    X, clicks, debiased, groups = data
    given = {"scoring": SCORER, "groups": groups, "cv": 3, "params": {"debiased": debiased}}
    assert cross_val_score(Ridge(), X, clicks, **given).tolist() == expected.tolist()


def test_scikit_learn_passes_scoring_labels_by_metadata_routing(data, expected):
    X, clicks, debiased, groups = data
    params = {"groups": groups, "debiased": debiased}
    with config_context(enable_metadata_routing=True):
        got = sklearn.model_selection.cross_val_score(
            Ridge(), X, clicks, scoring=SCORER, cv=BalancedGroupKFold(3), params=params
        )
        search = sklearn.model_selection.GridSearchCV(Ridge(), GRID, scoring=SCORER, cv=BalancedGroupKFold(3))
        search.fit(X, clicks, **params)
        assert search.score(X, clicks, **params) == SCORER(
            search.best_estimator_, X, clicks, groups=groups, labels=debiased
        )
    assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("place", ["X", "y"])
def test_cross_val_score_reads_scoring_labels_from_the_index(place, data, expected):
    pandas = pytest.importorskip("pandas")
    X, clicks, debiased, groups = data
    index = pandas.Index(debiased, name="debiased")
    rows = {"X": pandas.DataFrame(X, index=index), "y": clicks}
    if place == "y":
        rows = {"X": X, "y": pandas.Series(clicks, index=index)}
    got = cross_val_score(Ridge(), **rows, scoring=SCORER, groups=groups, cv=3)
    assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_cross_val_score_reads_scoring_labels_from_a_column(library, data, expected):
    frames = pytest.importorskip(library)
    X, clicks, debiased, groups = data
    names = [f"x{i}" for i in range(X.shape[1])]
    frame = frames.DataFrame(dict(zip(names, X.T)) | {"debiased": debiased})
    model = make_pipeline(FunctionTransformer(lambda rows: rows[names]), Ridge())
    got = cross_val_score(model, frame, clicks, scoring=SCORER, groups=groups, cv=3)
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    fitted = clone(model).fit(frame, clicks)
    assert SCORER(fitted, frame, clicks, groups=groups) == SCORER(
        fitted, frame, clicks, groups=groups, labels=debiased
    )


def test_scorer_accepts_scoring_labels(data, routing):
    X, clicks, debiased, groups = data
    model = Ridge().fit(X, clicks)
    got = SCORER(model, X, clicks, groups=groups, labels=debiased)
    assert got == dcg_score(debiased, model.predict(X), groups=groups, k=5, signed=True)


def test_scorer_with_labels_uses_decision_function_of_classifiers(data):
    X, clicks, debiased, groups = data
    model = LogisticRegression().fit(X, clicks)
    got = SCORER(model, X, clicks, groups=groups, labels=debiased)
    assert got == dcg_score(debiased, model.decision_function(X), groups=groups, k=5, signed=True)


def test_scorer_requests_and_describes_scoring_labels():
    assert get_routing_for_object(SCORER).score.requests["labels"] == "debiased"
    assert "labels" not in get_routing_for_object(dcg_scorer()).score.requests
    assert SCORER.describe() == "dcg_scorer(k=5, signed=True, labels='debiased')"
    assert ranking_scorer(["map"], labels="grades").describe() == (
        "ranking_scorer(metrics=['map'], labels='grades')"
    )


# ------------------------------------------------------------------ drop-ins and searches


def test_cross_val_score_passes_weights_to_fit_and_labels_to_scorer(data):
    X, clicks, debiased, groups = data
    weights = np.random.default_rng(1).random(len(clicks)) + 0.5
    params = {"debiased": debiased, "sample_weight": weights}
    got = cross_val_score(Ridge(), X, clicks, scoring=SCORER, groups=groups, cv=3, params=params)
    assert got.tolist() == by_hand(Ridge(), *data, sample_weight=weights).tolist()


def test_cross_validate_mixes_scorers_by_y_and_by_labels(data, expected):
    X, clicks, debiased, groups = data
    scoring = {"clicks": "ndcg@5", "debiased": SCORER}
    options = {"groups": groups, "cv": 3, "params": {"debiased": debiased}}
    got = cross_validate(Ridge(), X, clicks, scoring=scoring, **options)
    plain = cross_val_score(Ridge(), X, clicks, scoring="ndcg@5", groups=groups, cv=3)
    assert got["test_debiased"].tolist() == expected.tolist()
    assert got["test_clicks"].tolist() == plain.tolist()


@pytest.mark.parametrize("model", [Ridge(), make_pipeline(StandardScaler(), Ridge())], ids=["ridge", "steps"])
def test_grid_search_chooses_by_scoring_labels(model, data, routing):
    X, clicks, debiased, groups = data
    name = "alpha" if isinstance(model, Ridge) else "ridge__alpha"
    candidates = [clone(model).set_params(**{name: alpha}) for alpha in GRID["alpha"]]
    by_candidate = [by_hand(each, *data).mean() for each in candidates]
    search = GridSearchCV(model, {name: GRID["alpha"]}, scoring=SCORER, cv=3)
    search.fit(X, clicks, groups=groups, debiased=debiased)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_candidate, rtol=1e-12)
    got = search.score(X, clicks, groups=groups, debiased=debiased)
    assert got == SCORER(search.best_estimator_, X, clicks, groups=groups, labels=debiased)


def test_halving_scores_by_scoring_labels(data):
    X, clicks, debiased, groups = data
    search = HalvingGridSearchCV(Ridge(), GRID, scoring=SCORER, cv=3, random_state=0)
    search.fit(X, clicks, groups=groups, debiased=debiased)
    assert np.isfinite(search.best_score_)


def test_search_reports_accept_negative_values(data):
    X, clicks, debiased, groups = data
    search = GridSearchCV(Ridge(), GRID, scoring=SCORER, cv=3, keep_queries=True)
    search.fit(X, clicks, groups=groups, debiased=debiased - 5)
    assert search.corrected_score().interval[1] < 0
    assert search.report(0).interval["dcg@5"][1] < 0


OURS, THEIRS = GridSearchCV, sklearn.model_selection.GridSearchCV
NESTED = [(OURS, "ndcg@5"), (OURS, SCORER), (OURS, None), (THEIRS, "ndcg@5"), (THEIRS, SCORER)]


@pytest.mark.parametrize(("nested", "scoring"), NESTED)
def test_inner_search_scorer_gets_scoring_labels(nested, scoring, data):
    X, clicks, debiased, groups = data
    alphas = []
    for train, _ in BalancedGroupKFold(3).split(X, clicks, groups=groups):
        search = GridSearchCV(Ridge(), GRID, scoring=SCORER, cv=2)
        search.fit(X[train], clicks[train], groups=groups[train], debiased=debiased[train])
        alphas.append(search.best_params_["alpha"])
    model = nested(Ridge(), GRID, scoring=SCORER, cv=2)
    options = {"groups": groups, "cv": 3, "params": {"debiased": debiased}, "return_estimator": True}
    got = cross_validate(model, X, clicks, scoring=scoring, **options)
    assert [each.best_params_["alpha"] for each in got["estimator"]] == alphas
    if scoring is None:
        by_labels = cross_validate(model, X, clicks, scoring=SCORER, **options)
        assert got["test_score"].tolist() == by_labels["test_score"].tolist()


def test_curves_score_by_scoring_labels(data):
    X, clicks, debiased, groups = data
    given = {"scoring": SCORER, "groups": groups, "cv": 3, "params": {"debiased": debiased}}
    _, by_value = validation_curve(Ridge(), X, clicks, param_name="alpha", param_range=[5.0], **given)
    assert by_value[0].tolist() == by_hand(Ridge(alpha=5.0), *data).tolist()
    _, _, by_size = learning_curve(Ridge(), X, clicks, train_sizes=[1.0], **given)
    np.testing.assert_allclose(by_size[0], by_hand(Ridge(), *data), rtol=1e-9)


def test_permutation_test_permutes_y_and_scoring_labels_together(data):
    X, clicks, _, groups = data
    given = {"groups": groups, "cv": 3, "n_permutations": 5, "random_state": 0}
    by_y = permutation_test_score(Ridge(), X, clicks, scoring=dcg_scorer(k=5), **given)
    other = dcg_scorer(k=5, labels="same")
    by_name = permutation_test_score(Ridge(), X, clicks, scoring=other, params={"same": clicks}, **given)
    assert by_name[0] == by_y[0]
    assert by_name[1].tolist() == by_y[1].tolist()


def test_cross_val_report_scores_by_labels(data):
    X, clicks, debiased, groups = data
    name = "dcg@5(signed=True)"
    report = cross_val_report(Ridge(), X, clicks, groups=groups, scoring=[name], cv=3, labels=debiased)
    by_query = np.concatenate([report.values[name][report.folds == fold] for fold in range(3)])
    assert len(by_query) == len(np.unique(groups))
    folds = [report.values[name][report.folds == fold].mean() for fold in range(3)]
    np.testing.assert_allclose(folds, by_hand(Ridge(), *data), rtol=1e-12)


def test_boosted_rankers_train_on_weighted_clicks(data):
    pytest.importorskip("lightgbm")
    from sklearn_rank.rankers import LGBMRanker

    X, clicks, debiased, groups = data
    weights = np.where(clicks > 0, 1 / 0.3, 1.0)
    options = {"n_estimators": 5, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
    search = GridSearchCV(LGBMRanker(**options), {"num_leaves": [2, 7]}, scoring=SCORER, cv=3)
    search.fit(X, clicks.astype(int), groups=groups, sample_weight=weights, debiased=debiased)
    values = []
    for train, test in BalancedGroupKFold(3).split(X, clicks, groups=groups):
        model = LGBMRanker(**options, num_leaves=2)
        model.fit(X[train], clicks[train].astype(int), groups=groups[train], sample_weight=weights[train])
        given = {"groups": groups[test], "k": 5, "signed": True}
        values.append(dcg_score(debiased[test], model.predict(X[test]), **given))
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(values), rel=1e-12)


# ------------------------------------------------------------------ errors


def refuse(data, match, error=ValueError, scoring=SCORER, model=None, X=None, **params):
    """Check that a call raises before a model is trained."""

    class Untrained(Ridge):
        def fit(self, X, y):
            raise AssertionError("trained")

    rows = data[0] if X is None else X
    options = {"scoring": scoring, "groups": data[3], "cv": 3, "params": params}
    with pytest.raises(error, match=match):
        cross_val_score(Untrained() if model is None else model, rows, data[1], **options)


def test_missing_scoring_labels_error_shows_how_to_pass_them(data):
    refuse(data, r"requires the labels 'debiased'.*params=\{'debiased': labels\}")


def test_search_fit_raises_without_scoring_labels(data):
    X, clicks, _, groups = data
    with pytest.raises(ValueError, match=r"GridSearchCV\.fit requires the labels 'debiased'"):
        GridSearchCV(Ridge(), GRID, scoring=SCORER).fit(X, clicks, groups=groups)


def test_inner_search_raises_without_scoring_labels_before_training(data):
    model = GridSearchCV(Ridge(), GRID, scoring=SCORER, cv=2)
    refuse(data, "requires the labels 'debiased'", scoring="ndcg", model=model)


def test_scorer_call_raises_without_scoring_labels(data):
    X, clicks, _, groups = data
    with pytest.raises(ValueError, match=r"dcg_scorer\(.*\) requires the labels 'debiased'"):
        SCORER(Ridge().fit(X, clicks), X, clicks, groups=groups)


def test_scorer_without_labels_option_rejects_labels(data):
    X, clicks, debiased, groups = data
    with pytest.raises(TypeError, match=r"takes 'groups' and 'sample_weight'\. Got 'labels'"):
        dcg_scorer()(Ridge().fit(X, clicks), X, clicks, groups=groups, labels=debiased)


def test_scoring_labels_of_another_length_are_rejected(data):
    refuse(data, "'debiased' parameter of cross_val_score must have one entry per row", debiased=data[2][:-1])
    X, clicks, debiased, groups = data
    with pytest.raises(ValueError, match=r"'labels' parameter of dcg_scorer.* must have one entry per row"):
        SCORER(Ridge().fit(X, clicks), X, clicks, groups=groups, labels=debiased[1:])


@pytest.mark.parametrize("label", [np.nan, np.inf])
def test_scoring_labels_rejected_by_the_metric_are_named(label, data):
    bad = data[2].copy()
    bad[7] = label
    refuse(data, "'debiased' parameter of cross_val_score.* must", debiased=bad)


def test_scoring_labels_below_0_are_rejected_without_signed(data):
    scorer = ndcg_scorer(labels="debiased")
    said = r"'debiased' parameter .*at debiased\[.* with signed=True\."
    refuse(data, said, scoring=scorer, debiased=data[2])


def test_scoring_labels_in_another_index_order_are_rejected(data):
    pandas = pytest.importorskip("pandas")
    index = pandas.Index([f"row {i}" for i in range(len(data[1]))])
    X = pandas.DataFrame(data[0], index=index)
    turned = pandas.Series(data[2], index=index)[::-1]
    refuse(
        data,
        "'debiased' parameter of cross_val_score must have its rows in the same order",
        X=X,
        debiased=turned,
    )


def with_column(data):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(data[0]).rename(columns=str).assign(debiased=data[2])


@pytest.mark.parametrize("given", [False, True])
def test_model_that_would_train_on_scoring_labels_is_rejected(given, data):
    params = {"debiased": data[2]} if given else {}
    refuse(
        data,
        "'X' parameter .* not contain the labels 'debiased' .* on which Ridge would",
        model=Ridge(),
        X=with_column(data),
        **params,
    )


def leave_out(name="debiased"):
    return make_pipeline(FunctionTransformer(lambda rows: rows.drop(columns=name)), Ridge())


@pytest.mark.parametrize("added", [0, 1], ids=["equal", "different"])
@pytest.mark.parametrize("place", ["column", "index level"])
def test_scoring_labels_passed_twice_are_rejected(place, added, data):
    frame = with_column(data)
    if place == "index level":
        frame = frame.set_index("debiased")
    rule = r"'debiased' parameter of cross_val_score must be passed once.* Pass 'debiased' only once\."
    refuse(
        data,
        rule,
        model=Ridge() if place == "index level" else leave_out(),
        X=frame,
        debiased=data[2] + added,
    )


@pytest.mark.parametrize("place", ["column", "index level"])
def test_permutation_importance_rejects_labels_passed_twice(place, data):
    frame = with_column(data)
    frame = frame.set_index("debiased") if place == "index level" else frame
    model = (Ridge() if place == "index level" else leave_out()).fit(frame, data[1])
    options = {"groups": data[3], "scoring": SCORER, "labels": {"debiased": data[2]}}
    rule = "'labels' parameter of permutation_importance must contain 'debiased' only if the data do not"
    with pytest.raises(ValueError, match=rule):
        permutation_importance(model, frame, data[1], **options)


@pytest.mark.parametrize("kind", ["text", "dates"])
def test_scikit_learn_fold_of_data_in_two_orders_is_rejected(data, kind):
    pandas = pytest.importorskip("pandas")
    X, y, labels, groups = data
    index = pandas.Index([f"row {n}" for n in range(len(y))])
    if kind == "dates":
        index = pandas.date_range("2026-01-01", periods=len(y), freq="h")
    reverse = pandas.Series(labels, index=index).iloc[::-1]
    X, y = pandas.DataFrame(X, index=index), pandas.Series(y, index=index)
    options = {"scoring": SCORER, "cv": BalancedGroupKFold(3), "error_score": "raise"}
    options["params"] = {"groups": groups, "debiased": reverse}
    message = r"'labels' .* must have the same row labels as 'X'\. Got \d+ of \d+ labels in common"
    with config_context(enable_metadata_routing=True), pytest.raises(ValueError, match=message):
        sklearn.model_selection.cross_val_score(Ridge(), X, y, **options)


def test_scoring_labels_with_an_unrelated_index_go_by_position(data):
    pandas = pytest.importorskip("pandas")
    X, y, labels, groups = data
    one, other = ([f"{frame} {n}" for n in range(len(y))] for frame in "ab")
    X = pandas.DataFrame(X, index=one)
    model = Ridge().fit(X, y)
    expected = SCORER(model, X, y, groups=groups, labels=labels)
    assert SCORER(model, X, y, groups=groups, labels=pandas.Series(labels, index=other)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("place", ["column", "level", "levels"])
def test_permutation_test_permutes_labels_in_the_data(data, place):
    pandas = pytest.importorskip("pandas")
    X, y, labels, groups = data
    features = [f"f{n}" for n in range(X.shape[1])]
    frame = pandas.DataFrame(X, columns=features)
    if place == "column":
        frame["debiased"] = labels
    else:
        frame = frame.set_index(pandas.Index(labels, name="debiased"))
    if place == "levels":
        frame = frame.set_index(pandas.Index(np.arange(len(y)), name="row"), append=True)
    chosen = FunctionTransformer(_take_features, kw_args={"features": features})
    search = GridSearchCV(make_pipeline(chosen, Ridge()), {"ridge__alpha": [1.0]}, scoring=SCORER, cv=2)
    options = {"groups": groups, "scoring": SCORER, "cv": 3, "n_permutations": 2, "random_state": 0}
    got = permutation_test_score(search, frame, y, **options)
    params = {"debiased": labels}
    expected = permutation_test_score(Ridge(), X, y, params=params, **options)
    assert got[0] == pytest.approx(expected[0], rel=1e-12)
    np.testing.assert_allclose(got[1], expected[1], rtol=1e-12)


def _take_features(X, features):
    return X[features].to_numpy() if hasattr(X, "columns") else X


@pytest.mark.parametrize("name", ["X", "y", "groups", "sample_weight"])
def test_scorer_rejects_reserved_names_as_labels(name):
    with pytest.raises(
        ValueError, match="'labels' parameter of dcg_scorer must be a name that no other input"
    ):
        dcg_scorer(labels=name)


@pytest.mark.parametrize("make", [dcg_scorer, lambda **names: make_group_scorer(log_loss, **names)])
def test_scorer_rejects_one_name_for_groups_and_labels(make):
    with pytest.raises(
        ValueError, match=r"'labels' parameter of .* must differ from 'groups', the name of .*Got 'q'"
    ):
        make(groups="q", labels="q")


def test_scorer_error_lists_accepted_arguments(data):
    X, clicks, debiased, groups = data
    with pytest.raises(TypeError, match=r"takes 'groups', 'sample_weight' and 'labels'\. Got 'debiased'"):
        SCORER(Ridge().fit(X, clicks), X, clicks, groups=groups, debiased=debiased)


def test_scorer_rejects_a_pipeline_trained_on_scoring_labels(data):
    frame = with_column(data)
    model = make_pipeline(StandardScaler(), Ridge()).fit(frame, data[1])
    with pytest.raises(
        ValueError,
        match=r"'labels' parameter .* must not be a feature of the model. Got the column 'debiased' of X",
    ):
        SCORER(model, frame, data[1], groups=data[3])


def test_fold_warning_looks_at_the_scoring_labels(data):
    X, clicks, _, groups = data
    rare = np.zeros(len(clicks))
    rare[0] = clicks.max()
    with pytest.warns(UserWarning, match="no document is relevant in the test sets of folds ., . of 3"):
        cross_val_score(
            Ridge(), X, clicks, scoring=ndcg_scorer(labels="rare"), groups=groups, cv=3, params={"rare": rare}
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # y is not used for scoring
        cross_val_score(
            Ridge(), X, rare, scoring=ndcg_scorer(labels="own"), groups=groups, cv=3, params={"own": clicks}
        )


def test_group_scorer_scores_by_scoring_labels(data):
    X, clicks, debiased, groups = data
    model = Ridge().fit(X, clicks)
    scorer = make_group_scorer(mean_absolute_error, labels="debiased")
    assert scorer.describe() == "make_group_scorer(mean_absolute_error, labels='debiased')"
    got = scorer(model, X, clicks, groups=groups, labels=debiased)
    assert got == group_score(mean_absolute_error, debiased, model.predict(X), groups=groups)
    frame = with_column(data)
    with pytest.raises(ValueError, match="must not be a feature of the model"):
        scorer(Ridge().fit(frame, clicks), frame, clicks, groups=groups)


def test_group_scorer_passes_a_list_of_labels_to_its_function():
    assert make_group_scorer(log_loss, labels=[0, 1]).options == {"labels": [0, 1]}


def test_importance_requires_labels_of_scorer(data):
    X, clicks, _, groups = data
    with pytest.raises(ValueError, match="permutation_importance requires the labels 'debiased'"):
        permutation_importance(Ridge().fit(X, clicks), X, clicks, groups=groups, scoring=SCORER)
