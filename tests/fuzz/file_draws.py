"""Valid or spoiled files of runs, judgments and features: their bytes, and forms of passing them."""

import bz2
import gzip
import lzma
import re
from typing import NamedTuple

RUN = ("query", "Q0", "document", "rank", "score", "tag")
QRELS = ("query", "iteration", "document", "grade")
BLOCKS = [2**22, 2**22, 2**22, 400, 90]  # sizes of blocks of the readers; small blocks cut lines in two
MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"  # the byte order mark
FORMS = ["bytes", "bytes", "bytes", "path", "raw", "text", "stream"]

NUMBERS = ["1e400", "-1e400", "0x10", "-0x10", "0X1", "1_000", "inf", "-inf", "nan", "Infinity", "+5", "1,5"]
NUMBERS += ["-0.0", "-0", "1e-400", "5e-324", "007", "1.", ".5", "٣", "１", "1.7976931348623159e308"]  # noqa: RUF001
NUMBERS += ["1d2", "1e", "--1", "0b1", "1L", "0x1p3", "1E5", "9" * 30, "18446744073709551617", "NA", "null"]
NUMBERS += ["0.1000000000000000055511151231257827", "123456789012345678", "1e22", "1e23", "8.5e-5", "True"]
NUMBERS += ["9223372036854775807", "-9223372036854775808", "1" + "0" * 400, "1." + "0" * 400 + "1"]
IDS = ["a", "b", "c", "d1", "D1", "é", "日本", "1", "01", "1.0", "-1", '"a"', '"a', "a\\", "#", "nan", "NULL"]
IDS += [
    "a,b",
    "x" * 50,
    "x" * 500,
    "9" * 40,
    "18446744073709551616",
    "a\u00a0b",
    "e\u0301",
    "\ufeff",
    "\U0001f600",
]
BLANKS = [" ", "\t", " ", "\t", "  ", " \t", "\v", "\f", "\u00a0", "\u2003", "\x1c", "\x85", ","]
ENDS = ["\n", "\n", "\n", "\r\n", "\r\n", "\n\n", " \n", "\t\n", "\f\n", "\r\r\n", "\r", "\u2028", "\n\r"]
PIECES = [
    b" ",
    b"  ",
    b"\t",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\r",
    b"\v",
    b"\f",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xc3\xa9",
]
PIECES += [
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\x1f\x8b",
    b"\x1f\x8b\x08",
]
PIECES += [
    b"\x1a",
    b"\x1c",
    b"\x85",
    b"\xc2\xa0",
    b"\xe2\x80\x83",
    b'"',
    b"'",
    b"\\",
    b"#",
    b",",
    b";",
    b"\x7f",
]
PIECES += [b"", b"", b"\n ", b" \n", b"\n\t", b"\x00\x00\x00", b"x" * 70, b"x" * 500, b"\n" * 200, b" " * 500]
ENCODINGS = ["utf-16", "utf-16-le", "utf-32", "latin-1", "cp037", "utf-7", "utf-8-sig", "shift-jis"]


class Files(NamedTuple):
    """The contents of both files, and how to pass them to the reader."""

    run: bytes
    qrels: bytes
    form: str
    block: int
    options: dict


def _draw_lines(random, fields, rare):
    """Draw lines with distinct documents, most of them ordinary."""
    ids = IDS if random.random() < 0.3 else [*"abcdefgh", "d10", "é"]
    n = random.choice((1, 3, 8, 20, 20)) if random.random() < 0.95 else 0
    pairs = {(random.choice(ids[:4]), random.choice(ids)) for _ in range(n)}
    lines = []
    for place, (query, document) in enumerate(sorted(pairs, key=lambda pair: pair[0])):
        words = dict.fromkeys(fields, random.choice(("0", "Q0", "tag")))
        number = f"{random.choice((0.5, 1, 2, 2, -1, 0, random.random()))}"
        rank = random.choice(NUMBERS) if random.random() < rare else f"{place + 1}"
        number = random.choice(NUMBERS) if random.random() < rare else number
        words |= {"query": query, "document": document, "rank": rank, "score": number, "grade": number}
        lines.append([words[name] for name in fields])
    if random.random() < 0.7:  # sort by score, so that ranks agree with scores
        order = {query: 0 for query, *_ in lines}
        if len(fields) == len(RUN):
            lines.sort(key=lambda words: (words[0], -_number(words[4])))
            for words in lines:
                order[words[0]] += 1
                words[3] = words[3] if words[3] in NUMBERS else f"{order[words[0]]}"
    return lines


def _number(word):
    try:
        return float(word)
    except ValueError:
        return 0.0


def _join(random, lines, is_valid):
    """Join words and lines, by one blank and one line end or by varying ones."""
    blank, end = random.choice((" ", "\t")), random.choice(("\n", "\n", "\r\n"))
    mixed, marked = random.random() < 0.15, random.random() < 0.15
    if not is_valid and random.random() < 0.15:
        blank, end = random.choice(BLANKS), random.choice(ENDS)
    text = ""
    for words in lines:
        text += MARK * random.choice((0, 0, 0, 1, 2)) if marked else ""
        blanks = [random.choice(BLANKS[:8]) if mixed else blank for _ in words]
        text += "".join(word + each for word, each in zip(words, blanks))[: -len(blanks[-1])]
        text += random.choice(ENDS[:10]) if mixed else end
    if random.random() < 0.2:
        text = text.rstrip("\r\n")
    return text


def _spoil(random, data):
    """Insert, replace, repeat or cut off a part, at most three times."""
    for _ in range(random.choice((0, 0, 0, 0, 0, 1, 1, 2, 3))):
        start = int(random.random() * (len(data) + 1))
        kind = random.random()
        if kind < 0.6:
            end = start + random.choice((0, 0, 1, 3, 40))
            data = data[:start] + random.choice(PIECES) + data[end:]
        elif kind < 0.8:
            data = data[:start]
        else:  # repeat a line or a part of it
            lines = data.split(b"\n")
            line = random.choice(lines)
            lines.insert(
                int(random.random() * len(lines)), line[: random.choice((None, None, len(line) // 2))]
            )
            data = b"\n".join(lines)
    return data


def _compress(random, data):
    """Compress with gzip, correctly or not."""
    half = len(data) // 2
    compressed = gzip.compress(data, mtime=0)
    cut = int(random.random() * len(compressed))
    return random.choice(
        [
            compressed,
            compressed,
            compressed[:cut],
            compressed[:cut] + bytes([random.randrange(256)]) + compressed[cut + 1 :],
            b"\x1f\x8b" + compressed[3:],
            compressed[1:],
            gzip.compress(data[:half]) + gzip.compress(data[half:]),
            compressed + gzip.compress(b""),
            compressed + b"\0" * 30,
            compressed + b"more",
            gzip.compress(compressed),
            bz2.compress(data),
            bz2.compress(data)[:cut],
            lzma.compress(data),
            lzma.compress(data)[:cut],
            gzip.compress(data + b"\n" * random.choice((1000, 10**5))),
            gzip.compress(b" " * random.choice((1000, 10**5)) + data),
        ]
    )


def _finish(random, text, is_valid):
    """Return the bytes of a text."""
    data = text.encode()
    if is_valid:
        return gzip.compress(data) if random.random() < 0.1 else data
    if random.random() < 0.02:
        data = text.encode(random.choice(ENCODINGS), "replace")
    data = _spoil(random, data)
    return _compress(random, data) if random.random() < 0.2 else data


def draw_files(random):
    """Draw a run and qrels."""
    is_valid = random.random() < 0.4
    rare = 0 if random.random() < 0.7 else random.choice((0.05, 0.2))
    lines = [_draw_lines(random, each, rare) for each in (RUN, QRELS)]
    if random.random() < 0.15:  # no document is in both files
        lines[0] = [[*words[:2], f"{words[2]}.0", *words[3:]] for words in lines[0]]
    kind = random.random()
    if kind < 0.1:  # a run of MS MARCO
        lines[0] = [[words[0], words[2], f"{place}"] for place, words in enumerate(lines[0], 1)]
    elif kind < 0.2:
        lines[0] = [[*words, "of several", "words"] for words in lines[0]]
    texts = [_join(random, each, is_valid) for each in lines]
    if random.random() < 0.1:
        texts = [
            "".join(f"# {random.choice(IDS)}\n{part}" for part in re.split("(?<=\n)", text)) for text in texts
        ]
    run, qrels = (_finish(random, text, is_valid) for text in texts)
    options = {
        "queries": random.choice(("both", "judged", "run")),
        "depth": random.choice((None, None, 1, 3)),
    }
    return Files(run, qrels, random.choice(FORMS), random.choice(BLOCKS), options)


def draw_features(random):
    """Draw a file in svmlight format."""
    blank, end = random.choice(BLANKS[:6]), random.choice(ENDS[:6])
    text = ""
    for _ in range(random.choice((0, 1, 3, 8))):
        number = random.choice(NUMBERS) if random.random() < 0.05 else random.choice(("0", "1", "2", "0.5"))
        qid = random.choice(
            ("qid:1", "qid:2", "qid:1", "qid:x", "qid:", "", "qid:99999999999999999999", "qid:-1")
        )
        qid = random.choice(("qid:1", "qid:2")) if random.random() < 0.9 else qid
        features = [
            f"{place}:{random.choice((1, 0.5, -1))}" for place in sorted(random.sample(range(1, 9), 3))
        ]
        if random.random() < 0.05:
            features.append(random.choice(("0:1", "3", "3:", ":3", "-1:2", "99999999999999999999:1", "a:b")))
        note = random.choice(("# docid = a", "#docid=é", "# b", "#", "", "# doc_id: c d", "## e"))
        text += blank.join([number, qid, *features, note]) + end
    return _finish(random, text, is_valid=random.random() < 0.4)
