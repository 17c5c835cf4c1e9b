"""The command line ``sklearn-rank``: metrics of files, as tables or in trec_eval's format."""

from ._main import main as main
