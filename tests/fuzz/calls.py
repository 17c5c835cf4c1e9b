"""The table of fuzzed calls: their arguments and checks of their results."""

import inspect
from functools import partial
from itertools import islice

from sklearn.metrics import f1_score, mean_absolute_error

import sklearn_rank
from sklearn_rank.datasets import make_ranking
from sklearn_rank.metrics import RankingScorer
from tests.helpers.table import METRICS

from .clicks import CLICKS
from .draws import (
    OPTIONS,
    draw_checked,
    draw_extra_data,
    draw_grouped,
    draw_ids,
    draw_intents,
    draw_interactions,
    draw_lists,
    draw_make_ranking,
    draw_matrix,
    draw_ranking,
    draw_recommended,
    draw_run,
    draw_scored,
    draw_scores,
    draw_split,
    draw_strata,
    draw_two_rankings,
    options_of,
)
from .references import STEMS
from .reported import REPORTED
from .results import (
    check_any,
    check_curve,
    check_extra_data,
    check_float,
    check_folds,
    check_ids,
    check_metric,
    check_named,
    check_ranks,
    check_report,
    check_reported,
    check_rows,
    check_score,
    check_train_test,
)
from .selection import FACTORIES, SELECTION
from .target import Target
from .values import pandas

ROWS = ("y_true", "y_score", "groups", "sample_weight")
LISTS = [sklearn_rank.catalog_coverage_score, sklearn_rank.metrics.exposure_gini_loss]
LISTS += [sklearn_rank.metrics.novelty_score, sklearn_rank.intra_list_similarity_loss]
LISTS += [sklearn_rank.diversity_score, sklearn_rank.metrics.personalization_score]
LISTS += [sklearn_rank.metrics.average_popularity_loss, sklearn_rank.metrics.tail_share_score]
LISTS += [sklearn_rank.metrics.calibration_loss, sklearn_rank.metrics.serendipity_score]
INTENTS = [
    sklearn_rank.metrics.alpha_ndcg_score,
    sklearn_rank.metrics.nrbp_score,
    sklearn_rank.metrics.err_ia_score,
]
INTENTS += [sklearn_rank.metrics.subtopic_recall_score, sklearn_rank.metrics.intent_aware_score]
CURVES = [sklearn_rank.metrics.ndcg_curve, sklearn_rank.metrics.map_curve]
CURVES += [sklearn_rank.metrics.interpolated_precision_curve, sklearn_rank.metrics.group_roc_curve]
CURVES += [sklearn_rank.metrics.precision_curve, sklearn_rank.metrics.recall_curve]
FOLDS = [sklearn_rank.BalancedGroupKFold, sklearn_rank.WithinGroupKFold]
FOLDS += [sklearn_rank.RepeatedBalancedGroupKFold]
TIMED = [sklearn_rank.LeaveLastOut, sklearn_rank.GroupTimeSeriesSplit, sklearn_rank.TimeCut]
SOME_NAMES = ["ndcg@2", "map", "precision@2(min_relevance=2)", "neg_bpr_loss"]


def _of_function(function, draw, check, rows=()):
    return Target(function, draw, check, (function,), rows)


def _score(factory, model, X, y_true, **given):
    """Make a scorer and call it."""
    options = {name[1:]: value for name, value in given.items() if name.startswith("_")}
    metadata = {name: value for name, value in given.items() if not name.startswith("_")}
    return factory(**options)(model, X, y_true, **metadata)


def _score_by_name(scoring, model, X, y_true, **metadata):
    """Call the scorer with this name, if it belongs to this package."""
    scorer = sklearn_rank.get_scorer(scoring)
    return scorer(model, X, y_true, **metadata) if isinstance(scorer, RankingScorer) else 0.0


def _split(splitter, X, y=None, groups=None, times=None, **options):
    more = {} if times is None else {"times": times}
    return list(
        islice(splitter(**options).split(X, y, groups=groups, **more), 100)
    )  # the number of repeats can be unlimited


def _split_once(X, y=None, **options):
    return sklearn_rank.train_test_split(X, *([] if y is None else [y]), **options)


def _functions_of_rows():
    for entry in METRICS.values():
        required = ["k"] if entry.cutoff == "required" else []
        draw = partial(draw_ranking, options=options_of(entry.function), required=required)
        check, of = partial(check_metric, entry=entry), entry.stem * (entry.stem in STEMS)
        yield Target(entry.function, draw, check, (entry.function,), ROWS, reference=of)
    for function, check, rows in (
        (sklearn_rank.ranking_scores, check_named, ROWS),
        (sklearn_rank.metrics.tie_report, check_report, ()),  # it includes the tie rule "order"
    ):
        draw = partial(draw_ranking, options=options_of(function), required=["metrics"])
        yield _of_function(function, draw, check, rows)
    extra_data = ("intents", "items", "features")
    yield _of_function(sklearn_rank.ranking_scores, draw_extra_data, check_extra_data, (*ROWS, *extra_data))
    yield _of_function(sklearn_rank.evaluate, draw_extra_data, check_reported)
    for function in CURVES:
        yield _of_function(function, partial(draw_ranking, options=options_of(function)), check_curve, ROWS)


def _scorers():
    common = {"groups": [None], "response_method": OPTIONS["response_method"]}
    functions = [*LISTS, *INTENTS, sklearn_rank.metrics.infap_score]
    of_lists = {function.__name__.removesuffix("_score"): function for function in functions}
    for factory in FACTORIES:
        if factory in (sklearn_rank.get_scorer, sklearn_rank.make_group_scorer):
            continue
        parameters = inspect.signature(factory).parameters
        options = options_of(factory) | common | ({"items": ["item"]} if "items" in parameters else {})
        required = [name for name in parameters if parameters[name].default is inspect.Parameter.empty]
        if "strata" in parameters:
            options, required = options | {"strata": ["strata", "pool"]}, [*required, "strata"]
        of_intents = "intents" in parameters
        draw = partial(
            draw_scored,
            options=options,
            required=required,
            in_columns="items" in parameters,
            of_intents=of_intents,
        )
        function = of_lists.get(factory.__name__.removeprefix("neg_").removesuffix("_scorer"))
        if pandas or "items" not in parameters:
            named = (factory, function) if function else (factory,)
            named = (
                FACTORIES if factory is sklearn_rank.ranking_scorer else named
            )  # of one name, it is its factory
            yield Target(partial(_score, factory), draw, check_score, named)
    options = {name: OPTIONS[name] for name in ("average", "zero_division", "greater_is_better")} | common
    options |= {"score_func": [mean_absolute_error, f1_score], "response_method": ["predict", ["predict"]]}
    draw = partial(draw_scored, options=options, required=["score_func"])
    named = (sklearn_rank.make_group_scorer, sklearn_rank.group_score)
    yield Target(partial(_score, named[0]), draw, check_score, named)

    def draw_named(random):
        return {"scoring": random.choice(SOME_NAMES)} | draw_scored(random, {})

    yield Target(_score_by_name, draw_named, check_score, (sklearn_rank.get_scorer, *FACTORIES))


def _others():
    for function in LISTS:
        of_rows = [name for name in inspect.signature(function).parameters if name in ("items", "X", *ROWS)]
        yield _of_function(function, partial(draw_lists, function=function), check_float, tuple(of_rows))
    infap = METRICS["infap"]
    draw = partial(draw_strata, options=options_of(infap.function))
    yield _of_function(infap.function, draw, partial(check_metric, entry=infap), ("strata", *ROWS))
    rows = ("y_true", "y_pred", "groups", "sample_weight")
    yield _of_function(sklearn_rank.group_score, draw_grouped, check_any, rows)
    yield _of_function(sklearn_rank.from_recommendations, draw_recommended, check_rows)
    # The system raises an error for invalid files.
    yield Target(sklearn_rank.from_run, draw_run, check_rows, (sklearn_rank.from_run,), passes=(OSError,))
    yield _of_function(sklearn_rank.from_interactions, draw_interactions, check_rows)
    yield _of_function(sklearn_rank.from_score_matrix, draw_matrix, check_rows)
    yield _of_function(sklearn_rank.unique_groups, draw_ids, check_ids)
    for function in (sklearn_rank.metrics.rbo_score, sklearn_rank.metrics.overlap_at_k_score):
        rows = ("y_score_a", "y_score_b", "groups", "sample_weight")
        yield _of_function(function, partial(draw_two_rankings, function=function), check_float, rows)
    for function in INTENTS:
        named = function is sklearn_rank.metrics.intent_aware_score
        options = options_of(function) | ({"metric": ["ndcg@2", "map", "mrr", "pearson"]} if named else {})
        parameters = inspect.signature(function).parameters
        options |= {"intent_weight": [None]} if "intent_weight" in parameters else {}
        required = [name for name in ("metric", "k") if name in parameters]
        draw = partial(draw_intents, options=options, required=required)
        yield _of_function(function, draw, check_float, ROWS)
    yield _of_function(sklearn_rank.metrics.ranks, draw_scores, check_ranks)  # in row order
    for splitter in (*FOLDS, *TIMED):
        draw = partial(draw_split, options=options_of(splitter), timed=splitter in TIMED)
        yield Target(partial(_split, splitter), draw, check_folds, (splitter, splitter.split))
    function = sklearn_rank.train_test_split
    yield Target(
        _split_once, partial(draw_split, options=options_of(function)), check_train_test, (function,)
    )
    yield Target(
        sklearn_rank.model_selection.check_folds,
        draw_checked,
        check_folds,
        (sklearn_rank.model_selection.check_folds, *FOLDS),
    )
    yield _of_function(make_ranking, draw_make_ranking, lambda result, given: None)


TARGETS = [*_functions_of_rows(), *_scorers(), *_others(), *SELECTION, *CLICKS]
OFTEN = [*REPORTED, *(target for target in TARGETS if target.reference)]
TARGETS += OFTEN * 4
