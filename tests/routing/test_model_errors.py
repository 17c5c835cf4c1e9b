"""Messages about models, scorers and labels, and the fixes that they show, which are run."""

import re
import warnings
from functools import partial, wraps

import numpy as np
import pytest
import sklearn.metrics
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer

import sklearn_rank
from sklearn_rank.metrics import RankingScorer
from tests.helpers.model_errors import CALLS, EVERY_CALL, NEWEST, QID, Counts, X, Y, error_message
from tests.helpers.naming import PUBLIC
from tests.helpers.rankers import ours
from tests.helpers.table import METRICS

# ------------------------------------------------------------------ values of `scoring`


def meant_by(entry):
    factory = entry.prefix + entry.function.__name__.removesuffix("_score") + "_scorer"
    return f"{factory}({'k=10' if entry.cutoff == 'required' else ''})"


FUNCTIONS = [(entry.function, meant_by(entry)) for entry in METRICS.values()] + [
    (sklearn.metrics.ndcg_score, "ndcg_scorer()"),
    (sklearn.metrics.dcg_score, "dcg_scorer()"),
    (partial(sklearn_rank.ndcg_score, k=5), "ndcg_scorer(k=5)"),
    (partial(partial(sklearn_rank.precision_at_k_score, k=5), k=3), "precision_at_k_scorer(k=3)"),
    (sklearn_rank.ndcg_scorer, "ndcg_scorer()"),
    (sklearn_rank.recall_at_k_scorer, "recall_at_k_scorer(k=10)"),
    (sklearn_rank.metrics.neg_bpr_loss_scorer, "neg_bpr_loss_scorer()"),
    (RankingScorer, "ndcg_scorer(k=10)"),
    (sklearn_rank.get_scorer, 'get_scorer("ndcg@10")'),
    (sklearn.metrics.r2_score, '"r2"'),
    (sklearn.metrics.mean_squared_error, '"neg_mean_squared_error"'),
    (sklearn.metrics.mean_tweedie_deviance, "sklearn.metrics.make_scorer(mean_tweedie_deviance)"),
]


@pytest.mark.parametrize(
    ("given", "meant"), FUNCTIONS, ids=[f"{i} {meant}" for i, (_, meant) in enumerate(FUNCTIONS)]
)
def test_scoring_error_for_a_metric_function_shows_its_scorer(given, meant):
    message = error_message("cross_val_score", scoring=given)
    assert message.startswith("The 'scoring' parameter of cross_val_score must be a scorer")
    assert re.search(r"Pass scoring=(.*)\.$", message)[1] == meant
    names = vars(sklearn.metrics) | {"sklearn": sklearn} | PUBLIC
    scores = sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring=eval(meant, names))
    assert np.isfinite(scores).all()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (sklearn_rank.ranking_scorer, 'ranking_scorer(["ndcg@10", "map"])'),
        (sklearn_rank.ranking_scores, 'ranking_scorer(["ndcg@10", "map"])'),
        (sklearn_rank.metrics.novelty_score, "novelty_scorer(k=10, items=..., popularity=...)"),
        (make_scorer, "make_group_scorer(metric)"),
        (lambda y_true, y_pred: 0.0, "make_group_scorer(metric)"),
    ],
    ids=["factory", "scores", "novelty", "make_scorer", "lambda"],
)
def test_scoring_error_shows_a_template_if_arguments_are_needed(given, meant):
    assert f"Pass scoring={meant}." in error_message("cross_validate", scoring=given)


def precision_of_mine(y_true, y_pred):
    return float(np.mean(y_true[np.argsort(-y_pred)[:3]] > 0))


def test_scoring_error_for_an_own_metric_shows_a_group_scorer():
    message = error_message("cross_val_score", scoring=precision_of_mine)
    code = re.search(r"Got the function precision_of_mine instead\. Pass scoring=(.*)\.$", message)[1]
    scorer = eval(code, PUBLIC | {"precision_of_mine": precision_of_mine})
    assert np.isfinite(sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring=scorer)).all()


@EVERY_CALL
@pytest.mark.parametrize(
    "wrap", [lambda f: f, lambda f: {"a": f}, lambda f: ["map", f]], ids=["", "dict", "list"]
)
def test_scoring_error_is_the_same_in_every_function_and_search(function, wrap):
    message = error_message(function, scoring=wrap(sklearn_rank.ndcg_score))
    assert message.startswith(f"The 'scoring' parameter of {function} must be a scorer")
    assert "Pass scoring=ndcg_scorer()." in message


def test_permutation_importance_scoring_error_shows_the_scorer():
    model = Ridge().fit(X, Y)
    with pytest.raises(
        ValueError, match="'scoring' parameter of permutation_importance must be a scorer"
    ) as error:
        sklearn_rank.permutation_importance(model, X, Y, groups=QID, scoring=sklearn_rank.map_score)
    scorer = eval(re.search(r"Pass scoring=(.*)\.$", str(error.value))[1], PUBLIC)
    importances = sklearn_rank.permutation_importance(model, X, Y, groups=QID, scoring=scorer, n_repeats=1)
    assert importances.importances.shape == (4, 1)


def test_functions_that_take_a_model_are_accepted_as_scoring():
    def mine(estimator, X, y_true):
        return 1.0

    for scoring in (mine, partial(mine), sklearn_rank.ndcg_scorer(), np.mean, max):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring=scoring)


def test_scoring_error_for_scorers_of_the_same_name_shows_a_dict():
    scorers = ["map", sklearn_rank.ndcg_scorer(k=3), sklearn_rank.ndcg_scorer(k=3, gain="exponential")]
    message = error_message("cross_validate", scoring=scorers)
    assert message.endswith("Pass a dict: scoring={'one': ..., 'other': ...}.")


def test_scoring_takes_a_list_with_scorers():
    scoring = ["map", sklearn_rank.ndcg_scorer()]
    results = sklearn_rank.cross_validate(Ridge(), X, Y, groups=QID, scoring=scoring)
    assert {"test_map", "test_ndcg"} <= results.keys()


def test_scoring_error_names_scikit_learns_ndcg_in_make_scorer():
    message = error_message("cross_val_score", scoring=make_scorer(sklearn.metrics.ndcg_score, k=3))
    assert message.endswith(
        "must take one label per row. Got scikit-learn's ndcg_score, which takes one query per row, instead. "
        "Pass scoring=ndcg_scorer(k=10)."
    )
    scores = sklearn_rank.cross_val_score(
        Ridge(), X, Y, groups=QID, scoring=make_scorer(sklearn_rank.ndcg_score)
    )
    assert np.isfinite(scores).all()


@EVERY_CALL
@pytest.mark.parametrize("scoring", ["ndgc@10", "NDCG", "precision@5(k=3)", "bpr_loss"])
def test_wrong_metric_name_error_names_the_called_function(function, scoring):
    assert error_message(function, scoring=scoring).startswith(f"The 'scoring' parameter of {function} must ")


@pytest.mark.parametrize(
    "scoring", [["ndcg@10", "map"], sklearn_rank.ranking_scorer(["ndcg@10", "map"])], ids=str
)
@pytest.mark.parametrize("refit", ["ndcg", "NDCG@10", True, np.array(["ndcg@10", "map"])], ids=str)
def test_refit_error_shows_the_name_of_a_scorer(scoring, refit):
    kind = partial(sklearn_rank.GridSearchCV, Ridge(), {"alpha": [1, 2]}, scoring=scoring)
    with pytest.raises(
        ValueError, match="'refit' parameter of GridSearchCV must be one of 'ndcg@10', 'map', or False"
    ) as error:
        kind(refit=refit).fit(X, Y, groups=QID)
    meant = re.search(r"Pass refit='(.*?)'\.$", str(error.value))[1]
    assert meant == "ndcg@10"
    assert "alpha" in kind(refit=meant).fit(X, Y, groups=QID).best_params_


# ------------------------------------------------------------------ labels that a scorer rejects


def with_label(label, row=3):
    labels = Y.astype(object if isinstance(label, str | int) else float)
    labels[row] = label
    return labels


@EVERY_CALL
@pytest.mark.parametrize("error_score", [np.nan, "raise"])
def test_nan_labels_error_before_training_shows_unjudged_options(function, error_score):
    options = {} if function == "permutation_test_score" else {"error_score": error_score}
    message = error_message(function, y=with_label(np.nan), **options)
    rule = "must not contain NaN when unjudged='raise'. Got 1 NaN instead. .* or unjudged='drop'"
    assert re.match(
        rf"The 'y' parameter of {function}(\.fit)?, scored by ndcg_scorer\(k=10\), {rule}", message
    )
    scorer = sklearn_rank.ndcg_scorer(k=10, unjudged="drop")
    CALLS[function](Counts(), X, with_label(np.nan), groups=QID, scoring=scorer)


@EVERY_CALL
@pytest.mark.parametrize(
    ("label", "got"), [(-1.0, "-1"), ("good", "good"), (np.inf, "inf"), (10**400, "1e400")]
)
def test_bad_labels_error_repeats_the_rule_of_the_metric(function, label, got):
    with pytest.raises(ValueError, match="must") as direct:
        sklearn_rank.ndcg_score(with_label(label), X[:, 0], groups=QID, k=10)
    rule = str(direct.value).partition(" must ")[2].replace("y_true", "y")
    message = error_message(function, y=with_label(label))
    assert len(message) <= 350
    message = message.replace(", scored by ndcg_scorer(k=10),", "").replace(".fit must", " must")
    expected = f"The 'y' parameter of {function} must {rule}"
    assert re.sub("0{20,}(...0+)?", "0", message) == re.sub("0{20,}(...0+)?", "0", expected)


def test_bad_label_error_shows_the_index_among_all_rows():
    labels = Y.astype(float)
    labels[[0, 200]] = -1, -5
    folds = [(np.arange(150), np.arange(150, 250))]
    assert "Got -5.0 at y[200] instead" in error_message("cross_val_score", y=labels, cv=folds)


def test_discount_is_checked_for_the_lengths_in_the_data_only():
    groups = np.repeat(np.arange(len(Y) // 5), 5)
    rows = X[: len(groups)], Y[: len(groups)]
    scorer = sklearn_rank.ndcg_scorer(discount=lambda ranks: 1 - (ranks - 1) / 10)  # below 0 after rank 11
    scores = sklearn_rank.cross_val_score(Ridge(), *rows, groups=groups, scoring=scorer)
    assert np.isfinite(scores).all()


def test_nan_labels_error_names_the_scorer_that_rejects_them():
    for scoring in (["judged@10", "map"], {"a": "judged@10", "b": sklearn_rank.map_scorer()}):
        assert "scored by map_scorer(), must not" in error_message(
            "cross_validate", y=with_label(np.nan), scoring=scoring
        )
    shared = sklearn_rank.ranking_scorer(["judged@10", "map"])
    assert "scored by ranking_scorer(metrics=['judged@10', 'map']), must not" in error_message(
        "cross_validate", y=with_label(np.nan), scoring=shared
    )


def test_cross_val_score_rejects_gains_without_an_entry_for_a_grade():
    message = error_message("cross_val_score", scoring=sklearn_rank.ndcg_scorer(gain=[0, 1]))
    assert "'gain' parameter of cross_val_score, scored by ndcg_scorer(gain=[0, 1])," in message


@pytest.mark.parametrize(
    "scoring",
    ["judged@10", *(sklearn_rank.ndcg_scorer(unjudged=how) for how in ("drop", "mean", "nonrelevant"))],
    ids=str,
)
def test_scorers_that_accept_nan_get_nan_labels(scoring):
    labels = with_label(np.nan)
    for y in (labels, labels[:, None] if NEWEST else labels, labels.astype(object)):
        Counts.n_fits = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = sklearn_rank.cross_val_score(
                Counts(), X, y[:, 0] if y.ndim == 2 else y, groups=QID, scoring=scoring
            )
        assert np.isfinite(scores).all()
        assert Counts.n_fits == 5


def test_labels_outside_the_test_sets_are_not_checked():
    times, labels = np.arange(len(Y)), with_label(np.nan, 0)
    options = {"groups": QID, "params": {"times": times}, "scoring": "ndcg@10"}
    late = sklearn_rank.TimeCut(test_size=0.3)
    assert np.isfinite(sklearn_rank.cross_val_score(Counts(), X, labels, cv=late, **options)).all()
    tested = with_label(np.nan, len(Y) - 1)
    message = error_message("cross_val_score", y=tested, cv=late, **options)
    assert "'y' parameter of cross_val_score, scored by ndcg_scorer(k=10), must not contain NaN" in message


def test_labels_are_not_checked_without_ranking_scorers():
    def scorer(estimator, X, y=None):
        return 1.0

    assert (sklearn_rank.cross_val_score(Counts(), X, groups=QID, scoring=scorer) == 1).all()
    assert (
        sklearn_rank.cross_val_score(Counts(), X, with_label(np.nan), groups=QID, scoring=scorer) == 1
    ).all()


def test_ranker_can_train_on_labels_that_its_scorer_drops():
    scorer = sklearn_rank.ndcg_scorer(unjudged="drop")
    scores = sklearn_rank.cross_val_score(
        ours("PairwiseRanker"), X, with_label(np.nan), groups=QID, scoring=scorer
    )
    assert np.isfinite(scores).all()


# ------------------------------------------------------------------ functions that are accepted as scorers


def in_a_decorator(metric):
    @wraps(metric)
    def scorer(model, X, y):
        return metric(y, model.predict(X))

    return scorer


def with_bound_labels(y_true, model, X, y):
    return float(len(y_true))


def of_another_name(y_true, X, y):
    return 1.0  # the model is passed as `y_true`


@pytest.mark.parametrize(
    "scoring",
    [
        in_a_decorator(sklearn.metrics.mean_absolute_error),
        in_a_decorator(lambda y_true, y_score: 0.5),
        partial(with_bound_labels, Y),
        of_another_name,
    ],
    ids=["decorated", "decorated function", "bound", "of another name"],
)
def test_functions_that_could_be_scorers_are_accepted(scoring):
    assert np.isfinite(sklearn_rank.cross_val_score(Ridge(), X, Y, groups=QID, scoring=scoring)).all()


def my_metric(y_true, y_score, groups):
    return sklearn_rank.ndcg_score(y_true, y_score, groups=groups)


def test_scoring_error_for_own_metric_with_ids_shows_a_scorer():
    message = error_message("cross_val_score", scoring=my_metric)
    scorer = eval(re.search(r"Pass scoring=(lambda .*)\.$", message)[1], {"my_metric": my_metric})
    options = {"groups": QID, "error_score": "raise"}
    got = sklearn_rank.cross_val_score(Ridge(), X, Y, scoring=scorer, **options)
    expected = sklearn_rank.cross_val_score(Ridge(), X, Y, scoring="ndcg", **options)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    "given",
    [
        sklearn_rank.metrics.tie_report,
        sklearn_rank.metrics.ndcg_curve,
        sklearn_rank.unique_groups,
        sklearn.metrics.auc,
    ],
)
def test_scoring_error_for_other_functions_shows_a_scorer(given):
    assert error_message("cross_val_score", scoring=given).endswith("Pass scoring=ndcg_scorer(k=10).")
