"""Calls that make, read, merge and compare reports: random arguments, JSON and checks of the results."""

import copy
import json
from contextlib import suppress

import numpy as np
from sklearn.model_selection import cross_validate
from sklearn.preprocessing import StandardScaler

from sklearn_rank import (
    Comparison,
    RankingEvaluator,
    RankingReport,
    compare,
    cross_val_report,
    evaluate,
    evaluate_runs,
    explain,
)
from sklearn_rank.preprocessing import WithinGroupScaler

from .draws import OPTIONS, choose, draw_ranking, draw_rows
from .results import check_reported
from .selection import INNER_FUNCTIONS, draw_folds
from .target import Target
from .values import NAMES, SCALARS, anything, pick

NUMBERS = [[0.5, 1.0, 0.25], [0.0, 1.0], [0, 0, 1, 1], [3.5, -2.0], [float("nan"), 1.0]]
OF_REPORTS = {"confidence_level": [0.95, 0.8], "interval": ["t", "bootstrap"], "n_resamples": [100, 200]}
OF_REPORTS |= {"random_state": [0, 1]}
OF_COMPARISONS = {"test": ["auto", "t", "randomization", "wilcoxon", "sign"], "margin": [None, 0.1]}
OF_COMPARISONS |= {"correction": ["auto", "holm", "bonferroni", None], "missing": ["raise", "drop"]}
OF_COMPARISONS |= {"baseline": [None, "old"], "paired": [True, True, True, False], "n_resamples": [1000]}
OF_COMPARISONS |= {"confidence_level": [0.95, 0.8], "random_state": [0, 1]}
NAMES_OF_METRICS = [["ndcg@2", "map"], ["mrr"], ["precision@2(min_relevance=2)"], ["group_auc", "f1@3"]]


def draw_values(random):
    """Draw the values of the queries of a report."""
    n = random.randint(2, 9)
    ids = random.choice([[*range(n)], [*"abcdefghi"[:n]], [0.5 + place for place in range(n)]])
    given = {"ids": ids, "values": {"mrr": random.choices(random.choice(NUMBERS[:3]), k=n)}}
    given["values"]["own"] = random.choices(random.choice(NUMBERS), k=n)
    columns = {"weights": [1, 2, 0.5], "sizes": [3, 4], "n_relevant": [0, 1], "cluster": ["u", "v", "w"]}
    given |= {name: random.choices(each, k=n) for name, each in columns.items() if random.random() < 0.2}
    return given | choose(random, OF_REPORTS)


def draw_json(random):
    """Draw the text of a report, usually with one or two changed fields or characters."""
    text = RankingReport.from_values([*"abc"], {"own": [1, 0.5, 3], "mrr": [1, 0.5, 0]}).to_json()
    content = json.loads(text)
    for _ in range(random.choice((0, 1, 1, 2))):
        inner = content
        while isinstance(inner, dict | list) and inner:
            key = random.choice([*inner] if isinstance(inner, dict) else range(len(inner)))
            if random.random() < 0.4 or not isinstance(inner[key], dict | list):
                break
            inner = inner[key]
        if isinstance(inner, dict | list) and inner:
            changed = pick(random, SCALARS) if random.random() < 0.7 else copy.deepcopy(content)
            inner[key] = changed if type(changed) in (int, float, str, dict, bool) else None
    text = json.dumps(content)
    if random.random() < 0.2:
        place = random.randrange(len(text))
        text = text[:place] + random.choice(["", "}", "[", '"', "9" * 400, "\x00", "é"]) + text[place + 1 :]
    return {"text": text}


def draw_compared(random):
    """Draw two reports, usually of the same queries, and options of a comparison."""
    given = draw_values(random)
    ids = given["ids"] if random.random() < 0.8 else given["ids"][1:]
    values = {name: random.sample(each, len(each))[: len(ids)] for name, each in given["values"].items()}
    reports = {"old": _report(**given), "new": _report(ids, values)}
    return {"reports": reports} | choose(random, OF_COMPARISONS)


def _report(ids, values, **options):
    options.pop("interval", None)
    return RankingReport.from_values(ids, values, **options)


def draw_run_files(random):
    """Draw judgments and runs as mappings."""
    queries, documents = ["q1", "q2", "q3"], [*"abcd"]
    qrels = {query: {each: random.choice([0, 1, 2]) for each in documents[:3]} for query in queries[:2]}
    runs = {
        name: {query: {each: random.random() for each in random.sample(documents, 2)} for query in queries}
        for name in random.choice([["one"], ["one", "two"]])
    }
    options = {"queries": ["both", "judged", "run"], "depth": [None, 1, 2]} | OF_REPORTS
    options |= {name: OPTIONS[name] for name in ("ties", "min_relevance", "zero_division", "gain")}
    return {"qrels": qrels, "runs": runs} | choose(random, options) | draw_metrics(random)


def draw_metrics(random):
    return {"metrics": random.choice(NAMES_OF_METRICS)}


def draw_evaluated(random):
    options = {name: OPTIONS[name] for name in ("gain", "discount", "min_relevance", "ties", "unjudged")}
    given = draw_ranking(random, options | OF_REPORTS) | draw_metrics(random)
    if given["groups"] is not None and random.random() < 0.3:
        given["cluster"] = random.choices(range(3), k=len(given["y_true"]))
    return given


def draw_parts(random):
    """Draw two updates of an evaluator."""
    options = {"keep_queries": [True, False], "ties": OPTIONS["ties"], "min_relevance": [1, 2]}
    given = draw_metrics(random) | choose(random, options)
    rows = draw_rows(random)
    return given | {name: rows[name] for name in ("y_true", "y_score", "groups")} | {"part": None}


def _update(metrics, y_true, y_score, groups, part=None, **options):
    evaluator = RankingEvaluator(metrics, **options)
    other = RankingEvaluator(metrics, **options)
    evaluator.update(y_true, y_score, groups, part=part)
    return evaluator.merge(other).result()


def draw_scaled(random):
    n = random.randint(1, 9)
    X = [[random.choice([0.0, 1.0, float("nan"), 1e300]), random.random()] for _ in range(n)]
    return {"X": X, "groups": random.choices([0, 1, "a"][: random.randint(1, 2)], k=n)} | choose(
        random, {"method": ["standard", "minmax", "rank"]}
    )


def _without_ids(estimator, X, y, cv=None, **options):
    return cross_validate(estimator, X, y, cv=cv, error_score="raise")


def _without_scaling(X, groups=None, **options):
    return StandardScaler().fit_transform(X)


def _scale(X, groups=None, **options):
    return WithinGroupScaler(**options).fit_transform(X, groups=groups)


# ---------------------------------------------------------------------------- checks of results


def check_used(result, given):
    """Use a report in several ways."""
    if type(result) is not RankingReport:
        return f"{result!r} instead of a report"
    repr(result), result.to_latex(), result.interval, result.to_dict()
    if result.ids is not None:
        repr(compare({"a": result, "b": result}))
        with suppress(ValueError):  # ids of other types
            again = RankingReport.from_json(result.to_json())
            same = all(np.array_equal(each, again.values[name], True) for name, each in result.values.items())
            return None if same else "a report that JSON changes"
    return None


def check_comparison(result, given):
    repr(result), result.to_markdown()
    p = result.columns["p"]
    known = type(result) is Comparison and (((p >= 0) & (p <= 1)) | np.isnan(p)).all()
    return None if known else f"{result!r} instead of a comparison"


def check_reports(result, given):
    wrong = [check_reported(each, given) for each in result.values()]
    return next(filter(None, wrong), None if result else "no report")


def check_same_shape(result, given):
    return None if np.shape(result) == np.asarray(given["X"]).shape else f"{result!r} instead of features"


def draw_folded(random):
    return (
        draw_folds(random)
        | {"scoring": random.choice([*NAMES_OF_METRICS, "ndcg"])}
        | choose(random, OF_REPORTS | {"ties": OPTIONS["ties"]})
    )


def draw_name(random):
    return {"name": random.choice(NAMES) if random.random() < 0.8 else anything(random)}


SCALERS = WithinGroupScaler, WithinGroupScaler.fit_transform
CROSS_VALIDATORS = cross_val_report, *INNER_FUNCTIONS
REPORTED = [
    Target(evaluate, draw_evaluated, check_used, (evaluate,)),
    Target(RankingReport.from_values, draw_values, check_used, (RankingReport.from_values, RankingReport)),
    Target(RankingReport.from_json, draw_json, check_used, (RankingReport.from_json, RankingReport)),
    Target(compare, draw_compared, check_comparison, (compare,)),
    Target(evaluate_runs, draw_run_files, check_reports, (evaluate_runs,), passes=(OSError,)),
    Target(_update, draw_parts, check_reported, (RankingEvaluator, RankingEvaluator.update)),
    Target(explain, draw_name, lambda result, given: None, (explain,)),
    Target(_scale, draw_scaled, check_same_shape, SCALERS, theirs=_without_scaling),
    Target(cross_val_report, draw_folded, check_used, CROSS_VALIDATORS, theirs=_without_ids),
]
