"""The parts of a comparison, the caption and the notes of its table, and its means in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from string import ascii_letters

import numpy as np

from .._checks.errors import count_of
from .._checks.types import Options
from ._decide import BY_HOLM, FEWEST, RANKS, ComparisonPlan, Decision
from ._intervals import FEW_UNITS, FEW_VALUES
from ._match import Matched, note_ties
from ._pages import LIBRARIES, write_cell, write_latex
from ._paired_queries import Paired
from ._paired_tests import sign_test
from ._reported_queries import SHOWN
from ._system_names import give_letters
from ._tables import MARK, count_queries, write, write_level
from ._traits import has_query_values, note_directions

TEST_NAMES = {
    "auto": "paired t test",
    "t": "paired t test",
    "randomization": "randomization test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "sign": "sign test",
}
MOST_REASONS = 3  # in notes


@dataclass(eq=False, repr=False)
class Compared:
    """The parts of a comparison."""

    columns: dict[str, np.ndarray]
    baseline: str | None
    _matched: Matched
    _paired: Paired
    _decision: Decision
    _plan: ComparisonPlan

    def __post_init__(self) -> None:
        self.systems, self.metrics = self._matched.systems, self._matched.metrics
        self.n_queries, self.n_dropped = self._matched.n_queries, self._matched.n_dropped

    @property
    def _first(self) -> str | None:
        """Return the baseline, or the first one of two systems; None if each is compared with all others."""
        return self.systems[0] if self.baseline is None and len(self.systems) == 2 else self.baseline

    def summarize(self) -> str:
        """Return a sentence for a paper: test, correction, numbers, seed and version.

        Returns
        -------
        str
            Sentence that others need to compute the same p-values.

        Examples
        --------
        >>> from sklearn_rank import RankingReport, compare
        >>> old = RankingReport.from_values([1, 2, 3, 4], {"mrr": [0.5, 0.2, 1, 0.25]})
        >>> new = RankingReport.from_values([1, 2, 3, 4], {"mrr": [1, 0.25, 1, 0.5]})
        >>> print(compare({"old": old, "new": new}).summarize())
        Paired t test over 4 queries, 95% confidence level (sklearn-rank ...).
        """
        plan, matched = self._plan, self._matched
        name = TEST_NAMES[plan.test] if matched.paired else "Welch's t test"
        is_joint = plan.method == "auto" and len(self.columns["p"]) > 1 and self._paired.alike.any()
        flips = f", at most {plan.n_resamples:,} sign flips with random_state={plan.random_state}"
        level = write_level(plan.confidence_level)
        made = f"sklearn-rank {import_module(LIBRARIES['sklearn-rank']).__version__}"
        of = f"{name[0].upper()}{name[1:]} over {_count_queries(matched)}{_describe_correction(self)}"
        of += flips if plan.test == "randomization" or is_joint else ""
        return f"{of}, {level} confidence level ({made})."


def write_caption(comparison: Compared, names: Mapping[str, str]) -> str:
    """Return the caption."""
    plan = comparison._plan
    of = f"{len(comparison.systems)} systems"
    if comparison._first is not None:
        of = f'difference from "{names[comparison._first]}"'
    matched, corrected = comparison._matched, _describe_correction(comparison)
    if not matched.paired:
        counts = [f'{n} of "{name}"' for name, n in zip(matched.systems, matched.count_units())]
        of_systems = ", ".join(counts[:SHOWN]) + ", ..." * (len(counts) > SHOWN)
        adjusted = ", adjusted for a covariate" * plan.is_adjusted
        return f"different {matched.unit[1]} ({of_systems}){adjusted}, {of}, Welch's t test{corrected}"
    over = _count_queries(matched)
    for sets in list(matched.labels.values())[:1]:
        over += f" labeled by people, {len(sets.model.ids):,} by a model"
    return f"{over}, {of}, {TEST_NAMES[plan.test]}{corrected}"


def _count_queries(matched: Matched) -> str:
    """Return the numbers of queries and of their clusters, if any, as text."""
    clusters, queries = matched.clusters, count_queries(matched.n_queries)
    return queries if clusters is None else f"{queries} in {count_of(len(np.unique(clusters)), 'cluster')}"


def list_notes(comparison: Compared) -> Iterator[str]:
    """Yield notes on the intervals, excluded queries, and limits of the comparison."""
    plan, paired, decision = comparison._plan, comparison._paired, comparison._decision
    units, differ, error = paired.unit[1], paired.n_differ, paired.t.standard_error
    if plan.test in RANKS:
        yield f"{TEST_NAMES[plan.test]}: no interval of the mean difference, so no verdict."
    few = (differ > 0) & (differ < np.minimum(FEWEST, paired.counts))
    if plan.test in ("t", "randomization") and few.any():
        row = int(np.argmin(np.where(few, differ, np.inf)))
        p = sign_test(paired.wins[[row]], paired.losses[[row]])[0]
        yield f"Only {differ[row]} of {paired.counts[row]:,} {units} differ; sign test {p:.3f}."
    if (comparison.columns["why"] == BY_HOLM).any():
        yield f"{MARK} S{BY_HOLM[1:]}."
    yield from note_directions(comparison._matched.traits)
    if isinstance(plan.margin, Mapping):
        of_metrics = (f"{float(each):g} for {name}" for name, each in plan.margin.items())
        yield f"Equivalence margins: {', '.join(of_metrics)}."
    elif plan.margin is not None:
        yield f"Equivalence margin: {float(plan.margin):g}."
    yield from note_queries(comparison)
    counts = np.array([comparison.columns[name] for name in ("n", "other_n") if name in comparison.columns])
    has_few = (counts < FEW_UNITS) & (counts > 1)
    too_narrow: Options = {
        f"fewer than {FEW_UNITS} {units} are compared": has_few & (plan.test not in RANKS),
        f"fewer than {FEW_VALUES} values of a system differ from 0 (or from 1)": _has_few_values(comparison),
        f"people and the model differ on fewer than {FEW_VALUES} {units}": (
            paired.n_apart is not None and paired.n_apart < FEW_VALUES
        ),
    }
    has_limit = (decision.limit > 0) & (paired.counts > 1)
    is_known = (error > 0) & (decision.limit == 0) & (plan.test == "randomization")
    missing: Options = {
        paired.unknown: np.isnan(error) & (paired.n_effective > 1),
        f"few {units} differ, and the metric has no known range, so there is no interval": (
            np.isinf(paired.span) & has_limit
        ),
        f"{units} swap numerators and denominators of micro averages, which gives no interval": (
            np.isnan(decision.low) & is_known
        ),
    }
    for start, facts in (("The intervals may be too narrow", too_narrow), ("nan", missing)):
        yield from (f"{start}: {fact}." for fact, holds in facts.items() if np.any(holds))


def _has_few_values(comparison: Compared) -> bool:
    """Return whether nearly all values of a metric and a group are 0, or nearly all are 1."""
    if comparison._matched.paired:
        return False
    names = filter(has_query_values, comparison.metrics)
    systems = comparison._matched.queries.values()
    values = (each.metrics[name].values for name, each in product(names, systems))
    found = (each[~np.isnan(each)] for each in values)
    return any(min(np.count_nonzero(each - end) for end in (0, 1)) < FEW_VALUES for each in found)


def note_queries(comparison: Compared) -> Iterator[str]:
    """Yield notes on the compared queries and their values, which apply to means too."""
    matched, paired = comparison._matched, comparison._paired
    if n := matched.n_dropped:
        yield f"missing='drop' excluded {count_queries(n)} that not every report contains."
    if n := int(paired.n_left_out.max()):
        excluded, them = ("query was", "it") if n == 1 else ("queries were", "them")
        system = "one of the two systems" if matched.paired else "its system"
        yield f"Up to {n} {excluded} excluded because {system} has no value for {them}."
    for fact in (matched.other_labels or ())[:SHOWN]:
        yield f"{fact}."
    # Runs of different length have the same relevant documents, because unretrieved ones count too.
    known = [each.n_relevant for each in matched.queries.values() if each.n_relevant is not None]
    if matched.other_labels is None and (apart := np.any([each != known[0] for each in known], axis=0)).any():
        n = int(apart.sum())
        yield f"The number of relevant documents of {count_queries(n)} differs. Check the labels."
    yield from note_ties(matched.queries)
    if matched.list_metrics:
        yield f"Metrics without a value per query are not compared: {', '.join(matched.list_metrics)}."
    if paired.n_apart is not None:
        yield "Each difference is adjusted by the model's difference, not the difference of both means."


def _describe_correction(comparison: Compared) -> str:
    """Return how p and intervals are adjusted for several comparisons, as text."""
    plan, n, n_joint = comparison._plan, len(comparison.columns["p"]), int(comparison._paired.alike.sum())
    if n == 1:
        return ""
    both = "p" if plan.test in RANKS else "p and intervals"
    if plan.method is None:
        return f"; {both} not adjusted for {n} comparisons"
    if plan.method == "holm":
        of_intervals = "" if plan.test in RANKS else ", intervals by Bonferroni"
        return f"; p adjusted for {n} comparisons by Holm{of_intervals}"
    if plan.method == "bonferroni" or not n_joint:
        return f"; {both} adjusted for {n} comparisons by Bonferroni"
    others = f" ({n - n_joint} by Bonferroni)" if n_joint < n else ""
    return f"; {both} adjusted for {n} comparisons by the largest |t| under random signs{others}"


def note_reasons(comparison: Compared, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the reasons of undecided comparisons, each with the rows that have it."""
    columns = comparison.columns
    heads = [name for name in ("segment", "metric") if len(np.unique(columns.get(name, [0]))) > 1]
    rows: dict[str, list[str]] = {}
    for row in np.flatnonzero(columns["why"] != "").tolist():
        row_name = [str(columns[name][row]) for name in heads]
        if len(comparison.systems) > 2:
            pair = [names[columns[name][row]] for name in ("system", "other")]
            row_name.append(" vs. ".join(pair[: 1 if comparison._first else 2]))
        if columns["why"][row] != BY_HOLM:
            rows.setdefault(str(columns["why"][row]), []).append(" ".join(row_name))
    for why, of in list(rows.items())[:MOST_REASONS]:
        some = f"{', '.join(of[:SHOWN])}{f' and {len(of) - SHOWN} more' if len(of) > SHOWN else ''}"
        yield f"Undecided{f' ({some})' if some else ''}: {why}."
    if (n := len(rows) - MOST_REASONS) > 0:
        yield f'For {count_of(n, "more reason")}, see the column "why" of to_frame().'


def write_letters(comparison: Compared, decimals: Mapping[str, int]) -> str:
    """Write a row per system and a column per metric of `decimals`; the best means are bold.

    Letters require the comparisons of all pairs. With a baseline, marks show what differs from it.
    """
    systems, traits = comparison.systems, comparison._matched.traits
    baseline = None if len(systems) == 2 else comparison.baseline
    letters, (means, beaten) = give_letters(systems, ascii_letters), _read_rows(comparison.columns)
    kind, between = ("letter", "") if len(systems) <= len(ascii_letters) else ("number", ",")
    explained = f"Superscript {kind}s name the systems that are significantly worse."
    if baseline is not None:
        explained = f"Plus and minus: significantly better and worse than {baseline}, the only tested pairs."
    rows = [[kind, "system", *map(write_cell, decimals)]]
    for name in systems:
        rows.append([letters[name], write_cell(name)])
        for metric, digits in decimals.items():
            marks = between.join(letters[other] for other in systems if (metric, name, other) in beaten)
            if baseline is not None:
                signs = {"+": (metric, name, baseline), "-": (metric, baseline, name)}
                marks = "".join(sign for sign, pair in signs.items() if pair in beaten)
            highest = np.fmax if traits[metric].greater_is_better else np.fmin
            best = highest.reduce([means[metric, each] for each in systems])
            text, bold = (write(each, digits) for each in (means[metric, name], best))
            cell = f"\\textbf{{{write_cell(text)}}}" if text == bold != "nan" else write_cell(text)
            rows[-1].append(cell + (f"$^{{{marks}}}$" if marks else ""))
    if baseline is not None:
        rows = [row[1:] for row in rows]
    explanations = [*[explained] * (comparison._plan.test not in RANKS), "Bold: the best mean."]
    caption = " ".join([comparison.summarize(), *note_queries(comparison), *explanations])
    return write_latex(rows, "l" * (1 + (baseline is None)) + "r" * len(decimals), caption=caption)


def _read_rows(
    columns: Mapping[str, np.ndarray],
) -> tuple[dict[tuple[str, str], float], set[tuple[str, str, str]]]:
    """Return the mean of each system in its first comparison, and significantly better and worse systems."""
    means: dict[tuple[str, str], float] = {}
    beaten = set()
    names = "metric", "system", "other", "mean", "other_mean", "verdict"
    for metric, system, other, mean, other_mean, verdict in zip(*(columns[name].tolist() for name in names)):
        means.setdefault((metric, system), mean)
        means.setdefault((metric, other), other_mean)
        if verdict.startswith(("better", "worse")):
            beaten.add((metric, system, other) if verdict.startswith("better") else (metric, other, system))
    return means, beaten
