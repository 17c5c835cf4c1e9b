"""The base class of displays: frames, and line styles that are distinct without color."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..._checks.arrays import read_array, read_floats
from ..._checks.containers import check_same_order
from ..._checks.errors import fail, name_call
from ..._checks.types import Arguments, ArrayLike, Estimator, Features, Groups, Options, Table, Values
from ...metrics import RankingScorer, predict_for
from ...reports import make_frame
from ._layout import OWN, arrange_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

CURVE = "sklearn_rank.curve"  # the `gid` of lines with alternating styles
FLAT = "be a 1-D array of numbers"
MOST_POINTS = 2000  # of a curve; more make large files and look the same
LINE_STYLES = ("-", "--", "-.", ":")


class Display(ABC):
    """Base class of displays. It stores the axes and returns the plotted values as a frame."""

    ax_: Axes
    figure_: Figure | SubFigure

    @abstractmethod
    def _columns(self) -> Options:
        """Return the columns of the frame."""

    def to_frame(self, library: str | None = None) -> Table:
        """Return the plotted values as a frame.

        Parameters
        ----------
        library : {"pandas", "polars"} or None, default=None
            Library of the frame. If `None`, pandas is used, or polars if pandas is not installed.

        Returns
        -------
        DataFrame
            One row for each plotted point.
        """
        return make_frame(self._columns(), library)

    def _open(self, ax: Axes | None, name: object = None, height: float | None = None) -> Axes:
        """Return the axes to draw on. A new figure is `height` inches high, and grows with its texts."""
        check_matplotlib(name)
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes

        if ax is None:
            size = None if height is None else (plt.rcParams["figure.figsize"][0], height)
            figure, ax = plt.subplots(figsize=size, layout="constrained")
            figure.set_gid(OWN)
        if not isinstance(ax, Axes):
            fail("ax", "be matplotlib Axes or None", repr(ax))
        self.ax_, self.figure_ = ax, ax.figure
        return ax

    def _draw_curve(
        self, x: np.ndarray, y: np.ndarray, label: str, kwargs: Arguments, **appearance: object
    ) -> Line2D:
        """Draw a line in the next line style; the styles move on by one when the colors repeat."""
        from matplotlib import rcParams

        repeat, color = divmod(count_drawn(self.ax_), len(rcParams["axes.prop_cycle"]))
        style = LINE_STYLES[(repeat + color) % len(LINE_STYLES)]
        options = line_options(kwargs, linestyle=style, label=label, gid=CURVE, **appearance)
        return self.ax_.plot(x, y, **options)[0]

    def _finish(self, names: Sequence[str] = ()) -> Self:
        """Place the legend above the axes and the names of rows at their left."""
        arrange_texts(self.ax_, names)
        return self


class PredictionDisplay(Display):
    """Base class of displays of predictions."""

    from_predictions: Callable[..., Self]

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: Features,
        y: ArrayLike,
        *,
        groups: Groups = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Score rows by a fitted model and draw the predictions.

        Parameters
        ----------
        estimator : object
            A fitted model. Its scores are chosen as by a scorer such as `ndcg_scorer`.
        X : array-like of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,)
            Relevance labels.
        groups : array-like of shape (n_rows,), default=None
            Query id of each row. If `None`, an error is raised.
        name : str, default=None
            Name of the model. If `None`, the name of its class.
        ax, **kwargs
            As in :meth:`from_predictions`.

        Returns
        -------
        Display
            The drawn display.
        """
        check_matplotlib(name)
        check_groups(groups)
        check_same_order(X=X, y=y, groups=groups)
        y_score = predict_for(RankingScorer("ndcg"), estimator, X, y, groups)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, y_score, groups=groups, name=name, ax=ax, **kwargs)


def check_groups(groups: Groups) -> None:
    if groups is None:
        fail("groups", "contain the query id of each row", None, "Pass groups=qid.")


def check_matplotlib(name: object = None) -> None:
    """Raise an error if matplotlib is missing, and check the name for the legend."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError as error:
        fix = "Install it: pip install 'sklearn-rank[plots]'"
        raise ImportError(f"{name_call()} requires matplotlib. {fix}") from error
    check_name(name)


def ink() -> str:
    """Return the color of texts, which contrasts with light and dark backgrounds."""
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def count_drawn(ax: Axes, kind: str = CURVE) -> int:
    """Count the artists of a kind in the axes, by their `gid`."""
    return sum(artist.get_gid() == kind for artist in ax.get_children())


def line_options(kwargs: Arguments | None, **defaults: object) -> Options:
    """Return the options of a line. `kwargs`, which can use aliases, overrides `defaults`."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return {**defaults, **normalize_kwargs(dict(kwargs or {}), Line2D)}


def thin(n: int) -> np.ndarray:
    """Return the indices of sorted values to draw: all, or `MOST_POINTS` of them with the first and last."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(int))


def unbroken(*words: object) -> str:
    """Join words so that a legend does not break the line between them."""
    return " ".join(map(str, words)).replace(" ", "\N{NO-BREAK SPACE}")


def check_name(name: object) -> None:
    if name is not None and not isinstance(name, str):
        fail("name", "be a str or None", repr(name))


def read_line(values: Values, parameter: str, length: int | None = None) -> np.ndarray:
    """Return numbers as a 1-D array of floats; check its length if `length` is set."""
    array = read_array(values, parameter, FLAT)
    return read_floats(array, (array.size if length is None else length,), parameter, FLAT)


def read_values(report: object, metric: object, parameter: str) -> np.ndarray:
    """Return the value of a metric for each query of a report."""
    values = getattr(report, "values", None)
    if not isinstance(values, Mapping):
        rule = "be a report with the value of each query"
        fix = "Pass a report of evaluate, or of RankingEvaluator with keep_queries=True."
        fail(parameter, rule, f"an object of type {type(report).__name__}", fix)
    if not isinstance(metric, str) or metric not in values:
        known = shorten(", ".join(map(repr, values)), 200, placeholder=" ...")
        fail("metric", "be a metric of the report", repr(metric), f"The report contains {known}.")
    return read_line(values[metric], parameter)
