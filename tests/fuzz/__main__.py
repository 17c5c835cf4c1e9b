"""Try many inputs and print the results."""

import argparse
import sys
import time
from contextlib import suppress

from . import files, runner

MEMORY = 8 * 2**30  # bytes; a call that needs more raises a MemoryError, which is a violation


def limit_memory() -> None:
    """Limit the memory of this process, if the system can."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> int:
    """Run from the command line; return 1 if there was a violation."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", type=int, help="show only this input, with its traceback")
    parser.add_argument("--files", action="store_true", help="try files instead of calls")
    options = parser.parse_args()
    limit_memory()
    inputs = files if options.files else runner
    if options.only is not None:
        print(inputs.show(options.only, options.seed))
        return 0
    began = time.perf_counter()
    kinds, violations = inputs.run(range(options.start, options.start + options.inputs), options.seed)
    seconds = time.perf_counter() - began
    rate = f"{seconds:,.0f} s, {options.inputs / seconds:,.0f} per second"
    print(f"{options.inputs:,} inputs of seed {options.seed}, starting at number {options.start:,}: {rate}")
    for kind, n in kinds.most_common():
        print(f"{n:>12,} {kind}")
    print(f"{sum(map(len, violations.values())):>12,} violations")
    for (place, what), numbers in sorted(violations.items(), key=lambda item: -len(item[1])):
        print(f"{len(numbers):>12,} {place}: {what!r}; --seed {options.seed} --only {numbers[0]}")
    return int(bool(violations))


if __name__ == "__main__":
    sys.exit(main())
