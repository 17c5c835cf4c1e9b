"""What the rankers of the boosting libraries share."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._data import check_same_order
from .._validation import fail
from ._evaluation import EvalSet, hold_out
from ._rows import ScoresByNDCG, name_columns, readable

Constructor = TypeVar("Constructor", bound=Callable[..., None])


def show_parameters_of(library: type) -> Callable[[Constructor], Constructor]:
    """Show in the signature of a constructor the library's own parameters beside those it adds."""

    def show(constructor: Constructor) -> Constructor:
        theirs = list(signature(library.__init__).parameters.values())  # type: ignore[misc]
        added = [
            each for each in signature(constructor).parameters.values() if each.kind is each.KEYWORD_ONLY
        ]
        rest = [each for each in theirs if each.kind is Parameter.VAR_KEYWORD]
        named = [each for each in theirs if each not in rest]
        constructor.__signature__ = signature(constructor).replace(parameters=[*named, *added, *rest])  # type: ignore[attr-defined]
        return constructor

    return show


class BoostedRanker(ScoresByNDCG):
    """A ranker of a boosting library, which can hold out queries to stop by."""

    validation_fraction: Any

    def _prepare(
        self,
        X: Any,
        y: Any,
        groups: Any,
        row_data: dict[str, Any],
        sets: list[EvalSet],
        waits: Any,
        remedy: str,
        random_state: Any,
    ) -> tuple[EvalSet, list[EvalSet]]:
        """Return the rows to train on and the evaluation sets: those given, or one that is held out."""
        function = f"{type(self).__name__}.fit"
        self._columns = name_columns(X)
        check_same_order(function, X=X, y=y, groups=groups, **row_data)
        for eval_X, eval_y, eval_groups, eval_data in sets:
            self._check_columns(eval_X, function, "eval_X")
            check_same_order(function, eval_X=eval_X, eval_y=eval_y, eval_groups=eval_groups, **eval_data)
        self.__dict__.pop("validation_groups_", None)  # of an earlier fit
        if self.validation_fraction is None:
            return (X, y, groups, row_data), sets
        if sets:
            rule = "be None where evaluation sets are given"
            fail("validation_fraction", function, rule, repr(self.validation_fraction))
        if not waits:
            rule = f"come with the number of rounds to wait, as {remedy}"
            fail("validation_fraction", function, rule, f"{self.validation_fraction!r} alone")
        train, held_out, self.validation_groups_ = hold_out(
            function, self.validation_fraction, random_state, X, y, groups, row_data
        )
        return train, [held_out]

    def predict(self, X: Any, *args: Any, **options: Any) -> np.ndarray:
        """Score documents; higher is better.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features; the columns of a frame are those of `fit`, in their order.
        *args, **options
            As in the library.

        Returns
        -------
        ndarray of shape (n_rows,)
            Scores.

        Raises
        ------
        ValueError
            If a frame has other columns than that of `fit`, or in another order.
        NotFittedError
            If the ranker is not fitted.
        """
        check_is_fitted(self)
        self._check_columns(X, f"{type(self).__name__}.predict")
        return super().predict(readable(X), *args, **options)
