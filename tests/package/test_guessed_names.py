"""Names that new users guess are answered with code, and the code runs."""

import re

import numpy
import pytest
from sklearn.linear_model import LogisticRegression

import sklearn_rank
from sklearn_rank import (
    cross_val_report,
    cross_val_score,
    datasets,
    evaluate,
    get_scorer,
    metrics,
    ndcg_score,
    ranking_scores,
)
from sklearn_rank.metrics import ndcg_scorer

random = numpy.random.default_rng(0)
qid = numpy.repeat(numpy.arange(30), 20)
X = random.standard_normal((600, 3))
y_true = (X[:, 0] + random.standard_normal(600) > 1).astype(int)
y_true[::20] = 1  # each group has a relevant row
classes = (X[:, 0] > 0).astype(float)
y_score, revenue = X.sum(axis=1), y_true * random.integers(1, 50, 600)
run_a = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"a": 1.0}}
run_b = {"q1": {"b": 0.9, "c": 0.8}, "q2": {"c": 0.5, "a": 0.1}}
ROWS = {"groups": qid}
LOGISTIC = LogisticRegression()
PUBLIC = {
    name: getattr(module, name) for module in (sklearn_rank, metrics, datasets) for name in module.__all__
}
SCOPE = {
    **PUBLIC,
    **dict(zip(("numpy", "qid", "y_true", "y_score", "revenue"), (numpy, qid, y_true, y_score, revenue))),
    "run_a": run_a,
    "run_b": run_b,
}


def by_group(function):
    """Return the mean of a function of the labels of each group, sorted by score."""
    values = []
    for each in numpy.unique(qid):
        rows = numpy.flatnonzero(qid == each)
        values.append(function(rows[numpy.argsort(-y_score[rows])]))
    return numpy.mean(values)


def lift(rows):
    return y_true[rows[:2]].mean() / y_true[rows].mean()  # the top 10% of 20 rows


def context_precision(rows):
    hits = y_true[rows[:5]]
    return (numpy.cumsum(hits) / numpy.arange(1, 6) * hits).sum() / max(hits.sum(), 1)


def recall(rows):
    return y_true[rows[:5]].sum() / y_true[rows].sum()


EXPECTED = {
    "lift": by_group(lift),
    "lift_score": by_group(lift),
    "revenue": by_group(lambda rows: revenue[rows[:10]].sum()),
    "context_precision": by_group(context_precision),
    "context_recall": by_group(recall),
}


CALLS = {
    "evaluate": lambda name: evaluate(y_true, classes, **ROWS, metrics=[name]).mean,
    "ranking_scores": lambda name: ranking_scores(y_true, classes, **ROWS, metrics=name),
    "cross_val_report": lambda name: cross_val_report(LOGISTIC, X, y_true, **ROWS, scoring=name).mean,
    "cross_val_score": lambda name: cross_val_score(LOGISTIC, X, y_true, **ROWS, scoring=name).any(),
    "get_scorer": get_scorer,
}


@pytest.mark.parametrize("module", [sklearn_rank, metrics, datasets])
@pytest.mark.parametrize("name", EXPECTED)
def test_error_of_an_import_shows_code_with_the_value(name, module):
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    [code] = re.findall(rf"no attribute '{name}'\. Use (.*)", str(caught.value))
    assert eval(code, SCOPE) == pytest.approx(EXPECTED[name])


@pytest.mark.parametrize("name", ["rrf", "fuse", "fusion", "reciprocal_rank_fusion"])
def test_error_of_fusion_shows_code_with_its_scores(name):
    with pytest.raises(AttributeError) as caught:
        getattr(sklearn_rank, name)
    [code] = re.findall(r"\. Use (.*)", str(caught.value))
    exec(code, scope := dict(SCOPE))
    expected = [1 / 62, 1 / 62 + 1 / 61, 1 / 61, 1 / 61, 1 / 61 + 1 / 62]  # q1: c, b, a; q2: c, a
    assert scope["groups"].tolist() == ["q1", "q1", "q1", "q2", "q2"]
    assert scope["fused"] == pytest.approx(expected)


def test_error_of_load_mslr_shows_code_that_loads_a_fold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Fold1").mkdir()
    for place, name in enumerate(("train", "vali", "test")):
        (tmp_path / "Fold1" / f"{name}.txt").write_text(f"{place} qid:{place} 1:1\n")
    with pytest.raises(AttributeError) as caught:
        datasets.load_mslr  # noqa: B018
    [code] = re.findall(r"\. Use (.*)", str(caught.value))
    assert [each.tolist() for each in eval(code, SCOPE)[1:]] == [[0, 1, 2]] * 3


@pytest.mark.parametrize("name", ["per_user_auc", "gauc", "nugget_recall"])
def test_error_of_an_import_names_a_function(name):
    with pytest.raises(AttributeError) as caught:
        getattr(sklearn_rank, name)
    [ours] = re.findall(r"Did you mean (\w+)\?", str(caught.value))
    assert callable(PUBLIC[ours])


@pytest.mark.parametrize(
    "name",
    ["per_user_auc", "gauc", "revenue", "revenue@8", "context_precision", "context_precision@3"]
    + ["context_recall", "context_recall@3", "ndcg(k=8)", "precision(k=8, min_relevance=1)"]
    + ["map(denominator=hits, k=3)", "map( k = 3 )"],
)
def test_error_of_a_metric_shows_names_that_work(name):
    for call in (
        lambda name: ranking_scores(y_true, y_score, **ROWS, metrics=[name]),
        lambda name: get_scorer(name),
    ):
        with pytest.raises(ValueError, match="parameter of") as caught:
            call(name)
        names = re.findall(r'"(.*?)"', str(caught.value))
        assert names
        for each in names:
            assert call(each)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *dict.fromkeys(("log_loss", "logloss", "LogLoss", "neg_logloss"), "neg_log_loss").items(),
        *dict.fromkeys(("brier_score_loss", "brier_score", "brier"), "neg_brier_score").items(),
        *dict.fromkeys(("mean_squared_error", "mse", "MSE"), "neg_mean_squared_error").items(),
        *dict.fromkeys(("mean_absolute_error", "mae"), "neg_mean_absolute_error").items(),
        ("accuracy_score", "accuracy"),
        ("average_precision_score", "average_precision"),
        ("auc", "group_auc"),
    ],
)
@pytest.mark.parametrize("call", CALLS)
def test_error_of_a_function_of_scikit_learn_shows_its_scorer(call, name, expected):
    with pytest.raises(ValueError, match="parameter of") as caught:
        CALLS[call](name)
    names = re.findall(r'"(.*?)"', str(caught.value))
    assert expected in names
    for each in names:
        assert CALLS[call](each)


@pytest.mark.parametrize("call", ["tie_report", "get_scorer"])
def test_error_of_a_function_of_scikit_learn_shows_only_names_that_work(call):
    calls = {"tie_report": lambda name: metrics.tie_report(y_true, y_score, **ROWS, metrics=[name])}
    call = {**calls, "get_scorer": get_scorer}[call]
    for name in ("log_loss", "mse"):
        with pytest.raises(ValueError, match="parameter of") as caught:
            call(name)
        for each in re.findall(r'"(.*?)"', str(caught.value)):
            assert call(each)


def test_error_of_a_metric_keeps_its_options():
    for name, expected in {
        "ndcg(k=8)": "ndcg@8",
        "precision(k=8, min_relevance=2)": "precision@8(min_relevance=2)",
        "rbp(p=0.5, k=3, min_relevance=2)": "rbp@3(p=0.5, min_relevance=2)",
        "alpha_ndcg(k=8)": "alpha_ndcg@8",
    }.items():
        with pytest.raises(ValueError, match=re.escape(f'must be written "{expected}". Got')):
            evaluate(y_true, y_score, **ROWS, metrics=[name], intents=y_true[:, None])


@pytest.mark.parametrize("name", ["ndcg@3(k=8)", "ndcg(k=None)", "ndcg(k=x)", "ndcg(k=8"])
def test_other_forms_of_the_cutoff_are_rejected(name):
    with pytest.raises(ValueError, match="'metrics' parameter of evaluate must"):
        evaluate(y_true, y_score, **ROWS, metrics=[name])


@pytest.mark.parametrize("name", ["lift", "lift_score"])
def test_error_of_lift_as_a_metric_shows_a_scorer(name):
    with pytest.raises(ValueError, match="parameter of") as caught:
        get_scorer(name)
    [code] = re.findall(r"Did you mean (.*) \(as in", str(caught.value))
    model = LogisticRegression().fit(X, y_true)
    scores = cross_val_score(model, X, y_true, groups=qid, scoring=eval(code, SCOPE))
    assert (scores > 1.5).all()


def test_error_of_nugget_recall_as_a_metric_shows_a_name():
    nuggets = numpy.column_stack([y_true, 1 - y_true])
    with pytest.raises(ValueError, match="Did you mean") as caught:
        evaluate(y_true, y_score, **ROWS, metrics=["nugget_recall@3"], intents=nuggets)
    [name] = re.findall(r'Did you mean "(.*?)"', str(caught.value))
    assert evaluate(y_true, y_score, **ROWS, metrics=[name], intents=nuggets).mean[name] > 0.5


@pytest.mark.parametrize("name", ["user", "users", "user_id", "user_ids"])
@pytest.mark.parametrize(
    "call",
    [
        lambda **more: ndcg_score(y_true, y_score, **more),
        lambda **more: evaluate(y_true, y_score, metrics=["ndcg"], **more).mean["ndcg"],
        lambda **more: cross_val_score(LogisticRegression(), X, y_true, scoring="ndcg@5", **more).min(),
    ],
    ids=["function", "evaluate", "cross_val_score"],
)
def test_error_of_users_shows_groups(call, name):
    with pytest.raises(TypeError, match="has no parameter") as caught:
        call(**{name: qid})
    [given] = re.findall(r"Pass (groups=\w+)", str(caught.value))
    assert call(**eval(f"dict({given})", {name: qid})) > 0


@pytest.mark.parametrize("name", ["needs_proba", "needs_threshold"])
def test_error_of_needs_proba_shows_response_method(name):
    with pytest.raises(TypeError, match="has no parameter") as caught:
        ndcg_scorer(k=8, **{name: True})
    [given] = re.findall(r"Pass (.*)\.", str(caught.value))
    assert ndcg_scorer(k=8, **eval(f"dict({given})"))
