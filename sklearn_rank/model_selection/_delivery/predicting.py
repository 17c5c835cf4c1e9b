"""Methods with `groups` of the models that pass query ids to their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._checks import explain_parameters
from ..._checks.containers import check_same_order, count_rows, resolve_groups
from ..._checks.errors import fail
from ..._checks.groups import check_groups
from ..._checks.types import Estimator, Features, Function, Groups, Ids, Labels, Options, Scores
from ..._rows.bound import call_method
from ..._rows.inner_models import OUTPUTS, find_best
from ..._rows.needs import Needs

_KEPT: WeakKeyDictionary[Any, Needs] = WeakKeyDictionary()  # of each fitted object; not part of its pickles
Mixin: Any = object  # so that type checkers allow methods of the other base class


def available_with(method: str) -> Callable[[Function], Any]:
    """Return a decorator that provides a method only if the model has it."""
    return available_if(lambda self: self._has_method(method))


OF_IDS = """
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level or a column of X. Required if a part of the
            model requests ids.
        **params
            Ids under other names that the model requests, and parameters of its method."""


def _make_method(method: str, summary: str, takes_ids: bool = True) -> Scores:
    """Make a method that passes ids to the fitted model, or one that takes no ids."""

    def call(self: Any, X: Features, *, groups: Groups = None, **params: object) -> Scores:
        _called_as = f"{type(self).__name__}.{method}"
        return self._call_method(method, X, groups, params)

    def call_without_ids(self: Any, X: Features) -> Scores:
        _called_as = f"{type(self).__name__}.{method}"
        check_is_fitted(self)
        model = find_best(getattr(self, "estimator_", self))
        if not self._needed.keys().isdisjoint(OUTPUTS):
            rule = f"have no part that needs query ids in {method}, which passes none"
            fail("estimator", rule, type(Needs(model).find(*OUTPUTS).model).__name__)  # type: ignore[union-attr]
        return getattr(model, method)(X)

    chosen = call if takes_ids else call_without_ids
    chosen.__name__, chosen.__qualname__ = method, f"PredictsWithGroups.{method}"
    chosen.__doc__ = f"""{summary}

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.{OF_IDS * takes_ids}

        Returns
        -------
        ndarray
            Result of the model.
        """
    return available_with(method)(explain_parameters(chosen))


class PredictsWithGroups(Mixin):
    """Methods that pass `groups` to all parts of a fitted model that request them."""

    # The parts of the model make requests. The parameter `groups` of these methods is not one.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__score = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__predict = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__predict_log_proba = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__decision_function = {"groups": UNUSED}  # noqa: RUF012
    __metadata_request__transform = {"groups": UNUSED}  # noqa: RUF012

    # Columns that each method needs, those that the model takes, and those that `fit` got. They are pickled.
    _needed: Mapping[str, Sequence[str]] = MappingProxyType({})
    _names: Mapping[str, str] = MappingProxyType({})
    _names_in_fit: Sequence[str] = ()
    passes_ids_itself = True  # `fit` takes ids as an argument and passes them to the parts; routing ends here

    predict = _make_method("predict", "Predict the score of each row.")
    predict_proba = _make_method("predict_proba", "Predict the probabilities of the classes.")
    predict_log_proba = _make_method("predict_log_proba", "Predict the logarithms of the probabilities.")
    decision_function = _make_method("decision_function", "Return the decision values of the model.")
    transform = _make_method("transform", "Transform the features.")
    score_samples = _make_method("score_samples", "Return log-likelihoods or similar. Passes no ids.", False)
    inverse_transform = _make_method("inverse_transform", "Reverse `transform`. Passes no ids.", False)

    def _set_needed(self, model: Estimator, params: Options) -> None:
        """Store the columns that the fitted model needs, and those that `fit` got; called by `fit`."""
        needs = _KEPT[self] = Needs(model)
        self._needed, self._names = needs.needed, needs.names
        self._names_in_fit = [name for name in needs.names if params.get(name) is not None]

    def _find_needs(self, model: Estimator) -> Needs:
        """Return the needs of the fitted model, which are found once in each process."""
        needs = _KEPT.get(self)
        if needs is None or needs.model is not model:
            needs = _KEPT[self] = Needs(model)
        return needs

    def _call_with_ids(
        self, model: Estimator, method: str, X: Features, y: Labels, groups: Ids, params: Options
    ) -> Any:
        """Call a method of the fitted model with the ids that it or its parts need."""
        ids, others = self._read_columns(model, method, X, y, groups, params)
        return call_method(model, method, X, y, ids, others, self._find_needs(model))

    def _read_columns(
        self, model: Estimator, method: str, X: Features, y: Labels, groups: Ids, params: Options
    ) -> tuple[Options, Options]:
        """Return the ids under each name that the fitted model takes, and the other parameters."""
        check_same_order(**{"X": X, "y": y, "groups": groups, **params})
        needed = [name for name in self._needed.get(method, ()) if params.get(name) is None]
        for name in {*self._names_in_fit}.intersection(needed):
            fix = f"Pass {name}=, the ids of these rows."
            fail(name, "be passed, because it was passed to fit", None, fix)
        names = [name for name, kind in self._names.items() if kind == "ids"]
        given = {"groups": groups, **{name: params.get(name, groups) for name in names}}
        ids = {name: resolve_groups(each, X, y, name) for name, each in given.items() if each is not None}
        if ids:
            ids.setdefault("groups", next(iter(ids.values())))
        elif needed or (method == "score" and not self._needed.keys().isdisjoint(OUTPUTS)):
            Needs(find_best(model)).check_given(OUTPUTS, params)
        for name, values in ids.items():
            check_groups(values, count_rows(X), name)
        return ids, {name: value for name, value in params.items() if name not in names}
