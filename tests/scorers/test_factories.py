"""Scorer factories generated from metric functions, which behave like ordinary functions."""

import pickle
from inspect import signature
from typing import get_type_hints

import pytest

import sklearn_rank.metrics
from sklearn_rank import ndcg_score, ndcg_scorer
from sklearn_rank.metrics import RankingScorer, intent_aware_scorer, novelty_scorer, ranking_scorer


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: ndcg_scorer(10),
            r"takes 0 positional arguments but 1 was given\. Pass arguments by name, for example k=10\.",
        ),
        (lambda: ndcg_scorer(cut=10), r"ndcg_scorer\(\) got an unexpected keyword argument 'cut'\."),
        (lambda: novelty_scorer(k=3), r"novelty_scorer\(\) missing a required .*argument: 'items'"),
        (
            lambda: intent_aware_scorer("map", "intents"),
            r"takes 1 positional argument but 2 were given\. Pass arguments after metric by name\.",
        ),
        (
            lambda: ranking_scorer("ndcg", "map"),
            r"but 2 were given\. Pass ranking_scorer\(\[\"ndcg@10\", \"map\"\]\)\.",
        ),
        (lambda: intent_aware_scorer("map", metric="mrr"), "multiple values for argument 'metric'"),
        (lambda: intent_aware_scorer(), r"intent_aware_scorer\(\) missing a required argument: 'metric'"),
    ],
)
def test_scorer_factory_raises_type_error_for_wrong_call(call, words):
    with pytest.raises(TypeError, match=f"{words}$"):
        call()


def test_intent_aware_scorer_accepts_positional_metric():
    assert intent_aware_scorer("map").describe() == "intent_aware_scorer(metric='map')"


def test_scorer_factory_is_pickled_by_name():
    assert pickle.loads(pickle.dumps(ndcg_scorer)) is ndcg_scorer
    assert getattr(sklearn_rank.metrics, ndcg_scorer.__qualname__) is ndcg_scorer


def test_scorer_factory_has_options_and_defaults_of_function():
    own, options = (signature(each).parameters for each in (ndcg_scorer, ndcg_score))
    shared = [name for name in own if name in options and name != "groups"]
    assert shared == [
        name for name in options if name not in ("y_true", "y_score", "groups", "sample_weight")
    ]
    assert [own[name].default for name in shared] == [options[name].default for name in shared]


def test_scorer_factory_type_hints_can_be_resolved():
    hints = get_type_hints(ndcg_scorer)
    assert hints.pop("return") is RankingScorer
    assert hints.keys() == signature(ndcg_scorer).parameters.keys()
