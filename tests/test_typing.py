"""The package is typed for its users; mypy itself runs in CI."""

from pathlib import Path
from zipfile import ZipFile

import pytest
import typed_usage

ROOT = Path(__file__).resolve().parents[1]


def test_what_type_checkers_read_also_runs():
    typed_usage.main()


def test_the_wheel_is_marked_as_typed(tmp_path, monkeypatch):
    build = pytest.importorskip("hatchling.build")
    monkeypatch.chdir(ROOT)
    wheel = build.build_wheel(str(tmp_path))
    assert "sklearn_rank/py.typed" in ZipFile(tmp_path / wheel).namelist()
