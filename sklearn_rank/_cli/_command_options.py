"""Options that several commands share, and the parser of command lines."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, NoReturn

from ._formats import FORMATS
from ._inputs import KINDS
from ._usage_errors import PROGRAM, UsageError, options_at_fault

if TYPE_CHECKING:
    from .._checks.types import Options

DEFAULT_METRICS = ["ndcg@10", "map", "mrr"]
INPUTS = """
QRELS and RUN are files of TREC, packed by gzip or not; or tables with names of columns, by their endings
.csv, .tsv and .parquet, or by --input. One table may hold scores and grades both: name it once. Labels in
the format of svmlight, data.svm, take a file with a score per line for a run. '-' is standard input."""


class Parser(ArgumentParser):
    """A parser of the words after a command, with options and files in any order."""

    def __init__(self, command: str, description: str, example: str):
        super().__init__(
            prog=f"{PROGRAM} {command}",
            description=description,
            epilog=f"example: {example}",
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def error(self, message: str) -> NoReturn:
        """Raise a usage error, in one line."""
        raise UsageError(f"{message}; see {self.prog} --help")


def read_count(text: str) -> int:
    """Read an integer that is at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ArgumentTypeError(f"must be an integer from 1 on, got {text!r}")
    return number


def add_inputs(parser: Parser, files: str = "QRELS RUN [RUN ...]") -> None:
    """Add the files, and the options for reading and joining them."""
    parser.usage = f"%(prog)s {files} [options]"
    parser.description = f"{parser.description}\n{INPUTS}"
    parser.add_argument("files", nargs="*", metavar="FILE", help=files)
    add = parser.add_argument
    add("-M", dest="depth", type=read_count, metavar="N", help="take the N highest documents of each query")
    add("-c", dest="complete", action="store_true", help="count the judged queries that a run lacks, too")
    add("-l", dest="min_relevance", type=float, default=1, metavar="N", help="grades from N on are relevant")
    add("-J", dest="judged_only", action="store_true", help="leave out documents that were not judged")
    add("--input", choices=KINDS, default="auto", help="how files are read; default: by their endings")
    columns = "query=qid,document=doc,score=s,grade=label"
    add("--columns", metavar="NAMES", help=f"which columns of tables hold what: {columns}")


def add_metrics(parser: Parser, most: str = "repeated for several") -> None:
    """Add the metrics, and the conventions of this package's metrics."""
    add = parser.add_argument
    text = f"a metric, {most}; default: {', '.join(DEFAULT_METRICS)}"
    add("-m", dest="metrics", action="append", metavar="NAME", default=[], help=text)
    add("--gain", choices=("linear", "exponential"), default="linear", help="of grades; default: linear")


def add_ties(parser: Parser) -> None:
    """Add the option for tied scores."""
    text = "equal scores: the mean over their orders (default), documents from high to low, or best or worst"
    parser.add_argument("--ties", choices=("average", "order", "best", "worst"), default="average", help=text)


def add_format(parser: Parser, more: tuple[str, ...] = ()) -> None:
    """Add the format of the output."""
    text = "of the output; default: table"
    parser.add_argument("--format", choices=(*FORMATS, *more), default="table", help=text)


def list_options(args: Namespace) -> Options:
    """Return the options of this package's functions."""
    options = {
        "gain": args.gain,
        "min_relevance": args.min_relevance,
        "unjudged": "drop" if args.judged_only else "nonrelevant",
    }
    return options | ({"ties": args.ties} if "ties" in args else {})


def check_metrics(args: Namespace) -> list[str]:
    """Return the metric names, after checking that they exist and match the options."""
    from ..metrics import build_requests
    from ._trec_measures import NICKNAMES

    metrics = list(dict.fromkeys(args.metrics)) or DEFAULT_METRICS
    for name in metrics:
        if "," in name and "(" not in name:
            raise UsageError(f"-m takes one name, and is repeated for several, got {name!r}")
        if name in NICKNAMES:
            raise UsageError(f"-m {name} goes with --format trec_eval")
    with options_at_fault():
        build_requests(metrics, list_options(args))
    if args.judged_only and needs_pool(metrics):
        raise UsageError("-m infap cannot be used with -J: it estimates the labels of unjudged documents")
    return metrics


def needs_pool(metrics: list[str]) -> bool:
    """Return whether a metric depends on which unjudged documents are in the pool of the judgments."""
    from ..metrics import parse_name

    return any(parse_name(name)[0].nan_rule == "sampled" for name in metrics)


def check_all_ties(metrics: list[str]) -> None:
    """Check that each metric supports the best and the worst order of tied documents."""
    if needs_pool(metrics):
        fix = "Use evaluate or compare"
        raise UsageError(f"-m infap cannot be used here: its best order of ties is unknown. {fix}")
