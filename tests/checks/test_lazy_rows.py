"""Errors for lazy rows, which would have to be loaded into this process."""

import re

import numpy as np
import pytest

from sklearn_rank import RankingEvaluator, evaluate, ranking_scores, unique_groups
from tests.helpers.public_calls import FUNCTIONS, GOOD
from tests.helpers.table import SCORE_OF

ROWS = {"y_true": [1, 0, 0, 1], "y_score": [0.1, 0.2, 0.3, 0.4], "groups": [1, 1, 2, 2]}
CALL = "evaluate('label', 'score', groups='qid', metrics=..., data=collection)"


class OfSpark:
    """A column of Spark, as far as it is asked here."""

    __module__ = "pyspark.sql.column"


class MayHoldDask:
    """An array that holds one of Dask, as a graph, or one of numpy, as those of xarray."""

    def __init__(self, values, graph):
        self.values, self.graph = values, graph
        self.shape = np.shape(values)

    def __dask_graph__(self):
        return self.graph

    def __array__(self, dtype=None, copy=None):
        if self.graph is not None:
            raise AssertionError("read")
        return np.asarray(self.values, dtype)


def of_dask(values):
    pandas, frames = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    return frames.from_pandas(pandas.Series(values, name="a"), npartitions=2)


LAZY = {
    "a column of Dask": of_dask,
    "a frame of Dask": lambda values: of_dask(values).to_frame(),
    "an array of Dask": lambda values: pytest.importorskip("dask.array").from_array(values),
    "an array of Dask whose length is unknown": lambda values: of_dask(values).to_dask_array(),
    "a lazy frame": lambda values: pytest.importorskip("polars").LazyFrame({"a": values}),
    "an expression": lambda values: pytest.importorskip("polars").col("a"),
    "a relation": lambda values: pytest.importorskip("duckdb").from_arrow(
        pytest.importorskip("pyarrow").table({"a": values})
    ),
    "a column of Spark": lambda values: OfSpark(),
    "what holds Dask's": lambda values: MayHoldDask(values, {}),
}
CALLS = {
    "ranking_scores": lambda **rows: ranking_scores(metrics=["ndcg"], **rows),
    "evaluate": lambda **rows: evaluate(metrics=["ndcg"], **rows),
    "RankingEvaluator.update": RankingEvaluator(["ndcg"]).update,
    "ndcg_score": SCORE_OF["ndcg"],
}


@pytest.mark.parametrize("parameter", ROWS)
@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize("function", CALLS)
def test_lazy_rows_error_suggests_evaluate(function, kind, parameter):
    rows = ROWS | {parameter: LAZY[kind](ROWS[parameter])}
    message = re.escape(f"The '{parameter}' parameter of {function} must be in memory. Got a")
    with pytest.raises(ValueError, match=f"{message}.* instead. .*{re.escape(CALL)}"):
        CALLS[function](**rows)


@pytest.mark.parametrize("parameter", ROWS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_metric_functions_reject_lazy_rows(function, parameter):
    rows = GOOD | {parameter: MayHoldDask(GOOD[parameter], {})}
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter of {function} must be in memory"):
        FUNCTIONS[function](**rows)


def test_lazy_weights_and_ids_are_rejected():
    lazy = MayHoldDask([1, 1, 2, 2], {})
    with pytest.raises(ValueError, match="'sample_weight' parameter of ranking_scores must be in memory"):
        ranking_scores(**ROWS, metrics=["ndcg"], sample_weight=lazy)
    with pytest.raises(ValueError, match="'groups' parameter of unique_groups must be in memory"):
        unique_groups(lazy)


def test_rows_with_empty_dask_graph_are_read():
    held = {name: MayHoldDask(values, None) for name, values in ROWS.items()}
    assert SCORE_OF["ndcg"](**held) == SCORE_OF["ndcg"](**ROWS)
