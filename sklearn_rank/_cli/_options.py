"""Options that several commands share, and how a command line is read."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from typing import NoReturn

from ._errors import PROGRAM, UsageError


class Parser(ArgumentParser):
    """Reads the words behind a command, options and files in any order."""

    def __init__(self, command: str, description: str, example: str):
        super().__init__(
            prog=f"{PROGRAM} {command}",
            description=description,
            epilog=f"example: {example}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise what ends the program, in one line."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def parse(self, words: list[str]) -> Namespace:
        """Return the options and files."""
        return self.parse_intermixed_args(words)


def read_count(text: str) -> int:
    """Read an integer from 1 on."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ArgumentTypeError(f"must be an integer from 1 on, got {text!r}")
    return number


def add_inputs(parser: Parser) -> None:
    """Add the files, and how they are read and joined."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="QRELS RUN [RUN ...]; '-' is standard input")
    parser.add_argument(
        "-M", dest="depth", type=read_count, metavar="N", help="take the N highest documents of each query"
    )
    parser.add_argument(
        "-c", dest="complete", action="store_true", help="count judged queries that the run lacks"
    )
    parser.add_argument(
        "-l", dest="min_relevance", type=float, default=1, metavar="N", help="grades from N on are relevant"
    )
    parser.add_argument(
        "-J", dest="judged_only", action="store_true", help="leave out documents that were not judged"
    )
