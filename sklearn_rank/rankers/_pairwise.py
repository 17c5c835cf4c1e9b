"""A ranker that learns from pairs of documents with any classifier or regressor."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import assert_all_finite, column_or_1d, gen_batches, get_tags
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from .._checks import explain_parameters
from .._checks.containers import as_numpy, check_same_order, resolve_groups
from .._checks.errors import check_count, fail
from .._checks.options import check_random
from .._checks.rows import check_weights
from .._checks.types import ArrayLike, Estimator, Features, Groups, RandomState
from ._query_rows import as_labels, group_rows
from ._ranker_mixin import RankerMixin, check_columns, name_columns

# The first of these that a classifier has is called.
CLASSIFIER_METHODS = ("decision_function", "predict_joint_log_proba", "predict_proba")
BATCH_CELLS = 2**22  # cells of sparse rows to make dense at once


class DocumentPairs(NamedTuple):
    """Pairs of documents of one query with different labels: the row of each document, and the weights."""

    winners: np.ndarray
    losers: np.ndarray
    weights: np.ndarray


class PairwiseRanker(RankerMixin, MetaEstimatorMixin, BaseEstimator):
    """Ranker that learns from pairs of documents with a classifier or a regressor.

    The features of a pair are the differences of the features of its two documents. A classifier learns which
    document is better, from each pair in both orders. A regressor learns the difference of the labels. With
    ``LinearSVC``, this is RankSVM. With ``LogisticRegression`` or ``SGDClassifier(loss="log_loss")``, it is
    the pairwise loss of RankNet and BPR.

    All pairs of a query together have the weight of its rows, so long queries do not dominate. If `fit` of
    the estimator has no `sample_weight`, all pairs have the same weight.

    Source: RankSVM: T. Joachims, "Optimizing search engines using clickthrough data", KDD 2002. RankNet: C.
    Burges et al., "Learning to rank using gradient descent", ICML 2005. BPR: S. Rendle et al., "BPR: Bayesian
    personalized ranking from implicit feedback", UAI 2009. Equal weights of queries: Y. Cao et al., "Adapting
    ranking SVM to document retrieval", SIGIR 2006.

    Parameters
    ----------
    estimator : object
        Binary classifier or regressor with the interface of scikit-learn.
    max_pairs : int or None, default=500
        Maximum number of pairs per query. If a query has more, they are drawn at random. If `None`, all pairs
        are used.
    random_state : int, RandomState instance or None, default=None
        Seed for drawing pairs.

    Attributes
    ----------
    estimator_ : object
        Model fitted to the pairs.
    center_ : ndarray of shape (n_features,)
        Weighted mean of the training documents. The score of a document is the prediction for the pair of the
        document and this mean. For a linear model, scores are features times coefficients, up to a constant.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn_rank import cross_val_score, ndcg_scorer
    >>> from sklearn_rank.datasets import make_ranking
    >>> from sklearn_rank.rankers import PairwiseRanker
    >>> X, y, qid = make_ranking(shuffle=True, random_state=0)
    >>> model = PairwiseRanker(LogisticRegression(), random_state=0)
    >>> cross_val_score(model, X, y, scoring=ndcg_scorer(k=10), groups=qid).shape
    (5,)
    """

    __metadata_request__fit = {"groups": True}  # noqa: RUF012 - scikit-learn's convention

    def __init__(
        self, estimator: Estimator, *, max_pairs: int | None = 500, random_state: RandomState = None
    ):
        self.estimator = estimator
        self.max_pairs = max_pairs
        self.random_state = random_state

    @explain_parameters
    def fit(
        self, X: Features, y: ArrayLike, *, groups: Groups = None, sample_weight: ArrayLike | None = None
    ) -> PairwiseRanker:
        """Fit the estimator to pairs of documents of a query that have different labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Features.
        y : array-like of shape (n_rows,)
            Labels; higher is better. NaN means that the document was not judged.
        groups : array-like of shape (n_rows,) or str
            Query id of each row, or the name of an index level of X or y. Rows can be in any order.
        sample_weight : array-like of shape (n_rows,), default=None
            Document weights. To weight queries, repeat the weight of a query on each of its rows.

        Returns
        -------
        PairwiseRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If an argument is invalid, for example if ids are missing, if no query has two different labels,
            or if weights are passed and the estimator does not support them.
        """
        if not hasattr(self.estimator, "fit") or isinstance(self.estimator, type):
            fix = "Pass estimator=LogisticRegression(), for example."
            fail("estimator", "be a classifier or a regressor", repr(self.estimator), fix)
        kind = get_tags(self.estimator).estimator_type
        if kind in ("clusterer", "density_estimator", "outlier_detector"):  # their predictions are not scores
            got = f"{type(self.estimator).__name__} ({kind.replace('_', ' ')})"
            fail("estimator", "be a classifier or a regressor", got)
        if self.max_pairs is not None:
            check_count(self.max_pairs, 1, "max_pairs")
        random = check_random(self.random_state)
        check_same_order(X=X, y=y, groups=groups, sample_weight=sample_weight)
        ids = resolve_groups(groups, X, y, columns=False)
        X = self._check_features(X, ensure_min_samples=2)
        labels = column_or_1d(as_labels(y), dtype=np.float64, warn=True)
        assert_all_finite(labels, allow_nan=True, input_name="y")
        weights = check_weights(sample_weight, len(labels), "row")
        if weights is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            rule = f"be None, because {type(self.estimator).__name__}.fit has no such parameter"
            fail("sample_weight", rule, "weights")
        weights = np.ones(len(labels)) if weights is None else weights
        queries = group_rows(ids, X, {"y": labels})
        rows = np.arange(len(labels)) if queries.rows is None else queries.rows
        pairs = _pair_documents(queries.labels, weights[rows], queries.sizes, self.max_pairs, random)
        if not len(pairs.winners):
            rule = "contain different labels with weights above 0 in at least one query"
            fail("y", rule, "1 class per query")
        self.center_ = _weighted_mean(X[rows], weights[rows])
        self.estimator_ = self._fit_pairs(X, labels, rows, pairs)
        return self

    def _fit_pairs(self, X: Features, y: np.ndarray, rows: np.ndarray, pairs: DocumentPairs) -> Any:
        """Fit the model of pairs, each in both orders."""
        winners, losers = rows[pairs.winners], rows[pairs.losers]
        difference = X[winners] - X[losers]
        both = sparse.vstack if sparse.issparse(difference) else np.vstack
        target = y[winners] - y[losers]
        target = np.append(target, -target)
        if is_classifier(self.estimator):
            target = (target > 0).astype(np.int64)
        weighs = has_fit_parameter(self.estimator, "sample_weight")
        weight = {"sample_weight": np.tile(pairs.weights / 2, 2)} if weighs else {}
        with config_context(enable_metadata_routing=False):  # a model of pairs gets no ids
            model = clone(self.estimator).fit(both([difference, -difference]), target, **weight)
        if is_classifier(model) and not any(hasattr(model, method) for method in CLASSIFIER_METHODS):
            rule = f"have a method {' or '.join(CLASSIFIER_METHODS)} if it is a classifier"
            fail("estimator", rule, type(self.estimator).__name__)
        return model

    @explain_parameters
    def predict(self, X: Features) -> np.ndarray:
        """Predict the scores of documents; higher is better.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows,)
            Predicted scores, which can only be compared within a query.
        """
        check_is_fitted(self)
        X = self._check_features(X, reset=False)
        if not sparse.issparse(X):
            return self._score_pairs(X - self.center_)
        if hasattr(self.estimator_, "coef_"):  # a shift does not change the ranking by a linear model
            return self._score_pairs(X)
        batches = gen_batches(X.shape[0], max(1, BATCH_CELLS // X.shape[1]))
        return np.concatenate([self._score_pairs(X[batch].toarray() - self.center_) for batch in batches])

    def _score_pairs(self, difference: Features) -> np.ndarray:
        """Return how much better the first document of a pair is, predicted from the feature difference."""
        model = self.estimator_
        with config_context(enable_metadata_routing=False):
            if not is_classifier(model):
                return model.predict(difference)
            method = next(each for each in CLASSIFIER_METHODS if hasattr(model, each))
            response = getattr(model, method)(difference)
        if response.ndim == 1:
            return response
        # Joint log-probabilities of naive Bayes still differ if probabilities are rounded to 1.
        return response[:, 1] - response[:, 0] if method == "predict_joint_log_proba" else response[:, 1]

    def _check_features(self, X: Features, **options: object) -> Any:
        """Check features as scikit-learn does; allow NaN if the estimator does."""
        finite = "allow-nan" if get_tags(self.estimator).input_tags.allow_nan else True
        dtypes = [np.float64, np.float32]  # differences of small integer types wrap around
        data = as_numpy(X)
        checked = validate_data(
            self, data, accept_sparse="csr", dtype=dtypes, ensure_all_finite=finite, **options
        )
        if options.get("reset", True):
            self._columns = name_columns(X)
        check_columns(self._columns, X)  # scikit-learn 1.6 does not read names from polars
        return checked

    @property
    def coef_(self) -> np.ndarray:
        """Return the coefficients of a linear model, one per feature."""
        return self.estimator_.coef_

    @property
    def feature_importances_(self) -> np.ndarray:
        """Return the importances of a model that has them, one per feature."""
        return self.estimator_.feature_importances_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        tags.target_tags.required = True
        return tags


def _weighted_mean(X: Features, weights: np.ndarray) -> np.ndarray:
    """Return the weighted mean of the non-missing values of each column; 0 if all are missing."""
    shares = weights / weights.sum()  # before multiplication, so that large values do not overflow
    if sparse.issparse(X):
        return shares @ X
    missing = np.isnan(X)
    totals = shares @ ~missing
    return np.divide(shares @ np.where(missing, 0, X), totals, out=np.zeros(X.shape[1]), where=totals > 0)


def _pair_documents(
    y: np.ndarray, weights: np.ndarray, sizes: np.ndarray, max_pairs: int | None, random: Any
) -> DocumentPairs:
    """Pair the documents of each query (rows sorted by query); its pairs share the weight of its rows."""
    ends = np.cumsum(sizes)
    found = []
    for first, end in zip(ends - sizes, ends):
        rows = first + np.flatnonzero(weights[first:end])
        winners, losers = _draw_pairs(y[rows], max_pairs, random)
        if len(winners):
            products = weights[rows[winners]] * weights[rows[losers]]
            shares = products * (weights[rows].sum() / products.sum())
            found.append(DocumentPairs(rows[winners], rows[losers], shares))
    if not found:
        return DocumentPairs(*(np.empty(0, dtype=np.int64),) * 3)
    return DocumentPairs(*(np.concatenate(parts) for parts in zip(*found)))


def _draw_pairs(y: np.ndarray, max_pairs: int | None, random: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices into `y` of the better and the worse documents of at most `max_pairs` pairs."""
    order = np.argsort(y, kind="stable")
    n_below = np.searchsorted(y[order], y[order])  # how many documents each one is better than
    ends = np.cumsum(n_below)
    n_pairs = int(ends[-1]) if len(y) else 0
    if max_pairs is None or n_pairs <= max_pairs:
        chosen = np.arange(n_pairs)
    else:
        chosen = sample_without_replacement(n_pairs, max_pairs, random_state=random)
    winners = np.searchsorted(ends, chosen, side="right")
    return order[winners], order[chosen - (ends[winners] - n_below[winners])]
