"""The entry point: run a command and return its exit code."""

import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module

import sklearn_rank

from .._checks.outputs import make_printable
from ._usage_errors import EXIT_CODES, PROGRAM, DataError, GateError, UsageError, remove_call, to_line

# The commands and their descriptions.
COMMANDS = {
    "evaluate": "compute metrics of runs",
    "compare": "compare runs with significance tests",
    "queries-needed": "estimate how many queries show a difference",
    "rbo": "compute how much two runs agree",
    "ties": "show how metrics depend on the order of tied documents",
    "metrics": "list metrics, or search for them by a word",
    "explain": "explain the name of a metric",
    "plot": "plot metrics of runs",
}
MODULES = {"compare": "compare", "queries-needed": "compare", "rbo": "agreement"}
MODULES |= {"metrics": "metrics", "explain": "metrics"}  # others are in _run_commands
HELP = f"""usage: {PROGRAM} COMMAND ...

Compute ranking metrics of files with runs and relevance judgments.

commands:
{{commands}}

  -h, --help  show this help, or after a command its options and an example
  --version   show the version

{EXIT_CODES}

example: {PROGRAM} evaluate qrels.txt bm25.run -m ndcg@10 -m map
"""
OK, BAD_DATA, BAD_USAGE, STOPPED, PIPE_CLOSED = 0, 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, 1 for invalid data, 2 for invalid usage, or of --fail-on."""
    words = list(sys.argv[1:] if argv is None else argv)
    failure = None
    try:
        try:
            text = _run(words)
        except GateError as error:
            text, failure = error.output, error
        sys.stdout.flush()
        text = make_printable(text) if sys.stdout.isatty() else text
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
        return _complain(failure, failure.code) if failure else OK
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
        raise UsageError(f"a command is required: {', '.join(COMMANDS)}; see {PROGRAM} --help")
    if sys.stdout is None:
        raise DataError("standard output is closed")
    if words[0] == "help" and words[-1] in COMMANDS:
        words = [words[-1], "--help"]
    first = words[0]
    if first in ("-h", "--help", "help"):
        width = max(map(len, COMMANDS))
        return HELP.format(commands="\n".join(f"  {name:{width}}  {text}" for name, text in COMMANDS.items()))
    if first == "--version":
        return f"{PROGRAM} {sklearn_rank.__version__}\n"
    if first not in COMMANDS:
        is_file = first.startswith("-") or os.path.exists(first)  # as for trec_eval, which has no commands
        hint = f". To compute metrics, use {PROGRAM} evaluate QRELS RUN" if is_file else ""
        raise UsageError(f"unknown command {first!r}; the commands are {', '.join(COMMANDS)}{hint}")
    module = import_module(f"{__package__}._{MODULES.get(first, 'run_commands')}")
    command = getattr(module, f"run_{first.replace('-', '_')}")
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = partial(_show_warning, set())
        text: str = command(words[1:])
    return text


def _show_warning(
    shown: set[str], message: Warning | str, category: type[Warning], *where: object, **more: object
) -> None:
    """Print a warning, without its place in the code, unless it was `shown` before."""
    line = remove_call(to_line(message))
    if line not in shown:
        _say(f"warning: {line}")
    shown.add(line)


def _complain(error: Exception, code: int) -> int:
    _say(str(error))
    return code


def _say(message: str) -> None:
    """Print a message to standard error: in one line, or in lines of whole words in a terminal."""
    line = make_printable(f"{PROGRAM}: {message}")
    if sys.stderr is not None and sys.stderr.isatty():
        from textwrap import fill

        width = os.get_terminal_size(sys.stderr.fileno()).columns or len(line)
        line = fill(line, width, break_long_words=False, break_on_hyphens=False)
    print(line, file=sys.stderr)


def _leave_pipe() -> int:
    """Suppress Python's message at exit about a closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED
