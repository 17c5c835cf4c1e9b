"""Time the metrics beside those of other libraries: python -m tests.benchmarks."""
