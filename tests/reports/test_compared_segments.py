"""Comparisons by segment, with one correction over all."""

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare
from tests.helpers.reports import A, B, C, compare_values, report_of

SEGMENTS = np.array(["short", "long"])[np.arange(50) % 2]
LABELS = dict(enumerate(SEGMENTS.tolist()))


@pytest.mark.parametrize("test", ["t", "randomization", "wilcoxon", "sign"])
def test_segments_without_correction_equal_comparisons_of_their_queries(test):
    found = compare_values(A, B, C, test=test, correction=None).by(LABELS)
    assert found.columns["segment"].tolist() == ["long"] * 3 + ["short"] * 3
    for name in ("long", "short"):
        inside = name == SEGMENTS
        alone = compare_values(A[inside], B[inside], C[inside], test=test, correction=None)
        for column, expected in alone.columns.items():
            got = found.columns[column][found.columns["segment"] == name]
            if got.dtype.kind == "f":  # the flips of different numbers of queries differ
                close = {"rtol": 0.1, "atol": 0.01} if test == "randomization" else {"rtol": 1e-9}
                np.testing.assert_allclose(got, expected, **close)
            elif test != "randomization" or column != "why":
                assert got.tolist() == expected.tolist()


def test_segments_are_corrected_for_all_comparisons():
    found = compare_values(A, B, C, correction="bonferroni").by(LABELS)
    np.testing.assert_allclose(found.columns["p"], np.minimum(1, 6 * found.columns["p_unadjusted"]))
    joint = compare_values(A, B, C).by(LABELS)
    assert (joint.columns["p"] <= found.columns["p"] + 0.02).all()
    assert (joint.columns["p"] >= joint.columns["p_unadjusted"]).all()
    assert "p and intervals adjusted for 6 comparisons by the largest |t|" in joint.table().caption


def test_clusters_can_have_queries_in_several_segments():
    clusters = np.arange(50) // 2  # one query of each segment
    found = compare_values(A, B, correction=None, options={"cluster": clusters}).by(LABELS)
    for name in ("long", "short"):
        inside = name == SEGMENTS
        alone = compare_values(A[inside], B[inside], correction=None)
        for column in ("difference", "low", "high", "p"):
            got = found.columns[column][found.columns["segment"] == name]
            np.testing.assert_allclose(got, alone.columns[column], rtol=1e-9)


def test_queries_without_a_value_are_counted_in_their_segment():
    values = np.where(np.arange(50) < 4, np.nan, A)
    found = compare_values(values, B).by({i: "first" if i < 10 else "rest" for i in range(50)})
    assert found.columns["left_out"].tolist() == [4, 0]
    assert found.columns["n"].tolist() == [6, 40]


def test_table_of_segments_begins_each_with_the_first_system():
    texts = compare_values(A, B, C, baseline="b").by(LABELS).table().texts
    assert texts["segment"] == ["long", "", "", "short", "", ""]
    assert texts["system"] == ["b", "a", "c"] * 2
    assert float(texts["mean"][0]) == pytest.approx(B[SEGMENTS == "long"].mean(), abs=1e-3)


def test_segments_can_be_labels_of_rows():
    found = compare_values(A, B)
    rows = np.repeat(np.arange(50), 2)
    np.testing.assert_equal(found.by(SEGMENTS[rows], groups=rows).columns, found.by(LABELS).columns)


def test_queries_needed_by_segment_names_the_segment():
    table = compare_values(A, B).by(LABELS).queries_needed()
    assert table.texts["segment"] == ["long", "short"]
    assert list(table.texts)[:4] == ["segment", "metric", "system", "baseline"]


def test_letters_reject_segments():
    with pytest.raises(ValueError, match="must be 'comparisons' for a comparison by segment"):
        compare_values(A, B).by(LABELS).to_latex()


def test_segments_reject_different_queries_and_model_labels():
    different = {"a": report_of(A), "b": RankingReport.from_values(range(50, 100), {"mrr": B})}
    with pytest.raises(ValueError, match="requires systems on the same queries"):
        compare(different, paired=False).by(LABELS)
    human = [report_of(each[:20]).with_model_labels(report_of(each)) for each in (A, B)]
    with pytest.raises(ValueError, match="requires one set of labels"):
        compare(dict(zip("ab", human))).by(LABELS)
