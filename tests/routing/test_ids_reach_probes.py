"""Ids inside every meta-estimator of scikit-learn: delivered, or an error before training."""

import inspect

import pytest
from sklearn import config_context
from sklearn.utils.discovery import all_estimators

from .probes import examine, functions, models, probes

KINDS = ["fit", "all", "mix", "pipe"]
NAMES = list(models(*probes(False)["fit"]))
PARTS = {"estimator", "estimators", "steps", "transformers", "regressor", "transformer_list", "classifier"}

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def test_probes_are_inside_every_meta_estimator():
    kinds = [
        name for name, kind in all_estimators() if PARTS & set(inspect.signature(kind.__init__).parameters)
    ]
    searches = ["HalvingGridSearchCV", "HalvingRandomSearchCV"]
    assert [name for name in kinds if name not in [*NAMES, *searches]] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("routing", [False, True])
def test_functions_deliver_ids_or_raise_before_training(routing, kind, name):
    with config_context(enable_metadata_routing=routing):
        found = {}
        for function, call in functions().items():
            try:
                model, several = models(*probes(routing)[kind])[name]
            except Exception:  # scikit-learn cannot build it, such as a frozen model without routing
                continue
            found[function] = examine(call, model, several)
    assert {function: got for function, got in found.items() if got not in ("delivered", "rejected")} == {}
