"""What is to be said below the table of a comparison."""

from collections.abc import Iterator

import numpy as np

from ._columns import Paired
from ._decide import Decisions, Plan
from ._match import Matched
from ._sign_flips import least_p
from ._summary import FEW_UNITS
from ._tables import count_queries


def list_notes(matched: Matched, paired: Paired, found: Decisions, plan: Plan) -> tuple[str, ...]:
    """List how intervals hold, what was left out, and what keeps the table from telling more."""
    return (
        *_describe_intervals(len(paired.counts), plan),
        *_describe_queries(matched, paired),
        *_list_left_out(matched),
        *_warn(paired, found, plan),
    )


def _describe_intervals(n_comparisons: int, plan: Plan) -> Iterator[str]:
    how = "sign flips" if plan.correction == "max" else "t"
    together = ", each by itself" if plan.correction is None else ", all together, by Bonferroni"
    together = ", all together" if plan.correction == "max" else together
    yield f"{100 * plan.confidence_level:g} % intervals by {how}{together * (n_comparisons > 1)}"
    if plan.margin is not None:
        yield f"margin {plan.margin:g}"


def _describe_queries(matched: Matched, paired: Paired) -> Iterator[str]:
    if matched.clusters is not None:
        yield "w/t/l: clusters won, tied and lost"
    if matched.n_dropped:
        yield f"{count_queries(matched.n_dropped)} left out that a system lacks"
    if paired.n_left_out.any():
        most = count_queries(int(paired.n_left_out.max()))
        yield f"up to {most} left out, without a value in one of the two systems"
    # Runs of other lengths differ in rows, not in relevant documents, which count if not retrieved too.
    known = [each.n_relevant for each in matched.queries.values() if each.n_relevant is not None]
    n_apart = int(np.any([each != known[0] for each in known], axis=0).sum()) if known else 0
    if n_apart:
        yield f"{count_queries(n_apart)} with different numbers of relevant documents: check the labels"


def _list_left_out(matched: Matched) -> Iterator[str]:
    if matched.of_lists:
        yield f"not compared, without a value per query: {', '.join(matched.of_lists)}"


def _warn(paired: Paired, found: Decisions, plan: Plan) -> Iterator[str]:
    if (paired.counts < FEW_UNITS).any():
        yield f"fewer than {FEW_UNITS} compared: intervals may be too narrow"
    if (np.isnan(found.standard_error) & (paired.counts > 1)).any():
        yield "nan: all differences are the same number, so nothing is known of how they vary"
    if found.flips is not None:
        n_nonzero = found.flips.n_nonzero
        reach = least_p(n_nonzero[n_nonzero > 0])
        if (reach > 1 - plan.confidence_level).any():
            yield f"too few queries differ: no p of some comparisons can be below {reach.max():.2g}"
