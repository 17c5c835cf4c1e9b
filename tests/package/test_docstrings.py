"""Docstrings describe shared parameters, results and errors in the same words; deviations are listed."""

import re
from doctest import DocTestParser, DocTestRunner
from inspect import Parameter, cleandoc, isclass, isfunction, signature
from typing import get_type_hints

import pytest

import sklearn_rank
import sklearn_rank.metrics
import sklearn_rank.model_selection
from tests.helpers.naming import PUBLIC

METRICS = {name: getattr(sklearn_rank.metrics, name) for name in sklearn_rank.metrics.__all__}
METRICS = {name: each for name, each in METRICS.items() if isfunction(each) and name != "is_metric_name"}
FACTORIES = {
    name: each for name, each in METRICS.items() if name.endswith("_scorer") and name != "get_scorer"
}
FUNCTIONS = {
    name: each
    for name, each in METRICS.items()
    if name not in FACTORIES and name not in ("get_scorer", "get_scorer_names")
}
ROW = "array-like of shape (n_rows,)"
ROWS = "array-like of shape (n_rows,) or (n_queries, n_documents)"
JUDGED = "Predicted scores, higher first. -inf: the document was judged but not retrieved; it takes no rank"
LEFT_OUT = "nan leaves it out of the mean."

# The form and description of each shared parameter of metric functions.
SHARED = {
    "y_true": (ROWS, "Relevance labels: real, finite, >= 0; NaN where not judged, see `unjudged`."),
    "y_score": ("array-like of the shape of `y_true`", f"{JUDGED}."),
    "groups": (
        ROW,
        "Query id of each row, in any order and of any sortable type. Required unless the input is "
        "two-dimensional with a row per query.",
    ),
    "k": ("int", "Cutoff >= 1; None for all documents."),
    "max_k": ("int", "The last cutoff; None for the length of the longest query."),
    "min_relevance": ("float", "Labels from this one on are relevant; > 0."),
    "ties": (
        '{"average", "order", "best", "worst"}',
        "Equal scores: the exact mean over all their orders, the order of the rows, or the best or worst "
        "order.",
    ),
    "unjudged": (
        '{"raise", "nonrelevant", "drop", "mean", "median"}',
        "Labels that are NaN: refused, counted as 0, left out of the ranking, or given the mean or median of "
        "the query's judged labels.",
    ),
    "zero_division": ("{0.0, 1.0, nan}", f"Value of a query without a relevant document; {LEFT_OUT}"),
    "average": (
        '{"macro", "weighted", "geometric"} or None',
        "Mean over queries, weighted by their number of rows or not, or the geometric mean of their values, "
        "raised to 0.00001 where they are below; None for the value of each query in the order of "
        ":func:`unique_groups`.",
    ),
    "sample_weight": (
        ROW,
        "Query weights, repeated on each row of the query; of shape (n_queries,) for two-dimensional input.",
    ),
}

# The functions in which a parameter has another description.
CORRELATIONS = ("kendall_tau_score", "pearson_score", "spearman_score")
WITHOUT_LABELS = ("catalog_coverage_score", "intra_list_similarity_score")
OF_POPULARITY = ("average_popularity_score", "novelty_score", "tail_share_score")
OF_HISTORY = ("calibration_loss", "serendipity_score")
OF_LISTS = (*OF_POPULARITY, *OF_HISTORY, "diversity_score")
EXPOSURES = ("exposure_parity_score", "exposure_ratio_score")
# Losses and metrics with values of any sign have no geometric mean.
PLAIN = (
    *CORRELATIONS,
    "average_popularity_score",
    "bpr_loss",
    "calibration_loss",
    "intra_list_similarity_score",
    "kendall_tau_ap_score",
    "rank_sum_loss",
    "rbp_residual_loss",
    "sampled_score",
    "f1_curve",
    "group_roc_curve",
    "hit_rate_curve",
    "interpolated_precision_curve",
    "map_curve",
    "ndcg_curve",
    "precision_curve",
    "recall_curve",
)
LOSSES_OF_COUNTS = ("average_rank_loss", "fallout_at_k_score")
RATIOS = (
    "f1_at_k_score",
    "pairwise_accuracy_score",
    "precision_at_k_score",
    "ranking_scores",
    "recall_at_k_score",
)
AT_K = (
    "f1_at_k_score",
    "fallout_at_k_score",
    "hit_rate_at_k_score",
    "judged_at_k_score",
    "precision_at_k_score",
    "recall_at_k_score",
)
LOWEST = "Predicted scores, higher first; -inf is an ordinary lowest score."
DEVIATIONS = {
    "y_true": {
        (*CORRELATIONS, "pairwise_accuracy_score"): (
            ROWS,
            "Labels, such as grades or returns: real, finite, of any sign; NaN where not judged, see "
            "`unjudged`.",
        ),
        ("kendall_tau_ap_score",): (
            ROWS,
            "Labels, such as the scores of a reference ranking: real, finite, of any sign; NaN where not "
            "judged, see `unjudged`. Equal ones count as if in any order, half right, so that 1 is out of "
            "reach.",
        ),
        ("ranking_scores",): (
            ROWS,
            SHARED["y_true"][1] + ' Of any sign where all metrics are correlations, "pairwise_accuracy" or '
            "have ``signed=True``.",
        ),
        ("dcg_score", "rbp_score", "rank_sum_loss"): (
            ROWS,
            SHARED["y_true"][1].replace(">= 0;", ">= 0 unless `signed`;"),
        ),
        ("judged_at_k_score", "rbp_residual_loss"): (
            ROWS,
            "Relevance labels: real, finite, >= 0; NaN where not judged.",
        ),
        ("infap_score",): (
            ROWS,
            "Relevance labels: real, finite, >= 0; NaN where a document was not drawn to be judged.",
        ),
        ("sampled_score",): (
            ROWS,
            "Relevance labels: real, finite, >= 0, with one relevant item per user.",
        ),
        ("exposure_ratio_score",): (ROW, SHARED["y_true"][1]),
        ("serendipity_score",): (ROW, "Relevance labels: real, none of them NaN."),
        ("exposure_by_owner",): (f"{ROW} or None", f"{SHARED['y_true'][1]} None: without utility."),
        ("exposure_parity_score",): (
            f"{ROW} or None",
            SHARED["y_true"][1] + ' They count with ``browsing="cascade"`` alone, and may be None else.',
        ),
        ("awrf_score",): (
            f"{ROW} or None",
            SHARED["y_true"][1] + ' They count with ``target="relevant"`` or ``browsing="cascade"`` alone, '
            "and may be None else.",
        ),
        ("alpha_ndcg_score",): (
            "array-like or sparse matrix of shape (n_rows, n_intents)",
            "Relevance labels of each row, one per intent: real, finite, >= 0; NaN where not judged, see "
            "`unjudged`.",
        ),
        ("group_score",): (
            "array-like of shape (n_rows,) or (n_rows, n_outputs)",
            "What is true, in whatever form `score_func` takes it.",
        ),
    },
    "y_score": {
        ("bpref_score", "map_score", "recall_at_k_score"): f"{JUDGED} and counts among the relevant ones.",
        ("ndcg_score",): f"{JUDGED} and counts in the best order.",
        ("judged_at_k_score", "rbp_residual_loss"): JUDGED.replace("judged but ", "") + ".",
        (
            "infap_score",
        ): "Predicted scores, higher first. -inf: not retrieved; the document takes no rank, and "
        "counts among those of its stratum.",
        (
            "average_rank_loss",
            "kendall_tau_ap_score",
            "kendall_tau_score",
            "rank_sum_loss",
            "spearman_score",
        ): LOWEST,
        ("pairwise_accuracy_score",): f"{LOWEST} Equal scores count half.",
        ("sampled_score",): f"{LOWEST} The mean over the places of equal scores counts.",
        ("group_auc_score",): "Predicted scores, higher first. Equal scores count half a win, -inf among "
        "themselves too.",
        ("pearson_score",): "Predicted scores, finite: their values count, not their order alone.",
        ("bpr_loss",): "Predicted scores, finite: their differences count, so that the scale matters.",
        (*WITHOUT_LABELS, *OF_HISTORY, "exposure_ratio_score", "ranks"): (
            ROW,
            "Predicted scores, higher first; -inf: not retrieved.",
        ),
        ("alpha_ndcg_score",): (ROW, SHARED["y_score"][1]),
    },
    "groups": {
        (
            *WITHOUT_LABELS,
            *OF_HISTORY,
            "exposure_ratio_score",
            "alpha_ndcg_score",
            "overlap_at_k_score",
            "ranks",
            "unique_groups",
        ): "Query id of each row, in any order and of any sortable type.",
        ("group_score",): "The group of each row, in any order and of any sortable type.",
    },
    "k": {
        (*AT_K, "overlap_at_k_score", "subtopic_recall_score"): "Cutoff >= 1.",
        ("rbo_score",): "Cutoff >= 1: the depth to which the rankings are compared.",
        (*WITHOUT_LABELS, *OF_HISTORY, "exposure_ratio_score"): "Cutoff >= 1; None for all items retrieved.",
    },
    "ties": {
        ("rbo_score",): (
            '{"a", "b", "w"}',
            "Equal scores: the exact mean over all orders of both rankings; that, divided by what each "
            "ranking has in common with itself; or all at the first of their ranks.",
        ),
        ("infap_score",): SHARED["ties"][1].replace(" order.", " order; with `strata` one of the first two."),
        ("calibration_loss",): (
            '{"average", "order"}',
            "Equal scores share the weight of their ranks, or stand in the order of the rows.",
        ),
        (*WITHOUT_LABELS, *OF_POPULARITY, "diversity_score", "serendipity_score"): (
            '{"average", "order"}',
            "Equal scores at the cutoff: the exact mean over all lists, or the order of the rows.",
        ),
        ("alpha_ndcg_score", "exposure_ratio_score"): (
            '{"average", "order"}',
            "Equal scores: the exact mean over all their orders, or the order of the rows.",
        ),
        ("ranks",): (
            SHARED["ties"][0],
            "Ranks of equal scores: the mean of their ranks for each of them, the order of the rows, or the "
            "first or the last of their ranks for each of them.",
        ),
        ("exposure_gini_score",): (
            '{"average", "order"}',
            "Equal scores share the exposure of their ranks, or stand in the order of the rows.",
        ),
        ("interpolated_precision_curve",): (
            '{"together", "order", "best", "worst"}',
            "Equal scores: shown all or none, as by a threshold; in the order of the rows; or in the best or "
            "worst order. The mean over all orders of a highest value has no closed form.",
        ),
    },
    "unjudged": {
        ("alpha_ndcg_score",): ('{"raise", "nonrelevant"}', "Labels that are NaN: refused, or counted as 0."),
        ("intent_aware_score",): f"{SHARED['unjudged'][1].removesuffix('.')}, for each intent by itself.",
    },
    "zero_division": {
        ("intent_aware_score",): (
            "{0.0, 1.0, nan} or None",
            f"Value of a query where the metric is undefined for all intents; {LEFT_OUT} None: the metric's "
            "own default.",
        ),
        CORRELATIONS: f"Value of a query whose labels or scores are all equal; {LEFT_OUT}",
        (
            "kendall_tau_ap_score",
            "pairwise_accuracy_score",
        ): f"Value of a query whose documents all have one label; {LEFT_OUT}",
        ("bpr_loss", "group_auc_score"): "Value of a query whose documents are all relevant or all not; "
        + LEFT_OUT,
        ("ndcg_score",): f"Value of a query without any gain; {LEFT_OUT}",
        ("err_score",): f"Value of a query in which no document can stop the user; {LEFT_OUT}",
        ("fallout_at_k_score",): f"Value of a query without a document that is not relevant; {LEFT_OUT}",
        ("precision_at_k_score",): "Value of a query without a relevant document, or with nothing to divide "
        f"by; {LEFT_OUT}",
        (
            "judged_at_k_score",
            *OF_POPULARITY,
        ): f"Value of a query for which nothing was retrieved; {LEFT_OUT}",
        ("awrf_score",): "Value of a query in which nothing is shown, or nothing has utility with "
        f'``target="relevant"``; {LEFT_OUT}',
        ("overlap_at_k_score",): f"Value of a query for which one of the two retrieved nothing; {LEFT_OUT}",
        ("calibration_loss",): "Value of a query with no item, or no history, that has a genre; " + LEFT_OUT,
        ("serendipity_score",): f"Value of a query without a list or without a history; {LEFT_OUT}",
        (
            "diversity_score",
            "intra_list_similarity_score",
        ): f"Value of a query with fewer than two items; {LEFT_OUT}",
        ("ranking_scores",): (
            "{0.0, 1.0, nan} or None",
            f"Value of a query where a metric is undefined; {LEFT_OUT} None: each metric's own default.",
        ),
        ("group_score",): "Value of a group in which `score_func` is undefined, that is, returns nan. Of "
        "scikit-learn's functions also those are undefined where what they return is their own "
        "`zero_division`, and ``average_precision_score`` where there is no positive class. nan leaves the "
        "group out of the mean. Of `log_loss` give the labels, ``labels=[0, 1]``, as a group may have one "
        "class alone.",
    },
    "average": {
        PLAIN: (
            '{"macro", "weighted"} or None',
            "Mean over queries, weighted by their number of rows or not; None for the value of each query in "
            "the order of :func:`unique_groups`.",
        ),
        RATIOS: (
            '{"macro", "weighted", "micro", "geometric"} or None',
            "Mean over queries, weighted by their number of rows or not, the ratio of sums over queries, or "
            "the geometric mean of their values, raised to 0.00001 where they are below; None for the value "
            "of each query in the order of :func:`unique_groups`.",
        ),
        LOSSES_OF_COUNTS: (
            '{"macro", "weighted", "micro"} or None',
            "Mean over queries, weighted by their number of rows or not, or the ratio of sums over queries; "
            "None for the value of each query in the order of :func:`unique_groups`.",
        ),
        ("awrf_score",): (
            '{"macro", "weighted", "micro", "geometric"} or None',
            "Mean over queries, weighted by their number of rows or not, the value of the exposure and the "
            "target of all queries together, or the geometric mean of their values, raised to 0.00001 where "
            "they are below; None for the value of each query in the order of :func:`unique_groups`.",
        ),
        ("group_score",): (
            '{"macro", "weighted"} or None',
            "Mean over groups, weighted by their number of rows or not; None for the value of each group in "
            "the order of :func:`unique_groups`.",
        ),
        ("tie_report",): (
            '{"macro", "weighted", "micro", "geometric"}',
            "As in :func:`ranking_scores`, without None.",
        ),
    },
    "sample_weight": {
        (
            "alpha_ndcg_score",
            "exposure_ratio_score",
            "intra_list_similarity_score",
            *OF_LISTS,
            "overlap_at_k_score",
        ): "Query weights, repeated on each row of the query.",
        ("group_score",): "Group weights, repeated on each row of the group.",
    },
}
RAISES = "If an argument breaks a rule above; the message names it."
RAISES_DEVIATIONS = {
    ("bpr_loss", "pearson_score"): "If an argument breaks a rule above, or a score is infinite or an integer "
    "that float64 does not hold; the message names it.",
    ("group_score",): f"{RAISES} An error of `score_func` is passed on with a note that names the group.",
    (
        "rbo_score",
    ): 'If an argument breaks a rule above, or with `ties` other than "a" if a ranking is shorter '
    "than the other and than `k`; the message names it.",
    ("unique_groups",): "If `groups` are no ids, as in any metric.",
}
ALL_LEFT_OUT = "nan, with a warning, if every query is left out."

# Additions that entries of several parameters can have after "As in :func:`another_score`".
REFERENCES = {
    "group_roc_curve": "; equal scores give a slanted line",
    "ranking_scores": r', for the metrics that take it|, for "dcg" and "ndcg"; ERR\'s own stand in its name, '
    r'"err\(gain=linear\)"',
    "tie_report": ", without None",
    "map_curve": ', without "hits"',
}


def sections(function):
    """Return the sections of a docstring by their titles."""
    parts = re.split(r"\n(?=[A-Z][\w ]+\n-+\n)", cleandoc(function.__doc__))
    return {part.split("\n")[0]: part.split("\n", 2)[2] for part in parts[1:]}


def entries(function, section="Parameters"):
    """Return what a section says: names, form, default and text of each entry."""
    found = []
    for line in sections(function).get(section, "").splitlines():
        if line and not line.startswith(" "):
            head, _, form = line.partition(" : ")
            form, _, default = form.partition(", default=")
            found.append([head.split(", "), form, default, ""])
        else:
            found[-1][3] = f"{found[-1][3]} {line.strip()}".strip()
    return found


def own_entry(function, parameter):
    """Return form and text of a parameter that has an entry of its own."""
    for names, form, _, text in entries(function):
        if names == [parameter] and form:
            return form, text
    return None


def expected(name, parameter, shared=SHARED, deviations=DEVIATIONS):
    """Return form and text that a parameter of a function is to have."""
    for names, said in deviations.get(parameter, {}).items():
        if name in names:
            return said if isinstance(said, tuple) else (shared[parameter][0], said)
    return shared[parameter]


OWN = [
    (name, parameter)
    for name, function in FUNCTIONS.items()
    for parameter in SHARED
    if own_entry(function, parameter)
]


@pytest.mark.parametrize(("name", "parameter"), OWN)
def test_docstrings_describe_shared_parameters_alike(name, parameter):
    assert own_entry(FUNCTIONS[name], parameter) == expected(name, parameter)


@pytest.mark.parametrize("parameter", SHARED)
def test_docstring_deviations_have_no_superfluous_rows(parameter):
    rows = [name for names in DEVIATIONS.get(parameter, {}) for name in names]
    assert len(set(rows)) == len(rows)
    assert [name for name in rows if (name, parameter) not in OWN] == []
    assert [name for name in rows if expected(name, parameter) == SHARED[parameter]] == []


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "Raises" in sections(FUNCTIONS[name])])
def test_docstrings_describe_errors_alike(name):
    [(error, _, _, text)] = entries(FUNCTIONS[name], "Raises")
    assert error == ["ValueError"]
    assert text == next((said for names, said in RAISES_DEVIATIONS.items() if name in names), RAISES)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.endswith(("_score", "_loss"))])
def test_docstrings_describe_nan_alike(name):
    [(form, _, _, text)] = entries(FUNCTIONS[name], "Returns")
    ends = {
        "catalog_coverage_score": "higher is more varied.",
        "dcg_score": "higher is better.",
        "rank_sum_loss": "lower is better, and its scorer negates it.",
        "rbp_residual_loss": "lower is better, and its scorer negates it.",
        "exposure_gini_score": "nan, with a warning, if nothing is shown.",
        "personalization_score": "nan, with a warning, if fewer than two users are shown anything.",
        "exposure_parity_score": "if there is one owner, or if no exposure could go to one of them.",
        "exposure_ratio_score": "if there is one owner, or if one has no utility.",
        "group_score": ALL_LEFT_OUT.replace("query", "group"),
    }
    assert text.endswith(ends.get(name, ALL_LEFT_OUT))
    of_all_lists = ("catalog_coverage_score", "exposure_gini_score", "personalization_score")
    if name not in ("amortized_exposure_loss", *of_all_lists, *EXPOSURES):
        of_each = "n_groups" if name == "group_score" else "n_queries"
        assert ", ".join(form) == f"float or ndarray of shape ({of_each},)"


# ---------------------------------------------------------------------------- entries of several parameters


@pytest.mark.parametrize("name", METRICS)
def test_docstring_references_have_a_fixed_form(name):
    for names, _, _, text in entries(METRICS[name]):
        if "As in :func:" not in text:
            continue
        also = f"; `average` may not be None|{REFERENCES.get(name, '-')}"
        match = re.fullmatch(rf"As in :func:`(\w+)`({also})?\.", text)
        assert match, text
        there = signature(METRICS[match[1]]).parameters
        assert set(names) <= set(there)
        may_not = bool(match[2]) and "may not" in match[2]
        assert may_not == (name in FACTORIES and "average" in names)


# ---------------------------------------------------------------------------- factories


@pytest.mark.parametrize("name", FACTORIES)
def test_scorer_factory_docstrings_are_alike(name):
    factory = FACTORIES[name]
    returns = get_type_hints(factory)["return"]
    by_names = {", ".join(names): text for names, _, _, text in entries(factory)}
    [(returned, _, _, text)] = entries(factory, "Returns")
    assert returned == [returns.__name__] == ["RankingScorer"]
    if name == "make_group_scorer":
        assert text == "A callable ``scorer(estimator, X, y, groups=ids)`` that returns a float."
        return
    if "groups, labels, response_method" in by_names:
        assert by_names["groups, labels, response_method"] == (
            "Where query ids, and other labels than `y`, travel, and how the model answers: see "
            ":class:`RankingScorer`."
        )
    else:
        assert by_names["groups, response_method"] == (
            "Where query ids travel in the data, and how the model answers: see :class:`RankingScorer`."
        )
    ends = {
        "ranking_scorer": "dict of floats, or a float for one name; as `scoring` of `cross_validate` and, "
        'with ``refit="ndcg@10"``, of `GridSearchCV`.',
        "neg_exposure_gini_scorer": "float; the negated value, so that higher is more even.",
        "neg_intra_list_similarity_scorer": "float; the negated value, so that higher is more diverse.",
        "catalog_coverage_scorer": "float; higher is more varied.",
        "personalization_scorer": "float; higher is more varied.",
        "diversity_scorer": "float; higher is more diverse.",
        "tail_share_scorer": "float; higher is less well known.",
        "neg_average_popularity_scorer": "float; the negated value, so that higher is less well known.",
        "novelty_scorer": "float; higher is less well known.",
    }
    negated = "the negated value, so that " if name.startswith("neg_") else ""
    end = ends.get(name, f"float; {negated}higher is better.")
    assert text == f"A callable ``scorer(estimator, X, y, groups=qid)`` that returns a {end}"
    if "k" in by_names:
        optional = signature(factory).parameters["k"].default is None
        assert by_names["k"] == f"Cutoff >= 1{'; None for all documents' if optional else ''}."
    if "items" in by_names:
        assert by_names["items"] == (
            "Name of an index level of X or y, or of a column of X, that holds the item ids."
        )


@pytest.mark.parametrize(
    "name", [name for name, each in FACTORIES.items() if each.__code__.co_name == "factory"]
)
def test_scorer_factory_examples_print_the_shown_output(name):
    example = DocTestParser().get_doctest(FACTORIES[name].__doc__, {}, name, None, None)
    assert DocTestRunner(verbose=False).run(example) == (0, 2)


# ---------------------------------------------------------------------------- agreement with signatures


def spell(default):
    """Write a default as docstrings do."""
    return f'"{default}"' if isinstance(default, str) else repr(default)


@pytest.mark.parametrize("name", METRICS)
def test_docstrings_describe_all_parameters_with_defaults(name):
    parameters = signature(METRICS[name]).parameters
    said = [each for names, *_ in entries(METRICS[name]) for each in names]
    assert sorted(each.strip("*") for each in said) == sorted(parameters)
    for names, form, default, _ in entries(METRICS[name]):
        if form and not names[0].startswith("*"):
            own = parameters[names[0]].default
            assert default == ("" if own is Parameter.empty else spell(own)), names


@pytest.mark.parametrize("name", METRICS)
def test_docstrings_have_all_sections(name):
    needed = {"Parameters", "Returns", "Examples"}
    if not signature(METRICS[name]).parameters:
        needed -= {"Parameters"}
    if name in FUNCTIONS:
        needed |= {"Raises"}
    assert needed <= set(sections(METRICS[name]))


# ---------------------------------------------------------------------------- drop-ins and splitters

IDS = "Query id of each row, or the name of an index level of X or y or of a column of X."
STAYS = "A column stays a feature, on which the model trains."
DROP_INS = {
    name: getattr(sklearn_rank.model_selection, name)
    for name in sklearn_rank.model_selection.__all__
    if name != "cross_val_report"  # scikit-learn does not have it
}
WITH_IDS = {
    "cross_validate": f"{IDS} The ids are passed to the splitter, to the scorers, and to each `fit` and "
    f"`score` that takes `groups`. {STAYS}",
    "check_folds": IDS,
    "train_test_split": "Query id of each row, or the name of an index level of one of the first two arrays "
    "or of a column of the first array.",
    "permutation_importance": f"{IDS} A scorer that reads ids by a name of its own keeps them. Without any "
    "ids, this is scikit-learn's function.",
}


@pytest.mark.parametrize("name", WITH_IDS)
def test_docstrings_of_drop_in_functions_describe_groups_alike(name):
    form, text = own_entry(PUBLIC[name], "groups")
    assert (form, text) == (f"{ROW} or str", WITH_IDS[name])


@pytest.mark.parametrize("name", [name for name, each in DROP_INS.items() if isclass(each)])
def test_docstrings_of_drop_in_classes_describe_groups_alike(name):
    kind = DROP_INS[name]
    if not hasattr(kind, "split"):
        reached = "The ids are passed to the splitter, to the scorers, and to each `fit` that takes `groups`."
        reached = "Required if a part requests ids." if name == "WithGroups" else reached
        assert own_entry(kind.fit, "groups") == (f"{ROW} or str", f"{IDS} {reached} {STAYS}")
        needed = "" if name == "WithGroups" else " Required by ranking scorers."
        assert own_entry(kind.score, "groups") == (f"{ROW} or str", f"{IDS}{needed}")
        return
    entry = own_entry(kind.split, "groups")
    of_times = "times" in signature(kind.split).parameters and entry is None
    if of_times:
        [(form, text)] = [each[1::2] for each in entries(kind.split) if each[0] == ["groups", "times"]]
        assert form == f"{ROW} or str"
        assert text.startswith(
            "Group (user, session) and time of each row, or names of index levels or columns."
        )
    else:
        assert entry == (f"{ROW} or str", IDS)


@pytest.mark.parametrize("name", [name for name, each in DROP_INS.items() if isfunction(each)])
def test_docstrings_of_drop_ins_have_references_of_a_fixed_form(name):
    for names, _, _, text in entries(DROP_INS[name]):
        if len(names) > 1:
            assert re.fullmatch(
                r"As in (scikit-learn|:func:`cross_validate`(\. The splitter must keep queries whole)?)\.",
                text,
            )
