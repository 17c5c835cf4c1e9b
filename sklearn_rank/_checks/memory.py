"""Memory of arrays that are freed: kept for those that come next."""

import numpy as np

FREED = 3 * 10**7  # bytes, below the 32 MiB up to which the C library learns


def reuse_memory() -> None:
    """Have freed arrays kept for the next ones: glibc learns it from one that is large and freed.

    It would give them back to the system otherwise, which clears each page again. From then on it keeps some
    60 MB at most, for the whole process. The array is not touched, and takes no memory.
    """
    np.empty(FREED, dtype=np.uint8)
