"""Errors and warnings of a call: from this package, from objects of the caller or from scikit-learn."""

import re
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest import mock

import sklearn
from sklearn.exceptions import DataConversionWarning, UndefinedMetricWarning

import sklearn_rank
from sklearn_rank import RankingWarning

from .draws import OPTIONS
from .selection import without_ids
from .values import OwnError

HERE = str(Path(__file__).parent)
THEIRS = str(Path(sklearn.__file__).parent)
OURS = str(Path(sklearn_rank.__file__).parent)
# Files that raise Python's errors for invalid arguments.
ARGUMENTS = [str(Path(OURS, *file.split("/"))) for file in ("metrics/_factory.py", "_checks/__init__.py")]
ARGUMENTS += [str(Path(OURS, "_checks", "warn.py"))]
MESSAGE = re.compile(
    r"The '(\w+)(?:\[.+?\])?' parameter of (\w+).* must .+\. Got .* instead\.( .+)?$", re.DOTALL
)
# Errors of this package that have another form.
OTHER_MESSAGES = (
    "has no option",
    "RankingEvaluator.result requires",
    "no query ids",
    "is required by",
    "is required for 1-D input",
    "requires the strata",
    "takes 'groups' and 'sample_weight'. Got",
    "takes 'groups', 'sample_weight' and 'labels'. Got",
    "takes 'groups', 'sample_weight' and 'strata'. Got",
    "takes 'groups', 'sample_weight', 'labels' and 'strata'. Got",
    "takes 'groups', 'sample_weight' and 'intents'. Got",
    "requires the labels",
    "requires the intents",
    "does not take 'sample_weight'",
)
# Rules about data, which only the user can correct.
WITHOUT_FIX = re.compile(
    r" must (not )?contain (?!ids|numbers,)| finite and non-neg| finite, non-neg| be large enough"
    r"| be at least the highest label| parameter of train_test_split must have | must not repeat "
    r"| be greater than the number of neg| have (a|no) cutoff| be written | mark rows at two"
    r"| or be left out| of a sortable type| must have the same | be in memory"
)
PARAMETERS = ("estimator", "pos_label", "y_true", "y_score", "y_pred", "columns")
# numpy's warning about a list with a masked value, which it reads as NaN.
PASSED_ON = "Warning: converting a masked element to nan"
FOLD_WARNINGS = re.compile(".* (cuts queries|no document is relevant in the test)", re.DOTALL)


def _files(error: Exception) -> list[str]:
    """Return the file of each frame that an error went through."""
    return [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]


def _error_of_repr(value: Any) -> type | None:
    """Return the type of the error that the repr of a value raises, if any."""
    try:
        repr(value)
    except BaseException as error:  # panics of polars derive from BaseException
        return type(error)
    return None


def _is_theirs(error: Exception, files: list[str], target: Any, given: dict[str, Any]) -> bool:
    """Return whether scikit-learn rejects its own parameter, or raises the same error without ids."""
    if target.theirs is None:
        return False
    last = next((file for file in reversed(files) if file.startswith((OURS, HERE, THEIRS))), "")
    if isinstance(error, ValueError | TypeError | OverflowError) and last.startswith(THEIRS):
        return True
    return type(without_ids(target.theirs, given)) is type(error)


def judge_error(error: Exception, target: Any, given: dict[str, Any]) -> str | None:
    """Return what is wrong with an error, or None."""
    files = _files(error)
    violation = _judge_ours(error, files, target, given)
    return violation if violation and not _is_theirs(error, files, target, given) else None


def _judge_ours(error: Exception, files: list[str], target: Any, given: dict[str, Any]) -> str | None:
    """Return what is wrong with an error of this package, or None."""
    is_ours = [file.startswith(OURS) for file in files]
    called_back = any(file.startswith(HERE) and any(is_ours[:place]) for place, file in enumerate(files))
    is_mock = files[-1] == mock.__file__ or "MagicMock" in str(error) or "__len__() should" in str(error)
    if isinstance(error, (OwnError, *target.passes)) or called_back or is_mock:
        return None  # raised by an object or function of the caller
    if any(
        note.startswith("This happened in") or "raised this error" in note
        for note in getattr(error, "__notes__", ())
    ):
        return None  # raised by a function of the caller, with a note
    if not isinstance(error, ValueError | TypeError):
        passed_on = type(error) in map(_error_of_repr, given.values())
        return None if passed_on else f"a {type(error).__name__}"
    text = str(error)
    if isinstance(error, TypeError) and (files[-1].startswith(HERE) or files[-1] in ARGUMENTS):
        return (
            None
            if re.search(r"argument|parameter|takes|keyword", text)
            else "a TypeError raised before the call"
        )
    if any(words in text for words in OTHER_MESSAGES):
        return None
    match = MESSAGE.match(text)
    if match is None:
        return "a message in another form"
    if match[3] is None and not WITHOUT_FIX.search(text) and not files[-1].startswith(THEIRS):
        return "no fix in the message"
    parameter, function = match[1], match[2]
    known = {name.lstrip("_") for name in given}.union(PARAMETERS, target.parameters)
    if known & {"metric", "metrics", "scoring", "name"}:  # names of metrics can contain any option
        known |= set(OPTIONS)
    if parameter not in known:
        return f"the message names {parameter!r}, which is not a parameter of the call"
    if function not in target.names:
        return f"the message names the function {function!r}"
    return None


def judge_warning(caught: Iterable[Any], target: Any) -> Any | None:
    """Return the first warning that is not documented, if any."""
    # Warnings of scikit-learn and of the function per group are passed on.
    passes_on = target.theirs or "score_func" in target.parameters
    callers = ("/", "<") if passes_on else HERE
    for each in caught:
        ours = each.filename.startswith(OURS) or not each.filename.startswith(callers)
        documented = each.category in (UndefinedMetricWarning, RankingWarning)
        documented |= str(each.message).startswith(PASSED_ON)
        if target.theirs:
            documented |= each.category is DataConversionWarning or bool(
                FOLD_WARNINGS.match(str(each.message))
            )
        if ours and not documented:
            return each
    return None


def locate(error: Exception) -> str:
    """Return the last line of this package that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(OURS) and frame.name != "fail"] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
