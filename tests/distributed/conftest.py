"""Fixtures for tests of rows in parts."""

import tempfile

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of temporary files, which is empty again at the end."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    yield path
    assert list(path.iterdir()) == []
