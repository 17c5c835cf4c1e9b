"""The entry point, which runs a command and returns its exit code."""

import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module

import sklearn_rank

from ._usage_errors import PROGRAM, DataError, UsageError, to_line

# The commands and their descriptions.
COMMANDS = {
    "evaluate": "metrics of runs, or of other scores, with their judgements",
    "compare": "runs on the same queries: tests, intervals and verdicts",
    "ties": "how much a value depends on the order of tied documents",
    "metrics": "the table of metrics, or those that a word finds, of other libraries too",
    "explain": "what the metric of a name computes",
    "plot": "a picture of runs",
}
FILES = {"metrics": "metrics", "explain": "metrics"}  # of commands without runs
HELP = f"""usage: {PROGRAM} COMMAND ...

Compute ranking metrics of runs and judgements in files.

commands:
{{commands}}

  -h, --help  show this, or with a command its options and an example
  --version   show the version

example: {PROGRAM} evaluate qrels.txt bm25.run -m ndcg@10 -m map
"""
OK, BAD_DATA, BAD_USAGE, STOPPED, PIPE_CLOSED = 0, 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, or 1 for bad data, or 2 for bad usage."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        text = _run(words)
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
        return OK
    except UsageError as error:
        return _complain(error, BAD_USAGE)
    except DataError as error:
        return _complain(error, BAD_DATA)
    except SystemExit as stopped:  # argparse has printed the message
        return stopped.code if isinstance(stopped.code, int) else OK
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        return _leave_pipe()
    except OSError as error:  # writing the output failed
        _leave_pipe()
        return _complain(DataError(f"standard output: {error.strerror}"), BAD_DATA)


def _run(words: list[str]) -> str:
    if not words:
        raise UsageError(f"name a command: {', '.join(COMMANDS)}; or see {PROGRAM} --help")
    if sys.stdout is None:
        raise DataError("standard output is closed")
    first = words[0]
    if first in ("-h", "--help", "help"):
        width = max(map(len, COMMANDS))
        return HELP.format(commands="\n".join(f"  {name:{width}}  {text}" for name, text in COMMANDS.items()))
    if first == "--version":
        return f"{PROGRAM} {sklearn_rank.__version__}\n"
    if first not in COMMANDS:
        habit = first.startswith("-") or os.path.exists(first)  # from trec_eval, which has no commands
        hint = f"; metrics of runs are had by {PROGRAM} evaluate QRELS RUN" if habit else ""
        raise UsageError(f"{first!r} is no command: they are {', '.join(COMMANDS)}{hint}")
    command = getattr(import_module(f"{__package__}._{FILES.get(first, 'run_commands')}"), f"run_{first}")
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = partial(_show_warning, set())
        text: str = command(words[1:])
    return text


def _show_warning(
    shown: set[str], message: Warning | str, category: type[Warning], *where: object, **more: object
) -> None:
    """Print a warning in one line, without the place in the code, unless it is `shown` already."""
    line = to_line(message)
    if line not in shown:
        print(f"{PROGRAM}: warning: {line}", file=sys.stderr)
    shown.add(line)


def _complain(error: Exception, code: int) -> int:
    print(f"{PROGRAM}: {error}", file=sys.stderr)
    return code


def _leave_pipe() -> int:
    """Suppress Python's message at exit about a closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED
