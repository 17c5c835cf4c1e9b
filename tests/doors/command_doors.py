"""The doors of the command line: its commands, each format of the output and each format of files."""

import contextlib
import csv
import html
import io
import json
import re
from functools import partial
from math import inf, nan
from pathlib import Path

from sklearn_rank._cli import main

from ..helpers.frames import pandas
from .data_sets import list_rows
from .doors import ALL_KINDS, LIBRARY, MEAN, STRATA, Door, takes_rule
from .file_doors import FILES, SVMLIGHT, list_entries, make_door, write_svmlight, write_to


def run_command(*words):
    """Run a command in this process; return its output."""
    out, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main(list(map(str, words)))
    if code:
        raise ValueError(errors.getvalue())
    out.flush()
    return out.buffer.getvalue().decode()


def split_lines(text, mark):
    return [
        [cell.strip() for cell in line.strip("| \\").split(mark)]
        for line in text.splitlines()
        if mark in line
    ]


def parse_html(text):
    rows = re.findall(r"<tr>(.*?)</tr>", html.unescape(text), re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]


# Parsers of output: lists of rows with the head first.
PARSERS = {
    "table": lambda text: [line.split() for line in text.splitlines()[1:]],
    "csv": lambda text: list(csv.reader(io.StringIO(text))),
    "json": lambda text: [list((records := json.loads(text))[0]), *(list(each.values()) for each in records)],
    "markdown": lambda text: [row for row in split_lines(text, "|") if "---" not in row],
    "latex": lambda text: split_lines(text, "&"),
    "html": parse_html,
}


def list_options(data, names):
    """Return the options of a data set for the command line: its options, and others in names of metrics."""
    words, inner = [] if data.depth is None else ["-M", data.depth], {}
    for name, value in data.options.items():
        flags = {"min_relevance": ["-l", value], "ties": ["--ties", value]}
        flags["unjudged"] = {"drop": ["-J"], "nonrelevant": []}.get(value)
        if flags.get(name) is None:
            inner[name] = value
        words += flags.get(name) or []
    return words, [spell_name(name, inner) for name in names]


def spell_name(name, options):
    """Add options to the name of a metric, unless it has them or does not take them."""
    stem, _, given = name.rstrip(")").partition("(")
    rules = [f"{rule}={value}" for rule, value in options.items() if takes_rule(name, rule)]
    inside = ",".join(filter(None, (given, *rules)))
    return f"{stem}({inside})" if inside else stem


def run_evaluate(form, files, data, folder, names, more=()):
    """Evaluate files and read the output of a format, with the values of each query and the means."""
    words, spelled = list_options(data, names)
    command = ["evaluate", *files(data, folder), "-c", "--format", form, *words, *more]
    command += [word for name in spelled for word in ("-m", name)]
    _, *rows = PARSERS[form](run_command(*command, "-q"))
    found = {str(query): dict(zip(names, map(read_number, cells))) for query, *cells in rows[:-1]}
    _, *means = PARSERS[form](run_command(*command))
    return found | {MEAN: {name: read_number(row[1]) for name, row in zip(names, means)}}


def read_number(cell):
    return nan if cell in (None, "") else float(cell.replace("$-$", "-") if isinstance(cell, str) else cell)


def run_trec_eval(data, folder, names):
    words, _ = list_options(data, names)
    measures = {"trec_eval:map": "map", "trec_eval:ndcg_cut_3": "ndcg_cut_3", "trec_eval:bpref": "bpref"}
    words = [word for word in words if word not in ("--ties", "best", "worst", "order")]
    asked = ["-m", "map", "-m", "ndcg_cut.3", "-m", "bpref"]
    text = run_command(
        "evaluate", *write_trec(data, folder), *asked, "-q", "-c", "--format", "trec_eval", *words
    )
    found = {}
    for name, query, value in map(str.split, text.splitlines()):
        full = next(full for full, short in measures.items() if short == name)
        found.setdefault(MEAN if query == "all" else query, {})[full] = float(value)
    return found


def write_files(form, data, folder):
    return [write_to(folder, form, data, side) for side in ("qrels", "run")]


write_trec = partial(write_files, "TREC")


def write_chunks(data, folder):
    """Write TREC files with two lines for each document."""
    paths = write_trec(data, folder)
    for path in map(Path, paths):
        path.write_text(path.read_text() * 2)
    return paths


def write_svmlight_with_sizes(data, folder):
    """Write a file without ids, whose rows are sorted by query, and the sizes of the queries."""
    path, scores = write_svmlight(data, folder)
    path.write_text(re.sub(r"qid:\d+ ", "", path.read_text()))
    queries = [row.query for row in list_rows(data)]
    counts = [queries.count(query) for query in dict.fromkeys(queries)]
    (folder / "rows.query").write_text("".join(f"{n}\n" for n in counts))
    return [path, scores, "--sizes", folder / "rows.query"]


def evaluate_with_sizes(data, folder, names):
    """Return the values by id; the commands number the queries."""
    found = run_evaluate("json", write_svmlight_with_sizes, data, folder, names)
    ids = dict(zip(map(str, range(len(data.qrels))), sorted(data.qrels)))
    return {ids.get(query, query): values for query, values in found.items()}


def write_one_table(data, folder):
    """Write scores and grades into one table; an empty cell means not retrieved, or not judged."""
    rows = pandas.DataFrame(list_rows(data)).drop(columns="stratum").replace(-inf, nan)
    rows.rename(columns={"label": "grade"}).to_csv(folder / "rows.csv", index=False)
    return [folder / "rows.csv"]


def run_compare(data, folder, names):
    words, spelled = list_options(data, names)
    other = folder / "other.run"
    qrels, run = write_trec(data, folder)
    other.write_text("".join(f"{q} Q0 {d} 0 {-s} other\n" for q, d, s in list_entries(data, "run")))
    command = ["compare", qrels, run, other, "-c", "--format", "json", *words]
    records = json.loads(run_command(*command, *(word for name in spelled for word in ("-m", name))))
    of_run = [record for record in records if record["system"] == "t"]
    return {MEAN: {name: record["mean"] for name, record in zip(names, of_run)}}


def run_ties(data, folder, names):
    """Read the mean over all orders, or the value for another rule."""
    words, spelled = list_options(data, names)
    rule = data.options.get("ties", "average")
    words = [word for word in words if word not in ("--ties", rule)]
    command = ["ties", *write_trec(data, folder), "-c", "--format", "json", *words]
    records = json.loads(run_command(*command, *(word for name in spelled for word in ("-m", name))))
    return {MEAN: {name: read_number(record[rule]) for name, record in zip(names, records)}}


DROP = {"unjudged=drop": "infap cannot be combined with -J"}
DROP |= dict.fromkeys(STRATA, "--ties must be one of 'average', 'order' with strata")
COMMAND = {"spelled": ALL_KINDS, "with_pool": True, "refuses": DROP}

COMMAND_DOORS = {
    **{
        f"command line, {form}": Door(
            partial(run_evaluate, form, write_trec),
            decimals=None if form in ("csv", "json") else 4,
            **COMMAND,
        )
        for form in PARSERS
    },
    "command line, trec_eval": Door(run_trec_eval, decimals=4, spelled=ALL_KINDS),
    **{
        f"command line of {form} files": make_door(
            partial(run_evaluate, "json", partial(write_files, form)), form, **COMMAND
        )
        for form in FILES
    },
    "command line of chunks": Door(
        partial(run_evaluate, "json", write_chunks, more=("--duplicates", "max")), **COMMAND
    ),
    "command line of one table": Door(
        partial(run_evaluate, "json", write_one_table),
        lacks=("grade -1",),
        without=("infap",),
        spelled=ALL_KINDS,
    ),
    "command line of svmlight files": Door(
        partial(run_evaluate, "json", write_svmlight), lacks=SVMLIGHT, **COMMAND
    ),
    "command line of svmlight files with sizes": Door(evaluate_with_sizes, lacks=SVMLIGHT, **COMMAND),
    "command line, compare": Door(run_compare, **COMMAND),
    "command line, ties": Door(run_ties, without=("infap", "mrr@2(ties=best)", *LIBRARY), spelled=ALL_KINDS),
}
