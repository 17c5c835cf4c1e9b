"""How much a number owes to the order of tied documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .._checks.errors import as_printed, fail
from .._checks.types import ArrayLike, Discount, Gain, RatioAverage, Unjudged
from .._engine.blocks import iter_blocks
from ._compute import score_opened
from ._label_warnings import caution
from ._names import build_requests, parse_name, read_names
from ._prepared_input import open_rows
from ._ranking_scores import SHARED
from ._requests import Given, find_label_rules

RULES = ("worst", "average", "best", "order")


@dataclass(frozen=True)
class TieReport:
    """What ties leave open; made by `tie_report`, printed as a table.

    Attributes
    ----------
    metrics : dict of str to dict of str to float
        Per name the values under the tie rules "worst", "average", "best" and "order".
    tied_queries : float
        Share of the queries with tied documents among those retrieved, in [0, 1].
    tied_documents : float
        Share of the retrieved documents whose score another one of their query has, in [0, 1].
    """

    metrics: dict[str, dict[str, float]]
    tied_queries: float
    tied_documents: float

    def __str__(self) -> str:
        width = max(map(len, self.metrics))
        lines = [f"{'':{width}}" + "".join(f"{rule:>10}" for rule in RULES)]
        for name, values in self.metrics.items():
            lines.append(f"{name:{width}}" + "".join(f"{values[rule]:10.4f}" for rule in RULES))
        shares = (
            f"{self.tied_queries:.1%} of the queries have ties, {self.tied_documents:.1%} of the documents."
        )
        return "\n".join([*lines, shares])

    def _repr_html_(self) -> str:
        return as_printed(str(self))


def tie_report(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    metrics: Iterable[str],
    gain: Gain = "linear",
    discount: Discount = "log2",
    min_relevance: float = 1,
    unjudged: Unjudged = "raise",
    zero_division: float | None = None,
    average: RatioAverage = "macro",
    sample_weight: ArrayLike | None = None,
) -> TieReport:
    """Report metrics under every tie rule, and how many queries and documents are tied.

    Where "worst" and "best" differ, a number under any one order of ties is luck; where "order" is far from
    "average", the rows were sorted by something that knows the labels.

    Parameters
    ----------
    y_true, y_score, groups, metrics
        As in :func:`ranking_scores`.
    gain, discount, min_relevance, unjudged, zero_division, sample_weight
        As in :func:`ranking_scores`.
    average : {"macro", "weighted", "micro", "geometric"}, default="macro"
        As in :func:`ranking_scores`, without None.

    Returns
    -------
    TieReport
        The values under the four rules and the shares of tied queries and documents.

    Raises
    ------
    ValueError
        If an argument breaks a rule above; the message names it.

    Examples
    --------
    >>> from sklearn_rank.metrics import tie_report
    >>> y_true, y_score, groups = [1, 0, 0, 0, 1, 0], [1, 1, 1, 1, 2, 1], [1, 1, 1, 1, 2, 2]
    >>> print(tie_report(y_true, y_score, groups=groups, metrics=["mrr@10", "ndcg"]))
               worst   average      best     order
    mrr@10    0.6250    0.7604    1.0000    1.0000
    ndcg      0.7153    0.8202    1.0000    1.0000
    50.0% of the queries have ties, 66.7% of the documents.
    """
    arguments = locals()
    options = {name: arguments[name] for name in SHARED if name != "ties"}
    function = "tie_report"
    if average is None:
        fail("average", function, "be 'macro', 'micro', 'weighted' or 'geometric'", None)
    metrics = read_names(metrics, function)
    asked = build_requests(function, metrics, options)
    for name in metrics:
        if "ties" in parse_name(name, function)[1]:
            rule = "leave ties out of names, and other libraries: the report has a column for each rule"
            fail("metrics", function, rule, repr(name))
    # Not every setting goes with each rule.
    requests = {rule: build_requests(function, metrics, {**options, "ties": rule}) for rule in RULES}
    given = Given(y_true, y_score, groups, sample_weight)
    opened = open_rows(function, given, find_label_rules(asked))
    opened.rows.keep()
    values = {rule: score_opened(function, requests[rule], opened) for rule in RULES}
    caution(function, opened, asked, values["average"])
    n_tied, n_shown, n_tied_queries = 0, 0, 0
    for block in iter_blocks(opened.rows, opened.scores):
        n_shown += int(block.n_retrieved.sum())
        if block.ties is not None:
            is_tied = block.retrieved(block.ties.spread(block.ties.sizes > 1))
            n_tied += int(np.count_nonzero(is_tied))
            n_tied_queries += int(np.count_nonzero(is_tied.any(axis=1)))
    by_rule = {rule: dict(zip((each.name for each in asked), values[rule])) for rule in RULES}
    by_name = {each.name: {rule: by_rule[rule][each.name] for rule in RULES} for each in asked}
    n_queries = len(opened.rows.queries.lengths)
    return TieReport(by_name, n_tied_queries / n_queries, n_tied / max(n_shown, 1))
