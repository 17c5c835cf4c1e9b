"""Time short calls for which users wait, and other code that computes the same values."""

from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import sklearn.metrics
import sklearn.model_selection
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    evaluate_runs,
    from_recommendations,
    from_run,
    ndcg_score,
    ndcg_scorer,
    ranking_scores,
)
from sklearn_rank.model_selection import GridSearchCV

from ..helpers.table import METRICS
from .recommenders import Calls, format_calls

BEGIN, END = "<!-- begin of the waits -->", "<!-- end of the waits -->"
N_DOCUMENTS, N_ITEMS, K, N_CALLS = 500_000, 5_000, 20, 100
RNG = np.random.default_rng(0)


def draw_run(n_queries: int, n_retrieved: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw judgments and a run as dicts; the first three documents of each query are relevant."""
    run = {}
    for query in range(n_queries):
        documents = RNG.choice(N_DOCUMENTS, n_retrieved, replace=False)
        run[f"q{query}"] = dict(zip(map("d{}".format, documents), RNG.random(n_retrieved).tolist()))
    return {query: dict.fromkeys(list(scores)[:3], 1) for query, scores in run.items()}, run


def make_dicts() -> dict[str, Calls]:
    """Return calls that read dicts and evaluate them."""
    qrels, run = draw_run(698, 500)
    many, runs = draw_run(6_980, 200)

    def read() -> float:
        return float(len(from_run(qrels, run)[0]))

    def evaluate() -> float:
        return float(evaluate_runs(many, {"run": runs}, metrics=["ndcg@10"])["run"].mean["ndcg@10"])

    def evaluate_by_pytrec_eval() -> float:
        import pytrec_eval

        values = pytrec_eval.RelevanceEvaluator(many, {"ndcg_cut.10"}).evaluate(runs)
        return float(np.mean([each["ndcg_cut_10"] for each in values.values()]))

    other = evaluate_by_pytrec_eval if find_spec("pytrec_eval") else None
    return {
        "dicts: `from_run`, 349,000 entries": (read, None),
        "dicts: `evaluate_runs`, 1,396,000 entries; pytrec_eval": (evaluate, other),
    }


def make_frames() -> dict[str, Calls]:
    """Return calls that read frames with text."""
    rows = 750_000
    run = pd.DataFrame({"query": np.arange(rows) // 100, "document": RNG.integers(10**9, size=rows)})
    run = run.astype(str).assign(score=RNG.random(rows))
    judged = run[::40].drop(columns="score").assign(grade=1)
    calls: dict[str, Calls] = {
        "frames: `from_run`, pandas, 750,000 entries": (partial(count, judged, run), None)
    }
    if find_spec("polars"):
        import polars

        both = (polars.DataFrame(each.to_dict("list")) for each in (judged, run))
        calls["frames: `from_run`, polars, 750,000 entries"] = (partial(count, *both), None)
    return calls


def count(judged: Any, run: Any) -> float:
    """Return the number of rows of a run with judgments."""
    return float(len(from_run(judged, run)[0]))


def make_lists(n_users: int = 30_000) -> dict[str, Calls]:
    """Return calls that compare lists of recommendations with the relevant items."""
    lists = [list(map("i{}".format, RNG.choice(N_ITEMS, K, replace=False))) for _ in range(n_users)]
    relevant = [set(items[::7]) | {"i1"} for items in lists]

    def read() -> float:
        y_true, y_score, _ = from_recommendations(relevant, lists)
        return float(y_true[y_score > -np.inf].sum())

    def count_hits() -> float:
        return float(sum(item in of_user for items, of_user in zip(lists, relevant) for item in items))

    return {"lists: `from_recommendations`, 600,000 items; loop over sets": (read, count_hits)}


def make_ties(n_documents: int = 100_000) -> dict[str, Calls]:
    """Return calls of each metric for one query with two scores, and for the same query without ties."""
    y_true, groups = RNG.integers(5, size=n_documents), np.zeros(n_documents, dtype=int)
    half_judged = np.where(RNG.random(n_documents) < 0.5, y_true, np.nan)
    tied, different = RNG.integers(2, size=n_documents), RNG.random(n_documents)

    def score(metric: str, labels: Any, y_score: Any) -> float:
        return float(ranking_scores(labels, y_score, groups=groups, metrics=[metric])[metric])

    names = [f"{stem}@10" if each.cutoff == "required" else stem for stem, each in METRICS.items()]
    names[names.index("err")] = "err(max_grade=4)"
    calls = {}
    for name in names:
        if name != "bpr_loss":  # which compares all pairs of documents
            run = partial(score, name, half_judged if name == "infap" else y_true)
            calls[f"ties: `{name}`; without ties"] = partial(run, tied), partial(run, different)
    return calls


def make_models() -> dict[str, Calls]:
    """Return calls of fitted models and scorers on 20 rows."""
    X, y, groups = RNG.random((200, 3)), RNG.integers(3, size=200), np.repeat(np.arange(20), 10)
    model, grid = make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1, 2]}
    ours = GridSearchCV(model, grid, scoring=ndcg_scorer(k=10)).fit(X, y, groups=groups)
    theirs = sklearn.model_selection.GridSearchCV(model, grid).fit(X, y)
    X, y, ridge = X[:20], y[:20], theirs.best_estimator_
    scorer = ndcg_scorer(k=10)

    def repeat(call: Any) -> float:
        return sum(float(np.sum(call())) for _ in range(N_CALLS)) / N_CALLS

    def predict_and_score() -> float:
        return float(ndcg_score(y, ridge.predict(X), groups=groups[:20], k=10))

    both = [y + 1, X[:, 0]]
    of_one_query = partial(sklearn.metrics.ndcg_score, *([each] for each in both))
    return {
        f"predict: `search.predict`, 20 rows, {N_CALLS} times; scikit-learn's search": (
            partial(repeat, partial(ours.predict, X)),
            partial(repeat, partial(theirs.predict, X)),
        ),
        f"small: a scorer, 20 rows, {N_CALLS} times; `predict` and `ndcg_score`": (
            partial(repeat, partial(scorer, ridge, X, y, groups=groups[:20])),
            partial(repeat, predict_and_score),
        ),
        f"small: `ndcg_score`, 20 rows, {N_CALLS} times; scikit-learn": (
            partial(repeat, partial(ndcg_score, *both, groups=np.zeros(20, dtype=int))),
            partial(repeat, of_one_query),
        ),
    }


def format_table(repeats: int) -> str:
    """Return the table."""
    cases = make_dicts() | make_frames() | make_lists() | make_ties() | make_models()
    return format_calls(cases, repeats, "the other")
