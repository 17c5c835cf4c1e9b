"""Rows in parts compared with the same rows together: random updates, cuts, merges and pickles."""

import pickle
from math import fsum

import numpy as np
import pytest
from scipy import stats

from sklearn_rank import RankingEvaluator, compare, evaluate, ranking_scores
from tests.helpers.naming import name_of
from tests.helpers.table import METRICS

# The name of each metric, with a cutoff if it needs one.
NAMES = {stem: f"{stem}@5" if entry.cutoff == "required" else stem for stem, entry in METRICS.items()}
NAMES["err"] = "err(max_grade=4)"
EXACT = ["precision", "recall", "hit_rate", "mrr", "r_precision", "group_auc", "f1", "fallout_loss", "judged"]
KEEP = [True, False]
each_keep = pytest.mark.parametrize("keep", KEEP, ids=["queries", "moments"])
each_seed = pytest.mark.parametrize("seed", range(4))


def draw_labels(rng):
    """Draw rows sorted by query, of 1 to 30 documents each; three queries have none that is relevant."""
    groups = np.repeat(np.arange(100, 180), rng.integers(1, 31, 80))
    y_true = rng.integers(0, 5, len(groups)) * (rng.random(len(groups)) < 0.4)
    y_true[np.isin(groups, [103, 120, 179])] = 0
    return y_true, groups


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y_true, groups = draw_labels(rng)
    return y_true, (rng.standard_normal(len(groups)) + y_true / 2).round(1), groups


def weigh(groups):
    """A weight for each query; none for a quarter of them, and so for whole parts."""
    return np.where(groups < 120, 0, groups % 7 + 0.1) * 1e-3


def make(names, keep, **options):
    return RankingEvaluator(names, keep_queries=keep, **options)


def merge_at_random(rng, evaluators):
    """Merge in an order and a tree that chance chooses; each goes through a pickle on its way."""
    while len(evaluators) > 1:
        one = evaluators.pop(rng.integers(len(evaluators)))
        place = rng.integers(len(evaluators))
        evaluators[place] = pickle.loads(pickle.dumps(evaluators[place])).merge(one)
    return evaluators[0]


def by_updates(rng, rows, weights, make_one):
    """Whole queries in some updates, the rows of each shuffled, of evaluators that merge."""
    y_true, y_score, groups = rows
    ids = np.unique(groups)
    evaluators = []
    for some in np.split(ids, np.sort(rng.choice(np.arange(1, len(ids)), 5, replace=False))):
        evaluator = make_one()
        for half in np.array_split(some, 2):
            chosen = np.flatnonzero(np.isin(groups, half))
            # The order of rows within a query breaks ties and does not change.
            chosen = chosen[
                np.argsort(rng.permutation(len(ids))[np.searchsorted(ids, groups[chosen])], kind="stable")
            ]
            given = () if weights is None else (weights[chosen],)
            evaluator.update(y_true[chosen], y_score[chosen], groups[chosen], *given)
        evaluators.append(evaluator)
    return merge_at_random(rng, evaluators)


def by_cuts(rng, rows, weights, make_one, n_cuts=12):
    """Sorted rows that are cut anywhere, also into parts without rows, by evaluators that merge."""
    n = len(rows[0])
    cuts = [0, *np.sort(rng.integers(0, n + 1, n_cuts)).tolist(), n]
    evaluators = [make_one() for _ in range(4)]
    for part in rng.permutation(n_cuts + 1).tolist():
        span = slice(cuts[part], cuts[part + 1])
        given = {} if weights is None else {"sample_weight": weights[span]}
        evaluators[part % 4].update(*(each[span] for each in rows), part=part, **given)
    return merge_at_random(rng, evaluators)


def state_of(report):
    """All that a report says, to compare two to the last bit."""
    moments = {name: tuple(map(repr, each)) for name, each in report.moments.items()}
    return moments, repr(report.interval), str(report)


@each_seed
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("divide", [by_updates, by_cuts], ids=name_of)
def test_evaluator_of_parts_gives_the_report_of_all_rows(divide, average, weighted, seed, rows):
    y_true, y_score, groups = rows
    names = [name for stem, name in NAMES.items() if average != "micro" or METRICS[stem].micro]
    weights = weigh(groups) if weighted else None
    expected = evaluate(y_true, y_score, groups=groups, metrics=names, average=average, sample_weight=weights)
    reports = {
        keep: divide(
            np.random.default_rng(seed),
            rows,
            weights,
            lambda keep=keep: make(names, keep, average=average),
        ).result()
        for keep in KEEP
    }
    queries, moments = reports[True], reports[False]
    for name in ("ids", "sizes", "n_relevant"):
        np.testing.assert_array_equal(getattr(queries, name), getattr(expected, name))
    for report in (queries, moments):
        assert report.n_queries == expected.n_queries
        assert (report.n_defined, report.n_empty) == (expected.n_defined, expected.n_empty)
        assert [report.is_small_sample[name] for name in names] == [
            expected.is_small_sample[name] for name in names
        ]
        for name in names:
            assert report.standard_error[name] == pytest.approx(expected.standard_error[name], rel=1e-12)
            assert report.interval[name] == pytest.approx(expected.interval[name], rel=1e-12, abs=1e-14)
    for name, values in queries.values.items():
        np.testing.assert_allclose(values, expected.values[name], rtol=4e-15, atol=1e-15)
        assert moments.mean[name] == queries.mean[name]
        assert queries.mean[name] == pytest.approx(expected.mean[name], rel=2e-15)
        if np.array_equal(values, expected.values[name], equal_nan=True):
            assert queries.mean[name] == expected.mean[name]
            assert queries.standard_error[name] == expected.standard_error[name]
        else:
            assert name.partition("@")[0] not in EXACT


@each_keep
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("divide", [by_updates, by_cuts], ids=name_of)
def test_evaluator_result_does_not_depend_on_merge_order(divide, weighted, keep, rows):
    """The parts are the same, as one generator cuts them; another merges them."""
    weights = weigh(rows[2]) if weighted else None

    class Generator:
        """Chance of two kinds: where rows are cut, and how evaluators merge."""

        def __init__(self, seed):
            self.cutting, self.merging = np.random.default_rng(0), np.random.default_rng(seed)
            self.choice, self.permutation = self.cutting.choice, self.cutting.permutation

        def integers(self, *args):
            return (self.cutting if len(args) > 1 else self.merging).integers(*args)

    reports = [
        divide(Generator(seed), rows, weights, lambda: make(["ndcg@10", "map", "bpref"], keep)).result()
        for seed in range(6)
    ]
    assert len({repr(state_of(report)) for report in reports}) == 1


@each_keep
def test_evaluator_rounds_a_mean_once(keep, rows):
    y_true, y_score, groups = rows
    evaluator = make(["ndcg@10"], keep)
    values = []
    for ids in np.array_split(np.unique(groups), 9):
        some = np.isin(groups, ids)
        evaluator.update(y_true[some], y_score[some], groups[some])
        given = {"groups": groups[some], "metrics": ["ndcg@10"], "average": None}
        values += ranking_scores(y_true[some], y_score[some], **given)["ndcg@10"].tolist()
    assert evaluator.result().mean["ndcg@10"] == fsum(values) / len(values)


@each_keep
def test_evaluator_joins_a_query_across_many_parts(keep):
    rng = np.random.default_rng(0)
    groups = np.repeat(["a", "b", "c"], [3, 1000, 2])
    y_true, y_score = rng.integers(0, 2, 1005), rng.standard_normal(1005).round(2)
    cuts = [0, 2, 5, 100, 100, 700, 1004, 1005]
    evaluator = make(["mrr", "precision@20"], keep, ties="order")
    for part in (3, 0, 6, 2, 5, 1, 4):
        span = slice(cuts[part], cuts[part + 1])
        evaluator.update(y_true[span], y_score[span], groups[span], part=part)
    report = evaluator.result()
    expected = ranking_scores(y_true, y_score, groups=groups, metrics=["mrr", "precision@20"], ties="order")
    assert report.mean == expected
    assert report.n_queries == 3


@each_keep
def test_evaluator_scales_weights_of_very_different_sizes(keep):
    weights = [1e-250, 1e-250, 3e250, 3e250, 1.5e-323, 1.5e-323]
    rows = [1, 0, 0, 1, 1, 0], [2, 1, 2, 1, 1, 2], [1, 1, 2, 2, 3, 3]
    evaluators = [make(["mrr"], keep) for _ in range(3)]
    for place, evaluator in enumerate(evaluators):
        span = slice(2 * place, 2 * place + 2)
        evaluator.update(*(each[span] for each in rows), weights[span])
    got = evaluators[2].merge(evaluators[0]).merge(evaluators[1]).result()
    expected = ranking_scores(*rows[:2], groups=rows[2], metrics=["mrr"], sample_weight=weights)
    assert got.mean == expected


@each_keep
def test_evaluator_accepts_a_batch_with_zero_weights(keep, rows):
    y_true, y_score, groups = rows
    weights = np.where(groups < 140, 0.0, groups % 3)
    evaluator = make(["map"], keep)
    for some in (groups < 140, groups >= 140):
        evaluator.update(y_true[some], y_score[some], groups[some], weights[some])
    expected = evaluate(y_true, y_score, groups=groups, metrics=["map"], sample_weight=weights)
    assert evaluator.result().n_defined == expected.n_defined
    assert evaluator.result().mean["map"] == pytest.approx(expected.mean["map"], rel=1e-15)


@each_keep
def test_evaluator_distinguishes_ids_equal_as_floats(keep):
    """2**63 and 2**53 + 1 are no floats, and the ids of a query that is cut may be of two types."""
    one = [2**53, 2**53, 2**53 + 1]
    other = np.array([2**53 + 1, 2**63, 2**63], dtype=np.uint64)
    evaluator = make(["mrr"], keep)
    evaluator.update([0, 1, 1], [2, 1, 1], other, part=1)
    evaluator.update([1, 0, 0], [1, 2, 2], one, part=0)
    report = evaluator.result()
    assert (report.n_queries, report.mean["mrr"]) == (3, (1 / 2 + 0 + 1) / 3)


@each_keep
def test_evaluator_reports_each_system_by_name(keep, rows):
    y_true, y_score, groups = rows
    systems = {"one": y_score, "other": -y_score}
    evaluator = by_cuts_of(systems, y_true, groups, make(["ndcg@10"], keep))
    reports = evaluator.result()
    assert list(reports) == list(systems)
    for name, scores in systems.items():
        expected = evaluate(y_true, scores, groups=groups, metrics=["ndcg@10"])
        assert reports[name].mean["ndcg@10"] == pytest.approx(expected.mean["ndcg@10"], rel=1e-15)


def by_cuts_of(systems, y_true, groups, evaluator):
    for part, span in enumerate([slice(0, 301), slice(301, 302), slice(302, None)]):
        scores = {name: each[span] for name, each in systems.items()}
        evaluator.update(y_true[span], scores, groups[span], part=part)
    return evaluator


def test_evaluator_reports_of_systems_can_be_compared(rows):
    y_true, y_score, groups = rows
    systems = {"one": y_score, "other": -y_score}
    reports = by_cuts_of(systems, y_true, groups, make(["mrr"], True)).result()
    alone = {name: evaluate(y_true, s, groups=groups, metrics=["mrr"]) for name, s in systems.items()}
    assert str(compare(reports)) == str(compare(alone))


@each_keep
def test_evaluator_result_does_not_change_later_results(keep, rows):
    spans = [slice(0, 201), slice(201, 500), slice(500, None)]
    one, other = make(["map"], keep), make(["map"], keep)
    for part, span in enumerate(spans):
        for evaluator in (one, other):
            evaluator.update(*(each[span] for each in rows), part=part)
        one.result()
    assert state_of(one.result()) == state_of(other.result())


def test_evaluator_uses_wilson_intervals_of_shares_with_moments(rows):
    y_true, y_score, groups = rows
    evaluator = make(["hit_rate@1"], False, ties="order").update(y_true, y_score, groups)
    expected = evaluate(y_true, y_score, groups=groups, metrics=["hit_rate@1"], ties="order")
    mean, error = expected.mean["hit_rate@1"], expected.standard_error["hit_rate@1"]
    half = stats.t.ppf(0.975, expected.n_queries - 1) * error
    assert evaluator.result().interval["hit_rate@1"] == pytest.approx(expected.interval["hit_rate@1"])
    assert evaluator.result().interval["hit_rate@1"] != pytest.approx((mean - half, mean + half), rel=1e-6)


def test_evaluator_standard_error_is_accurate_when_mean_is_large():
    """1e6 and some: squares of floats have too few digits for their difference."""
    y_true = np.array([[1e6 + i / 1e3, 0] for i in range(50)]).ravel()
    groups = np.repeat(np.arange(50), 2)
    evaluator = make(["dcg"], False).update(y_true, -np.arange(100), groups)
    expected = np.std(np.arange(50) / 1e3, ddof=1) / np.sqrt(50)
    assert evaluator.result().standard_error["dcg"] == pytest.approx(expected, rel=1e-8)


def test_evaluator_with_moments_has_constant_size():
    sizes = []
    for n in (1000, 100_000):
        groups = np.repeat(np.arange(n), 2)
        evaluator = make(["ndcg@10", "map"], False)
        evaluator.update(groups % 2, np.random.default_rng(0).random(2 * n), groups)
        sizes.append(len(pickle.dumps(evaluator)))
    assert max(sizes) < 2200
    assert sizes[1] - sizes[0] < 100


def test_evaluator_with_queries_needs_few_bytes_per_query():
    n = 50_000
    groups = np.repeat(np.arange(n), 2)
    evaluator = make(["ndcg@10", "map"], True)
    for half in np.array_split(np.arange(2 * n), 2):
        evaluator.update(groups[half] % 2, half, groups[half])
    # Per query: two values, the id, the numbers of rows and of relevant rows, and whether any is relevant;
    # and the fingerprint of the labels, and whether scores are tied.
    assert len(pickle.dumps(evaluator)) < (5 * 8 + 1 + 42) * n + 3000
