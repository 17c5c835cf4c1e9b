"""The engine's blocks: every row once, in rank order, and with little padding."""

import pickle
from itertools import pairwise

import numpy as np
import pytest

from sklearn_rank._checks.rows import Scores
from sklearn_rank._engine import blocks, prepared
from sklearn_rank._engine.blocks import iter_blocks
from sklearn_rank._engine.prepared import BLOCK_CELLS, PreparedRows, find_queries


def make(lengths, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.repeat(rng.permutation(len(lengths)), lengths)
    return rng.integers(0, 5, len(groups)), rng.standard_normal(len(groups)), groups


def known(scores):
    return Scores(scores, scores.min(), scores.max())


@pytest.mark.parametrize("low", [1, 2, 20, 300])
def test_blocks_padding_is_below_one_sixth(low):
    lengths = np.clip(np.random.default_rng(0).lognormal(4.5, 1, 5000).astype(int), low, 3000)
    labels, scores, groups = make(lengths)
    blocks = list(iter_blocks(PreparedRows(labels, find_queries(groups, len(groups))), known(scores)))
    assert sum(block.labels.size for block in blocks) < len(groups) * 7 / 6
    assert max(block.labels.size for block in blocks) <= max(BLOCK_CELLS, 3000 * 4 / 3)


def test_pickled_rows_make_the_same_blocks():
    labels, scores, groups = make(np.random.default_rng(0).integers(1, 200, 700))
    rows = PreparedRows(labels, find_queries(groups, len(groups))).keep()
    blocks = list(iter_blocks(rows, known(scores)))
    copied = list(iter_blocks(pickle.loads(pickle.dumps(rows)), known(scores)))
    for block, copy in zip(blocks, copied, strict=True):
        np.testing.assert_array_equal(block.labels, copy.labels)
        np.testing.assert_array_equal(block.scores, copy.scores)


@pytest.mark.parametrize("shuffled", [False, True])
def test_blocks_contain_every_row_once_in_rank_order(shuffled):
    labels, scores, groups = make(np.random.default_rng(0).integers(1, 200, 700))
    if shuffled:
        rows = np.random.default_rng(1).permutation(len(groups))
        labels, scores, groups = labels[rows], scores[rows], groups[rows]
    seen = []
    queries = find_queries(groups, len(groups))
    first_rows = queries.firsts if queries.rows is None else queries.rows[queries.firsts]
    for block in iter_blocks(PreparedRows(labels, queries), known(scores)):
        for i, query in enumerate(groups[first_rows[block.members]]):
            rows = np.flatnonzero(groups == query)
            best_first = rows[np.argsort(-scores[rows])]
            assert block.lengths[i] == len(rows)
            np.testing.assert_array_equal(block.labels[i, : len(rows)], labels[best_first])
            np.testing.assert_array_equal(block.scores[i, : len(rows)], scores[best_first])
            assert (block.labels[i, len(rows) :] == 0).all()
            seen.append(query)
    assert sorted(seen) == list(range(700))


# ------------------------------------------------------------------ ways to read and sort rows

SCORES = {
    "distinct": lambda rng, n: rng.permutation(n) - n / 2,
    "tied": lambda rng, n: rng.integers(0, 5, n) / 2 - 1,
    "equal but for their last bits": lambda rng, n: 1 + np.spacing(1) * rng.integers(0, 4, n),
    "equal but for the last bit of a few": lambda rng, n: 1 + np.spacing(1) * (rng.random(n) < 0.1),
    "next to zero": lambda rng, n: rng.choice([0.0, -0.0, 5e-324, -5e-324, 40 * 5e-324, -1.0], n),
    "float32": lambda rng, n: rng.integers(0, 5, n).astype(np.float32) / 10,
    "some unretrieved": lambda rng, n: rng.choice([-np.inf, -1e300, 0.5, 1.0], n),
    "some infinite": lambda rng, n: rng.choice([np.inf, -2.5, 0.5, 1.0], n),
}
LABELS = {
    "grades": lambda rng, n: rng.integers(0, 5, n),
    "grades as floats": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "up to 30": lambda rng, n: rng.choice([0, 1, 29, 30], n),
    "up to 32": lambda rng, n: rng.choice([0, 1, 31, 32], n),
    "up to 32 as floats": lambda rng, n: rng.choice([0.0, 1.0, 31.0, 32.0], n),
    "some halves": lambda rng, n: rng.integers(0, 5, n) / 2,
    "halves": lambda rng, n: rng.integers(0, 5, n) + 0.5,
    "some missing": lambda rng, n: rng.choice([0, 1, 2, np.nan], n),
}
READ = {
    "at once": {},
    "kept": {},
    "piece by piece": {
        (blocks, "STRIP"): 20,
        (blocks, "PIECE"): 7,
        (prepared, "CHUNK_QUERIES"): 9,
        (prepared, "BLOCK_CELLS"): 30,
    },
    "by length": {(prepared, "ONE_BLOCK"): 0},
    "with a table too small": {(blocks, "PIECE"): 7, (blocks, "SLOT_BITS"): 1},
}
KEYS = {
    "order": lambda row: (-row[0], row[2]),
    "best": lambda row: (-row[0], -row[1]),
    "worst": lambda row: (-row[0], row[1]),
    "average": lambda row: (-row[0], row[1]),
}


def however(test):
    return pytest.mark.parametrize("read", READ)(pytest.mark.parametrize("kind", SCORES)(test))


def ranked(read, kind, ties, monkeypatch):
    """Yield the (score, label, place) of the judged documents of a query, sorted by hand, and its block."""
    for (module, name), value in READ[read].items():
        monkeypatch.setattr(module, name, value)
    rng = np.random.default_rng(0)
    lengths = np.append(rng.integers(1, 9, 38), [40, 60])  # long queries are sorted differently
    groups, n = np.repeat(np.arange(40), lengths), lengths.sum()
    for draw in LABELS.values():
        labels, scores, seen = draw(rng, n), SCORES[kind](rng, n), []
        prepared = PreparedRows(labels, find_queries(groups, n), unjudged="drop")
        for block in iter_blocks(prepared.keep() if read == "kept" else prepared, known(scores), ties):
            for i, query in enumerate(block.members):
                rows = zip(scores[groups == query], labels[groups == query], range(n))
                yield sorted((row for row in rows if row[1] == row[1]), key=KEYS[ties]), block, i
                seen.append(query)
        assert sorted(seen) == list(range(40))


@however
@pytest.mark.parametrize("ties", ["order", "best", "worst"])
def test_block_labels_are_sorted_by_tie_rule(read, kind, ties, monkeypatch):
    for rows, block, i in ranked(read, kind, ties, monkeypatch):
        padding = [0] * (block.labels.shape[1] - len(rows))
        assert block.labels[i].tolist() == [label for _, label, _ in rows] + padding


@however
def test_block_scores_and_labels_stay_together_with_average_ties(read, kind, monkeypatch):
    for rows, block, i in ranked(read, kind, "average", monkeypatch):
        found = zip(block.scores[i, : len(rows)], block.labels[i], range(len(rows)))
        assert [row[:2] for row in sorted(found, key=KEYS["average"])] == [row[:2] for row in rows]


@however
def test_block_open_ties_mark_runs_of_equal_scores(read, kind, monkeypatch):
    for rows, block, i in ranked(read, kind, "average", monkeypatch):
        differs = [above[0] != here[0] for above, here in pairwise(rows)]
        opens = (
            np.ones_like(block.labels[i], dtype=bool) if block.open_ties is None else block.open_ties.opens[i]
        )
        documents = slice(len(rows) + 1)  # and the first padding cell, which opens a run
        assert opens[documents].tolist() == ([True] + differs + [True])[documents][: len(opens)]


@however
def test_blocks_count_documents_and_retrieved_documents(read, kind, monkeypatch):
    for rows, block, i in ranked(read, kind, "average", monkeypatch):
        assert block.lengths[i] == len(rows)
        assert block.n_retrieved[i] == sum(score > -np.inf for score, _, _ in rows)


@pytest.mark.parametrize("ties", ["order", "best", "worst"])
def test_blocks_have_no_open_ties_when_rule_settles_them(ties, monkeypatch):
    assert all(block.open_ties is None for _, block, _ in ranked("at once", "tied", ties, monkeypatch))
