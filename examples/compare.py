"""Two rankings of a search engine
===============================

Compare two rankings of a search engine on the queries of a log, to decide whether to ship the new one.

The log is synthetic: each user has several queries, and the new ranking helps some users more than others.
A real log needs only ids, labels and scores.
"""

import numpy as np

from sklearn_rank import compare, evaluate
from sklearn_rank.datasets import make_ranking

METRICS = ["ndcg@10", "mrr"]
MARGIN = 0.01  # smaller differences do not matter
N_QUERIES, PER_USER = 400, 4

ADVICE = {
    "better": "ship it",
    "worse": "keep the old one",
    "equivalent": "ship whichever is cheaper",
    "no worse": "ship it if it is cheaper, or wait for more queries",
    "undecided": "wait for more queries",
}


def make_log() -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Return labels, query and user of each row, and the scores of both rankings."""
    X, y, query, coef = make_ranking(n_queries=N_QUERIES, coef=True, random_state=0)
    user = query // PER_USER
    random = np.random.RandomState(0)
    old = X @ coef + random.normal(0, 1.5, len(y))
    noise = random.gamma(2, 0.5, N_QUERIES // PER_USER)[user]
    new = X @ coef + noise * random.normal(size=len(y))
    return y, query, user, {"old": old, "new": new}


def main() -> None:
    """Print the report of the old ranking, its worst queries, and the comparison with the new one."""
    y, query, user, scores = make_log()
    reports = {
        name: evaluate(y, y_score, groups=query, metrics=METRICS, cluster=user)
        for name, y_score in scores.items()
    }
    print(f"{reports['old']}\n")
    print(f"{reports['old'].worst('ndcg@10', n=3)}\n")

    lengths = np.where(np.bincount(query)[query] < 15, "short lists", "long lists")
    print(f"{reports['old'].by(lengths, groups=query)}\n")

    comparison = compare(reports, baseline="old", margin=MARGIN)
    print(f"{comparison}\n")
    print(f"{comparison.changes('ndcg@10', n=3)}\n")
    print(f"{comparison.queries_needed(difference=MARGIN)}\n")

    verdict = str(comparison.columns["verdict"][0])
    advice = ADVICE["equivalent" if "by less than" in verdict else verdict]
    print(f"By NDCG@10 the new ranking is {verdict}: {advice}.")


if __name__ == "__main__":
    main()
