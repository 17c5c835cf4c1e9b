"""
A report from a Parquet file
============================

The rows of a log lie in a Parquet file in any order, and may be more than fit in memory. ``evaluate`` reads
the file batch by batch and keeps no value of any query. The picture has the means of two systems with their
intervals.
"""

# %%
# A file to begin with: 300,000 rows of 10,000 queries, labels and the scores of two systems. The rows are
# shuffled.

import tempfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

N_QUERIES, N_DOCUMENTS = 10_000, 30
random = np.random.default_rng(0)
qid = random.permutation(np.repeat(np.arange(N_QUERIES), N_DOCUMENTS))
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
# Columns go by their names. ``together=False`` says that the rows of a query are anywhere: they are brought
# together in files of a temporary folder. ``keep="moments"`` keeps sums alone, in some kilobytes for any
# number of queries.

from sklearn_rank import evaluate

METRICS = ["ndcg@10", "map", "mrr"]
options = {"groups": "qid", "metrics": METRICS, "data": path, "together": False, "keep": "moments"}
reports = {system: evaluate("label", system, **options) for system in ("old", "new")}
for system, report in reports.items():
    print(f"{system}\n{report}\n")

# %%
# The numbers are those of the same rows in memory.

in_memory = evaluate(label, columns["old"], groups=qid, metrics=METRICS)
largest_difference = max(abs(in_memory.mean[name] - reports["old"].mean[name]) for name in METRICS)
print(f"largest difference of a mean: {largest_difference:.0e}")

# %%
# Whether the new system is better is a question about the differences of queries. Two reports of sums do
# not know these. A report that keeps the values of queries does, at 8 bytes for each query and metric.

from sklearn_rank import compare

kept = {system: evaluate("label", system, **{**options, "keep": "queries"}) for system in ("old", "new")}
folder.cleanup()
comparison = compare(kept, baseline="old")
print(comparison)
verdicts = comparison.columns["verdict"].tolist()

# %%
# The intervals of NDCG@10 and of MAP are apart. Those of MRR overlap, and its verdict is undecided.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 3, figsize=(8, 3.2), layout="constrained")
for ax, name in zip(axes, METRICS):
    mean = np.array([report.mean[name] for report in reports.values()])
    ends = np.array([report.interval[name] for report in reports.values()]).T
    ax.errorbar([0, 1], mean, yerr=abs(ends - mean), fmt="o", capsize=6)
    ax.set_xticks([0, 1], reports)
    ax.set(xlabel="System", ylabel=f"{name}, 95 % interval", xlim=(-0.5, 1.5))
plt.show()
