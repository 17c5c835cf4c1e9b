"""A watch over any splitter: what would spoil a test fold is said before anything is trained."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn import config_context, get_config
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from .._checks.errors import fail
from .._checks.warn import warn_user
from .._models.parts import takes
from .._splitters.folds import count_cut, spell_splitter
from ..metrics import Finding, RankingScorer, Request, find_cautions, give_caution
from .default_scorer import list_rankings, read_scoring
from .inner_searches import are_watched, iter_inner_folds
from .refused_labels import check_tested_labels, flat_labels

CUTS_QUERIES = (
    "{cv} cuts queries: in {folds}, {n_cut} of {n_tested} test queries have rows in the training set too. "
    "Use cv=5 or a splitter of whole queries such as BalancedGroupKFold."
)
FEWER_FOLDS = "Use fewer folds. To check folds before training, call check_folds(cv, X, y, groups=qid)."
SHOWN = 8  # folds that a warning lists


class WatchingSplitter:
    """A splitter that yields the folds of another one, and warns before anything is trained.

    It warns once of all folds that cut queries, unless the splitter has the attribute ``cuts_groups = True``.
    For ranking scorers it gives their cautions about the labels of the test sets, with the folds that each
    concerns; scorers then give none. Labels that a scorer rejects are an error.

    `codes` are the queries of the rows, or None if only the requests are read. `labels` are those that some
    of the `scorers` use instead of `y`, by name. Messages name the `function` that was called. The folds of
    searches inside the `model` are watched too; `named` is what their splitters ask for by name.
    """

    def __init__(
        self,
        splitter: Any,
        codes: np.ndarray | None = None,
        scorers: Sequence[RankingScorer] = (),
        function: str = "",
        labels: Mapping[str, Any] | None = None,
        model: Any = None,
        named: Mapping[str, Any] | None = None,
    ):
        self.splitter = splitter
        self.codes = codes
        self.scorers = list(scorers)
        self.function = function
        self.labels = labels or {}
        self.model = model
        self.named = named or {}
        # Warnings that this splitter or a copy of it has given, or that the call around it gives.
        self._told: set[tuple[str, ...]] = set()
        self._is_inner = are_watched()
        self.routing = get_config()["enable_metadata_routing"]  # as the user has it

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
        with config_context(enable_metadata_routing=self.routing):
            return self.splitter.get_n_splits(X, y, **known)

    def split(self, X: Any, y: Any = None, watched: Any = None, **params: Any) -> Iterator[Any]:
        """Yield the splitter's folds."""
        with config_context(enable_metadata_routing=self.routing):
            folds = list(self.splitter.split(X, y, **params))
            return iter(folds if self.codes is None else self._watch(folds, X, y, self.codes))

    def _list_labels(
        self, scorers: list[RankingScorer], y: Any
    ) -> list[tuple[list[RankingScorer], Any, str]]:
        """List the labels that tests are scored by, with the scorers of each and their name."""
        found = []
        for name in dict.fromkeys(scorer.labels for scorer in scorers):
            values = y if name is None else self.labels.get(name)
            if values is not None:
                found.append(([each for each in scorers if each.labels == name], values, name or "y"))
        return found

    def _watch(self, folds: list[Any], X: Any, y: Any, codes: np.ndarray) -> list[Any]:
        """Return the folds, after warnings about them."""
        for scorers, tested, name in self._list_labels(self.scorers, y):
            check_tested_labels(folds, scorers, tested, len(codes), self.function, name)
        self._check_tests(folds, codes)
        if not self._is_inner:
            self._warn_of_cuts(folds, self.splitter, codes)
            self._warn_of_labels(folds, self.scorers, y, codes)
            for search, splitter, inner in iter_inner_folds(self.model, folds, X, y, self.named):
                name = type(search).__name__
                if hasattr(search, "settles_ids"):
                    self._warn_of_cuts(inner, splitter, codes, name)
                rankings = list_rankings(read_scoring(search), search.estimator)
                self._warn_of_labels(inner, rankings, y, codes, name)
        return folds

    def _check_tests(self, folds: list[Any], codes: np.ndarray) -> None:
        """Check that ranking scorers have rows to score in each fold."""
        empty = [fold for fold, (_, test) in enumerate(folds) if not len(codes[test])]
        if empty and self.scorers:
            got = f"none in {_name_folds(empty, len(folds))}"
            fail("cv", self.function, "have rows to test on in each fold", got)

    def _warn_of_labels(
        self, folds: list[Any], scorers: list[RankingScorer], y: Any, codes: np.ndarray, search: str = ""
    ) -> None:
        """Warn of labels in the test sets of the call, or of a search inside the model."""
        for some, tested, name in self._list_labels(scorers, y):
            labels = flat_labels(tested, len(codes))
            if labels is not None:
                requests = [request for scorer in some for request in scorer.list_requests(self.function)]
                n_metrics = len(requests) + len(scorers) - len(some)
                self._caution(folds, requests, n_metrics, labels, codes, (name, search))

    def _warn_of_cuts(self, folds: list[Any], splitter: Any, codes: np.ndarray, search: str = "") -> None:
        """Warn of the folds that cut queries, unless that is the purpose of the splitter."""
        if getattr(splitter, "cuts_groups", False):
            return
        counts = {fold: count_cut(codes[train], codes[test]) for fold, (train, test) in enumerate(folds)}
        cut = [fold for fold, (n_cut, _) in counts.items() if n_cut]
        if cut and ("cuts", search) not in self._told:
            self._told.add(("cuts", search))
            n_cut, n_tested = (sum(counts[fold][side] for fold in cut) for side in (0, 1))
            named = _name_folds(cut, len(folds), search)
            warn_user(
                CUTS_QUERIES.format(cv=spell_splitter(splitter), folds=named, n_cut=n_cut, n_tested=n_tested)
            )

    def _caution(
        self,
        folds: list[Any],
        requests: list[Request],
        n_metrics: int,
        labels: np.ndarray,
        codes: np.ndarray,
        key: tuple[str, str],
    ) -> None:
        """Give the cautions about labels, each once with the folds that it concerns."""
        found: dict[tuple[Any, ...], dict[int, Finding]] = {}
        for fold, (_, test) in enumerate(folds):
            ids = codes[test]
            for finding in find_cautions(self.function, labels[test], ids, requests) if len(ids) else ():
                reason = finding.caution, finding.names, finding.details.get("why")
                found.setdefault(reason, {})[fold] = finding
        told = set(self._told)
        for (caution, names, _), by_fold in found.items():
            if (caution, *key) in told:
                continue
            self._told.add((caution, *key))
            details = _join_details([each.details for each in by_fold.values()])
            if "fix" in details and len(by_fold) < len(folds):
                details["fix"] = FEWER_FOLDS
            named = _name_folds(list(by_fold), len(folds), key[1])
            where = f" in the test set{'s' * (len(by_fold) > 1)} of {named}"
            give_caution(self.function, Finding(caution, names, details), n_metrics, where)


def _join_details(details: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the details of a caution for several folds: the sums of counts, and the first of all else."""
    joined = dict(details[0])
    for name in ("n_single", "n_queries"):
        if name in joined:
            joined[name] = sum(each[name] for each in details)
    return joined


def _name_folds(folds: list[int], n_folds: int, search: str = "") -> str:
    """Return the names of folds as text, and only their number for folds of a search inside the model."""
    if search:
        return f"{len(folds)} of {n_folds} folds of {search} inside the model"
    if len(folds) == n_folds > 1:
        return f"all {n_folds} folds"
    some = ", ".join(map(str, folds[:SHOWN])) + ", ..." * (len(folds) > SHOWN)
    return f"fold{'s' * (len(folds) > 1)} {some} of {n_folds}"
