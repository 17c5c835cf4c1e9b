"""Fifty small data sets: judgments and a run with ids of six types, and the options of the call."""

import datetime
import random
from math import inf, nan
from typing import NamedTuple

import numpy as np

# Each data set has its own selection of these features.
FEATURES = ("ties", "unjudged", "grade -1", "not retrieved", "missing query", "different depths")
N_SETS = 50

# Types of ids: kind -> builder from the numbers 1, 2, ..., 9 to ids in the same order.
IDS = {
    "int": lambda number: number,
    "text": lambda number: f"q{number}",
    "numpy int": np.int64,
    "large int": lambda number: 2**63 + number,
    "date": lambda number: datetime.date(2020, 1, number),
    "tuple": lambda number: ("q", number),
}
# Options of a call. The numbers of ids and options have no common divisor, so all pairs occur.
OPTIONS = (
    {"unjudged": "nonrelevant"},
    {"unjudged": "drop"},
    {"unjudged": "mean"},
    {"unjudged": "median", "min_relevance": 2},
    {"unjudged": "nonrelevant", "ties": "worst"},
    {"unjudged": "drop", "ties": "best", "min_relevance": 2},
    {"unjudged": "nonrelevant", "zero_division": nan, "ties": "order"},
)


class DataSet(NamedTuple):
    """Judgments, a run and options. A grade of -1 means not judged."""

    qrels: dict  # {query: {document: grade}}
    run: dict  # {query: {document: score}}
    options: dict
    kind: str  # of the ids
    features: frozenset
    depth: int | None = None  # number of documents to keep for each query of the run
    keeps_grades: bool = False  # whether the labels of rows include grades of -1

    @property
    def marks(self):
        """Features, the kind of the ids, and options such as "ties=worst"."""
        options = {f"{name}={value}" for name, value in self.options.items()}
        return {"any", self.kind} | self.features | options | ({"depth"} if self.depth else set())


class Row(NamedTuple):
    """A retrieved or judged document of a query."""

    query: object
    document: object
    label: float  # NaN if the document was not judged
    score: float  # -inf if the document was not retrieved
    stratum: int  # -1 if the document is not in the judgments, else 0


def draw(number):
    """Draw a data set whose features are the bits of a number."""
    drawn = random.Random(number)
    features = frozenset(name for place, name in enumerate(FEATURES) if number * 13 >> place & 1)
    make = IDS[kind := list(IDS)[number % len(IDS)]]
    qrels, run = {}, {}
    for query in range(1, 5):
        qrels[make(query)], run[make(query)] = _draw_query(drawn, features, make)
    if "missing query" in features:
        del run[make(2)]  # judged, without results
        del qrels[make(4)]  # retrieved, without judgments
    depth = 2 if number % 5 == 4 else None
    return DataSet(qrels, run, OPTIONS[number % len(OPTIONS)], kind, features, depth)


def _draw_query(drawn, features, make):
    """Draw the grades and the scores of a query."""
    judged = {document: drawn.choice((0, 0, 1, 2, 3)) for document in range(1, 6)}
    judged[drawn.choice(list(judged))] = drawn.choice((1, 2, 3))
    if "grade -1" in features:
        judged[drawn.choice(list(judged))] = -1
    depth = drawn.randint(1, 5) if "different depths" in features else 4
    pool = list(range(1, 8 if "unjudged" in features else 6))
    found = drawn.sample(pool, depth)
    if "not retrieved" not in features:
        judged = {document: grade for document, grade in judged.items() if document in found}
        judged |= {} if judged else {found[0]: 1}
    levels = (1.0, 2.0) if "ties" in features else drawn.sample(range(1, 10), 5)
    scores = (drawn.choices if "ties" in features else drawn.sample)(levels, k=depth)
    return (
        {make(document): grade for document, grade in judged.items()},
        {make(document): float(score) for document, score in zip(found, scores)},
    )


def cut(scored, depth):
    """Return the documents with the highest scores; of tied documents, those with the highest ids."""
    best = sorted(scored, key=lambda document: (scored[document], document), reverse=True)
    return {document: scored[document] for document in best[:depth]}


def read_label(grade, keeps_grades):
    """Return the label of a grade; None and, by default, -1 mean not judged."""
    return nan if grade is None or (grade < 0 and not keeps_grades) else float(grade)


def list_rows(data):
    """List the rows of the judged queries, sorted by query and decreasing document."""
    rows = []
    for query in sorted(data.qrels):
        graded, scored = data.qrels[query], cut(data.run.get(query, {}), data.depth)
        of_query = [
            Row(
                query,
                document,
                read_label(graded.get(document), data.keeps_grades),
                scored.get(document, -inf),
                0 if document in graded else -1,
            )
            for document in sorted({*graded, *scored}, reverse=True)
        ]
        is_used = [row.label >= 0 or row.score > -inf for row in of_query]
        rows += [row for row, used in zip(of_query, is_used) if used or not any(is_used)]
    return rows


def spell(identifier):
    """Write an id as one word of text, as in files."""
    return str(identifier).replace(" ", "")


def spell_all(data):
    """Return a data set with ids of text."""
    qrels, run = (
        {spell(query): {spell(name): value for name, value in each.items()} for query, each in side.items()}
        for side in (data.qrels, data.run)
    )
    return data._replace(qrels=qrels, run=run)


DATA_SETS = [draw(number) for number in range(N_SETS)]
