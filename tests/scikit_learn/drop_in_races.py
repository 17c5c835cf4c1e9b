"""A plugin of pytest: scikit-learn's own tests of searches, with races at level 1 in their place.

python -m pytest -p drop_in_races --pyargs sklearn.model_selection.tests.test_search; `tox -e scikit-learn`.
"""

import sklearn.model_selection as theirs

import sklearn_rank.model_selection as ours

RACES = {
    theirs.GridSearchCV: ours.RacingGridSearchCV,
    theirs.RandomizedSearchCV: ours.RacingRandomSearchCV,
}


def pytest_collection_modifyitems(items):
    """Replace searches as `drop_ins` does, by races in which nothing falls."""
    import drop_ins

    for race in RACES.values():
        race.__init__.__kwdefaults__["confidence_level"] = 1
    drop_ins.REPLACED |= RACES
    drop_ins.OTHERWISE["test_custom_run_search"] = "a race has attributes that a search has not"
    drop_ins.pytest_collection_modifyitems(items)
