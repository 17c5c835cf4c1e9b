"""Adjacent rows, split at query boundaries, and shares of row groups."""

from itertools import pairwise

import numpy as np
import pytest

from sklearn_rank.distributed._data import iter_queries, read_share
from sklearn_rank.distributed._sources import open_source
from sklearn_rank.metrics import Given
from tests.helpers.frames import arrow, cut, pandas, parquet

NAMES = Given("label", "score", "qid")


def draw_rows(random):
    """Draw rows sorted by query, of 1 to 40 each and once in a while more, and the row number as label."""
    sizes = random.integers(1, 40, 15) * random.choice([1, 1, 1, 8], 15)
    ids = np.repeat(np.arange(15), sizes)
    return pandas.DataFrame({"qid": ids, "label": np.arange(len(ids)), "score": 0.5})


def list_rows(parts):
    return np.concatenate([np.asarray(part.y_true) for part in parts])


def list_queries(parts):
    """List the ids of all parts, each as often as parts have it."""
    return [each for part in parts for each in np.unique(np.asarray(part.groups)).tolist()]


@pytest.mark.parametrize("seed", range(20))
def test_iter_queries_cuts_batches_at_query_boundaries(seed):
    random = np.random.default_rng(seed)
    rows = draw_rows(random)
    source = open_source(cut(rows, int(random.integers(1, 100))), NAMES)
    parts = list(iter_queries(source.tables, NAMES))
    assert list_rows(parts).tolist() == rows.label.tolist()
    assert list_queries(parts) == list(range(15))  # each query is in one part


@pytest.mark.parametrize("ids", ["as numbers", "as text"])
@pytest.mark.parametrize("seed", range(20))
def test_read_share_reads_queries_that_begin_in_the_share(seed, ids, tmp_path):
    random = np.random.default_rng(seed)
    rows = draw_rows(random)
    if ids == "as text":
        rows["qid"] = rows.qid.map("q{:02d}".format)
    for place, part in enumerate(cut(rows, len(rows) // 3 + 1)):
        size = int(random.integers(5, 60))
        parquet.write_table(arrow.Table.from_pandas(part), tmp_path / f"{place}.parquet", row_group_size=size)
    stored = open_source(tmp_path, NAMES).stored
    n = len(stored.row_groups)
    edges = np.unique([0, *random.integers(0, n + 1, 4), n]).tolist()
    shares = [read_share(stored, span, NAMES) for span in pairwise(edges)]
    parts = [part for share in shares for part in iter_queries(share, NAMES)]
    assert list_rows(parts).tolist() == rows.label.tolist()
    assert len(list_queries(parts)) == 15


def test_read_share_skips_empty_row_groups(tmp_path):
    rows = pandas.DataFrame({"qid": [1, 1, 2, 2], "label": [1, 0, 0, 1], "score": [0.1, 0.2, 0.3, 0.4]})
    schema = arrow.Schema.from_pandas(rows)
    with parquet.ParquetWriter(tmp_path / "rows.parquet", schema) as writer:
        for part in (rows[:0], rows[:1], rows[:0], rows[1:], rows[:0]):
            writer.write_table(arrow.Table.from_pandas(part, schema))
    stored = open_source(str(tmp_path), NAMES).stored
    shares = [read_share(stored, (place, place + 1), NAMES) for place in range(5)]
    assert [list_queries(iter_queries(each, NAMES)) for each in shares] == [[], [1], [], [2], []]
