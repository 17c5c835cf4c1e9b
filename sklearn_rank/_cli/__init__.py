"""The command ``sklearn-rank``, which computes metrics of files."""

from ._main import main as main
