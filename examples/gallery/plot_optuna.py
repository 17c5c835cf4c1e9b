"""
Tuning a ranker with Optuna
===========================

A study needs only a function that returns a mean of ``cross_val_score``. The figure shows the value of each
trial and the best value so far.
"""

# %%
# Optuna is not a dependency of this package. Without it, this example only prints a note.

try:
    import optuna
except ImportError:
    optuna = None
    print("Optuna is not installed: pip install optuna")

# %%
# The objective is the mean NDCG@10 over folds of whole queries. The folds are the same in each trial, so
# trials differ only in their parameters.

from sklearn_rank import cross_val_score, ndcg_scorer
from sklearn_rank.datasets import load_digits_ranking
from sklearn_rank.rankers import LGBMRanker

X, y, qid = load_digits_ranking(return_X_y=True)


def objective(trial):
    """Return the mean NDCG@10 of the parameters that the trial suggests."""
    model = LGBMRanker(
        n_estimators=30,
        learning_rate=trial.suggest_float("learning_rate", 0.01, 0.5, log=True),
        num_leaves=trial.suggest_int("num_leaves", 3, 31),
        n_jobs=1,
        verbose=-1,
        random_state=0,
    )
    return cross_val_score(model, X, y, scoring=ndcg_scorer(k=10), groups=qid, cv=3).mean()


# %%
# The first trial uses LightGBM's default values, so the study cannot be worse.

if optuna is not None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.enqueue_trial({"learning_rate": 0.1, "num_leaves": 31})
    study.optimize(objective, n_trials=15)
    values = [trial.value for trial in study.trials]
    gain = study.best_value - values[0]
    print(f"LightGBM's values {values[0]:.3f}, the best of {len(values)} {study.best_value:.3f}")
    print(study.best_params)

# %%
# The best value is the best of 15 on the same queries, so it is slightly too high. New queries, or a study in
# each fold, show the true value.

import matplotlib.pyplot as plt
import numpy as np

if optuna is not None:
    numbers = np.arange(1, len(values) + 1)
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    ax.plot(numbers, values, "o", label="trial")
    ax.step(numbers, np.maximum.accumulate(values), where="post", label="best so far")
    ax.set(xlabel="Trial", ylabel="NDCG@10", title="A study of 15 trials")
    ax.legend(loc="lower right")
    plt.show()
