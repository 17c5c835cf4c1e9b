"""`evaluate` of Dask DataFrames, and searches over a cluster of Dask."""

import itertools
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.linear_model import Ridge

from sklearn_rank import GridSearchCV, RankingEvaluator, cross_val_score, evaluate, ranking_scores
from sklearn_rank._checks.options import count_jobs
from sklearn_rank._engine.prepared import SMALL_INPUT

pandas = pytest.importorskip("pandas")
dask = pytest.importorskip("dask")
frames = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

METRICS = ["ndcg@10", "map", "mrr", "precision@5"]
NAMES = {"groups": "qid", "metrics": METRICS}
N_ROWS, N_QUERIES = 2000, 120


@pytest.fixture(scope="module")
def frame():
    """Rows sorted by query, of 1 to some 30 documents each; ids as numbers, text and categories."""
    random = np.random.default_rng(0)
    qid = np.sort(random.integers(0, N_QUERIES, N_ROWS))
    scores = random.normal(size=N_ROWS).round(1)
    frame = pandas.DataFrame({"qid": qid, "label": random.integers(0, 4, N_ROWS), "score": scores})
    frame["weight"] = 1.0 + frame.qid % 3
    frame["text"] = frame.qid.map("q{:04d}".format)
    frame["kind"] = frame.text.astype("category")
    return frame


@pytest.fixture(scope="module")
def shuffled(frame):
    return frame.sample(frac=1, random_state=0).reset_index(drop=True)


def cut(frame, *edges):
    """Make partitions that end at these rows."""
    edges = [0, *edges, len(frame)]
    parts = [frame.iloc[start:stop] for start, stop in itertools.pairwise(edges)]
    return frames.from_map(lambda part: part, parts, meta=frame.iloc[:0])


def report(data, names=NAMES, keep_queries=True, **options):
    if keep_queries:
        return evaluate("label", "score", data=data, **names, **options)
    columns = {**names}
    evaluator = RankingEvaluator(columns.pop("metrics"), keep_queries=False, **options)
    return evaluator.read(data, "label", "score", **columns).result()


def assert_same(found, expected):
    """Check means to the bit, and what is known of them."""
    assert found.mean == expected.mean
    assert found.n_queries == expected.n_queries
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-12)
    if found.ids is None:
        return
    assert found.ids.tolist() == expected.ids.tolist()
    for name in METRICS:
        np.testing.assert_allclose(found.values[name], expected.values[name], rtol=0, atol=1e-15)


# ---------------------------------------------------------------------------- reports


@pytest.mark.parametrize("weights", [None, "weight"])
@pytest.mark.parametrize("ids", ["qid", "text", "kind"])
@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
def test_evaluate_of_dask_gives_the_report_of_rows_in_memory(keep, ids, weights, frame):
    names = {"groups": ids, "metrics": METRICS, "sample_weight": weights}
    data = frames.from_pandas(frame, npartitions=9)
    assert_same(report(data, names, keep_queries=keep), report(frame, names))


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_evaluate_of_dask_works_with_any_scheduler(scheduler, frame):
    with dask.config.set(scheduler=scheduler, num_workers=2):
        assert_same(report(cut(frame, 700, 1400)), report(frame))


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
@pytest.mark.parametrize("n_parts", [1, 2, 8, 9, 70])
def test_evaluate_of_dask_works_with_any_number_of_partitions(n_parts, keep, frame):
    edges = np.linspace(0, N_ROWS, n_parts + 1).astype(int)[1:-1]
    assert_same(report(cut(frame, *edges), keep_queries=keep), report(frame))


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
def test_evaluate_of_dask_accepts_empty_partitions(keep, frame):
    edges = (0, 500, 500, 500, 1300, N_ROWS)
    assert_same(report(cut(frame, *edges), keep_queries=keep), report(frame))


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
def test_evaluate_of_dask_accepts_a_query_in_three_partitions(keep, frame):
    first = int(frame.qid.searchsorted(60))
    assert (frame.qid.iloc[first : first + 9] == 60).all()
    data = cut(frame, first + 2, first + 5)
    assert_same(report(data, keep_queries=keep), report(frame))


def test_evaluate_of_dask_reads_ids_from_the_index(frame, shuffled):
    sorted_by_dask = frames.from_pandas(shuffled, npartitions=5).set_index("qid")
    assert sorted_by_dask.known_divisions
    assert_same(report(sorted_by_dask), report(frame))
    unknown = sorted_by_dask.clear_divisions()
    assert_same(report(unknown), report(frame))


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["synchronous", "processes"])
def test_evaluate_of_dask_draws_from_generator_as_in_memory(scheduler, frame):
    def bootstrap(data):
        random = np.random.RandomState(0)
        found = report(data, interval="bootstrap", n_resamples=100, random_state=random)
        return found.interval, random.random_sample()

    with dask.config.set(scheduler=scheduler, num_workers=2):
        assert bootstrap(cut(frame, 700, 1400)) == bootstrap(frame)


def test_evaluate_of_dask_treats_missing_labels_as_unjudged(frame):
    unjudged = frame.assign(label=frame.label.where(frame.label > 0))
    found = report(cut(unjudged, 300, 1100), unjudged="nonrelevant")
    assert found.mean == report(unjudged, unjudged="nonrelevant").mean


def test_evaluate_of_dask_passes_functions_to_partitions(frame):
    assert_same(
        report(cut(frame, 300, 1100), gain=lambda labels: labels**2),
        report(frame, gain=lambda labels: labels**2),
    )


def test_evaluate_of_dask_keeps_the_order_of_ties(frame):
    assert_same(report(cut(frame, 300, 1100), ties="order"), report(frame, ties="order"))


def test_evaluate_of_dask_reads_only_named_columns(frame):
    read = []

    def load(part, columns=None):
        read.append(columns)
        return part[columns]

    data = frames.from_map(load, [frame.iloc[:1000], frame.iloc[1000:]], meta=frame.iloc[:0])
    with dask.config.set(scheduler="synchronous"):
        report(data)
    assert [sorted(each) for each in read] == [["label", "qid", "score"]] * 2


@pytest.mark.slow
def test_evaluate_of_dask_renumbers_partitions_joined_by_dask(frame, tmp_path):
    wide = frame.assign(**{f"feature {number}": frame.score for number in range(20)})
    for number, start in enumerate(range(0, N_ROWS, 50)):
        wide.iloc[start : start + 50].to_parquet(tmp_path / f"{number:02d}.parquet")
    data = frames.read_parquet(tmp_path)
    data = data[data.label >= 0]
    assert data[["qid", "label", "score"]].optimize().npartitions < data.npartitions == 40
    for keep in (True, False):
        assert_same(report(data, keep_queries=keep), report(frame))


# ---------------------------------------------------------------------------- invalid input


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
def test_evaluate_of_dask_rejects_partitions_not_sorted_by_id(keep, frame):
    parts = [frame[frame.qid < 40], frame[frame.qid >= 80], frame[frame.qid.between(40, 79)]]
    data = frames.from_map(lambda part: part, parts, meta=frame.iloc[:0])
    message = r"'groups' .* must increase from part to part\. Got 119 in part 1 before 40 in .*sort_values"
    with pytest.raises(ValueError, match=message):
        report(data, keep_queries=keep)
    assert_same(report(data.sort_values("qid"), keep_queries=keep), report(frame))


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
@pytest.mark.parametrize("spans", [[(0, 50), (51, 119)], [(40, 119), (0, 39)], [(60, 119), (0, 60)]])
def test_evaluate_of_dask_checks_ids_and_ignores_divisions(spans, keep, frame):
    by_id = frame.set_index("qid")
    parts = [by_id.loc[slice(*span)] for span in spans]
    data = frames.from_map(lambda part: part, parts, meta=by_id.iloc[:0], divisions=(0, 40, 119))
    if spans[0][0] == 0:
        assert_same(report(data, keep_queries=keep), report(frame))
    else:
        with pytest.raises(ValueError, match="'groups' parameter of evaluate must increase"):
            report(data, keep_queries=keep)


def test_evaluate_of_dask_accepts_a_query_across_a_division(frame):
    by_id = frame.set_index("qid")
    middle = int(frame.qid.searchsorted(60)) + 2
    parts = [by_id.iloc[:middle], by_id.iloc[middle:]]
    data = frames.from_map(lambda part: part, parts, meta=by_id.iloc[:0], divisions=(0, 60, 119))
    assert_same(report(data), report(frame))


@pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
def test_evaluate_of_dask_rejects_a_query_in_two_places(keep, frame):
    twice = pandas.concat([frame, frame.iloc[:5]])
    with pytest.raises(ValueError, match=r"'groups' .* must increase from part to part.*sort_values"):
        report(cut(twice, N_ROWS), keep_queries=keep)
    with pytest.raises(ValueError, match=r"'groups' .* must be sorted .*sort_values"):
        report(cut(twice, 1000), keep_queries=keep)


def test_evaluate_of_dask_rejects_missing_ids(frame):
    missing = frame.assign(qid=frame.qid.where(frame.qid > 3))
    with pytest.raises(ValueError, match="'groups' parameter of evaluate must not contain missing ids"):
        report(cut(missing, 1000))


REFUSED = {
    "n_jobs": ({"n_jobs": 2}, "'n_jobs' parameter of evaluate must be None for data of Dask"),
    "clusters": (
        {"cluster": "text"},
        "'cluster' parameter of evaluate must be None if rows are read in batches",
    ),
    "a grade that no partition knows": (
        {"metrics": ["err"]},
        r"'metrics' parameter of \w+ must contain max_grade if data are in parts",
    ),
    "an unknown column": (
        {"groups": "query"},
        "'groups' .* must name a column of 'data'.* Its columns are 'qid', 'lab",
    ),
    "no column of ids": ({"groups": None}, "'groups' .* must be the name of the column of query ids"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_evaluate_of_dask_rejects_invalid_options_before_reading(what, frame):
    options, message = REFUSED[what]

    def load(part):
        raise AssertionError("read")

    data = frames.from_map(load, [frame], meta=frame.iloc[:0])
    with pytest.raises(ValueError, match=message):
        report(data, NAMES | options)


def test_evaluate_of_dask_accepts_defaults_of_unsupported_options(frame):
    assert_same(report(cut(frame, 9), n_jobs=None), report(frame))


OTHERS = {
    "a column": lambda frame: cut(frame, 9).label,
    "an array": lambda frame: cut(frame, 9)[["qid", "label"]].to_dask_array(),
    "a bag": lambda frame: pytest.importorskip("dask.bag").from_sequence(frame.to_dict("records")),
    "a delayed frame": lambda frame: dask.delayed(frame),
}


@pytest.mark.parametrize("what", OTHERS)
def test_evaluate_rejects_other_dask_collections(what, frame):
    data = OTHERS[what](frame)
    message = rf"'data' parameter of evaluate must be a DataFrame if .* Got an? {type(data).__name__} instead"
    with pytest.raises(ValueError, match=message):
        report(data)


def test_evaluator_read_of_dask_rejects_progress(frame):
    evaluator = RankingEvaluator(METRICS)
    with pytest.raises(ValueError, match=r"'progress' .* must be False for data of Dask.*dask.diagnostics"):
        evaluator.read(cut(frame, 9), "label", "score", groups="qid", progress=True)


def test_evaluate_of_dask_accepts_a_single_query(frame):
    one = frame.assign(qid=7)
    assert report(cut(one, 9)).mean == pytest.approx(report(one).mean, rel=1e-14)


def test_evaluate_of_dask_rejects_empty_data(frame):
    with pytest.raises(ValueError, match=r"'data' parameter of evaluate must have rows\. Got no rows"):
        report(cut(frame.iloc[:0], 0))


def test_evaluate_of_dask_error_shows_how_to_install_dask_dataframe(frame, monkeypatch):
    data = cut(frame, 9)
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(ImportError, match=r"pip install 'sklearn-rank\[dask\]'"):
        report(data)


# ---------------------------------------------------------------------------- a cluster


@contextmanager
def open_cluster():
    """Start two processes of one thread each, and a client that knows their scheduler by its address."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster.scheduler_address) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with open_cluster() as client:
        yield client


@pytest.fixture
def mortal_client():
    """A client of workers of which one will die."""
    with open_cluster() as client:
        yield client


def note(folder):
    """Note that this process begins something, and take a while."""
    with open(folder / f"{time.monotonic_ns():020d}-{os.getpid()}", "w"):
        time.sleep(0.3)


def kill_one(folder, after):
    """Kill the process that began the last of so many things, while it is at it."""
    while len(begun := sorted(folder.iterdir())) < after:
        time.sleep(0.01)
    pid = int(begun[-1].name.rpartition("-")[2])
    os.kill(pid, signal.SIGKILL)
    return pid


@pytest.mark.slow
def test_evaluate_on_dask_cluster_gives_the_report_of_one_process(client, frame):
    data = frames.from_pandas(frame, npartitions=5)
    assert_same(report(data), report(frame))


@pytest.mark.thorough
def test_evaluate_on_dask_cluster_survives_a_killed_worker(mortal_client, frame, tmp_path):
    def load(part):
        note(tmp_path)
        return part

    edges = np.linspace(0, N_ROWS, 9).astype(int)
    parts = [frame.iloc[start:stop] for start, stop in itertools.pairwise(edges)]
    data = frames.from_map(load, parts, meta=frame.iloc[:0])
    with ThreadPoolExecutor(1) as other:
        killed = other.submit(kill_one, tmp_path, after=4)
        found = report(data)
    assert_same(found, report(frame))
    assert len(list(tmp_path.iterdir())) > len(parts)  # lost partitions were read again
    assert killed.result() not in mortal_client.run(os.getpid).values()


def results_of(search):
    """Return what a search found but for the time it took."""
    return {name: list(each) for name, each in search.cv_results_.items() if "time" not in name}


@pytest.mark.slow
@pytest.mark.parametrize("keep_queries", [False, True])
def test_grid_search_on_dask_cluster_passes_ids_to_workers(
    client, keep_queries, routing, with_ids, ranking_data
):
    (model, X), (_, y, groups) = with_ids, ranking_data
    model = model.set_fit_request(groups=True) if routing else model

    def fit():
        options = {"scoring": "ndcg@5", "error_score": "raise", "keep_queries": keep_queries}
        return GridSearchCV(model, {"alpha": [0.1, 1.0, 10.0]}, **options).fit(X, y, groups=groups)

    alone = fit()
    with joblib.parallel_config(backend="dask"):
        on_cluster = fit()
    assert results_of(on_cluster) == results_of(alone)
    assert on_cluster.best_index_ == alone.best_index_


def read_configuration(model, X, y):
    return sklearn.get_config()["working_memory"]


@pytest.mark.slow
def test_cross_val_score_on_dask_cluster_passes_configuration(client, ranking_data):
    X, y, groups = ranking_data
    with sklearn.config_context(working_memory=77), joblib.parallel_config(backend="dask"):
        found = cross_val_score(Ridge(), X, y, groups=groups, scoring=read_configuration)
    assert found.tolist() == [77] * 5


def count_here(_):
    return joblib.effective_n_jobs(None), count_jobs(None), count_jobs(-1)


@pytest.mark.slow
def test_count_jobs_ignores_cores_of_the_dask_cluster(client):
    with joblib.parallel_config(backend="dask"):
        here = count_here(None)
        there = joblib.Parallel()(joblib.delayed(count_here)(number) for number in range(2))
    assert [here, *there] == [(2, 1, joblib.cpu_count())] * 3


@pytest.mark.slow
def test_ranking_scores_works_when_dask_client_is_closed(client):
    rows = np.arange(2 * SMALL_INPUT)
    other = distributed.Client(client.scheduler.address, set_as_default=False)
    with joblib.parallel_config(backend="dask", client=other):
        other.close()
        with pytest.raises(AttributeError):
            joblib.effective_n_jobs(None)
        found = ranking_scores(rows % 7 == 0, rows % 11, groups=rows // 100, metrics=["mrr"])
    assert found == ranking_scores(rows % 7 == 0, rows % 11, groups=rows // 100, metrics=["mrr"])


def score_candidate(path, alpha, noted):
    """Score a candidate on rows that the worker loads itself."""
    with np.load(path) as rows:
        X, y, groups = rows["X"], rows["y"], rows["groups"]
    note(noted)
    return cross_val_score(Ridge(alpha=alpha), X, y, groups=groups, scoring="ndcg@5").mean()


@pytest.mark.thorough
def test_candidates_as_dask_tasks_survive_a_killed_worker(mortal_client, tmp_path, ranking_data):
    X, y, groups = ranking_data
    path, noted = tmp_path / "rows.npz", tmp_path / "noted"
    np.savez(path, X=X, y=y, groups=groups)
    noted.mkdir()
    alphas = [0.01, 0.1, 1.0, 10.0, 100.0]
    futures = [mortal_client.submit(score_candidate, path, alpha, noted, pure=False) for alpha in alphas]
    killed = kill_one(noted, after=3)
    expected = [
        cross_val_score(Ridge(alpha=alpha), X, y, groups=groups, scoring="ndcg@5").mean() for alpha in alphas
    ]
    assert mortal_client.gather(futures) == expected
    assert len(list(noted.iterdir())) > len(alphas)
    assert killed not in mortal_client.run(os.getpid).values()
