"""The limit for the length of messages, which holds for all tests."""

import numpy as np
import pytest

from sklearn_rank import ndcg_score
from sklearn_rank._checks.warn import warn_user
from tests.helpers.message_lengths import LONGEST, check_length


def test_check_length_rejects_long_messages():
    check_length("x" * LONGEST)
    with pytest.raises(AssertionError, match=f"a message of {LONGEST + 1} characters"):
        check_length("x" * (LONGEST + 1))


def test_warn_user_fails_in_tests_when_the_message_is_too_long():
    with pytest.raises(AssertionError, match="a message of 351 characters"):
        warn_user("x" * 351)


def test_raises_fails_in_tests_when_the_message_is_too_long(monkeypatch):
    monkeypatch.setattr("tests.helpers.message_lengths.LONGEST", 50)
    expected = pytest.raises(ValueError, match="y_true")
    with pytest.raises(AssertionError, match="more than 50: The 'y_true' parameter of ndcg_score"), expected:
        ndcg_score([[np.inf, 0]], [[1, 2]])
