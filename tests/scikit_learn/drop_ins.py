"""Plugin of pytest that runs scikit-learn's tests of model selection with our functions and searches.

python -m pytest -p drop_ins --pyargs sklearn.model_selection.tests.test_search ...; `tox -e scikit-learn`.
"""

import pytest
import sklearn.model_selection as theirs
from sklearn.experimental import enable_halving_search_cv  # noqa: F401

import sklearn_rank.model_selection as ours

NAMES = [name for name in ours.__all__ if hasattr(theirs, name)]
REPLACED = {getattr(theirs, name): getattr(ours, name) for name in NAMES}

# Intended differences from scikit-learn.
OTHERWISE = {
    "test_groups_support[HalvingGridSearchCV]": "samples are queries, of which this test has two",
    "test_groups_support[HalvingRandomSearchCV]": "samples are queries, of which this test has two",
    "test_learning_curve_with_shuffle": "sizes are counted in queries",
    "test_groups_with_routing_validation": "groups are an argument with routing enabled, too",
    "test_fit_param_deprecation": "`fit_params`, which scikit-learn 1.6 and 1.7 still know, was never taken",
    "test_no_refit": "the message names the parameter, the rule and what was got",
    "test_unsupported_sample_weight_scorer": "a function that is no scorer is refused",
    "test_scalar_fit_param_compat": "train_test_split needs ids",
    "test_cross_validate_invalid_scoring_param": "the message names the parameter, the rule and what was got",
}


def pytest_collection_modifyitems(items):
    """Replace what the test modules have imported, and what their tests are parametrised over."""
    for module in {item.module for item in items}:
        _replace(vars(module))
    for item in items:
        if hasattr(item, "callspec"):
            _replace(item.callspec.params)
        for name in (item.name, item.originalname):
            if name in OTHERWISE:
                item.add_marker(pytest.mark.xfail(reason=OTHERWISE[name], strict=True))


def _replace(names):
    for name, value in list(names.items()):
        if isinstance(value, type) or callable(value):
            names[name] = next((ours for theirs, ours in REPLACED.items() if theirs is value), value)
