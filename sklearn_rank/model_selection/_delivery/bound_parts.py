"""Splitters that know the ids of the rows that they split, and scorers that get the real rows."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

from sklearn.metrics import get_scorer
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from ..._checks.types import AnyScorer, Arguments, Features, Labels, Options, Scoring, Splitter
from ..._checks.warn import running_call, send_warnings
from ..._rows.bound import Bound, RowTable, select, unwrap, with_groups
from ..._rows.inner_models import Wrapper, is_of_scikit_learn, read_requests, takes
from ..._rows.scorer_columns import call_scorer, list_labels, names_for, takes_weights
from ...metrics import is_ranking, score_model, without_cautions
from .._catalog.catalog_scorer import CatalogScorer
from .._splitters.group_splits import as_splitter


class BoundSplitter(Wrapper):
    """Folds that get the ids of the rows; an int, or None, means folds of whole queries."""

    inner = "given"

    def __init__(self, given: Any, rows: RowTable, how: str):
        self.given, self.rows, self.how = given, rows, how
        self.cv: Any = as_splitter(given, rows.count())

    def get_metadata_routing(self) -> MetadataRequest:
        """Request ids that are never passed, because TargetEncoder requires such a request."""
        request = MetadataRequest(owner=type(self).__name__)
        request.split.add_request(param="groups", alias=True)
        return request

    def get_n_splits(self, X: Features = None, y: Labels = None, groups: object = None) -> int:
        """Return the number of folds."""
        return int(self.cv.get_n_splits(self.rows.X, self.rows.y, self.rows.columns["groups"]))

    def split(self, X: Features, y: Labels = None, groups: object = None) -> Iterable[Any]:
        """Return the training and test rows of each fold."""
        return split_rows(self.cv, *self.rows.read(self.how, X, y, "The splitter"))


def list_columns(splitter: Splitter) -> dict[str, str]:
    """Return the columns that a splitter takes: what it requests, and ids if it takes any."""
    requests = read_requests(splitter, "split")
    if not is_of_scikit_learn(splitter) and takes(splitter, "split", "groups"):
        requests.setdefault("groups", True)
    asked = requests.items()
    return {name: alias if isinstance(alias, str) else name for name, alias in asked if alias is not False}


def split_rows(splitter: Splitter, X: Features, y: Labels, columns: Arguments) -> Any:
    """Return the folds of a splitter, which gets the columns that it takes."""
    return splitter.split(X, y, **select(columns, list_columns(splitter)))


class BoundScorer(Wrapper):
    """A user's scorer that gets the user's model, the real rows and their columns.

    A `cautioned` scorer issues no cautions about the labels, because the call has issued them.
    """

    inner = "scorer"

    def __init__(self, scorer: AnyScorer, cautioned: bool = False):
        self.scorer, self.is_ranking = scorer, is_ranking(scorer)
        self.names, self.labels = names_for(scorer), list_labels(scorer)
        self.records = isinstance(scorer, CatalogScorer)  # and takes pairs that were recorded in training
        self.cautioned = cautioned
        self.running_call = running_call()  # which shows each warning once
        self.__name__ = getattr(scorer, "__name__", type(scorer).__name__)

    def _accept_sample_weight(self) -> bool:
        return True  # otherwise scikit-learn warns; `score` drops weights that the scorer does not take

    def get_metadata_routing(self) -> MetadataRequest:
        """Request what the scorer requests. Only weights are routed."""
        return get_routing_for_object(self.scorer)

    def __call__(self, bound: Bound, X: Features, y: Labels = None, **params: Any) -> Any:
        """Return the score of the model inside, on the real rows."""
        X, y, columns = bound.read(X, y)
        return self.score(bound, X, y, columns, params)

    def score(
        self, bound: Any, X: Features, y: Labels, columns: Arguments, params: Options, prepared: Any = None
    ) -> Any:
        """Return the score of real rows; `prepared` are the rows in the form of the scorer."""
        needs = bound.needs if isinstance(bound, Bound) else None
        model = with_groups(unwrap(bound), columns, needs)
        if "sample_weight" in params and not takes_weights(self.scorer):
            params = {name: value for name, value in params.items() if name != "sample_weight"}
        given = {**select(columns, self.names), **params}
        if self.records and getattr(bound, "seen", None):
            given["seen"] = bound.seen.get(self.scorer.columns)

        run = partial(call_scorer, self.scorer, model, X, y, **given)
        if prepared is not None:
            run = partial(score_model, self.scorer, model, X, y, prepared, given.get("groups"))
        with without_cautions() if self.cautioned and self.is_ranking else nullcontext():
            return send_warnings(self.running_call, run)


def bind_scorers(scoring: Scoring, cautioned: bool = False) -> Any:
    """Return scorers for a `Bound`; names mean those of scikit-learn. `None` stays: the model's own score."""
    if isinstance(scoring, list | tuple | set):
        scoring = {name: name for name in scoring}
    if isinstance(scoring, Mapping):
        return {name: bind_scorers(each, cautioned) for name, each in scoring.items()}
    if scoring is None or isinstance(scoring, BoundScorer):
        return scoring
    return BoundScorer(get_scorer(scoring) if isinstance(scoring, str) else scoring, cautioned)
