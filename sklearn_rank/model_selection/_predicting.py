"""Methods of `WithGroups` and of searches that predict with query ids."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from sklearn import config_context
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._checks import explain_parameters
from .._checks.containers import check_same_order, count_rows, resolve_groups
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.types import Estimator, Features, Function, Groups, Ids, Labels, Options, Scores
from .._routing.delivery import check_delivery, check_needed, find_asking
from .._routing.model_parts import ANSWERS, is_search, list_requested_ids, list_routed, read_routing
from ._calls.ids_in_parts import list_aliases, list_label_names

Mixin: Any = object  # so that type checkers allow methods of the other base class


def available_with(method: str) -> Callable[[Function], Any]:
    """Return a decorator that provides a method only if the model has it."""
    return available_if(lambda self: self._has_method(method))


def _like_predict(method: str, summary: str) -> Scores:
    """Make a method that passes ids as `predict` does."""

    def ask(self: Any, X: Features, *, groups: Groups = None, **params: object) -> Scores:
        return self._ask(method, X, groups, params)

    ask.__name__ = method
    ask.__qualname__ = f"PredictsWithGroups.{method}"
    ask.__doc__ = f"""{summary}

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        groups : array-like of shape (n_rows,) or str, default=None
            As in `predict`.
        **params
            As in `predict`.

        Returns
        -------
        ndarray
            As of the model.
        """
    return available_with(method)(explain_parameters(ask))


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

    settles_ids = True  # `fit` takes ids as an argument and passes them to the parts; routing ends here

    @available_with("predict")
    @explain_parameters
    def predict(self, X: Features, *, groups: Groups = None, **params: object) -> Scores:
        """Predict with the model.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        groups : array-like of shape (n_rows,) or str, default=None
            Query id of each row, or the name of an index level or a column of X. Required if a part of the
            model requests ids.
        **params
            Ids under other names that the model requests, and parameters of its method.

        Returns
        -------
        ndarray
            The predictions of the model.
        """
        return self._ask("predict", X, groups, params)

    predict_proba = _like_predict("predict_proba", "Predict the probabilities of the classes.")
    predict_log_proba = _like_predict(
        "predict_log_proba", "Predict the logarithms of the probabilities of the classes."
    )
    decision_function = _like_predict("decision_function", "Return the decision values of the model.")
    transform = _like_predict("transform", "Transform the features.")

    @available_with("score_samples")
    def score_samples(self, X: Features) -> Scores:
        """Return the score of each row, such as a log-likelihood. This method passes no ids.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray
            The scores.
        """
        return self._ask_without_ids("score_samples", X)

    @available_with("inverse_transform")
    def inverse_transform(self, X: Features) -> Features:
        """Map transformed features back to the original ones. This method passes no ids.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Transformed features.

        Returns
        -------
        ndarray
            The features.
        """
        return self._ask_without_ids("inverse_transform", X)

    def _ask_without_ids(self, method: str, X: Features) -> Any:
        check_is_fitted(self)
        model = find_best(getattr(self, "estimator_", self))
        with config_context(enable_metadata_routing=True):
            part = find_asking(model, ANSWERS)
        if part is not None:
            rule = (
                "have no part that needs query ids to predict or transform, because this method passes none"
            )
            fail("estimator", rule, type(part).__name__)
        return getattr(model, method)(X)


def read_ids(
    model: Estimator,
    method: str,
    X: Features,
    y: Labels,
    groups: Ids,
    params: Options,
    ids_of_fit: Collection[str] = (),
) -> tuple[Options, Options]:
    """Return the ids under each name that a fitted model asks for, and the other parameters.

    Raise ValueError if a part requests ids that are missing or do not reach it.
    """
    check_same_order(**{"X": X, "y": y, "groups": groups, **params})
    with config_context(enable_metadata_routing=True):
        asked = [name for name in list_asked(model, method) if params.get(name) is None]
        for name in {*ids_of_fit}.intersection(asked):
            fail(name, "be given, as it was to fit", None, f"Pass {name}=, the ids of these rows.")
        labels = list_label_names(model)
        names = [name for name in list_aliases(model) if name not in labels]
        given = {"groups": groups, **{name: params.get(name, groups) for name in names}}
        ids = {
            name: resolve_groups(values, X, y, name) for name, values in given.items() if values is not None
        }
        if ids:
            check_delivery([model], methods=[method])
        elif method == "score" or list_asked(model, method):
            check_needed(model, ANSWERS, params)
    for name, values in ids.items():
        check_groups(values, count_rows(X), name)
    return ids, {name: value for name, value in params.items() if name not in names}


def find_best(model: Estimator) -> Any:
    """Return the best model of a search, its model before `fit`, or any other model itself."""
    while is_search(model):
        model = getattr(model, "best_estimator_", model.estimator)
    return model


def list_asked(model: Estimator, method: str) -> list[str]:
    """List the ids that a method of a model takes or routes; call with routing enabled."""
    model = find_best(model)
    names = ["groups", *list_aliases(model)]
    routed = list_routed(model, method, names) if isinstance(read_routing(model), MetadataRouter) else []
    return routed or list(list_requested_ids(model, method).values())
