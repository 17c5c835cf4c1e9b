"""Arguments by the names of other libraries: refused, with a word on what they are called here."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

BY_ROW = "groups=qid, the query id of each row in any order"
OF_SIZES = "numpy.repeat(numpy.arange(len(sizes)), sizes)"
BY_SET = "eval_groups=[qid_held_out], a list with the query ids of each evaluation set"

# What other libraries call the ids, and how they are given here.
OTHER_NAMES_OF_GROUPS = {
    "group": f"{BY_ROW}, or groups={OF_SIZES}",
    **dict.fromkeys(("qid", "group_id", "query_id", "query", "queries"), BY_ROW),
}

# What else they call otherwise: our parameter, and how it is given.
PARAMETERS = {name: ("groups", how) for name, how in OTHER_NAMES_OF_GROUPS.items()} | {
    "eval_group": ("eval_groups", f"{BY_SET}, or eval_groups=[{OF_SIZES}]"),
    "eval_qid": ("eval_groups", BY_SET),
    "eval_group_id": ("eval_groups", BY_SET),
    "group_weight": ("sample_weight", "sample_weight=weights, that of each query repeated on its rows"),
    "sample_weight_eval_set": (
        "eval_sample_weight",
        "eval_sample_weight=[weights], a list with an entry per set",
    ),
}


def explain_parameters(method: Method) -> Method:
    """Make a method refuse the arguments of other libraries with a word on what is meant here."""
    parameters = signature(method).parameters
    n_positional = sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters.values())
    kinds = {each.kind for each in parameters.values()}
    passes_on = "groups" in parameters and Parameter.VAR_KEYWORD in kinds  # what a search gets for its model

    @wraps(method)
    def explained(*args: Any, **options: Any) -> Any:
        function = f"{type(args[0]).__name__}.{method.__name__}"
        if len(args) > n_positional and "groups" in parameters:
            given = f"{n_positional} positional arguments but {len(args)} were given"
            named = "groups=qid or sample_weight=weights"
            raise TypeError(f"{function}() takes {given}: name what comes after y, as {named}.")
        for name in [] if passes_on else sorted(options.keys() - parameters.keys()):
            _refuse_argument(name, parameters, function)
            if method.__name__ == "fit":
                _refuse_in_fit(name, args[0])
        return method(*args, **options)

    return explained  # type: ignore[return-value]


def _refuse_argument(name: str, parameters: Mapping[str, Any], function: str) -> None:
    """Refuse an argument that another library has; unknown ones are left to Python and the library."""
    meant, how = PARAMETERS.get(name, (name, ""))
    if how and meant in parameters:
        raise TypeError(f"{function} takes no {name!r}. Did you mean {how}?")
    if meant == "groups":
        raise TypeError(f"{function} takes no {name!r}: it looks at each row alone, as {function}(X).")


def _refuse_in_fit(name: str, model: Any) -> None:
    """Reject an argument of `fit` that belongs to the constructor, or to the library's own ranker."""
    kind = type(model)
    if name in {*model.get_params(deep=False), *signature(kind).parameters}:
        raise TypeError(f"{kind.__name__}.fit takes no {name!r}. Pass it to the constructor instead.")
    replaced = [each for each in kind.__mro__ if "fit" in vars(each)][1:]
    if replaced and name in signature(vars(replaced[0])["fit"]).parameters:
        library = replaced[0].__module__.partition(".")[0]
        raise TypeError(
            f"{kind.__name__}.fit takes no {name!r}, as it sorts rows by query. Sort them yourself and use "
            f"the library's own ranker: {library}.{kind.__name__}(...).fit(..., {name}=...)."
        )
