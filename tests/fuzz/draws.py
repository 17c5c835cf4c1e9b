"""Random arguments for each kind of call, which are valid or almost valid."""

import inspect
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.metrics import f1_score, mean_absolute_error

import sklearn_rank

from .forms import FORMS
from .models import Clusters, Grades, Line, Outliers, Targets
from .values import INF, NAN, SCALARS, Fresh, anything, pandas, pick, polars, pyarrow

OPTIONS = {
    "k": [1, 2, 3, 5, 100, None, np.int64(2), 2**62],
    "max_k": [1, 2, 5, 20, None, np.uint8(3)],
    "gain": [
        "linear",
        "exponential",
        [0, 1, 3, 7, 15],
        {0: 0, 1: 1, 2: 2, 3: 3, 4: 5},
        np.sqrt,
        lambda y: 2 * y,
    ],
    "discount": ["log2", "reciprocal", None, lambda ranks: 1 / ranks, lambda ranks: ranks < 3],
    "min_relevance": [1, 2, 0.5, np.float32(1), Fraction(1, 2), 1e-300],
    "zero_division": [0.0, 1.0, NAN, 0, np.float64(1)],
    "unjudged": ["raise", "nonrelevant", "drop", "mean", "median"],
    "max_grade": [None, 4, 5.5, 100, "query"],
    "desired_gain": [1, 0.5, Fraction(7, 2), 10**6],
    "alpha": [0.5, 0, 1, 0.3, np.float32(0.25), Fraction(1, 3)],
    "beta": [0.5, 0.9, np.float32(0.25), Fraction(1, 3)],
    "normalize": ["ideal", "bound", None],
    "p": [0.5, 0.8, 0.99, np.float32(0.25), Fraction(1, 3)],
    "ties": ["average", "order", "best", "worst"],
    "average": ["macro", "weighted", "micro", "geometric", None],
    "weighted_by": ["rows", "relevant"],
    "denominator": ["achievable", "relevant", "hits"],
    "multiple": [1.0, 0.5, 2, np.float32(0.2), Fraction(3, 2)],
    "adaptive_k": [True, False],
    "signed": [True, False],
    "n_jobs": [None, 1, 2, -1],
    "recall_levels": [11, None, [0, 0.5, 1], np.array([0.25]), 2],
    "false_positive_rates": [101, 5, [0, 0.5, 1]],
    "similarity": ["cosine", lambda X: X @ X.T, lambda X: np.ones((X.shape[0], X.shape[0]))],
    "catalog": [None, 100, list(range(20)), np.arange(20), set(range(20))],
    "prior_precision": [0.5, 0.01, np.float32(0.25), Fraction(1, 3)],
    "smoothing": [0.01, 0.5, np.float32(0.25), Fraction(1, 3)],
    "tail": [0.8, 0.1, Fraction(1, 3)],
    "history": [([[0.5, 1.0], [1.0, 0.0]], [0, 1]), (np.eye(2), ["a", "b"])],
    "popularity": [dict.fromkeys(range(20), 0.5), {i: 1 / (i + 1) for i in range(20)}],
    "metrics": [["ndcg"], ["map", "mrr@3"], ("group_auc",), ["precision@2(min_relevance=2)", "rbp(p=0.5)"]],
    "response_method": ["auto", "predict", ["predict"], ("decision_function", "predict_proba", "predict")],
    "columns": [None, [0], [1, 0]],
    "padding": [None, -1, 0],
    "return_items": [False, True],
    "greater_is_better": [True, False],
    "n_splits": [2, 3, np.int64(2)],
    "shuffle": [False, True],
    "random_state": [None, 0, Fresh(lambda: np.random.RandomState(0))],
    "n_last": [1, 2],
    "gap": [0, 1],
    "n_repeats": [1, 2],
    "test_size": [None, 1, 0.25],
    "train_size": [None, 1, 0.5],
    "max_train_size": [None, 1],
    "cuts": [None, [4]],
    "metric": ["recall@1", "recall@10", "hit_rate@2", "ndcg", "ndcg@3", "mrr", "map@2"],
    "n_items": [2, 5, 50, np.int64(1000), dict.fromkeys([0, 1, 3, -1, 7, "a", "b"], 40)],
    "gamma": [0.01, 1, Fraction(1, 2), np.float32(3)],
    "prior": ["uniform", lambda ranks: 1 / ranks, lambda ranks: ranks < 9],
    "replacement": [True, False],
    "labels": ["debiased"],  # the name under which labels are passed
}
OPTIONS["metrics"] += [["ndcg@2", "map", "precision@3", "kendall_tau", "judged@2"]]
OPTIONS["metrics"] += [Fresh(lambda: iter(["ndcg"]))]
if pandas:
    OPTIONS["popularity"].append(pandas.Series(0.5, index=range(20)))


def options_of(function, **more):
    """List values for each parameter of a function that is not an array of rows."""
    names = [name for name in inspect.signature(function).parameters if name in OPTIONS]
    return {name: OPTIONS[name] for name in names} | more


def choose(random, options, required=()):
    """Draw values for some of the options."""
    chosen = {name: random.choice(values) for name, values in options.items() if random.random() < 0.3}
    chosen |= {name: random.choice(options[name]) for name in required if name not in chosen}
    return {name: value.make() if type(value) is Fresh else value for name, value in chosen.items()}


# ---------------------------------------------------------------------------- rows


LABELS = [[0, 1], [0, 1, 2, 3, 4], [0.0, 1.0], [0, 0, 0, 2.5], [0.0, NAN, 1.0, 3.0], [0, 1e300, 5e-324]]
LABELS += [[0.2, 0.5, 0.75], [1001, 1002, 1003]]  # values below min_relevance, and item ids
LABELS += [[1], [0], [0, 2**40], [True, False], [0, 1, 2**53 + 1], [-0.5, 0, 3.7]]
SCORES = [[0.0, -0.0, 1.0], [1, 2, 3], [2**60, 2**60 + 1, 2**70], [-INF, 0.5, 0.25], [INF, -INF, 1.0, 2.0]]
SCORES += [[7], [1e308, -1e308, 0.0], [5e-324, 0.0, 1e-310], [0.1, 0.2, 0.3, 0.4, 0.5], [True, False]]
IDS = [[0, 1], [3, -1, 7], ["a", "b"], [0.5, 1e300], [7], [(1, "a"), (1, "b")], [2**70, 1], [b"x", b"y"]]
WEIGHTS = [[1], [0, 1], [0.5, 2, 1e-300], [1e300]]


def draw_rows(random, n_max=9):
    """Draw labels, scores, ids, and weights that are constant within queries."""
    n = random.randint(1, n_max)
    ids = random.choices(random.choice(IDS), k=n)
    weight_of = dict(zip(ids, random.choices(random.choice(WEIGHTS), k=n)))
    labels = random.choice(LABELS[:3] if random.random() < 0.7 else LABELS)
    scores = random.choice(SCORES) if random.random() < 0.7 else [random.random() for _ in range(2 * n)]
    return {
        "y_true": random.choices(labels, k=n),
        "y_score": random.choices(scores, k=n),
        "groups": ids,
        "sample_weight": [weight_of[name] for name in ids],
    }


def draw_swapped(random):
    """Draw rows with swapped labels and scores, sometimes many rows."""
    n = random.choice([20, 20, 200, 3000])
    ids = [row // 10 for row in range(n)]
    labels = [random.random() for _ in ids]
    scores = random.choices(random.choice([[0, 1], [0, 1, 2, 3, 4]]), k=n)
    return {"y_true": labels, "y_score": scores, "groups": ids, "sample_weight": [1] * n}


def draw_ranking(random, options, required=()):
    """Draw labels, scores, ids and some options."""
    rows = draw_swapped(random) if random.random() < 0.003 else draw_rows(random)
    if random.random() < 0.5:
        del rows["sample_weight"]
    if random.random() < 0.1:  # one row per query
        rows = {name: [rows[name], rows[name]] for name in ("y_true", "y_score")} | {"groups": None}
    return rows | choose(random, options, required)


def draw_strata(random, options):
    """Draw labels, some of them missing, and usually the strata of their documents."""
    given = draw_ranking(random, options)
    if given["groups"] is None:
        return given
    n = len(given["y_true"])
    given["strata"] = random.choices(random.choice([[0], [0, 1, 7], [0.0, 2.0], [2**40, 0]]), k=n)
    if random.random() < 0.5:
        given["y_true"] = [NAN if random.random() < 0.4 else label for label in given["y_true"]]
        outside = random.choice([-1, NAN])
        for row, label in enumerate(given["y_true"]):
            if label != label and random.random() < 0.5:
                given["strata"][row] = outside
    return given


def draw_sampled(random, options):
    """Draw rankings, usually with one relevant item, and the correction for sampling."""
    given = draw_ranking(random, options, ["n_items"])
    given["method"] = random.choice(["bias_variance", "bias_variance", "least_bias", "rank", "none"])
    if given["groups"] is not None and random.random() < 0.8:
        firsts = {name: row for row, name in reversed(list(enumerate(given["groups"])))}
        given["y_true"] = [float(firsts[name] == row) for row, name in enumerate(given["groups"])]
    if random.random() < 0.2:
        given["items"] = random.choices(range(30), k=len(given["y_score"]))
    return given


MODELS = [Line(), Line(), Grades(), Grades((0, 1, 2))]
WITHOUT_SCORES = [Clusters(), Outliers(), Grades(("bad", "good")), Grades(("bad", "good", "best")), Targets()]


def draw_scored(random, options, required=(), in_columns=False, of_intents=False):
    """Draw a model, its rows, and the options of a factory; names of options begin with an underscore."""
    rows = draw_rows(random)
    n = len(rows["y_true"])
    X = [[score, random.random()] for score in random.choices([0.0, 1.0, 2.0, 0.5], k=n)]
    given = {
        "model": random.choice(WITHOUT_SCORES if random.random() < 0.05 else MODELS),
        "X": X,
        "y_true": rows["y_true"],
        "groups": rows["groups"],
    }
    if in_columns:
        items = random.sample(range(20), n)
        given["X"] = pandas.DataFrame(X, columns=["a", "b"]).assign(item=items)
        required = [*required, "items"]
    if "strata" in options:
        given["strata"] = random.choices(random.choice([[0], [0, 1], [0, NAN]]), k=n)
    if random.random() < 0.3 and "popularity" not in options and "catalog" not in options:
        given["sample_weight"] = rows["sample_weight"]
    chosen = choose(random, options, required)
    if "labels" in chosen:
        given["labels"] = random.sample(rows["y_true"], n)
    if of_intents:
        given["intents"] = draw_labels(random, rows["y_true"])
    return given | {f"_{name}": value for name, value in chosen.items()}


def draw_lists(random, function):
    """Draw features or ids of items, scores and query ids."""
    parameters = inspect.signature(function).parameters
    required = [name for name in ("popularity", "history") if name in parameters]
    rows = draw_rows(random)
    n = len(rows["y_true"])
    contents = [[random.random(), random.choice([0.0, 1.0])] for _ in range(n)]
    of_rows = {"items": random.sample(range(20), n), "X": contents, "y_true": rows["y_true"]}
    given = {name: values for name, values in of_rows.items() if name in parameters}
    given |= {"y_score": rows["y_score"], "groups": rows["groups"]}
    if "sample_weight" in parameters and random.random() < 0.5:
        given["sample_weight"] = rows["sample_weight"]
    given |= choose(random, options_of(function), required)
    if "history" in given and random.random() < 0.8:
        given["history"] = contents, rows["groups"]
    return given


def draw_grouped(random):
    rows = draw_rows(random)
    given = {"score_func": random.choice([mean_absolute_error, f1_score, lambda y, p: float(np.mean(y - p))])}
    given |= {"y_true": rows["y_true"], "y_pred": [int(random.random() * 2) for _ in rows["y_true"]]}
    given["groups"] = rows["groups"]
    if random.random() < 0.3:
        given["sample_weight"] = rows["sample_weight"]
    return given | choose(random, {name: OPTIONS[name] for name in ("average", "zero_division")})


def draw_recommended(random):
    n_users = random.randint(1, 4)
    items = random.choice([list(range(6)), list("abcdef"), [1.5, 2.5, 3.5, -1.0]])
    recommended = [random.sample(items, random.randint(0, len(items))) for _ in range(n_users)]
    relevant = [random.choices(items, k=random.randint(0, 3)) for _ in range(n_users)]
    form = random.random()
    if form < 0.3:
        relevant = [{item: random.choice([1, 2, 0.5]) for item in liked} for liked in relevant]
    elif form < 0.4:
        relevant = [set(liked) for liked in relevant]
    if random.random() < 0.3:
        recommended, relevant = dict(enumerate(recommended)), dict(enumerate(relevant))
    chosen = choose(random, {name: OPTIONS[name] for name in ("padding", "return_items")})
    return {"recommended": recommended, "relevant": relevant} | chosen


class Judged(NamedTuple):
    """A document in the form of ir_measures and ir_datasets."""

    query_id: object
    doc_id: object
    score: object
    relevance: object


def _change_column(random, column):
    """Return a column with one unusual value, or in another form."""
    if random.random() < 0.5 and len(column):
        column = list(column)
        column[int(random.random() * len(column))] = pick(random, SCALARS)
        return column
    try:
        return pick(random, FORMS)(list(column))
    except Exception:  # numpy, pandas or Python cannot build it
        return column


KNOWN = ["abcd", "abcd", range(4), [1.5, 2.5], [("a", 1), ("b", 2)], [2**70, 1]]


def _draw_triples(random, known):
    """Draw columns of queries, documents and numbers, usually with distinct pairs and sometimes changed."""
    pairs = {(random.choice(known), random.choice(known)) for _ in range(random.randint(1, 6))}
    pairs = sorted(pairs) + ([min(pairs)] if random.random() < 0.05 else [])
    numbers = random.choices(random.choice([[0, 1, 2], [0.5, -1.0, 3.0], [1]]), k=len(pairs))
    columns = [*zip(*pairs), numbers]
    if random.random() < 0.3:
        place = random.randrange(3)
        columns[place] = _change_column(random, columns[place])
    return columns


def _is_plain(column):
    """Return whether polars and pyarrow can make a column of the values without a panic."""
    kinds = set(map(type, column))
    return kinds in ({int}, {float}, {str}) and not any(
        isinstance(each, int) and each >> 63 for each in column
    )


def _frame(random, columns):
    """Return columns by name as a frame of some library, or unchanged if that fails."""
    with suppress(Exception):
        values = {name: list(column) for name, column in columns.items()}
        if pyarrow and random.random() < 0.3 and all(map(_is_plain, values.values())):
            return pyarrow.table(values)
        if polars and random.random() < 0.3 and all(map(_is_plain, values.values())):
            return polars.DataFrame(values)
        return pandas.DataFrame(values if random.random() < 0.5 else columns)
    return columns


def _draw_entries(random, known, number):
    """Draw a run or qrels in some form."""
    queries, documents, numbers = _draw_triples(random, known)
    form = random.random()
    if form < 0.4:
        return _frame(random, {"query": queries, "document": documents, number: numbers})
    try:
        rows = list(zip(queries, documents, numbers))
        if form < 0.6:
            return [Judged(query, document, each, each) for query, document, each in rows]
        entries = {}
        for query, document, each in rows:
            entries.setdefault(query, {})[document] = each
        if random.random() < 0.1:
            entries[next(iter(entries))] = anything(random)
        return entries
    except Exception:  # an id is not hashable, or a column has no length
        return {}


def draw_run(random):
    options = {"queries": ["both", "judged", "run"], "depth": [None, 1, 3], "return_items": [False, True]}
    if random.random() < 0.2:
        options["columns"] = [None, {"query": "query"}, {"score": "grade"}, {}, {"user": "qid"}]
    known = random.choice(KNOWN)
    entries = {
        name: _draw_entries(random, known, number) for name, number in (("run", "score"), ("qrels", "grade"))
    }
    return entries | choose(random, options)


def draw_interactions(random):
    known = random.choice(KNOWN)
    users, items, scores = _draw_triples(random, known)
    shown = {"user": users, "item": items, random.choice(("score", "rank")): scores}
    users, items, ratings = _draw_triples(random, known)
    done = {"user": users, "item": items}
    if random.random() < 0.5:
        done["rating"] = ratings
    if random.random() < 0.3:
        times = random.choices([1, 2, 3.5], k=len(users) if isinstance(users, list | tuple) else 1)
        done["time"] = times if random.random() < 0.7 else _change_column(random, times)
    options = {"users": ["all", "both", "recommended", "interacted"], "return_items": [False, True]}
    if random.random() < 0.2:
        options["columns"] = [None, {"user": "user"}, {"time": "rating"}, {"rating": "item"}]
    return {"recommended": _frame(random, shown), "interactions": _frame(random, done)} | choose(
        random, options
    )


def draw_matrix(random):
    n_users, n_items = random.randint(1, 3), random.randint(1, 4)
    given = {
        name: [[random.choice(values) for _ in range(n_items)] for _ in range(n_users)]
        for name, values in (
            ("scores", [0.5, 1.0, -2.0, 0.0]),
            ("relevant", [0, 0, 1, 2]),
            ("seen", [0, 0, 1]),
        )
    }
    if random.random() < 0.4:
        del given["seen"]
    if random.random() < 0.3:
        given = {name: sparse.csr_array(np.array(values)) for name, values in given.items()}
    return given | choose(random, {"return_items": OPTIONS["return_items"], "k": OPTIONS["k"]})


def draw_ids(random):
    return {"groups": random.choices(random.choice([[0, 1, 2], ["a", "b"], [(0, "a"), (1, "a")]]), k=6)}


def draw_scores(random):
    rows = draw_rows(random)
    given = {"y_score": rows["y_score"], "groups": rows["groups"]}
    return given | choose(random, {"ties": OPTIONS["ties"]})


def draw_labels(random, labels):
    """Draw labels of several intents from labels of one intent."""
    n_intents = random.randint(1, 4)
    return [[random.choice(labels) for _ in range(n_intents)] for _ in labels]


def draw_intents(random, options, required=()):
    rows = draw_rows(random)
    rows["y_true"] = draw_labels(random, rows["y_true"])
    if random.random() < 0.5:
        del rows["sample_weight"]
    chosen = choose(random, options, required)
    if "intent_weight" in chosen:
        chosen["intent_weight"] = [random.choice([1, 0.5, 3]) for _ in rows["y_true"][0]]
    return rows | chosen


EXTRA_DATA = {
    "intents": ["alpha_ndcg@2", "err_ia(max_grade=9)", "subtopic_recall@1", "nrbp(beta=.8, normalize=None)"],
    "items": ["catalog_coverage@2"],
    "features": ["diversity@2"],
}


def draw_extra_data(random):
    """Draw rows with data besides labels and scores, and metric names that need it."""
    rows = draw_rows(random)
    n = len(rows["y_true"])
    if random.random() < 0.7:
        del rows["sample_weight"]
    tables = {
        "intents": draw_labels(random, rows["y_true"]),
        "items": random.sample(range(20), n),
        "features": [[random.random(), random.choice([0.0, 1.0])] for _ in range(n)],
    }
    chosen = random.sample(sorted(EXTRA_DATA), random.randint(1, 2))
    names = [random.choice(EXTRA_DATA[table]) for table in chosen] + ["ndcg@2"]
    own = ("min_relevance", "ties", "unjudged", "zero_division", "average")
    options = {name: OPTIONS[name] for name in own}
    given = rows | {table: tables[table] for table in chosen} | choose(random, options)
    return given | {"metrics": random.sample(names, len(names))}


def draw_two_rankings(random, function):
    rows = draw_rows(random)
    given = {
        "y_score_a": rows["y_score"],
        "y_score_b": random.sample(list(rows["y_score"]), len(rows["y_score"])),
    }
    given |= {"groups": rows["groups"]}
    if random.random() < 0.5:
        given["sample_weight"] = rows["sample_weight"]
    own = {"variant": ["ext", "max", "min"]} if function.__name__ == "rbo_score" else {}
    options = options_of(function) | own | ({"ties": ["a", "b", "w"]} if own else {})
    return given | choose(random, options, ["k"])


def draw_split(random, options, timed=False):
    n = random.randint(4, 10)
    ids = random.choices([0, 1, 2, 3, 4], k=n)
    given = {"X": [[0.5]] * n, "groups": ids}
    if timed:
        given["times"] = random.choices(range(9), k=n)
    if random.random() < 0.5:
        given["y"] = random.choices([0, 1, 2], k=n)
    return given | choose(random, options)


def draw_checked(random):
    given = draw_split(random, {"min_relevance": [1, 2]})
    given.setdefault("y", [1] * len(given["X"]))
    cv = random.choice([2, 3, None, [([0, 1], [2, 3])], sklearn_rank.WithinGroupKFold(2)])
    return {"cv": cv} | given


def draw_make_ranking(random):
    counts = {
        "n_queries": [1, 3],
        "n_documents": [4, (1, 5)],
        "n_features": [1, 3],
        "n_informative": [None, 1],
    }
    counts |= {"n_grades": [2, 5], "noise": [0, 1.0], "shuffle": [True, False], "coef": [True, False]}
    return {"n_queries": 2, "n_documents": 3} | choose(random, counts | {"random_state": [0, None]})
