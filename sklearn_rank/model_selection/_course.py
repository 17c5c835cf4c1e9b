"""The course of a race through scikit-learn's search: fold after fold, then the choice among what is left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any, NoReturn

import numpy as np

from .._checks.errors import fail, is_int
from .._checks.options import check_random
from .._routing.watching_splitter import WatchingSplitter
from .._splitters.folds import spell_splitter
from ._keeping import Keeper
from ._kept_queries import KeptQueries
from ._race import Race, Rules
from ._repeating_splitter import RepeatingSplitter
from ._simplest import Simplest


class Course:
    """What a race does while scikit-learn fits it, and what the search has of it in the end.

    Parameters
    ----------
    refit : bool, str or callable
        That of the search.
    named : object
        The name of the metric that decides, where there are several.
    keeper : Keeper or None
        What reads the values of queries.
    """

    def __init__(self, refit: Any, named: Any, keeper: Keeper | None):
        self.refit, self.named, self.keeper = refit, named, keeper
        self.key = "score"
        self.race: Race
        self.rows: Mapping[str, Any] = {}  # of each fit
        self.chosen: tuple[int, str] | None = None

    def run(
        self,
        search: Any,
        candidates: list[Any],
        evaluate: Callable[..., Any],
        callback_context: Any,
    ) -> None:
        """Evaluate the candidates that are left on one fold after the other, until the race is over."""
        n_splits = search.cv.n_splits
        splitters = _deal_repeats(search, search.n_repeats)
        n_folds = n_splits * search.n_repeats
        rules = Rules(search.confidence_level, search.min_folds, search.margin, n_folds)
        if n_folds < search.min_folds:
            rule = f"be at most the number of folds, {n_folds}"
            fail("min_folds", type(search).__name__, rule, repr(search.min_folds))
        self.race = Race(len(candidates), rules, self.keeper)
        with _subtask(search, callback_context, "race", n_folds) as of_race:
            for fold in range(n_folds):
                left = [candidates[each] for each in self.race.alive]
                one = OneFold(splitters[fold // n_splits], fold % n_splits)
                n_before = self.race.n_fits
                with _subtask(search, of_race, "fold", len(left), sequential_subtasks=False) as of_fold:
                    context = {} if of_fold is None else {"callback_ctx": of_fold}
                    self.rows = evaluate(left, cv=one, **context)
                self.key = self._find_key(search)
                self.race.take(self.rows, n_before, self.key)
                if self.race.end:
                    break

    def _find_key(self, search: Any) -> str:
        """Return the name of the scores that decide: some scorers tell their names when they score."""
        known = [name.removeprefix("mean_test_") for name in self.rows if name.startswith("mean_test_")]
        if self.named in known or "score" in known:
            return "score" if "score" in known else self.named
        return refuse_names(known, search, self.refit)

    def choose_row(self, rows: Mapping[str, Any]) -> int:
        """Return the place of a fit of the candidate that is chosen, as scikit-learn calls a `refit`."""
        chosen = self.choose()
        return self.race.row_of(chosen) if is_int(chosen) else chosen

    def choose(self) -> Any:
        """Return the candidate that is chosen; scikit-learn checks what a function of the user's returns."""
        if self.chosen is None:
            results = self.race.lay_out(self.rows)
            if isinstance(self.refit, Simplest):
                self.chosen = self.refit.choose(results, self.key, self.read())
            elif callable(self.refit):
                self.chosen = self.refit(results), ""
            else:
                self.chosen = self.race.best(), ""
        return self.chosen[0]

    def read(self) -> KeptQueries | None:
        """Return the values of queries of all candidates, where they are kept."""
        return self.race.read(np.arange(len(self.race.numbers))) if self.race.keeps_values else None

    def tell(self, search: Any) -> None:
        """Give the search what it has of the race, a row for each candidate."""
        search.cv_results_ = self.race.lay_out(self.rows)
        search.n_splits_ = self.race.numbers.shape[1]
        search.n_fits_ = self.race.n_fits
        search.race_ = self.race.describe()
        if hasattr(search, "best_index_"):
            search.best_index_ = self.choose()
            search.best_params_ = search.cv_results_["params"][search.best_index_]
        if hasattr(search, "best_index_") and (isinstance(self.refit, Simplest) or not callable(self.refit)):
            search.best_score_ = search.cv_results_[f"mean_test_{self.key}"][search.best_index_]
        if self.chosen is not None and self.chosen[1]:
            search.choice_ = self.chosen[1]
        if search.keep_queries:
            search.kept_queries_ = self.read()


def refuse_names(known: list[str], search: Any, refit: Any) -> NoReturn:
    """Say that it is open which of several scores decides."""
    rule = f"name the metric that decides, {' or '.join(map(repr, known))}"
    fail("keep_queries", type(search).__name__, rule, f"{search.keep_queries!r}, with refit={refit!r}")


class OneByOne(RepeatingSplitter):
    """A splitter whose folds a race runs one by one: scikit-learn, which counts before, is told of one."""

    n_splits: int

    def get_n_splits(self, X: Any = None, y: Any = None, **params: Any) -> int:
        """Remember how many folds there are, and return how many are run at once."""
        self.n_splits = super().get_n_splits(X, y, **params)
        return 1


class OneFold:
    """A splitter that yields one of the folds of another."""

    def __init__(self, splitter: Any, fold: int):
        self.splitter, self.fold = splitter, fold

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterator[Any]:
        """Yield the fold."""
        yield list(self.splitter.split(X, y, **params))[self.fold]


def _deal_repeats(search: Any, n_repeats: int) -> list[Any]:
    """Return the splitter of the search, and one with another seed for each repeat."""
    rng = check_random(search.random_state, type(search).__name__)
    seeds = rng.randint(np.iinfo(np.int32).max, size=n_repeats - 1)
    return [search.cv, *(_deal_anew(search.cv, int(seed), type(search).__name__) for seed in seeds)]


def _deal_anew(splitter: Any, seed: int, function: str) -> Any:
    """Return a splitter that deals by another seed."""
    changed = copy(splitter)
    if isinstance(splitter, RepeatingSplitter):
        return RepeatingSplitter(_deal_anew(splitter.splitter, seed, function))
    if isinstance(splitter, WatchingSplitter):
        changed.splitter = _deal_anew(splitter.splitter, seed, function)
        return changed
    if not hasattr(splitter, "random_state"):
        rule = "be 1 where cv has no random_state to deal other folds by"
        fail("n_repeats", function, rule, f"cv={spell_splitter(splitter)}")
    if hasattr(splitter, "shuffle"):
        changed.shuffle = True
    changed.random_state = seed
    return changed


@contextmanager
def _subtask(search: Any, context: Any, name: str, n: int, **options: Any) -> Iterator[Any]:
    """Report a task to the callbacks of a search, which scikit-learn has from 1.9 on."""
    if context is None:
        yield None
        return
    task = context.subcontext(task_name=name, max_subtasks=n, **options)
    yield task.call_on_fit_task_begin(estimator=search)
    task.call_on_fit_task_end(estimator=search)
