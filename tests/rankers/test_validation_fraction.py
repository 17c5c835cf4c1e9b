"""`validation_fraction`: rankers that hold out queries inside `fit` for early stopping."""

import pickle
from copy import deepcopy
from inspect import signature

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.pipeline import make_pipeline

import sklearn_rank.rankers
from sklearn_rank import GridSearchCV, RankingWarning, cross_validate, map_scorer
from tests.helpers.early_stopping import GROUPS, MAP, X, Y, make_holdout
from tests.helpers.rankers import BOOSTED, LIBRARIES, STOPPED, best


def assert_stops_by_what_is_reported(model, rows, fitted=None):
    """Check that the best value of the training is that of the held-out queries, and no more is trained."""
    ranker = model[-1] if hasattr(model, "steps") else model
    held_out = rows[np.isin(GROUPS[rows], ranker.validation_groups_)]
    assert 0 < len(held_out) < len(rows)
    values, i = best(ranker, MAP)
    assert i == np.argmax(values)
    assert len(values) < 60
    assert values[i] == MAP(model, X[held_out], Y[held_out], groups=GROUPS[held_out])


@BOOSTED
@pytest.mark.parametrize("metric", [MAP, "sklearn_rank:map@10"], ids=["scorer", "name"])
def test_best_value_equals_the_scorer_on_held_out_queries(name, metric):
    model = make_holdout(name, metric).fit(X, Y, groups=GROUPS)
    assert_stops_by_what_is_reported(model, np.arange(len(Y)))
    assert len(model.validation_groups_) == 12


@BOOSTED
def test_validation_fraction_in_a_pipeline(name):
    model = make_pipeline(PCA(5, random_state=0), make_holdout(name))
    model.fit(X, Y, **{f"{name.lower()}__groups": GROUPS})
    assert_stops_by_what_is_reported(model, np.arange(len(Y)))


class Probe(TransformerMixin, BaseEstimator):
    """Note which queries, told by the first feature, reach `fit`; leave that feature out."""

    def fit(self, X, y=None):
        self.seen_ = set(X[:, 0].tolist())
        return self

    def transform(self, X):
        return X[:, 1:]


@BOOSTED
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cross_validate_keeps_tested_queries_out_of_fit(name, n_jobs):
    features = np.column_stack([GROUPS, X])
    model = make_pipeline(Probe(), PCA(5, random_state=0), make_holdout(name))
    options = {"cv": 3, "return_estimator": True, "return_indices": True, "error_score": "raise"}
    found = cross_validate(model, features, Y, scoring=MAP, groups=GROUPS, n_jobs=n_jobs, **options)
    folds = zip(found["indices"]["train"], found["indices"]["test"], strict=True)
    for fitted, (train, test) in zip(found["estimator"], folds, strict=True):
        assert fitted[0].seen_ == set(GROUPS[train])
        assert not fitted[0].seen_ & set(GROUPS[test])
        assert set(fitted[-1].validation_groups_) < set(GROUPS[train])
        held_out = np.isin(GROUPS, fitted[-1].validation_groups_)
        values, i = best(fitted[-1], MAP)
        assert values[i] == MAP(fitted, features[held_out], Y[held_out], groups=GROUPS[held_out])


@BOOSTED
def test_validation_fraction_in_a_search(name):
    model = make_pipeline(PCA(5, random_state=0), make_holdout(name))
    grid = {f"{name.lower()}__validation_fraction": [0.1, 0.3]}
    search = GridSearchCV(model, grid, scoring=MAP, cv=3, n_jobs=2, error_score="raise")
    search.fit(X, Y, groups=GROUPS)
    assert_stops_by_what_is_reported(search.best_estimator_, np.arange(len(Y)))
    n_held_out = round(60 * search.best_params_[f"{name.lower()}__validation_fraction"])
    assert len(search.best_estimator_[-1].validation_groups_) == n_held_out


@BOOSTED
def test_validation_fraction_equals_an_evaluation_set_of_held_out(name):
    model = make_holdout(name).fit(X, Y, groups=GROUPS)
    held_out = np.isin(GROUPS, model.validation_groups_)
    evaluation = {"eval_set": [(X[held_out], Y[held_out])], "eval_groups": [GROUPS[held_out]]}
    by_hand = clone(model).set_params(validation_fraction=None)
    by_hand.fit(X[~held_out], Y[~held_out], groups=GROUPS[~held_out], **evaluation)
    np.testing.assert_array_equal(model.predict(X), by_hand.predict(X))
    assert not hasattr(by_hand, "validation_groups_")


@pytest.mark.slow
@BOOSTED
def test_held_out_queries_depend_on_random_state_and_not_on_row_order(name):
    order = np.random.default_rng(0).permutation(len(Y))

    def held_out(rows, **options):
        model = make_holdout(name, **options).fit(X[rows], Y[rows], groups=GROUPS[rows])
        return set(np.asarray(model.validation_groups_).tolist())

    in_order = np.arange(len(Y))
    assert held_out(in_order) == held_out(order) == held_out(order)
    assert held_out(in_order, random_state=1) == held_out(order, random_state=1)
    assert held_out(in_order, random_state=1) != held_out(in_order, random_state=2)


@pytest.mark.parametrize("kind", [np.random.RandomState, np.random.default_rng])
def test_held_out_queries_are_drawn_by_a_generator(kind):
    fits = [
        make_holdout("LGBMRanker", random_state=kind(seed)).fit(X, Y, groups=GROUPS) for seed in (0, 0, 1)
    ]
    ids = [set(fit.validation_groups_) for fit in fits]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.slow
@BOOSTED
def test_validation_groups_contain_ids_as_given(name):
    pandas = pytest.importorskip("pandas")
    names = np.char.add("q", GROUPS.astype(str))
    frame = pandas.DataFrame(X, index=pandas.Index(names, name="qid")).add_prefix("x")
    for groups in (names, names.tolist(), pandas.Series(names), "qid"):
        data = frame if isinstance(groups, str) else X
        model = make_holdout(name).fit(data, Y, groups=groups)
        assert len(set(model.validation_groups_)) == 12
        assert set(model.validation_groups_) < set(names)
    model = make_holdout(name).fit(X, Y, groups=[(id, "a") for id in GROUPS.tolist()])
    assert {part for _, part in model.validation_groups_} == {"a"}


@BOOSTED
def test_unjudged_rows_are_not_held_out(name):
    unjudged = np.isin(GROUPS, np.unique(GROUPS)[:30])
    model = make_holdout(name).fit(X, np.where(unjudged, np.nan, Y), groups=GROUPS)
    assert len(model.validation_groups_) == 6
    assert not set(model.validation_groups_) & set(GROUPS[unjudged])


@BOOSTED
def test_held_out_queries_have_weights_only_if_the_scorer_requests_it(name):
    weights = 1.0 + GROUPS % 4
    values = {}
    for request in (True, False):
        scorer = map_scorer(k=10).set_score_request(sample_weight=request)
        model = make_holdout(name, scorer).fit(X, Y, groups=GROUPS, sample_weight=weights)
        held_out = np.isin(GROUPS, model.validation_groups_)
        found, i = best(model, MAP)
        given = {"sample_weight": weights[held_out]} if request else {}
        values[request] = scorer(model, X[held_out], Y[held_out], groups=GROUPS[held_out], **given)
        assert found[i] == values[request]
    assert abs(values[True] - values[False]) > 1e-5


@pytest.mark.parametrize(("name", "parameter"), [("LGBMRanker", "init_score"), ("XGBRanker", "base_margin")])
def test_initial_scores_are_held_out_with_their_rows(name, parameter):
    library_metric = {"LGBMRanker": "ndcg", "XGBRanker": "ndcg@5-"}[name]
    start = np.random.default_rng(0).normal(size=len(Y))
    model = make_holdout(name, library_metric).fit(X, Y, groups=GROUPS, **{parameter: start})
    held_out = np.isin(GROUPS, model.validation_groups_)
    by_hand = clone(model).set_params(validation_fraction=None)
    if name == "LGBMRanker":
        evaluation = {"eval_set": [(X[held_out], Y[held_out])], "eval_groups": [GROUPS[held_out]]}
        evaluation |= {"eval_init_score": [start[held_out]]}
        by_hand.fit(
            X[~held_out], Y[~held_out], groups=GROUPS[~held_out], init_score=start[~held_out], **evaluation
        )
        assert model.evals_result_ == by_hand.evals_result_
    else:  # only XGBoost's own ranker takes the margin of an evaluation set
        xgboost = pytest.importorskip("xgboost")
        rows = {True: np.flatnonzero(held_out), False: np.flatnonzero(~held_out)}
        rows = {part: each[np.argsort(GROUPS[each], kind="stable")] for part, each in rows.items()}
        theirs = xgboost.XGBRanker(**STOPPED[name], early_stopping_rounds=4, eval_metric=library_metric)
        train, test = rows[False], rows[True]
        theirs.fit(
            X[train],
            Y[train],
            qid=GROUPS[train],
            base_margin=start[train],
            eval_set=[(X[test], Y[test])],
            eval_qid=[GROUPS[test]],
            base_margin_eval_set=[start[test]],
        )
        assert model.evals_result_ == theirs.evals_result_


# ------------------------------------------------------------------ the parameter itself


@BOOSTED
def test_validation_fraction_survives_clone_pickle_and_set_params(name):
    model = make_holdout(name)
    assert clone(model).get_params()["validation_fraction"] == 0.2
    assert pickle.loads(pickle.dumps(model)).get_params()["validation_fraction"] == 0.2
    assert clone(model.set_params(validation_fraction=0.3)).get_params()["validation_fraction"] == 0.3
    model.fit(X, Y, groups=GROUPS)
    again = pickle.loads(pickle.dumps(model))
    assert again.get_params()["validation_fraction"] == 0.3
    np.testing.assert_array_equal(again.validation_groups_, model.validation_groups_)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert model.set_params(validation_fraction=None).get_params()["validation_fraction"] is None


@BOOSTED
def test_ranker_signature_adds_only_validation_fraction(name):
    library = pytest.importorskip(LIBRARIES[name])
    own, theirs = (signature(each) for each in (getattr(sklearn_rank.rankers, name), getattr(library, name)))
    assert list(own.parameters.keys() - theirs.parameters.keys()) == ["validation_fraction"]
    assert theirs.parameters.keys() <= own.parameters.keys()
    assert own.parameters["validation_fraction"].default is None


@pytest.mark.parametrize("name", ["LGBMRanker", "CatBoostRanker"])  # XGBoost's repr is shortened
def test_ranker_repr_shows_validation_fraction(name):
    assert "validation_fraction=0.2" in repr(make_holdout(name))


@BOOSTED
def test_library_does_not_get_validation_fraction(name, capfd):
    loud = {"LGBMRanker": {"verbose": 1}, "XGBRanker": {"verbosity": 2}}.get(name, {})
    model = make_holdout(name, **loud).fit(X, Y, groups=GROUPS)
    model.predict(X)
    told = capfd.readouterr()
    assert "validation_fraction" not in told.out + told.err


@pytest.mark.filterwarnings("ignore:.*no document is relevant")
@BOOSTED
def test_ranker_fit_warns_if_held_out_values_never_change(name):
    model = make_holdout(name, map_scorer(k=10, min_relevance=100))  # above every label
    with pytest.warns(RankingWarning, match=rf"{name}\.fit: the queries held out .* value 0 in every round"):
        model.fit(X, Y, groups=GROUPS)


@pytest.mark.slow
@BOOSTED
def test_ranker_second_fit_gives_the_same_model(name):
    model = make_holdout(name).fit(X, Y, groups=GROUPS)
    expected = model.predict(X)
    for again in (model, pickle.loads(pickle.dumps(model)), deepcopy(model)):
        np.testing.assert_array_equal(again.fit(X, Y, groups=GROUPS).predict(X), expected)


def test_catboost_ranker_set_params_removes_the_fitted_model():
    model = make_holdout("CatBoostRanker").fit(X, Y, groups=GROUPS).set_params(depth=2)
    assert not hasattr(model, "validation_groups_")
    with pytest.raises(NotFittedError):
        model.predict(X)
    expected = make_holdout("CatBoostRanker", depth=2).fit(X, Y, groups=GROUPS).predict(X)
    np.testing.assert_array_equal(model.fit(X, Y, groups=GROUPS).predict(X), expected)


@BOOSTED
def test_validation_fraction_accepts_lists_and_arrow_columns(name):
    pyarrow = pytest.importorskip("pyarrow")
    weights = 1.0 + GROUPS % 4
    expected = make_holdout(name).fit(X, Y, groups=GROUPS, sample_weight=weights).predict(X)
    for features, given in ((X.tolist(), weights.tolist()), (X, pyarrow.array(weights))):
        got = make_holdout(name).fit(features, Y, groups=GROUPS, sample_weight=given)
        np.testing.assert_array_equal(got.predict(X), expected)


@BOOSTED
def test_ranker_fit_flattens_column_labels_with_a_warning(name):
    expected = make_holdout(name).fit(X, Y, groups=GROUPS).predict(X)
    with pytest.warns(DataConversionWarning, match="column-vector"):
        got = make_holdout(name).fit(X, Y[:, None], groups=GROUPS)
    np.testing.assert_array_equal(got.predict(X), expected)


@pytest.mark.parametrize(("name", "parameter"), [("LGBMRanker", "metric"), ("XGBRanker", "eval_metric")])
def test_scorer_parameters_are_set_as_a_whole(name, parameter):
    model = make_holdout(name)
    assert not [each for each in model.get_params() if each.startswith(f"{parameter}__")]
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of {name} must be set as a who"):
        model.set_params(**{f"{parameter}__k": 3})
    stops = {f"{parameter}": [MAP, "sklearn_rank:ndcg@10"]}
    search = GridSearchCV(model, stops, scoring=MAP, cv=2, error_score="raise").fit(X, Y, groups=GROUPS)
    assert len(set(search.cv_results_["mean_test_score"])) == 2
