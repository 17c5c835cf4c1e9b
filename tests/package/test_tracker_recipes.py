"""The recipes for MLflow and Weights & Biases log the values of a report, with names that both accept."""

import json
import re
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from tests.helpers.pages import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Names of metrics that the trackers accept, and by which Weights & Biases can sort.
NAMES = {"mlflow": r"[/\w.\- :]*", "wandb": "[_a-zA-Z][_a-zA-Z0-9]*"}


class Tracker:
    """A stand-in for both modules, which keeps what is logged."""

    def __init__(self, library):
        self.library, self.values, self.dicts, self.tables = library, {}, {}, {}

    def start_run(self, run_name):
        return nullcontext()

    def init(self, project, name):
        return nullcontext(self)

    def log_metrics(self, values):
        assert all(re.fullmatch(NAMES[self.library], name) for name in values)
        assert all(type(value) is float for value in values.values())
        self.values.update(values)

    def log_dict(self, dictionary, artifact_file):
        self.dicts[artifact_file] = json.loads(json.dumps(dictionary, allow_nan=False))

    def log_table(self, data, artifact_file):
        self.tables[artifact_file] = data

    def log(self, values):
        for name, value in values.items():
            if hasattr(value, "dataframe"):
                self.tables[name] = value.dataframe
            else:
                self.log_metrics({name: value})

    def Table(self, dataframe):  # noqa: N802 - the name in the library
        return SimpleNamespace(dataframe=dataframe)


@pytest.mark.parametrize("library", NAMES)
def test_tracker_recipes_log_means_and_queries_of_the_report(library, monkeypatch):
    pytest.importorskip("pandas")
    tracker = Tracker(library)
    monkeypatch.setitem(sys.modules, library, tracker)
    first, *recipes = BLOCK.findall((ROOT / "docs" / "experiment_trackers.md").read_text())
    [recipe] = [block for block in recipes if f"import {library}\n" in block]
    lines = [line for line in (first + recipe).splitlines() if line.startswith((">>> ", "... "))]
    found = {}
    exec("\n".join(line[4:] for line in lines), found)  # the code of the page
    report = found["report"]
    expected = {"ndcg_at_10": report.mean["ndcg@10"], "mrr": report.mean["mrr"]}
    expected |= {f"{name}_se": report.standard_error[name.replace("_at_", "@")] for name in list(expected)}
    assert tracker.values == expected
    [table] = tracker.tables.values()
    assert table["ndcg@10"].tolist() == report.values["ndcg@10"].tolist()
    if library == "mlflow":
        assert tracker.dicts["report.json"]["metrics"]["mrr"]["mean"] == report.mean["mrr"]
