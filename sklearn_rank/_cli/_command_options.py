"""Options that several commands share, and the argument parser."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace
from math import inf
from textwrap import wrap
from typing import TYPE_CHECKING, NoReturn

from .._checks import Default
from ._formats import FORMATS
from ._inputs import KINDS
from ._usage_errors import EXIT_CODES, PROGRAM, UsageError, options_at_fault

if TYPE_CHECKING:
    from .._checks.types import Options

DEFAULT_METRICS = ["ndcg@10", "map", "mrr"]
INPUTS = """
QRELS and RUN are TREC files, JSON, runs of MS MARCO, judgments of BEIR, or tables with column names
(.csv, .tsv or .parquet, or set --input), plain or compressed. A table with both scores and grades is
passed once. If QRELS is an svmlight file (.svm or .svmlight), RUN is a file with one score per line.
'-' is standard input."""


class _Help(HelpFormatter):
    """Help with paragraphs that are as wide as the terminal, and whole words."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = (self._split_lines(each, width) for each in text.split("\n\n"))
        return "\n\n".join("\n".join(lines) for lines in paragraphs)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap(" ".join(text.split()), width, break_long_words=False, break_on_hyphens=False)


class Parser(ArgumentParser):
    """A parser of the arguments of a command; options and files can be in any order."""

    def __init__(self, command: str, description: str, example: str, more: str = ""):
        super().__init__(
            prog=f"{PROGRAM} {command}",
            description=description,
            epilog="\n\n".join(filter(None, (more, EXIT_CODES, f"example: {example}"))),
            formatter_class=_Help,
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
        raise ArgumentTypeError(f"must be an integer >= 1, got {text!r}")
    return number


def read_margin(text: str) -> tuple[str, float]:
    """Read a margin, as D or NAME=D; the name is empty in the first form."""
    name, _, given = text.rpartition("=")
    try:
        number = float(given)
    except ValueError:
        number = 0.0
    if not 0 < number < inf:
        raise ArgumentTypeError(f"must be D or NAME=D with a positive number D, got {text!r}")
    return name, number


def add_inputs(parser: Parser, files: str = "QRELS RUN [RUN ...]") -> None:
    """Add the files and the options for reading and joining them."""
    parser.usage = f"%(prog)s {files} [options]"
    parser.description = f"{parser.description}\n{INPUTS}"
    parser.add_argument("files", nargs="*", metavar="FILE", help=files)
    add = parser.add_argument
    add("-M", dest="depth", type=read_count, metavar="N", help="keep the top N documents of each query")
    text = "include the judged queries that a run lacks; default, except with --format trec_eval"
    omitted = parser.add_mutually_exclusive_group().add_argument
    omitted("-c", dest="complete", action="store_true", help=text)
    omitted("--drop-missing", action="store_true", help="exclude the judged queries that a run lacks")
    level = "smallest relevant grade; default: 1. A grade below 0 means not judged"
    add("-l", dest="min_relevance", type=float, default=Default(1), metavar="N", help=level)
    add("-J", dest="judged_only", action="store_true", help="exclude documents that were not judged")
    identical = "exclude documents whose id is that of the query, as BEIR does"
    add("--ignore-identical-ids", action="store_true", help=identical)
    several = "count the best of several chunks of a document; default: raise an error"
    add("--duplicates", choices=("raise", "max"), default="raise", help=several)
    add(
        "--input",
        choices=KINDS,
        default="auto",
        help="format of the files; default: by file extension or content",
    )
    sizes = "number of rows of each query of an svmlight file without qid, as for LightGBM and XGBoost"
    add("--sizes", metavar="FILE", help=sizes)
    columns = "query=qid,document=doc,score=s,grade=label"
    add("--columns", metavar="NAMES", help=f"names of the columns of tables: {columns}")
    add("--qrels-columns", metavar="NAMES", help="the same for QRELS only")
    add("--run-columns", metavar="NAMES", help="the same for the runs only")


def add_metrics(parser: Parser, more: str = "repeat the option for several metrics") -> None:
    add = parser.add_argument
    text = f"a metric; {more}; default: {', '.join(DEFAULT_METRICS)}"
    add("-m", dest="metrics", action="append", metavar="NAME", default=[], help=text)
    text = "gain of a grade; default: linear"
    add("--gain", choices=("linear", "exponential"), default="linear", help=text)


def add_ties(parser: Parser) -> None:
    """Add the option for tied scores."""
    text = "order of tied documents: mean over all orders (default), decreasing document id, best or worst"
    parser.add_argument("--ties", choices=("average", "order", "best", "worst"), default="average", help=text)


def add_model_labels(parser: Parser) -> None:
    text = "judgments of a model for the queries of QRELS and for others; QRELS is then by people"
    parser.add_argument("--model-labels", metavar="FILE", help=text)


def add_format(parser: Parser, more: tuple[str, ...] = ()) -> None:
    text = "output format; default: table"
    parser.add_argument("--format", choices=(*FORMATS, *more), default="table", help=text)


def list_options(args: Namespace) -> Options:
    """Return the options for functions of this package."""
    options = {
        "gain": args.gain,
        "min_relevance": args.min_relevance,
        "unjudged": "drop" if args.judged_only else "nonrelevant",
    }
    return options | ({"ties": args.ties} if "ties" in args else {})


def check_metrics(args: Namespace) -> list[str]:
    """Return the metric names, after checking that they exist and match the options."""
    from ..metrics import build_requests, find_metric_with_inputs
    from ._trec_measures import NICKNAMES

    metrics = list(dict.fromkeys(args.metrics)) or DEFAULT_METRICS
    for name in metrics:
        if "," in name and "(" not in name:
            fix = " ".join(f"-m {each.strip()}" for each in name.split(","))
            raise UsageError(f"-m must be one name, got {name!r}. Repeat the option: {fix}")
        if name in NICKNAMES:
            raise UsageError(f"-m {name} requires --format trec_eval")
    with options_at_fault():
        needs = [find_metric_with_inputs(name) for name in metrics]
        of_intents = {each.needs for each in needs if each} == {("intents",)}
        if args.judged_only and of_intents:
            raise UsageError("-J cannot be combined with metrics of several intents")
        build_requests(metrics, list_options(args), tables=of_intents)
    if args.judged_only and list_needs(metrics)["with_pool"]:
        raise UsageError("-m infap cannot be combined with -J: it estimates labels of unjudged documents")
    return metrics


def list_needs(metrics: list[str]) -> dict[str, bool]:
    """Return the options of `read_rows` for what metrics need in addition to labels and scores."""
    from ..metrics import list_needs

    return list_needs(metrics)


def check_all_ties(metrics: list[str]) -> None:
    """Check that each metric supports the best and the worst order of tied documents."""
    needed = list_needs(metrics)
    if needed["with_intents"]:
        raise UsageError("metrics of several intents are not supported here. Use evaluate or compare")
    if needed["with_pool"]:
        fact = "its best order of tied documents is unknown"
        raise UsageError(f"-m infap is not supported here, because {fact}. Use evaluate or compare")
