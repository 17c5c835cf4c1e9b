"""The five metrics in this package and in others: a call to time, and its expected values.

The time includes steps that a library requires before the evaluation. If a library can keep their result for
several evaluations, like the data sets of LightGBM and XGBoost, there is a row with and one without them.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank import ranking_scores
from sklearn_rank._checks.codes import find_edges
from tests.helpers import presets

from .numba_loop import numba_by_hand
from .polars_query import polars_by_hand
from .workloads import Rows

THREADS = int(os.environ.get("BENCHMARK_THREADS", "1"))
METRICS = ["ndcg@10(gain=exponential)", "map", "mrr", "group_auc", "recall@10"]
EMPTY_IS_PERFECT = {name: presets.LIGHTGBM[name] for name in ("ndcg", "map")}

Call = Callable[[], Mapping[str, float]]


class Peer(NamedTuple):
    """A library: how to make its call, which rows it accepts, and its conventions."""

    prepare: Callable[[Rows], Call]
    most_rows: float = np.inf  # it is too slow for more rows
    needs_sorted: bool = False  # the rows of a query must be together
    any_ids: bool = False  # accepts ids that are strings
    presets: Mapping[str, Mapping[str, Any]] = {}


def expect(peer: Peer, rows: Rows, names: list[str]) -> dict[str, float]:
    """Return the values of this package under the conventions of a peer."""
    values = {}
    for name in names:
        options = {
            key: value for key, value in peer.presets.get(name.split("@")[0].split("(")[0], {}).items()
        }
        if "gain=" in name:
            options.pop("gain", None)
        values |= ranking_scores(rows.y_true, rows.y_score, groups=rows.groups, metrics=[name], **options)
    return values


def ours(rows: Rows) -> Call:
    """All five metrics in one call."""
    return lambda: ranking_scores(
        rows.y_true, rows.y_score, groups=rows.groups, metrics=METRICS, n_jobs=THREADS
    )


def _lightgbm_booster(rows: Rows) -> Any:
    import lightgbm

    quiet = {"num_threads": THREADS, "verbose": -1}
    data = lightgbm.Dataset(
        np.zeros((len(rows.groups), 1)),
        label=rows.y_true,
        group=np.diff(find_edges(rows.groups)),
        init_score=rows.y_score,
        params={**quiet, "max_bin": 2, "feature_pre_filter": False},
    )
    metrics = {"objective": "none", "metric": ["ndcg", "map"], "eval_at": [10]}
    return lightgbm.Booster({**quiet, **metrics, "label_gain": [0, 1, 3, 7, 15]}, data)


def _lightgbm_values(booster: Any) -> dict[str, float]:
    by_name = {name: value for _, name, value, *_ in booster.eval_train()}
    return {METRICS[0]: by_name["ndcg@10"], "map@10": by_name["map@10"]}


def lightgbm_evaluation(rows: Rows) -> Call:
    """LightGBM's evaluation of NDCG@10 and MAP@10, without building its data set."""
    booster = _lightgbm_booster(rows)
    return lambda: _lightgbm_values(booster)


def lightgbm_with_data_set(rows: Rows) -> Call:
    """LightGBM's evaluation of NDCG@10 and MAP@10, including its data set."""
    return lambda: _lightgbm_values(_lightgbm_booster(rows))


def _xgboost_data(rows: Rows) -> tuple[Any, Any]:
    import xgboost

    data = xgboost.DMatrix(
        np.zeros((len(rows.groups), 1)), label=rows.y_true, base_margin=rows.y_score, nthread=THREADS
    )
    data.set_group(np.diff(find_edges(rows.groups)))
    params = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "nthread": THREADS}
    return xgboost.train(params, data, num_boost_round=0), data


def _xgboost_values(booster: Any, data: Any) -> dict[str, float]:
    return {METRICS[0]: float(booster.eval(data).split(":")[-1])}


def xgboost_evaluation(rows: Rows) -> Call:
    """XGBoost's evaluation of NDCG@10, without building its matrix; its MAP needs binary labels."""
    booster, data = _xgboost_data(rows)
    return lambda: _xgboost_values(booster, data)


def xgboost_with_data(rows: Rows) -> Call:
    """XGBoost's evaluation of NDCG@10, including its matrix."""
    return lambda: _xgboost_values(*_xgboost_data(rows))


def catboost_metric(rows: Rows) -> Call:
    """CatBoost's eval_metric: NDCG, MAP, MRR and recall."""
    from catboost.utils import eval_metric

    names = {METRICS[0]: "NDCG:top=10;type=Exp", "map": "MAP", "mrr": "MRR", "recall@10": "RecallAt:top=10"}

    def call() -> dict[str, float]:
        return {
            name: eval_metric(rows.y_true, rows.y_score, theirs, group_id=rows.groups, thread_count=THREADS)[
                0
            ]
            for name, theirs in names.items()
        }

    return call


def ranx(rows: Rows) -> Call:
    """Four metrics of ranx, from data frames that it converts to its own types."""
    import pandas as pd
    from ranx import Qrels, Run, evaluate

    names = {METRICS[0]: "ndcg_burges@10", "map": "map", "mrr": "mrr", "recall@10": "recall@10"}

    def call() -> dict[str, float]:
        frame = pd.DataFrame({"q": rows.groups.astype(str), "d": np.arange(len(rows.groups)).astype(str)})
        frame = frame.astype(object).assign(y=rows.y_true, s=rows.y_score)
        qrels = Qrels.from_df(frame, q_id_col="q", doc_id_col="d", score_col="y")
        run = Run.from_df(frame, q_id_col="q", doc_id_col="d", score_col="s")
        values = evaluate(qrels, run, list(names.values()), threads=THREADS)
        return {name: float(values[theirs]) for name, theirs in names.items()}

    return call


def ir_measures(rows: Rows) -> Call:
    """Four metrics of ir_measures, including its data frames."""
    import ir_measures as ir
    import pandas as pd

    names = {"ndcg@10": ir.nDCG @ 10, "map": ir.AP, "mrr": ir.RR, "recall@10": ir.R @ 10}

    def call() -> dict[str, float]:
        frame = pd.DataFrame(
            {"query_id": rows.groups.astype(str), "doc_id": np.arange(len(rows.groups)).astype(str)}
        )
        qrels, run = frame.assign(relevance=rows.y_true), frame.assign(score=rows.y_score)
        values = ir.calc_aggregate(list(names.values()), qrels, run)
        return {name: values[measure] for name, measure in names.items()}

    return call


def _trec_dicts(rows: Rows) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return judgments and a run as the dicts that pytrec_eval reads."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    columns = (rows.groups.tolist(), rows.y_true.tolist(), rows.y_score.tolist())
    for row, (query, label, score) in enumerate(zip(*columns)):
        qrels.setdefault(str(query), {})[str(row)] = label
        run.setdefault(str(query), {})[str(row)] = score
    return qrels, run


def _trec_values(qrels: Any, run: Any) -> dict[str, float]:
    import pytrec_eval as trec

    names = {"ndcg@10": "ndcg_cut_10", "map": "map", "mrr": "recip_rank", "recall@10": "recall_10"}
    measures = {"ndcg_cut.10", "map", "recip_rank", "recall.10"}
    by_query = trec.RelevanceEvaluator(qrels, measures).evaluate(run).values()
    return {name: float(np.mean([q[theirs] for q in by_query])) for name, theirs in names.items()}


def pytrec_eval_from_arrays(rows: Rows) -> Call:
    """Four metrics of trec_eval through pytrec_eval-terrier, including the dicts that it reads."""
    return lambda: _trec_values(*_trec_dicts(rows))


def pytrec_eval_from_dicts(rows: Rows) -> Call:
    """The same four metrics, from dicts that exist already."""
    qrels, run = _trec_dicts(rows)
    return lambda: _trec_values(qrels, run)


def torchmetrics(rows: Rows) -> Call:
    """Four metrics of torchmetrics from tensors, with binary labels except for NDCG."""
    import torch
    from torchmetrics import retrieval

    torch.set_num_threads(THREADS)
    names = {
        "ndcg@10": retrieval.RetrievalNormalizedDCG(top_k=10),
        "map": retrieval.RetrievalMAP(),
        "mrr": retrieval.RetrievalMRR(),
        "recall@10": retrieval.RetrievalRecall(top_k=10),
    }

    def call() -> dict[str, float]:
        y_score, y_true, groups = map(torch.from_numpy, (rows.y_score, rows.y_true, rows.groups))
        y_score = torch.sigmoid(y_score)  # it treats scores <= 0 as documents that were not retrieved
        values = {}
        for name, metric in names.items():
            metric.reset()
            metric.update(y_score, y_true if name == "ndcg@10" else y_true > 0, indexes=groups)
            values[name] = float(metric.compute())
        return values

    return call


def scikit_learn_loop(rows: Rows) -> Call:
    """NDCG@10 and AUC of scikit-learn, query by query, as in its documentation."""
    from sklearn.metrics import ndcg_score, roc_auc_score

    def call() -> dict[str, float]:
        gains, aucs = [], []
        for query in np.unique(rows.groups):
            inside = rows.groups == query
            y_true, y_score = rows.y_true[inside], rows.y_score[inside]
            if len(y_true) > 1 and y_true.any():
                gains.append(ndcg_score([2.0**y_true - 1], [y_score], k=10))
            else:
                gains.append(float(y_true.any()))
            if 0 < (y_true > 0).sum() < len(y_true):
                aucs.append(roc_auc_score(y_true > 0, y_score))
        return {METRICS[0]: float(np.mean(gains)), "group_auc": float(np.mean(aucs))}

    return call


PEERS: dict[str, Peer] = {
    "sklearn_rank": Peer(ours, any_ids=True),
    "LightGBM, evaluation only": Peer(lightgbm_evaluation, needs_sorted=True, presets=EMPTY_IS_PERFECT),
    "LightGBM, with its data set": Peer(lightgbm_with_data_set, needs_sorted=True, presets=EMPTY_IS_PERFECT),
    "XGBoost, evaluation only": Peer(xgboost_evaluation, needs_sorted=True, presets=EMPTY_IS_PERFECT),
    "XGBoost, with its matrix": Peer(xgboost_with_data, needs_sorted=True, presets=EMPTY_IS_PERFECT),
    "CatBoost eval_metric": Peer(catboost_metric, needs_sorted=True, presets=presets.CATBOOST),
    "polars, by hand": Peer(polars_by_hand, any_ids=True),
    "numba, by hand": Peer(numba_by_hand, needs_sorted=True),
    "pytrec_eval-terrier, from arrays": Peer(pytrec_eval_from_arrays, 100_000),
    "pytrec_eval-terrier, from dicts": Peer(pytrec_eval_from_dicts, 100_000),
    "ranx": Peer(ranx, 100_000),
    "ir_measures": Peer(ir_measures, 100_000),
    "torchmetrics": Peer(torchmetrics, 100_000),
    "scikit-learn, a loop": Peer(scikit_learn_loop, 100_000),
}
