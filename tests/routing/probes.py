"""Probes inside every meta-estimator of scikit-learn, which count the calls that ids reach."""

import inspect
from collections import Counter

import numpy as np
from sklearn import ensemble as en
from sklearn import feature_selection as fs
from sklearn import model_selection as ms
from sklearn import multiclass as mc
from sklearn import multioutput as mo
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    TransformerMixin,
    clone,
)
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RANSACRegressor, Ridge
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

import sklearn_rank as sr
from sklearn_rank.rankers import PairwiseRanker

N_QUERIES, N_DOCS, N_FEATURES = 24, 6, 4
rng = np.random.default_rng(0)
Q = rng.permutation(np.repeat(np.arange(N_QUERIES), N_DOCS))
X = rng.standard_normal((len(Q), N_FEATURES))
KEY = {row.tobytes(): q for row, q in zip(X, Q)}  # the query of each row, for probes that get unchanged rows
Y = (X[:, 1] + rng.standard_normal(len(Q)) > 0.3) + 0.0
Y2 = np.c_[Y, 1 - Y]

CALLS: Counter = Counter()  # (probe, method, outcome)
FITTED = [0]


def note(probe, method, rows, groups):
    """Count a call of a method that asks for ids."""
    rows = np.asarray(rows)
    if groups is None:
        got = "lost"
    elif len(groups) != len(rows):
        got = "wrong"
    else:
        known = [KEY.get(row.tobytes(), g) for row, g in zip(np.ascontiguousarray(rows), groups)]
        got = "got" if np.array_equal(known, groups) else "wrong"
    CALLS[type(probe).__name__, method, got] += 1


class FitReg(RegressorMixin, BaseEstimator):
    """Asks in fit."""

    def fit(self, X, y, groups=None, sample_weight=None):
        FITTED[0] += 1
        note(self, "fit", X, groups)
        self.m_ = LinearRegression().fit(X, np.asarray(y, float))
        self.coef_, self.n_features_in_ = self.m_.coef_, X.shape[1]
        return self

    def predict(self, X):
        return self.m_.predict(X)


class AllReg(FitReg):
    """Asks in fit and predict."""

    def predict(self, X, groups=None):
        note(self, "predict", X, groups)
        return self.m_.predict(X)


class FitClf(ClassifierMixin, BaseEstimator):
    """Asks in fit."""

    def fit(self, X, y, groups=None, sample_weight=None):
        FITTED[0] += 1
        note(self, "fit", X, groups)
        self.m_ = LogisticRegression().fit(X, y)
        self.coef_, self.classes_, self.n_features_in_ = self.m_.coef_, self.m_.classes_, X.shape[1]
        return self

    def predict(self, X):
        return self.m_.predict(X)

    def predict_proba(self, X):
        return self.m_.predict_proba(X)


class AllClf(FitClf):
    """Asks everywhere."""

    def predict(self, X, groups=None):
        note(self, "predict", X, groups)
        return self.m_.predict(X)

    def predict_proba(self, X, groups=None):
        note(self, "predict_proba", X, groups)
        return self.m_.predict_proba(X)


class FitTra(TransformerMixin, BaseEstimator):
    """A transformer that asks in fit."""

    def fit(self, X, y=None, groups=None):
        FITTED[0] += 1
        note(self, "fit", X, groups)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return np.asarray(X)


class AllTra(FitTra):
    """A transformer that asks in fit and transform."""

    def transform(self, X, groups=None):
        note(self, "transform", X, groups)
        return np.asarray(X)

    def fit_transform(self, X, y=None, groups=None):
        return self.fit(X, y, groups).transform(X, groups)


class MixTra(FitTra):
    """Asks in fit and transform, and leaves fit_transform to scikit-learn."""

    def transform(self, X, groups=None):
        note(self, "transform", X, groups)
        return np.asarray(X)


class OwnMeta(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """A user's meta-estimator without support for ids or routing."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        self.estimator_ = clone(self.estimator).fit(X, y)
        return self

    def predict(self, X):
        return self.estimator_.predict(X)


def asks(probe):
    """Request ids as a user with routing enabled has to."""
    for method in ("fit", "predict", "predict_proba", "transform"):
        if "groups" in inspect.signature(getattr(probe, method, len)).parameters:
            getattr(probe, f"set_{method}_request")(groups=True)
    return probe


def probes(on):
    """Return makers of probes (regressor, classifier, transformer), for `fit` only or all methods."""
    ready = asks if on else lambda probe: probe
    return {
        "fit": [lambda c=c: ready(c()) for c in (FitReg, FitClf, FitTra)],
        "all": [lambda c=c: ready(c()) for c in (AllReg, AllClf, AllTra)],
        "mix": [lambda c=c: ready(c()) for c in (FitReg, FitClf, MixTra)],
        # a plain model after a transformer that requests ids
        "pipe": [
            lambda: make_pipeline(ready(AllTra()), Ridge()),
            lambda: make_pipeline(ready(AllTra()), LogisticRegression()),
            lambda: make_pipeline(ready(AllTra()), StandardScaler()),
        ],
    }


def accuracy(model, X, y):
    return float(np.mean(np.asarray(model.predict(X)) == y))


def models(R, C, T):
    """Return every meta-estimator by name: the model, and whether it takes several targets."""
    search = dict(cv=2)
    return {
        "none": (R(), 0),
        "AdaBoostClassifier": (en.AdaBoostClassifier(C(), n_estimators=2), 0),
        "AdaBoostRegressor": (en.AdaBoostRegressor(R(), n_estimators=2), 0),
        "BaggingClassifier": (en.BaggingClassifier(C(), n_estimators=2, random_state=0), 0),
        "BaggingRegressor": (en.BaggingRegressor(R(), n_estimators=2, random_state=0), 0),
        "CalibratedClassifierCV": (CalibratedClassifierCV(C(), cv=2), 0),
        "CalibratedClassifierCV/one": (CalibratedClassifierCV(C(), cv=2, ensemble=False), 0),
        "ClassifierChain": (mo.ClassifierChain(C()), 1),
        "ClassifierChain/cv": (mo.ClassifierChain(C(), cv=2), 1),
        "ColumnTransformer": (make_pipeline(ColumnTransformer([("a", T(), slice(0, 4))]), Ridge()), 0),
        "FeatureUnion": (make_pipeline(FeatureUnion([("a", T())]), Ridge()), 0),
        "FixedThresholdClassifier": (ms.FixedThresholdClassifier(C()), 0),
        "FrozenEstimator": (FrozenEstimator(Ridge().fit(X, Y)), 0),
        "FrozenEstimator/asks": (FrozenEstimator(frozen(R())), 0),
        "Bagging/oob": (en.BaggingRegressor(R(), n_estimators=15, oob_score=True, random_state=0), 0),
        "SelfTraining/unlabeled": (SelfTrainingClassifier(C()), 3),
        "GradientBoostingClassifier": (en.GradientBoostingClassifier(init=C(), n_estimators=2), 0),
        "GradientBoostingRegressor": (en.GradientBoostingRegressor(init=R(), n_estimators=2), 0),
        "GridSearchCV": (ms.GridSearchCV(R(), {}, scoring="r2", **search), 0),
        "GridSearchCV/none": (ms.GridSearchCV(R(), {}, **search), 0),
        "GridSearchCV/ours": (sr.GridSearchCV(R(), {}, scoring="ndcg", **search), 0),
        "GridSearchCV/scorer": (ms.GridSearchCV(R(), {}, scoring=sr.ndcg_scorer(), **search), 0),
        "MultiOutputClassifier": (mo.MultiOutputClassifier(C()), 1),
        "MultiOutputRegressor": (mo.MultiOutputRegressor(R()), 1),
        "OneVsOneClassifier": (mc.OneVsOneClassifier(C()), 0),
        "OneVsRestClassifier": (mc.OneVsRestClassifier(C()), 0),
        "OutputCodeClassifier": (mc.OutputCodeClassifier(C(), random_state=0), 2),
        "Pipeline": (make_pipeline(T(), R()), 0),
        "RANSACRegressor": (RANSACRegressor(R(), random_state=0, min_samples=0.5, residual_threshold=9.0), 0),
        "RFE": (fs.RFE(R(), importance_getter=getter(R)), 0),
        "RFECV": (fs.RFECV(R(), cv=2, importance_getter=getter(R)), 0),
        "RandomizedSearchCV": (ms.RandomizedSearchCV(R(), {}, n_iter=1, scoring="r2", **search), 0),
        "RegressorChain": (mo.RegressorChain(R()), 1),
        "SelectFromModel": (
            make_pipeline(fs.SelectFromModel(R(), importance_getter=getter(R), threshold=-1), Ridge()),
            0,
        ),
        "SelfTrainingClassifier": (SelfTrainingClassifier(C()), 0),
        "SequentialFeatureSelector": (
            make_pipeline(fs.SequentialFeatureSelector(R(), n_features_to_select=1, cv=2), Ridge()),
            0,
        ),
        "StackingClassifier": (
            en.StackingClassifier([("a", C())], final_estimator=LogisticRegression(), cv=2),
            0,
        ),
        "StackingRegressor": (en.StackingRegressor([("a", R())], final_estimator=Ridge(), cv=2), 0),
        "StackingRegressor/final": (en.StackingRegressor([("a", Ridge())], final_estimator=R(), cv=2), 0),
        "TransformedTargetRegressor": (TransformedTargetRegressor(R()), 0),
        "TunedThresholdClassifierCV": (ms.TunedThresholdClassifierCV(C(), cv=2), 0),
        "VotingClassifier": (en.VotingClassifier([("a", C())], voting="soft"), 0),
        "VotingRegressor": (en.VotingRegressor([("a", R())]), 0),
        # next to, inside and around other models
        "T+AdaBoost": (make_pipeline(T(), en.AdaBoostRegressor(n_estimators=2, random_state=0)), 0),
        "T+SFM(AdaBoost)": (
            make_pipeline(
                T(), fs.SelectFromModel(en.AdaBoostRegressor(n_estimators=2, random_state=0)), Ridge()
            ),
            0,
        ),
        "T+GridSearch": (make_pipeline(T(), ms.GridSearchCV(Ridge(), {}, scoring="r2", cv=2)), 0),
        "T+Stacking": (
            make_pipeline(T(), en.StackingRegressor([("a", Ridge())], final_estimator=Ridge(), cv=2)),
            0,
        ),
        "Vote(Bagging)": (
            en.VotingRegressor([("a", en.BaggingRegressor(R(), n_estimators=2, random_state=0))]),
            0,
        ),
        "Bagging(Pipeline)": (
            en.BaggingRegressor(make_pipeline(T(), R()), n_estimators=2, random_state=0),
            0,
        ),
        "Stacking(Stacking)": (
            en.StackingRegressor(
                [("a", en.StackingRegressor([("b", R())], final_estimator=Ridge(), cv=2))],
                final_estimator=Ridge(),
                cv=2,
            ),
            0,
        ),
        "OwnMeta": (OwnMeta(R()), 0),
        "T+OwnMeta": (make_pipeline(T(), OwnMeta(R())), 0),
        "PairwiseRanker": (PairwiseRanker(R(), random_state=0), 0),
    }


def getter(R):
    """Return the coefficients of a probe or of a pipeline of probes."""

    def coefficients(model):
        model = model[-1] if hasattr(model, "steps") else model
        return np.ravel(model.coef_)

    return coefficients


def frozen(model):
    """Fit a model with ids, outside of what is counted."""
    if hasattr(model, "steps"):
        for _, step in model.steps:
            step.fit(X, Y, **({"groups": Q} if "groups" in inspect.signature(step.fit).parameters else {}))
    else:
        model.fit(X, Y, groups=Q)
    CALLS.clear()
    FITTED[0] = 0
    return model


def target(several):
    if several == 3:
        return np.where(np.arange(len(Y)) % 3 == 0, -1, Y)
    return Y2 if several == 1 else Y


def functions():
    """Return the functions by name, each called with a model and labels."""
    kw = dict(groups=Q, cv=3)

    def scored(several):
        return accuracy if several else "ndcg@3"

    def importance(model, y, several):
        fitted = sr.cross_validate(
            model, X, y, scoring=scored(several), return_estimator=True, error_score="raise", **kw
        )["estimator"][0]
        before = Counter(CALLS)
        sr.permutation_importance(fitted, X, y, groups=Q, scoring=scored(several), n_repeats=1)
        CALLS.subtract(before)

    return {
        "cross_validate": lambda m, y, s: sr.cross_validate(
            m, X, y, scoring=scored(s), error_score="raise", **kw
        ),
        "cross_val_predict": lambda m, y, s: sr.cross_val_predict(m, X, y, **kw),
        "GridSearchCV": lambda m, y, s: sr.GridSearchCV(
            m, {}, scoring=scored(s), cv=3, error_score="raise"
        ).fit(X, y, groups=Q),
        "learning_curve": lambda m, y, s: sr.learning_curve(
            m, X, y, scoring=scored(s), train_sizes=[0.5, 1.0], error_score="raise", **kw
        ),
        "permutation_test": lambda m, y, s: sr.permutation_test_score(
            m, X, y, scoring=scored(s), n_permutations=1, **kw
        ),
        "importance": importance,
    }


def examine(call, model, several):
    """Return what happened in a call: "delivered", "rejected", or a failure with its calls."""
    CALLS.clear()
    FITTED[0] = 0
    try:
        call(model, target(several), several)
    except Exception as error:
        return f"late: {error}" if FITTED[0] else "rejected"
    failed = {
        f"{probe}.{method} {got}": n for (probe, method, got), n in CALLS.items() if got != "got" and n > 0
    }
    return f"failed: {failed}" if failed else "delivered"
