"""A watch over any splitter and its folds."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from .._checks.codes import rank_ids
from .._checks.containers import count_rows
from .._checks.groups import check_groups
from .._checks.warn import warn_user
from .._models.parts import takes
from .._splitters.balanced import read_labels
from .._splitters.folds import count_cut
from ..metrics import RankingScorer
from .labels import check_labels

CUTS = (
    "{cv} cuts queries: in fold {fold}, {n_cut} of {n_tested} test queries have rows in train too. "
    "Use cv=5 or a splitter of whole queries such as BalancedGroupKFold."
)
JUDGES_NOTHING = (
    "{cv} leaves the test of fold {fold} no relevant document (label > 0), so that ranking metrics "
    "say nothing there. Use fewer folds; check_folds looks at them before."
)


class WholeQueries:
    """A splitter that passes `groups` to another one and warns if that cuts queries.

    Splitters whose purpose is to cut queries say so by the attribute ``cuts_groups = True``. With ranking
    `scorers`, a test fold without a relevant document gets a warning too, and labels that one of them refuses
    are an error of the `function` that was called, before anything is trained.
    """

    def __init__(self, splitter: Any, scorers: Sequence[RankingScorer] = (), function: str = ""):
        self.splitter = splitter
        self.scorers = list(scorers)
        self.function = function

    def get_metadata_routing(self) -> MetadataRequest:
        """Request the ids to watch beside what the splitter requests, which may ask for others."""
        request = MetadataRequest(owner=type(self.splitter).__name__)
        asked = {"groups": True} if takes(self.splitter, "split", "groups") else {}
        for name, alias in {**asked, **self._requests()}.items():
            request.split.add_request(param=name, alias=alias)
        request.split.add_request(param="watched", alias="groups")
        return request

    def _requests(self) -> dict[str, Any]:
        return get_routing_for_object(self.splitter).split.requests

    def get_n_splits(self, X: Any = None, y: Any = None, watched: Any = None, **params: Any) -> int:
        """Return the splitter's number of folds."""
        known = {name: value for name, value in params.items() if takes(self.splitter, "get_n_splits", name)}
        return self.splitter.get_n_splits(X, y, **known)

    def split(self, X: Any, y: Any = None, watched: Any = None, **params: Any) -> Iterator[Any]:
        """Yield the splitter's folds; warn once if a query is on both sides of one, or none has a hit."""
        folds = self.splitter.split(X, y, **params)
        if watched is None:
            yield from folds
            return
        function = f"{type(self.splitter).__name__}.split"
        codes = rank_ids(check_groups(watched, count_rows(X, function), function))
        folds = check_labels(folds, self.scorers, y, len(codes), self.function)
        checking = not getattr(self.splitter, "cuts_groups", False)
        labels = read_labels(y, len(codes)) if self.scorers and y is not None else np.ones(len(codes))
        judging = not (labels < 0).any()  # which the metrics refuse
        for fold, (train, test) in enumerate(folds):
            n_cut, n_tested = count_cut(codes[train], codes[test]) if checking else (0, 0)
            if n_cut:
                message = CUTS.format(cv=self.splitter, fold=fold, n_cut=n_cut, n_tested=n_tested)
                warn_user(message)
                checking = False
            if judging and not (labels[test] > 0).any():
                warn_user(JUDGES_NOTHING.format(cv=self.splitter, fold=fold))
                judging = False
            yield train, test


class SameFolds:
    """A splitter that yields the folds of its first split each time."""

    def __init__(self, splitter: Any):
        self.splitter = splitter
        self.folds: list[Any] | None = None

    def get_metadata_routing(self) -> MetadataRequest:
        """Request what the splitter requests."""
        return get_routing_for_object(self.splitter)

    def get_n_splits(self, X: Any = None, y: Any = None, **params: Any) -> int:
        """Return the splitter's number of folds."""
        return self.splitter.get_n_splits(X, y, **params)

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterator[Any]:
        """Yield the folds."""
        if self.folds is None:
            self.folds = list(self.splitter.split(X, y, **params))
        yield from self.folds
