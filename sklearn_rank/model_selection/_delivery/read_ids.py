"""The query ids of a call: passed as `groups`, among `params`, or read from the data by name."""

from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..._checks.arrays import flatten
from ..._checks.codes import has_codes, rank_ids
from ..._checks.containers import check_entries, count_rows, resolve_groups
from ..._checks.errors import fail, name_call, shorten
from ..._checks.groups import check_groups
from ..._checks.types import Arguments, Features, Ids, Labels, Options
from ...metrics import RankingScorer
from .bound_scorer import BoundScorer
from .read_scoring import check_missed, reject_scikit_learns_ndcg


class CallIds(NamedTuple):
    """The query ids of a call."""

    given: Ids  # as the caller passed them
    values: Any  # in a form that scikit-learn can index by rows
    codes: np.ndarray  # the query of each row, from 0
    are_named: bool  # whether they were found only by a name of a scorer


def find_ids(
    groups: Ids, X: Features, y: Labels, params: Arguments, scorers: list[BoundScorer]
) -> CallIds | None:
    """Find the ids of a call. Return None if there are none and no scorer needs them."""
    if groups is not None and params.get("groups") is not None:
        fail("groups", "be passed once, as an argument or in 'params'", "both")
    rankings = [each.scorer for each in scorers if isinstance(each.scorer, RankingScorer)]
    given = params.get("groups") if groups is None else groups
    by_scorer = [scorer.groups for scorer in rankings] if given is None else []
    by_alias = [params.get(each.names.get("groups", "")) for each in scorers] if given is None else []
    found = [ids for ids in (given, *by_scorer, *by_alias) if ids is not None]
    if found:
        values, codes = read_ids(found[0], X, y)
        return CallIds(found[0], values, codes, given is None)
    if rankings:
        from ..._hints.arguments import OTHER_NAMES_OF_GROUPS

        named = [name for name in params if name in OTHER_NAMES_OF_GROUPS]
        if named:
            fix = f"Pass {OTHER_NAMES_OF_GROUPS[named[0]]}."
            fail("groups", "contain the query id of each row", f"{named[0]}=", fix)
        require_groups(name_call("groups"), rankings[0])
    return None


def check_labels_of_call(y: Labels, ids: CallIds, scorers: list[BoundScorer]) -> None:
    """Check that labels fit the ids, and that scorers fit the labels and the ids."""
    if y is not None:
        check_entries(y, len(ids.codes), "y")
    shape: tuple[int, ...] = getattr(y, "shape", ())
    for each in scorers:
        if each.is_ranking and len(shape) > 1 and shape[1] != 1:
            fail("y", "contain one label per row", f"shape {shape}")
        if len(shape or (0,)) == 1:
            reject_scikit_learns_ndcg(each.scorer)
        check_missed([each.scorer], ids.values)


def require_groups(called: str, scorer: RankingScorer) -> NoReturn:
    """Raise the error that a call got no query ids."""
    fix = f"Pass the query id of each row: {called}(..., groups=qid)."
    text = f"The 'groups' parameter of {called} is required by {shorten(scorer.describe(), 120)}. {fix}"
    raise ValueError(text)


def read_ids(ids: Ids, X: Features, y: Labels, parameter: str = "groups") -> tuple[Any, np.ndarray]:
    """Check ids; return them in a form that scikit-learn can index by rows, and the code of each."""
    ids = resolve_groups(ids, X, y, parameter)
    codes = rank_ids(check_groups(ids, count_rows(X), parameter))
    if isinstance(ids, list | tuple) or (hasattr(ids, "iloc") and ids.ndim == 1):
        return ids, codes
    if has_codes(ids) and hasattr(ids, "to_series"):  # a pandas index, which can raise an error
        index = next((data.index for data in (X, y) if hasattr(data, "iloc")), None)
        return ids.to_series(index=index), codes
    if has_codes(ids) and hasattr(ids, "to_physical"):  # a polars column
        return ids, codes
    array = flatten(np.asarray(ids))
    return array.astype(object) if array.dtype.kind == "T" else array, codes  # numpy's text type can fail


def read_aliases(names: Iterable[str], ids: CallIds, X: Features, y: Labels, params: Arguments) -> Options:
    """Return the ids under each name: those passed under it, else those passed as `groups`."""
    found = {}
    for name in dict.fromkeys(names):
        values = params.get(name)
        if values is None and ids.are_named:
            rule = f"contain {name!r}, the ids that a scorer, the splitter or the model requests"
            fail("params", rule, f"only {', '.join(map(repr, params))}")
        found[name] = ids.values if values is None else read_ids(values, X, y, name)[0]
    return found
