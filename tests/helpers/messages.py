"""Helpers for tests of messages."""

import re

import pytest

ROWS = {"y_true": [1, 0, 2, 0], "y_score": [4.0, 3.0, 2.0, 1.0], "groups": [0, 0, 1, 1]}
NAN, INF = float("nan"), float("inf")


def assert_message(call, *parts):
    """Check that a call raises an error whose message contains these parts in this order."""
    with pytest.raises(ValueError, match=".*".join(map(re.escape, parts))):
        call()
