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
METRICS = {name: each for name, each in METRICS.items() if isfunction(each)}
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
RANKED = "Predicted scores; documents are ranked by decreasing score."
NOT_RETRIEVED = (
    f"{RANKED} A score of -inf marks a document that was judged but not retrieved: it gets no rank"
)
EXCLUDED = "If `nan`, such queries are excluded from the mean."
IDS_OF_ROWS = "Query id of each row. Ids can be of any sortable type, and rows can be in any order."
IN_TABLES = (
    "For 1-D input, repeat the weight of a query on each of its rows; for 2-D input, pass one weight per "
    "query."
)
MACRO = (
    'How to average over queries: "macro" gives each query the same weight, "weighted" weights queries by '
    "their "
    "number of rows"
)
MICRO = '"micro" divides the sum of the numerators by the sum of the denominators'
GEOMETRIC = '"geometric" is the geometric mean, in which values below 1e-5 count as 1e-5'
PER_QUERY = "If `None`, return the value of each query, in the order of :func:`unique_groups`."
ANY_SIGN = "finite, of any sign. NaN means that the document was not judged; see `unjudged`."

# The form and description of each shared parameter of metric functions.
SHARED = {
    "y_true": (
        ROWS,
        "Relevance labels: finite and non-negative. NaN means that the document was not judged; see "
        "`unjudged`.",
    ),
    "y_score": ("array-like of the shape of `y_true`", f"{NOT_RETRIEVED}."),
    "groups": (ROW, f"{IDS_OF_ROWS} Required unless the input is 2-D with one row per query."),
    "k": (
        "int",
        "Number of top-ranked documents to consider, at least 1. If `None`, all documents are considered.",
    ),
    "max_k": ("int", "Largest cutoff. If `None`, the number of documents of the longest query."),
    "min_relevance": ("float", "Smallest label that counts as relevant; must be positive."),
    "ties": (
        '{"average", "order", "best", "worst"}',
        'How to rank documents with equal scores: "average" computes the exact mean over all their '
        "orderings, "
        '"order" keeps them in row order, "best" and "worst" use the ordering with the best or worst value.',
    ),
    "unjudged": (
        '{"raise", "nonrelevant", "drop", "mean", "median"}',
        "How to treat NaN labels: raise an error, replace them by 0, remove the documents from the ranking, "
        "or "
        "replace them by the mean or median of the judged labels of the query.",
    ),
    "zero_division": ("{0.0, 1.0, nan}", f"Value of a query without a relevant document. {EXCLUDED}"),
    "average": ('{"macro", "weighted", "geometric"} or None', f"{MACRO}, {GEOMETRIC}. {PER_QUERY}"),
    "sample_weight": ("array-like of shape (n_rows,) or (n_queries,)", f"Query weights. {IN_TABLES}"),
}

# The functions in which a parameter has another description.
# Losses and metrics with values of any sign have no geometric mean.
PLAIN = (
    "average_popularity_loss",
    "calibration_loss",
    "intra_list_similarity_loss",
    "kendall_tau_score",
    "rbp_residual_loss",
    "sampled_score",
    "interpolated_precision_curve",
    "map_curve",
    "ndcg_curve",
    "precision_curve",
    "recall_curve",
)
LOSSES_OF_COUNTS = ("average_rank_loss", "fallout_at_k_loss")
RATIOS = (
    "f1_at_k_score",
    "precision_at_k_score",
    "ranking_scores",
    "recall_at_k_score",
)
AT_K = (
    "f1_at_k_score",
    "hit_rate_at_k_score",
    "precision_at_k_score",
    "recall_at_k_score",
)
LOWEST = f"{RANKED} A score of -inf is an ordinary lowest score."
LABELS = SHARED["y_true"][1]
DEVIATIONS = {
    "y_true": {
        ("kendall_tau_score", "pairwise_accuracy_score"): (
            ROWS,
            f"Labels, such as grades or returns: {ANY_SIGN}",
        ),
        ("kendall_tau_ap_score",): (
            ROWS,
            f"Labels, such as the scores of a reference ranking: {ANY_SIGN} Documents with equal labels "
            "count "
            "half in any order, so 1 cannot be reached if labels are equal.",
        ),
        ("ranking_scores",): (
            ROWS,
            f'{LABELS} Negative labels are allowed if each metric is a correlation, "pairwise_accuracy" or '
            "has "
            "``signed=True``.",
        ),
        ("dcg_score",): (
            ROWS,
            LABELS.replace("non-negative.", "non-negative, or of any sign if `signed`."),
        ),
        ("judged_at_k_score",): (ROWS, LABELS.replace("; see `unjudged`", "")),
        ("infap_score",): (
            ROWS,
            "Relevance labels: finite and non-negative. NaN means that the document was not sampled for "
            "judgment.",
        ),
        ("sampled_score",): (
            ROWS,
            "Relevance labels: finite and non-negative, with exactly one relevant item per user.",
        ),
        ("serendipity_score",): (ROW, "Relevance labels: finite, without NaN."),
        ("alpha_ndcg_score",): (
            "array-like or sparse matrix of shape (n_rows, n_intents)",
            "Relevance labels of each row, one per intent: finite and non-negative. NaN means that the "
            "document "
            "was not judged; see `unjudged`.",
        ),
        ("group_score",): (
            "array-like of shape (n_rows,) or (n_rows, n_outputs)",
            "Labels in any form that `score_func` takes.",
        ),
    },
    "y_score": {
        (
            "map_score",
            "recall_at_k_score",
        ): f"{NOT_RETRIEVED}, but still counts among the relevant documents.",
        ("ndcg_score",): f"{NOT_RETRIEVED}, but still counts in the ideal ranking.",
        ("judged_at_k_score",): NOT_RETRIEVED.replace("judged but ", "") + ".",
        (
            "infap_score",
        ): f"{RANKED} A score of -inf marks a document that was not retrieved: it gets no rank, but still "
        "counts in its stratum.",
        ("kendall_tau_score",): LOWEST,
        ("pairwise_accuracy_score",): f"{LOWEST} Pairs with equal scores count half.",
        ("sampled_score",): f"{LOWEST} Items with equal scores get the mean over their possible ranks.",
        ("group_auc_score",): "Predicted scores; documents are ranked by decreasing score. Pairs with equal "
        "scores "
        "count half, including pairs with scores of -inf.",
        ("pearson_score",): "Predicted scores: finite. Their values matter, in addition to their order.",
        ("bpr_loss",): "Predicted scores: finite. Their differences matter, so the loss depends on their "
        "scale.",
        ("catalog_coverage_score",): (
            ROW,
            f"{RANKED} A score of -inf marks a document that was not retrieved.",
        ),
        ("alpha_ndcg_score",): (ROW, SHARED["y_score"][1]),
    },
    "groups": {
        (
            "catalog_coverage_score",
            "alpha_ndcg_score",
            "overlap_at_k_score",
            "unique_groups",
        ): IDS_OF_ROWS,
        (
            "group_score",
        ): "Group of each row. Groups can be of any sortable type, and rows can be in any order.",
    },
    "k": {
        tuple(AT_K): "Number of top-ranked documents to consider, at least 1. If `None`, all retrieved ones.",
        ("subtopic_recall_score",): "Number of top-ranked documents to consider, at least 1.",
        ("rbo_score",): "Depth to which the rankings are compared, at least 1.",
        (
            "catalog_coverage_score",
        ): "Number of top-ranked items to consider, at least 1. If `None`, all retrieved items are "
        "considered.",
    },
    "ties": {
        ("rbo_score",): (
            '{"a", "b", "w"}',
            'How to treat equal scores: "a" computes the exact mean over all orderings of both rankings, '
            '"b" divides this mean by the overlap of each ranking with itself, and "w" gives tied documents '
            'the best of their ranks. With "b" and "w", both rankings must have `k` documents or the same '
            "number.",
        ),
        ("calibration_loss", "exposure_gini_loss"): (
            '{"average", "order"}',
            'How to rank items with equal scores: "average" shares the weight of their ranks equally, '
            '"order" '
            "keeps them in row order.",
        ),
        ("catalog_coverage_score",): (
            '{"average", "order"}',
            'How to choose among equal scores at the cutoff: "average" computes the exact mean over all '
            "lists, "
            '"order" keeps row order.',
        ),
        ("alpha_ndcg_score",): (
            '{"average", "order"}',
            'How to rank documents with equal scores: "average" computes the exact mean over all their '
            "orderings, "
            '"order" keeps them in row order.',
        ),
        ("ranks",): (
            SHARED["ties"][0],
            'How to rank documents with equal scores: "average" gives each the mean of their ranks, "order" '
            "keeps "
            'them in row order, "best" and "worst" give each the first or last of their ranks.',
        ),
        ("interpolated_precision_curve",): (
            '{"together", "order", "best", "worst"}',
            'How to rank documents with equal scores: "together" retrieves all of them or none, as a '
            "threshold "
            'does, "order" keeps them in row order, "best" and "worst" use the best or worst ordering. '
            '"average" '
            "is not supported, because the mean of a maximum over all orderings has no closed form.",
        ),
    },
    "unjudged": {
        ("alpha_ndcg_score",): (
            '{"raise", "nonrelevant"}',
            "How to treat NaN labels: raise an error, or replace them by 0.",
        ),
        ("intent_aware_score",): f"{SHARED['unjudged'][1]} Each intent is treated separately.",
    },
    "zero_division": {
        ("intent_aware_score",): (
            "{0.0, 1.0, nan} or None",
            f"Value of a query for which the metric is undefined for all intents. {EXCLUDED} If `None`, the "
            "default of the metric is used.",
        ),
        ("kendall_tau_score",): f"Value of a query whose labels or scores are all equal. {EXCLUDED}",
        (
            "kendall_tau_ap_score",
            "pairwise_accuracy_score",
        ): f"Value of a query whose labels are all equal. {EXCLUDED}",
        (
            "group_auc_score",
        ): f"Value of a query whose documents are all relevant or all non-relevant. {EXCLUDED}",
        ("ndcg_score",): f"Value of a query in which every gain is 0. {EXCLUDED}",
        ("err_score",): f"Value of a query in which no document can satisfy the user. {EXCLUDED}",
        ("fallout_at_k_loss",): f"Value of a query without a non-relevant document. {EXCLUDED}",
        (
            "precision_at_k_score",
        ): f"Value of a query without a relevant document, or whose denominator is 0. {EXCLUDED}",
        ("judged_at_k_score", "novelty_score"): f"Value of a query without a retrieved document. {EXCLUDED}",
        ("overlap_at_k_score",): f"Value of a query for which one of the two rankings is empty. {EXCLUDED}",
        (
            "calibration_loss",
        ): f"Value of a query in which no item of the list, or of the history, has a genre. {EXCLUDED}",
        ("serendipity_score",): f"Value of a query without a list or without a history. {EXCLUDED}",
        ("diversity_score",): f"Value of a query with fewer than two items. {EXCLUDED}",
        ("ranking_scores",): (
            "{0.0, 1.0, nan} or None",
            f"Value of a query for which a metric is undefined. {EXCLUDED} If `None`, the default of each "
            "metric "
            "is used.",
        ),
        ("group_score",): "Value of a group in which `score_func` is undefined, which means that it returns "
        "`nan`. "
        "Functions of scikit-learn are also undefined if they return their own `zero_division`, and "
        "``average_precision_score`` if there is no positive class. If `nan`, such groups are excluded from "
        "the "
        "mean. For `log_loss`, pass ``labels=[0, 1]``, because a group might contain one class only.",
    },
    "average": {
        PLAIN: ('{"macro", "weighted"} or None', f"{MACRO}. {PER_QUERY}"),
        RATIOS: (
            '{"macro", "weighted", "micro", "geometric"} or None',
            f"{MACRO}, {MICRO}, {GEOMETRIC}. {PER_QUERY}",
        ),
        LOSSES_OF_COUNTS: ('{"macro", "weighted", "micro"} or None', f"{MACRO}, {MICRO}. {PER_QUERY}"),
        ("group_score",): (
            '{"macro", "weighted"} or None',
            f"{MACRO}. {PER_QUERY}".replace("queries", "groups").replace("query", "group"),
        ),
        ("tie_report",): (
            '{"macro", "weighted", "micro", "geometric"}',
            "As in :func:`ranking_scores`, without None.",
        ),
    },
    "sample_weight": {
        (
            "alpha_ndcg_score",
            "diversity_score",
            "novelty_score",
            "serendipity_score",
            "overlap_at_k_score",
        ): (ROW, "Query weights. Repeat the weight of a query on each of its rows."),
        ("group_score",): (ROW, "Group weights. Repeat the weight of a group on each of its rows."),
    },
}
INVALID = "If an argument is invalid"
# Further conditions, after those that all functions with the same parameters have.
RAISES_DEVIATIONS = {
    ("group_score",): "Errors of `score_func` are passed on with a note that names the group.",
}
ALL_EXCLUDED = "If every query is excluded, `nan` is returned with a warning."

# Additions that entries of several parameters can have after "As in :func:`another_score`".
REFERENCES = {
    "group_roc_curve": "; equal scores give a diagonal line",
    "ranking_scores": r', for metrics that have this parameter|, for "dcg" and "ndcg"; for "err", set them '
    r'in the name: "err\(gain=linear\)"',
    "tie_report": ", without None",
    "map_curve": ', without "hits"',
}


def sections(function):
    """Return the sections of a docstring by their titles."""
    parts = re.split(r"\n(?=[A-Z][\w ]+\n-+\n)", cleandoc(function.__doc__))
    return {part.split("\n")[0]: part.split("\n", 2)[2] for part in parts[1:]}


def entries(function, section="Parameters"):
    """Return the entries of a section: names, form, default and text of each."""
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
    """Return the form and text expected for a parameter of a function."""
    for names, text in deviations.get(parameter, {}).items():
        if name in names:
            return text if isinstance(text, tuple) else (shared[parameter][0], text)
    return shared[parameter]


OWN = [
    (name, parameter)
    for name, function in FUNCTIONS.items()
    for parameter in SHARED
    if own_entry(function, parameter)
]


@pytest.mark.parametrize(("name", "parameter"), OWN)
def test_docstrings_describe_shared_parameters_alike(name, parameter):
    (form, text), (expected_form, expected_text) = (
        own_entry(FUNCTIONS[name], parameter),
        expected(name, parameter),
    )
    assert form == expected_form
    assert text in (expected_text, "As in :func:`ndcg_score`.")


@pytest.mark.parametrize("parameter", SHARED)
def test_docstring_deviations_have_no_superfluous_rows(parameter):
    rows = [name for names in DEVIATIONS.get(parameter, {}) for name in names]
    assert len(set(rows)) == len(rows)
    assert [name for name in rows if (name, parameter) not in OWN] == []
    assert [name for name in rows if expected(name, parameter) == SHARED[parameter]] == []


def describe_errors(name):
    """Return the expected text about errors: conditions that users meet, by the parameters of a function."""
    parameters = signature(FUNCTIONS[name]).parameters
    optional = "groups" in parameters and parameters["groups"].default is None
    conditions = [
        "if `groups` is missing for 1-D input" if optional else "if `groups` contains missing ids",
        *(['if `y_true` contains NaN and ``unjudged="raise"``'] if "unjudged" in parameters else []),
    ]
    if "groups" not in parameters:
        conditions = []
    example = f", for example {' or '.join(conditions)}" if conditions else ""
    further = next((text for names, text in RAISES_DEVIATIONS.items() if name in names), "")
    return f"{INVALID}{example}. {further}".strip()


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "Raises" in sections(FUNCTIONS[name])])
def test_docstrings_describe_errors_alike(name):
    [(error, _, _, text)] = entries(FUNCTIONS[name], "Raises")
    assert error == ["ValueError"]
    assert text == describe_errors(name)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.endswith(("_score", "_loss"))])
def test_docstrings_describe_nan_alike(name):
    [(form, _, _, text)] = entries(FUNCTIONS[name], "Returns")
    ends = {
        "catalog_coverage_score": "higher is more varied.",
        "dcg_score": "higher is better.",
        "rank_sum_loss": "lower is better, and the scorer negates it.",
        "rbp_residual_loss": "lower is better, and the scorer negates it.",
        "exposure_gini_loss": "If no item is shown, `nan` is returned with a warning.",
        "personalization_score": "If fewer than two users have a list, `nan` is returned with a warning.",
        "group_score": ALL_EXCLUDED.replace("query", "group"),
    }
    assert text.endswith(ends.get(name, ALL_EXCLUDED))
    of_all_lists = ("catalog_coverage_score", "exposure_gini_loss", "personalization_score")
    if name not in of_all_lists:
        of_each = "n_groups" if name == "group_score" else "n_queries"
        assert ", ".join(form) == f"float or ndarray of shape ({of_each},)"


# ---------------------------------------------------------------------------- entries of several parameters


@pytest.mark.parametrize("name", METRICS)
def test_docstring_references_have_a_fixed_form(name):
    for names, _, _, text in entries(METRICS[name]):
        if "As in :func:" not in text:
            continue
        also = f"; `average` must not be None|{REFERENCES.get(name, '-')}"
        match = re.fullmatch(rf"As in :func:`(\w+)`({also})?\.", text)
        assert match, text
        there = signature(METRICS[match[1]]).parameters
        assert set(names) <= set(there)
        must_not = bool(match[2]) and "must not" in match[2]
        assert must_not == (name in FACTORIES and "average" in names)


# The metrics that describe all their parameters. Others refer to them, or to a metric of their file.
IN_FULL = {
    "catalog_coverage_score",
    "dcg_score",
    "err_score",
    "f1_at_k_score",
    "group_auc_score",
    "hit_rate_at_k_score",
    "map_score",
    "mrr_score",
    "ndcg_score",
    "precision_at_k_score",
    "ranking_scores",
    "recall_at_k_score",
}


def follow_reference(name, parameter):
    """Return the function that describes a parameter of a function: the function itself, or a reference."""
    [(_, form, _, text)] = [each for each in entries(METRICS[name]) if parameter in each[0]]
    found = re.match(r"As in :func:`(\w+)`", text)
    return follow_reference(found[1], parameter) if found else name if form else None


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not name.endswith("_curve")])
def test_docstring_references_lead_to_an_entry_with_the_same_default(name):
    for names, form, _, text in entries(FUNCTIONS[name]):
        if not form and text.startswith("As in"):
            for each in names:
                there = follow_reference(name, each)
                assert there, each
                defaults = [signature(METRICS[at]).parameters[each].default for at in (name, there)]
                assert spell(defaults[0]) == spell(defaults[1]) or name in REFERENCES, (each, there)


@pytest.mark.parametrize("name", sorted(IN_FULL - {"ranking_scores"}))
def test_docstrings_of_popular_metrics_have_no_references(name):
    assert [names for names, form, _, text in entries(FUNCTIONS[name]) if "As in" in text] == []


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
    if "groups, labels, response_method, pos_label" in by_names:
        assert by_names["groups, labels, response_method, pos_label"] == (
            "Names of the query ids and of labels other than `y`, the method of the model that is "
            "called, and the relevant class: see :class:`RankingScorer`."
        )
    else:
        assert by_names["groups, response_method, pos_label"] == (
            "Name of the query ids in the data, the method of the model that is called, and the "
            "relevant class: see :class:`RankingScorer`."
        )
    ends = {
        "ranking_scorer": "dict of floats, or a float for one name; pass it as `scoring` to `cross_validate` "
        'or, with ``refit="ndcg@10"``, to `GridSearchCV`.',
        "neg_exposure_gini_loss_scorer": "float; the negated value, so that higher is more even.",
        "neg_intra_list_similarity_loss_scorer": "float; the negated value, so that higher is more diverse.",
        "catalog_coverage_scorer": "float; higher is more varied.",
        "personalization_scorer": "float; higher is more varied.",
        "diversity_scorer": "float; higher is more diverse.",
        "tail_share_scorer": "float; higher means less popular items.",
        "neg_average_popularity_loss_scorer": "float; the negated value, so that higher means less popular "
        "items.",
        "novelty_scorer": "float; higher means less popular items.",
    }
    negated = "the negated value, so that " if name.startswith("neg_") else ""
    end = ends.get(name, f"float; {negated}higher is better.")
    assert text == f"A callable ``scorer(estimator, X, y, groups=qid)`` that returns a {end}"
    if "k" in by_names:
        optional = signature(factory).parameters["k"].default is None
        end = " If `None`, all documents are considered." * optional
        assert by_names["k"] == "Number of top-ranked documents to consider, at least 1." + end
    if "items" in by_names:
        assert by_names["items"] == (
            "Name of an index level of X or y, or of a column of X, that contains the item ids."
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
    described = [each for names, *_ in entries(METRICS[name]) for each in names]
    assert sorted(each.strip("*") for each in described) == sorted(parameters)
    for names, form, default, _ in entries(METRICS[name]):
        if form and not names[0].startswith("*"):
            own = parameters[names[0]].default
            assert default == ("" if own is Parameter.empty else spell(own)), names


@pytest.mark.parametrize("name", METRICS)
def test_docstrings_have_all_sections(name):
    needed = {"Parameters", "Returns", "Examples"}
    if not signature(METRICS[name]).parameters:
        needed -= {"Parameters"}
    assert needed <= set(sections(METRICS[name]))


# ---------------------------------------------------------------------------- drop-ins and splitters

IDS = "Query id of each row, or the name of an index level of X or y or of a column of X."
STAYS = "A column stays a feature, on which the model trains."
DROP_INS = {
    name: getattr(sklearn_rank.model_selection, name)
    for name in sklearn_rank.model_selection.__all__
    if name not in ("RecordSeen", "catalog_scorer", "cross_val_report")  # scikit-learn does not have them
}
WITH_IDS = {
    "cross_validate": f"{IDS} The ids are passed to the splitter, to the scorers, and to each `fit` and "
    f"`score` that takes `groups`. {STAYS}",
    "check_folds": IDS,
    "train_test_split": "Query id of each row, or the name of an index level of one of the first two arrays "
    "or of a column of the first array.",
    "permutation_importance": f"{IDS} A scorer with its own `groups` uses its own ids instead. "
    "Without ids, scikit-learn's function is called.",
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
        if name == "WithGroups":
            assert [each[3] for each in entries(kind.score) if "groups" in each[0]] == ["As in `fit`."]
        else:
            described = f"{IDS} Required by ranking scorers."
            assert own_entry(kind.score, "groups") == (f"{ROW} or str", described)
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
