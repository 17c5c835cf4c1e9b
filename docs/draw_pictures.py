"""Draw the figures of these pages: `python docs/draw_pictures.py [folder]`."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, LearningCurveDisplay
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_rank import (
    BalancedGroupKFold,
    GridSearchCV,
    GroupTimeSeriesSplit,
    LeaveLastOut,
    RepeatedBalancedGroupKFold,
    TimeCut,
    WithinGroupKFold,
    cross_val_predict,
    evaluate,
    learning_curve,
    ranking_scores,
    train_test_split,
)
from sklearn_rank.datasets import load_digits_ranking, make_ranking
from sklearn_rank.inspection import (
    ContendersDisplay,
    MetricAtKDisplay,
    MetricDistributionDisplay,
    QueryDifferenceDisplay,
)

SIZE, DPI = (4.8, 3.4), 120
# The metrics in which_metric.md, for a ranking in which a document of grade 3 moves down.
METRICS = {
    "mrr": "MRR",
    "map": "MAP",
    "ndcg": "NDCG",
    "group_auc": "AUC",
    "recall@3": "recall@3",
    "err(max_grade=3)": "ERR",
    "rbp": "RBP",
}
OTHERS = [0, 1, 0, 0, 0, 0, 0, 0, 0]
# The splitters in splitters.md. The last one shows what not to do.
SPLITTERS = {
    "balanced_group_kfold": BalancedGroupKFold(3),
    "repeated_balanced_group_kfold": RepeatedBalancedGroupKFold(2, n_repeats=2, random_state=0),
    "within_group_kfold": WithinGroupKFold(3),
    "leave_last_out": LeaveLastOut(2),
    "time_cut": TimeCut(3, test_size=0.2),
    "group_time_series_split": GroupTimeSeriesSplit(3),
    "kfold": KFold(3, shuffle=True, random_state=0),
}


def main(folder: Path) -> None:
    """Draw all figures."""
    for draw in (draw_models, draw_learning_curve, draw_metrics, draw_printed, draw_splits):
        draw(folder)
        plt.close("all")


def draw_learning_curve(folder: Path) -> None:
    """Draw the scores of a model over the number of training queries."""
    X, y, qid = make_ranking(n_queries=200, shuffle=True, random_state=0)
    options = {"groups": qid, "scoring": "ndcg@5", "cv": 4, "train_sizes": [5, 20, 50, 100, 150]}
    sizes, train, test = learning_curve(Ridge(), X, y, **options)
    display = LearningCurveDisplay(
        train_sizes=sizes, train_scores=train, test_scores=test, score_name="ndcg@5"
    )
    figure, ax = plt.subplots(figsize=SIZE, layout="constrained")
    display.plot(ax=ax).ax_.set_xlabel("queries")
    figure.savefig(folder / "learning_curve.png", dpi=DPI)


def draw_metrics(folder: Path) -> None:
    """Draw the value of each metric over the rank of the best document."""
    ranks = range(1, len(OTHERS) + 2)
    rankings = [[*OTHERS[: rank - 1], 3, *OTHERS[rank - 1 :]] for rank in ranks]
    order = [list(range(len(OTHERS) + 1, 0, -1))] * len(rankings)
    values = ranking_scores(rankings, order, metrics=list(METRICS), average=None)
    for name, label in METRICS.items():
        figure, ax = plt.subplots(figsize=(3.6, 2.2), layout="constrained")
        ax.plot(ranks, values[name], marker="o")
        ax.set(xlabel="rank of the best document", ylabel=label, ylim=(-0.03, 1.05), xticks=ranks)
        ax.grid(axis="y", alpha=0.3)
        figure.savefig(folder / f"metric_{label.lower().replace('@', '_')}.png", dpi=DPI)


def draw_printed(folder: Path) -> None:
    """Draw a printed report, the thumbnail of examples without a figure."""
    figure = plt.figure(figsize=(3.2, 2.24))
    rows = ["metric    mean", "ndcg@10  0.674", "map      0.623", "mrr      0.888"]
    figure.text(
        0.5, 0.5, "\n".join(rows), ha="center", va="center", family="monospace", size=15, linespacing=1.5
    )
    figure.savefig(folder / "printed.png", dpi=DPI)


def draw_splits(folder: Path) -> None:
    """Draw the rows of the training set and of the test set for each splitter."""
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(10), random.integers(4, 15, 10))
    times = random.uniform(0, 10, len(groups))
    y = (random.random(len(groups)) < 0.4).astype(int)
    for name, cv in SPLITTERS.items():
        # Groups that overlap in time have no later groups.
        at = groups + times / 10 if name == "group_time_series_split" else times
        timed = {} if isinstance(cv, KFold) else {"groups": groups}
        if isinstance(cv, LeaveLastOut | TimeCut | GroupTimeSeriesSplit):
            timed["times"] = at
        draw_folds(folder / f"split_{name}.png", list(cv.split(groups, y, **timed)), groups, at)
    rows = np.arange(len(groups))
    fold = train_test_split(rows, groups=groups, stratify=y, test_size=0.3, random_state=0)
    draw_folds(folder / "split_train_test_split.png", [fold], groups, times)


def draw_folds(path: Path, folds: list, groups: np.ndarray, times: np.ndarray) -> None:
    """Draw one row of axes, with the groups over time in each fold."""
    width = 0.9 + 2.2 * len(folds)
    figure, axes = plt.subplots(
        1, len(folds), figsize=(width, 2.9), sharey=True, squeeze=False, layout="constrained"
    )
    for number, (ax, (train, test)) in enumerate(zip(axes[0], folds), start=1):
        left = np.setdiff1d(np.arange(len(groups)), [*train, *test])
        for rows, marker, color, label in (
            (train, "o", "C0", "training set"),
            (test, "s", "C1", "test set"),
            (left, "x", "0.6", "not used"),
        ):
            ax.plot(times[rows], groups[rows], marker, color=color, markersize=4, label=label)
        ax.set(xlabel="time", xticks=[], yticks=range(10), title=f"fold {number}" if len(folds) > 1 else "")
    axes[0, 0].set_ylabel("query or user")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    figure.savefig(path, dpi=DPI)


def draw_models(folder: Path) -> None:
    """Draw figures of two models and of a search on the digits."""
    X, y, qid = load_digits_ranking(return_X_y=True)
    models = {
        "linear": make_pipeline(StandardScaler(), Ridge()),
        "squares": make_pipeline(StandardScaler(), PolynomialFeatures(), Ridge()),
    }
    scores = {name: cross_val_predict(model, X, y, groups=qid) for name, model in models.items()}
    reports = {name: evaluate(y, each, groups=qid, metrics=["ndcg@10"]) for name, each in scores.items()}

    figure, ax = plt.subplots(figsize=SIZE, layout="constrained")
    QueryDifferenceDisplay.from_reports(*reports.values(), "ndcg@10", names=tuple(reports), ax=ax)
    figure.savefig(folder / "query_differences.png", dpi=DPI)

    figure, axes = plt.subplots(1, 2, figsize=(2 * SIZE[0], SIZE[1]), layout="constrained")
    MetricAtKDisplay.from_predictions(y, scores, groups=qid, max_k=20, ax=axes[0])
    MetricAtKDisplay.from_predictions(y, scores, groups=qid, max_k=20, difference=True, ax=axes[1])
    figure.savefig(folder / "ndcg_at_k.png", dpi=DPI)

    figure, ax = plt.subplots(figsize=SIZE, layout="constrained")
    MetricDistributionDisplay.from_reports(reports, "ndcg@10", ax=ax)
    figure.savefig(folder / "distributions.png", dpi=DPI)

    grid = {"polynomialfeatures__degree": [1, 2], "ridge__alpha": [1, 10, 100, 1000, 10_000, 100_000]}
    search = GridSearchCV(models["squares"], grid, scoring="ndcg@10", keep_queries=True).fit(X, y, groups=qid)
    figure, ax = plt.subplots(figsize=(1.3 * SIZE[0], SIZE[1]), layout="constrained")
    ContendersDisplay.from_search(search, ax=ax)
    figure.savefig(folder / "contenders.png", dpi=DPI)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
