"""The doors for rows: every public way from labels, scores and ids to values, one function each."""

from collections.abc import Callable, Mapping
from inspect import signature
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sklearn_rank import RankingEvaluator, RankingReport, evaluate, metrics, ranking_scores, unique_groups
from sklearn_rank.metrics import Missed

from ..helpers.frames import IN_BATCHES, IN_MEMORY, pandas
from .data_sets import IDS, list_rows
from .expected import MEASURES

MEAN = "mean over queries"  # key of the means among the ids of queries
ALL_KINDS = frozenset(IDS)


class Door(NamedTuple):
    """A way from a data set to values: a function of the data set, a folder and names of metrics."""

    find: Callable  # returns {query id: {metric: value}}, with the means as MEAN
    lacks: tuple = ()  # marks of data sets that this form of the data cannot express
    refuses: Mapping = MappingProxyType({})  # error by the mark of a data set that is rejected by design
    without: tuple = ()  # metrics that it does not have
    spelled: frozenset = frozenset()  # kinds of ids that it can only express as text
    share: int = 1  # it takes every n-th metric of a data set, if it takes one metric at a time
    with_pool: bool = False  # whether it knows which documents are in the judgments
    decimals: int | None = None


def take_columns(data):
    """Return the columns of the rows: ids, documents, labels, scores and strata."""
    return tuple(map(list, zip(*list_rows(data))))


def with_means(means, ids=(), values=None):
    """Return the values of queries and the means as one dict."""
    found = {query: {name: each[place] for name, each in values.items()} for place, query in enumerate(ids)}
    return found | {MEAN: means}


def read_report(report):
    """Return the values of a report."""
    return with_means(report.mean, report.ids.tolist(), report.values)


def takes_rule(name, rule):
    """Return whether a metric takes an option of the call: its function has it, and its name does not."""
    measure = MEASURES[name]
    is_known = rule in signature(metrics.METRICS[measure.stem].function).parameters
    return is_known and rule not in measure.rules and ":" not in name


def list_arguments(data, name):
    """Return the metric of a name and the arguments of its function or factory, besides the rows."""
    measure = MEASURES[name]
    of_call = {rule: value for rule, value in data.options.items() if takes_rule(name, rule)}
    return measure.stem, measure.options | measure.rules | of_call


# ------------------------------------------------------------------ functions


def call_functions(data, folder, names):
    """Call the function of each metric that has one."""
    queries, _, y_true, y_score, _ = take_columns(data)
    means, values = {}, {}
    for name in names:
        stem, given = list_arguments(data, name)
        function, sign = metrics.METRICS[stem].function, MEASURES[name].sign
        rows = {"y_true": y_true, "y_score": y_score, "groups": queries, **given}
        means[name] = sign * function(**rows)
        values[name] = sign * function(**rows, average=None)
    return with_means(means, unique_groups(queries), values)


def call_ranking_scores(data, folder, names):
    queries, _, y_true, y_score, _ = take_columns(data)
    options = {"groups": queries, "metrics": names, **data.options}
    values = ranking_scores(y_true, y_score, average=None, **options)
    return with_means(ranking_scores(y_true, y_score, **options), unique_groups(queries), values)


def call_with_missed(data, folder, names):
    """Pass judged documents that were not retrieved as `missed`."""
    rows = list_rows(data)
    is_row = {row: row.score > -np.inf for row in rows}
    queries, _, y_true, y_score, _ = zip(*(row for row in rows if is_row[row]))
    lost = [row for row in rows if not is_row[row]]
    missed = Missed([row.query for row in lost], [row.label for row in lost]) if lost else None
    options = {"groups": list(queries), "metrics": names, "missed": missed, **data.options}
    values = ranking_scores(y_true, y_score, average=None, **options)
    means = ranking_scores(y_true, y_score, **options)
    return with_means(means, unique_groups(queries), values)


def call_with_matrices(data, folder, names):
    """Pass each query as a matrix with one row."""
    found = {}
    for query in sorted(data.qrels):
        rows = [row for row in list_rows(data) if row.query == query]
        y_true, y_score = [[row.label for row in rows]], [[row.score for row in rows]]
        found[query] = ranking_scores(y_true, y_score, metrics=names, **data.options)
    return found


def call_tie_report(data, folder, names):
    """Return the means over all orders of tied documents, or those for another rule."""
    queries, _, y_true, y_score, _ = take_columns(data)
    options = {rule: value for rule, value in data.options.items() if rule != "ties"}
    report = metrics.tie_report(y_true, y_score, groups=queries, metrics=names, **options)
    rule = data.options.get("ties", "average")
    return {MEAN: {name: report.metrics[name][rule] for name in names}}


# ------------------------------------------------------------------ evaluate


def evaluate_arrays(data, folder, names, **options):
    queries, _, y_true, y_score, _ = take_columns(data)
    report = evaluate(y_true, y_score, groups=queries, metrics=names, **data.options, **options)
    return read_report(report)


def evaluate_strata(data, folder, names):
    return evaluate_arrays(data, folder, names, strata=take_columns(data)[4])


def evaluate_in_json(data, folder, names):
    """Write a report to JSON and read it."""
    queries, _, y_true, y_score, _ = take_columns(data)
    report = evaluate(y_true, y_score, groups=queries, metrics=names, **data.options)
    return read_report(RankingReport.from_json(report.to_json()))


def evaluate_mixed(data, folder, names):
    """Mix the queries; the rows of a query keep their order."""
    rows = list_rows(data)
    places = [sum(other.query == row.query for other in rows[:start]) for start, row in enumerate(rows)]
    mixed = [row for _, row in sorted(zip(places, rows), key=lambda each: each[0])]
    queries, _, y_true, y_score, _ = map(list, zip(*mixed))
    return read_report(evaluate(y_true, y_score, groups=queries, metrics=names, **data.options))


def make_evaluate_data(form, moments=False):
    """Return a door for data in a form of `tests/helpers/frames.py`."""

    def evaluate_data(data, folder, names):
        queries, documents, y_true, y_score, _ = take_columns(data)
        frame = pandas.DataFrame({"qid": queries, "label": y_true, "score": y_score})
        frame["text"] = list(map(str, documents))
        given = (IN_MEMORY | IN_BATCHES)[form](frame, folder)
        columns = {"y_true": "label", "y_score": "score", "groups": "qid", "data": given}
        if moments:
            evaluator = RankingEvaluator(names, keep_queries=False, **data.options)
            return {MEAN: evaluator.read(**columns).result().mean}
        return read_report(evaluate(**columns, metrics=names, **data.options))

    return evaluate_data


def update_evaluators(data, folder, names, **more):
    """Add each query to an evaluator of its own, and merge them."""
    evaluators = []
    for query in sorted(data.qrels):
        rows = [row for row in list_rows(data) if row.query == query]
        queries, _, y_true, y_score, _ = map(list, zip(*rows))
        evaluator = RankingEvaluator(names, **data.options, **more)
        evaluators.append(evaluator.update(y_true, y_score, groups=queries))
    first, *others = evaluators
    for other in others:
        first.merge(other)
    report = first.result()
    return read_report(report) if not more else {MEAN: report.mean}


def update_with_parts(data, folder, names):
    """Add sorted parts whose borders split queries."""
    rows = list_rows(data)
    evaluator = RankingEvaluator(names, **data.options)
    for part, start in enumerate(range(0, len(rows), 3)):
        queries, _, y_true, y_score, _ = map(list, zip(*rows[start : start + 3]))
        evaluator.update(y_true, y_score, queries, part=part)
    return read_report(evaluator.result())


def values_of_report(data, folder, names):
    """Make a report from the values of queries, and a table from the report."""
    queries, _, y_true, y_score, _ = take_columns(data)
    options = {"groups": queries, "metrics": names, **data.options}
    values = ranking_scores(y_true, y_score, average=None, **options)
    report = RankingReport.from_values(unique_groups(queries), values)
    found = {each: report.query(each) for each in data.qrels}
    return {each: {name: of_query[name] for name in names} for each, of_query in found.items()} | {
        MEAN: report.mean
    }


NO_LIST = frozenset({"tuple"})  # an id in Arrow and polars is not a list
BY_ORDER = "'ties' parameter of .* must be one of 'average', 'order'"  # with strata
STRATA = {"ties=worst": BY_ORDER, "ties=best": BY_ORDER}
JSON = dict.fromkeys(("date", "tuple"), "requires query ids that are numbers, text or dates of numpy")
LIBRARY = tuple(name for name in MEASURES if ":" in name)

ROW_DOORS = {
    "metric functions": Door(call_functions, without=LIBRARY),
    "ranking_scores": Door(call_ranking_scores),
    "ranking_scores with missed": Door(call_with_missed, lacks=("missing query",)),
    "ranking_scores of matrices": Door(call_with_matrices),
    "tie_report": Door(call_tie_report, without=("infap", "mrr@2(ties=best)", *LIBRARY)),
    "evaluate": Door(evaluate_arrays),
    "evaluate in threads": Door(lambda *given: evaluate_arrays(*given, n_jobs=2)),
    "evaluate with strata": Door(evaluate_strata, refuses=STRATA, with_pool=True),
    "evaluate and JSON": Door(evaluate_in_json, refuses=JSON),
    "evaluate on mixed queries": Door(evaluate_mixed),
    **{f"evaluate on {form}": Door(make_evaluate_data(form)) for form in ("pandas", "a dict")},
    **{
        f"evaluate on {form}": Door(make_evaluate_data(form), spelled=NO_LIST)
        for form in ("polars", "pyarrow", *IN_BATCHES)
        if form != "a filtered dataset"  # without unjudged documents
    },
    "RankingEvaluator.read of a file": Door(make_evaluate_data("a file", moments=True), spelled=NO_LIST),
    "RankingEvaluator": Door(update_evaluators),
    "RankingEvaluator, moments": Door(lambda *given: update_evaluators(*given, keep_queries=False)),
    "RankingEvaluator, sorted parts": Door(update_with_parts),
    "RankingReport.from_values": Door(values_of_report),
}
