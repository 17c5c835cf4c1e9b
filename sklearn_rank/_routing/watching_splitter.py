"""A watch over any splitter: what would spoil a test fold is said before anything is trained."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from .._checks.warn import warn_user
from .._models.parts import takes
from .._splitters.folds import count_cut, spell_splitter
from .._splitters.rows import read_labels
from ..metrics import RankingScorer
from .refused_labels import check_tested_labels

CUTS_QUERIES = (
    "{cv} cuts queries: in fold {fold}, {n_cut} of {n_tested} test queries have rows in train too. "
    "Use cv=5 or a splitter of whole queries such as BalancedGroupKFold."
)
JUDGES_NOTHING = (
    "{cv} leaves the test of fold {fold} no relevant document (label > 0), so that ranking metrics "
    "say nothing there. Use fewer folds; check_folds looks at them before."
)


class WatchingSplitter:
    """A splitter that yields the folds of another one, and warns once if they cut queries.

    Splitters whose purpose is to cut queries say so by the attribute ``cuts_groups = True``. With ranking
    scorers, a test fold without a relevant document gets a warning too, and labels that a scorer refuses are
    an error.

    Parameters
    ----------
    splitter : object
        The splitter.
    codes : ndarray of shape (n_rows,), default=None
        The query of each row; None where nothing but the requests is asked for.
    scorers : sequence of RankingScorer
        Those that will score the folds.
    function : str
        What was called, for messages.
    labels : mapping of str to array-like of shape (n_rows,), default=None
        By name those that some of the scorers score by, in the place of `y`.
    """

    def __init__(
        self,
        splitter: Any,
        codes: np.ndarray | None = None,
        scorers: Sequence[RankingScorer] = (),
        function: str = "",
        labels: Mapping[str, Any] | None = None,
    ):
        self.splitter = splitter
        self.codes = codes
        self.scorers = list(scorers)
        self.function = function
        self.labels = labels or {}

    def get_metadata_routing(self) -> MetadataRequest:
        """Request what the splitter requests, and `groups` in any case.

        Else scikit-learn would refuse ids that the splitter ignores. They are called `watched`, as the
        splitter may have a request of its own for `groups`.
        """
        request = MetadataRequest(owner=type(self.splitter).__name__)
        asked = {"groups": True} if takes(self.splitter, "split", "groups") else {}
        own = get_routing_for_object(self.splitter).split.requests
        for name, alias in {**asked, **own}.items():
            request.split.add_request(param=name, alias=alias)
        request.split.add_request(param="watched", alias="groups")
        return request

    def get_n_splits(self, X: Any = None, y: Any = None, watched: Any = None, **params: Any) -> int:
        """Return the splitter's number of folds."""
        known = {name: value for name, value in params.items() if takes(self.splitter, "get_n_splits", name)}
        return self.splitter.get_n_splits(X, y, **known)

    def split(self, X: Any, y: Any = None, watched: Any = None, **params: Any) -> Iterator[Any]:
        """Yield the splitter's folds."""
        folds = self.splitter.split(X, y, **params)
        return folds if self.codes is None else self._watch(folds, y, self.codes)

    def _list_labels(self, y: Any) -> list[tuple[list[RankingScorer], Any, str]]:
        """List the labels that tests are scored by, with the scorers of each and their name."""
        found = []
        for name in dict.fromkeys(scorer.labels for scorer in self.scorers):
            values = y if name is None else self.labels[name]
            if values is not None:
                found.append(([each for each in self.scorers if each.labels == name], values, name or "y"))
        return found

    def _watch(self, folds: Iterable[Any], y: Any, codes: np.ndarray) -> Iterator[Any]:
        """Yield folds; warn once of a query on both sides, and once of a test without a relevant document."""
        checking = not getattr(self.splitter, "cuts_groups", False)
        labels_of = self._list_labels(y)
        labels = read_labels(labels_of[0][1], len(codes)) if labels_of else np.ones(len(codes))
        judging = not (labels < 0).any()  # which the metrics refuse
        for scorers, tested, name in labels_of:
            folds = check_tested_labels(folds, scorers, tested, len(codes), self.function, name)
        for fold, (train, test) in enumerate(folds):
            n_cut, n_tested = count_cut(codes[train], codes[test]) if checking else (0, 0)
            if n_cut:
                message = CUTS_QUERIES.format(
                    cv=spell_splitter(self.splitter), fold=fold, n_cut=n_cut, n_tested=n_tested
                )
                warn_user(message)
                checking = False
            if judging and not (labels[test] > 0).any():
                warn_user(JUDGES_NOTHING.format(cv=spell_splitter(self.splitter), fold=fold))
                judging = False
            yield train, test
