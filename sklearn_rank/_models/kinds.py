"""Kinds of models: their names, and models whose predictions are not scores."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from .answers import DelegatingModel

NOT_SCORES = {
    "clusterer": "a clusterer, which predicts cluster numbers",
    "density_estimator": "a density estimator, which predicts component numbers",
    "outlier_detector": "an outlier detector, which predicts 1 and -1",
}


def name_model(model: Any) -> str:
    """Return the name of a model's class, without the objects of this package around the model."""
    while isinstance(model, DelegatingModel):
        model = model.estimator
    return type(model).__name__


def find_kind(model: Any) -> str:
    """Return the kind of a model whose predictions are not scores; "" for all others."""
    kind = get_tags(model).estimator_type
    return kind if kind in NOT_SCORES else ""


def has_several_targets(classifier: Any) -> bool:
    """Return whether a fitted classifier has the classes of each of several targets."""
    return isinstance(classifier.classes_, list) and any(map(np.ndim, classifier.classes_))
