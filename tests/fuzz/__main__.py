"""Try a number of inputs and print the results."""

import argparse
import sys
import time

from . import files, runner


def main() -> int:
    """Run from the command line; 1 if a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", type=int, help="show this input alone, with its traceback")
    parser.add_argument("--files", action="store_true", help="files for the readers instead of calls")
    asked = parser.parse_args()
    inputs = files if asked.files else runner
    if asked.only is not None:
        print(inputs.show(asked.only, asked.seed))
        return 0
    began = time.perf_counter()
    kinds, violations = inputs.run(range(asked.start, asked.start + asked.inputs), asked.seed)
    seconds = time.perf_counter() - began
    print(f"{asked.inputs:,} inputs from number {asked.start:,} of seed {asked.seed}", end=" ")
    print(f"in {seconds:,.0f} s, {asked.inputs / seconds:,.0f} a second")
    for kind, n in kinds.most_common():
        print(f"{n:>12,} {kind}")
    print(f"{sum(map(len, violations.values())):>12,} violations")
    for (place, what), numbers in sorted(violations.items(), key=lambda item: -len(item[1])):
        print(f"{len(numbers):>12,} {place}: {what!r}; --seed {asked.seed} --only {numbers[0]}")
    return int(bool(violations))


if __name__ == "__main__":
    sys.exit(main())
