"""What stands in a model's place inside a search."""

from typing import Any

from .._models.answers import AskedModel

try:  # from scikit-learn 1.9 on
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]  # in place of theirs
        """Nothing to support."""


class WrappedModel(AskedModel, CallbackSupportMixin):
    """A model inside another object, which passes on whatever it does not do itself.

    It takes the callbacks of a search, so that the search reports its progress, and keeps them to itself.
    """

    def __repr__(self) -> str:
        return repr(self.estimator)

    def set_params(self, **params: Any) -> Any:
        """Set parameters of the model, its steps among them."""
        self.estimator.set_params(**params)
        return self


def inside_model(model: Any) -> Any:
    """Return the model inside whatever stands in its place."""
    while isinstance(model, WrappedModel):
        model = model.estimator
    return model
