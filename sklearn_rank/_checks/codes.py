"""Conversion of ids of any type to codes: integers from 0 that are equal if the ids are equal."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain, count, islice
from operator import countOf
from typing import Any, NamedTuple

import numpy as np

from .types import Ids, Values

MISSING_TYPES = ("NoneType", "NAType", "NaTType")  # of None and of pandas
ARROW_TEXT = ("string", "large_string")  # types of Arrow that are encoded faster than they are read
FEW_TEXTS = 2**12  # number of texts up to which sorting is faster than packing
FEW_LETTERS = 12  # of texts that are joined
PART = 2**14  # number of texts that fit in the cache
FEW_VALUES = 2**8  # number of values that are looked at first, and of texts up to which none are joined
MOST_LETTERS = 2**28  # of an array of text, with four bytes each
TEXT = {str, np.str_}
ARRAY_KINDS: dict[type, str] = {bool: "b", int: "i", float: "f"}  # for Python's types
MAX_CHARACTERS = 256  # range of characters in one position up to which only those that occur are numbered
MAX_CODE = 2**62  # highest code into which characters are packed
MAX_PACKED, SHORT = 64, 16  # letters of distinct texts, and of texts, above which objects are faster
MAX_SPREAD = 4  # integers are used as codes if their range is at most this many times their number


class CodedIds(NamedTuple):
    """Codes from 0 that are equal if the ids are equal, in any order."""

    codes: np.ndarray
    rows: np.ndarray  # one row per code; two rows for a single code, to check that ids can be compared


def code_integers(codes: np.ndarray) -> CodedIds:
    """Return dense codes for integers, and one row per code."""
    codes = rank_ids(codes)
    rows = first_rows(codes)
    return CodedIds(codes, np.arange(min(len(codes), 2)) if len(rows) == 1 else rows)


def find_edges(values: np.ndarray) -> np.ndarray:
    """Return the first position of each run of equal values, followed by the number of values."""
    changes = np.empty(len(values) + 1, dtype=bool)
    changes[0] = changes[-1] = True
    np.not_equal(values[1:], values[:-1], out=changes[1:-1])
    return changes.nonzero()[0]


def find_places(values: np.ndarray) -> np.ndarray:
    """Return the position of each value in its run of equal values, from 0."""
    edges = find_edges(values)
    places: np.ndarray = np.arange(len(values))
    places -= np.repeat(edges[:-1], np.diff(edges))
    return places


# ---------------------------------------------------------------------------- columns of codes


def read_codes(ids: Ids) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the codes of a column, and the id of each; None without codes, or with missing ids."""
    if isinstance(ids, np.ndarray | list | tuple):
        return None
    with suppress(Exception):  # libraries raise various errors for types that they do not encode
        codes = _codes_of(ids)
        if codes is not None and codes.min(initial=0) >= 0:
            coded = code_integers(codes)
            return coded.codes, np.asarray(ids.take(coded.rows) if hasattr(ids, "take") else ids[coded.rows])
    return None


def has_codes(ids: Ids) -> bool:
    """Return whether a column contains codes, or text of Arrow, which is encoded faster than it is read."""
    kind = getattr(ids, "dtype", None)
    return _is_categorical(ids, kind) or _is_physical(ids, kind) or _as_arrow(ids, kind) is not None


def _codes_of(ids: Any) -> np.ndarray | None:
    """Return integers that are equal if the ids are equal, and negative for missing ids."""
    kind = getattr(ids, "dtype", None)
    if _is_categorical(ids, kind):
        return np.asarray(getattr(ids, "cat", ids).codes)
    if _is_physical(ids, kind):
        return None if ids.null_count() else np.asarray(ids.to_physical())
    if getattr(ids, "nlevels", 1) > 1:  # of pandas
        return _join_levels(ids.codes)
    arrow = _as_arrow(ids, kind)
    if arrow is None or arrow.null_count:
        return None
    encoded = arrow.dictionary_encode()
    array = encoded.combine_chunks() if hasattr(encoded, "chunks") else encoded
    return None if array.dictionary.null_count else np.asarray(array.indices)


def _is_categorical(ids: Ids, kind: object) -> bool:
    return getattr(kind, "name", None) == "category" and hasattr(ids, "take")  # of pandas


def _is_physical(ids: Ids, kind: object) -> bool:
    return hasattr(ids, "to_physical") and str(kind).startswith(("Categorical", "Enum"))  # of polars


def _as_arrow(ids: object, kind: object) -> Any:
    """Return Arrow's array for a column of text or a dictionary, also of pandas; None for other columns."""
    if getattr(kind, "storage", None) == "pyarrow":  # of pandas
        array = getattr(ids, "array", ids)
        ids = array.__arrow_array__() if hasattr(array, "__arrow_array__") else ids
    is_text = str(getattr(ids, "type", "")).startswith(("dictionary<", *ARROW_TEXT))
    return ids if is_text and hasattr(ids, "dictionary_encode") else None


def _join_levels(levels: Collection[np.ndarray]) -> np.ndarray | None:
    """Return a code for each combination of levels; None if an id is missing."""
    joint = np.zeros(1, dtype=np.int64)
    for level in map(np.asarray, levels):
        if level.min(initial=0) < 0:
            return None
        joint = rank_ids(joint * (level.max(initial=0) + 1) + level)
    return joint


# ---------------------------------------------------------------------------- objects


def as_objects(values: Collection[Any]) -> np.ndarray:
    """Return values as an array of objects: `asarray` would merge 1 and "1", and make tuples 2-D."""
    return np.fromiter(values, dtype=object, count=len(values))


def as_array(values: Values, longest: int | None = None) -> np.ndarray:
    """Return values as an array: of numbers, dates or text if all have one type, otherwise of objects.

    Text with more letters than the `longest` stays objects, because each would take the space of the longest.
    If `longest` is `None`, the array can take up to a gigabyte.
    """
    if isinstance(values, np.ndarray):
        return values
    first = islice(values, FEW_VALUES)
    if longest is not None and any(isinstance(each, str) and len(each) > longest for each in first):
        return as_objects(values)
    text = _read_short_text(_cut_parts(values)) if len(values) > FEW_VALUES else None
    return _read_values(values, longest) if text is None else decode_ascii(text)


def flatten_array(rows: list[Any]) -> np.ndarray:
    """Return the values of all rows as `as_array` would, but short ASCII text as bytes."""
    text = _read_short_text(_flatten_parts(rows)) if sum(map(len, rows)) > FEW_VALUES else None
    return _read_values(list(chain.from_iterable(rows)), None) if text is None else text


def _read_values(values: Collection[Any], longest: int | None) -> np.ndarray:
    """Return values of any type as an array."""
    kinds = set(map(type, values))
    if not kinds:
        return np.empty(0, dtype=np.int64)
    if kinds <= TEXT:
        length = max(map(len, values))
        most = MOST_LETTERS // len(values) if longest is None else longest
        if length <= most and "\0" not in "".join(values):  # numpy would remove nulls at the end
            return np.fromiter(values, dtype=f"U{length or 1}", count=len(values))
        return as_objects(values)
    kind = kinds.pop() if len(kinds) == 1 else object
    if issubclass(kind, np.number | np.bool_ | np.datetime64):
        return np.array(values)
    if (letter := ARRAY_KINDS.get(kind)) is not None:
        array = np.array(values)
        if array.dtype.kind == letter:  # and not floats, which merge large integers
            return array
    return as_objects(values)


def _cut_parts(values: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield lists of values that fit in the cache."""
    iterator = iter(values)
    while part := list(islice(iterator, PART)):
        yield part


def _flatten_parts(rows: list[Any]) -> Iterator[list[Any]]:
    """Yield lists of the values of some rows, which fit in the cache if rows are short."""
    step = 1 + PART * len(rows) // (1 + sum(map(len, rows)))
    for start in range(0, len(rows), step):
        yield list(chain.from_iterable(rows[start : start + step]))


def _read_short_text(parts: Iterable[list[Any]]) -> np.ndarray | None:
    """Return short ASCII text as bytes, which take less memory; None if there are other values, or none."""
    texts = []
    for part in filter(None, parts):
        # Other classes can compare in their own way. Counting one class takes less time than a set.
        is_text = countOf(map(type, part), str) == len(part) or set(map(type, part)) <= TEXT
        text = split_text("\0".join(part), len(part)) if is_text else None
        if text is None:
            return None
        texts.append(text)
    return np.concatenate(texts) if texts else None


def split_text(text: str, n: int) -> np.ndarray | None:
    """Split n texts that were joined by nulls, to bytes; return None unless all are short ASCII text."""
    if len(text) > (FEW_LETTERS + 1) * n or not text.isascii():
        return None
    letters = np.frombuffer(f"\0{text}\0{FEW_LETTERS * ' '}".encode(), dtype=np.uint8)
    ends = np.flatnonzero(letters == 0)
    sizes = np.diff(ends)  # of the texts, each with a null
    if len(sizes) != n or sizes.max() > FEW_LETTERS + 1:
        return None
    width = max(int(sizes.max()) - 1, 1)
    # The text of this width after each position; what follows the end of a text is replaced by nulls.
    windows: np.ndarray = np.ndarray(len(letters) - width, f"V{width}", letters, offset=1, strides=(1,))
    padded = windows[ends[:-1]].view(np.uint8).reshape(n, width)
    padded *= np.tri(width + 2, width, -2, dtype=bool).take(sizes, axis=0)
    return padded.view(f"S{width}").ravel()


def decode_ascii(ids: np.ndarray) -> np.ndarray:
    """Return ASCII bytes as text, in a fiftieth of the time of `astype`; other ids as they are."""
    if ids.dtype.kind != "S":
        return ids
    return _view_letters(ids).astype(np.uint32).view(f"U{ids.itemsize}").ravel()


def encode_ascii(ids: np.ndarray) -> np.ndarray:
    """Return text as bytes if all of it is ASCII; other ids as they are."""
    if ids.dtype.kind != "U" or (letters := _view_letters(ids)).max(initial=0) >= 128:
        return ids
    return letters.astype(np.uint8).view(f"S{letters.shape[1]}").ravel()


def _view_letters(ids: np.ndarray) -> np.ndarray:
    """Return the characters of text or bytes as numbers, one row per id."""
    unit: type = np.uint8 if ids.dtype.kind == "S" else np.uint32
    native = np.ascontiguousarray(ids, dtype=ids.dtype.newbyteorder("="))
    letters: np.ndarray = native.view(unit).reshape(len(ids), ids.itemsize // unit().itemsize)
    return letters


def code_objects(ids: np.ndarray) -> CodedIds | None:
    """Code equal objects in one pass; return None if they cannot be looked up."""
    codes: defaultdict[Any, int] = defaultdict(count().__next__)
    with suppress(Exception):  # objects can be unhashable, or not comparable
        return code_integers(np.fromiter(map(codes.__getitem__, ids.tolist()), np.int64, len(ids)))
    return None


def rank_objects(ids: np.ndarray) -> np.ndarray:
    """Return the rank of each object among the different ones, by their own order."""
    items = ids.tolist()
    text = as_array(items, MAX_PACKED) if len(ids) >= FEW_TEXTS else ids
    if text.dtype.kind == "U":
        return rank_ids(text)
    order = np.array(sorted(range(len(items)), key=items.__getitem__), dtype=np.int64)
    ordered = ids[order]
    ranks = np.zeros(len(ids), dtype=np.int64)
    ranks[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return ranks


def has_missing(ids: np.ndarray, kinds: set[type]) -> bool:
    """Return whether an id, or a part of a tuple, is None or NA or differs from itself."""
    try:
        if any(issubclass(kind, tuple) for kind in kinds):
            parts = [part for parts in ids.tolist() if isinstance(parts, tuple) for part in parts]
            return any(type(part).__name__ in MISSING_TYPES or part != part for part in parts)
        return any(kind.__name__ in MISSING_TYPES for kind in kinds) or bool((ids != ids).any())
    except ArithmeticError:  # a signalling Decimal NaN
        return True
    except Exception:  # an error about such ids follows
        return False


# ---------------------------------------------------------------------------- arrays


def rank_ids(ids: np.ndarray) -> np.ndarray:
    """Return the rank of each row's id among the different ones: codes from 0, all of which occur."""
    codes, n_codes = encode_ids(ids)
    present = np.zeros(n_codes, dtype=bool)
    present[codes] = True
    if present.all():
        return codes
    small = np.int32 if n_codes < 2**31 else np.int64  # there can be several times as many codes as rows
    ranks: np.ndarray = np.cumsum(present, dtype=small)
    ranks -= 1
    return ranks[codes].astype(np.int64)


def first_rows(codes: np.ndarray) -> np.ndarray:
    """Return the first row of each code."""
    n_codes = codes.max(initial=-1) + 1
    if n_codes == len(codes) and (codes[1:] > codes[:-1]).all():  # each once, in order
        return np.arange(n_codes)
    rows = np.empty(n_codes, dtype=np.int64)
    rows[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last one written stays
    return rows


def encode_ids(ids: np.ndarray) -> tuple[np.ndarray, int]:
    """Return codes from 0 in the order of the ids, and their number; some might be unused."""
    codes, n_codes = order_ids(ids)
    if n_codes <= MAX_SPREAD * len(ids) or not len(ids):
        return codes, n_codes
    names, codes = np.unique(codes, return_inverse=True)
    return codes, len(names)


def order_ids(ids: np.ndarray) -> tuple[np.ndarray, int]:
    """Return integers >= 0 in the order of the ids, equal if these are equal, and their upper bound."""
    if len(ids) and ids.dtype.kind in "iu":
        lowest, highest = int(np.minimum.reduce(ids)), int(np.maximum.reduce(ids))
        if highest - lowest < MAX_CODE:
            wide = ids if ids.itemsize == 8 else ids.astype(np.int64)  # no difference overflows
            return (wide - wide.dtype.type(lowest)).astype(np.int64, copy=False), highest - lowest + 1
    if len(ids) >= FEW_TEXTS and ids.dtype.kind in "US":
        return _pack_text(ids)
    names, codes = np.unique(ids, return_inverse=True)
    return codes, len(names)


def _pack_text(text: np.ndarray) -> tuple[np.ndarray, int]:
    """Return integers that contain the characters of text as digits, one position of the text at a time."""
    letters = _view_letters(text)
    letters = letters.astype(np.uint8) if letters.max() < 256 else letters  # less memory to read
    columns: np.ndarray = np.ascontiguousarray(letters.T)
    codes, n_codes = np.zeros(len(text), dtype=np.int64), 1
    for characters in columns:
        low, high = int(characters.min()), int(characters.max())
        if high == low:
            continue
        digits, base = _find_digits(characters - letters.dtype.type(low), high - low + 1)
        if n_codes * base > MAX_CODE:
            codes = rank_ids(codes)
            n_codes = int(codes.max()) + 1
        codes *= base
        codes += digits
        n_codes *= base
    return codes, n_codes


def _find_digits(characters: np.ndarray, n_characters: int) -> tuple[np.ndarray, int]:
    """Return the number of each character among those that occur, and how many occur."""
    if n_characters > MAX_CHARACTERS:
        return characters.astype(np.int64), n_characters
    text = characters.astype(np.uint8, copy=False).tobytes()
    occurs = bytes(character for character in range(n_characters) if character in text)
    places = text.translate(bytes.maketrans(occurs, bytes(range(len(occurs)))))
    return np.frombuffer(places, dtype=np.uint8), len(occurs)
