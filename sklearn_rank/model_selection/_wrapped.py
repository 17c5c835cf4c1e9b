"""What stands in a model's place inside a search."""

from typing import Any

try:  # from scikit-learn 1.9 on
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]  # in place of theirs
        """Nothing to support."""


class WrappedModel(CallbackSupportMixin):
    """A model inside another object, which passes on whatever it does not do itself.

    It takes the callbacks of a search, so that the search reports its progress, and keeps them to itself.
    """

    estimator: Any

    def __getattr__(self, name: str) -> Any:
        # Not there yet, while unpickled; and notes that a search leaves are on this object.
        is_note = name.startswith("_") and not name.startswith("__")
        if name == "estimator" or is_note:
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def set_params(self, **params: Any) -> Any:
        """Set parameters of the model, its steps among them."""
        self.estimator.set_params(**params)
        return self
