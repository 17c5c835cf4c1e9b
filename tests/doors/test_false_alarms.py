"""Ordinary data, for which no warning is issued: all entry points, on all kinds of labels, scores and ids."""

import contextlib
import io
import warnings
from collections import Counter
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge

from sklearn_rank import (
    GridSearchCV,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RankingEvaluator,
    TimeCut,
    cross_val_report,
    cross_val_score,
    datasets,
    evaluate,
    evaluate_runs,
    ranking_scorer,
    ranking_scores,
)
from sklearn_rank.rankers import PairwiseRanker

from ..helpers.frames import pandas
from ..helpers.reference_data import needs_reference, read_columns, read_libsvm
from ..helpers.table import METRICS
from .command_doors import run_command
from .ordinary_data import Rows, draw_rows, draw_run, find_threshold, list_metrics

# ------------------------------------------------------------------ rows


def take_few(metrics):
    """Take three metrics; ERR needs a highest grade if data come in parts."""
    return [name for name in metrics if not name.startswith("err")][:3]


def call_functions(rows, metrics):
    for name in metrics:
        stem = name.partition("(")[0].partition("@")[0]
        metric, least = METRICS[stem], find_threshold(rows.kind)
        options = {"k": 3} if metric.cutoff == "required" else {}
        options |= {"min_relevance": least} if "min_relevance" in metric.defaults else {}
        metric.function(rows.y, rows.score, groups=rows.groups, **options)


def evaluate_forms(rows, metrics):
    frame = pandas.DataFrame({"qid": rows.groups, "label": rows.y, "score": rows.score})
    columns = {"y_true": "label", "y_score": "score", "groups": "qid"}
    evaluate(rows.y, rows.score, groups=rows.groups, metrics=metrics)
    evaluate(**columns, data=frame, metrics=metrics)
    RankingEvaluator(metrics, keep_queries=False).read(frame, **columns).result()


def cross_validate_models(rows, metrics):
    given = {"groups": rows.groups, "cv": 3}
    cross_val_score(Ridge(), rows.X, rows.y, scoring=metrics[0], **given)
    cross_val_report(Ridge(), rows.X, rows.y, scoring=metrics, **given)
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, scoring=metrics[0], cv=3)
    model = search.fit(rows.X, rows.y, groups=rows.groups)
    ranking_scorer(metrics)(model, rows.X, rows.y, groups=rows.groups)
    PairwiseRanker(Ridge()).fit(rows.X, rows.y, groups=rows.groups)


def split_by_time(rows, metrics):
    """Split users by the time of their events, and sessions of at most an hour by their order."""
    starts = np.unique(rows.groups, return_inverse=True)[1] * np.timedelta64(1, "D")
    sessions = np.datetime64("2024-01-01") + starts + (rows.times - rows.times.min()) // 10_000
    for cv in (TimeCut(), LeaveLastOut()):  # many of their test queries have one document
        list(cv.split(rows.X, groups=rows.groups, times=rows.times))
    options = {"groups": rows.groups, "scoring": metrics[0], "params": {"times": sessions}}
    cross_val_score(Ridge(), rows.X, rows.y, cv=GroupTimeSeriesSplit(2), **options)


ROW_CALLS = {
    "metric functions": call_functions,
    "ranking_scores": lambda rows, metrics: ranking_scores(
        rows.y, rows.score, groups=rows.groups, metrics=metrics
    ),
    "evaluate": lambda rows, metrics: evaluate_forms(rows, take_few(metrics)),
    "models": lambda rows, metrics: cross_validate_models(rows, take_few(metrics)),
    "splits by time": split_by_time,
}

# ------------------------------------------------------------------ runs


def list_run_metrics(kind):
    names = ["ndcg@10", "map", "mrr", "precision@10", "recall@10", "bpref"]
    least = find_threshold(kind)
    return [name if name == "ndcg@10" else f"{name}(min_relevance={least})" for name in names] + ["judged@10"]


def list_columns(sides):
    rows = [(user, item, value) for user, each in sides.items() for item, value in each.items()]
    return map(list, zip(*rows))


def read_lists(data, metrics):
    relevant = {query: set(items) for query, items in data.qrels.items()}
    for given, names in ((data.qrels, metrics), (relevant, list_run_metrics("clicks"))):
        rows = datasets.from_recommendations(given, {query: list(each) for query, each in data.run.items()})
        ranking_scores(*rows[:2], groups=rows[2], metrics=names)


def read_frames(data, metrics):
    frames = [
        pandas.DataFrame(dict(zip(("user", "item", name), list_columns(side))))
        for name, side in (("rating", data.qrels), ("score", data.run))
    ]
    y_true, y_score, groups = datasets.from_interactions(*frames)
    ranking_scores(y_true, y_score, groups=groups, metrics=metrics)


def read_matrices(data, metrics):
    users, items, scores = list_columns(data.run)
    codes, places = (np.unique(each, return_inverse=True)[1] for each in (users, items))
    matrices = np.zeros((2, codes.max() + 1, places.max() + 1))
    matrices[1][codes, places] = scores
    columns = dict(zip(items, places))
    for row, query in enumerate(np.unique(users).tolist()):
        for item, grade in data.qrels[query].items():
            if item in columns:
                matrices[0, row, columns[item]] = grade
    rows = datasets.from_score_matrix(*matrices)
    ranking_scores(*rows[:2], groups=rows[2], metrics=metrics)
    rows = datasets.from_factors(matrices[0], matrices[1], np.eye(matrices.shape[2]), k=10)
    ranking_scores(*rows[:2], groups=rows[2], metrics=[metrics[0]])


def read_run(data, metrics):
    y_true, y_score, groups = datasets.from_run(data.qrels, data.run)
    ranking_scores(y_true, y_score, groups=groups, metrics=metrics, unjudged="nonrelevant")
    datasets.from_two_runs(data.run, data.run)


def write_files(data, folder):
    """Write judgments and two runs in TREC format; return their paths."""
    lines = zip(*list_columns(data.qrels))
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {grade:g}\n" for q, d, grade in lines))
    for name in "ab":
        lines = zip(*list_columns(data.run))
        (folder / name).write_text("".join(f"{q} Q0 {d} 0 {score} {name}\n" for q, d, score in lines))
    return [folder / name for name in ("qrels", "a", "b")]


def run_commands(data, metrics, folder):
    """Raise a warning for each text on standard error."""
    files = write_files(data, folder)
    words = [word for name in metrics for word in ("-m", name)]
    with contextlib.redirect_stderr(errors := io.StringIO()):
        for command in ("evaluate", "compare"):
            run_command(command, *files, *words)
    for line in errors.getvalue().splitlines():
        warnings.warn(line, stacklevel=2)


RUN_CALLS = {
    "from_run": read_run,
    "evaluate_runs": lambda data, metrics: evaluate_runs(
        data.qrels, {"a": data.run, "b": data.run}, metrics=metrics
    ),
    "from_recommendations": read_lists,
    "from_interactions": read_frames,
    "from_score_matrix": read_matrices,
}

# ------------------------------------------------------------------ counts


def count_warnings(call, *given):
    """Count the warnings of a call by the first words; constant scores have no correlation."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*given)
    messages = [each.message for each in caught if each.category is not UndefinedMetricWarning]
    return Counter(str(message)[:120] for message in messages)


N_SETS = pytest.mark.parametrize("n_sets", [20, pytest.param(1000, marks=pytest.mark.slow)])


def count_all(call, draw, find_metrics, seeds):
    """Count the warnings of a call on ordinary data of many seeds."""
    counts = Counter()
    for data in map(draw, seeds):
        counts += count_warnings(call, data, find_metrics(data.kind))
    return counts


@N_SETS
@pytest.mark.parametrize("name", ROW_CALLS)
def test_ordinary_rows_raise_no_warning(name, n_sets):
    assert count_all(ROW_CALLS[name], draw_rows, list_metrics, range(n_sets)) == Counter()


@N_SETS
@pytest.mark.parametrize("name", RUN_CALLS)
def test_ordinary_runs_raise_no_warning(name, n_sets):
    assert count_all(RUN_CALLS[name], draw_run, list_run_metrics, range(n_sets)) == Counter()


@N_SETS
def test_command_line_is_silent_on_ordinary_runs(n_sets, tmp_path):
    call = partial(run_commands, folder=tmp_path)
    assert count_all(call, draw_run, list_run_metrics, range(0, n_sets, 10)) == Counter()


TIMELESS = [name for name in ROW_CALLS if name != "splits by time"]


@pytest.mark.parametrize("name", TIMELESS)
def test_digits_raise_no_warning(name):
    X, y, groups = datasets.load_digits_ranking(return_X_y=True)
    rows = Rows("grades", X, y, X[:, 10], groups, None, None)
    assert count_warnings(ROW_CALLS[name], rows, list_metrics("grades")) == Counter()


@needs_reference
@pytest.mark.parametrize("name", TIMELESS)
def test_example_of_lightgbm_raises_no_warning(name):
    X, y, groups = read_libsvm("rank.train")
    rows = Rows("grades", X, y, X[:, 10], groups, None, None)
    assert count_warnings(ROW_CALLS[name], rows, list_metrics("grades")) == Counter()


@needs_reference
@pytest.mark.parametrize("name", ["metric functions", "ranking_scores", "evaluate"])
@pytest.mark.parametrize("scores", ["s", "s_r1", "s_r0", "s_strict"])
def test_predictions_for_the_example_raise_no_warning(name, scores):
    columns = read_columns("lightgbm_lambdarank/flat.csv")
    rows = Rows("grades", None, columns["label"], columns[scores], columns["qid"], None, None)
    assert count_warnings(ROW_CALLS[name], rows, list_metrics("grades")) == Counter()
