"""Docstrings of public classes describe all parameters and attributes, or link to the class that does."""

import inspect
import re
from importlib import import_module

import pytest

from tests.public_names import SUBPACKAGES

ENTRY = re.compile(r"^([*\w]+(?:, [*\w]+)*)(?: : .*)?$")
LINK = re.compile(r":class:`([\w.]+)`")


def public_classes():
    """Return the public classes by name; those of libraries that are not installed are left out."""
    found = {}
    for module in ("sklearn_rank", *(f"sklearn_rank.{name}" for name in SUBPACKAGES)):
        for name in import_module(module).__all__:
            try:
                value = getattr(import_module(module), name)
            except ImportError:
                continue
            if inspect.isclass(value):
                found[value.__name__] = value
    return found


CLASSES = public_classes()
# Functions of this package make these objects, and the reference shows no constructor.
RESULTS = ("Comparison", "RankingReport")
MADE = [name for name in CLASSES if name not in (*RESULTS, "RankingWarning")]


def describe(docstring, section):
    """Return the text about each parameter or attribute of a docstring."""
    text = re.search(rf"^{section}\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", docstring, re.M | re.S)
    lines = re.sub(r", *\\?\n(?=\S)", ", ", text[1] if text else "").splitlines()
    described, names = {}, []
    for line in lines:
        if match := ENTRY.fullmatch(line):
            names = [each.lstrip("*") for each in match[1].split(", ")]
            described |= dict.fromkeys(names, "")
        elif names:
            described |= {each: f"{described[each]} {line.strip()}".strip() for each in names}
    return described


def find_class(name):
    """Return the class that a link of a docstring means."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last) if module else CLASSES[last]


def test_describe_returns_the_text_of_each_name():
    docstring = (
        "A.\n\nParameters\n----------\na, *b : int\n    Two.\n\n    More.\nc\n    One.\n\nNotes\n-----\nd\n"
    )
    assert describe(docstring, "Parameters") == {"a": "Two. More.", "b": "Two. More.", "c": "One."}


@pytest.mark.parametrize("name", MADE)
def test_class_docstring_describes_all_parameters(name):
    described = describe(inspect.getdoc(CLASSES[name]), "Parameters")
    parameters = {*inspect.signature(CLASSES[name]).parameters}
    others = set()  # parameters of a class that the entry of **kwargs links to
    for each, text in described.items():
        if each in ("kwargs", "params") and (link := LINK.search(text)):
            others |= {*inspect.signature(find_class(link[1]).__init__).parameters}
    assert sorted(parameters - described.keys() - others) == []
    assert sorted(described.keys() - parameters - {"args", "kwargs", "params"}) == []
    assert [each for each, text in described.items() if not text] == []


@pytest.mark.parametrize("name", MADE)
def test_class_docstring_links_to_a_class_with_these_parameters(name):
    for section in ("Parameters", "Attributes"):
        for each, text in describe(inspect.getdoc(CLASSES[name]), section).items():
            match = re.match(r"As in :class:`([\w.]+)`", text)
            if match is None:
                assert not text.startswith("As in scikit-learn"), each
            elif section == "Parameters":
                assert each in inspect.signature(find_class(match[1])).parameters
            elif match[1] in CLASSES:
                assert each in describe(inspect.getdoc(CLASSES[match[1]]), section)
            else:
                assert f"{each} :" in inspect.getdoc(find_class(match[1]))


@pytest.mark.parametrize("name", RESULTS)
def test_class_docstring_of_a_result_describes_its_attributes(name):
    docstring = inspect.getdoc(CLASSES[name])
    assert describe(docstring, "Attributes")
    assert not describe(docstring, "Parameters")


def list_methods():
    """Yield the public methods of the public classes that this package defines."""
    for name, kind in CLASSES.items():
        for key in dir(kind):
            found = inspect.getattr_static(kind, key)
            found = getattr(found, "fn", getattr(found, "__func__", found))
            if key[0] != "_" and inspect.isfunction(found) and found.__module__.startswith("sklearn_rank"):
                yield pytest.param(getattr(kind, key), id=f"{name}.{key}")


@pytest.mark.parametrize("method", list_methods())
def test_method_docstring_describes_all_parameters(method):
    described = describe(inspect.getdoc(method), "Parameters")
    parameters = {*inspect.signature(inspect.unwrap(method)).parameters} - {"self", "cls"}
    assert {*described} == parameters
