"""Errors of an evaluator: repeated queries, missing parts and different options."""

import pickle
import re

import numpy as np
import pytest

from sklearn_rank import RankingEvaluator

each_keep = pytest.mark.parametrize("keep", [True, False], ids=["queries", "moments"])
ROWS = [1, 0, 0, 1], [4, 3, 2, 1]


def make(keep_queries=True, metrics=("mrr",), **options):
    return RankingEvaluator(list(metrics), keep_queries=keep_queries, **options)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"keep_queries": "values"}, "'keep_queries' parameter of RankingEvaluator must be True or False"),
        ({"average": None}, "'average' parameter of RankingEvaluator must be 'macro', 'micro' or 'weighted'"),
        (
            {"metrics": ["err"]},
            "'metrics' parameter of RankingEvaluator must contain max_grade if data are in parts. Got 'err'",
        ),
        ({"metrics": ["nonsense"]}, "'metrics' parameter of RankingEvaluator"),
        (
            {"keep_queries": False, "interval": "bootstrap"},
            "'interval' parameter of RankingEvaluator must be 't'",
        ),
        ({"confidence_level": 95}, "'confidence_level' parameter of RankingEvaluator"),
        (
            {"partition": (0, 2)},
            "'partition' parameter of RankingEvaluator must be None with keep_queries=True",
        ),
        (
            {"keep_queries": False, "partition": (2, 2)},
            r"'partition' .* must be a pair of integers \(i, n\) with 0 <= i < n",
        ),
        (
            {"keep_queries": False, "partition": 3},
            r"'partition' .* must be a pair of integers \(i, n\) with 0 <= i < n",
        ),
    ],
    ids=str,
)
def test_evaluator_rejects_invalid_options(options, rule):
    with pytest.raises(ValueError, match=rule):
        make(**options)


# ------------------------------------------------------------------ repeated queries


def test_evaluator_update_names_a_query_of_an_earlier_update():
    evaluator = make().update(*ROWS, ["a", "a", "b", "b"])
    with pytest.raises(
        ValueError, match=r"'groups' parameter of RankingEvaluator.update .* Got 'b' a second time"
    ):
        evaluator.update(*ROWS, ["b", "b", "c", "c"])


def test_evaluator_merge_names_a_query_in_both_evaluators():
    one, other = make().update(*ROWS, [1, 1, 2, 2]), make().update(*ROWS, [2, 2, 3, 3])
    with pytest.raises(ValueError, match=r"RankingEvaluator.merge .* Got 2 a second time instead"):
        one.merge(other)


@pytest.mark.parametrize(
    "name", [int, float, str, lambda number: (number, "a")], ids=["int", "float", "str", "pair"]
)
def test_evaluator_names_a_query_repeated_in_any_late_call(name):
    def ids(*numbers):
        return [name(number) for number in numbers for _ in range(2)]

    evaluator = make()
    for start in range(0, 24, 2):
        evaluator.update(*ROWS, ids(start, start + 1))
    repeated = make().update(*ROWS, ids(30, 5))
    before = repr(evaluator.result())
    for call in (lambda: evaluator.update(*ROWS, ids(5, 40)), lambda: evaluator.merge(repeated)):
        with pytest.raises(ValueError, match=rf"Got {re.escape(repr(name(5)))} a second time instead"):
            call()
        assert repr(evaluator.result()) == before


@each_keep
def test_evaluator_rejects_a_repeated_merge_and_stays_unchanged(keep):
    evaluator = make(keep).update(*ROWS, np.repeat(np.arange(10, 12), 2))
    other = make(keep).update(*ROWS, [5, 5, 7, 7])
    kept = evaluator.merge(other).result()
    for again in (other, evaluator, pickle.loads(pickle.dumps(other))):
        with pytest.raises(ValueError, match=r"'other' parameter of RankingEvaluator.merge must"):
            evaluator.merge(again)
    checkpoint = pickle.loads(pickle.dumps(evaluator))
    assert checkpoint.update(*ROWS, [50, 50, 51, 51]).result().n_queries == 6
    assert evaluator.result().to_json() == kept.to_json()


def test_evaluator_update_of_moments_rejects_descending_ids():
    evaluator = make(False).update(*ROWS, [3, 3, 5, 5])
    with pytest.raises(
        ValueError, match=r"'groups' .* contain ids above those of earlier updates.* Got 4 after 5 instead"
    ):
        evaluator.update([1], [1], [4])
    assert evaluator.update([1], [1], [6]).result().n_queries == 3


def test_evaluator_merge_of_moments_rejects_overlapping_id_ranges():
    one, other = make(False).update(*ROWS, [1, 1, 4, 4]), make(False).update(*ROWS, [2, 2, 9, 9])
    with pytest.raises(ValueError, match=r"'other' .* Got 1 to 4 and 2 to 9 instead"):
        one.merge(other)


def test_evaluator_merge_of_moments_accepts_id_ranges_in_any_order():
    parts = {start: make(False).update(*ROWS, [start, start, start + 1, start + 1]) for start in (1, 3, 5)}
    assert parts[5].merge(parts[1]).merge(parts[3]).result().n_queries == 6


def test_evaluator_merge_of_partitions_accepts_interleaved_ids():
    parts = [make(False, partition=(i, 3)) for i in range(3)]
    for place in (0, 2):
        parts[place].update(*ROWS, [place, place, place + 10, place + 10])
    assert parts[0].merge(parts[1].merge(parts[2])).result().n_queries == 4


def test_evaluator_result_needs_each_partition_exactly_once():
    one, other = make(False, partition=(1, 3)), make(False, partition=(1, 3))
    with pytest.raises(ValueError, match=r"that was not merged before\. Got partition 1"):
        one.merge(other)
    with pytest.raises(ValueError, match=r"requires all partitions\. Missing numbers: 0, 2"):
        one.update(*ROWS, [1, 1, 2, 2]).result()
    merged = one.merge(make(False, partition=(0, 3)))
    with pytest.raises(ValueError, match="cannot be called after other partitions were merged"):
        merged.update(*ROWS, [7, 7, 8, 8])


def test_evaluator_update_with_part_rejects_an_evaluator_with_partition():
    with pytest.raises(ValueError, match=r"'partition' parameter of RankingEvaluator must be None if 'part'"):
        make(False, partition=(0, 2)).update(*ROWS, [1, 1, 2, 2], part=0)


def test_evaluator_with_moments_rejects_mix_of_parts_and_queries():
    evaluator = make(False).update(*ROWS, [1, 1, 2, 2])
    with pytest.raises(ValueError, match=r"'part' .* must be passed to all updates or to none"):
        evaluator.update(*ROWS, [3, 3, 4, 4], part=0)
    evaluator = make(False).update(*ROWS, [1, 1, 2, 2], part=0)
    with pytest.raises(ValueError, match=r"'part' .* must be passed to all updates or to none"):
        evaluator.update(*ROWS, [3, 3, 4, 4])


# ------------------------------------------------------------------ parts


@each_keep
def test_evaluator_result_names_missing_parts(keep):
    evaluator = make(keep)
    for part in (1, 4):
        evaluator.update(*ROWS, [part, part, part + 1, part + 1], part=part)
    with pytest.raises(
        ValueError, match=r"RankingEvaluator.result requires all parts. Missing numbers: 0, 2, 3"
    ):
        evaluator.result()


@each_keep
def test_evaluator_rejects_a_repeated_part(keep):
    one = make(keep).update(*ROWS, [1, 1, 2, 2], part=0)
    with pytest.raises(ValueError, match=r"'part' .* Got 0 a second time"):
        one.update(*ROWS, [1, 1, 2, 2], part=0)
    with pytest.raises(
        ValueError, match=r"'part' parameter of RankingEvaluator.merge .* Got 0 a second time"
    ):
        one.merge(make(keep).update(*ROWS, [1, 1, 2, 2], part=0))


@each_keep
def test_evaluator_update_with_part_rejects_ids_that_descend(keep):
    with pytest.raises(
        ValueError,
        match=r"'groups' .* must be sorted in increasing order. Got 1 after 2 .*sort_values",
    ):
        make(keep).update(*ROWS, [2, 2, 1, 1], part=0)
    evaluator = make(keep).update(*ROWS, ["b", "b", "c", "c"], part=1)
    with pytest.raises(
        ValueError, match=r"increase from part to part. Got 'd' in part 0 before 'b' in the next part"
    ):
        evaluator.update(*ROWS, ["a", "a", "d", "d"], part=0)


@pytest.mark.parametrize("part", [-1, 0.5, "1"])
def test_evaluator_update_with_part_rejects_invalid_part_numbers(part):
    with pytest.raises(ValueError, match=r"'part' parameter of RankingEvaluator.update must be an int"):
        make().update(*ROWS, [1, 1, 2, 2], part=part)


def test_evaluator_update_with_part_rejects_labels_of_missed_documents():
    with pytest.raises(ValueError, match=r"'missed' .* must be None if 'part' is passed"):
        make().update(*ROWS, [1, 1, 2, 2], part=0, missed=([1], [1]))


@each_keep
def test_evaluator_rejects_weights_that_vary_within_a_query(keep):
    evaluator = make(keep).update([1, 0], [2, 1], [1, 2], part=0, sample_weight=[1, 2])
    evaluator.update([1, 0], [2, 1], [2, 3], part=1, sample_weight=[2, 1])
    with pytest.raises(ValueError, match=r"'sample_weight' .* the same for all rows of a query"):
        evaluator.update([1], [2], [3], part=2, sample_weight=[5]).result()


# ------------------------------------------------------------------ rows


@each_keep
@pytest.mark.parametrize("parts", [(None, None), (0, 1)])
@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"groups": None}, "'groups' parameter of RankingEvaluator.{} must contain the query id of each row"),
        ({"groups": [1, 1, 2]}, "'groups' parameter of RankingEvaluator.{} must have one id per row"),
        ({"y_true": [1, 0, np.nan, 1]}, "'y_true' parameter of RankingEvaluator.{} must not contain NaN"),
        ({"y_score": [1, 2, 3]}, "'y_score' parameter of RankingEvaluator.{} must have the shape"),
        ({"y_score": {}}, "'y_score' parameter of RankingEvaluator.{} must be scores or a dict"),
        ({"y_score": {1: ROWS[1]}}, "'y_score' parameter of RankingEvaluator.{} must be scores or a dict"),
        ({"y_score": {"one": ROWS[1]}}, "'y_score' parameter of RankingEvaluator.{} must be of the same sys"),
        (
            {"sample_weight": [1, 1, 1, 1]},
            "'sample_weight' parameter of RankingEvaluator.{} must be passed in",
        ),
    ],
    ids=str,
)
def test_evaluator_update_changes_nothing_when_it_raises(changed, rule, parts, keep):
    evaluator = make(keep).update(*ROWS, [0, 0, 1, 1], part=parts[0])
    before = pickle.dumps(evaluator)
    rows = {"y_true": ROWS[0], "y_score": ROWS[1], "groups": [2, 2, 3, 3]} | changed
    with pytest.raises(ValueError, match=rule.format("update")):
        evaluator.update(**rows, part=parts[1])
    assert pickle.dumps(evaluator) == before


@each_keep
@pytest.mark.parametrize("weights", [[-1, -1, 0, 0], [1, 2, 0, 0], [np.nan] * 4, [0, 0]], ids=str)
def test_evaluator_update_rejects_invalid_weights(weights, keep):
    with pytest.raises(ValueError, match=r"'sample_weight' parameter of RankingEvaluator.update"):
        make(keep).update(*ROWS, [1, 1, 2, 2], weights)


@each_keep
def test_evaluator_result_raises_after_empty_updates(keep):
    evaluator = make(keep).update([], [], []).update([], [], [], part=0)
    with pytest.raises(ValueError, match=r"RankingEvaluator.result requires at least one query"):
        evaluator.result()


# ------------------------------------------------------------------ merges


@each_keep
@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"metrics": ["map"]}, "metrics"),
        ({"ties": "worst"}, "ties"),
        ({"zero_division": 1.0}, "zero_division"),
        ({"confidence_level": 0.9}, "confidence_level"),
        ({"gain": [0, 1, 2]}, "gain"),
    ],
    ids=str,
)
def test_evaluator_merge_rejects_evaluators_with_other_options(options, name, keep):
    with pytest.raises(ValueError, match=f"'other' .* have the same options. Got {name}="):
        make(keep).merge(make(keep, **options))


def test_evaluator_merge_rejects_queries_with_moments():
    with pytest.raises(ValueError, match="Got keep_queries=False and keep_queries=True instead"):
        make().merge(make(False))


def test_evaluator_merge_rejects_other_objects():
    with pytest.raises(TypeError, match=r"requires a RankingEvaluator\. Got a dict"):
        make().merge({})


@each_keep
def test_evaluator_merge_accepts_pickle_with_function_and_nan(keep):
    options = {"gain": np.sqrt, "zero_division": np.nan, "metrics": ["ndcg", "mrr"]}
    one, other = (make(keep, **options).update(*ROWS, [i, i, i + 1, i + 1]) for i in (1, 3))
    assert one.merge(pickle.loads(pickle.dumps(other))).result().n_queries == 4


@each_keep
def test_evaluator_merge_rejects_different_systems_and_weights(keep):
    one = make(keep).update(*ROWS, [1, 1, 2, 2])
    with pytest.raises(
        ValueError, match=r"'y_score' parameter of RankingEvaluator.merge must be of the same"
    ):
        one.merge(make(keep).update(ROWS[0], {"a": ROWS[1]}, [3, 3, 4, 4]))
    with pytest.raises(
        ValueError, match=r"'sample_weight' parameter of RankingEvaluator.merge must be passed in"
    ):
        one.merge(make(keep).update(*ROWS, [3, 3, 4, 4], [1, 1, 1, 1]))


@each_keep
def test_evaluator_result_warns_when_no_query_has_a_value(keep):
    evaluator = make(keep, zero_division=np.nan).update([0, 0], [1, 2], [1, 1])
    with pytest.warns(match="The mean of 'mrr' is undefined: no query has a value"):
        report = evaluator.result()
    assert np.isnan(report.mean["mrr"])
    assert (report.n_defined, report.n_empty) == ({"mrr": 0}, {"mrr": 1})


def test_evaluator_merge_accepts_pickled_evaluator_with_generator():
    one, other = (RankingEvaluator(["mrr"], random_state=np.random.RandomState(0)) for _ in range(2))
    one.update([1, 0], [0.1, 0.2], groups=[1, 1])
    other.update([1, 0], [0.2, 0.1], groups=[2, 2])
    assert one.merge(pickle.loads(pickle.dumps(other))).result().mean == {"mrr": 0.75}


@each_keep
def test_evaluator_resumes_from_a_pickled_checkpoint(keep):
    """A batch raises; what was pickled before it goes on with the mended batch, to the same bits."""
    random = np.random.default_rng(0)
    batches = [(random.integers(0, 3, 60), random.random(60), np.arange(60) // 6 + 10 * i) for i in range(5)]
    whole = make(keep, ["ndcg", "map"])
    for batch in batches:
        whole.update(*batch)
    evaluator, checkpoint = make(keep, ["ndcg", "map"]), b""
    for place, (labels, scores, ids) in enumerate(batches):
        broken = np.where(place == 3, np.nan, scores)
        if place == 3:
            with pytest.raises(ValueError, match="y_score"):
                evaluator.update(labels, broken, ids)
            break
        evaluator.update(labels, scores, ids)
        checkpoint = pickle.dumps(evaluator)
    resumed = pickle.loads(checkpoint)
    for batch in batches[3:]:
        resumed.update(*batch)
    assert resumed.result().mean == whole.result().mean
    assert resumed.result().standard_error == whole.result().standard_error
