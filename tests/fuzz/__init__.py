"""A fuzzer that calls every public function and scorer with unusual input: `python -m tests.fuzz`."""
