"""Ids of every type, and text in every container."""

import datetime
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import pytest

DAY = datetime.datetime(2020, 1, 1)

# Containers of text: kind -> (library, builder from text).
CONTAINERS = {
    "list": ("numpy", lambda np, text: text),
    "tuple": ("numpy", lambda np, text: tuple(text)),
    "objects": ("numpy", lambda np, text: np.array(text, dtype=object)),
    "strings": ("numpy", lambda np, text: np.array(text)),
    "big-endian strings": (
        "numpy",
        lambda np, text: (words := np.array(text)).astype(words.dtype.newbyteorder()),
    ),
    "every second string": ("numpy", lambda np, text: np.repeat(np.array(text), 2)[::2]),
    "strings of variable width": ("numpy", lambda np, text: np.array(text, np.dtypes.StringDType())),
    "numpy's strings in a list": ("numpy", lambda np, text: list(map(np.str_, text))),
    "pandas default": ("pandas", lambda pd, text: pd.Series(text, index=range(len(text), 0, -1))),
    "pandas object": ("pandas", lambda pd, text: pd.Series(text, dtype=object)),
    "pandas string": ("pandas", lambda pd, text: pd.Series(text, dtype="string")),
    "pandas string, python": ("pandas", lambda pd, text: pd.Series(text, dtype="string[python]")),
    "pandas array of strings": ("pandas", lambda pd, text: pd.array(text, dtype="string")),
    "pandas index": ("pandas", lambda pd, text: pd.Index(text)),
    "pandas categorical": ("pandas", lambda pd, text: pd.Categorical(text)),
    "pandas categorical series": ("pandas", lambda pd, text: pd.Series(text, dtype="category")),
    "pandas categorical index": ("pandas", lambda pd, text: pd.CategoricalIndex(text)),
    "ordered categories in another order": (
        "pandas",
        lambda pd, text: pd.Categorical(text, ["unused", *dict.fromkeys(text), "zzz"], ordered=True),
    ),
    "polars": ("polars", lambda pl, text: pl.Series(text)),
    "polars categorical": ("polars", lambda pl, text: pl.Series(text, dtype=pl.Categorical)),
    "polars enum": (
        "polars",
        lambda pl, text: pl.Series(text, dtype=pl.Enum(["unused", *dict.fromkeys(text), "zzz"])),
    ),
    "pyarrow": ("pyarrow", lambda pa, text: pa.array(text)),
    "pyarrow large": ("pyarrow", lambda pa, text: pa.array(text, pa.large_string())),
    "pyarrow views": ("pyarrow", lambda pa, text: pa.array(text, pa.string_view())),
    "pyarrow chunks": ("pyarrow", lambda pa, text: pa.chunked_array([text[:99], text[99:]], pa.string())),
    "pyarrow dictionary": ("pyarrow", lambda pa, text: pa.array(text).dictionary_encode()),
    "pyarrow dictionary in chunks": (
        "pyarrow",
        lambda pa, text: pa.chunked_array(
            [pa.array(part).dictionary_encode() for part in (text[:99], text[99:])]
        ),
    ),
    "a dictionary with repeats": (
        "pyarrow",
        lambda pa, text: pa.DictionaryArray.from_arrays(
            pa.array([2 * (row % len(text)) for row in range(len(text))], pa.int32()),
            pa.array([label for label in text for _ in range(2)]),
        ),
    ),
    "a dictionary of Arrow in pandas": (
        "pandas",
        lambda pd, text: pd.Series(
            (pa := pytest.importorskip("pyarrow")).array(text).dictionary_encode(),
            dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())),
        ),
    ),
}

# Types of ids: kind -> (library, builder from codes 0, 1, 2, ... to ids in the same order).
KINDS = {
    "ints": ("numpy", lambda np, codes: codes),
    "negative ints": ("numpy", lambda np, codes: codes - 30),
    "int8": ("numpy", lambda np, codes: codes.astype(np.int8)),
    "uint64": ("numpy", lambda np, codes: codes.astype(np.uint64) + np.uint64(2**64 - 100)),
    "ints beyond the float range": ("numpy", lambda np, codes: codes + 2**60),
    "big-endian ints": ("numpy", lambda np, codes: (codes * 1000).astype(">i4")),
    "floats": ("numpy", lambda np, codes: codes / 7 - 3),
    "float16": ("numpy", lambda np, codes: codes.astype(np.float16)),
    "longdouble": ("numpy", lambda np, codes: codes.astype(np.longdouble)),
    "infinite floats": ("numpy", lambda np, codes: np.array([-np.inf, *range(58), np.inf])[codes]),
    "strings": ("numpy", lambda np, codes: np.array(text(codes))),
    "strings of variable width": ("numpy", lambda np, codes: np.array(text(codes), np.dtypes.StringDType())),
    "bytes": ("numpy", lambda np, codes: np.char.encode(text(codes))),
    "datetime64": ("numpy", lambda np, codes: np.datetime64("1969-12-01") + codes),
    "big-endian datetime64": ("numpy", lambda np, codes: (codes * 1000).astype(">M8[s]")),
    "timedelta64": ("numpy", lambda np, codes: (codes - 30).astype("m8[h]")),
    "every second id of an array": ("numpy", lambda np, codes: np.repeat(codes, 2)[::2]),
    "objects": ("numpy", lambda np, codes: np.array(text(codes), dtype=object)),
    "objects, ints and floats": (
        "numpy",
        lambda np, codes: np.where(codes % 2, codes.astype("O"), codes / 1),
    ),
    "list of ints": ("numpy", lambda np, codes: codes.tolist()),
    "list of huge ints": ("numpy", lambda np, codes: [2**70 + code for code in codes.tolist()]),
    "list of numpy ints": ("numpy", lambda np, codes: list(codes)),
    "list of strings": ("numpy", lambda np, codes: text(codes)),
    "list of bytes": ("numpy", lambda np, codes: [name.encode() for name in text(codes)]),
    "list of dates": ("numpy", lambda np, codes: [DAY.date() + days(code) for code in codes]),
    "list of datetime64": ("numpy", lambda np, codes: list(np.datetime64("2020-01-01") + codes)),
    "list of aware datetimes": (
        "numpy",
        lambda np, codes: [DAY.replace(tzinfo=datetime.UTC) + days(c) for c in codes],
    ),
    "list of tuples": ("numpy", lambda np, codes: [(code // 9, text([code % 9])[0]) for code in codes]),
    "list of Decimal": ("numpy", lambda np, codes: [Decimal(int(code)) / 7 for code in codes]),
    "list of Fraction": ("numpy", lambda np, codes: [Fraction(int(code), 7) for code in codes]),
    "list of UUID": ("numpy", lambda np, codes: [UUID(int=int(code)) for code in codes]),
    "tuple": ("numpy", lambda np, codes: tuple(text(codes))),
    "series with an odd index": ("pandas", lambda pd, codes: pd.Series(codes, index=codes[::-1] // 3)),
    "nullable ints": ("pandas", lambda pd, codes: pd.Series(codes, dtype="Int64")),
    "nullable floats": ("pandas", lambda pd, codes: pd.Series(codes, dtype="Float64")),
    "nullable strings": ("pandas", lambda pd, codes: pd.Series(text(codes), dtype="string")),
    "categorical of strings": ("pandas", lambda pd, codes: pd.Categorical(text(codes))),
    "categories in another order": (
        "pandas",
        lambda pd, codes: pd.Categorical(text(codes), text(range(59, -1, -1)), ordered=True),
    ),
    "series of a categorical of ints": ("pandas", lambda pd, codes: pd.Series(codes, dtype="category")),
    "datetimes": ("pandas", lambda pd, codes: pd.Series(DAY + pd.to_timedelta(codes, unit="D"))),
    "datetimes with a timezone": (
        "pandas",
        lambda pd, codes: (DAY + pd.to_timedelta(codes, unit="D")).tz_localize("Europe/Berlin"),
    ),
    "timedeltas": ("pandas", lambda pd, codes: pd.Series(pd.to_timedelta(codes, unit="D"))),
    "periods": ("pandas", lambda pd, codes: pd.PeriodIndex.from_ordinals(codes, freq="M")),
    "index of two levels": ("pandas", lambda pd, codes: pd.MultiIndex.from_arrays([codes // 9, codes % 9])),
    "polars ints": ("polars", lambda pl, codes: pl.Series(codes)),
    "polars strings": ("polars", lambda pl, codes: pl.Series(text(codes))),
    "polars categorical": ("polars", lambda pl, codes: pl.Series(text(codes), dtype=pl.Categorical)),
    "polars dates": ("polars", lambda pl, codes: pl.Series([DAY.date() + days(code) for code in codes])),
    "polars datetimes": (
        "polars",
        lambda pl, codes: pl.Series([DAY + days(code) for code in codes]).dt.replace_time_zone("UTC"),
    ),
    "pyarrow ints": ("pyarrow", lambda pa, codes: pa.array(codes)),
    "pyarrow chunks": ("pyarrow", lambda pa, codes: pa.chunked_array([codes[:99], codes[99:]])),
    "pyarrow strings": ("pyarrow", lambda pa, codes: pa.array(text(codes))),
    "pyarrow dictionary": ("pyarrow", lambda pa, codes: pa.array(text(codes)).dictionary_encode()),
    "pyarrow timestamps": ("pyarrow", lambda pa, codes: pa.array(codes, pa.timestamp("s", tz="UTC"))),
}


def text(codes):
    return [f"q{code:02d}" for code in codes]


def days(code):
    return datetime.timedelta(days=int(code))
