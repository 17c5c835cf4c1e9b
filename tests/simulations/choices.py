"""What searches choose, and at what cost: grid, race, halving and random search over the same candidates.

The race and the random search are read from the fits of the grid search, which are theirs too: a fit depends
on nothing but its candidate and fold. That a race does the same by itself is tested.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import ExtraTreeRegressor

from sklearn_rank import GridSearchCV, cross_val_score, ndcg_score
from sklearn_rank.datasets import _digits, make_ranking
from sklearn_rank.model_selection import HalvingGridSearchCV

from ..helpers import shared
from .races import Table, read_table, run_race
from .tables import Row

SEEDS, N_FOLDS, METRIC = 20, 5, "ndcg@10"  # seeds of what takes little time
N_HELD_OUT, N_DRAWS = 2000, 100


class Data(NamedTuple):
    """What is searched on, and the queries that tell the truth."""

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
    """Draw as many queries as `load_digits_ranking` has, in its manner; all other images are held out."""
    digits, random = load_digits(), np.random.RandomState(seed)
    n, k = len(digits.target), _digits.N_CANDIDATES
    documents = np.array([_digits._draw_others(random, query, n) for query in range(n)]).ravel()
    queries = np.repeat(np.arange(n), k)
    alike = _digits._nearest_digits(digits.data, digits.target)[digits.target[queries]]
    X = _digits._compare(digits.images[queries], digits.images[documents])
    labels = digits.target[documents]
    y = 2 * (digits.target[queries] == labels) + (alike == labels)
    return split(X, y, queries, random.permutation(n)[:n_queries])


def draw_lambdarank(seed: int, n_queries: int = 151) -> Data:
    """Deal the 251 queries of LightGBM's example: 151 to search on, 100 held out."""
    (X, y, groups), test = (shared.read_libsvm(name) for name in ("rank.train", "rank.test"))
    drawn = np.r_[X, test[0]], np.r_[y, test[1]].astype(int), np.r_[groups, test[2] + groups.max() + 1]
    n = int(drawn[2].max()) + 1
    return split(*drawn, np.random.RandomState(seed).permutation(n)[:n_queries])


def make_ranker() -> Task:
    """Return LightGBM's ranker and 40 candidates."""
    from sklearn_rank.rankers import LGBMRanker  # needs LightGBM, which the other simulations do without

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
    "make_ranking, noise .5, 300": lambda seed: draw_synthetic(300, 0.5, seed),
    "make_ranking, noise 1, 300": lambda seed: draw_synthetic(300, 1.0, seed),
    "make_ranking, noise 2, 300": lambda seed: draw_synthetic(300, 2.0, seed),
    "make_ranking, noise 1, 3,000": lambda seed: draw_synthetic(3000, 1.0, seed),
    EXAMPLE: draw_lambdarank,
}


class Fits(NamedTuple):
    """All fits of the grid search, and what halving did; a number for each candidate where not said."""

    means: np.ndarray
    seconds: np.ndarray  # to fit and score a fold
    table: Table
    true: np.ndarray  # of the model that is fitted to all queries, on those held out
    halving: tuple[int, int, float]  # its choice, its fits and their seconds


class Found(NamedTuple):
    """What a search has chosen, and what it took."""

    true: float
    n_fits: float
    seconds: float


def run_fits(task: Task, data: Data, seed: int) -> Fits:
    """Run the grid search, halving, and the fit of each candidate to all queries."""
    listed = list(ParameterGrid(task.grid))
    given = {} if isinstance(task.model, Pipeline) else {"groups": data.groups}
    grid = GridSearchCV(task.model, task.grid, scoring=METRIC, cv=N_FOLDS, refit=False, keep_queries=True)
    grid.fit(data.X, data.y, groups=data.groups)
    halving = HalvingGridSearchCV(task.model, task.grid, scoring=METRIC, cv=N_FOLDS, random_state=seed)
    halving.fit(data.X, data.y, groups=data.groups)
    X, y, groups = data.held_out
    models = [clone(task.model).set_params(**each).fit(data.X, data.y, **given) for each in listed]
    true = [ndcg_score(y, model.predict(X), groups=groups, k=10) for model in models]
    times = [
        search.cv_results_["mean_fit_time"] + search.cv_results_["mean_score_time"]
        for search in (grid, halving)
    ]
    return Fits(
        grid.cv_results_["mean_test_score"],
        times[0],
        read_table(grid),
        np.array(true),
        (listed.index(halving.best_params_), len(times[1]) * N_FOLDS, float(times[1].sum()) * N_FOLDS),
    )


def read_searches(fits: Fits, seed: int) -> dict[str, Found]:
    """Return what each search makes of the fits; of random search at equal fits the mean of many draws."""
    race = run_race(fits.table)
    n_folds = (race.numbers >= 0).sum(axis=1)
    random, k = np.random.RandomState(seed), len(fits.means)
    n_drawn = max(1, race.n_fits // N_FOLDS)
    drawn = np.array([random.permutation(k)[:n_drawn] for _ in range(N_DRAWS)])
    of_drawn = drawn[np.arange(N_DRAWS), fits.means[drawn].argmax(axis=1)]
    chosen, n_fits, seconds = fits.halving
    return {
        "grid": Found(fits.true[fits.means.argmax()], k * N_FOLDS, fits.seconds.sum() * N_FOLDS),
        "race": Found(fits.true[race.best()], race.n_fits, fits.seconds @ n_folds),
        "halving": Found(fits.true[chosen], n_fits, seconds),
        "random": Found(
            fits.true[of_drawn].mean(),
            n_drawn * N_FOLDS,
            fits.seconds[drawn].sum(axis=1).mean() * N_FOLDS,
        ),
    }


OTHERS = ("race", "halving", "random")


def find_searches(data: str, task: str, seeds: int, seed: int) -> dict[str, np.ndarray]:
    """Run all searches on data drawn anew for each seed: of each search an array of what was found."""
    found = [
        read_searches(run_fits(TASKS[task](), DATA[data](each), each), each)
        for each in range(seed, seed + seeds)
    ]
    return {search: np.array([each[search] for each in found]) for search in found[0]}


def make_choice_rows(
    seeds: int, seed: int, find: Callable[..., dict[str, np.ndarray]] = find_searches
) -> list[Row]:
    """Compare what searches choose, and at what cost."""
    rows = []
    for data in DATA:
        if data == EXAMPLE and not shared.REFERENCE.is_dir():
            rows.append([data, "", "0", *["the data are not beside the checkout"] * 7])
            continue
        for task in TASKS:
            found = find(data, task, seeds, seed)
            true, n_fits, seconds = (
                {search: each[:, column] for search, each in found.items()} for column in range(3)
            )
            apart = [write_mean(true[search] - true["grid"]) for search in OTHERS]
            share = (n_fits["race"] / n_fits["grid"]).mean()
            times = ", ".join(f"{seconds[search].mean():.1f}" for search in ("grid", "race", "halving"))
            cells = [f"{100 * share:.0f} %", times, f"{true['grid'].mean():.4f}"]
            rows.append([data, task, str(len(true["grid"])), *cells, *apart])
    return rows


def write_mean(values: np.ndarray) -> str:
    """Write a mean with the half width of its 95 % interval by t."""
    n = len(values)
    half = stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n)
    return f"{values.mean():+.4f} ± {half:.4f}"


NESTED = Task(
    ExtraTreeRegressor(random_state=0), {"max_depth": [3, 5, 8], "min_samples_leaf": [1, 5, 20, 60]}
)


def find_claims(seed: int) -> tuple[float, float, float, float, bool]:
    """Return what is claimed of the best of 12 trees, corrected, nested, true, and if the interval holds."""
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
    """Compare the best score, the corrected one and that of nested cross-validation with the truth."""
    found = np.array([find_claims(each) for each in range(seed, seed + seeds)])
    best, corrected, nested, true, held = found.T
    rows = [
        [name, f"{values.mean():.4f}", write_mean(values - true)]
        for name, values in (
            ("`best_score_`", best),
            ("`corrected_score()`", corrected),
            ("nested cross-validation", nested),
        )
    ]
    share = f"{held.mean():.2f}".removeprefix("0")
    return [
        *rows,
        ["corrected less nested", "", write_mean(corrected - nested)],
        [f"held-out queries; inside the interval in {share}", f"{true.mean():.4f}", ""],
    ]
