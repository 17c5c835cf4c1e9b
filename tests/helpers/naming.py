"""Names of test cases that are the same in every process, as workers that share the tests want them."""

import re

import sklearn_rank


def name_of(value):
    """Describe a value without its place in memory; a function by its name."""
    return re.sub(r"<function (\S+) at 0x[0-9a-f]+>| at 0x[0-9a-f]+", r"\1", str(value))


# What `from sklearn_rank import *` gives: names for code in a message.
PUBLIC = {name: getattr(sklearn_rank, name) for name in sklearn_rank.__all__}
