"""The package is typed for its users; mypy itself runs in CI."""

from pathlib import Path

import sklearn_rank
from tests import typed_usage


def test_what_type_checkers_read_also_runs():
    typed_usage.main()


def test_the_package_is_marked_as_typed():
    assert (Path(sklearn_rank.__file__).parent / "py.typed").is_file()  # of the wheel, where that is tested
