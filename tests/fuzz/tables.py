"""A fuzzer of tables for the command line: correct values, or an error that names an invalid line."""

import csv
import io
import json
import math
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import NamedTuple

from sklearn_rank import from_run, ranking_scores
from sklearn_rank._cli import main

from .file_draws import MARK
from .runner import record_warnings

HEAD = ("query", "document", "score", "grade")
IDS = ["a", "b", "c", "d1", "D1", "é", "1", "01", "1.0", "NULL", "nan"]
SCORES = ["0.5", "1", "2", "-1", "1e3", ""]
GRADES = ["0", "1", "2", "0.5", "1.9", "-1", "-0.5", "-1.5", ""]
BLANK = ["", " ", "\u00a0"]
INVALID_NUMBERS = ["x", "nan", "inf", "1,5", "None"]
MEASURES = ("num_rel", "map", "bpref", "infAP", "ndcg")
NAMES = ("mrr", "ndcg@10")


class Table(NamedTuple):
    """The cells of a table, and how to write them."""

    rows: list[list[str]]
    marked: set[int]  # lines that begin with byte order marks
    ending: str
    quoting: int
    end: str
    is_trec: bool  # print the output of trec_eval

    def write(self):
        """Return the bytes of the file."""
        lines = []
        for number, row in enumerate([list(HEAD), *self.rows], 1):
            text = io.StringIO()
            sign = "," if self.ending == ".csv" else "\t"
            csv.writer(text, delimiter=sign, quoting=self.quoting, lineterminator=self.end).writerow(row)
            lines.append(MARK * (number % 2 + 1) * (number in self.marked) + text.getvalue())
        return "".join(lines).encode()

    @property
    def wrong(self):
        """Return the numbers of the invalid lines."""
        wrong = set()
        for place, is_number in ((2, _is_number), (3, _is_number)):
            seen = set()
            for line, row in enumerate(self.rows, 2):
                if not row[place].strip():
                    continue
                pair = row[0], row[1]
                if not is_number(row[place]) or not all(map(str.strip, pair)) or pair in seen:
                    wrong.add(line)
                seen.add(pair)
        return wrong

    def take(self, place):
        """Return numbers by query and document."""
        found = {}
        for row in self.rows:
            if row[place].strip():
                found.setdefault(row[0], {})[row[1]] = float(row[place])
        return found


def _is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def draw_table(random):
    """Draw a table, sometimes with invalid cells."""
    ids = random.sample(IDS, 5)
    pairs = {(random.choice(ids[:3]), random.choice(ids)) for _ in range(random.choice((1, 3, 8, 20)))}
    rows = [[*pair, random.choice(SCORES), random.choice(GRADES)] for pair in sorted(pairs)]
    random.shuffle(rows)
    for _ in range(random.choice((0, 0, 0, 1, 2))):
        row = random.choice(rows)
        place = random.randrange(4)
        row[place] = random.choice(BLANK if place < 2 else INVALID_NUMBERS)
    if random.random() < 0.1:
        rows.append(list(random.choice(rows)))
    if random.random() < 0.1:
        rows.append([""] * 4)
    has_marks = random.random() < 0.5
    return Table(
        rows,
        {line for line in range(1, len(rows) + 2) if has_marks and random.random() < 0.3},
        random.choice((".csv", ".tsv")),
        random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
        random.choice(("\n", "\r\n")),
        random.random() < 0.4,
    )


@contextmanager
def _catch():
    """Capture standard output, which can be bytes, and standard error."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        yield out, err


def run_command(*words):
    """Run a command; return its exit code, its output, and its lines on standard error."""
    with _catch() as (out, err), record_warnings():
        code = main([str(word) for word in words])
        sys.stdout.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue().splitlines()


def judge_table(table, folder):
    """Evaluate a table and judge the result."""
    path = folder / f"t{table.ending}"
    path.write_bytes(table.write())
    words = [word for name in MEASURES for word in ("-m", name)]
    if table.is_trec:
        code, out, err = run_command("evaluate", path, "--format", "trec_eval", "-q", *words)
    else:
        names = [word for name in NAMES for word in ("-m", name)]
        code, out, err = run_command("evaluate", path, "--format", "json", "-q", *names)
    run, qrels = (table.take(place) for place in (2, 3)) if not table.wrong else ({}, {})
    if code:
        return "error", _judge_error(code, out, err, table, path, run.keys() & qrels.keys())
    if table.wrong:
        return "result", "a result of an invalid table"
    return "result", (_judge_trec if table.is_trec else _judge_values)(out, err, run, qrels, folder, words)


def _judge_error(code, out, err, table, path, common):
    """Return what is wrong with an error, which is on the last line, or None."""
    if code != 1 or out or not err or not err[-1].startswith(f"sklearn-rank: {path}"):
        return "an error in another form"
    if table.wrong:
        lines = [f"sklearn-rank: {path}:{line}: " for line in table.wrong]
        lines += [
            f"sklearn-rank: {path}: must {rule}" for rule in ("contain documents with", "contain a query of")
        ]
        return None if err[-1].startswith(tuple(lines)) else "an error about a valid line"
    return "an error about a valid table" if common else None


def _judge_values(out, err, run, qrels, folder, words):
    """Compare with the values that the functions compute from mappings."""
    with record_warnings():
        y_true, y_score, groups = from_run(qrels=qrels, run=run, queries="judged")
        options = {"unjudged": "nonrelevant", "average": None}
        values = ranking_scores(y_true, y_score, groups=groups, metrics=NAMES, **options)
    expected = [list(each) for each in zip(*(values[name].tolist() for name in NAMES))]
    rows = json.loads(out)[:-1]
    if [row["query"] for row in rows] != sorted(qrels):
        return "queries that differ from those of the functions"
    return (
        None
        if [[row[name] for name in NAMES] for row in rows] == expected
        else "values that differ from those of the functions"
    )


def _judge_trec(out, err, run, qrels, folder, words):
    """Compare with the output for files with integer grades."""
    whole = {query: {name: int(grade) for name, grade in of.items()} for query, of in qrels.items()}
    files = folder / "t.qrels", folder / "t.run"
    for file, table, form in zip(files, (whole, run), ("{} 0 {} {}\n", "{} Q0 {} 1 {!r} t\n")):
        rows = [form.format(query, *pair) for query, of in table.items() for pair in of.items()]
        file.write_text("".join(rows), encoding="utf-8")
    if run_command("evaluate", *files, "--format", "trec_eval", "-q", *words)[1] != out:
        return "values that differ from those of truncated grades"
    return (
        None
        if any("truncated" in line for line in err) == (whole != qrels)
        else "a missing or wrong warning about truncated grades"
    )
