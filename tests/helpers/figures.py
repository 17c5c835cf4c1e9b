"""Helpers for tests of figures: a report for displays, and the texts on axes."""

from types import SimpleNamespace

import numpy as np


def make_report(ids, **values):
    """Make a report with the attributes that displays read: ids, and the value of each query by metric."""
    arrays = {name.replace("_at_", "@"): np.asarray(each, dtype=float) for name, each in values.items()}
    report = SimpleNamespace(metrics=tuple(arrays), ids=np.asarray(ids), values=arrays)

    def by(labels, groups=None):
        labels = np.asarray(labels)
        if groups is not None:  # one label per row
            labels = labels[np.unique(groups, return_index=True)[1]]
        parts = {str(each): labels == each for each in np.unique(labels)}
        return {
            name: SimpleNamespace(
                metrics=report.metrics,
                ids=report.ids[rows],
                values={metric: each[rows] for metric, each in arrays.items()},
            )
            for name, rows in parts.items()
        }

    report.by = by
    return report


def read_legend(display):
    """List the entries of the legend, each on one line."""
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    return [" ".join(text.split()) for text in texts]


def read_axes(display):
    """Return the titles of both axes."""
    return display.ax_.get_xlabel(), display.ax_.get_ylabel()
