"""The same data give the same numbers through all doors, and ids come back as they were given."""

import inspect
import math
import re
import warnings

import pytest

import sklearn_rank
from sklearn_rank import datasets, inspection, metrics, model_selection

from ..helpers.reference import REFERENCES
from ..helpers.table import METRICS
from .command_doors import COMMAND_DOORS, run_command
from .data_sets import DATA_SETS, FEATURES, IDS, N_SETS, OPTIONS, spell, spell_all
from .doors import MEAN, ROW_DOORS
from .expected import MEASURES, find_expected
from .file_doors import FILE_DOORS
from .model_doors import MODEL_DOORS

DOORS = ROW_DOORS | FILE_DOORS | COMMAND_DOORS | MODEL_DOORS
STEP = 5  # of the data sets that are always tried; ids and options have 6 and 7 kinds


def find_differences(name, numbers, folder):
    """List how the values of a door differ from the expected values."""
    door, found = DOORS[name], []
    for number in numbers:
        data = DATA_SETS[number]
        if data.marks.isdisjoint(door.lacks):
            known = [measure for measure in MEASURES if measure not in door.without]
            (path := folder / str(number)).mkdir()
            found += try_door(door, number, known[number % door.share :: door.share], path)
    return found


def try_door(door, number, names, folder):
    """Yield the differences of one data set."""
    data, is_text = DATA_SETS[number], DATA_SETS[number].kind in door.spelled
    rules = [rule for mark, rule in door.refuses.items() if mark in data.marks]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the data sets are small
            got = door.find(spell_all(data) if is_text else data, folder, names)
    except Exception as error:
        if not any(re.search(rule, str(error)) for rule in rules):
            yield number, repr(error)
        return
    if rules:
        yield number, "no error", rules
    of_queries = set(got) - {MEAN}
    ids = {query: spell(query) if is_text else query for query in data.qrels}
    if of_queries and of_queries != set(ids.values()):
        yield number, "ids", of_queries
    for name in set(names) & set(next(iter(got.values()))):
        values, mean = find_expected(number, name, door.with_pool)
        expected = {ids[query]: value for query, value in values.items()} | {MEAN: mean}
        for query in {MEAN, *ids.values()} & set(got):
            if not is_close(got[query][name], expected[query], door.decimals):
                yield number, data.options, name, query, got[query][name], expected[query]


def is_close(value, expected, decimals):
    if math.isnan(value) or math.isnan(expected):
        return math.isnan(value) and math.isnan(expected)
    return abs(value - expected) <= (1e-9 if decimals is None else 0.51 * 10**-decimals)


@pytest.mark.parametrize("door", DOORS)
def test_door_gives_the_expected_values(door, tmp_path):
    start = list(DOORS).index(door) % STEP
    assert find_differences(door, range(start, N_SETS, STEP), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_door_gives_the_expected_values_of_all_data(door, tmp_path):
    assert find_differences(door, range(N_SETS), tmp_path) == []


@pytest.mark.parametrize("door", ROW_DOORS | MODEL_DOORS)
def test_door_for_rows_rejects_grades_below_0(door, tmp_path):
    data = next(each for each in DATA_SETS if "grade -1" in each.features and each.kind == "int")
    names = ["ndcg@3", "map", "infap"]
    with pytest.raises(ValueError, match=r"must (be|contain|have) .*Got -1"):
        DOORS[door].find(data._replace(keeps_grades=True), tmp_path, names)


# ------------------------------------------------------------------ the table is complete


def names_any(word):
    """Return whether the name of a door contains a word."""
    return any(re.search(rf"(^|[ ,]){re.escape(word)}($|[ ,])", door) for door in DOORS)


OTHERS = {
    "group_score": "it takes metrics of scikit-learn",
    "make_group_scorer": "it takes metrics of scikit-learn",
    "catalog_scorer": "it retrieves items itself",
    "permutation_importance": "it returns differences",
    "RankingScorer": "ranking_scorer makes it",
    "HalvingGridSearchCV": "it scores parts of the queries",
    "HalvingRandomSearchCV": "it scores parts of the queries",
    "explain": "it returns no values",
    "check_folds": "it returns no values",
    "simplest": "it returns no values",
}


def list_parameters(each):
    """Return the names of the parameters; classes of warnings have none."""
    return () if isinstance(each, type) and issubclass(each, Warning) else inspect.signature(each).parameters


def list_public(modules):
    return {name: getattr(module, name) for module in modules for name in module.__all__}


def test_each_reader_has_a_door():
    readers = [name for name in datasets.__all__ if name.startswith(("from_", "to_")) or "svmlight" in name]
    assert [name for name in readers if not names_any(name)] == []


def test_each_function_with_metrics_has_a_door():
    public = list_public((sklearn_rank, metrics, model_selection, inspection))
    taking = [
        name
        for name, each in public.items()
        if callable(each) and not {"metrics", "scoring"}.isdisjoint(list_parameters(each))
    ]
    assert [name for name in taking if not names_any(name) and name not in OTHERS] == []


def test_each_format_of_the_command_line_has_a_door():
    text = " ".join(run_command("evaluate", "--help").split())
    [formats] = re.findall(r"--format \{(.*?)\}", text)
    assert [form for form in formats.split(",") if not names_any(form)] == []


def test_each_metric_with_a_reference_is_measured():
    measured = {measure.stem for measure in MEASURES.values()}
    assert {stem for stem in METRICS if stem in REFERENCES} - measured == set()


def test_data_sets_have_all_features_ids_and_options():
    assert {feature for data in DATA_SETS for feature in data.features} == set(FEATURES)
    pairs = {(data.kind, str(data.options)) for data in DATA_SETS}
    assert len(pairs) == len(IDS) * len(OPTIONS)
