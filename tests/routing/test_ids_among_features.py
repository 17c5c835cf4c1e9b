"""Query ids that are a column of X: a warning if a model would train on them."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, VotingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV as PlainGridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RankingWarning,
    cross_val_predict,
    cross_val_report,
    cross_val_score,
    cross_validate,
    learning_curve,
    ndcg_scorer,
    permutation_test_score,
    validation_curve,
)
from sklearn_rank.preprocessing import WithinGroupScaler
from sklearn_rank.rankers import LGBMRanker

pandas = pytest.importorskip("pandas")
SCORING = {"scoring": ndcg_scorer(k=5), "cv": 3}
GRID = {"alpha": [0.1, 1000.0]}
SAID = (
    r"{function}(\.fit)?: X contains the query ids as column 'qid', so Ridge trains on them. "
    r"Pass X.drop\(columns='qid'\) and groups=frame\['qid'\]. You can also move the ids into the index, "
    r"X.set_index\('qid'\), or drop the column in a pipeline."
)
CALLS = {
    "cross_val_score": lambda X, y, ids: cross_val_score(Ridge(), X, y, groups=ids, **SCORING),
    "cross_validate": lambda X, y, ids: cross_validate(Ridge(), X, y, groups=ids, **SCORING),
    "cross_val_predict": lambda X, y, ids: cross_val_predict(Ridge(), X, y, groups=ids, cv=3),
    "cross_val_report": lambda X, y, ids: cross_val_report(Ridge(), X, y, groups=ids, scoring=["map"], cv=3),
    "learning_curve": lambda X, y, ids: learning_curve(
        Ridge(), X, y, groups=ids, train_sizes=[1.0], **SCORING
    ),
    "validation_curve": lambda X, y, ids: validation_curve(
        Ridge(), X, y, param_name="alpha", param_range=[1.0], groups=ids, **SCORING
    ),
    "permutation_test_score": lambda X, y, ids: permutation_test_score(
        Ridge(), X, y, groups=ids, n_permutations=2, **SCORING
    ),
    "GridSearchCV": lambda X, y, ids: GridSearchCV(Ridge(), GRID, **SCORING).fit(X, y, groups=ids),
}


@pytest.fixture
def data(ranking_data):
    """A frame with the ids among its columns, and labels."""
    X, y, groups = ranking_data
    return pandas.DataFrame(X).add_prefix("x").assign(qid=groups), y


def count_warnings(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return sum(each.category is RankingWarning for each in caught)


FORMS = {
    "name": lambda frame: (frame, "qid"),
    "column": lambda frame: (frame, frame["qid"]),
    "index level and column": lambda frame: (frame.set_index("qid", drop=False), "qid"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", CALLS)
def test_functions_warn_once_about_a_model_that_trains_on_ids(function, form, data):
    frame, y = data
    X, ids = FORMS[form](frame)
    with pytest.warns(RankingWarning, match=SAID.format(function=function)) as caught:
        CALLS[function](X, y, ids)
    assert len(caught) == 1


def test_no_warning_about_a_column_with_the_name_of_the_ids_but_other_values(data):
    X, y = data[0].set_index("qid", drop=False), data[1]
    cross_val_score(Ridge(), X.assign(qid=np.arange(len(y)) % 7), y, groups="qid", **SCORING)


def test_ids_warning_points_at_the_line_of_the_call(data):
    frame, y = data
    with pytest.warns(RankingWarning) as caught:
        cross_val_score(Ridge(), frame, y, groups="qid", **SCORING)
    assert caught[0].filename == __file__


def test_cross_val_score_warns_about_ids_given_in_params(data):
    frame, y = data
    with pytest.warns(RankingWarning, match="X contains the query ids"):
        cross_val_score(Ridge(), frame, y, params={"groups": frame["qid"]}, **SCORING)


def test_cross_val_score_warns_about_ids_in_a_numbered_column(ranking_data):
    X, y, groups = ranking_data
    frame = pandas.DataFrame(np.column_stack([X, groups]))
    last = X.shape[1]
    with pytest.warns(RankingWarning, match=rf"as column {last}, so Ridge trains on them\."):
        cross_val_score(Ridge(), frame, y, groups=frame[last], **SCORING)


def test_cross_val_score_warns_about_ids_in_a_polars_column(data):
    polars = pytest.importorskip("polars")
    frame, y = polars.DataFrame({name: column.to_numpy() for name, column in data[0].items()}), data[1]
    with pytest.warns(RankingWarning, match="X contains the query ids"):
        cross_val_score(Ridge(), frame, y, groups=frame["qid"], **SCORING)


@pytest.mark.parametrize("as_given", [np.asarray, list], ids=["array", "list"])
def test_cross_val_score_warns_about_ids_given_as_values(as_given, data):
    frame, y = data
    with pytest.warns(RankingWarning, match=SAID.format(function="cross_val_score")) as caught:
        cross_val_score(Ridge(), frame, y, groups=as_given(frame["qid"]), **SCORING)
    assert len(caught) == 1


@pytest.mark.parametrize("text", [False, True], ids=["numbers", "text"])
def test_cross_val_predict_warns_about_ids_in_an_array(text, ranking_data):
    X, y, groups = ranking_data
    X = np.insert(X, 2, groups, axis=1)
    ids, X = (groups.astype(str), X.astype(str)) if text else (groups, X)
    ids = X[:, 2] if text else ids
    with pytest.warns(RankingWarning, match=r"as column 2, so .* Pass numpy\.delete\(X, 2"):
        cross_val_predict(HistGradientBoostingRegressor(max_iter=2), X, y, groups=ids, cv=3)


# ------------------------------------------------------------------ inside other models


def keep(*columns, rest="passthrough"):
    return make_column_transformer(("passthrough", list(columns)), remainder=rest)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), Ridge()),
        make_pipeline("passthrough", make_pipeline(StandardScaler(), Ridge())),
        VotingRegressor([("one", Ridge())]),
        GridSearchCV(Ridge(), GRID, **SCORING),
        GridSearchCV(Ridge(), GRID, scoring="map", cv=BalancedGroupKFold(3)),
        PlainGridSearchCV(make_pipeline(Ridge()), {}, scoring=ndcg_scorer(k=5), cv=3),
        make_pipeline(StandardScaler(), GridSearchCV(Ridge(), GRID, **SCORING)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_calls_warn_once_about_a_part_that_trains_on_ids(model, data, routing):
    frame, y = data
    frame = frame[["x0", "x1", "x2", "qid"]]
    with pytest.warns(RankingWarning, match=SAID.format(function="cross_val_score")) as caught:
        cross_val_score(model, frame, y, groups=frame["qid"].to_numpy(), **SCORING)
    assert len(caught) == 1


@pytest.mark.parametrize(
    "steps", [(), ("passthrough",), (StandardScaler(),)], ids=["alone", "passed", "scaled"]
)
def test_calls_warn_once_about_a_ranker_that_trains_on_ids(steps, data, routing):
    pytest.importorskip("lightgbm")
    frame, y = data
    model = make_pipeline(*steps, LGBMRanker(n_estimators=2, min_child_samples=2, verbose=-1))
    with pytest.warns(RankingWarning, match="^cross_val_score: .* so LGBMRanker trains on them") as caught:
        cross_val_score(model, frame, y, groups=frame["qid"], **SCORING)
    assert len(caught) == 1


SEARCH = GridSearchCV(
    make_pipeline("passthrough", Ridge()), {"passthrough": [keep("x0", rest="drop")]}, **SCORING
)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(keep("x0", rest="drop"), Ridge()),
        make_pipeline(make_column_transformer(("drop", ["qid"]), remainder="passthrough"), Ridge()),
        make_pipeline(make_column_transformer(("drop", [3]), remainder=StandardScaler()), Ridge()),
        make_pipeline(keep("x0"), keep(0, rest="drop"), Ridge()),
        make_pipeline(make_column_transformer(("passthrough", lambda X: ["x0"])), Ridge()),
        make_pipeline(WithinGroupScaler(), Ridge()),
        make_pipeline(FunctionTransformer(lambda X: X[["x0"]]), Ridge()),
        SEARCH,
    ],
    ids=lambda model: type(model).__name__,
)
def test_calls_are_silent_if_parts_might_not_train_on_ids(model, data, routing):
    frame, y = data
    frame = frame[["x0", "x1", "x2", "qid"]]
    assert count_warnings(lambda: cross_val_score(model, frame, y, groups=frame["qid"], **SCORING)) == 0


def test_search_is_silent_if_candidates_can_exclude_the_ids(data):
    frame, y = data
    assert count_warnings(lambda: SEARCH.fit(frame, y, groups=frame["qid"])) == 0


# ------------------------------------------------------------------ calls without a warning


def test_every_fix_in_the_ids_warning_gives_the_same_scores(data):
    frame, y = data
    bare = frame.drop(columns="qid")
    drop = make_column_transformer(("drop", ["qid"]), remainder="passthrough")
    expected = cross_val_score(Ridge(), bare.to_numpy(), y, groups=frame["qid"].to_numpy(), **SCORING)
    by_column = cross_val_score(Ridge(), bare, y, groups=frame["qid"], **SCORING)
    by_index = cross_val_score(Ridge(), frame.set_index("qid"), y, groups="qid", **SCORING)
    in_pipeline = cross_val_score(make_pipeline(drop, Ridge()), frame, y, groups="qid", **SCORING)
    for got in (by_column, by_index, in_pipeline):
        np.testing.assert_allclose(got, expected)


def test_ids_named_as_another_feature_do_not_warn(data):
    frame, y = data
    ids = frame["qid"].rename("x0")
    assert (
        count_warnings(lambda: cross_val_score(Ridge(), frame[["x0", "x1"]], y, groups=ids, **SCORING)) == 0
    )


def test_feature_that_equals_few_ids_does_not_warn(data):
    frame, y = data
    markets = (frame["qid"] % 4).to_numpy()
    X = frame.drop(columns="qid").assign(market=markets)
    assert count_warnings(lambda: cross_val_predict(Ridge(), X, y, groups=markets, cv=3)) == 0


def test_feature_that_equals_most_ids_does_not_warn(data):
    frame, y = data
    ids = frame["qid"].to_numpy().copy()
    ids[7] += 1
    X = frame.rename(columns={"qid": "like"})
    assert count_warnings(lambda: cross_val_predict(Ridge(), X, y, groups=ids, cv=3)) == 0


def test_sparse_features_do_not_warn_about_ids(ranking_data):
    X, y, groups = ranking_data
    assert count_warnings(lambda: cross_val_predict(Ridge(), csr_matrix(X), y, groups=groups, cv=3)) == 0


def test_values_that_cannot_be_compared_do_not_warn(data):
    frame, y = data
    X = frame.assign(qid=frame["qid"].astype("Int64").mask(frame["qid"] == 0))  # with pandas.NA
    ids = frame["qid"].astype(object)
    model = HistGradientBoostingRegressor(max_iter=2)
    assert count_warnings(lambda: cross_val_predict(model, X, y, groups=ids, cv=3)) == 0


class TakesOneColumn(Ridge):
    """A model of the user's, which may leave out the column."""

    def fit(self, X, y):
        return super().fit(X[["x0"]], y)

    def predict(self, X):
        return super().predict(X[["x0"]])


def test_own_models_do_not_warn_about_ids(data):
    frame, y = data
    assert count_warnings(lambda: cross_val_score(TakesOneColumn(), frame, y, groups="qid", **SCORING)) == 0


def test_xgboosts_own_ranker_does_not_warn_about_its_qid_column(data):
    xgboost = pytest.importorskip("xgboost")
    frame, y = data
    frame = frame.sort_values("qid")
    model = xgboost.XGBRanker(n_estimators=2)
    y = y[frame.index]
    assert count_warnings(lambda: cross_val_score(model, frame, y, groups="qid", **SCORING)) == 0
