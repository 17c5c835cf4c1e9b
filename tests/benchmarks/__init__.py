"""Time the metrics beside those of other libraries: python -m tests.benchmarks."""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ.setdefault(name, "1")  # before the libraries are imported
