"""Metrics of this package as the callables by which the boosting libraries stop early."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._validation import fail
from ..metrics import RankingScorer, get_scorer


class LightGBMMetric:
    """What LightGBM calls as `eval_metric`: ``(y_true, y_score, weight, group) -> (name, value, True)``."""

    def __init__(self, scorer: RankingScorer, name: str):
        self.scorer = scorer
        self.name = name

    def __call__(self, y_true: Any, y_score: Any, weight: Any, group: Any) -> tuple[str, float, bool]:
        """Return the name, the value, and that higher is better."""
        codes = np.repeat(np.arange(len(group)), np.asarray(group, dtype=np.int64))
        value = self.scorer.score_rows(y_true, y_score, groups=codes, sample_weight=weight)
        return self.name, value, True


class XGBoostMetric:
    """What XGBoost calls as `custom_metric` of `train`: ``(y_score, dmatrix) -> (name, value)``."""

    def __init__(self, scorer: RankingScorer, name: str):
        self.scorer = scorer
        self.name = name

    def __call__(self, y_score: Any, dmatrix: Any) -> tuple[str, float]:
        """Return the name and the value."""
        if not hasattr(dmatrix, "get_uint_info"):
            rule = (
                "be given to xgboost.train as custom_metric, or to sklearn_rank.rankers.XGBRanker: XGBoost's "
                "own asks query by query, takes 1 for a query of one document, and weights by length"
            )
            fail("eval_metric", "xgboost.XGBRanker", rule, f"as_eval_metric({self.name!r})")
        lengths = np.diff(dmatrix.get_uint_info("group_ptr").astype(np.int64))
        codes, weights = np.repeat(np.arange(len(lengths)), lengths), dmatrix.get_weight()
        by_row = weights[codes] if len(weights) else None
        value = self.scorer.score_rows(dmatrix.get_label(), y_score, groups=codes, sample_weight=by_row)
        return self.name, value


class CatBoostMetric:
    """What CatBoost takes as `eval_metric`; the ids come from the `fit` of this package's `CatBoostRanker`.

    CatBoost passes no ids: the rows at hand are known by their labels.
    """

    def __init__(self, scorer: RankingScorer, name: str):
        self.scorer = scorer
        self.name = name
        self.sets: list[tuple[np.ndarray, np.ndarray]] = []  # labels and ids, in CatBoost's order

    def __deepcopy__(self, memo: Any) -> "CatBoostMetric":
        """Return this metric: CatBoost copies its parameters, and its copies need the ids."""
        return self

    @contextmanager
    def knowing(self, sets: list[tuple[np.ndarray, np.ndarray]]) -> Iterator[None]:
        """Know the labels and ids of sets of rows for a while; models may train side by side."""
        self.sets = [*self.sets, *sets]
        try:
            yield
        finally:
            self.sets = [known for known in self.sets if not any(known is own for own in sets)]

    def is_max_optimal(self) -> bool:
        """Return that higher is better."""
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """Return the value and 1."""
        target = np.asarray(target)
        for labels, codes in self.sets:
            if np.array_equal(labels.astype(target.dtype), target):
                scores = np.asarray(approxes[0])
                return self.scorer.score_rows(labels, scores, groups=codes, sample_weight=weight), 1.0
        rule = "go with sklearn_rank.rankers.CatBoostRanker and boosting_type='Plain': CatBoost passes no ids"
        fail(
            "eval_metric",
            "CatBoost",
            rule,
            f"rows that as_eval_metric({self.name!r}) does not know",
        )

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the value."""
        return error


LIBRARIES = {"catboost": CatBoostMetric, "lightgbm": LightGBMMetric, "xgboost": XGBoostMetric}


def as_eval_metric(metric: Any, *, library: str) -> Any:
    """Make a metric what a boosting library stops early by: the number that searches and reports give.

    Parameters
    ----------
    metric : str or scorer
        The name of a metric, such as "map@10" or "ndcg@10(gain=exponential)", or a scorer of one metric, such
        as ``ndcg_scorer(k=10, ties="worst")``. Losses are negated, as in scorers: "neg_bpr_loss".
    library : {"lightgbm", "xgboost", "catboost"}
        Which library calls it.

    Returns
    -------
    object
        For LightGBM, `eval_metric` of the `fit` of `LGBMRanker`, this package's or LightGBM's own; set
        ``metric="None"`` in the constructor, or LightGBM stops by its own metrics too. For XGBoost,
        `eval_metric` of the constructor of this package's `XGBRanker`, or `custom_metric` of
        ``xgboost.train``, there with ``callbacks=[EarlyStopping(..., maximize=True)]``. For CatBoost,
        `eval_metric` of the constructor of this package's `CatBoostRanker`. Weights of an evaluation set
        weigh its queries.

    Raises
    ------
    ValueError
        If the metric or the library is unknown, or the scorer has several metrics.

    Examples
    --------
    >>> from sklearn_rank.rankers import as_eval_metric
    >>> stop_by = as_eval_metric("map@10", library="lightgbm")
    >>> stop_by([1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6], None, [2, 2])  # as LightGBM calls it, with two queries
    ('map@10', 0.75, True)
    """
    function = "as_eval_metric"
    if not isinstance(library, str) or library not in LIBRARIES:
        fail("library", function, f"be one of {', '.join(map(repr, sorted(LIBRARIES)))}", repr(library))
    scorer = get_scorer(metric) if isinstance(metric, str) else metric
    if not isinstance(scorer, RankingScorer) or not isinstance(scorer.metrics, str):
        rule = "be the name of a ranking metric, or a scorer of one, such as ndcg_scorer(k=10)"
        fail("metric", function, rule, repr(metric))
    name = metric if isinstance(metric, str) else scorer.metrics
    return LIBRARIES[library](scorer, name.replace(" ", ""))  # XGBoost splits its log at spaces
