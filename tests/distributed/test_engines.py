"""The recipes of docs/engines.md, applied to other rows."""

import doctest
import os
import pickle
import shutil
import signal
import sys
from functools import reduce

import numpy as np
import pytest

from sklearn_rank import RankingEvaluator, evaluate
from tests.helpers.pages import ROOT

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

METRICS = ["ndcg@10", "mrr"]
COLUMNS = {"groups": "qid", "metrics": METRICS}
N_ROWS = 4000


def read_recipe(engine):
    """Run the imports, constants and functions of an engine's section."""
    text = (ROOT / "docs" / "engines.md").read_text()
    heading = {"polars": "## polars", "pyspark": "## Spark", "ray": "## Ray Data"}[engine]
    section = text.split(f"\n{heading}\n")[1].split("\n## ")[0]
    names = {"METRICS": METRICS, "pa": arrow}
    for example in doctest.DocTestParser().get_examples(section):
        if example.source.startswith(("import", "from", "def", "N_")):
            exec(example.source, names)
    return names


@pytest.fixture
def duckdb_report():
    duckdb = pytest.importorskip("duckdb")

    def report(rows, keep_queries=True):
        with duckdb.connect() as connection:
            query = connection.from_arrow(rows).order("qid")
            evaluator = RankingEvaluator(METRICS, keep_queries=keep_queries)
            return evaluator.read(query, "label", "score", groups="qid").result()

    return report


@pytest.fixture
def polars_report(tmp_path):
    polars = pytest.importorskip("polars")
    recipe = read_recipe("polars")
    return lambda rows: recipe["evaluate_in_parts"](polars.from_arrow(rows).lazy(), tmp_path / "parts", 8)


def start_spark(master, monkeypatch):
    """Start a session, with this Python for its workers."""
    pytest.importorskip("pyspark")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Spark needs Java")
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    options = {"spark.ui.showConsoleProgress": False, "spark.sql.execution.arrow.maxRecordsPerBatch": 500}
    return SparkSession.builder.master(master).config(map=options).getOrCreate()


@pytest.fixture(scope="module")
def spark(request):
    with pytest.MonkeyPatch.context() as monkeypatch:
        session = start_spark(getattr(request, "param", "local[2,4]"), monkeypatch)
        yield session
        session.stop()


@pytest.fixture
def pyspark_report(spark, tmp_path):
    recipe = read_recipe("pyspark")

    def report(rows):
        parquet.write_table(rows, tmp_path / "rows.parquet")
        return recipe["evaluate_in_spark"](spark.read.parquet(str(tmp_path / "rows.parquet")))

    return report


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


@pytest.fixture
def ray_report(ray):
    recipe = read_recipe("ray")
    recipe["N_BLOCKS"] = 3  # each block takes seconds to start
    return lambda rows: recipe["evaluate_in_ray"](ray.data.from_arrow(rows))


@pytest.fixture
def report_of(request):
    """Return the function of an engine that makes a report of rows."""
    return lambda engine: request.getfixturevalue(f"{engine}_report")


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("pyspark", "ray")]  # they start servers
of_each_engine = pytest.mark.parametrize("engine", ["duckdb", "polars", *SLOW])
# PySpark warns of the newest pandas, and Ray of options that it reads itself.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.data.context"),
]


def make_rows(qid):
    """Make rows of these ids; their scores are often tied."""
    random = np.random.default_rng(0)
    label = random.integers(0, 4, len(qid))
    return arrow.table({"qid": qid, "label": label, "score": random.integers(0, 9, len(qid)) / 2})


def check_report(found, rows):
    """Compare a report with that of the same rows in memory."""
    expected = evaluate("label", "score", **COLUMNS, data=rows)
    assert found.n_queries == expected.n_queries
    for name in METRICS:
        assert found.mean[name] == pytest.approx(expected.mean[name], rel=0, abs=1e-15)
        assert found.standard_error[name] == pytest.approx(expected.standard_error[name], rel=1e-12)


@of_each_engine
def test_engine_recipe_gives_the_report_of_rows_in_memory(engine, report_of):
    rows = make_rows(np.random.default_rng(1).integers(0, 300, N_ROWS))
    check_report(report_of(engine)(rows), rows)


@of_each_engine
def test_engine_recipe_accepts_text_ids(engine, report_of):
    qid = np.random.default_rng(1).integers(0, 300, N_ROWS)
    rows = make_rows([f"q{each}" for each in qid])
    check_report(report_of(engine)(rows), rows)


@of_each_engine
def test_engine_recipe_accepts_a_query_with_most_of_the_rows(engine, report_of):
    random = np.random.default_rng(1)
    rows = make_rows(np.where(random.random(N_ROWS) < 0.7, 7, random.integers(0, 300, N_ROWS)))
    check_report(report_of(engine)(rows), rows)


@of_each_engine
def test_engine_recipe_accepts_empty_partitions(engine, report_of):
    rows = make_rows(np.array([2, 1, 2, 1, 2, 1]))
    check_report(report_of(engine)(rows), rows)


def test_evaluate_of_duckdb_accepts_a_query_longer_than_a_batch(duckdb_report):
    rows = make_rows(np.repeat([1, 2], [1_100_000, 10]))
    check_report(duckdb_report(rows), rows)


def test_evaluate_of_duckdb_keeps_moments_of_sorted_rows(duckdb_report):
    rows = make_rows(np.random.default_rng(1).integers(0, 300, N_ROWS))
    check_report(duckdb_report(rows, keep_queries=False), rows)


def test_evaluate_of_duckdb_rejects_unsorted_rows():
    duckdb = pytest.importorskip("duckdb")
    rows = make_rows(np.arange(1_500_000) % 300)
    with duckdb.connect() as connection, pytest.raises(ValueError, match="a second time"):
        evaluate("label", "score", **COLUMNS, data=connection.from_arrow(rows))


def test_evaluate_of_duckdb_keeps_the_order_of_ties():
    duckdb = pytest.importorskip("duckdb")
    rows = make_rows(np.random.default_rng(1).integers(0, 300, N_ROWS))
    rows = rows.append_column("place", [np.arange(N_ROWS)])
    options = {**COLUMNS, "ties": "order"}
    expected = evaluate("label", "score", **options, data=rows)
    with duckdb.connect() as connection:
        query = connection.from_arrow(rows).order("qid, place")
        assert evaluate("label", "score", **options, data=query).mean == expected.mean


def test_polars_recipe_rejects_files_of_an_earlier_run(tmp_path):
    polars = pytest.importorskip("polars")
    recipe = read_recipe("polars")
    rows = polars.from_arrow(make_rows(np.arange(N_ROWS) % 300)).lazy()
    recipe["evaluate_in_parts"](rows, tmp_path, 3)
    with pytest.raises(ValueError, match="a second time"):
        recipe["evaluate_in_parts"](rows, tmp_path, 2)


def let_a_worker_die(spark, marker):
    """Score rows where the process of the first worker is killed; return the report and the rows."""
    recipe = read_recipe("pyspark")
    score = recipe["score_partition"]

    def score_at_the_second_time(batches):
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from score(batches)

    rows = make_rows(np.random.default_rng(1).integers(0, 300, N_ROWS))
    parquet.write_table(rows, marker.with_name("rows.parquet"))
    recipe["score_partition"] = score_at_the_second_time
    return recipe["evaluate_in_spark"](spark.read.parquet(str(marker.with_name("rows.parquet")))), rows


@pytest.mark.slow
def test_spark_recipe_scores_lost_rows_again_when_a_worker_dies(spark, tmp_path):
    report, rows = let_a_worker_die(spark, tmp_path / "died")
    check_report(report, rows)


@pytest.mark.slow
@pytest.mark.parametrize("spark", ["local[2]"], indirect=True)
def test_spark_recipe_fails_without_retries_when_a_worker_dies(spark, tmp_path):
    with pytest.raises(Exception, match=r"failed 1 times.*Python worker exited unexpectedly"):
        let_a_worker_die(spark, tmp_path / "died")


@pytest.mark.slow
def test_ray_recipe_rejects_queries_split_by_batches(ray):
    score = read_recipe("ray")["score_block"]
    rows = ray.data.from_arrow(make_rows(np.arange(N_ROWS) % 300)).repartition(2, keys=["qid"])
    states = rows.map_batches(score, batch_size=1000, batch_format="pyarrow").take_all()
    with pytest.raises(ValueError, match="a second time"):
        reduce(RankingEvaluator.merge, [pickle.loads(row["state"]) for row in states])


@pytest.mark.slow
def test_ray_recipe_merges_moments_of_sorted_blocks(ray):
    def score_block(table):
        evaluator = RankingEvaluator(METRICS, keep_queries=False)
        evaluator.update(table["label"], table["score"], groups=table["qid"])
        return arrow.table({"state": [pickle.dumps(evaluator)]})

    rows = make_rows(np.random.default_rng(1).integers(0, 300, N_ROWS))
    blocks = ray.data.from_arrow(rows).repartition(4).sort("qid")
    states = blocks.map_batches(score_block, batch_size=None, batch_format="pyarrow").take_all()
    assert len(states) > 1
    report = reduce(RankingEvaluator.merge, [pickle.loads(row["state"]) for row in states]).result()
    check_report(report, rows)
