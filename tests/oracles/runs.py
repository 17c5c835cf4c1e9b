"""trec_eval on files: runs and qrels with ties, gaps and negative grades, by name and option.

Each file is written, read by from_run and scored here; pytrec_eval gets the same documents as dicts. It
supports -l and -J. For -M, its runs are truncated first; for -c, missing queries count 0.
"""

import io
import warnings
from collections.abc import Iterator, Mapping
from itertools import product
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank import RankingWarning, from_run, ranking_scores
from sklearn_rank.metrics._libraries.retrieval import TREC_ROWS as ALL_ROWS

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]

CUTOFFS = (1, 5, 10, 1000)
ROWS = {stem: row for stem, row in ALL_ROWS.items() if "average" not in row.parsed}  # values per query
# These and their mean divide 0 by 0 if -J removes all documents of a query.
NAN_OF_EMPTY = ("iprec_at_recall", "11pt_avg")
LEVELS = {
    "iprec_at_recall": [f"{level / 10:.2f}" for level in range(11)],
    "Rprec_mult": [f"{level / 10:.2f}" for level in range(2, 21, 2)],
}

# Number of queries and maximum number of documents per query.
SIZES = [(40, 60), (300, 20), (1000, 10), (5000, 6)]
SCORES = ["real", "few values", "equal in float32", "negative", "beyond float32", "integers"]
GRADES: dict[str, list[int]] = {
    "binary": [0, 1],
    "graded": [0, 0, 1, 2, 4],
    "many negative": [-2, -1, -1, 0, 1, 3],
    "rare": [0] * 12 + [-1, 2],
}
PARTS = {"all": (1.0, 1.0), "few judged": (0.9, 0.3), "few retrieved": (0.4, 0.8)}  # retrieved, judged
TABLE = list(product(SIZES, SCORES, GRADES, PARTS))


class Options(NamedTuple):
    """Options of trec_eval."""

    complete: bool = False  # -c
    depth: int | None = None  # -M
    level: int = 1  # -l
    judged: bool = False  # -J


class Found(NamedTuple):
    """Numbers of compared and of equal values, and the largest relative differences."""

    n_values: int
    n_equal: int
    n_nan: int  # NaN in trec_eval if no document is left, where our value is 0
    of_queries: float
    of_means: float


# ------------------------------------------------------------------ the files


def _draw_scores(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    scores = rng.normal(size=n)
    if kind == "few values":
        scores = scores.round() / 3
    elif kind == "equal in float32":
        scores = 1 + scores.round() + 1e-9 * rng.integers(0, 5, n)
    elif kind == "negative":
        scores = scores - 1000
    elif kind == "beyond float32":
        scores = scores * 10.0 ** rng.integers(-60, 60, n)
    elif kind == "integers":
        scores = (10 * scores).round()
    return scores


def make_files(index: int) -> tuple[Run, Qrels]:
    """Draw a run and qrels by index; each query has a document in the files that contain it."""
    (n_queries, most), kind, grades, part = TABLE[index]
    retrieved, judged = PARTS[part]
    rng = np.random.default_rng(index)
    run: Run = {}
    qrels: Qrels = {}
    for query in range(n_queries):
        n = int(rng.integers(1, most + 1))
        names = [f"d{name}" for name in rng.choice(10 * most, n, replace=False).tolist()]
        scores = _draw_scores(kind, rng, n).tolist()
        values = rng.choice(GRADES[grades], n).tolist()
        shown, seen = rng.random(n) < retrieved, rng.random(n) < judged
        if rng.random() < 0.9:
            shown[0] |= not shown.any()
            run[f"q{query}"] = {name: score for name, score, one in zip(names, scores, shown) if one}
        if rng.random() < 0.9:
            seen[-1] |= not seen.any()
            judged_here = {name: value for name, value, one in zip(names, values, seen) if one}
            if max(judged_here.values()) < 0:  # trec_eval reads uninitialized memory for them
                judged_here[names[-1]] = 0
            qrels[f"q{query}"] = judged_here
    return run, qrels


def write_files(run: Run, qrels: Qrels) -> tuple[io.BytesIO, io.BytesIO]:
    """Write both files in TREC format."""
    lines = [
        f"{query} Q0 {name} 0 {score!r} t\n"
        for query, documents in run.items()
        for name, score in documents.items()
    ]
    judgments = [
        f"{query} 0 {name} {grade}\n"
        for query, documents in qrels.items()
        for name, grade in documents.items()
    ]
    return io.BytesIO("".join(lines).encode()), io.BytesIO("".join(judgments).encode())


# ------------------------------------------------------------------ the metrics


def list_names() -> list[str]:
    """List trec_eval's names of all metrics in our table."""
    names = []
    for stem, row in ROWS.items():
        if row.cutoff == "required":
            names += [f"{stem}_{k}" for k in CUTOFFS]
        elif row.takes:
            names += [f"{stem}_{level}" for level in LEVELS[stem]]
        else:
            names.append(stem)
    return names


def cut(documents: Mapping[str, float], depth: int) -> dict[str, float]:
    """Keep the top documents, as -M does: by score in float32, with ties broken by id."""
    with np.errstate(over="ignore", under="ignore"):
        order = sorted(documents, key=lambda name: (np.float32(documents[name]), name), reverse=True)
    return {name: documents[name] for name in order[:depth]}


def compute_trec_eval(run: Run, qrels: Qrels, options: Options) -> dict[str, dict[str, float]]:
    """Return the values of each query by metric, computed by pytrec_eval."""
    import pytrec_eval

    cutoffs = ",".join(map(str, CUTOFFS))
    measures = {f"{stem}.{cutoffs}" if row.cutoff == "required" else stem for stem, row in ROWS.items()}
    if options.depth is not None:
        run = {query: cut(documents, options.depth) for query, documents in run.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, measures, relevance_level=options.level, judged_docs_only_flag=options.judged
    )
    values: dict[str, dict[str, float]] = evaluator.evaluate(run)
    if options.complete:
        missing = dict.fromkeys(list_names(), 0.0)
        values |= {query: missing for query in qrels if query not in run}
    return values


def compute_ours(files: tuple[io.BytesIO, io.BytesIO], options: Options) -> tuple[list[str], Any, Any]:
    """Return the queries, their values by metric, and the means."""
    for file in files:
        file.seek(0)
    queries = "judged" if options.complete else "both"
    run, qrels = files
    y_true, y_score, groups = from_run(qrels, run, queries=queries, depth=options.depth)
    chosen: dict[str, Any] = {"metrics": [f"trec_eval:{name}" for name in list_names()], "groups": groups}
    chosen |= {"min_relevance": options.level} | ({"unjudged": "drop"} if options.judged else {})
    by_query = ranking_scores(y_true, y_score, average=None, **chosen)
    return np.unique(groups).tolist(), by_query, ranking_scores(y_true, y_score, **chosen)


# ------------------------------------------------------------------ the comparison

BEGIN, END = "<!-- begin of the files -->", "<!-- end of the files -->"
HEADER = """\
| options | files | values | bitwise equal | NaN there, 0 here | largest difference | largest for means |
|---|---|---|---|---|---|---|"""


def _relative(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return relative differences."""
    difference = np.abs(one - other)
    return np.where(difference == 0, 0, difference / np.maximum(np.abs(other), np.finfo(float).tiny))


def compare(index: int, options: Options) -> Found:
    """Compare all metrics on one pair of files."""
    run, qrels = make_files(index)
    theirs = compute_trec_eval(run, qrels, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)  # many queries without a relevant document
        queries, by_query, means = compute_ours(write_files(run, qrels), options)
    assert queries == sorted(theirs), f"file {index}, {options}"
    n_values, n_equal, n_nan, of_queries, of_means = 0, 0, 0, 0.0, 0.0
    for name in list_names():
        expected = np.array([theirs[query][name] for query in queries])
        ours = by_query[f"trec_eval:{name}"]
        if options.judged and name.startswith(NAN_OF_EMPTY):
            empty = np.isnan(expected)
            expected[empty], n_nan = 0, n_nan + int(empty.sum())
        mean = np.array(fsum(expected) / len(expected))
        n_values, n_equal = n_values + len(ours), n_equal + int((ours == expected).sum())
        of_queries = float(np.maximum(of_queries, _relative(ours, expected).max()))  # keeps nan
        of_means = float(np.maximum(of_means, _relative(np.array(means[f"trec_eval:{name}"]), mean)))
    return Found(n_values, n_equal, n_nan, of_queries, of_means)


def list_options(index: int) -> Iterator[tuple[str, Options]]:
    """List the options under which files are compared, with their names in trec_eval."""
    depth, level = (1, 2, 5, 20)[index % 4], (2, 3)[index % 2]
    yield "", Options()
    yield "-c", Options(complete=True)
    yield "-M n", Options(depth=depth)
    yield "-l n", Options(level=level)
    yield "-J", Options(judged=True)
    yield "-c -M n -l n -J", Options(True, depth, level, True)


def make_table(n_files: int = len(TABLE)) -> str:
    """Compare all files under all options, and format the results."""
    found: dict[str, list[Found]] = {}
    for index in range(n_files):
        for name, options in list_options(index):
            found.setdefault(name, []).append(compare(index, options))
    lines = [HEADER]
    for name, each in found.items():
        n_values, n_equal, n_nan, *_ = map(sum, zip(*each))
        *_, of_queries, of_means = map(max, zip(*each))
        cells = [name or "none", len(each), f"{n_values:,}", f"{n_equal / n_values:.2%}", f"{n_nan:,}"]
        lines.append(f"| {' | '.join(map(str, cells))} | {of_queries:.1e} | {of_means:.1e} |")
    return "\n".join(lines)
