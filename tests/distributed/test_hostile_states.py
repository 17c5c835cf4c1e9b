"""Pickled evaluators with changed contents: an error that names the field, and never another result."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

from sklearn_rank import RankingEvaluator
from sklearn_rank.metrics import Missed

N = 12
RANDOM = np.random.RandomState(0)
ROWS = {"y_true": RANDOM.randint(0, 2, 3 * N), "groups": np.repeat(np.arange(N), 3)}
SCORES = {name: RANDOM.uniform(size=3 * N) for name in ("old", "new")}
FIRST = {name: each[:9] for name, each in ROWS.items()}


def half(labels):
    return labels / 2


EVALUATORS = {
    "values": RankingEvaluator(["mrr", "precision@1(average=micro)"]).update(
        y_score=SCORES["old"], sample_weight=ROWS["groups"] + 1, **ROWS
    ),
    "moments": RankingEvaluator(["ndcg", "mrr"], keep_queries=False, gain=half).update(
        y_score=SCORES, **ROWS
    ),
    "parts": RankingEvaluator(["mrr"]).update(y_score=SCORES["old"][:9], part=0, **FIRST),
    "items": RankingEvaluator(["mrr", "catalog_coverage@2"]).update(
        y_score=SCORES["old"], items=np.tile([*"abcdefghi"], 4), **ROWS
    ),
    "objects": RankingEvaluator(["recall@2"]).update(
        [1, 0], [2, 1], [Fraction(1, 10**5000)] * 2, missed=Missed([Fraction(1, 10**5000)], [1])
    ),
}
OTHERS = [None, True, -1, 2, 1.5, 2**70, "x", "\ud800", [], (1,), {"a": 1}, np.zeros(3), Fraction(1, 3), int]


def list_paths(value, path=()):
    """List the paths of all values inside a value."""
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if is_sequence(value) else ()
    for key, each in parts:
        yield from list_paths(each, (*path, key))


def is_sequence(value):
    return isinstance(value, tuple | list)


def change(value, path, new):
    """Return a copy in which the value at a path is new, or removed if new is Ellipsis."""
    if not path:
        return new
    key, *inner = path
    parts = dict(value) if isinstance(value, dict) else dict(enumerate(value))
    parts[key] = change(parts[key], inner, new)
    if parts[key] is ...:
        del parts[key]
    if isinstance(value, dict):
        return parts
    return value._make(parts.values()) if hasattr(value, "_make") else type(value)(parts.values())


def load(state):
    """Load a state as pickle does."""
    evaluator = RankingEvaluator.__new__(RankingEvaluator)
    evaluator.__setstate__(state)
    return evaluator


@pytest.mark.parametrize("name", EVALUATORS)
def test_state_loads_with_the_same_result(name):
    evaluator = EVALUATORS[name]
    again = pickle.loads(pickle.dumps(evaluator))
    assert repr(again.result()) == repr(evaluator.result()) == repr(copy.copy(evaluator).result())
    assert again.__getstate__()["_checksums"] == evaluator.__getstate__()["_checksums"]


@pytest.mark.parametrize("new", [*OTHERS, ...], ids=lambda new: ascii(new)[:20])
@pytest.mark.parametrize("name", EVALUATORS)
def test_changed_state_raises_error_that_names_the_field(name, new):
    state = EVALUATORS[name].__getstate__()
    for path in list_paths(state):
        old = state
        for key in path:
            old = old[key]
        if not path or path[0] == "_lock" or (type(new) is type(old) and np.array_equal(new, old)):
            continue
        try:
            changed = change(state, path, new)
        except TypeError:  # a field that a tuple needs
            continue
        with pytest.raises(
            ValueError, match=r"The 'state' parameter of RankingEvaluator\S* must have"
        ) as error:
            load(changed)
        assert f"in the field '{path[0]}" in str(error.value) or path[0] == "_checksums", path


@pytest.mark.parametrize("name", EVALUATORS)
def test_changed_bits_of_arrays_raise_error(name):
    state = EVALUATORS[name].__getstate__()
    arrays = 0
    for path in list_paths(state):
        old = state
        for key in path:
            old = old[key]
        if isinstance(old, np.ndarray) and old.size and not old.dtype.hasobject:
            new = old.copy()
            new.reshape(-1).view(np.uint8)[-1] ^= 1
            arrays += 1
            with pytest.raises(ValueError, match="must have the pickled contents in the field '_state"):
                load(change(state, path, new))
    assert arrays or name == "moments"


@pytest.mark.parametrize("state", [None, {}, [], {"_checksums": {}}, {"_checksums": 3}], ids=repr)
def test_other_state_raises_error(state):
    with pytest.raises(ValueError, match="must have the pickled contents in the field '_state'"):
        load(state)
