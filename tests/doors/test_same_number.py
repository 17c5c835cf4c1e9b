"""The same data give the same numbers through all doors."""

import math
import re
import warnings

import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank import RankingWarning

from .data_sets import DATA_SETS, spell, spell_all
from .doors import MEAN, ROW_DOORS
from .expected import MEASURES, find_expected
from .file_doors import FILE_DOORS
from .model_doors import MODEL_DOORS

DOORS = ROW_DOORS | FILE_DOORS | MODEL_DOORS
SELECTED = [place for place in range(len(DATA_SETS)) if place % 7 == 0]


def find_differences(name, numbers, folder):
    """List the values that differ from the expected values."""
    door = DOORS[name]
    names = [measure for measure in MEASURES if measure not in door.without]
    found = []
    for number in numbers:
        data = DATA_SETS[number]
        if not data.marks.isdisjoint(door.lacks):
            continue
        is_text = data.kind in door.spelled
        (path := folder / str(number)).mkdir()
        try:
            with warnings.catch_warnings():
                for category in (RankingWarning, UndefinedMetricWarning):
                    warnings.simplefilter("ignore", category)
                got = door.find(spell_all(data) if is_text else data, path, names)
        except Exception as error:
            rules = [rule for mark, rule in door.refuses.items() if mark in data.marks]
            if not any(re.search(rule, str(error)) for rule in rules):
                found.append((number, data.kind, type(error).__name__, str(error)))
            continue
        got = dict(got)
        measured = [measure for measure in names if measure in next(iter(got.values()))]
        for measure in measured:
            values, mean = find_expected(number, measure, door.with_pool)
            expected = {spell(query) if is_text else query: value for query, value in values.items()}
            if MEAN in got:
                found += compare(number, measure, MEAN, got[MEAN], mean, door)
            if set(got) - {MEAN}:
                found += [
                    each
                    for query, value in expected.items()
                    for each in compare(number, measure, query, got.get(query, {}), value, door)
                ]
        if (n_queries := len(set(got) - {MEAN})) not in (0, len(data.qrels)):
            found.append((number, data.kind, f"{n_queries} queries", sorted(map(str, got))))
    return found


def compare(number, measure, query, got, expected, door):
    """Yield a description if a value is not the expected value."""
    value = got.get(measure)
    tolerance = 1e-9 if door.decimals is None else 0.51 * 10**-door.decimals
    is_close = value is not None and abs(value - expected) <= tolerance
    if not is_close and not (value is not None and math.isnan(value) and math.isnan(expected)):
        yield number, DATA_SETS[number].kind, measure, query, value, expected, DATA_SETS[number].options


@pytest.mark.parametrize("door", DOORS)
def test_door_gives_the_expected_values(door, tmp_path):
    assert find_differences(door, SELECTED, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_door_gives_the_expected_values_of_all_data_sets(door, tmp_path):
    assert find_differences(door, range(len(DATA_SETS)), tmp_path) == []
