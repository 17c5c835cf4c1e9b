"""The base class of all rankers: score, scikit-learn tags and a check of columns."""

from typing import Any

from sklearn.utils import RegressorTags

from .._checks import explain_parameters
from .._checks.containers import check_same_order, column_names, count_rows, resolve_groups
from .._checks.errors import fail
from .._checks.groups import check_groups
from .._checks.types import ArrayLike, Estimator, Features, Groups, Table
from ..metrics import ndcg_score

IN_PIPELINES = (
    "Pass groups=qid. Pipelines pass ids to their steps only with sklearn.set_config("
    "enable_metadata_routing=True). Scorers need no configuration: ndcg_scorer()(model, X, y, groups=qid)."
)


def name_columns(X: Features) -> list[Table] | None:
    names = column_names(X)
    return None if names is None else list(names)


def check_columns(fitted: list[Estimator] | None, X: Features, parameter: str = "X") -> None:
    """Check that a frame has the columns of `fit` in the same order, because not all libraries check it.

    If some names are not text, such as the default numbers of pandas, only their order is checked.
    """
    names = name_columns(X)
    if fitted is None or names is None or names == fitted:
        return
    missing = [name for name in fitted if name not in names]
    unseen = [name for name in names if name not in fitted]
    if (missing or unseen) and not all(isinstance(name, str) for name in [*fitted, *names]):
        return
    got = f"missing columns {missing[:5]} and new columns {unseen[:5]}"
    got = got if missing or unseen else "another order"
    fix = "" if missing else f"Pass {parameter}[model.feature_names_in_]."
    fail(parameter, "have the same columns as in fit, in the same order", got, fix)


Mixin: Any = object  # type checkers then allow methods of the other base class


class RankerMixin(Mixin):
    """A ranker for scikit-learn whose score is its mean NDCG, and which stores the columns of `fit`."""

    __metadata_request__score = {"groups": True}  # noqa: RUF012 - scikit-learn's convention
    own_metric = "ndcg"  # the metric of `score`
    _columns: list[Table] | None = None  # the names of the features of the last `fit`

    def __sklearn_tags__(self) -> Any:
        # scikit-learn has no type for rankers; a model that predicts a number per row is a regressor.
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags(poor_score=True)
        return tags

    @explain_parameters
    def score(
        self, X: Features, y: ArrayLike, *, groups: Groups = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the mean NDCG over queries, computed by `ndcg_score` with its default options.

        Parameters
        ----------
        X, y, groups
            As in :meth:`fit`.
        sample_weight : array-like of shape (n_rows,), default=None
            Query weights: repeat the weight of a query on each of its rows.

        Returns
        -------
        float
            NDCG between 0 and 1; higher is better.
        """
        check_same_order(X=X, y=y, groups=groups, sample_weight=sample_weight)
        ids = resolve_groups(groups, X, y, columns=False)
        if ids is None:
            fail("groups", "contain the query id of each row", None, IN_PIPELINES)
        ids = check_groups(ids, count_rows(X))
        return ndcg_score(y, self.predict(X), groups=ids, sample_weight=sample_weight)
