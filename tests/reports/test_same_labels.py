"""Fingerprints of labels: every way to make a report keeps them, and `compare` and the gate read them."""

from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    RankingEvaluator,
    RankingReport,
    RankingWarning,
    compare,
    cross_val_report,
    evaluate,
    evaluate_runs,
)
from sklearn_rank.datasets import from_run, make_ranking
from sklearn_rank.reports import assert_not_worse, find_failure
from tests.helpers.reports import join_lines

X, Y, QID = make_ranking(n_queries=60, random_state=0)
SCORES = X[:, 0]
METRICS = ["ndcg@10"]
SHUFFLED = np.random.default_rng(0).permutation(len(Y))


def report(y=Y, scores=SCORES, groups=QID, **options):
    return evaluate(y, scores, groups=groups, metrics=METRICS, **options)


def with_missed(hidden=3):
    """Return a report of the first rows of each query; the labels of the others are passed as `missed`."""
    place = np.concatenate([np.arange(n) for n in np.unique(QID, return_counts=True)[1]])
    kept = place >= hidden
    missed = {}
    for row in np.flatnonzero(~kept):
        missed.setdefault(QID[row], []).append(Y[row])
    return report(Y[kept], SCORES[kept], QID[kept], missed=missed)


def in_parts(merge=True, **options):
    """Return a report of an evaluator that received the queries in three updates, in any order."""
    evaluators = [RankingEvaluator(METRICS) for _ in range(3)]
    for part, each in enumerate(evaluators):
        rows = part == QID % 3
        each.update(Y[rows], SCORES[rows], QID[rows])
    return evaluators[2].merge(evaluators[0]).merge(evaluators[1]).result()


def in_sorted_parts():
    """Return a report of sorted rows that were cut inside queries."""
    order = np.argsort(QID, kind="stable")
    evaluator = RankingEvaluator(METRICS)
    for part, rows in enumerate(np.array_split(order, 7)):
        evaluator.update(Y[rows], SCORES[rows], QID[rows], part=part)
    return evaluator.result()


def cross_validate(**options):
    return cross_val_report(Ridge(), X, Y, groups=QID, scoring=METRICS, **options)


def of_search():
    search = GridSearchCV(Ridge(), {"alpha": [1, 10]}, scoring="ndcg@10", keep_queries=True)
    return search.fit(X, Y, groups=QID).report(0)


def of_run():
    qrels, run = {}, {}
    for row, (query, label) in enumerate(zip(QID.tolist(), Y.tolist())):
        qrels.setdefault(str(query), {})[f"d{row}"] = label
        run.setdefault(str(query), {})[f"d{row}"] = SCORES[row]
    found = evaluate_runs(qrels, {"run": run}, metrics=METRICS)["run"]
    order = np.argsort(np.argsort(np.unique(QID).astype(str)))
    ids = np.unique(QID)
    return RankingReport.from_values(
        ids,
        {"ndcg@10": found.values["ndcg@10"][order]},
        label_fingerprints=found.label_fingerprints[order],
    )


def with_unlabelled():
    y, scores, groups = (np.append(each, more) for each, more in ((Y, np.nan), (SCORES, 9), (QID, QID[0])))
    return report(y, scores, groups, unjudged="nonrelevant")


WAYS = {
    "evaluate": report,
    "shuffled rows": lambda: report(Y[SHUFFLED], SCORES[SHUFFLED], QID[SHUFFLED]),
    "float32": lambda: report(Y.astype(np.float32)),
    "JSON": lambda: RankingReport.from_json(report().to_json()),
    "from_values": lambda: RankingReport.from_values(
        report().ids, report().values, label_fingerprints=report().label_fingerprints
    ),
    "missed": with_missed,
    "unlabelled documents": with_unlabelled,
    "merged updates": in_parts,
    "sorted parts": in_sorted_parts,
    "two systems": lambda: (
        RankingEvaluator(METRICS).update(Y, {"a": SCORES, "b": -SCORES}, QID).result()["b"]
    ),
    "cross_val_report": cross_validate,
    "repeated folds": lambda: cross_validate(cv=[*_folds(0), *_folds(1)]),
    "search": of_search,
    "run": of_run,
}


def _folds(seed):
    return BalancedGroupKFold(3, shuffle=True, random_state=seed).split(X, Y, QID)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_make_a_report_keeps_the_same_fingerprints(way):
    found, expected = WAYS[way](), report()
    for field in ("hashes", "hashes_above", "n", "n_above"):
        np.testing.assert_array_equal(found.label_fingerprints[field], expected.label_fingerprints[field])
    values = {"map": found.values["ndcg@10"]}  # without the options of the metric
    found = RankingReport.from_values(found.ids, values, label_fingerprints=found.label_fingerprints)
    values = {"map": expected.values["ndcg@10"]}
    expected = RankingReport.from_values(expected.ids, values, label_fingerprints=expected.label_fingerprints)
    assert compare({"a": expected, "b": found}, test="sign").n_queries == 60  # without a warning


def test_segments_keep_the_fingerprints_of_their_queries():
    found = report()
    segment = found.by({query: query % 2 for query in found.ids})[1]
    np.testing.assert_array_equal(segment.label_fingerprints, found.label_fingerprints[1::2])


def test_moments_of_two_systems_are_compared_without_a_warning():
    evaluator = RankingEvaluator(METRICS, keep_queries=False)
    assert compare(evaluator.update(Y, {"a": SCORES, "b": -SCORES}, QID).result()).n_queries == 60


def test_fingerprints_differ_exactly_if_the_multisets_of_labels_do():
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 3, (400, 4)) / 2
    found = evaluate(labels.clip(0), rng.random(labels.shape), metrics=["dcg"], gain="linear")
    for field, of in (("hashes", lambda each: each), ("hashes_above", lambda each: each[each > 0])):
        kinds = [tuple(sorted(Counter(of(row).tolist()).items())) for row in labels.clip(0)]
        prints = found.label_fingerprints[field].tolist()
        assert len(set(kinds)) == len(set(prints)) == len(set(zip(kinds, prints)))


def test_sums_and_squares_do_not_decide_equal_labels():
    one, other = ([[0, 2, 2, 2]], [[1, 1, 1, 3]])  # with the same sum and the same sum of squares
    found = [evaluate(each, [[4, 3, 2, 1]], metrics=["dcg"]).label_fingerprints for each in (one, other)]
    assert found[0]["hashes"] != found[1]["hashes"]


# ------------------------------------------------------------------ comparisons

KEPT = (Y > 0) | (np.arange(len(Y)) % 2 == 0)


def halve_zeros():
    return report(Y[KEPT], SCORES[KEPT], QID[KEPT])


N_FEWER = int((~KEPT).sum())
N_QUERIES = len(np.unique(QID[~KEPT]))
CASES = {
    "fewer zeros": (halve_zeros, f"in {N_QUERIES} of 60 queries ({N_FEWER} fewer with label 0)"),
    "clicks": (lambda: report((Y > 0).astype(int)), "(labels 0, 1 against 0 to"),
    "duplicates": (
        lambda: report(*(np.append(each, each[Y > 0][:5]) for each in (Y, SCORES, QID))),
        "(5 more above 0)",
    ),
    "other grades": (lambda: report(np.where((Y == 1) & (QID < 5), 2, Y)), "of 60 queries. Evaluate both"),
}


@pytest.mark.parametrize("case", CASES)
def test_compare_warns_about_other_labels_and_the_gate_stops(case):
    make, words = CASES[case]
    reports = {"a": report(), "b": make()}
    with pytest.warns(RankingWarning, match='"b" has other labels than "a" in') as record:
        found = compare(reports, baseline="a")
    text = str(record[0].message)
    assert words in text
    assert text.startswith("compare: ")
    assert text.endswith("Evaluate both on the same documents, or pass check_labels=False.")
    for fail_on in ("worse", "undecided"):
        with pytest.raises(ValueError, match=r"must compare the same labels\. Got "):
            find_failure(found, fail_on)
    with pytest.raises(ValueError, match="must compare the same labels"):
        assert_not_worse(found)


@pytest.mark.parametrize("case", CASES)
def test_check_labels_false_accepts_other_labels(case):
    found = compare({"a": report(), "b": CASES[case][0]()}, check_labels=False, test="t")
    assert find_failure(found, "worse")[0] in ("", "worse")


def test_labels_of_0_can_differ_in_retrieved_lists():
    missed = {QID[0]: [1]}
    one, other = (
        report(Y[rows], SCORES[rows], QID[rows], missed=missed)
        for rows in (slice(None), np.flatnonzero(KEPT))
    )
    compare({"a": one, "b": other})
    fewer = np.flatnonzero(KEPT & (np.arange(len(Y)) != np.flatnonzero(Y > 0)[0]))
    with pytest.warns(RankingWarning, match=r"in 1 of 60 queries \(1 fewer above 0, "):
        compare({"a": one, "b": report(Y[fewer], SCORES[fewer], QID[fewer], missed=missed)})


def test_only_common_queries_are_checked():
    rows = (QID[0] != QID) | KEPT & (Y > 0)
    some = np.flatnonzero(rows & (QID[0] != QID))
    found = report(Y[some], SCORES[some], QID[some])
    compare({"a": report(), "b": found}, missing="drop")


def test_gate_notes_that_labels_could_not_be_checked():
    values = report().values["ndcg@10"]
    recorded = RankingReport.from_values(report().ids, {"ndcg@10": values + 0.2 * (1 - values)})
    found = compare({"a": recorded, "b": report()}, baseline="a")
    with pytest.raises(AssertionError, match=r"in ndcg@10\.\nThe labels could not be checked\.\n60 queries"):
        assert_not_worse(found)


@pytest.mark.parametrize(
    "given", [np.zeros(60), report().label_fingerprints[:59], report().label_fingerprints["hashes"]]
)
def test_from_values_rejects_other_fingerprints(given):
    with pytest.raises(ValueError, match=r"'label_fingerprints' parameter of .* must be the attribute of"):
        RankingReport.from_values(range(60), {"mrr": np.zeros(60)}, label_fingerprints=given)


def test_compare_rejects_other_check_labels():
    with pytest.raises(ValueError, match="'check_labels' parameter of compare must be one of True, False"):
        compare({"a": report(), "b": report()}, check_labels="all")


def test_runs_of_the_same_qrels_stay_quiet():
    rng = np.random.default_rng(0)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(8)} for i in range(20)}
    runs = {
        name: {query: {f"d{j}": float(rng.random()) for j in rng.permutation(30)[:size]} for query in qrels}
        for name, size in (("short", 5), ("long", 20))
    }
    compare(evaluate_runs(qrels, runs, metrics=["ndcg@3"]))
    for unjudged in ("nonrelevant", "drop"):
        reports = {}
        for name, run in runs.items():
            y_true, y_score, groups = from_run(qrels, run)
            reports[name] = evaluate(y_true, y_score, groups=groups, metrics=["ndcg@3"], unjudged=unjudged)
        compare(reports)


# ------------------------------------------------------------------ ties

CONSTANT = np.zeros(len(Y))
TIED = {
    "one model": ({"a": SCORES, "b": CONSTANT}, 'in 60 of 60 queries of "b". The'),
    "two models": (
        {"a": CONSTANT, "b": SCORES, "c": CONSTANT - 1},
        'queries of "a" and 60 of 60 queries of "c". The',
    ),
    "most queries": (
        {"a": SCORES, "b": np.where(QID % 3 == 0, SCORES, 0)},
        'in 40 of 60 queries of "b". The',
    ),
    "no constant model": ({"a": SCORES, "b": -SCORES}, ""),
    "two classes": ({"a": SCORES, "b": SCORES > 0}, ""),
    "some queries": ({"a": SCORES, "b": np.where(QID % 3 == 0, 0, SCORES)}, ""),
    "one document has a rank": ({"a": SCORES, "b": np.where(np.append(True, np.diff(QID)), 0, -np.inf)}, ""),
    "retrieved documents": (
        {"a": SCORES, "b": np.where(np.arange(len(Y)) % 2, 0, -np.inf)},
        '60 of 60 queries of "b"',
    ),
}


@pytest.mark.parametrize("case", TIED)
@pytest.mark.parametrize("order", [slice(None), SHUFFLED], ids=["sorted", "shuffled"])
def test_comparison_notes_models_whose_scores_are_tied(case, order):
    scores, words = TIED[case]
    found = compare({name: report(Y[order], each[order], QID[order]) for name, each in scores.items()})
    printed = join_lines(found)
    assert words in printed
    assert printed.count("All scores are tied in") == bool(words)
