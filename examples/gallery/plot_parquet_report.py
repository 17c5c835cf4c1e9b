"""
A report from a Parquet file
============================

The rows of a log are in a Parquet file, sorted by query, and can be larger than memory. ``RankingEvaluator``
reads the file in batches and keeps no values per query. The figure shows the means of two systems with their
intervals.
"""

# %%
# An example file: 300,000 rows of 10,000 queries, with labels and the scores of two systems.

import tempfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

N_QUERIES, N_DOCUMENTS = 10_000, 30
random = np.random.default_rng(0)
qid = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
label = random.choice(4, size=len(qid), p=[0.6, 0.2, 0.15, 0.05])
columns = {
    "qid": qid,
    "label": label,
    "old": label + random.normal(0, 1.5, len(qid)),
    "new": label + random.normal(0, 1.45, len(qid)),
}
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "log.parquet"
pyarrow.parquet.write_table(pyarrow.table(columns), path)
print(f"{len(qid):,} rows in {path.stat().st_size / 1e6:.1f} MB")

# %%
# Columns are passed by name. ``keep_queries=False`` keeps only sums, which take some kilobytes for any number
# of queries. In a file of at least 2**20 rows, the rows of a query must be adjacent.

from sklearn_rank import RankingEvaluator, evaluate

METRICS = ["ndcg@10", "map", "mrr"]
reports = {}
for system in ("old", "new"):
    evaluator = RankingEvaluator(METRICS, keep_queries=False)
    reports[system] = evaluator.read(path, "label", system, groups="qid").result()
for system, report in reports.items():
    print(f"{system}\n{report}\n")

# %%
# The values equal those of the same rows in memory.

in_memory = evaluate(label, columns["old"], groups=qid, metrics=METRICS)
largest_difference = max(abs(in_memory.mean[name] - reports["old"].mean[name]) for name in METRICS)
print(f"largest difference of a mean: {largest_difference:.0e}")

# %%
# Whether the new system is better depends on the differences per query, which reports of sums do not contain.
# A report that keeps the values per query contains them; it needs 8 bytes per query and metric.

from sklearn_rank import compare

options = {"groups": "qid", "metrics": METRICS, "data": path}
by_query = {system: evaluate("label", system, **options) for system in ("old", "new")}
folder.cleanup()
comparison = compare(by_query, baseline="old")
print(comparison)
verdicts = comparison.columns["verdict"].tolist()

# %%
# The intervals of NDCG@10 and of MAP do not overlap. The intervals of MRR overlap, and its verdict is
# undecided.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 3, figsize=(8, 3.2), layout="constrained")
for ax, name in zip(axes, METRICS):
    mean = np.array([report.mean[name] for report in reports.values()])
    ends = np.array([report.interval[name] for report in reports.values()]).T
    ax.errorbar([0, 1], mean, yerr=abs(ends - mean), fmt="o", capsize=6)
    ax.set_xticks([0, 1], reports)
    ax.set(xlabel="System", ylabel=f"{name}, 95% interval", xlim=(-0.5, 1.5))
plt.show()
