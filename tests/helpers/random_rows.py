"""Random rows for every metric, with negative, huge, tiny, tied and integer scores."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from tests.helpers.table import BY_ORDER, METRICS, SCORE_OF

# The same examples in every run, so that failures are reproducible.
FEW = settings(max_examples=40, deadline=None, derandomize=True)

SCORES = {
    "any": st.floats(-1e6, 1e6, width=32),
    "negative": st.floats(-1e9, -1e-9),
    "huge": st.floats(1e290, 1e300) | st.floats(-1e300, -1e290),
    "tiny": st.floats(-1e-300, 1e-300),
    "tied": st.sampled_from([-1.5, 0.0, -0.0, 2.0]),
    "integers": st.integers(-5, 5),
    "large integers": st.integers(2**60, 2**60 + 4),
}
SMALL = {kind: SCORES[kind] for kind in ("any", "negative", "tied", "integers")}


@st.composite
def queries(draw, scores=SCORES, max_grade=4):
    """Draw labels, scores and ids of up to 24 rows in up to 4 queries."""
    n = draw(st.integers(1, 24))
    values = scores[draw(st.sampled_from(sorted(scores)))]
    y_true = draw(st.lists(st.integers(0, max_grade), min_size=n, max_size=n))
    y_score = draw(st.lists(values, min_size=n, max_size=n))
    groups = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return np.array(y_true), np.array(y_score), np.array(groups)


def draw_for(stem):
    """Return a strategy for rows, with scores of moderate size if the metric uses their values."""
    return queries() if stem in BY_ORDER else queries(SMALL)


def evaluate(stem, y_true, y_score, groups, **options):
    """Compute a metric, with nan for undefined queries and a fixed highest grade for ERR."""
    if stem == "err":
        options["max_grade"] = 16
    if "zero_division" in METRICS[stem].defaults:
        options.setdefault("zero_division", np.nan)
    return SCORE_OF[stem](y_true, y_score, groups=groups, **options)


def per_query(stem, y_true, y_score, groups, **options):
    """Compute the value of a metric for each query."""
    return evaluate(stem, y_true, y_score, groups, average=None, **options)


def assert_same(got, expected):
    """Assert that values are equal up to rounding errors."""
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)
