"""How often a race drops a candidate that is as good as all others, by tables of the values of queries.

The races are those of the library, from `take` on: a table stands for what the fits of a search have written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple
from unittest.mock import patch
from zlib import crc32

import numpy as np
from numpy.random import RandomState
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.tree import ExtraTreeRegressor

from sklearn_rank import GridSearchCV
from sklearn_rank.datasets import make_ranking
from sklearn_rank.model_selection._race import Race, Rules
from sklearn_rank.reports import Candidates

from .comparisons import write_share
from .tables import Row

N_RACES, N_SEARCHES = 2000, 500
INTERACTION = "sklearn_rank.reports._race.interaction"
SEEDS = {"random_state": list(range(12))}


class DrawnAnew(RegressorMixin, BaseEstimator):
    """A model whose luck is drawn anew by each fit, from its seed and what it is fitted to.

    Without it a seed draws the same features in each fold, and is truly better on these data than another.
    """

    def __init__(self, model: Any = None, random_state: int = 0):
        self.model = model
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> "DrawnAnew":
        """Fit the model."""
        seed = crc32(np.ascontiguousarray(X).tobytes(), self.random_state) % 2**31
        self.model_ = clone(self.model).set_params(random_state=seed).fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict by the model."""
        return self.model_.predict(X)


def make_booster() -> Any:
    """Return a small booster that draws rows and features."""
    from lightgbm import LGBMRegressor  # which the other simulations do without

    of_rows = {"subsample": 0.5, "subsample_freq": 1, "colsample_bytree": 0.5}
    return LGBMRegressor(n_estimators=5, num_leaves=8, max_bin=31, n_jobs=1, verbose=-1, **of_rows)


SEEDED: Mapping[str, Callable[[], Any]] = {
    "LGBMRegressor": make_booster,
    "ExtraTreeRegressor": lambda: ExtraTreeRegressor(max_depth=5),
}


class Table(NamedTuple):
    """What each candidate gets on each query, by the model of the fold that tests it."""

    values: np.ndarray  # of shape (n_candidates, n_queries)
    folds: np.ndarray  # of each query, ascending

    def candidates(self, rows: Any, clusters: None) -> Candidates:
        """Return what `KeptQueries.candidates` does."""
        above = self.values[rows]
        return Candidates(above, np.ones_like(above), self.folds, np.arange(len(self.folds)))


class TableKeeper:
    """Reads a table instead of the values that fits keep."""

    def __init__(self, table: Table):
        self.table = table
        self.reading: tuple[np.ndarray, np.ndarray] = np.empty(0), np.empty(0)  # candidates, queries

    def read_fits(self, numbers: np.ndarray) -> list[list[np.ndarray]]:
        """Return what the fits that a race asks for have given, as `Keeper.read_fits`."""
        alive, inside = self.reading
        return [[self.table.values[each, inside]] for each in alive]

    def arrange(self, fits: Sequence[Sequence[np.ndarray]]) -> Table:
        """Return the values of some candidates in the folds that they have in common."""
        values = np.array([np.concatenate(of_candidate) for of_candidate in fits])
        return Table(values, self.table.folds[: values.shape[1]])


def run_race(table: Table, queries_alone: bool = False) -> Race:
    """Run a race over a table; with the variance over queries alone, without that between folds, if asked."""
    n_folds = int(table.folds[-1]) + 1
    keeper: Any = TableKeeper(table)
    race = Race(len(table.values), Rules(0.95, 2, None, n_folds), keeper)
    with patch(INTERACTION, lambda scores: 0.0) if queries_alone else nullcontext():
        for fold in range(n_folds):
            keeper.reading = race.alive, table.folds == fold
            scores = table.values[race.alive][:, keeper.reading[1]].mean(axis=1)
            race.take({"split0_test_score": np.r_[np.zeros(race.n_fits), scores]}, race.n_fits, "score")
            if race.end:
                break
    return race


def read_table(search: Any) -> Table:
    """Return the values of queries that a search has kept."""
    kept = search.kept_queries_.candidates(np.arange(len(search.kept_queries_.values)), None)
    assert (kept.below == 1).all()  # its means are those of queries that count alike
    return Table(kept.above, kept.folds)


class Setting(NamedTuple):
    """How tables of candidates of equal means are drawn."""

    n_candidates: int
    n_folds: int
    of_folds: float  # deviation of fold x candidate, in standard errors of the mean of a fold
    n_queries: int = 300


def draw_table(setting: Setting, random: RandomState) -> Table:
    """Draw the values of all candidates: query + fold + fold x candidate + query x candidate."""
    k, n_folds, of_folds, n = setting
    folds = np.repeat(np.arange(n_folds), n // n_folds)
    scale = of_folds / np.sqrt(n / n_folds)
    of_models = random.normal(0, 1, (k, n_folds)) * scale
    shared = random.normal(0, 1, n) + random.normal(0, 1, n_folds)[folds] * scale
    return Table(shared + of_models[:, folds] + random.normal(0, 1, (k, n)), folds)


SETTINGS = [
    Setting(k, n_folds, of_folds) for k in (2, 12, 24, 50) for n_folds in (5, 10) for of_folds in (0, 1, 2)
]


def find_seeds(name: str, seed: int) -> Table:
    """Search among the seeds of a model on data drawn anew; none is truly better than another."""
    return read_table(search_seeds(GridSearchCV, name, seed, keep_queries=True, refit=False))


def search_seeds(search: Any, name: str, seed: int, **options: Any) -> Any:
    """Search among the seeds of a model by some search."""
    X, y, groups = make_ranking(100, 10, random_state=seed)
    model = DrawnAnew(SEEDED[name]())
    return search(model, SEEDS, scoring="ndcg@10", **options).fit(X, y, groups=groups)


class Drops(NamedTuple):
    """What equal candidates come to, as shares of all races."""

    named: float  # candidate 0 was dropped
    each: float  # the mean over all candidates, which are alike
    some: float  # any was dropped
    fits: float
    named_by_queries: float  # candidate 0 was dropped by a race that knows no variance between folds


def count_drops(tables: Iterable[Table]) -> Drops:
    """Run a race over each table, and one by queries alone."""
    found = []
    for table in tables:
        race, other = run_race(table), run_race(table, queries_alone=True)
        k, n_left = len(table.values), len(race.alive)
        share = race.n_fits / (k * (table.folds[-1] + 1))
        found.append([0 not in race.alive, 1 - n_left / k, n_left < k, share, 0 not in other.alive])
    return Drops(*np.mean(found, axis=0).tolist())


def simulate_drops(setting: Setting, repeats: int = N_RACES, seed: int = 0) -> Drops:
    """Race between candidates of equal means."""
    random = RandomState([seed, *(int(10 * each) for each in setting)])
    return count_drops(draw_table(setting, random) for _ in range(repeats))


def find_drops(name: str, repeats: int = N_SEARCHES, seed: int = 0) -> Drops:
    """Race between seeds of one model."""
    return count_drops(find_seeds(name, seed + 1000 * repeat) for repeat in range(repeats))


def most(repeats: int) -> float:
    """Return how large a share of races may be where 5 % are true: three standard errors above it."""
    return 0.05 + 3 * np.sqrt(0.05 * 0.95 / repeats)


def write_drops(drops: Drops, repeats: int) -> Row:
    """Write what is found; what is more than it may be in bold."""
    limit = most(repeats)
    named = [write_share(drops.named, limit), write_share(drops.each)]
    return [*named, write_share(drops.some), f"{drops.fits:.3f}", write_share(drops.named_by_queries, limit)]


def make_race_rows(repeats: int, seed: int) -> list[Row]:
    """Simulate races by tables."""
    return [
        [
            *(f"{each:g}" for each in setting[:3]),
            *write_drops(simulate_drops(setting, repeats, seed), repeats),
        ]
        for setting in SETTINGS
    ]


def make_seed_rows(repeats: int, seed: int) -> list[Row]:
    """Race between seeds of models that are fitted."""
    return [[name, *write_drops(find_drops(name, repeats, seed), repeats)] for name in SEEDED]
