"""A few thousand reproducible inputs of the fuzzers, and mistakes that the fuzzers must find."""

import copy
import warnings
from random import Random

import numpy as np
import pytest

from sklearn_rank.datasets import _entries, _file_tables, _run_objects, _runs, _trec_files
from tests.fuzz import errors, files, references, runner, tables
from tests.fuzz.target import Target


@pytest.mark.thorough
def test_fuzzed_calls_return_a_result_or_our_error():
    kinds, violations = runner.run(range(4000), seed=1)
    assert violations == {}
    assert kinds["result"] > 400
    assert kinds["ValueError"] > 2000


@pytest.mark.thorough
def test_fuzzed_files_are_read_correctly_or_rejected():
    kinds, violations = files.run(range(1500), seed=1)
    assert violations == {}
    assert min(kinds["result of files"], kinds["ValueError of files"]) > 300
    assert min(kinds["result of features"], kinds["ValueError of features"]) > 20
    assert min(kinds["result of tables"], kinds["error of tables"]) > 40


CLOCK = [0]  # seconds of CPU time


def fails_in_numpy(y_true, **given):
    np.zeros(2) + np.zeros(3)


def fails_otherwise(y_true, **given):
    raise KeyError("y_true")


def blames_another_function(y_true, **given):
    raise ValueError("The 'y_true' parameter of map_score must be a list. Got 1 instead. Do.")


def blames_another_parameter(y_true, **given):
    raise ValueError("The 'k' parameter of calling must be a list. Got 1 instead. Pass k=1.")


def does_not_tell_what_to_do(y_true, **given):
    raise ValueError("The 'y_true' parameter of calling must be a list. Got 1 instead.")


def takes_six_seconds(y_true, **given):
    CLOCK.append(CLOCK[-1] + 6)
    return 0.5


def warns(y_true, **given):
    warnings.warn("careful", RuntimeWarning, stacklevel=1)
    return 0.5


def changes_its_input(y_true, **given):
    y_true[0] = 7
    return 0.5


def depends_on_the_order(y_true, **given):
    return float(y_true[0])


def depends_on_the_call(y_true, calls=[], **given):  # noqa: B006
    calls.append(y_true)
    return float(len(calls))


WRONG = {
    fails_in_numpy: "a message in another form",
    fails_otherwise: "a KeyError",
    blames_another_function: "the message names the function 'map_score'",
    blames_another_parameter: "the message names 'k', which is not a parameter of the call",
    does_not_tell_what_to_do: "no fix in the message",
    takes_six_seconds: "longer than 5 s",
    warns: "the warning RuntimeWarning: careful",
    changes_its_input: "an input was changed",
    depends_on_the_order: "another value with the rows in the order",
    depends_on_the_call: "another value when called again",
    lambda y_true, **given: 2.0: "outside its range",
    lambda y_true, **given: float("nan"): "nan without a warning",
}


@pytest.mark.parametrize(("call", "violation"), WRONG.items())
def test_fuzzer_of_calls_finds_violations(call, violation, monkeypatch):
    def calling(y_true, groups):
        """Have the name and the parameters that messages can mention."""

    rows = {"y_true": [0, 1, 0, 1], "y_score": [4, 3, 2, 1], "groups": [0, 0, 1, 1]}
    check = lambda result, given: "outside its range" if result == 2 else None  # noqa: E731
    target = Target(call, lambda random: rows, check, (calling,), ("y_true", "y_score", "groups"))
    monkeypatch.setattr(errors, "OURS", __file__)  # the file that defines the wrong functions
    monkeypatch.setattr(runner.time, "process_time", lambda: CLOCK[-1])
    with runner.record_warnings() as caught:
        outcomes = [runner.judge(target, copy.deepcopy(rows), Random(seed), caught) for seed in range(20)]
    assert any(violation in (outcome.violation or "") for outcome in outcomes), outcomes


decode_numbers = _trec_files._decode_numbers
FILE_MISTAKES = {
    "a result of an invalid file": (
        _trec_files,
        "_decode_numbers",
        lambda words, *given: np.ones(len(words)),
    ),
    "an error about a valid line": (
        _entries.EntrySource,
        "locate",
        lambda source, row: f" in line 99 of {source.name}",
    ),
    "an error without a line number": (
        _entries.EntrySource,
        "locate",
        lambda source, row: f" in {source.name}",
    ),
    "rows that differ from the simple reader": (
        _trec_files,
        "_decode_numbers",
        lambda *given: 1 + decode_numbers(*given),
    ),
    "no warning about ranks": (_trec_files, "_decode_ranks", lambda words: None),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("violation", "mistake"), FILE_MISTAKES.items())
def test_fuzzer_of_files_finds_violations(violation, mistake, monkeypatch):
    monkeypatch.setattr(files, "HAS_ARROW", False)
    monkeypatch.setattr(_trec_files, "find_arrow", lambda n_bytes: None)
    monkeypatch.setattr(*mistake)
    _, violations = files.run(range(600), seed=1)
    assert violation in {what for _, what in violations}


TABLE_MISTAKES = {
    "a result of an invalid table": (_file_tables, "check_id", lambda *given: None),
    "a missing or wrong warning about truncated grades": (_run_objects, "warn_user", lambda *given: None),
    "values that differ from those of truncated grades": (
        _runs,
        "read_judgments",
        lambda qrels, columns, whole: read_judgments(qrels, columns, False),
    ),
    "queries that differ from those of the functions": (_file_tables, "remove_marks", lambda text: text),
}
read_judgments = _run_objects.read_judgments


@pytest.mark.parametrize("stem", references.STEMS)
def test_fuzzer_compares_values_with_a_slow_reference(stem):
    target = next(each for each in runner.TARGETS if each.reference == stem)
    given = {"y_true": [0, 1, 0, 1], "y_score": [4, 3, 3, 1], "groups": [0, 0, 1, 1], "k": 1}
    given = {name: value for name, value in given.items() if name in target.parameters}
    right = target.call(**given)
    assert references.judge_by_reference(stem, right, given) == ""
    assert "of the reference" in references.judge_by_reference(stem, right + 1e-6, given)
    assert references.judge_by_reference(stem, right, given | {"average": "micro"}) is None


@pytest.mark.slow
@pytest.mark.parametrize(("violation", "mistake"), TABLE_MISTAKES.items())
def test_fuzzer_of_tables_finds_violations(violation, mistake, monkeypatch, tmp_path):
    monkeypatch.setattr(*mistake)
    random = Random(1)
    assert violation in {tables.judge_table(tables.draw_table(random), tmp_path)[1] for _ in range(200)}


@pytest.mark.slow
def test_fuzzer_of_files_finds_differences_between_readers(monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_trec_files, "_decode_numbers", lambda words, *given: np.ones(len(words)))
    _, violations = files.run(range(300), seed=1)
    assert any(what.startswith("pyarrow and Python differ") for _, what in violations)
