"""Adjacent rows, split at query boundaries."""

import numpy as np
import pytest

from sklearn_rank.distributed import _sources
from sklearn_rank.distributed._data import iter_queries
from sklearn_rank.distributed._sources import open_source
from sklearn_rank.metrics import Given
from tests.helpers.frames import cut, pandas

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
def test_iter_queries_cuts_batches_at_query_boundaries(seed, monkeypatch):
    monkeypatch.setattr(_sources, "BATCH", 50)
    random = np.random.default_rng(seed)
    rows = draw_rows(random)
    source = open_source(cut(rows, int(random.integers(1, 100))), NAMES)
    parts = list(iter_queries(source.tables, NAMES))
    assert list_rows(parts).tolist() == rows.label.tolist()
    assert list_queries(parts) == list(range(15))  # each query is in one part
