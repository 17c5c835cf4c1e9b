"""Text that a report did not write: an error that names the field, or a report that can be used."""

import copy
import json
import re

import numpy as np
import pytest

from sklearn_rank import RankingReport, compare, evaluate

N = 12
GROUPS, RANDOM = np.repeat(np.arange(N), 3), np.random.RandomState(0)
ROWS = {"y_true": RANDOM.randint(0, 2, 3 * N), "y_score": RANDOM.uniform(size=3 * N), "groups": GROUPS}
REPORTS = {
    "queries": evaluate(**ROWS, metrics=["mrr", "precision@1(average=micro)"], sample_weight=GROUPS + 1),
    "catalog": evaluate(**ROWS, metrics=["mrr", "catalog_coverage@2"], items=np.tile(np.arange(9), 4)),
    "text ids": RankingReport.from_values(list("abc"), {"own": [1, 0.5, 3]}, cluster=list("xxy")),
    "bootstrap": RankingReport.from_values(range(3), {"own": [1, 0.5, 3]}, interval="bootstrap"),
}
CONTENTS = {name: json.loads(report.to_json()) for name, report in REPORTS.items()}
DEEP = json.loads("[" * 90 + "]" * 90)
OTHERS = [
    None,
    True,
    -1,
    0,
    2,
    1.5,
    2**70,
    "x",
    "nan",
    "inf",
    "|O",
    "<U999999999",
    [],
    [1],
    {},
    {"a": 1},
    DEEP,
]


def list_paths(value, path=()):
    """List the paths of all values inside a value."""
    yield path
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, dict | list):
            yield from list_paths(each, (*path, key))
        else:
            yield (*path, key)


def change(content, path, new):
    """Return a copy in which the value at a path is new, or removed if new is Ellipsis."""
    content = copy.deepcopy(content)
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    if new is Ellipsis:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return content


def use(text, name):
    """Read a report and use it in several ways."""
    report = RankingReport.from_json(text)
    repr(report), report.to_latex(), report.to_json(), report.interval, report.mean, report.to_dict()
    if report.ids is not None:
        report.query(report.ids[0])
        report.by(dict.fromkeys(report.ids.tolist(), "a"))
        if len(report.ids) == len(REPORTS[name].ids):
            compare({"a": report, "b": REPORTS[name]})


def list_paths_of(name):
    return [path for path in list_paths(CONTENTS[name]) if path]


@pytest.mark.parametrize("new", [*OTHERS, ...], ids=lambda new: repr(new)[:20])
@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.filterwarnings("ignore")
def test_from_json_rejects_changed_fields_or_reads_a_usable_report(name, new):
    for path in list_paths_of(name):
        text = json.dumps(change(CONTENTS[name], path, new))
        try:
            use(text, name)
        except ValueError as error:
            assert re.search(r"The '\w+' parameter of (RankingReport\.from_json|compare) must", str(error)), (
                path
            )


@pytest.mark.parametrize("name", REPORTS)
def test_from_json_rejects_a_mean_that_contradicts_the_values(name):
    for metric, summary in CONTENTS[name]["summaries"].items():
        path = "summaries", metric, "moments", 0
        text = json.dumps(change(CONTENTS[name], path, summary["moments"][0] * (1 + 1e-6) + 1e-6))
        with pytest.raises(ValueError, match=r"must have the mean of the values.* in the field 'summaries\."):
            RankingReport.from_json(text)


def test_from_json_rejects_a_report_without_metrics():
    text = json.dumps(CONTENTS["bootstrap"] | {"queries": None, "summaries": {}})
    with pytest.raises(ValueError, match="must have at least one metric in the field 'summaries'"):
        RankingReport.from_json(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10**5,
        '{"a":' * 10**5,
        '{"format": "sklearn_rank.RankingReport"}',
        "",
        "null",
        "\x1b",
        "1" * 5000,
    ],
    ids=lambda text: repr(text)[:20],
)
def test_from_json_rejects_other_text(text):
    with pytest.raises(ValueError, match=r"'text' parameter of RankingReport.from_json must"):
        RankingReport.from_json(text)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("confidence_level", 95),
        ("confidence_level", None),
        ("interval", "z"),
        ("n_resamples", 5),
        ("n_resamples", 10**8),
        ("random_state", 2**32),
        ("random_state", True),
    ],
)
def test_from_json_rejects_settings_out_of_range(setting, value):
    text = json.dumps(change(CONTENTS["bootstrap"], ("settings", setting), value))
    place = f"in the field 'settings.{setting}'. Got {value!r} instead. Pass text that report.to_json()"
    with pytest.raises(ValueError, match=re.escape(place)):
        RankingReport.from_json(text)


def test_from_json_rejects_ids_twice_or_unsorted():
    content = CONTENTS["text ids"]
    for ids in (["a", "a", "b"], ["b", "a", "c"]):
        changed = change(content, ("queries", "ids", "array"), ids)
        with pytest.raises(ValueError, match=r"distinct ids in increasing order in the field 'queries.ids'"):
            RankingReport.from_json(json.dumps(changed))
