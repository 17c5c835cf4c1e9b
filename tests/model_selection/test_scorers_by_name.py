"""Scorers by name: one form for metrics in reports of models and of scores, in searches and in tables."""

from collections import Counter
from functools import partial
from typing import ClassVar

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    get_scorer,
    log_loss,
    make_scorer,
    mean_squared_error,
    roc_auc_score,
)
from sklearn.model_selection import GroupKFold, PredefinedSplit

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RankingEvaluator,
    RankingReport,
    compare,
    cross_val_report,
    cross_val_score,
    dcg_scorer,
    evaluate,
    evaluate_runs,
    make_group_scorer,
    ndcg_scorer,
    permutation_importance,
    precision_at_k_scorer,
    ranking_scorer,
    ranking_scores,
)
from sklearn_rank.inspection import ContendersDisplay, MetricDistributionDisplay, QueryDifferenceDisplay
from sklearn_rank.metrics import catalog_coverage_scorer
from sklearn_rank.reports import assert_not_worse

N = 1200
RNG = np.random.default_rng(0)
QID = np.sort(RNG.integers(0, 80, N))
X = RNG.random((N, 3))
Y = (RNG.random(N) < X[:, 0]).astype(int)
REVENUE = (Y * RNG.gamma(2, 20, N)).round(2)
IS_NEW = RNG.integers(0, 2, N)
SCORES = np.round(0.6 * X[:, 0] + 0.3 * RNG.random(N), 2)
COLUMNS = {"revenue": REVENUE, "is_new": IS_NEW}


def top_value(revenue, y_score):
    return revenue[np.argmax(y_score)]


def make_scorers(response_method=None):
    options = {} if response_method is None else {"response_method": response_method}
    return {
        "ndcg@8": "ndcg@8",
        "revenue@8": dcg_scorer(k=8, discount=None, labels="revenue"),
        "new@3": precision_at_k_scorer(k=3, labels="is_new"),
        "gmv": make_group_scorer(top_value, labels="revenue", **options),
        "log loss": "neg_log_loss",
        "squared": get_scorer("neg_mean_squared_error"),
        "auc": "roc_auc",
        "map": "map",
    }


def by_hand(y_score, squared=None):
    """Return the mean of each metric over queries, by plain loops."""
    squared = y_score if squared is None else squared
    values = {name: [] for name in make_scorers()}
    for query in np.unique(QID):
        inside = query == QID
        y, s, revenue, new = Y[inside], y_score[inside], REVENUE[inside], IS_NEW[inside]
        order = np.argsort(-s, kind="stable")
        discounts = 1 / np.log2(np.arange(2, 10))[: len(y)]
        ideal = (np.sort(y)[::-1][:8] * discounts).sum()
        values["ndcg@8"].append((y[order][:8] * discounts).sum() / ideal if ideal else 0)
        values["revenue@8"].append(revenue[order][:8].sum())
        values["new@3"].append(new[order][:3].sum() / 3)
        values["gmv"].append(revenue[np.argmax(s)])
        values["log loss"].append(-log_loss(y, s, labels=[0, 1]))
        values["squared"].append(-mean_squared_error(y, squared[inside]))
        values["auc"].append(roc_auc_score(y, s) if 0 < y.mean() < 1 else np.nan)
        hits = y[order]
        precision = np.cumsum(hits) / np.arange(1, len(y) + 1)
        values["map"].append((precision * hits).sum() / hits.sum() if hits.any() else 0)
    return {name: np.nanmean(each) for name, each in values.items()}


UNTIED = RNG.permutation(N) / N


class Counting(HistGradientBoostingClassifier):
    """A classifier that counts its calls."""

    counts: ClassVar = Counter()

    def fit(self, X, y, sample_weight=None):
        self.counts["fit"] += 1
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        self.counts["predict"] += 1
        return super().predict(X)

    def predict_proba(self, X):
        self.counts["predict_proba"] += 1
        return super().predict_proba(X)

    def decision_function(self, X):
        self.counts["decision_function"] += 1
        return super().decision_function(X)


def report_model(model=None, scoring=None, **options):
    scoring = make_scorers("predict_proba") if scoring is None else scoring
    options = {"params": COLUMNS, "cv": 4, **options}
    return cross_val_report(model or LogisticRegression(), X, Y, groups=QID, scoring=scoring, **options)


def test_each_fold_is_fitted_once_and_predicted_once_per_method():
    Counting.counts.clear()
    report_model(Counting(max_iter=2))
    assert Counting.counts == {"fit": 4, "decision_function": 4, "predict_proba": 4, "predict": 4}


def test_one_metric_needs_one_prediction_per_fold():
    Counting.counts.clear()
    report_model(Counting(max_iter=2), "ndcg@8", params=None)
    assert Counting.counts == {"fit": 4, "decision_function": 4}


def test_names_in_report_of_model_are_keys_in_their_order():
    assert list(report_model().mean) == list(make_scorers())


def test_report_of_model_has_values_of_numpy():
    odds, classes = np.zeros(N), np.zeros(N)
    for train, test in BalancedGroupKFold(4).split(X, Y, QID):
        model = LogisticRegression().fit(X[train], Y[train])
        odds[test], classes[test] = model.predict_proba(X[test])[:, 1], model.predict(X[test])
    assert report_model().mean == pytest.approx(by_hand(odds, classes), rel=1e-9)


def test_report_of_scores_has_values_of_numpy():
    report = evaluate(Y, UNTIED, groups=QID, metrics=make_scorers(), labels=COLUMNS)
    assert report.mean == pytest.approx(by_hand(UNTIED), rel=1e-9)


def test_ranking_scores_equal_report():
    got = ranking_scores(Y, SCORES, groups=QID, metrics=make_scorers(), labels=COLUMNS)
    expected = evaluate(Y, SCORES, groups=QID, metrics=make_scorers(), labels=COLUMNS).mean
    assert got == pytest.approx(dict(expected), rel=1e-12)


def test_ranking_scores_return_value_of_each_query():
    scoring = {"gmv": make_group_scorer(top_value, labels="revenue")}
    got = ranking_scores(Y, UNTIED, groups=QID, metrics=scoring, labels={"revenue": REVENUE}, average=None)
    expected = [top_value(REVENUE[query == QID], UNTIED[query == QID]) for query in np.unique(QID)]
    np.testing.assert_array_equal(got["gmv"], expected)


def test_list_of_names_and_scorers_is_named_by_metric_or_function():
    scoring = ["map", dcg_scorer(k=8), make_group_scorer(top_value), "neg_log_loss"]
    assert list(evaluate(Y, SCORES, groups=QID, metrics=scoring).mean) == [
        "map",
        "dcg@8",
        "top_value",
        "neg_log_loss",
    ]


def test_key_can_be_another_name_of_the_same_metric():
    name = "ndcg@8(gain=exponential)"
    one, other = (
        evaluate(Y, SCORES, groups=QID, metrics=each).mean[name]
        for each in ({name: ndcg_scorer(k=8, gain="exponential")}, name)
    )
    assert one == other


@pytest.mark.parametrize(
    "scorer", [ndcg_scorer(k=8), get_scorer("accuracy"), "accuracy"], ids=["ours", "theirs", "name"]
)
def test_single_scorer_is_accepted(scorer):
    assert len(report_model(scoring=scorer, params=None).mean) == 1


def test_scorer_of_scikit_learn_equals_its_name():
    both = {"name": "neg_brier_score", "scorer": get_scorer("neg_brier_score")}
    report = report_model(scoring=both, params=None)
    assert report.mean["name"] == report.mean["scorer"] < 0


def test_labels_of_call_are_those_of_scorers_without_own():
    scoring = {"own": dcg_scorer(k=8, labels="revenue"), "call": "dcg@8", "loss": "neg_mean_squared_error"}
    report = report_model(scoring=scoring, params={"revenue": REVENUE}, labels=2 * REVENUE)
    assert report.mean["call"] == pytest.approx(2 * report.mean["own"])
    assert report.mean["loss"] < -1


def test_text_classes_need_pos_label_in_the_call():
    scoring = ["ndcg@8", "neg_log_loss", "roc_auc", "accuracy", "neg_brier_score"]
    options = {"scoring": scoring, "groups": QID, "cv": GroupKFold(4)}
    text = cross_val_report(LogisticRegression(), X, np.array(["no", "yes"])[Y], pos_label="yes", **options)
    numbers = cross_val_report(LogisticRegression(), X, Y, **options)
    assert text.mean == pytest.approx(dict(numbers.mean))


def test_pos_label_of_scorer_counts():
    text = np.array(["no", "yes"])[Y]
    scoring = {"of yes": ndcg_scorer(k=8, pos_label="yes")}
    got = cross_val_report(LogisticRegression(), X, text, groups=QID, scoring=scoring, cv=GroupKFold(4))
    plain = report_model(scoring="ndcg@8", params=None, cv=GroupKFold(4))
    assert got.mean["of yes"] == pytest.approx(plain.mean["ndcg@8"])


def test_option_of_call_applies_to_scorers_that_do_not_set_it():
    scoring = {"call": "dcg@8", "scorer": dcg_scorer(k=8), "own": dcg_scorer(k=8, gain="exponential")}
    report = evaluate(2 * Y, SCORES, groups=QID, metrics=scoring, gain="exponential")
    assert report.mean["call"] == report.mean["scorer"] == report.mean["own"]


def test_options_of_names_and_of_call_apply_next_to_scorers():
    y = np.where(RNG.random(N) < 0.1, np.nan, Y)
    scoring = {"dropped": "ndcg@8(unjudged=drop)", "call": "ndcg@8", "own": ndcg_scorer(k=8, unjudged="drop")}
    options = {"groups": QID, "scoring": scoring, "unjudged": "nonrelevant", "cv": 4}
    with pytest.raises(ValueError, match="because the scorer"):
        cross_val_report(Labeled(), X, y, **options)
    scoring["own"] = ndcg_scorer(k=8, unjudged="nonrelevant")
    report = cross_val_report(Labeled(), X, y, **options)
    assert report.mean["own"] == report.mean["call"] != report.mean["dropped"]


class Labeled(LinearRegression):
    """A regressor that trains on rows with a label."""

    def fit(self, X, y):
        return super().fit(X[~np.isnan(y)], y[~np.isnan(y)])


def test_option_of_scorer_counts():
    scoring = {"plain": "dcg@8", "own": dcg_scorer(k=8, gain="exponential")}
    report = evaluate(2 * Y, SCORES, groups=QID, metrics=scoring)
    assert report.mean["own"] == pytest.approx(1.5 * report.mean["plain"])


def test_call_averages_functions_of_groups_too():
    scoring = {"plain": "neg_log_loss", "own": make_group_scorer(top_value, average="macro")}
    report = evaluate(Y, SCORES, groups=QID, metrics=scoring, average="weighted")
    assert report.mean["plain"] == pytest.approx(-log_loss(Y, SCORES))


THREE = np.where(QID % 4 == 0, Y, Y + RNG.integers(0, 2, N))  # the queries of one fold lack a class
OF_THREE = PredefinedSplit(QID % 4)
LOG_LOSSES = {
    "name": "neg_log_loss",
    "function": make_group_scorer(log_loss, greater_is_better=False),
    "response": make_group_scorer(log_loss, greater_is_better=False, response_method="predict_proba"),
    "partial": make_group_scorer(partial(log_loss, normalize=True), greater_is_better=False),
}


def log_loss_by_hand(names):
    """Return the log loss of the queries of each fold, by a loop of numpy."""
    folds = []
    for train, test in OF_THREE.split():
        model = LogisticRegression().fit(X[train], names[THREE[train]])
        odds = model.predict_proba(X[test])
        of_class = odds[np.arange(len(test)), THREE[test]]
        folds.append([np.log(of_class[QID[test] == query]).mean() for query in np.unique(QID[test])])
    return folds


@pytest.mark.parametrize("names", [np.arange(3), np.array(["a", "b", "c"])], ids=["numbers", "text"])
@pytest.mark.parametrize("kind", LOG_LOSSES)
def test_log_loss_knows_classes_that_a_fold_lacks(kind, names):
    y, expected = names[THREE], log_loss_by_hand(names)
    options = {"groups": QID, "scoring": LOG_LOSSES[kind], "cv": OF_THREE}
    if kind != "name":
        scores = cross_val_score(LogisticRegression(), X, y, error_score="raise", **options)
        assert scores == pytest.approx([np.mean(each) for each in expected])
    if names.dtype.kind == "i":
        report = cross_val_report(LogisticRegression(), X, y, **options)
        assert list(report.mean.values()) == pytest.approx([np.mean(np.concatenate(expected))])


def test_own_function_named_log_loss_gets_no_classes():
    def log_loss(y_true, odds):
        return -np.log(odds[np.arange(len(odds)), y_true]).mean()

    own = make_group_scorer(log_loss, greater_is_better=False, response_method="predict_proba")
    scores = cross_val_score(
        LogisticRegression(), X, THREE, groups=QID, scoring=own, cv=OF_THREE, error_score="raise"
    )
    assert scores == pytest.approx([np.mean(each) for each in log_loss_by_hand(np.arange(3))])


def test_log_loss_of_two_classes_knows_the_one_that_a_fold_lacks():
    y = np.where(QID % 4 == 0, 2, Y + 1)
    folds = []
    for train, test in OF_THREE.split():
        odds = LogisticRegression().fit(X[train], y[train]).predict_proba(X[test])
        values = np.log(odds[np.arange(len(test)), y[test] - 1])
        folds += [values[QID[test] == query].mean() for query in np.unique(QID[test])]
    report = cross_val_report(LogisticRegression(), X, y, groups=QID, scoring="neg_log_loss", cv=OF_THREE)
    assert report.mean["neg_log_loss"] == pytest.approx(np.mean(folds))


def test_log_loss_of_a_class_without_training_rows_raises_error():
    y = np.where(QID % 4 == 0, 1 + Y, Y)
    with pytest.raises(ValueError, match=r"only the classes \[0, 1\]. Got 2 instead. .* all classes"):
        cross_val_report(LogisticRegression(), X, y, groups=QID, scoring="neg_log_loss", cv=OF_THREE)


@pytest.mark.parametrize("name", ["neg_brier_score", "roc_auc", "roc_auc_ovr", "average_precision"])
def test_metrics_of_two_classes_are_refused_for_three(name):
    with pytest.raises(ValueError, match=r"be a function for 3 classes|value for each query"):
        cross_val_report(LogisticRegression(), X, THREE, groups=QID, scoring=name, cv=OF_THREE)


def call_model(**options):
    return report_model(**{"params": None, **options})


def call_scores(scoring, **options):
    return evaluate(Y, SCORES, groups=QID, metrics=scoring, **options)


REFUSED = {
    "function": ({"a": top_value}, {}, r"make_group_scorer\(top_value\)"),
    "loss of scikit-learn": ([log_loss], {}, r"make_group_scorer\(log_loss, greater_is_better=False\)"),
    "function of the package": ([evaluate], {}, "names of metrics"),
    "scorer without values": ([get_scorer("r2")], {}, "value for each query"),
    "name without values": (["r2"], {}, "value for each query"),
    "name without a cutoff": ("f1", {}, "have a cutoff"),
    "scorer with options": ([make_scorer(log_loss, labels=[0, 1])], {}, "value for each query"),
    "another option": ([dcg_scorer(k=8, gain="exponential")], {"gain": [0, 2]}, "sets it"),
    "own labels without id": ([ndcg_scorer(k=8, groups="qid")], {}, "without groups="),
    "repeated names": (["ndcg@8", ndcg_scorer(k=8)], {}, "distinct names"),
    "name of another metric": ({"map": "ndcg@8"}, {}, "name 'ndcg@8' differently"),
    "empty dict": ({}, {}, "a dict of names"),
    "keys": ({1: "map"}, {}, "a dict of names"),
    "empty list": ([], {}, "non-empty"),
    "number": ([7], {}, "Got 7"),
    "several metrics": ([ranking_scorer(["map", "mrr"])], {}, "one metric"),
    "other inputs": ([catalog_coverage_scorer(k=3, items="item")], {}, "one metric"),
    "function under the name of a metric": ({"map": make_group_scorer(top_value)}, {}, "differently"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("call", [call_model, call_scores], ids=["model", "scores"])
def test_refused_form_raises_error_with_a_fix(call, case):
    scoring, options, words = REFUSED[case]
    with pytest.raises(ValueError, match=words):
        call(scoring=scoring, **options)


def test_labels_that_are_missing_raise_error():
    with pytest.raises(ValueError, match="'is_new'"):
        call_scores(make_scorers())
    with pytest.raises(ValueError, match="'revenue'"):
        call_model(scoring=make_scorers("predict_proba"))


def test_labels_that_no_scorer_requests_raise_error():
    with pytest.raises(ValueError, match="only names that scorers request"):
        call_scores("map", labels={"revenue": REVENUE})


@pytest.mark.parametrize("labels", [REVENUE, ["revenue"], {1: REVENUE}], ids=["array", "list", "number"])
def test_labels_of_another_form_raise_error(labels):
    with pytest.raises(ValueError, match="be a dict of values by name"):
        call_scores("map", labels=labels)


def test_log_loss_of_scores_above_1_raises_error():
    with pytest.raises(ValueError, match="'y_score' parameter of evaluate must be between 0 and 1"):
        evaluate(Y, 2 * SCORES, groups=QID, metrics=["neg_log_loss"])


def test_missed_documents_have_no_other_labels():
    scoring = {"revenue": dcg_scorer(k=8, labels="revenue")}
    with pytest.raises(ValueError, match="'missed'"):
        call_scores(scoring, labels={"revenue": REVENUE}, missed={0: [1]})


# ------------------------------------------------------------------ the same numbers everywhere


def frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"y": Y, "score": SCORES, "qid": QID, **COLUMNS})


def expected():
    return call_scores(make_scorers(), labels=COLUMNS)


def test_columns_of_frames_are_read_by_name():
    got = evaluate("y", "score", groups="qid", metrics=make_scorers(), data=frame())
    assert got.mean == expected().mean


def test_columns_of_frames_can_have_other_names():
    names = {"revenue": "euros", "is_new": "is_new"}
    data = frame().rename(columns={"revenue": "euros"})
    got = evaluate("y", "score", groups="qid", metrics=make_scorers(), data=data, labels=names)
    assert got.mean == expected().mean


def test_missing_column_of_labels_raises_error():
    with pytest.raises(ValueError, match="'revenue'"):
        evaluate("y", "score", groups="qid", metrics=make_scorers(), data=frame().drop(columns="revenue"))


@pytest.mark.parametrize("keep_queries", [True, False])
def test_evaluator_of_parts_equals_report(keep_queries):
    evaluator = RankingEvaluator(make_scorers(), keep_queries=keep_queries)
    for rows in (QID < 30, QID >= 30):
        labels = {name: each[rows] for name, each in COLUMNS.items()}
        evaluator.update(Y[rows], SCORES[rows], QID[rows], labels=labels)
    found, report = evaluator.result(), expected()
    assert found.mean == pytest.approx(dict(report.mean), rel=1e-12)
    assert "Lower is better" not in str(found)


def test_evaluator_of_sorted_parts_equals_report():
    evaluator = RankingEvaluator(make_scorers())
    for part, rows in enumerate(np.array_split(np.arange(N), 5)):
        labels = {name: each[rows] for name, each in COLUMNS.items()}
        evaluator.update(Y[rows], SCORES[rows], QID[rows], labels=labels, part=part)
    assert evaluator.result().mean == pytest.approx(dict(expected().mean), rel=1e-12)


def test_parquet_equals_report(tmp_path):
    pytest.importorskip("pyarrow")
    frame().to_parquet(tmp_path / "rows.parquet")
    got = evaluate("y", "score", groups="qid", metrics=make_scorers(), data=tmp_path / "rows.parquet")
    assert got.mean == pytest.approx(dict(expected().mean), rel=1e-12)


def scan_by_pyarrow(path):
    return pytest.importorskip("pyarrow.dataset").dataset(path, format="csv")


def read_by_pandas(path):
    return pytest.importorskip("pandas").read_csv(path)


def scan_by_polars(path):
    return pytest.importorskip("polars").scan_csv(path)


@pytest.mark.parametrize("read", [read_by_pandas, scan_by_pyarrow, scan_by_polars])
def test_csv_equals_report(read, tmp_path):
    frame().to_csv(tmp_path / "rows.csv", index=False)
    got = evaluate("y", "score", groups="qid", metrics=make_scorers(), data=read(tmp_path / "rows.csv"))
    assert got.mean == pytest.approx(dict(expected().mean), rel=1e-12)


def test_report_is_written_as_csv(tmp_path):
    pandas = pytest.importorskip("pandas")
    report = expected()
    report.to_frame().to_csv(tmp_path / "report.csv")
    again = pandas.read_csv(tmp_path / "report.csv")[list(make_scorers())]
    assert again.mean().to_dict() == pytest.approx(dict(report.mean), rel=1e-12)


def test_dask_equals_report():
    dask = pytest.importorskip("dask.dataframe")
    data = dask.from_pandas(frame(), npartitions=3)
    got = evaluate("y", "score", groups="qid", metrics=make_scorers(), data=data)
    assert got.mean == pytest.approx(dict(expected().mean), rel=1e-12)


def test_runs_are_evaluated_by_scorers():
    qrels = {str(q): {str(i): int(Y[i]) for i in np.flatnonzero(q == QID)} for q in range(80)}
    run = {str(q): {str(i): SCORES[i] for i in np.flatnonzero(q == QID)} for q in range(80)}
    scoring = {"ours": ndcg_scorer(k=8), "loss": "neg_log_loss", "first": make_group_scorer(top_value)}
    got = evaluate_runs(qrels, {"a": run}, metrics=scoring)["a"].mean
    assert got["ours"] == pytest.approx(expected().mean["ndcg@8"])
    assert got["loss"] == pytest.approx(expected().mean["log loss"])


def test_report_is_saved_and_read(tmp_path):
    report = expected()
    again = RankingReport.from_json(report.to_json())
    assert again.mean == report.mean
    assert again.interval == report.interval


def test_report_is_written_as_tables(tmp_path):
    pytest.importorskip("pandas")
    report = expected()
    report.to_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert all(name in page for name in make_scorers())
    assert report.to_frame()[list(make_scorers())].mean().to_dict() == pytest.approx(dict(report.mean))


def test_comparison_and_gate_know_that_negated_losses_are_better_if_higher():
    new = evaluate(Y, np.clip(SCORES, 0.2, 0.8), groups=QID, metrics=make_scorers(), labels=COLUMNS)
    reports = {"old": expected(), "new": new}
    found = compare(reports, baseline="old", metrics=["log loss"])
    rows = {name: np.asarray(each).tolist() for name, each in found.columns.items()}
    assert (rows["difference"][0] > 0) == (rows["wins"][0] > rows["losses"][0])
    assert "Lower is better" not in str(found)
    better, worse = sorted(reports, key=lambda name: -reports[name].mean["log loss"])
    assert_not_worse(compare(reports, baseline=worse, metrics=["log loss"]))
    with pytest.raises(AssertionError):
        assert_not_worse(compare(reports, baseline=better, metrics=["log loss"]))


def test_reports_of_different_functions_are_not_compared():
    one = call_scores({"value": make_group_scorer(top_value)})
    other = call_scores({"value": make_group_scorer(accuracy_of_halves)})
    with pytest.raises(ValueError, match="same options"):
        compare({"one": one, "other": other})


def accuracy_of_halves(y_true, y_score):
    return accuracy_score(y_true, y_score > 0.5)


def test_difference_display_counts_wins_of_negated_losses():
    pytest.importorskip("matplotlib")
    a, b = (
        call_scores({"log loss": "neg_log_loss"}),
        evaluate(Y, Y, groups=QID, metrics={"log loss": "neg_log_loss"}),
    )
    display = QueryDifferenceDisplay.from_reports(a, b, "log loss")
    assert (display.n_wins, display.n_losses) == (len(a.ids), 0)
    display = QueryDifferenceDisplay.from_comparison(compare({"b": b, "a": a}))
    assert len(a.ids) in (display.n_wins, display.n_losses)


def test_segments_are_ordered_by_negated_losses():
    report = call_scores({"log loss": "neg_log_loss"})
    segments = report.by({query: "even" if query % 2 == 0 else "odd" for query in report.ids.tolist()})
    worst = min(segments, key=lambda name: segments[name].mean["log loss"])
    assert segments.table().columns["segment"][0] == worst


# ------------------------------------------------------------------ searches, importances, early stopping


@pytest.mark.parametrize("name", ["gmv", "revenue@8", "log loss"])
def test_search_keeps_values_of_queries(name):
    scorer = make_scorers("predict_proba")[name]
    scorer = make_group_scorer(log_loss, greater_is_better=False) if name == "log loss" else scorer
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring=scorer, keep_queries=True, cv=4)
    columns = {} if name == "log loss" else {"revenue": REVENUE}
    search.fit(X, Y, groups=QID, **columns)
    report = report_model(LogisticRegression(C=0.01), {"kept": scorer}, params=columns or None)
    kept = search.report(0)
    assert list(kept.mean.values()) == pytest.approx(list(report.mean.values()), rel=1e-12)
    assert "Lower is better" not in str(kept)


def test_search_keeps_values_of_one_of_several_scorers():
    scoring = {"gmv": make_scorers("predict_proba")["gmv"], "ndcg": "ndcg@8"}
    options = {"scoring": scoring, "refit": "gmv", "keep_queries": "gmv", "cv": 4}
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, **options).fit(
        X, Y, groups=QID, revenue=REVENUE
    )
    report = report_model(LogisticRegression(C=1), {"gmv": scoring["gmv"]}, params={"revenue": REVENUE})
    assert list(search.report(1).mean.values()) == pytest.approx([report.mean["gmv"]])


# A scorer of other labels, and the same scorer of y.
PAIRS = {
    "metric": (make_scorers()["revenue@8"], dcg_scorer(k=8, discount=None)),
    "function": (
        make_group_scorer(top_value, labels="revenue", response_method="predict_proba"),
        make_group_scorer(top_value, response_method="predict_proba"),
    ),
    "function of scikit-learn": (
        make_group_scorer(mean_squared_error, labels="revenue", response_method="predict_proba"),
        make_group_scorer(mean_squared_error, response_method="predict_proba"),
    ),
}


def score_importance(scorer, y, columns):
    options = {"groups": QID, "n_repeats": 2, "random_state": 0, "labels": columns}
    model = LogisticRegression().fit(X, Y)
    return permutation_importance(model, X, y, scoring=scorer, **options).importances


def score_importance_by_name(scorer, y, columns):
    options = {"groups": QID, "n_repeats": 2, "random_state": 0, "labels": columns}
    model = LogisticRegression().fit(X, Y)
    return permutation_importance(model, X, y, scoring={"mine": scorer}, **options)["mine"].importances


def search_candidates(scorer, columns):
    grid = {"C": [0.01, 1]}
    search = GridSearchCV(LogisticRegression(), grid, scoring=scorer, keep_queries=True, cv=4)
    return search.fit(X, Y, groups=QID, **columns)


def show_report(scorer, y, columns):
    report = evaluate(y, SCORES, groups=QID, metrics={"mine": scorer}, labels=columns)
    return MetricDistributionDisplay.from_report(report).values["all queries"]


def show_reports(scorer, y, columns):
    options = {"groups": QID, "metrics": {"mine": scorer}, "labels": columns}
    a, b = (evaluate(y, each, **options) for each in (SCORES, UNTIED))
    return QueryDifferenceDisplay.from_reports(a, b, "mine").differences


CALLS = [score_importance, score_importance_by_name, show_report, show_reports]


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("call", CALLS)
def test_scorer_of_labels_equals_scorer_of_y(call, kind):
    if call in (show_report, show_reports):
        pytest.importorskip("matplotlib")
    of_labels, of_y = PAIRS[kind]
    expected = call(of_y, REVENUE, None)
    assert np.ptp(expected) > 0
    np.testing.assert_allclose(call(of_labels, Y, {"revenue": REVENUE}), expected)


@pytest.mark.parametrize("kind", PAIRS)
def test_search_and_its_display_score_candidates_by_labels(kind):
    pytest.importorskip("matplotlib")
    scorer, _ = PAIRS[kind]
    search = search_candidates(scorer, {"revenue": REVENUE})
    means = [
        report_model(LogisticRegression(C=C), {"mine": scorer}, params={"revenue": REVENUE}).mean["mine"]
        for C in (0.01, 1)
    ]
    assert [search.report(i).mean[search.kept_queries_.metric] for i in (0, 1)] == pytest.approx(means)
    display = ContendersDisplay.from_search(search)
    assert sorted(display.difference) == pytest.approx(sorted(mean - max(means) for mean in means))


def test_importance_without_labels_of_scorer_raises_error():
    with pytest.raises(ValueError, match="'revenue'"):
        permutation_importance(
            LogisticRegression().fit(X, Y), X, Y, groups=QID, scoring=make_scorers("predict_proba")["gmv"]
        )


def test_function_of_groups_decides_early_stopping():
    from sklearn_rank.rankers import as_eval_metric

    metric = as_eval_metric(make_group_scorer(roc_auc_score), library="lightgbm")
    name, value, is_better = metric([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], None, [2, 2])
    assert (name, value, is_better) == ("make_group_scorer(roc_auc_score)", 0.5, True)
