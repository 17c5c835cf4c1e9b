"""One metric of `as_eval_metric` in several rankers."""

import pytest

from sklearn_rank.rankers import as_eval_metric
from tests.helpers.early_stopping import GROUPS, PAIRS, TRAIN, X, Y
from tests.helpers.rankers import STOPPED, best


def test_catboost_rankers_in_training_share_a_metric():
    """One ranker is trained while the other is, as in two threads."""
    pytest.importorskip("catboost")
    from sklearn_rank.rankers import CatBoostRanker

    metric = as_eval_metric("map@10", library="catboost")
    options = STOPPED["CatBoostRanker"] | {"eval_metric": metric}

    class TrainAnother:
        def after_iteration(self, info):
            if info.iteration == 2:
                CatBoostRanker(**options | {"iterations": 3}).fit(X, Y, groups=GROUPS)
            return True

    alone = CatBoostRanker(**options).fit(**TRAIN, **PAIRS)
    both = CatBoostRanker(**options).fit(**TRAIN, **PAIRS, callbacks=[TrainAnother()])
    assert best(both, "map@10") == best(alone, "map@10")


def test_catboost_ranker_get_params_returns_the_given_metric():
    pytest.importorskip("catboost")
    from sklearn_rank.rankers import CatBoostRanker

    metric = as_eval_metric("map@10", library="catboost")
    model = CatBoostRanker(**STOPPED["CatBoostRanker"], eval_metric=metric)
    for _ in range(2):
        model.fit(**TRAIN, **PAIRS)
        assert model.get_params()["eval_metric"] is metric
