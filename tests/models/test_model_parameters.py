"""Parameters of models, read without calling the model."""

import warnings
from inspect import signature

import pytest
from sklearn.linear_model import Ridge
from sklearn.utils import all_estimators
from sklearn_rank._routing.model_parts import read_parameters


def make(kind):
    """Make a model with its defaults; None where something is required."""
    required = {"estimator": Ridge(), "estimators": [("ridge", Ridge())], "steps": [("ridge", Ridge())]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about deprecated classes
        try:
            return kind(**{name: required[name] for name in signature(kind).parameters if name in required})
        except TypeError:
            return None


MODELS = {name: model for name, kind in all_estimators() if (model := make(kind)) is not None}


@pytest.mark.parametrize("name", MODELS)
def test_read_parameters_returns_those_of_get_params(name):
    assert list(read_parameters(MODELS[name]).items()) == list(MODELS[name].get_params(deep=False).items())


def test_read_parameters_calls_get_params_of_unusual_models():
    class Renamed(Ridge):
        def __init__(self, alpha=1.0):
            self.strength = alpha

        @property
        def alpha(self):
            return self.strength

    assert read_parameters(Renamed(alpha=3)) == {"alpha": 3}
