"""The package is typed for its users; mypy itself runs in CI."""

import typed_usage


def test_what_type_checkers_read_also_runs():
    typed_usage.main()
