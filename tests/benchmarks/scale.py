"""Time and peak memory of a process that evaluates a large Parquet file.

NDCG@10 of queries of 100 rows each, for one file sorted by query and one in random order. All programs read
the same files in turn.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from .command_line import LAUNCH

BEGIN, END = "<!-- begin of scale -->", "<!-- end of scale -->"
N_ROWS, QUERY, GROUP = 10**7, 100, 2**20  # rows in total, per query and per row group
OURS = """
import sys
from sklearn_rank import evaluate
print(evaluate("label", "score", groups="qid", metrics=["ndcg@10"], data=sys.argv[1]{options}).mean)
"""
SUMS = """
import sys
from sklearn_rank import RankingEvaluator
evaluator = RankingEvaluator(["ndcg@10"], keep_queries=False)
print(evaluator.read(sys.argv[1], "label", "score", groups="qid").result().mean)
"""
READ = """
import sys
from pyarrow.parquet import ParquetFile
with ParquetFile(sys.argv[1], pre_buffer=False) as file:
    for batch in file.iter_batches(2**20, columns=["qid", "label", "score"]):
        pass
"""
IN_MEMORY = """
import sys
from pyarrow.parquet import read_table
from sklearn_rank import evaluate
table = read_table(sys.argv[1], columns=["qid", "label", "score"])
columns = [table[name].to_numpy() for name in ("label", "score")]
print(evaluate(*columns, groups=table["qid"].to_numpy(), metrics=["ndcg@10"]).mean)
"""
POLARS = """
import sys
import polars as pl

rows = pl.scan_parquet(sys.argv[1])
rank = pl.int_range(1, pl.len() + 1).over("qid")

def dcg(by, name):
    ranked = rows.sort(["qid", by], descending=[False, True]).with_columns(rank=rank)
    discounted = pl.col("label") / (pl.col("rank") + 1).log(2)
    return ranked.filter(pl.col("rank") <= 10).group_by("qid").agg(discounted.sum().alias(name))

values = dcg("score", "found").join(dcg("label", "best"), on="qid")
ndcg = pl.when(pl.col("best") > 0).then(pl.col("found") / pl.col("best")).otherwise(0)
print(values.select(ndcg.mean()).collect(engine="streaming").item())
"""
DUCKDB = """
import sys
import duckdb

duckdb.sql(f'''
with ranked as (
    select qid, label,
        row_number() over (partition by qid order by score desc) as place,
        row_number() over (partition by qid order by label desc) as best
    from '{sys.argv[1]}'
), sums as (
    select sum(label / log2(place + 1)) filter (place <= 10) as dcg,
        sum(label / log2(best + 1)) filter (best <= 10) as ideal
    from ranked group by qid
)
select avg(case when ideal > 0 then dcg / ideal else 0 end) from sums
''').show()
"""
COMMANDS = {  # the file and the program of each row
    "`evaluate` of 100 rows, including imports": ("tiny", OURS.format(options="")),
    "reading only": ("sorted", READ),
    "in memory": ("sorted", IN_MEMORY),
    "`evaluate`": ("sorted", OURS.format(options="")),
    "`RankingEvaluator.read`, `keep_queries=False`": ("sorted", SUMS),
    "`evaluate`, `n_jobs=2`": ("sorted", OURS.format(options=", n_jobs=2")),
    "polars by hand": ("sorted", POLARS),
    "DuckDB by hand": ("sorted", DUCKDB),
    "in memory, any order": ("shuffled", IN_MEMORY),
}


def write_rows(folder: Path, n_rows: int) -> dict[str, Path]:
    """Write the rows sorted by query, a single query, and all rows in random order."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    order = np.arange(n_rows)
    shuffled = np.random.default_rng(0).permutation(order)
    paths = {}
    for name, rows in {"tiny": order[:QUERY], "sorted": order, "shuffled": shuffled}.items():
        paths[name] = folder / f"{name}.parquet"
        draw = np.random.default_rng(1)
        schema = pa.schema([("qid", pa.int64()), ("label", pa.int8()), ("score", pa.float32())])
        with ParquetWriter(paths[name], schema) as writer:
            for start in range(0, len(rows), GROUP):
                part = rows[start : start + GROUP]
                labels = draw.choice(5, len(part), p=[0.6, 0.2, 0.1, 0.06, 0.04])
                scores = labels / 5 + draw.normal(size=len(part))
                columns = [part // QUERY, labels.astype(np.int8), scores.astype(np.float32)]
                writer.write_table(pa.table(columns, schema=schema))
    return paths


def run(program: str, path: Path) -> tuple[float, float]:
    """Return the seconds and MB of a program that reads a file."""
    command = [sys.executable, "-c", LAUNCH, sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, kilobytes = done.stdout.split()
    return float(seconds), float(kilobytes) / 1024


def format_table(repeats: int, n_rows: int = N_ROWS) -> str:
    """Return the table."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        paths = write_rows(Path(folder), n_rows)
        for _ in range(repeats):
            for name, (file, program) in COMMANDS.items():
                found[name].append(run(program, paths[file]))
    lines = [f"{n_rows:,} rows", "", "| what | file | seconds | memory, MB |", "|---|---|---|---|"]
    for name, runs in found.items():
        seconds, memory = (median(each) for each in zip(*runs))
        lines.append(f"| {name} | {COMMANDS[name][0]} | {seconds:.2f} | {memory:.0f} |")
    return "\n".join(lines)
