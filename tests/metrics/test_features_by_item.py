"""Features by item id, which give the values of the features of each row."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_rank import RankingEvaluator, evaluate, ranking_scores

GENRES = {"a": [1, 0, 2], "b": [0, 1, 0], "c": [1, 1, 0], "d": [0, 3, 1], "unused": [9, 9, 9]}
ITEMS = ["b", "a", "c", "a", "d", "c", "b"]
USERS = ["u", "u", "u", "v", "v", "v", "v"]
Y_SCORE = [3.0, 2.0, 1.0, 1.0, 3.0, 2.0, 2.0]
Y_TRUE = [1, 0, 1, 0, 1, 0, 0]
OF_ROWS = np.array([GENRES[item] for item in ITEMS], dtype=float)
NAMES = ["diversity@2", "neg_intra_list_similarity_loss", "neg_calibration_loss@2", "serendipity@2"]
PAST = ([[1, 0, 0], [0, 1, 1]], ["u", "v"])
MATRIX = np.array(list(GENRES.values()))
FORMS = {
    "mapping": GENRES,
    "matrix": (MATRIX, list(GENRES)),
    "list": (MATRIX.tolist(), np.array(list(GENRES))),
    "sparse matrix": (sparse.csr_array(MATRIX), list(GENRES)),
    "frame": (pd.DataFrame(MATRIX), pd.Series(list(GENRES))),
}
GIVEN = {"groups": USERS, "metrics": NAMES, "history": PAST}


@pytest.mark.parametrize("form", FORMS)
def test_features_by_item_equal_features_of_rows(form):
    found = ranking_scores(Y_TRUE, Y_SCORE, items=ITEMS, features=FORMS[form], **GIVEN)
    assert found == pytest.approx(ranking_scores(Y_TRUE, Y_SCORE, features=OF_ROWS, **GIVEN), abs=1e-12)


def test_features_by_item_are_found_by_numbers():
    codes = {item: number for number, item in enumerate(GENRES)}
    items = np.array([codes[item] for item in ITEMS], dtype=np.int32)
    features = {codes[item]: genres for item, genres in GENRES.items()}
    found = ranking_scores(Y_TRUE, Y_SCORE, items=items, features=features, **GIVEN)
    assert found == pytest.approx(ranking_scores(Y_TRUE, Y_SCORE, features=OF_ROWS, **GIVEN), abs=1e-12)


def test_features_of_two_rows_as_tuple_are_of_rows():
    scores = {"y_true": [1, 0], "y_score": [2, 1], "groups": [0, 0], "items": ["a", "b"]}
    found = ranking_scores(**scores, features=([1, 0], [1, 1]), metrics=["diversity@2", "catalog_coverage@1"])
    assert found == pytest.approx({"diversity@2": 1 - np.sqrt(0.5), "catalog_coverage@1": 0.5})


def test_evaluate_takes_features_by_item_for_frame():
    frame = pd.DataFrame({"label": Y_TRUE, "score": Y_SCORE, "user": USERS, "item": ITEMS})
    options = {"groups": "user", "data": frame, "metrics": NAMES, "history": PAST}
    report = evaluate("label", "score", items="item", features=GENRES, **options)
    expected = ranking_scores(Y_TRUE, Y_SCORE, features=OF_ROWS, **GIVEN)
    assert {name: report.mean[name] for name in NAMES} == pytest.approx(expected, abs=1e-12)


def test_evaluator_takes_features_by_item_in_parts():
    evaluator = RankingEvaluator(["diversity@2"])
    for part in (slice(3), slice(3, None)):
        columns = {"groups": USERS[part], "items": ITEMS[part]}
        evaluator.update(Y_TRUE[part], Y_SCORE[part], features=GENRES, **columns)
    whole = ranking_scores(Y_TRUE, Y_SCORE, groups=USERS, features=OF_ROWS, metrics=["diversity@2"])
    assert evaluator.result().mean["diversity@2"] == pytest.approx(whole["diversity@2"])


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"items": None}, r"'items' .* item id of each row if 'features' are given by item"),
        ({"features": {"a": [1, 0, 2]}}, r"'features' .* a row for each item. Got none for item 'b'"),
        ({"features": {1: [1, 0, 2]}}, r"'features' .* none for item 'a', but one for 1"),
        ({"features": (MATRIX, ["a", "b", "c", "d", "a"])}, r"'features' .* each item id once"),
        ({"features": (MATRIX, ["a", "b"])}, r"'features' .* one id per row \(5 rows\). Got 2 ids"),
        ({"features": GENRES | {"a": [1]}}, r"'features' .* matrix of finite real numbers"),
    ],
)
def test_ranking_scores_reject_invalid_features_by_item(change, rule):
    given = {"items": ITEMS, "features": GENRES, "history": PAST} | change
    with pytest.raises(ValueError, match=rule):
        ranking_scores(Y_TRUE, Y_SCORE, groups=USERS, metrics=NAMES, **given)
