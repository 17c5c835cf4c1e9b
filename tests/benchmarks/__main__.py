"""Time this package and others on the same rows in one run: python -m tests.benchmarks W1 W2 [--repeats 5].

One thread each, interleaved; medians, and how many times longer the others take.
"""

import argparse
from statistics import median
from time import perf_counter

from .peers import PEERS
from .work import WORK

SLOW_PEERS = {"scikit-learn, a loop": 100_000}  # rows beyond which a peer takes too long


def measure(work: str, peers: list[str], repeats: int) -> None:
    """Print a line per peer: the median time, its spread, and the ratio to this package."""
    rows = WORK[work]()
    calls = {}
    for peer in peers:
        if len(rows.groups) > SLOW_PEERS.get(peer, len(rows.groups)):
            continue
        try:
            calls[peer] = PEERS[peer](rows)
        except ImportError as error:
            print(f"{peer}: {error}")
    times: dict[str, list[float]] = {peer: [] for peer in calls}
    values = {peer: call() for peer, call in calls.items()}
    for _ in range(repeats):
        for peer, call in calls.items():
            start = perf_counter()
            call()
            times[peer].append(perf_counter() - start)
    ours = median(times["sklearn_rank"])
    print(f"\n{work}: {len(rows.groups):,} rows")
    for peer, measured in times.items():
        spread = (max(measured) - min(measured)) / median(measured)
        shown = ", ".join(f"{name} {value:.6f}" for name, value in values[peer].items())
        ratio = median(measured) / ours
        print(f"{peer:30}{1e3 * median(measured):10.1f} ms  spread {spread:4.0%}  {ratio:7.1f}x  {shown}")


def main() -> None:
    """Read what to measure, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", nargs="*", help=f"of {', '.join(WORK)}; all by default")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    for work in arguments.work or WORK:
        measure(work, list(PEERS), arguments.repeats)


if __name__ == "__main__":
    main()
