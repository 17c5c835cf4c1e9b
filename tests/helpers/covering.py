"""Selection of the combinations of parameters that are always run; the others are marked as thorough."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from zlib import crc32

import pytest

MANY = 6  # all combinations are run up to this number
PLAIN = (str, int, float, type(None))  # types of values that are compared by equality


def list_repeating(items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the items of tests with many combinations whose every value is met by another that is run.

    Single values are met, not pairs of them: what is wrong with a pair alone is found by the thorough tests.
    The items are looked at in an order that is random, but the same in each process.
    """
    by_test = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and item.get_closest_marker("thorough") is None:
            is_slow = item.get_closest_marker("slow") is not None
            by_test[item.nodeid.partition("[")[0], is_slow].append(item)
    for combinations in by_test.values():
        if len(combinations) <= MANY:
            continue
        met: set[tuple[str, object]] = set()
        for item in sorted(combinations, key=lambda item: crc32(item.nodeid.encode())):
            values = {(name, _know(value)) for name, value in item.callspec.params.items()}
            if values <= met:
                yield item
            met |= values


def _know(value: object) -> object:
    """Return what a value is known by: itself, or which object it is."""
    return (type(value), value) if isinstance(value, PLAIN) else id(value)
