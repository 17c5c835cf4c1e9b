"""Names of runs: their tags, or else the names of their files."""

import gzip
import zlib

from ._files import GZIP, open_file

HEADS = {"metric"}  # column headers in addition to those of runs
DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/")  # folders of pipes, for example of a process substitution
LONGEST = 2**12  # bytes of a first line


def name_by_tags(paths: list[str], by_file: list[str]) -> list[str]:
    """Name runs by their tags. Runs without a tag, and all runs if two names are equal, are named by file."""
    files = [
        f"run {place}" if path.startswith(DESCRIPTORS) else name
        for place, (path, name) in enumerate(zip(paths, by_file), 1)
    ]
    names = [_read_tag(path) or name for path, name in zip(paths, files)]
    return names if len(set(names)) == len(names) and HEADS.isdisjoint(names) else files


def _read_tag(path: str) -> str:
    """Return the tag in the first line of a TREC run, or an empty string for other files."""
    try:
        with open_file(path) as file:
            start = file.read(len(GZIP))
            file.seek(0)
            opened = gzip.GzipFile(fileobj=file) if start == GZIP else file
            words = opened.readline(LONGEST).split()
            float(words[4])
    except (
        OSError,
        EOFError,
        zlib.error,
        ValueError,
        IndexError,
    ):  # the commands raise errors that name the line
        return ""
    return words[5].decode("utf-8", "surrogateescape") if len(words) == 6 else ""
