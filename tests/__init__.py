"""Tests of sklearn_rank in folders that mirror its subpackages, and commands for developers."""
