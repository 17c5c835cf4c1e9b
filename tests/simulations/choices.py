"""Choices and costs of grid search and halving over the same candidates, and the bias of best scores."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import ExtraTreeRegressor

from sklearn_rank import GridSearchCV, cross_val_score, ndcg_score
from sklearn_rank.datasets import _digits, make_ranking
from sklearn_rank.model_selection import HalvingGridSearchCV

from ..helpers import reference_data
from .tables import Row

SEEDS, N_FOLDS, METRIC = 20, 5, "ndcg@10"  # seeds for fast searches
N_HELD_OUT = 2000


class Data(NamedTuple):
    """Rows to search on, and covered-out queries that give the true value."""

    X: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    held_out: tuple[np.ndarray, np.ndarray, np.ndarray]


class Task(NamedTuple):
    """A model and its candidates."""

    model: Any
    grid: Mapping[str, Sequence[Any]]


def split(X: np.ndarray, y: np.ndarray, groups: np.ndarray, chosen: np.ndarray) -> Data:
    """Take some queries to search on, and hold out the others."""
    inside = np.isin(groups, chosen)
    return Data(X[inside], y[inside], groups[inside], (X[~inside], y[~inside], groups[~inside]))


def draw_synthetic(n_queries: int, noise: float, seed: int) -> Data:
    """Draw queries of `make_ranking`."""
    drawn = make_ranking(n_queries + N_HELD_OUT, noise=noise, random_state=seed)
    return split(*drawn, np.arange(n_queries))


def draw_digits(seed: int, n_queries: int = 240) -> Data:
    """Draw queries as `load_digits_ranking` does, and hold out all other images."""
    digits, random = load_digits(), np.random.RandomState(seed)
    n, k = len(digits.target), _digits.N_DOCUMENTS
    documents = np.array([_digits._draw_others(random, query, n) for query in range(n)]).ravel()
    queries = np.repeat(np.arange(n), k)
    similar = _digits._nearest_digits(digits.data, digits.target)[digits.target[queries]]
    X = _digits._compare(digits.images[queries], digits.images[documents])
    labels = digits.target[documents]
    y = 2 * (digits.target[queries] == labels) + (similar == labels)
    return split(X, y, queries, random.permutation(n)[:n_queries])


def draw_lambdarank(seed: int, n_queries: int = 151) -> Data:
    """Split the 251 queries of LightGBM's example: 151 to search on, 100 covered out."""
    (X, y, groups), test = (reference_data.read_libsvm(name) for name in ("rank.train", "rank.test"))
    drawn = np.r_[X, test[0]], np.r_[y, test[1]].astype(int), np.r_[groups, test[2] + groups.max() + 1]
    n = int(drawn[2].max()) + 1
    return split(*drawn, np.random.RandomState(seed).permutation(n)[:n_queries])


def make_ranker() -> Task:
    """Return LightGBM's ranker and 40 candidates."""
    from sklearn_rank.rankers import LGBMRanker  # only this simulation needs LightGBM

    grid = {
        "num_leaves": [3, 7, 15, 31],
        "learning_rate": [0.03, 0.1, 0.2, 0.3, 0.5],
        "min_child_samples": [5, 40],
    }
    return Task(LGBMRanker(n_estimators=20, max_bin=63, n_jobs=1, verbose=-1, random_state=0), grid)


def make_regression() -> Task:
    """Return a pipeline and 40 candidates."""
    grid = {
        "pca__n_components": [2, 5, 8, 10],
        "polynomialfeatures__degree": [1, 2],
        "ridge__alpha": [1e-1, 1e1, 1e2, 1e3, 1e4],
    }
    return Task(make_pipeline(StandardScaler(), PCA(random_state=0), PolynomialFeatures(), Ridge()), grid)


TASKS: Mapping[str, Callable[[], Task]] = {"LGBMRanker": make_ranker, "pipeline": make_regression}
EXAMPLE = "LightGBM's example, 151"
DATA: Mapping[str, Callable[[int], Data]] = {
    "digits, 240 queries": draw_digits,
    "make_ranking, noise 0.5, 300": lambda seed: draw_synthetic(300, 0.5, seed),
    "make_ranking, noise 1, 300": lambda seed: draw_synthetic(300, 1.0, seed),
    "make_ranking, noise 2, 300": lambda seed: draw_synthetic(300, 2.0, seed),
    "make_ranking, noise 1, 3,000": lambda seed: draw_synthetic(3000, 1.0, seed),
    EXAMPLE: draw_lambdarank,
}


class Found(NamedTuple):
    """True score of the chosen model, and time of the search."""

    true: float  # NDCG of the chosen model, fitted to all queries, on covered-out queries
    seconds: float  # to fit and score all candidates


def run_searches(task: Task, data: Data, seed: int) -> dict[str, Found]:
    """Run the grid search and halving."""
    options = {"scoring": METRIC, "cv": N_FOLDS}
    searches = {
        "grid": GridSearchCV(task.model, task.grid, **options),
        "halving": HalvingGridSearchCV(task.model, task.grid, random_state=seed, **options),
    }
    X, y, groups = data.held_out
    found = {}
    for name, search in searches.items():
        results = search.fit(data.X, data.y, groups=data.groups).cv_results_
        seconds = float((results["mean_fit_time"] + results["mean_score_time"]).sum()) * N_FOLDS
        found[name] = Found(float(ndcg_score(y, search.predict(X), groups=groups, k=10)), seconds)
    return found


def find_searches(data: str, task: str, seeds: int, seed: int) -> dict[str, np.ndarray]:
    """Run both searches on new data for each seed; return an array of results for each search."""
    found = [run_searches(TASKS[task](), DATA[data](each), each) for each in range(seed, seed + seeds)]
    return {search: np.array([each[search] for each in found]) for search in found[0]}


def make_choice_rows(seeds: int, seed: int) -> list[Row]:
    """Compare the choices and times of both searches."""
    rows = []
    for data in DATA:
        if data == EXAMPLE and not reference_data.REFERENCE.is_dir():
            rows.append([data, "", "0", *["the data are not next to the checkout"] * 3])
            continue
        for task in TASKS:
            found = find_searches(data, task, seeds, seed)
            (grid, of_grid), (halving, of_halving) = (found[search].T for search in ("grid", "halving"))
            times = f"{of_grid.mean():.1f}, {of_halving.mean():.1f}"
            difference = write_mean(halving - grid)
            rows.append([data, task, str(len(grid)), times, f"{grid.mean():.4f}", difference])
    return rows


def write_mean(values: np.ndarray) -> str:
    """Write a mean with the half width of its 95% interval by t."""
    n = len(values)
    half = stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n)
    return f"{values.mean():+.4f} ± {half:.4f}"


NESTED = Task(
    ExtraTreeRegressor(random_state=0), {"max_depth": [3, 5, 8], "min_samples_leaf": [1, 5, 20, 60]}
)


def find_claims(seed: int) -> tuple[float, float, float, float, bool]:
    """Return best, corrected, nested and true score, and whether the interval contains the true score."""
    data = draw_digits(seed)
    search = GridSearchCV(NESTED.model, NESTED.grid, scoring=METRIC, cv=N_FOLDS, keep_queries=True)
    search.fit(data.X, data.y, groups=data.groups)
    corrected = search.corrected_score()
    plain = GridSearchCV(NESTED.model, NESTED.grid, scoring=METRIC, cv=N_FOLDS)
    nested = cross_val_score(plain, data.X, data.y, groups=data.groups, scoring=METRIC, cv=N_FOLDS).mean()
    X, y, groups = data.held_out
    true = float(ndcg_score(y, search.predict(X), groups=groups, k=10))
    low, high = corrected.interval
    return search.best_score_, corrected.score, float(nested), true, low <= true <= high


def make_claim_rows(seeds: int, seed: int) -> list[Row]:
    """Compare best score, corrected score and nested cross-validation with the true score."""
    found = np.array([find_claims(each) for each in range(seed, seed + seeds)])
    best, corrected, nested, true, covered = found.T
    rows = [
        [name, f"{values.mean():.4f}", write_mean(values - true)]
        for name, values in (
            ("`best_score_`", best),
            ("`corrected_score()`", corrected),
            ("nested cross-validation", nested),
        )
    ]
    share = f"{covered.mean():.2f}"
    return [
        *rows,
        ["corrected - nested", "", write_mean(corrected - nested)],
        [f"covered-out queries; inside the interval in {share}", f"{true.mean():.4f}", ""],
    ]
