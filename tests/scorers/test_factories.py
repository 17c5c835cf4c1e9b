"""Factories of scorers, which are made from metric functions, behave as functions that are written out."""

import pickle
import re
from inspect import signature
from typing import get_type_hints

import pytest

import sklearn_rank.metrics
from sklearn_rank import ndcg_score, ndcg_scorer
from sklearn_rank.metrics import RankingScorer, intent_aware_scorer, novelty_scorer


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ndcg_scorer(10), "ndcg_scorer() takes 0 positional arguments but 1 was given"),
        (lambda: ndcg_scorer(cut=10), "ndcg_scorer() got an unexpected keyword argument 'cut'"),
        (
            lambda: novelty_scorer(k=3),
            "novelty_scorer() missing 2 required keyword-only arguments: 'items' and 'popularity'",
        ),
        (
            lambda: intent_aware_scorer("map", "intents"),
            "intent_aware_scorer() takes 1 positional argument but 2 were given",
        ),
        (
            lambda: intent_aware_scorer("map", metric="mrr"),
            "intent_aware_scorer() got multiple values for argument 'metric'",
        ),
        (
            lambda: intent_aware_scorer(),
            "intent_aware_scorer() missing 1 required positional argument: 'metric'",
        ),
        (
            lambda: novelty_scorer(),
            "novelty_scorer() missing 3 required keyword-only arguments: 'k', 'items', and 'popularity'",
        ),
    ],
)
def test_wrong_calls_raise_the_errors_of_python(call, words):
    with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
        call()


def test_a_name_of_a_metric_is_taken_by_place():
    assert intent_aware_scorer("map").describe() == "intent_aware_scorer(metric='map')"


def test_a_factory_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(ndcg_scorer)) is ndcg_scorer
    assert getattr(sklearn_rank.metrics, ndcg_scorer.__qualname__) is ndcg_scorer


def test_a_factory_takes_the_options_of_its_function_with_their_defaults():
    own, options = (signature(each).parameters for each in (ndcg_scorer, ndcg_score))
    shared = [name for name in own if name in options and name != "groups"]
    assert shared == [
        name for name in options if name not in ("y_true", "y_score", "groups", "sample_weight")
    ]
    assert [own[name].default for name in shared] == [options[name].default for name in shared]


def test_types_of_a_factory_are_found_when_the_program_runs():
    hints = get_type_hints(ndcg_scorer)
    assert hints.pop("return") is RankingScorer
    assert hints.keys() == signature(ndcg_scorer).parameters.keys()
