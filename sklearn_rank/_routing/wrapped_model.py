"""What the objects around a model share that scikit-learn fits, asks and scores in its place."""

from typing import Any

from .._models.answers import DelegatingModel

try:  # from scikit-learn 1.9 on
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]  # in place of theirs
        """Nothing to support."""


class WrappedModel(DelegatingModel, CallbackSupportMixin):
    """A model of the user's with an object around it, which passes on whatever it does not do itself.

    It takes the callbacks of a search, so that the search reports its progress, and keeps them to itself.
    """

    def set_params(self, **params: Any) -> Any:
        """Set parameters of the model, its steps among them."""
        self.estimator.set_params(**params)
        return self


def unwrap_model(model: Any) -> Any:
    """Return the user's model, inside however many objects."""
    while isinstance(model, WrappedModel):
        model = model.estimator
    return model
