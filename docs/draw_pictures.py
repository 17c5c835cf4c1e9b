"""Draw the figures of these pages: `python docs/draw_pictures.py [folder]`."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_rank import GridSearchCV, cross_val_predict, evaluate, ranking_scores
from sklearn_rank.datasets import load_digits_ranking
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


def main(folder: Path) -> None:
    """Draw all figures."""
    draw_models(folder)
    draw_metrics(folder)
    draw_printed(folder)
    plt.close("all")


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
