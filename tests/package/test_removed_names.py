"""Old names in the table of the changelog: each call raises an error that names the new one."""

import re
from importlib import import_module
from pkgutil import resolve_name

import pytest

import sklearn_rank
from tests.helpers.pages import table_rows

ROWS = [tuple(row) for kind in ("name", "argument") for row in table_rows("changelog.md", f"| old {kind} |")]


def use(old):
    """Use an old name: compute a quoted one, pass an argument, or import a dotted name."""
    if old.startswith('"'):
        return sklearn_rank.get_scorer(old.strip('"'))
    called, _, argument = old.partition("(")
    owner, _, name = called.rpartition(".")
    if isinstance(kind := resolve_name(owner), type) and not argument:
        return getattr(object.__new__(kind), name)  # a method of its instances
    found = resolve_name(called)
    return found(**{argument.removesuffix("=)"): None}) if argument else found


@pytest.mark.parametrize(("old", "new"), ROWS)
def test_old_name_raises_an_error_that_names_the_new_one(old, new):
    successor = re.match(r"`([^`]+)`", new)[1]
    with pytest.raises((AttributeError, TypeError, ValueError), match=re.escape(successor)):
        use(re.search("`?([^`]+)", old)[1])


PRIVATE = [
    old.split(".")
    for cell, _ in table_rows("changelog.md", "| no longer")
    for old in re.findall("`(.*?)`", cell)
]


@pytest.mark.parametrize(("subpackage", "name"), PRIVATE)
def test_private_names_are_not_exported(subpackage, name):
    assert name not in import_module(f"sklearn_rank.{subpackage}").__all__
