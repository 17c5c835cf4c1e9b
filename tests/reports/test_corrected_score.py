"""The best score corrected for selection: by loops over draws, by theory, and in searches."""

from html import unescape

import numpy as np
import pytest
from sklearn.utils import check_random_state

from sklearn_rank import RankingReport, RepeatedBalancedGroupKFold, ndcg_scorer
from sklearn_rank.reports import CorrectedScore, _intervals, correct_score, fold_means
from tests.helpers.candidates import candidates_of, draw_candidates
from tests.helpers.search_kinds import EVERY_KIND, fit
from tests.helpers.searches import ALPHAS


def correct(candidates, metric="ndcg@3", n_left_out=0, n_resamples=150, level=0.95, random_state=0):
    return correct_score(
        metric,
        candidates,
        n_left_out=n_left_out,
        n_resamples=n_resamples,
        confidence_level=level,
        random_state=random_state,
    )


# ------------------------------------------------------------------ by loops


def mean_of_folds(above, below, folds, counts):
    """Return the mean of the means of the folds that have a test that counts; None if there is none."""
    means = []
    for fold in sorted(set(folds.tolist())):
        total = weight = 0.0
        for test in np.flatnonzero(folds == fold):
            total += counts[test] * above[test]
            weight += counts[test] * below[test]
        if weight > 0:
            means.append(total / weight)
    return sum(means) / len(means) if means else None


def optimism_by_loops(candidates, n_resamples, seed):
    """Return how much better the best is out of bag than the choice, over draws that leave some out."""
    above, below, folds, units, _ = candidates
    names = sorted(set(units.tolist()))
    rng, apart = check_random_state(seed), []
    best = int(fold_means(candidates).mean(axis=1).argmax())
    for _ in range(n_resamples):
        drawn_units = [names[int(len(names) * share)] for share in rng.random_sample(len(names))]
        counts = [drawn_units.count(unit) for unit in units]
        means = [mean_of_folds(a, b, folds, counts) for a, b in zip(above, below)]
        chosen = max(range(len(means)), key=lambda i: means[i])  # the first of equal candidates
        left = [float(count == 0) for count in counts]
        scores = [mean_of_folds(above[each], below[each], folds, left) for each in (best, chosen)]
        if None not in scores:
            apart.append(scores[0] - scores[1])
    return np.mean(apart)


CASES = {
    "one fold": {"n_folds": 1},
    "folds": {},
    "small folds": {"n": 8, "n_folds": 4},
    "repeats": {"n": 20, "repeats": 3},
    "weights": {"weights": True},
    "clusters": {"of": 6},
    "clusters of repeats": {"n": 24, "repeats": 2, "of": 4, "weights": True},
    "two clusters": {"of": 2},
    "one candidate": {"n_candidates": 1},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_corrected_score_matches_loops_over_draws(case):
    for seed in range(2):
        candidates = draw_candidates(seed, **CASES[case])
        found = correct(candidates, random_state=seed)
        assert found.optimism == pytest.approx(optimism_by_loops(candidates, 150, seed), abs=1e-12)
        means = fold_means(candidates).mean(axis=1)
        assert found.best_score == means.max()
        assert found.score == found.best_score - found.optimism
        assert found.n_candidates == len(means)


def test_corrected_score_chooses_the_first_of_equal_candidates():
    candidates = candidates_of([[0, 1, 0, 1, 1, 0], [1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0]])
    assert correct(candidates).optimism == pytest.approx(optimism_by_loops(candidates, 150, 0))


@pytest.mark.parametrize("seed", range(3))
def test_corrected_score_chooses_alike_among_tenths_and_integers(seed):
    """Sums of whole numbers are exact, so that equal candidates are equal."""
    whole = np.random.default_rng(seed).integers(0, 4, (6, 12))
    tenths = correct(candidates_of(whole / 10), metric="x")
    assert tenths.optimism == pytest.approx(correct(candidates_of(whole), metric="x").optimism / 10)


def test_corrected_score_has_no_optimism_with_one_candidate():
    for seed in range(3):
        assert correct(draw_candidates(seed, n_candidates=1), random_state=seed).optimism == 0


def test_corrected_score_does_not_depend_on_piece_size(monkeypatch):
    candidates = draw_candidates(1, weights=True)
    whole = correct(candidates)
    monkeypatch.setattr(_intervals, "PIECE", 7 * 40)
    assert correct(candidates).score == pytest.approx(whole.score, rel=1e-13)


def test_corrected_score_is_reproducible_with_a_seed():
    scores = [correct(draw_candidates(0), random_state=seed).score for seed in (3, 3, 4)]
    assert scores[0] == scores[1] != scores[2]


def test_corrected_score_draws_whole_clusters():
    """The best candidate on one of two clusters is worst on the other; resamples with both are skipped."""
    values = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1], [0.6, 0.6, 0.6, 0.6]])
    found = correct(candidates_of(values, units=[1, 1, 2, 2]), metric="mrr")
    assert found.score == pytest.approx(0, abs=1e-12)
    assert found.best_score == 0.6
    assert correct(candidates_of(values), metric="mrr").score > 0.2


# ------------------------------------------------------------------ statistical properties


def test_corrected_score_is_unbiased_for_equal_candidates():
    """Fifty equal candidates: the best mean is 2.249 standard errors too high, the corrected one is not."""
    best, corrected = [], []
    for seed in range(40):
        values = np.random.default_rng(seed).normal(0.5, 0.1, (50, 100))
        found = correct(candidates_of(values), n_resamples=300, random_state=seed)
        best.append((found.best_score - 0.5) / 0.01)
        corrected.append((found.score - 0.5) / 0.01)
    error = np.std(best, ddof=1) / np.sqrt(40)
    assert np.mean(best) == pytest.approx(2.249, abs=4 * error)
    assert abs(np.mean(corrected)) < 4 * np.std(corrected, ddof=1) / np.sqrt(40)


def test_corrected_score_of_one_candidate_stays_near_its_mean():
    values = np.random.default_rng(0).random((1, 400))
    found = correct(candidates_of(values), n_resamples=1000)
    assert abs(found.optimism) < 4 * values.std() / np.sqrt(400 * 1000) * 1.5


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_corrected_score_interval_has_the_half_width_of_the_best(level):
    values = np.random.default_rng(2).random((3, 30))
    found = correct(candidates_of(values), level=level)
    best = values[values.mean(axis=1).argmax()]
    report = RankingReport.from_values(np.arange(30), {"mrr": best}, confidence_level=level)
    low, high = report.interval["mrr"]
    assert found.interval == pytest.approx((found.score - (high - low) / 2, found.score + (high - low) / 2))
    assert found.confidence_level == level


def test_corrected_score_interval_has_the_half_width_of_clusters():
    values, units = np.random.default_rng(2).random((1, 30)), np.repeat(np.arange(10), 3)
    found = correct(candidates_of(values, units=units))
    report = RankingReport.from_values(np.arange(30), {"mrr": values[0]}, cluster=units)
    low, high = report.interval["mrr"]
    assert np.diff(found.interval)[0] == pytest.approx(high - low)


@pytest.mark.parametrize(
    ("metric", "values", "bounds"),
    [
        ("ndcg@3", [[1, 1, 1, 0.9, 0]], (None, 1.0)),
        ("ndcg@3", [[0, 0, 0, 0.1, 1]], (0.0, None)),
        ("neg_bpr_loss", [[-0.1, 0, 0, 0, -5]], (None, 0.0)),
        ("spearman", [[-1, -1, -1, -0.9, 0]], (-1.0, None)),
        ("unknown", [[1, 1, 1, 0.9, 0]], (None, None)),
    ],
)
def test_corrected_score_interval_stays_within_the_metric_range(metric, values, bounds):
    low, high = correct(candidates_of(values), metric=metric).interval
    free = correct(candidates_of(values), metric="unknown").interval
    assert (low, high) == tuple(each if bound is None else bound for each, bound in zip(free, bounds))


def test_corrected_score_prints_sentences():
    found = CorrectedScore("ndcg@10", 0.7412, (0.7101, 0.7723), 0.7562, 0.015, 40, 0, 0.95)
    assert str(found) == (
        "ndcg@10: 0.741, 95% CI [0.710, 0.772] over queries\n"
        "Best of 40 candidates: 0.756, of which 0.015 is selection bias."
    )
    less = CorrectedScore("ndcg@10", 0.7412, (0.7101, 0.7723), 0.7562, 0.015, 3, 37, 0.9)
    assert str(less) == (
        "ndcg@10: 0.741, 90% CI [0.710, 0.772] over queries\n"
        "Best of 3 candidates: 0.756, of which 0.015 is selection bias.\n"
        "The selection bias is at least this large: 37 candidates had already been eliminated or failed."
    )


def test_corrected_score_html_escapes_the_sentences():
    found = CorrectedScore("<b>", 0.7412, (0.7101, 0.7723), 0.7562, 0.015, 40, 0, 0.95)
    assert ">&lt;b&gt;: 0.741, 95% CI [" in found._repr_html_()
    assert unescape(found._repr_html_()).endswith(f">{found}</pre>")


# ------------------------------------------------------------------ searches


@EVERY_KIND
def test_search_corrected_score_starts_from_best_score(kind, ranking_data):
    search = fit(ranking_data, kind)
    found = search.corrected_score(100)
    assert found.best_score == pytest.approx(search.best_score_, rel=1e-14)
    assert found.metric == "ndcg@3"
    rounds = search.cv_results_.get("iter", np.zeros(3))
    assert found.n_candidates == (rounds == rounds.max()).sum()
    started = {str(each) for each in search.cv_results_["params"]}  # halving repeats candidates in each round
    assert found.n_left_out + found.n_candidates == len(started)
    assert ("selection bias is at least this large" in str(found)) == ("halving" in kind)


CV = RepeatedBalancedGroupKFold(n_splits=3, n_repeats=2, random_state=0)


@pytest.mark.slow
@pytest.mark.parametrize("cv", [3, CV], ids=["folds", "repeats"])
@pytest.mark.parametrize("clustered", [False, True])
def test_search_corrected_score_uses_kept_values_and_clusters(clustered, cv, ranking_data):
    cluster = np.arange(60) // 4 if clustered else np.arange(60)
    search = fit(ranking_data, cv=cv, grid={"alpha": [*ALPHAS, 1e4]})
    kept = search.kept_queries_
    candidates = candidates_of(kept.values, kept.folds, cluster[kept.queries])
    options = {"cluster": dict(enumerate(cluster))} if clustered else {}
    got = search.corrected_score(150, confidence_level=0.9, random_state=7, **options)
    expected = correct(candidates, level=0.9, random_state=7)
    assert got.score == pytest.approx(expected.score, rel=1e-12)
    assert got.interval == pytest.approx(expected.interval, rel=1e-12)
    assert got.optimism == pytest.approx(optimism_by_loops(candidates, 150, 7), abs=1e-12)


def test_search_corrected_score_leaves_out_undefined_queries(ranking_data):
    X, y, groups = ranking_data
    scorer = ndcg_scorer(k=3, zero_division=np.nan)
    search = fit((X, np.where(groups % 4 == 0, 0, y), groups), scoring=scorer)
    kept = search.kept_queries_
    known = ~np.isnan(kept.values[0])
    assert 40 < known.sum() < 50
    candidates = candidates_of(kept.values[:, known], kept.folds[known], kept.queries[known])
    got, expected = search.corrected_score(150), correct(candidates)
    assert got.score == pytest.approx(expected.score, rel=1e-12)
    assert got.interval == pytest.approx(expected.interval, rel=1e-12)


def test_search_corrected_score_accepts_one_candidate(ranking_data):
    search = fit(ranking_data, grid={"alpha": [1.0]})
    found = search.corrected_score()
    assert found.n_candidates == 1
    assert abs(found.optimism) < 0.005
    assert search.contenders().tolist() == [0]
