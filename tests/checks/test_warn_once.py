"""Warnings of a call that fits many models."""

import pickle
import warnings
from functools import partial

import pytest

from sklearn_rank._checks import warn
from sklearn_rank._checks.warn import running_call, send_warnings, warn_once, warn_user

WORKER = "name of a call in another process"


@warn_once
def warn_of(*messages):
    for message in messages:
        warn_user(message)


@warn_once
def receive(name, pickled):
    """Unpickle scores of workers in the process of a call, which gets the name that workers know."""
    warn._CALLS[name] = warn._CALLS[running_call()]
    return pickle.loads(pickled)


def list_shown(call, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*args)
    return [str(each.message) for each in caught]


def score(messages, value):
    for message in messages:
        warn_user(message)
    return value


@pytest.fixture(autouse=True)
def forget_calls():
    yield
    warn._CALLS.clear()


def test_each_warning_is_shown_once_per_call():
    assert list_shown(warn_of, "a", "b", "a") == ["a", "b"]
    assert list_shown(warn_of, "a") == ["a"]


def test_inner_call_is_part_of_outer_call():
    assert list_shown(warn_once(lambda: (warn_of("a"), warn_of("a", "b")))) == ["a", "b"]


def test_warning_outside_of_calls_is_always_shown():
    assert list_shown(send_warnings, "", partial(score, ["a", "a"], 1)) == ["a", "a"]


@pytest.mark.parametrize("value", [0.5, {"map": 0.5, "mrr": 1.0}], ids=["number", "dict"])
def test_scores_of_workers_carry_warnings_to_the_call(value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = [send_warnings(WORKER, partial(score, each, value)) for each in (["a", "a"], ["b", "a"])]
    assert scores == [value, value]
    assert list_shown(receive, WORKER, pickle.dumps(scores)) == ["a", "b"]
    assert pickle.loads(pickle.dumps(scores)) == scores  # also in a process of no call


def test_outer_score_of_a_worker_carries_warnings_of_inner_scores():
    def mean():
        return float(send_warnings(WORKER, partial(score, ["a"], 1.0)))

    carrying = send_warnings(WORKER, mean)
    assert list_shown(receive, WORKER, pickle.dumps(carrying)) == ["a"]


@pytest.mark.parametrize("value", ["text", {}], ids=["text", "empty"])
def test_worker_shows_warnings_if_the_score_is_not_a_number(value):
    shown = list_shown(send_warnings, WORKER, partial(score, ["a", "b", "a"], value))
    assert shown == ["a", "b"]


def test_worker_shows_warnings_of_scores_inside_a_fit():
    def fit():
        with warn.part_of_call(WORKER), warn.inside_call():
            send_warnings("", partial(score, ["a", "a"], 1.0))

    assert list_shown(fit) == ["a"]
    assert list_shown(fit) == []
    with warn.part_of_call("a later call"):
        assert list_shown(warn_user, "a") == ["a"]
    assert list(warn._CALLS) == ["a later call"]


def test_warning_that_is_an_error_is_raised_each_time():
    def warn_twice():
        for _ in range(2):
            with pytest.raises(UserWarning, match="a"):
                warn_user("a")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_once(warn_twice)()
        warn_twice()
