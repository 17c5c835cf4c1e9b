"""Tune a ranker trial by trial
============================

Tune a ranker one trial at a time, as Optuna does. Only a scorer is needed.

If Optuna is installed, its study suggests the parameters. Otherwise, a random search is used.
"""

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from sklearn_rank import cross_val_score, ndcg_scorer
from sklearn_rank.datasets import load_digits_ranking

N_TRIALS = 8


class RandomTrial:
    """A trial that suggests random parameters."""

    def __init__(self, random: np.random.Generator):
        self.random = random
        self.params: dict[str, Any] = {}

    def suggest_int(self, name: str, low: int, high: int) -> int:
        """Draw an integer from low to high."""
        self.params[name] = int(self.random.integers(low, high + 1))
        return self.params[name]

    def suggest_float(self, name: str, low: float, high: float, log: bool = False) -> float:
        """Draw a float from low to high, uniformly on a linear or logarithmic scale."""
        value = (
            np.exp(self.random.uniform(np.log(low), np.log(high))) if log else self.random.uniform(low, high)
        )
        self.params[name] = float(value)
        return self.params[name]


def main() -> None:
    """Run the trials and print the best."""
    X, y, qid = load_digits_ranking(return_X_y=True)

    def objective(trial: Any) -> float:
        model = HistGradientBoostingRegressor(
            max_iter=30,
            learning_rate=trial.suggest_float("learning_rate", 0.02, 0.5, log=True),
            max_leaf_nodes=trial.suggest_int("max_leaf_nodes", 4, 32),
            random_state=0,
        )
        return cross_val_score(model, X, y, scoring=ndcg_scorer(k=10), groups=qid, cv=3).mean()

    try:
        import optuna
    except ImportError:
        random = np.random.default_rng(0)
        trials = [RandomTrial(random) for _ in range(N_TRIALS)]
        values = [objective(trial) for trial in trials]
        best = int(np.argmax(values))
        value, params = values[best], trials[best].params
    else:
        study = optuna.create_study(direction="maximize")
        study.optimize(objective, n_trials=N_TRIALS)
        value, params = study.best_value, study.best_params
    print(f"best of {N_TRIALS} trials: NDCG@10 {value:.3f} with {params}")


if __name__ == "__main__":
    main()
