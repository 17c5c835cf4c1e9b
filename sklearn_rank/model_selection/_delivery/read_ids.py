"""The query ids of a call: passed as `groups`, among `params`, or read from the data by name."""

from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..._checks.arrays import flatten
from ..._checks.codes import has_codes, rank_ids
from ..._checks.containers import count_rows, resolve_groups
from ..._checks.errors import fail, name_call, shorten
from ..._checks.groups import check_groups
from ..._checks.types import Arguments, Features, Ids, Labels, Options, Scoring
from ..._rows.parts import read_requests
from ..._rows.scorers import list_scorers
from ...metrics import RankingScorer


class CallIds(NamedTuple):
    """The query ids of a call."""

    given: Ids  # as the caller passed them
    values: Any  # in a form that scikit-learn can index by rows
    codes: np.ndarray  # the query of each row, from 0
    are_named: bool  # whether they were found only by a name of a scorer


def find_ids(groups: Ids, X: Features, y: Labels, params: Arguments, scoring: Scoring) -> CallIds | None:
    """Find the ids of a call. Return None if there are none and no scorer needs them."""
    if groups is not None and params.get("groups") is not None:
        fail("groups", "be passed once, as an argument or in 'params'", "both")
    rankings = [scorer for scorer in list_scorers(scoring) if isinstance(scorer, RankingScorer)]
    by_scorer = [scorer.groups for scorer in rankings]
    by_alias = [params.get(alias) for alias in list_scorer_aliases(scoring)]
    found = [ids for ids in (groups, params.get("groups"), *by_scorer, *by_alias) if ids is not None]
    if found:
        values, codes = read_ids(found[0], X, y)
        return CallIds(found[0], values, codes, groups is None and params.get("groups") is None)
    if rankings:
        from ..._hints.arguments import OTHER_NAMES_OF_GROUPS

        named = [name for name in params if name in OTHER_NAMES_OF_GROUPS]
        if named:
            fix = f"Pass {OTHER_NAMES_OF_GROUPS[named[0]]}."
            fail("groups", "contain the query id of each row", f"{named[0]}=", fix)
        require_groups(name_call("groups"), rankings[0])
    return None


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


def list_scorer_aliases(scoring: Scoring) -> list[str]:
    """List the names other than `groups` under which scorers request ids."""
    requested = [read_requests(scorer, "score").get("groups") for scorer in list_scorers(scoring)]
    return [alias for alias in requested if isinstance(alias, str)]
