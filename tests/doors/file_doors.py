"""The doors for judgments and runs: readers and `evaluate_runs`, with each form of their arguments."""

import re
from collections import namedtuple
from functools import partial
from math import inf, nan

import numpy as np
from scipy.sparse import csr_array

from sklearn_rank import datasets, evaluate, evaluate_runs

from ..helpers.file_forms import PACKED, TABLES, TEXTS, write, write_file
from ..helpers.frames import arrow, pandas, parquet
from .data_sets import list_rows
from .doors import ALL_KINDS, NO_LIST, STRATA, Door, read_report

RunRow = namedtuple("RunRow", "query_id doc_id score")
QrelsRow = namedtuple("QrelsRow", "query_id doc_id relevance")
ENDINGS = {"JSON lines": "jsonl", "CSV": "csv", "BEIR": "tsv", "JSON": "json"}


def list_entries(data, side):
    """List the query, document and number of each entry of a side."""
    given = data.qrels if side == "qrels" else data.run
    return [(query, name, value) for query, each in given.items() for name, value in each.items()]


def write_to(folder, form, data, side):
    """Write a file in a form of `tests/helpers/file_forms.py` or Parquet; return its path."""
    rows = list_entries(data, side)
    if form == "MS MARCO" and side == "run":
        rows = [(query, document, score - 10) for query, document, score in rows]  # minus the ranks
    path = folder / f"{side}.{'parquet' if form == 'Parquet' else ENDINGS.get(form, 'txt')}"
    if form == "Parquet":
        parquet.write_table(TABLES["Arrow"](rows, side), path)
    else:
        path.write_bytes(write_file(form, rows, side).getvalue())
    return str(path)


# ------------------------------------------------------------------ readers


def evaluate_rows(data, names, y_true, y_score, groups, **more):
    return read_report(evaluate(y_true, y_score, groups=groups, metrics=names, **data.options, **more))


def read_with(make, data, folder, names, **more):
    """Read both sides, which are made by a function, and evaluate the rows."""
    sides = {side: make(data, side, folder) for side in ("qrels", "run")}
    options = {"queries": "judged", "depth": data.depth, **more}
    *rows, strata = datasets.from_run(**sides, **options, return_strata=True)
    return evaluate_rows(data, names, *rows, strata=strata)


def read_with_missed(data, folder, names):
    *rows, missed = datasets.from_run(
        data.qrels, data.run, queries="judged", depth=data.depth, return_missed=True
    )
    return evaluate_rows(data, names, *rows, missed=missed)


def evaluate_with(make, data, folder, names, **more):
    """Evaluate two runs; the other one has all documents of a query in the opposite order."""
    opposite = {query: {name: 10 - score for name, score in each.items()} for query, each in data.run.items()}
    (folder / "other").mkdir()
    other = make(data._replace(run=opposite), "run", folder / "other")
    qrels, run = (make(data, side, folder) for side in ("qrels", "run"))
    runs = {"b": other, "a": run}
    options = {"depth": data.depth, **data.options, **more}
    return read_report(evaluate_runs(qrels, runs, metrics=names, **options)["a"])


def make_dict(data, side, folder):
    return data.qrels if side == "qrels" else data.run


def make_table(form, data, side, folder):
    return write(form, list_entries(data, side), side)


def make_chunks(data, side, folder):
    """Return a frame with two chunks of each document; the first one has a lower score or grade."""
    rows = [(*row[:2], row[2] - lower) for lower in (1, 0) for row in list_entries(data, side)]
    return write("pandas", rows, side)


def make_objects(data, side, folder):
    return [(RunRow if side == "run" else QrelsRow)(*row) for row in list_entries(data, side)]


def make_file(form, data, side, folder):
    return write_to(folder, form, data, side)


def write_and_read(data, folder, names):
    """Write rows with `to_qrels` and `to_run`, and read the files."""
    queries, documents, y_true, y_score, _ = map(list, zip(*list_rows(data)))
    datasets.to_qrels(y_true, queries, documents, folder / "qrels")
    datasets.to_run(y_score, queries, documents, folder / "run")
    return evaluate_rows(data, names, *datasets.from_run(folder / "qrels", folder / "run", queries="judged"))


def grade_all(data):
    """Return the grades of retrieved or judged documents of the judged queries, and their scores.

    Grades of documents that were not judged are NaN, for readers for which other documents have the grade 0.
    """
    grades, scores = {query: {} for query in data.qrels}, {query: {} for query in data.qrels}
    for row in list_rows(data):
        grades[row.query][row.document] = row.label
        if row.score > -inf:
            scores[row.query][row.document] = row.score
    return grades, scores


def read_recommendations(data, folder, names, **more):
    relevant, scores = grade_all(data)
    lists = {query: sorted(each, key=each.get, reverse=True) for query, each in scores.items()}
    return evaluate_rows(data, names, *datasets.from_recommendations(relevant, lists, **more))


def read_interactions(library, data, folder, names):
    frames = []
    for side, name in zip(grade_all(data), ("rating", "score")):
        users, items, numbers = zip(*((user, *pair) for user, each in side.items() for pair in each.items()))
        frames.append({"user": list(users), "item": list(items), name: list(numbers)})
    frames = [pandas.DataFrame(each) for each in frames]
    frames = map(arrow.Table.from_pandas, frames) if library == "pyarrow" else frames
    return evaluate_rows(data, names, *datasets.from_interactions(*frames, users="interacted"))


def make_matrices(data):
    """Return matrices of grades and scores by query and document, and the mask of the rows."""
    documents = sorted({row.document for row in list_rows(data)})
    places = {query: place for place, query in enumerate(data.qrels)}
    relevant, scores, are_rows = np.zeros((3, len(places), len(documents)))
    for row in list_rows(data):
        cell = places[row.query], -1 - documents.index(row.document)
        relevant[cell], scores[cell], are_rows[cell] = row.label, row.score, 1
    return pandas.DataFrame(relevant, index=list(places)), scores, are_rows == 1


def read_score_matrix(data, folder, names):
    """Mark the other pairs as seen."""
    relevant, scores, are_rows = make_matrices(data)
    return evaluate_rows(data, names, *datasets.from_score_matrix(relevant, scores, seen=~are_rows))


def read_sparse_scores(data, folder, names):
    relevant, scores, are_rows = make_matrices(data)
    found = csr_array((scores[are_rows], np.nonzero(are_rows)), shape=scores.shape)
    return evaluate_rows(data, names, *datasets.from_score_matrix(relevant, found))


def read_factors(data, folder, names):
    relevant, scores, are_rows = make_matrices(data)
    identity = np.eye(scores.shape[1])
    rows = datasets.from_factors(relevant, scores, identity, k=scores.shape[1], seen=~are_rows)
    return evaluate_rows(data, names, *rows)


def read_embeddings(data, folder, names):
    documents = sorted({name for _, name, _ in list_entries(data, "run")})
    scores = [[data.run[query].get(name, 0.0) for name in documents] for query in data.run]
    ids = {"query_ids": list(data.run), "document_ids": documents}
    rows = datasets.from_embeddings(data.qrels, scores, np.eye(len(documents)), **ids, k=4, similarity="dot")
    chunks = np.vstack([np.eye(len(documents)), 0.5 * np.eye(len(documents))])
    ids["document_ids"] *= 2
    options = {"k": 4, "similarity": "dot", "duplicates": "max"}
    same = datasets.from_embeddings(data.qrels, scores, chunks, **ids, **options)
    for one, other in zip(rows, same, strict=True):
        np.testing.assert_array_equal(one, other)
    return evaluate_rows(data, names, *rows)


def read_two_runs(data, folder, names):
    """Read the grades as the scores of a second run."""
    grades = {
        query: {name: float(grade) for name, grade in each.items() if grade >= 0}
        for query, each in data.qrels.items()
    }
    scores, labels, groups = datasets.from_two_runs(data.run, grades)
    return evaluate_rows(data, names, np.where(labels > -inf, labels, nan), scores, groups)


def write_svmlight(data, folder):
    """Write a file with labels and a file with scores."""
    lines = [f"{row.label:g} qid:{row.query} 1:{row.score:g} # {row.document}\n" for row in list_rows(data)]
    (folder / "rows.svm").write_text("".join(lines))
    (folder / "scores.txt").write_text("".join(f"{row.score:g}\n" for row in list_rows(data)))
    return [folder / "rows.svm", folder / "scores.txt"]


def read_svmlight_files(data, folder, names):
    """Read a file for each query, and the same files with the sizes of the queries in place of ids."""
    lines = write_svmlight(data, folder)[0].read_text().splitlines()
    found = []
    for form in ("ids", "sizes"):
        paths, sizes = [], []
        for query in sorted(data.qrels):
            of_query = [line for line in lines if f" qid:{query} " in line]
            sizes.append(folder / f"{query}.query")
            sizes[-1].write_text(f"{len(of_query)}\n")
            paths.append(folder / f"{query}.{form}")
            text = "\n".join(of_query)
            paths[-1].write_text(text if form == "ids" else re.sub(r"qid:\d+ ", "", text))
        more = {"sizes": sizes} if form == "sizes" else {}
        found.append(datasets.load_svmlight_ranking(paths, **more))
    (X, _, groups), (same_X, y, numbers) = found
    np.testing.assert_array_equal(X.toarray(), same_X.toarray())
    np.testing.assert_array_equal(np.unique(groups, return_inverse=True)[1], numbers)
    return evaluate_rows(data, names, y, X.toarray()[:, 0], groups)


def read_svmlight(data, folder, names):
    X, y, groups = datasets.load_svmlight_ranking(write_svmlight(data, folder)[0])
    return evaluate_rows(data, names, y, X.toarray()[:, 0], groups)


FORMS = {"a dict": make_dict, "objects": make_objects} | {form: partial(make_table, form) for form in TABLES}
FILES = (*TEXTS, *PACKED, "Parquet")
ANY_PARQUET = {"any": "Got a Parquet file in .* instead. Read it with pandas.read_parquet"}

IN_PYTHON = ("a dict", "objects", "pandas", "PyTerrier")  # any object can be an id


def make_door(find, form, **more):
    """Return a door for a form of files or frames."""
    is_file = form in FILES and form != "Parquet"
    spelled = ALL_KINDS if is_file else frozenset() if form in IN_PYTHON else NO_LIST
    lacks = ("ties",) if form == "MS MARCO" else ()  # ranks are distinct
    return Door(find, **{"spelled": spelled, "lacks": lacks, "with_pool": True, "refuses": STRATA} | more)


def make_doors(name, find, **more):
    """Return a door for each form of runs and judgments in Python."""
    doors = {
        f"{name} of {form}": make_door(partial(find, make), form, **more) for form, make in FORMS.items()
    }
    for form in FILES:
        rule = {"refuses": ANY_PARQUET} if form == "Parquet" else {}
        doors[f"{name} of {form} files"] = make_door(partial(find, partial(make_file, form)), form, **rule)
    return doors


COMPLETE = {"lacks": ("missing query", "not retrieved", "depth")}  # for matrices whose other pairs are seen
SVMLIGHT = ("unjudged", "grade -1", *COMPLETE["lacks"], "text", "date", "tuple")

FILE_DOORS = {
    **make_doors("from_run", read_with),
    **make_doors("evaluate_runs", evaluate_with),
    "from_run of chunks": make_door(partial(read_with, make_chunks, duplicates="max"), "pandas"),
    "evaluate_runs of chunks": make_door(partial(evaluate_with, make_chunks, duplicates="max"), "pandas"),
    "from_run with missed": Door(read_with_missed, lacks=("missing query",)),
    "to_run, to_qrels and from_run": Door(write_and_read, lacks=("grade -1",), spelled=ALL_KINDS),
    "from_recommendations": Door(read_recommendations, lacks=("ties",)),
    "from_interactions of pandas": Door(partial(read_interactions, "pandas")),
    "from_interactions of pyarrow": Door(partial(read_interactions, "pyarrow"), spelled=NO_LIST),
    "from_score_matrix": Door(read_score_matrix, **COMPLETE),
    "from_score_matrix of sparse scores": Door(read_sparse_scores, **COMPLETE),
    "from_factors": Door(read_factors, **COMPLETE),
    "from_embeddings": Door(read_embeddings, lacks=("different depths", "missing query", "depth")),
    "from_two_runs": Door(read_two_runs, lacks=("missing query", "depth")),
    "load_svmlight_ranking": Door(read_svmlight, lacks=SVMLIGHT),
    "load_svmlight_ranking of several files": Door(read_svmlight_files, lacks=SVMLIGHT),
}
