"""Errors about the form of an argument end with code to paste."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import BalancedGroupKFold, cross_val_score, from_score_matrix, group_score, ndcg_score
from sklearn_rank.metrics import sampled_score
from sklearn_rank.reports import RankingReport
from tests.helpers.messages import ROWS

LABELS = ROWS["y_true"]
# By kind: changed arguments of `ndcg_score`, and the end of the message.
KINDS = {
    "masked": ({"y_true": np.ma.array(LABELS, mask=[1, 0, 0, 0])}, "values[~mask]."),
    "sparse": ({"y_score": sparse.csr_array([LABELS])}, "Pass y_score.toarray()."),
    "0-d": ({"y_true": np.array(1)}, "Pass one number per row: y_true=[2, 0, 1]."),
    "complex": ({"y_score": np.array([1j, 2, 3, 4])}, "Pass numpy.real(y_score)."),
    "words": ({"y_true": ["good", "bad", "bad", "bad"]}, "'good': 1}[word] for word in y_true]."),
    "numbers as text": ({"y_true": ["1", "0", "1", "0"]}, "pass numpy.asarray(y_true, dtype=float)."),
    "ragged": ({"y_true": [[1, 0], [1]]}, "numpy.concatenate(values), with groups=qid."),
    "dates": ({"y_score": np.arange(4).astype("M8[D]")}, "Pass one number per row: y_score=[2, 0, 1]."),
    "mapping": ({"y_true": {"q": 1}}, "from_run(qrels=qrels, run=run)."),
    "scores of other length": ({"y_score": [1, 2]}, "Pass y_score=model.predict(X)."),
    "ids of other length": ({"groups": [7, 7]}, "Pass groups=frame['qid']."),
    "ids that cannot be sorted": ({"groups": [{}, {}, {}, {}]}, "Pass groups=frame['qid']."),
    "weights of other length": ({"sample_weight": np.ones((4, 2))}, "Pass sample_weight=frame['weight']."),
    "no weight above 0": ({"sample_weight": [0] * 4}, "For equal weights, leave out sample_weight."),
    "infinite label": ({"y_true": [np.inf, 0, 0, 0]}, ""),
    "word that is not an option": ({"ties": "random"}, "Pass ties='average'."),
    "option of another type": ({"zero_division": 2}, "Pass zero_division=0.0."),
    "default None": ({"k": 0}, "Pass k=None."),
}


@pytest.mark.parametrize("kind", KINDS)
def test_error_of_metric_ends_with_its_fix(kind):
    changed, fix = KINDS[kind]
    with pytest.raises(ValueError, match=r"must .* Got .* instead\.") as error:
        ndcg_score(**{**ROWS, **changed})
    assert str(error.value).partition(" instead.")[2].endswith(fix)
    assert fix or str(error.value).endswith("instead.")


CALLS = {
    "options without a default": (lambda: sampled_score(**ROWS, n_items="x"), "Pass n_items=100."),
    "an option of a class": (lambda: [*BalancedGroupKFold("x").split([[1]], [1], [1])], "Pass n_splits=5."),
    "an option of a method": (
        lambda: RankingReport.from_values([1, 2], {"mrr": [1, 0]}, interval="z"),
        "Pass interval='t'.",
    ),
    "columns of a method": (
        lambda: RankingReport.from_values([1, 2], {"mrr": [1, 0]}, sizes=[1]),
        "Pass sizes=[3, 2, 4].",
    ),
    "a model": (lambda: cross_val_score(3, [[1]], [1], groups=[1]), "Pass estimator=Ridge().fit(X, y)."),
    "a matrix": (lambda: from_score_matrix([1], [1]), "(rows, dtype=float), with one row per user."),
    "masked predictions": (
        lambda: group_score(max, LABELS, np.ma.array(LABELS, mask=[1, 0, 0, 0]), groups=ROWS["groups"]),
        "values[~mask].",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_error_of_call_ends_with_its_fix(name):
    call, fix = CALLS[name]
    with pytest.raises(ValueError, match=r"must .* Got .* instead\.") as error:
        call()
    assert str(error.value).endswith(fix)
