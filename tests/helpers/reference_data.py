"""Reference data next to the checkout. Tests that need it are skipped if it is absent."""

import csv
import json

import numpy as np
import pytest

from tests.helpers.pages import ROOT

REFERENCE = ROOT.parent / "shared" / "reference"
needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="the reference data is not next to the checkout"
)


def read_json(name):
    """Parse a JSON file of the reference data; {} if it is absent, because tests are collected anyway."""
    path = REFERENCE / name
    return json.loads(path.read_text()) if path.is_file() else {}


def read_columns(name):
    """Read a CSV file of numbers as a dict of columns."""
    with (REFERENCE / name).open() as file:
        rows = list(csv.DictReader(file))
    return {column: np.array([float(row[column] or "nan") for row in rows]) for column in rows[0]}


def read_libsvm(name, n_features=300):
    """Read LightGBM's example rows and the query id of each."""
    folder = REFERENCE / "lightgbm_lambdarank"
    lines = (folder / name).read_text().splitlines()
    X, y = np.zeros((len(lines), n_features + 1)), np.zeros(len(lines))
    for row, line in enumerate(lines):
        label, *pairs = line.split()
        y[row] = float(label)
        for pair in pairs:
            column, value = pair.split(":")
            X[row, int(column)] = float(value)
    sizes = np.loadtxt(folder / f"{name}.query", dtype=int)
    return X, y, np.repeat(np.arange(len(sizes)), sizes)
