"""The command line, ``sklearn-rank``: metrics of files, as trec_eval prints them or as tables."""

from ._main import main as main
