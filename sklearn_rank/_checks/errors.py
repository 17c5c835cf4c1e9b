"""Errors that name the parameter, the function, the rule and the value; and values as text."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from inspect import Parameter, currentframe, signature
from numbers import Integral, Real
from types import FrameType, ModuleType
from typing import NoReturn, TypeGuard

import numpy as np

from . import SUBPACKAGES
from .outputs import make_printable

MOST_LETTERS = 350  # of an error
OF_NAME = 60  # letters of a name in it
WIDTH = 80  # of printed text
# Code to paste for parameters without a default: a name has one meaning in the whole package.
EXAMPLES = {
    name: code
    for names, code in (
        ("X features", "frame[['a', 'b']]"),
        ("y y_true labels", "frame['label']"),
        ("y_score y_pred y_score_a y_score_b", "model.predict(X)"),
        ("groups ids eval_groups", "frame['qid']"),
        ("items", "frame['item']"),
        ("strata", "frame['stratum']"),
        ("times", "frame['time']"),
        ("clicks", "frame['click']"),
        ("positions", "frame['position']"),
        ("documents", "frame['document']"),
        ("arm", "frame['arm']"),
        ("cluster", "frame['user']"),
        ("sample_weight weights", "frame['weight']"),
        ("sizes n_relevant folds", "[3, 2, 4]"),
        ("intents", "frame[['intent_1', 'intent_2']]"),
        ("history", "(features, groups)"),
        ("k max_k", "10"),
        ("metric scoring", "'ndcg@10'"),
        ("metrics", "['ndcg@10', 'map']"),
        ("cv", "5"),
        ("estimator", "Ridge().fit(X, y)"),
        ("score_func", "sklearn.metrics.mean_absolute_error"),
        ("response_method", "'predict'"),
        ("popularity", "{'item': 0.5}"),
        ("catalog", "10_000"),
        ("n_items", "100"),
        ("intent_weight", "[0.7, 0.3]"),
        ("qrels", "{'q1': {'d1': 1}}"),
        ("run", "{'q1': {'d1': 0.5}}"),
        ("recommended relevant seen", "{'user': ['item']}"),
        ("padding random_state", "0"),
        ("values", "{'mrr': values}"),
        ("scores", "user_factors @ item_factors.T"),
        ("propensities", "[1, 0.6, 0.4]"),
        ("trust", "([0.9, 0.8], [0.1, 0.05])"),
        ("test_size train_size", "0.25"),
        ("cuts", "['2024-06-01']"),
        ("param_range", "[0.1, 1, 10]"),
        ("p", "0.8"),
        ("max_grade", "4"),
        ("gain", "'linear'"),
        ("zero_division", "0.0"),
    )
    for name in names.split()
}
OF_FORM = "be ", "have ", "map ", "return ", "contain ids", "contain numbers"  # begin rules about a form
# Words of other rules, about values.
OF_DATA = "in memory", "finite and", "finite, ", "be less than", "be at least", "be greater", "be large"


def fail(parameter: str, rule: str, got: object, fix: str = "", place: str = "") -> NoReturn:
    """Raise the error for a bad argument: rule, value, and the `fix`, a sentence with code to paste.

    Without a `fix`, rules about the form of an argument get its default or an example. A long value is
    shortened so that its `place` in a file remains.
    """
    function = name_call(parameter)
    start = f"The '{parameter}' parameter of {function} must {rule}. Got "
    end = f" instead. {fix or _show_valid(function, parameter, rule, got)}"
    room = max(MOST_LETTERS - len(start) - len(end), OF_NAME)
    shown = shorten(" ".join(map(str.strip, str(got).splitlines())), max(room - len(place), OF_NAME))
    raise ValueError(make_printable(f"{start}{shorten(shown + place, room)}{end}".rstrip()))


def _show_valid(function: str, parameter: str, rule: str, got: object) -> str:
    """Return how to pass the default of a parameter or an example; empty text for rules about data."""
    if not rule.startswith(OF_FORM) or any(words in rule for words in OF_DATA):
        return ""
    head, _, method = function.partition("(")[0].partition(".")
    owner = next(
        (getattr(each, head) for each in _list_modules() if head in getattr(each, "__all__", ())), None
    )
    for called in filter(callable, (getattr(owner, method or "__init__", None), owner)):
        parameters = signature(called).parameters
        default = parameters[parameter].default if parameter in parameters else Parameter.empty
        if default is not Parameter.empty and (default is not None or "None" in rule):
            return f"Pass {parameter}={default!r}." if repr(default) != str(got) else ""
    return f"Pass {parameter}={EXAMPLES[parameter]}." if parameter in EXAMPLES else ""


def _list_modules() -> list[ModuleType]:
    """List the public modules that are imported."""
    return [sys.modules[name] for each in SUBPACKAGES if (name := f"sklearn_rank.{each}") in sys.modules]


@contextmanager
def renamed(parameter: str, name: str) -> Iterator[None]:
    """Give a parameter another name in errors, such as that of the argument from which it was taken."""
    try:
        yield
    except ValueError as error:
        rule, got, value = str(error).partition(". Got ")
        value = value.replace(f"Pass {parameter}=", f"Pass {name}=")
        error.args = (rule.replace(f"'{parameter}'", f"'{name}'") + got + value,)
        raise


def shorten(text: str, n_letters: int = OF_NAME) -> str:
    """Return a text of at most a number of letters; "..." replaces a part of a longer text."""
    n_last = n_letters // 4
    return text if len(text) <= n_letters else f"{text[: n_letters - n_last - 3]}...{text[-n_last:]}"


def count_of(n: int, unit: str, units: str = "") -> str:
    """Return a count with its unit, such as "1 row", "2 rows" or "2 queries"."""
    return f"{n:,} {unit if n == 1 else units or unit + 's'}"


def kind_of(value: object) -> str:
    """Return the type of a value with its article, such as "a list" or "an ndarray", or "None"."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOUaeiou' or name.startswith('nd') else 'a'} {name}"


def name_call(parameter: str = "") -> str:
    """Return the name of the public function, class or method that a message is about.

    It is the outermost one below the user's code that has the parameter, such as the splitter in a call of
    ``cross_val_score``. If none has it, it is the outermost one.
    """
    public = {name for module in _list_modules() for name in getattr(module, "__all__", ())}
    outermost, frames = "", _list_frames()
    for frame in frames:
        name, has_parameter = _name_frame(frame, parameter, public)
        if name and has_parameter:
            return name
        outermost = outermost or name
    return outermost or frames[0].f_code.co_name


def _list_frames() -> list[FrameType]:
    """List the frames of this package below the user's code, outermost first. Python's library is skipped."""
    frame, found = currentframe(), []
    while frame is not None:
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package == "sklearn_rank":
            found.append(frame)
        elif package not in sys.stdlib_module_names:
            break
        frame = frame.f_back
    return found[::-1]


def _name_frame(frame: FrameType, parameter: str, public: set[str]) -> tuple[str, bool]:
    """Return the name of what runs in a frame, empty if it is not public, and whether it has the parameter.

    A frame whose code has another name than its function sets the name as its local variable `_called_as`.
    """
    code, values = frame.f_code, frame.f_locals
    if "_called_as" in values:
        return str(values["_called_as"]), True
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    has_parameter = not parameter or parameter in own
    owner = values.get("self", values.get("cls")) if "." in code.co_qualname else None
    if owner is None:
        return code.co_name if code.co_name in public else "", has_parameter
    kind = owner if isinstance(owner, type) else type(owner)
    if public.isdisjoint(each.__name__ for each in kind.__mro__):
        return "", False
    name = kind.__name__ if owner is kind or not hasattr(kind, "describe") else shorten(owner.describe())
    method = "" if code.co_name.startswith("_") else f".{code.co_name}"
    if has_parameter and (method or code.co_name in ("__init__", "__call__")):
        return name + method, True
    is_option = parameter in _list_options(owner, kind)
    return name if is_option else name + method, is_option


def _list_options(owner: object, kind: type) -> set[str]:
    """List the parameters of a constructor, options of a scorer and keyword options of LightGBM's models."""
    options = set(signature(kind).parameters)
    with suppress(Exception):  # the constructor of the object might not have finished
        options.update(getattr(owner, "options", None) or ())
        options |= owner.get_params(deep=False).keys()  # type: ignore[attr-defined]
    return options


def spell_id(value: object) -> str:
    """Return an id as text, with numpy's types as Python's: 'a' and not np.str_('a')."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def is_int(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer, excluding bool and timedelta64."""
    if type(value) is int:  # the most frequent type, checked first
        return True
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def is_real(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number, excluding bool and timedelta64."""
    if type(value) is float or type(value) is int:
        return True
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_ | np.timedelta64)


def check_count(value: object, lowest: int, parameter: str, other: str = "") -> None:
    """Check an integer that counts something; `other` names other allowed values."""
    if not is_int(value) or value < lowest:
        fail(parameter, f"be an int >= {lowest}{other}", repr(value))


def as_printed(text: str) -> str:
    """Return text as HTML that looks as printed; notebooks use another font for <pre>."""
    from html import escape

    return f'<pre style="font-family: monospace; white-space: pre; overflow-x: auto">{escape(text)}</pre>'
