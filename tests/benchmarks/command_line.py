"""Time and memory of one evaluation of files as a process: this command line and those of other libraries.

Five metrics of a run in TREC format: seconds from start to end, and peak memory. All programs
read the same files in turn.
"""

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

BEGIN, END = "<!-- begin of the command line -->", "<!-- end of the command line -->"
N_DOCUMENTS, N_JUDGED = 1000, 50  # per query
N_NAMES = 8_841_823  # number of document ids, as many as MS MARCO has passages
LONG = 30  # seconds; slower programs run once, and only with the smaller file
MEASURES = ["ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100"]
OF_IR_MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100"]
WITH_PYTREC_EVAL = f"""
import sys, pytrec_eval
qrels, run = pytrec_eval.parse_qrel(open(sys.argv[1])), pytrec_eval.parse_run(open(sys.argv[2]))
values = pytrec_eval.RelevanceEvaluator(qrels, {set(MEASURES)}).evaluate(run)
for measure in next(iter(values.values())):
    print(measure, sum(value[measure] for value in values.values()) / len(values))
"""
WITH_RANX = """
import sys, ranx
qrels, run = ranx.Qrels.from_file(sys.argv[1], kind="trec"), ranx.Run.from_file(sys.argv[2], kind="trec")
measures = ["ndcg@10", "map", "mrr", "precision@10", "recall@100"]
print(ranx.evaluate(qrels, run, measures, make_comparable=True))
"""
# A small process that starts the program, because the system counts the memory of the parent as its own.
LAUNCH = """
import os, sys, time
start = time.perf_counter()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)])
_, status, usage = os.wait4(process, 0)
print(time.perf_counter() - start, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
OF_FILES = ["{qrels}", "{run}"]
COMMANDS = {  # the required module of each program, and its arguments to Python
    "sklearn-rank": (
        "sklearn_rank",
        ["-m", "sklearn_rank", "evaluate", *OF_FILES, "--format", "trec_eval"]
        + [word for measure in MEASURES for word in ("-m", measure)],
    ),
    "pytrec_eval, script": ("pytrec_eval", ["-c", WITH_PYTREC_EVAL, *OF_FILES]),
    "ir_measures": ("ir_measures", ["-m", "ir_measures", *OF_FILES, *OF_IR_MEASURES]),
    "ranx, script": ("ranx", ["-c", WITH_RANX, *OF_FILES]),
}
SMALL = ["-m", "sklearn_rank", "evaluate", *OF_FILES, "--format", "trec_eval", "-m", "ndcg_cut.10"]
START_UP = {
    'python -c "import numpy"': ["-c", "import numpy"],
    "sklearn-rank --help": ["-m", "sklearn_rank", "--help"],
    "sklearn-rank evaluate, 100 lines": SMALL,
}


class Cost(NamedTuple):
    """Time and peak memory of one process."""

    seconds: float
    megabytes: float


def write_files(folder: Path, n_queries: int, n_documents: int = N_DOCUMENTS) -> dict[str, str]:
    """Write a run with some tied scores, and judgments of some of its documents and of others."""
    random = np.random.default_rng(0)
    paths = {"qrels": folder / f"{n_queries}.qrels", "run": folder / f"{n_queries}.run"}
    with paths["qrels"].open("w") as qrels, paths["run"].open("w") as run:
        for query in range(n_queries):
            documents = np.unique(random.integers(0, N_NAMES, 2 * n_documents))
            documents = random.permutation(documents)[:n_documents]
            scores = np.sort(random.normal(size=n_documents).round(4))[::-1]
            lines = zip(documents.tolist(), range(1, n_documents + 1), scores.tolist())
            run.writelines(f"q{query} Q0 {name} {rank} {score} bm25\n" for name, rank, score in lines)
            judged = np.append(documents[: N_JUDGED // 2], N_NAMES + np.arange(N_JUDGED // 2))
            grades = random.integers(0, 4, len(judged)).tolist()
            qrels.writelines(f"q{query} 0 {name} {grade}\n" for name, grade in zip(judged.tolist(), grades))
    return {name: str(path) for name, path in paths.items()}


def run_once(words: list[str], files: dict[str, str]) -> Cost:
    """Run a command in a separate process."""
    filled = [files[word.strip("{}")] if word in OF_FILES else word for word in words]
    found = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCH, sys.executable, *filled], stdout=subprocess.PIPE, check=False
    )
    if found.returncode:
        raise RuntimeError(f"{filled[:4]} exited with code {found.returncode}")
    seconds, kilobytes = map(float, found.stdout.split())
    return Cost(seconds, kilobytes / 1024)


def measure(commands: dict[str, list[str]], files: dict[str, str], repeats: int) -> dict[str, Cost]:
    """Run commands in turn, slow ones only once, and return the median costs."""
    found: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, words in commands.items():
            if not found[name] or found[name][0].seconds < LONG:
                found[name].append(run_once(words, files))
    return {name: Cost(*map(median, zip(*costs))) for name, costs in found.items()}


def list_commands() -> dict[str, list[str]]:
    """List the commands whose module is installed."""
    return {name: words for name, (module, words) in COMMANDS.items() if find_spec(module) is not None}


def format_table(repeats: int) -> str:
    """Measure, and format the results as ratios to ours."""
    lines: list[str] = []
    commands = list_commands()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n_queries in (1000, 10_000):
            files = write_files(folder, n_queries)
            costs = measure(commands, files, repeats)
            lines += [f"A run of {n_queries * N_DOCUMENTS:,} lines:", "", *list_rows(costs), ""]
            commands = {each: words for each, words in commands.items() if costs[each].seconds < LONG}
            for path in files.values():
                Path(path).unlink()
        starts = measure(START_UP, write_files(folder, 1, 100), 5 * repeats)
    least = next(iter(starts.values()))
    lines += ["| whole process | time, numpy = 1 |", "|---|---|"]
    lines += [f"| {each} | {cost.seconds / least.seconds:.2f} |" for each, cost in starts.items()]
    return "\n".join(lines)


def list_rows(costs: dict[str, Cost]) -> list[str]:
    """Return the rows of the table of one run."""
    ours = costs["sklearn-rank"]
    rows = ["| | time, ours = 1 | peak memory, ours = 1 | memory, MB |", "|---|---|---|---|"]
    for name, cost in costs.items():
        ratios = f"{cost.seconds / ours.seconds:.2f} | {cost.megabytes / ours.megabytes:.2f}"
        rows.append(f"| {name} | {ratios} | {cost.megabytes:,.0f} |")
    return rows
