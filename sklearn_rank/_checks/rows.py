"""Checks of labels, scores, ids and weights that belong together."""

from collections.abc import Mapping
from typing import NamedTuple, NoReturn

import numpy as np

from .arrays import exact_floats, find_extremes, flatten, read_numbers, to_float
from .errors import count_of, fail, kind_of, shorten
from .groups import check_groups
from .types import Ids, Labels, Weights

TO_ROWS = "Repeat the weight of each query on its rows: [weight_of[query] for query in groups]."
MOST_WEIGHT = 1e300  # so that sums are finite


def check_weights(weights: Weights, n: int, unit: str, parameter: str = "sample_weight") -> np.ndarray | None:
    """Check weights, one per "row" or "query", finite, not negative and not all 0; None stays None."""
    if weights is None:
        return None
    rule = f"have one entry per {unit} ({count_of(n, unit, 'queries' if unit == 'query' else '')})"
    if isinstance(weights, Mapping):
        fail(parameter, rule, kind_of(weights), TO_ROWS * (unit == "row"))
    weights = flatten(read_numbers(weights, parameter))
    if weights.shape != (n,):
        of_queries = unit == "row" and weights.ndim == 1 and 0 < len(weights) < n
        got = count_of(len(weights), "entry", "entries") if weights.ndim == 1 else f"shape {weights.shape}"
        fail(parameter, rule, got, TO_ROWS * of_queries)
    for extreme in (weights.min(), highest := weights.max()):
        if not 0 <= to_float(extreme) < np.inf:
            fail(parameter, NOT_NEGATIVE, extreme)
    if highest == 0:
        fail(parameter, "contain a value above 0", "only zeros", f"For equal weights, leave out {parameter}.")
    if to_float(highest) > MOST_WEIGHT:
        fail(parameter, f"be at most {MOST_WEIGHT:g}", highest, "Divide the weights by a constant.")
    return weights.astype(np.float64)


def check_constant(
    weights: np.ndarray,
    firsts: np.ndarray,
    lengths: np.ndarray,
    parameter: str = "sample_weight",
    fix: str = "Weights apply to queries, not to documents.",
) -> None:
    """Check that the rows of a query, in query order, have the same weight."""
    spread = weights != np.repeat(weights[firsts], lengths)
    if spread.any():
        row = int(spread.argmax())
        first = firsts[np.searchsorted(firsts, row, side="right") - 1]
        got = f"{weights[first]} and {weights[row]} in one query"
        fail(parameter, "be the same for all rows of a query", got, fix)


AS_NAN = (
    'If negative labels mean "not judged", let y = numpy.asarray(y_true, dtype=float) and pass '
    "numpy.where(y < 0, numpy.nan, y){how}."
)
TREATMENT = " with unjudged='nonrelevant' or unjudged='drop'"
AS_CLASSES = "If the labels are the classes -1 and 1, pass numpy.asarray(y_true) > 0."
ANY_SIGN, NOT_NEGATIVE = "be finite", "be finite and non-negative"  # rules of labels
BY_ORDER = (
    "For labels of any sign, such as returns, use kendall_tau, kendall_tau_ap, spearman, pearson or "
    "pairwise_accuracy."
)
BY_SUM = "For debiased clicks, use dcg, rbp or rank_sum_loss with signed=True."
OF_TWO_RUNS = "If -inf marks documents that a run lacks, call from_two_runs(run_a, run_b, documents='both')."
NOT_JUDGED = -2  # lowest label that means unjudged in judgments


class LabelRules(NamedTuple):
    """The rules for the labels of a metric."""

    unjudged: str = "raise"  # treatment of NaN
    range: str = NOT_NEGATIVE  # or ANY_SIGN; NOT_NEGATIVE can be followed by a reason
    parameter: str = "y_true"  # argument that contains the labels, for messages
    are_dropped: bool = True  # whether "drop" is the rule of all metrics of the call
    ranks_all: bool = False  # whether a metric compares all documents, also those with the score -inf


class Scores(NamedTuple):
    """Checked scores."""

    values: np.ndarray
    lowest: float
    highest: float
    are_ranks: bool = False  # whether float64 cannot represent the scores exactly
    were_whole: bool = False  # whether their type was an integer or bool, as of predicted classes


class Rows(NamedTuple):
    """Checked rows, the input of the engine."""

    labels: np.ndarray
    scores: Scores
    groups: np.ndarray | None
    weights: np.ndarray | None
    n_columns: int | None  # documents per query if the input was 2-D
    lowest: float  # of the labels that are not NaN
    highest: float
    n_missed: int = 0  # documents at the end that are not rows of the caller, with the score -inf
    depth: int | None = None  # length at which lists were cut, if there are such documents
    n_items: int | None = None  # number of documents that could be retrieved
    no_id_matches: bool = False  # whether there are missed labels, but none of these queries
    copies: np.ndarray | None = None  # number of documents that each row counts for, if not 1


def check_rows(
    y_true: Labels, y_score: object, groups: Ids, sample_weight: Weights, rules: LabelRules
) -> Rows:
    """Check labels, scores, ids and weights; arrays are flat, or 2-D with one row per query.

    With ids, a column counts as flat; without ids, it could contain queries of one document each.
    """
    labels, scores = read_numbers(y_true, "y_true"), read_numbers(y_score, "y_score")
    if groups is not None:
        labels, scores = flatten(labels), flatten(scores)
        if labels.ndim == 2 and labels.size:
            is_frame = len(labels) > 1 and hasattr(y_true, "columns")
            fix = (
                "If each row of 'y_true' is a document, pass its column of labels, frame['label']." * is_frame
            )
            rule = "be None if 'y_true' has two dimensions, with one query per row"
            fail("groups", rule, kind_of(groups), fix)
    _check_shapes(labels, scores)
    labels, lowest, highest = check_labels(labels, rules)
    if rules.unjudged == "drop" and rules.are_dropped and scores.dtype.kind == labels.dtype.kind == "f":
        scores = np.where(np.isnan(labels) & np.isnan(scores), 0, scores)  # these rows are removed
    known = _as_exact_floats(scores, ranks_all=rules.ranks_all)
    if labels.ndim == 1:
        ids = None if groups is None else check_groups(groups, labels.size)
        weights = check_weights(sample_weight, labels.size, "row")
        return Rows(labels, known, ids, weights, None, lowest, highest)
    n_queries, n_columns = labels.shape
    weights = check_weights(sample_weight, n_queries, "query")
    known = known._replace(values=known.values.ravel())
    return Rows(labels.ravel(), known, None, weights, n_columns, lowest, highest)


def _check_shapes(labels: np.ndarray, scores: np.ndarray) -> None:
    """Check that there are labels, and one score per label."""
    for parameter, array in (("y_true", labels), ("y_score", scores)):
        if array.ndim == 2 and array.shape[1] == 1 and len(array) > 1:  # without ids
            rule = "have one row per query, or be passed with groups=qid, the query id of each row"
            fix = f"If the rows belong to a single query, pass numpy.reshape({parameter}, (1, -1))."
            fail(parameter, rule, f"a column of shape {array.shape}", fix)
    if labels.shape != scores.shape:
        _reject_shape(scores, labels.shape)
    if labels.size == 0:
        fail("y_true", "have at least one row", f"shape {labels.shape}")


def check_labels(labels: np.ndarray, rules: LabelRules) -> tuple[np.ndarray, float, float]:
    """Return the labels, with the lowest and the highest of them except NaN."""
    lowest, highest = find_extremes(labels)
    if lowest != lowest:
        if rules.unjudged == "raise":
            as_0 = "" if rules.range == ANY_SIGN else "unjudged='nonrelevant' (count as 0) or "
            fix = f"If NaN means \"not judged\", pass {as_0}unjudged='drop'."
            rule = "not contain NaN when unjudged='raise'"
            fail(rules.parameter, rule, f"{np.isnan(labels).sum()} NaN", fix)
        judged = labels[~np.isnan(labels)]
        lowest, highest = judged.min(initial=np.inf), judged.max(initial=0)
    for extreme in (lowest, highest):
        if abs(to_float(extreme)) == np.inf and (labels == extreme).any():
            fix = OF_TWO_RUNS if extreme < 0 and rules.range == ANY_SIGN else ""
            fail(rules.parameter, rules.range, _show_label(extreme, labels, rules.parameter), fix)
    if lowest < 0 and rules.range != ANY_SIGN:
        as_nan = AS_NAN.format(how=TREATMENT * (rules.unjudged == "raise"))
        fix = as_nan if lowest in range(NOT_JUDGED, 0) else f"{BY_ORDER} {BY_SUM}"
        fix = AS_CLASSES if lowest == -1 and (abs(labels) == 1).all() and highest == 1 else fix
        got = _show_label(labels[labels < 0][0], labels, rules.parameter)
        fail(rules.parameter, rules.range, got, fix.replace("y_true", rules.parameter))
    labels = labels.astype(np.float64) if labels.dtype.kind == "O" else labels
    return labels, float(lowest), float(highest)


def _show_label(label: object, labels: np.ndarray, parameter: str) -> str:
    """Return a label and its first position, for messages."""
    n_columns = labels.shape[1] if labels.ndim == 2 else None
    return f"{shorten(str(label))} at {find_place(label, labels, n_columns, parameter)}"


def find_place(label: object, labels: np.ndarray, n_columns: int | None, parameter: str) -> str:
    """Return the first position of a label in y_true, or in another parameter, as code."""
    position = int((labels == label).argmax())
    place = position if n_columns is None else ", ".join(map(str, divmod(position, n_columns)))
    return f"{parameter}[{place}]"


def _reject_shape(scores: np.ndarray, shape: tuple[int, ...]) -> NoReturn:
    """Raise an error for scores that do not have the shape of the labels."""
    of_classes = len(shape) == 1 and scores.ndim == 2 and len(scores) == shape[0] > 0
    of_grades = of_classes and scores.shape[1] > 2
    fix = "Of predict_proba, pass one column: y_score[:, 1]." if of_classes else ""
    fix = "If its columns are probabilities of grades, pass y_score @ model.classes_." if of_grades else fix
    fail("y_score", f"have the shape of 'y_true', {shape}", f"shape {scores.shape}", fix)


def read_scores(y_score: object, n_rows: int) -> Scores:
    """Check the scores of rows that are already checked."""
    scores = flatten(read_numbers(y_score, "y_score"))
    if scores.shape != (n_rows,):
        _reject_shape(scores, (n_rows,))
    return _as_exact_floats(scores)


def read_two_scores(one: object, other: object, names: tuple[str, str]) -> tuple[Scores, Scores]:
    """Check two scores of each row."""
    scores = [flatten(read_numbers(each, name)) for each, name in zip((one, other), names)]
    for each, name in zip(scores, names):
        if each.ndim != 1 or each.size == 0:
            fail(name, "be one-dimensional, with at least one score", f"shape {each.shape}")
    if scores[1].shape != scores[0].shape:
        rule = f"have one score per row of {names[0]!r} ({count_of(len(scores[0]), 'row')})"
        fail(names[1], rule, count_of(len(scores[1]), "score"))
    first, second = (_as_exact_floats(each, name) for each, name in zip(scores, names))
    return first, second


DROP_ROWS = "Drop these rows: let keep = numpy.isfinite({0}), and pass y_true[keep], {0}[keep], groups[keep]."


def _as_exact_floats(scores: np.ndarray, parameter: str = "y_score", ranks_all: bool = False) -> Scores:
    """Return scores without NaN as floats, or as ranks if floats would merge some."""
    lowest, highest = find_extremes(scores)
    if lowest != lowest:
        how, n = f"numpy.where(numpy.isnan({parameter}), -numpy.inf, {parameter})", np.isnan(scores).sum()
        fix = DROP_ROWS.format(parameter) if ranks_all else f"If NaN means not retrieved, pass {how}."
        fail(parameter, "not contain NaN", f"{n} NaN", fix)
    floats = exact_floats(scores)
    if floats is scores:
        return Scores(scores, lowest, highest)
    are_whole = scores.dtype.kind in "biu"
    return Scores(floats, *find_extremes(floats), not (floats == scores).all(), are_whole)
