"""What a factory makes: an object that copies, prints and describes itself; and what it refuses."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import sklearn_rank
from sklearn_rank import ndcg_scorer, ranking_scorer
from sklearn_rank.metrics import METRICS, RankingScorer
from tests.helpers.scorers import CUTOFF, FACTORIES, NAMES, REQUIRED, SCORERS, WITH_K, requests
from tests.helpers.table import SCORE_OF, WITH_TIES

# ------------------------------------------------------------------ objects


@pytest.mark.parametrize("copy", [clone, lambda scorer: pickle.loads(pickle.dumps(scorer))])
@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
def test_a_copy_has_the_same_parameters_requests_and_values(scorer, copy, model, ranking_data):
    X, y, groups = ranking_data
    again = copy(scorer)
    assert again.get_params() == scorer.get_params()
    assert requests(again) == requests(scorer)
    assert again(model, X, y, groups=groups) == scorer(model, X, y, groups=groups)


def test_requests_of_a_clone_leave_the_original_alone():
    scorer = ndcg_scorer().set_score_request(groups="ids")
    clone(scorer).set_score_request(groups=False, sample_weight=True)
    assert requests(scorer) == {"groups": "ids", "sample_weight": False}


@pytest.mark.parametrize("scorer", [*SCORERS, ndcg_scorer(zero_division=np.nan)], ids=repr)
def test_the_description_is_code_that_makes_the_scorer(scorer):
    made = eval(scorer.describe(), {**vars(sklearn_rank), "nan": np.nan}).set_params(
        score_request=scorer.score_request
    )
    assert repr(made) == repr(scorer)


def test_the_representations_name_the_metric():
    assert repr(ndcg_scorer(k=10)) == "RankingScorer(metrics='ndcg@10')"
    assert "ndcg@10" in ndcg_scorer(k=10)._repr_html_()


# ------------------------------------------------------------------ what a factory refuses


BAD = [(stem, "k", k) for stem in WITH_K for k in (0, -1, True, 1.5, "5", np.nan)]
BAD += [(stem, "k", None) for stem in REQUIRED]
BAD += [(stem, "ties", "random") for stem in WITH_TIES] + [(stem, "average", None) for stem in METRICS]
BAD += [(stem, "groups", np.zeros(3)) for stem in METRICS]
BAD += [("ndcg", "gain", "quadratic"), ("dcg", "gain", None), ("ndcg", "discount", "ln")]
BAD += [("ndcg", "average", "micro"), ("map", "min_relevance", 0), ("map", "denominator", "R")]
BAD += [
    ("mrr", "zero_division", 0.5),
    ("precision", "adaptive_k", "yes"),
    ("map", "response_method", "score"),
    ("map", "response_method", []),
    ("map", "response_method", [["predict"]]),
    ("map", "zero_division", None),
    ("map", "zero_division", False),
    ("map", "min_relevance", True),
]


@pytest.mark.parametrize(("stem", "parameter", "value"), BAD)
def test_a_factory_refuses_a_bad_option_at_once(stem, parameter, value):
    factory = FACTORIES[stem]
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of {factory.__name__} must"):
        factory(**{**CUTOFF[stem], parameter: value})


@pytest.mark.parametrize(
    ("metrics", "options", "parameter"),
    [
        (["ndgc@10"], {}, "metrics"),
        ("ndcg@10", {}, "metrics"),
        ([], {}, "metrics"),
        (5, {}, "metrics"),
        (["r2"], {}, "metrics"),
        (NAMES, {"average": None}, "average"),
        (NAMES, {"average": "micro"}, "average"),
        (["map"], {"gain": "quadratic"}, "gain"),
        (NAMES, {"groups": np.zeros(3)}, "groups"),
    ],
)
def test_a_scorer_of_many_metrics_refuses_at_once(metrics, options, parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of ranking_scorer must"):
        ranking_scorer(metrics, **options)


@pytest.mark.parametrize("request_", [{"groups": 5}, {"sample_weight": ""}, {"groups": ["qid"]}], ids=str)
def test_a_request_is_a_truth_value_or_a_name(request_):
    with pytest.raises(ValueError, match="set_score_request must be True, False, None or a name"):
        ndcg_scorer().set_score_request(**request_)


def test_an_unknown_option_of_a_scorer_made_by_hand(model, ranking_data):
    X, y, groups = ranking_data
    with pytest.raises(TypeError, match="has no option 'tie'"):
        RankingScorer("ndcg", {"tie": "best"})(model, X, y, groups=groups)


@pytest.mark.filterwarnings("ignore:.*no query has more documents:sklearn_rank.RankingWarning")
@pytest.mark.parametrize("k", [2**62, 2**63 - 1, np.int64(2**62)])
@pytest.mark.parametrize("stem", WITH_K)
def test_a_factory_takes_any_cutoff_that_the_function_takes(stem, k, model, ranking_data):
    X, y, groups = ranking_data
    expected = SCORE_OF[stem](y, model.predict(X), groups=groups, k=k)
    sign = 1 if METRICS[stem].greater_is_better else -1
    assert FACTORIES[stem](k=k)(model, X, y, groups=groups) == sign * expected


@pytest.mark.parametrize("stem", REQUIRED)
def test_the_metrics_at_k_need_a_k(stem):
    with pytest.raises(TypeError, match="'k'"):
        FACTORIES[stem]()
