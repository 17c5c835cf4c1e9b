"""Text that is printed, progress bars, and files that are replaced only when they are complete."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import IO, Any

# Controls of terminals, directions of text, and halves of characters. Line feeds and tabs are printed.
UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
TAG = re.compile("<(?=[a-zA-Z/!?])")  # the beginning of HTML in Markdown


def make_printable(text: str) -> str:
    r"""Replace characters that a terminal could run as commands by their escapes, such as ``\x1b``."""
    return UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def make_line(text: str) -> str:
    """Return printable text in one line."""
    return make_printable(re.sub("[\r\n]", " ", text))


def escape_markdown(text: str) -> str:
    """Return printable text without HTML and links, as Markdown shows it."""
    return TAG.sub("&lt;", text).replace("](", "]\\(")


def escape_math(text: str) -> str:
    r"""Return printable text for a figure, in which matplotlib would read formulas between ``$``."""
    return re.sub(r"(?<!\\)\$", r"\\$", make_printable(text))


@contextmanager
def replace_file(path: Any) -> Iterator[IO[bytes]]:
    """Open a file for writing in the folder of `path`, and rename it to `path` at the end.

    After an error, an existing file is unchanged. Devices and pipes are written directly.
    """
    target = os.path.realpath(os.fsdecode(path))  # of a link
    if exists := os.path.exists(target):
        if not os.path.isfile(target):
            with open(target, "wb") as file:
                yield file
            return
        open(target, "r+b").close()  # raises an error if the file is read-only
    temporary = os.path.join(os.path.dirname(target), f".{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            if exists:
                os.chmod(temporary, os.stat(target).st_mode & 0o7777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            raise type(error)(error.errno, error.strerror, os.fsdecode(path)) from error
        raise


def find_width(default: int) -> int:
    """Return the width of the terminal to which text is printed, or the default if there is none."""
    try:
        return (sys.stdout.isatty() and os.get_terminal_size(sys.stdout.fileno()).columns) or default
    except (AttributeError, OSError):  # without a standard output
        return default


@contextmanager
def open_bar(function: str, shown: bool, total: int | None, unit: str) -> Iterator[Callable[[int], Any]]:
    """Show the progress bar of a function if `shown`; `total` is None if it is unknown."""
    if not shown:
        yield lambda n: None
        return
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError as error:
        raise ImportError(f"{function} needs tqdm to show its progress: pip install tqdm") from error
    with tqdm(total=total, desc="scoring", unit=f" {unit}", unit_scale=True) as bar:
        yield bar.update
