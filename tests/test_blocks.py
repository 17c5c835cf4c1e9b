"""The engine's blocks: every row once, in rank order, and little padding."""

import numpy as np
import pytest

from sklearn_rank._blocks import iter_blocks
from sklearn_rank._layout import BLOCK_CELLS
from sklearn_rank._queries import find_queries


def make(lengths, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.repeat(rng.permutation(len(lengths)), lengths)
    return rng.integers(0, 5, len(groups)), rng.standard_normal(len(groups)), groups


@pytest.mark.parametrize("low", [1, 2, 20, 300])
def test_padding_stays_below_an_eighth(low):
    lengths = np.clip(np.random.default_rng(0).lognormal(4.5, 1, 5000).astype(int), low, 3000)
    labels, scores, groups = make(lengths)
    blocks = list(iter_blocks(labels, scores, find_queries(groups, len(groups))))
    assert sum(block.labels.size for block in blocks) < len(groups) * 9 / 8
    assert max(block.labels.size for block in blocks) <= max(BLOCK_CELLS, 3000 * 9 / 8)


@pytest.mark.parametrize("shuffled", [False, True])
def test_every_row_stands_once_in_rank_order(shuffled):
    labels, scores, groups = make(np.random.default_rng(0).integers(1, 200, 700))
    if shuffled:
        rows = np.random.default_rng(1).permutation(len(groups))
        labels, scores, groups = labels[rows], scores[rows], groups[rows]
    seen = []
    queries = find_queries(groups, len(groups))
    first_rows = queries.firsts if queries.rows is None else queries.rows[queries.firsts]
    for block in iter_blocks(labels, scores, queries):
        for i, query in enumerate(groups[first_rows[block.members]]):
            rows = np.flatnonzero(groups == query)
            best_first = rows[np.argsort(-scores[rows])]
            assert block.lengths[i] == len(rows)
            np.testing.assert_array_equal(block.labels[i, : len(rows)], labels[best_first])
            np.testing.assert_array_equal(block.scores[i, : len(rows)], scores[best_first])
            assert (block.labels[i, len(rows) :] == 0).all()
            seen.append(query)
    assert sorted(seen) == list(range(700))
