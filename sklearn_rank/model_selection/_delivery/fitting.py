"""Models that are fitted to rows with known ids. Their parts, folds and scorers know the ids meanwhile.

The outermost model of a call gets numbers of rows instead of X, or numbers of queries: in learning curves and
successive halving, scikit-learn counts samples, draws some of them and splits them, so queries stay whole.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from sklearn import config_context, get_config
from sklearn.base import TransformerMixin, is_classifier
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.metaestimators import available_if

from ..._checks.containers import count_rows, take
from ..._checks.types import Estimator, Features, Labels, Options
from ..._checks.warn import inside_call, part_of_call, running_call, turn_on
from ..._rows.bound import Bound, RowTable, select, unwrap
from ..._rows.inner_models import GRIDS, find_models, is_pairwise, read_parameters, replace_models, takes
from ..._rows.needs import Needs
from ..._rows.owners import BY_ROUTING
from ..._rows.scorer_columns import names_for
from ...metrics import without_cautions
from .._catalog.seen_pairs import Pairs, read_pairs
from .bound_parts import BoundSplitter, bind_scorers
from .check_folds import iter_searches, watched
from .read_columns import find_own_scorer

IN_PLACE = ("steps", "transformer_list")  # parameters whose models are replaced by the fitted ones


class BoundModel(Bound):
    """A model that knows the ids of the rows of each call, also while it is fitted."""

    @available_if(lambda self: hasattr(self.estimator, "transform"))  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Features, y: Labels = None, **params: object) -> Features:
        """Fit a transformer and transform the same rows."""
        needs, method = self.needs, getattr(type(self.estimator), "fit_transform", None)
        takes_less = "transform" in needs.own or ("fit" in needs.own and "fit_transform" not in needs.own)
        in_two = takes_less or method in (None, TransformerMixin.fit_transform)
        if in_two or needs.how in ("rows", "y"):
            return self.fit(X, y, **params).transform(X)
        return self._fit("fit_transform", X, y, params)

    def _fit(self, method: str, X: Features, y: Labels, params: Options) -> Any:
        model, needs = self.estimator, self.needs
        if self.how == "rows":
            self.trained_on = self.numbers(X) if is_pairwise(model) else None
        params = {**params, **self.rows.take_params(self.numbers(X, y))} if self.rows.params else params
        X, y, columns = self.read(X, y, with_columns=not needs.is_simple)
        if needs.is_simple:
            result = getattr(model, method)(X, y, **params)
            self.is_fitted_here = True
            return self if method == "fit" else result
        rows, own = RowTable(columns, X, y), select(columns, needs.own.get(method, {}))
        # Models such as LogisticRegressionCV pass columns to their scorers with routing only.
        by_scorer = needs.scores and not needs.parts and needs.is_theirs and needs.how is None
        for scorer in needs.scorers if by_scorer else ():
            own |= select(columns, {name: name for name in names_for(scorer).values()})
        is_routing = get_config()["enable_metadata_routing"]
        if method == "fit_transform" and needs.splits and is_routing:
            own |= {"groups": None} if takes(model, method, "**") else {}  # without it, TargetEncoder fails
        # These models pass parameters of `fit` on with routing only, by the names that their steps request.
        if transforms := bool(getattr(model, "transform_input", None)):
            short = {path.rpartition("__")[2]: value for path, value in params.items()}
            if {*map(id, short.values())} == {*map(id, params.values())}:  # or two of a name differ
                params = short
        routes = by_scorer or needs.routes(method) or transforms
        if params and not is_routing and type(model).__name__ in BY_ROUTING.split():
            rows.params, params = params, {}
        routing = config_context(enable_metadata_routing=True) if routes else nullcontext()
        with routing, planted(model, needs, rows) as (given, labels):
            result = getattr(model, method)(given, labels, **{**params, **own})
        self.is_fitted_here = True
        return self if method == "fit" else result


class OutermostModel(BoundModel):
    """The outermost model of a call."""

    def __init__(self, estimator: Estimator, rows: RowTable, needs: Needs | None = None):
        super().__init__(estimator, rows, "rows", needs)
        self.seen: dict[tuple[Any, Any], Pairs] = {}  # the recorded pairs
        self.running_call = running_call()  # which shows each warning once
        self.number: int | None = None  # of the fit; a search makes a clone for each
        self.n_clones = 0

    def __sklearn_clone__(self) -> Bound:
        model: Any = super().__sklearn_clone__()
        model.number, model.n_clones = self.n_clones, 0
        self.n_clones += 1
        return model

    def _fit(self, method: str, X: Features, y: Labels, params: Options) -> Any:
        if recorded := self.rows.recorded:
            X_train = take(self.rows.X, self.numbers(X))
            self.seen = {columns: read_pairs(X_train, *columns) for columns in recorded}
        watching = turn_on(watched) if any(iter_searches(self.needs)) else nullcontext()
        with inside_call(), part_of_call(self.running_call), watching:
            return super()._fit(method, X, y, params)

    def _answer(self, method: str, X: Features, y: Labels, params: Options) -> Any:
        if method == "score" and self.rows.weighs and takes(self.estimator, "score", "sample_weight"):
            params = {"sample_weight": take(self.rows.params["sample_weight"], self.numbers(X)), **params}
        is_cautioned = method == "score" and (watched.get() or find_own_scorer(self.estimator) is not None)
        with without_cautions() if is_cautioned else nullcontext(), part_of_call(self.running_call):
            return super()._answer(method, X, y, params)


@contextmanager
def planted(model: Any, needs: Needs, rows: RowTable) -> Iterator[tuple[Any, Any]]:
    """Bind parts, folds and scorers of a model while it is fitted; yield what it gets as X and y.

    At the end they are the user's again, also in fitted attributes.
    """
    always = bool(rows.params) or _refuses_routing(needs)
    how = _choose_how(needs, always)
    kept = {} if how is None else _plant(model, needs, rows, how, always)
    if not kept:
        yield rows.X, rows.y
        return
    numbers = np.arange(count_rows(rows.X))
    X, y = {"rows": (numbers[:, None], rows.y), "y": (rows.X, numbers)}.get(str(how), (rows.X, rows.y))
    try:
        yield X, y
    finally:
        plain = {name: unwrap(value) for name, value in vars(model).items() if name not in GRIDS}
        given = {name: value for name, value in kept.items() if name not in IN_PLACE}
        vars(model).update({**plain, **given})
        if how == "rows":
            _restore_width(model, rows.X)


def _choose_how(needs: Needs, always: bool) -> str | None:
    """Return how to bind the parts of a model; None if it needs no ids, or takes care of them itself."""
    if needs.passes_ids_itself or needs.is_frozen:
        return None
    if needs.how is not None and (always or needs.scores or any(part.in_fit for part in needs.inside)):
        return needs.how
    return "order" if needs.splits and (needs.how is not None or needs.is_theirs) else None


def _refuses_routing(needs: Needs) -> bool:
    """Return whether a part of a model does not support routing, which is enabled. A `Bound` hides that."""
    if needs.inside and get_config()["enable_metadata_routing"]:
        try:
            get_routing_for_object(needs.model)
        except Exception:  # missing support
            return True
    return False


def _plant(model: Any, needs: Needs, rows: RowTable, how: str, always: bool) -> Options:
    """Replace parameters of a model by those that know the ids, and return the user's."""
    inner, new = iter(needs.parts), Options()
    by_owner = needs.how is not None
    current = read_parameters(model)  # of this clone
    for name, value in current.items():
        if name not in GRIDS and find_models(value):
            here = "order" if name == "final_estimator" else how
            new[name] = _bind_parts(value, inner, rows, here, always) if by_owner else value
        elif name == "scoring" and how != "order" and not hasattr(model, "store_cv_results"):
            default = ("accuracy" if is_classifier(model) else "r2") if how == "y" else None
            new[name] = bind_scorers(default if value is None else value, cautioned=needs.is_search)
        elif name == "memory" and how == "order":  # a cache would keep the rows
            new[name] = None
        elif name == "cv" and needs.splits and value != "prefit":
            new[name] = BoundSplitter(value, rows, how)
    new = {name: value for name, value in new.items() if value is not current[name]}
    vars(model).update(new)
    return {name: current[name] for name in new}


def _bind_parts(value: Any, inner: Iterator[Needs], rows: RowTable, how: str, always: bool) -> Any:
    """Bind the models in a parameter. Steps after one that resamples the rows do not know them."""
    known = True

    def change(part: Estimator) -> Any:
        nonlocal known
        needs, known = next(inner), known and not hasattr(part, "fit_resample")
        plain = not known or (how == "order" and not (needs.in_fit or always))
        return part if plain else BoundModel(part, rows, how, needs)

    return replace_models(value, change)


def _restore_width(model: Estimator, X: Features) -> None:
    """Set the attributes that depend on the columns of X, because the model got row numbers."""
    if "n_features_in_" not in vars(model):
        return
    model.n_features_in_ = n_features = X.shape[1] if hasattr(X, "shape") else len(X[0])
    if hasattr(X, "columns"):
        model.feature_names_in_ = np.asarray(X.columns, dtype=object)
    if hasattr(model, "estimators_features_"):
        model.estimators_features_ = [np.arange(n_features)] * len(model.estimators_features_)
