"""Time the reading of ids of a million shuffled rows from several containers, and from_score_matrix."""

import tracemalloc
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from time import perf_counter
from typing import Any
from uuid import UUID

import numpy as np
from scipy import sparse

from sklearn_rank import from_score_matrix, mrr_score

N_ROWS, N_QUERIES = 1_000_000, 50_000
N_USERS, N_ITEMS = 30_000, 5_000
BEGIN, END = "<!-- begin of the ids -->", "<!-- end of the ids -->"
DAY = datetime(2020, 1, 1)

# Builders of ids from the query number of each row: (container, library, builder).
CONTAINERS: list[tuple[str, str, Callable[[Any, np.ndarray], Any]]] = [
    ("numpy: int64", "numpy", lambda np, codes: codes),
    ("numpy: int64, far apart", "numpy", lambda np, codes: codes * 2**40),
    ("numpy: float64", "numpy", lambda np, codes: codes / 7),
    ("numpy: datetime64", "numpy", lambda np, codes: np.datetime64("2020-01-01") + codes),
    ("numpy: text, `<U12`", "numpy", lambda np, codes: _text()[codes]),
    ("numpy: bytes, `S12`", "numpy", lambda np, codes: _text().astype("S")[codes]),
    ("numpy: StringDType", "numpy", lambda np, codes: _text().astype(np.dtypes.StringDType())[codes]),
    ("numpy: objects, str", "numpy", lambda np, codes: _text().astype(object)[codes]),
    ("list of int", "numpy", lambda np, codes: codes.tolist()),
    ("list of str", "numpy", lambda np, codes: _text()[codes].tolist()),
    ("list of tuples", "numpy", lambda np, codes: _pick(((i // 10, f"q{i % 10}") for i in _range()), codes)),
    ("list of UUID", "numpy", lambda np, codes: _pick((UUID(int=i * 2**90) for i in _range()), codes)),
    ("list of datetime", "numpy", lambda np, codes: _pick((DAY + timedelta(i) for i in _range()), codes)),
    ("pandas: str", "pandas", lambda pd, codes: pd.Series(_text()[codes].tolist())),
    ("pandas: object", "pandas", lambda pd, codes: pd.Series(_text().astype(object)[codes], dtype=object)),
    ("pandas: string", "pandas", lambda pd, codes: pd.Series(_text()[codes], dtype="string")),
    ("pandas: category", "pandas", lambda pd, codes: pd.Series(_text()[codes], dtype="category")),
    (
        "pandas: ordered Categorical",
        "pandas",
        lambda pd, codes: pd.Categorical(_text()[codes], _text()[::-1], ordered=True),
    ),
    ("pandas: CategoricalIndex", "pandas", lambda pd, codes: pd.CategoricalIndex(_text()[codes])),
    ("pandas: MultiIndex", "pandas", lambda pd, codes: pd.MultiIndex.from_arrays([codes // 10, codes % 10])),
    ("polars: String", "polars", lambda pl, codes: pl.Series(_text()[codes])),
    ("polars: Categorical", "polars", lambda pl, codes: pl.Series(_text()[codes], dtype=pl.Categorical)),
    ("polars: Enum", "polars", lambda pl, codes: pl.Series(_text()[codes], dtype=pl.Enum(_text().tolist()))),
    ("pyarrow: string", "pyarrow", lambda pa, codes: pa.array(_text()[codes])),
    ("pyarrow: dictionary", "pyarrow", lambda pa, codes: pa.array(_text()[codes]).dictionary_encode()),
    ("pyarrow: dictionary in chunks", "pyarrow", lambda pa, codes: _encode_chunks(pa, _text()[codes])),
]


def _range() -> range:
    return range(N_QUERIES)


def _text() -> np.ndarray:
    return np.array([f"user-{i:07d}" for i in _range()])


def _pick(labels: Any, codes: np.ndarray) -> list[Any]:
    return np.fromiter(labels, dtype=object, count=N_QUERIES)[codes].tolist()


def _encode_chunks(pyarrow: Any, text: np.ndarray) -> Any:
    return pyarrow.chunked_array([pyarrow.array(part).dictionary_encode() for part in np.split(text, 4)])


def _time(call: Callable[[], Any], repeats: int) -> float:
    call()  # the first call is slower
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        call()
        seconds.append(perf_counter() - start)
    return min(seconds)


def format_table(repeats: int) -> str:
    """Return the table of ids, and a line about matrices of scores."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, N_QUERIES, N_ROWS)
    y_true, y_score = (rng.random(N_ROWS) < 0.2).astype(int), rng.standard_normal(N_ROWS)
    lines = ["| ids | seconds | ints = 1 |", "|---|---|---|"]
    of_ints = 0.0
    for name, library, build in CONTAINERS:
        try:
            ids = build(import_module(library), codes)
        except ImportError:
            continue
        seconds = _time(partial(mrr_score, y_true, y_score, groups=ids), repeats)
        of_ints = of_ints or seconds
        lines.append(f"| {name} | {seconds:.3f} | {seconds / of_ints:.1f} |")
    return "\n".join([*lines, "", _measure_matrix(repeats)])


def _measure_matrix(repeats: int) -> str:
    """Describe the time and memory of the top 10 of a matrix of scores."""
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((N_USERS, N_ITEMS), dtype=np.float32)
    entries = rng.integers(0, scores.size, 20 * N_USERS)
    places = (entries // N_ITEMS, entries % N_ITEMS)
    relevant = sparse.csr_array((np.ones(len(entries), dtype=np.float32), places), shape=scores.shape)
    seconds = _time(partial(from_score_matrix, relevant, scores, k=10), repeats)
    tracemalloc.start()
    rows = from_score_matrix(relevant, scores, k=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (
        f"`from_score_matrix(relevant, scores, k=10)` of {N_USERS:,} users and {N_ITEMS:,} items in float32, "
        f"{scores.nbytes / 1e6:.0f} MB: {seconds:.1f} s and at most {peak / 1e6:.0f} MB more, for "
        f"{len(rows[0]):,} rows."
    )
