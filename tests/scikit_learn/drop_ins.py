"""pytest plugin that runs scikit-learn's tests of model selection with our functions and searches.

python -m pytest -p drop_ins --pyargs sklearn.model_selection.tests.test_search ...; `tox -e scikit-learn`.
"""

import pytest
import sklearn.model_selection as theirs
from sklearn.experimental import enable_halving_search_cv  # noqa: F401

import sklearn_rank.model_selection as ours

NAMES = [name for name in ours.__all__ if hasattr(theirs, name)]
REPLACED = {getattr(theirs, name): getattr(ours, name) for name in NAMES}

# Intended differences from scikit-learn.
DIFFERENCES = {
    "test_groups_support[HalvingGridSearchCV]": "samples are queries, and this test has only two",
    "test_groups_support[HalvingRandomSearchCV]": "samples are queries, and this test has only two",
    "test_learning_curve_with_shuffle": "sizes are counted in queries",
    "test_groups_with_routing_validation": "groups are also an argument with routing enabled",
    "test_fit_param_deprecation": "`fit_params` of scikit-learn 1.6 and 1.7 is not supported",
    "test_no_refit": "the message names the parameter, the rule and the value",
    "test_unsupported_sample_weight_scorer": "functions that are not scorers raise an error",
    "test_scalar_fit_param_compat": "train_test_split requires ids",
    "test_cross_validate_invalid_scoring_param": "the message names the parameter, the rule and the value",
}


def pytest_collection_modifyitems(items):
    """Replace the functions in the imports and parameters of the tests, and mark intended differences."""
    for module in {item.module for item in items}:
        _replace(vars(module))
    for item in items:
        if hasattr(item, "callspec"):
            _replace(item.callspec.params)
        for name in (item.name, item.originalname):
            if name in DIFFERENCES:
                item.add_marker(pytest.mark.xfail(reason=DIFFERENCES[name], strict=True))


def _replace(names):
    for name, value in list(names.items()):
        if isinstance(value, type) or callable(value):
            names[name] = next((ours for theirs, ours in REPLACED.items() if theirs is value), value)
