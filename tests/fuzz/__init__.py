"""Every public function and scorer, called with what nobody should pass: `python -m tests.fuzz`."""
