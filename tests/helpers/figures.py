"""Helpers for tests of figures: a report for displays, and the texts on axes."""

import numpy as np

from sklearn_rank import RankingReport


def make_report(ids, **values):
    """Make a report of the value of each query by metric."""
    arrays = {name.replace("_at_", "@"): np.asarray(each, dtype=float) for name, each in values.items()}
    return RankingReport.from_values(ids, arrays)


def read_legend(display):
    """List the entries of the legend, each on one line."""
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    return [" ".join(text.split()) for text in texts]


def read_axes(display):
    """Return the titles of both axes."""
    return display.ax_.get_xlabel(), display.ax_.get_ylabel()
