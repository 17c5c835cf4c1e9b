"""Rankers warn if the query ids are a column of X, once per call."""

import numpy as np
import pytest
from sklearn import config_context

from sklearn_rank import GridSearchCV, RankingWarning, cross_val_score
from tests.helpers.early_stopping import GROUPS, X, Y, make_holdout
from tests.helpers.rankers import BOOSTED

pandas = pytest.importorskip("pandas")
FRAME = pandas.DataFrame(X).add_prefix("x").assign(ids=GROUPS)
SAID = "X contains the query ids as column 'ids', so "


@BOOSTED
@pytest.mark.parametrize("as_given", [FRAME["ids"], GROUPS, GROUPS.tolist()], ids=["series", "array", "list"])
def test_ranker_warns_when_ids_are_a_column(as_given, name):
    with pytest.warns(RankingWarning, match=rf"^{name}\.fit: {SAID}{name} trains on them\.") as caught:
        make_holdout(name).fit(FRAME, Y, groups=as_given)
    assert len(caught) == 1


def test_ranker_warns_when_ids_are_in_an_array():
    with pytest.warns(RankingWarning, match=r"as column 0, .*numpy\.delete\(X, 0, axis=1\)"):
        make_holdout("LGBMRanker").fit(np.column_stack([GROUPS, X]), Y, groups=GROUPS)


@pytest.mark.parametrize("routing", [False, True], ids=["routing off", "routing on"])
def test_calls_with_rankers_warn_once(routing):
    model = make_holdout("LGBMRanker")
    options = {"scoring": "ndcg", "cv": 3}
    with config_context(enable_metadata_routing=routing):
        with pytest.warns(RankingWarning, match=f"^cross_val_score: {SAID}LGBMRanker") as caught:
            cross_val_score(model, FRAME, Y, groups=GROUPS, **options)
        assert len(caught) == 1
        with pytest.warns(RankingWarning, match=f"^GridSearchCV.fit: {SAID}LGBMRanker") as caught:
            GridSearchCV(model, {"num_leaves": [3, 4]}, **options).fit(FRAME, Y, groups=GROUPS)
        assert len(caught) == 1
