"""Benchmarks of the metrics, compared with other libraries: python -m tests.benchmarks."""
