"""Selection of the combinations of parameters that are always run; the others are marked as thorough."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from zlib import crc32

import pytest

MANY = 6  # all combinations are run up to this number
PLAIN = (str, int, float, type(None))  # types of values that are compared by equality


def list_redundant(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield items whose parameter values all occur in other items of the same test that are run.

    Tests with few combinations keep them all. Single values are covered; pairs of values are left to the
    thorough tests. The order of selection is random, but the same in each process.
    """
    by_test = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and item.get_closest_marker("thorough") is None:
            is_slow = item.get_closest_marker("slow") is not None
            by_test[item.nodeid.partition("[")[0], is_slow].append(item)
    for combinations in by_test.values():
        if len(combinations) <= MANY:
            continue
        covered: set[tuple[str, object]] = set()
        for item in sorted(combinations, key=lambda item: crc32(item.nodeid.encode())):
            values = {(name, _make_key(value)) for name, value in item.callspec.params.items()}
            if values <= covered:
                yield item
            covered |= values


def _make_key(value: object) -> object:
    """Return a key of a value: its type and itself if it is plain, otherwise the identity of the object."""
    return (type(value), value) if isinstance(value, PLAIN) else id(value)
