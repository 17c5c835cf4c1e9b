"""Each format of a file gives the rows of the same dicts, in each compression, or a clear error."""

import bz2
import gzip
import io
import json
import lzma
import random
import warnings

import numpy as np
import pytest

from sklearn_rank import RankingWarning, from_run
from sklearn_rank.datasets import _file_tables, _trec_arrow
from tests.fuzz import file_draws
from tests.helpers.file_forms import Dataset, Stream

pytestmark = pytest.mark.filterwarnings("ignore:.*the run has no document for")

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0, "é": 3}, "q3": {"z": 1}}
RUN = {"q1": {"b": 3.5, "x": 2.5, "a": 1e-3}, "q2": {"é": 2.0, "a": 1.0}}


def write_lines(given, form):
    rows = [(query, name, number) for query, of in given.items() for name, number in of.items()]
    return "\n".join(form.format(*row) for row in rows) + "\n"


def write_records(given, names):
    return [
        dict(zip(names, (query, name, number))) for query, of in given.items() for name, number in of.items()
    ]


BEIR = ("query-id", "corpus-id", "score")
FORMS = {
    "JSON": json.dumps,
    "JSON with indentation": lambda given: json.dumps(given, indent=1, ensure_ascii=False),
    "JSON lines": lambda given: "\n\n".join(json.dumps({query: of}) for query, of in given.items()) + "\n",
    "records": lambda given: json.dumps(write_records(given, BEIR)),
    "lines of records": lambda given: "\n".join(map(json.dumps, write_records(given, BEIR))),
    "BEIR": lambda given: "query-id\tcorpus-id\tscore\n" + write_lines(given, "{}\t{}\t{}"),
    "quoted CSV": lambda given: '"docid","qid","docno","score"\r\n' + write_lines(given, '7,"{}","{}",{}'),
    "byte order mark": lambda given: "\ufeffquery-id,corpus-id,score\n" + write_lines(given, "{},{},{}"),
}


def write_qrels(form):
    """Write judgments; only in BEIR's format is the grade in a column "score"."""
    text = FORMS[form](QRELS)
    return (text.replace("score", "relevance") if form == "quoted CSV" else text).encode()


COMPRESSIONS = {"plain": bytes, "gzip": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def compress_with_arrow(name):
    arrow = pytest.importorskip("pyarrow")
    if not arrow.Codec.is_available(name):
        pytest.skip(f"pyarrow without {name}")

    def compress(data):
        sink = arrow.BufferOutputStream()
        with arrow.CompressedOutputStream(sink, name) as stream:
            stream.write(data)
        return sink.getvalue().to_pybytes()

    return compress


def assert_same(got, expected):
    for one, other in zip(got, expected):
        assert one.tolist() == other.tolist() or np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("of_run", FORMS)
@pytest.mark.parametrize("of_qrels", FORMS)
def test_from_run_recognizes_formats_by_content(of_run, of_qrels, tmp_path):
    (tmp_path / "run").write_text(FORMS[of_run](RUN), encoding="utf-8", newline="")
    got = from_run(io.BytesIO(write_qrels(of_qrels)), tmp_path / "run", return_items=True)
    assert_same(got, from_run(QRELS, RUN, return_items=True))


@pytest.mark.parametrize("form", ["JSON", "BEIR"])
@pytest.mark.parametrize("compression", [*COMPRESSIONS, "zstd", "lz4"])
def test_from_run_unpacks_compressed_files(compression, form, tmp_path):
    compress = COMPRESSIONS.get(compression) or compress_with_arrow(compression)
    (tmp_path / "run").write_bytes(compress(FORMS[form](RUN).encode()))
    got = from_run(QRELS, tmp_path / "run", return_items=True)
    assert_same(got, from_run(QRELS, RUN, return_items=True))


@pytest.mark.parametrize("compression", ["gzip", "bz2", "xz", "zstd"])
def test_from_run_rejects_incomplete_compressed_files(compression):
    compress = COMPRESSIONS.get(compression) or compress_with_arrow(compression)
    data = compress(b"".join(f"q Q0 d{random.random()} 1 {-row} t\n".encode() for row in range(2000)))
    with pytest.raises(ValueError, match=f"'run' .* must be a complete {compression} file. Got an error"):
        from_run(QRELS, io.BytesIO(data[: len(data) // 2]))


@pytest.mark.parametrize(
    ("start", "name"),
    [(b"PK\x03\x04", "a zip archive"), (b"PAR1", "a Parquet file"), (b"ARROW1", "an Arrow")],
)
def test_from_run_names_binary_formats(start, name):
    with pytest.raises(ValueError, match=rf"'run' .* must be text, which can be compressed. Got {name}"):
        from_run(QRELS, io.BytesIO(start + bytes(range(256))))


# ---------------------------------------------------------------------------- JSON


def read_json(text, **options):
    return from_run(QRELS, io.BytesIO(text.encode()), return_items=True, **options)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"q1": {"a": 1, "a": 2}}', "be valid JSON. Got an error .*'a' twice in an object"),
        ('{"q1": {"a": 1}, "q1": {"b": 2}}', "'q1' twice in an object"),
        ('{"q1": {"a": 1}}\n{"q1": {"b": 2}}', "contain each query once. Got 'q1' again in line 2"),
        ('{"q1": {"a": "1"}}', "have finite scores. Got '1'|finite"),
        ('{"q1": {"a": true}}', "finite"),
        ('{"q1": {"a": NaN}}', "finite"),
        ('{"q1": {"a": null}}', "finite"),
        ('{"q1": {"a": 1e999}}', "finite"),
        ('{"q1": ["a", "b"]}', "map each query to a mapping of documents to scores. Got list for query 'q1'"),
        ('{"query_id": "q1", "results": [1]}', "have one column 'document'.* 'results' in an open file"),
        ('{"default": {"test": {"q1": {"a": 1}}}}', r"json.load\(file\)\['default'\]\['test'\]"),
        ('{"q1": {"a": 1}', "be valid JSON"),
        ('{"q1": {"a": 1}}\n{"q2": ', "be valid JSON in each line. .* in line 2"),
        ('{"q1": {"a": 1}}\n[1]', "contain JSON objects. Got list in line 2"),
        (
            '[{"qid": "q1", "docno": "a", "score": 1}, {"qid": "q1"}]',
            "have the names 'qid', 'docno', 'score'",
        ),
        ('[{"qid": "q1", "name": "a", "score": 1}]', "have one column 'document'"),
        ("{}", "contain documents with scores. Got none"),
        ("[]", "contain documents with scores|have one column 'query'"),
        ("[" * 100_000, "be valid JSON|fields"),
        ('{"' + "[" * 100_000, "be valid JSON"),
    ],
)
def test_from_run_rejects_invalid_json(text, expected):
    with pytest.raises(ValueError, match=expected) as caught:
        read_json(text)
    assert len(str(caught.value)) <= 350


@pytest.mark.parametrize("name", ["a\\u0000", "\\u00e9", "x" * 40, 'a\\"b', " ", "日本"])
def test_from_run_reads_the_same_ids_query_by_query_and_at_once(name, monkeypatch):
    text = '{"q1": {"NAME": 1, "b": 2.5}, "q2": {"a": 3}}'.replace("NAME", name)
    got = read_json(text)
    monkeypatch.setattr(_file_tables, "_scan_runs", lambda data, reading: None)
    assert_same(got, read_json(text))
    assert_same(got, from_run(QRELS, json.loads(text), return_items=True))


# ---------------------------------------------------------------------------- ranks


@pytest.mark.parametrize("blank", [" ", "\t"])
@pytest.mark.parametrize("first", [0, 1])
def test_from_run_turns_ranks_of_ms_marco_into_scores(blank, first, monkeypatch):
    lines = [f"q1 b {first}", f"q1 a {first + 2}", f"q1 x {first + 1}", f"q2 a {first}"]
    data = "\n".join(lines).replace(" ", blank).encode()
    with pytest.warns(RankingWarning, match="from_run: 'run' has ranks and no scores|ranks and no scores"):
        got = from_run(QRELS, io.BytesIO(data), return_items=True)
    monkeypatch.setattr(_trec_arrow, "LARGE", 0)
    with pytest.warns(RankingWarning, match="the score of each document is minus its rank"):
        assert_same(got, from_run(QRELS, io.BytesIO(data), return_items=True))
    run = {"q1": {"b": -first, "a": -first - 2, "x": -first - 1}, "q2": {"a": -first}}
    assert_same(got, from_run(QRELS, run, return_items=True))


@pytest.mark.parametrize("lines", ["q1 a 0.5\nq1 b 0.25\n", "q1 a 1\nq1 b 1\n", "q1 a -1\nq1 b 2\n"])
def test_from_run_does_not_guess_that_a_third_field_is_a_score(lines):
    with pytest.raises(ValueError, match="have scores, or distinct integers >= 0 as ranks in each query"):
        from_run(QRELS, io.BytesIO(lines.encode()))


def test_from_run_rejects_qrels_of_three_fields():
    with pytest.raises(
        ValueError, match=r"query iteration document grade in each line. Got 3 fields .*columns="
    ):
        from_run(io.BytesIO(b"q1 a 1\n"), RUN)


# ---------------------------------------------------------------------------- comments and tags


def write_trec(given):
    return write_lines(given, "{} Q0 {} 1 {} BM25 (k1=0.9, b=0.4)").encode()


@pytest.mark.parametrize("least", [0, 2**40])
def test_from_run_reads_tags_of_several_words(least, monkeypatch):
    monkeypatch.setattr(_trec_arrow, "LARGE", least)
    run = {query: dict(sorted(of.items(), key=lambda each: -each[1])) for query, of in RUN.items()}
    data = write_trec(run)
    assert_same(from_run(QRELS, io.BytesIO(data)), from_run(QRELS, RUN))


@pytest.mark.parametrize("least", [0, 2**40])
@pytest.mark.parametrize("line", ["q1 Q0 my doc 1 0.5 tag", "q1 Q0 doc 1 1 0.5 tag"])
def test_from_run_rejects_blanks_in_document_ids(line, least, monkeypatch):
    monkeypatch.setattr(_trec_arrow, "LARGE", least)
    with pytest.raises(ValueError, match=r"have the fields query Q0 document rank score tag .* Got 7 fields"):
        from_run(QRELS, io.BytesIO(f"{line}\n".encode()))


@pytest.mark.parametrize("least", [0, 2**40])
def test_from_run_ignores_comments(least, monkeypatch):
    monkeypatch.setattr(_trec_arrow, "LARGE", least)
    run = io.BytesIO(b"# a run\nq1 Q0 b 1 2 x\n  # more\nq1 Q0 #a 2 1 x\n#\n")
    qrels = io.BytesIO(b"#judgments\nq1 0 b 1\n# 1 2 3 4\nq1 0 #a 2\n")
    assert_same(from_run(qrels, run), from_run({"q1": {"b": 1, "#a": 2}}, {"q1": {"b": 2, "#a": 1}}))


def test_from_run_warns_about_comments_that_have_all_fields():
    with pytest.warns(RankingWarning, match=r"line 2 of an open file, '#2 0 a 1', begins with #"):
        from_run(io.BytesIO(b"q1 0 b 1\n#2 0 a 1\n"), {"q1": {"b": 1}})


# ---------------------------------------------------------------------------- tables


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("query-id\tcorpus-id\tscore\nq1\ta\n", "have 3 columns like the first line. Got 2 in line 2"),
        ("query-id\tcorpus-id\tscore\nq1\ta\thigh\n", "have a finite score. Got 'high' in line 2"),
        ("query-id\tcorpus-id\tscore\nq1\ta\t1_0\n", "have a finite score. Got '1_0' in line 2"),
        ("query-id\tcorpus-id\tscore\n\ta\t1\n", "have a query id in each row. Got an empty cell in line 2"),
        ("qid,docno,score\nq1,a,1\nq1,b, \n", "have a score in each row. Got an empty cell in line 3"),
        ("query-id\tcorpus-id\tscore\nq1\ta\t\n", "have a score in each row. Got an empty cell in line 2"),
        ("qid,docno,rank\nq1,a,\n", "have a rank in each row. Got an empty cell in line 2"),
        ('qid,docno,score\nq1,"a,1\n', "be a valid table. Got an error"),
        ("qid,query_id,docno,score\nq,q,a,1\n", "have one column 'query'"),
        ("qid,docno,score,score\nq1,a,1,2\n", "have one column 'score'"),
        ("qid,docno,score\nq1,a,1\nq1,a,2\n", "a second document 'a' of query 'q1' in line 3"),
        ("qid,docno,score\n", "contain documents with scores. Got none"),
        ("id,name,value\nq1,a,1\n", r"Got 1 fields .* pass its column names: columns="),
    ],
)
def test_from_run_rejects_invalid_tables(text, expected):
    with pytest.raises(ValueError, match=expected) as caught:
        from_run(QRELS, io.BytesIO(text.encode()))
    assert len(str(caught.value)) <= 350


def test_from_run_reads_names_of_columns_of_a_file():
    run = io.BytesIO(b"id,name,value\nq1,a,1\n,,\n")
    got = from_run(QRELS, run, columns={"query": "id", "document": "name", "score": "value"})
    assert_same(got, from_run(QRELS, {"q1": {"a": 1}}))


def test_from_run_reads_empty_scores_of_judged_documents():
    table = b"qid,docno,score,label\nq1,a,2,1\nq1,b,,1\nq1,c,1,\n"
    got = from_run(io.BytesIO(table), io.BytesIO(table), return_items=True)
    assert_same(got, from_run({"q1": {"a": 1, "b": 1}}, {"q1": {"a": 2, "c": 1}}, return_items=True))


# ---------------------------------------------------------------------------- Hugging Face and Arrow


def make_table(given, names=BEIR):
    arrow = pytest.importorskip("pyarrow")
    rows = write_records(given, names)
    return arrow.table({name: [row[name] for row in rows] for name in names})


def test_from_run_reads_selected_rows_of_a_data_set():
    table = make_table(QRELS)
    got = from_run(Dataset(table, [1, 0]), make_table(RUN), return_items=True)
    assert_same(got, from_run({"q1": {"a": 1, "b": 0}}, RUN, return_items=True))


def test_from_run_asks_for_a_split_of_a_data_set():
    splits = type("DatasetDict", (dict,), {"with_format": Dataset.with_format})
    with pytest.raises(
        ValueError, match=r"be one split of a data set. Got the splits 'test' .* qrels\['test'\]"
    ):
        from_run(splits(test=Dataset(make_table(QRELS), [0])), RUN)


def test_from_run_reads_arrow_streams():
    assert_same(from_run(QRELS, Stream(make_table(RUN))), from_run(QRELS, RUN))


def test_from_run_turns_ranks_of_a_frame_into_scores():
    with pytest.warns(RankingWarning, match="minus its rank"):
        got = from_run(QRELS, make_table({"q1": {"b": 1, "a": 2}}, ("qid", "docno", "rank")))
    assert_same(got, from_run(QRELS, {"q1": {"b": -1, "a": -2}}))


# ---------------------------------------------------------------------------- spoiled files


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("side", ["run", "qrels"])
def test_from_run_returns_rows_or_an_error_for_spoiled_files(form, side):
    rng = random.Random(f"{form} {side}")
    original = FORMS[form](RUN).encode() if side == "run" else write_qrels(form)
    kinds = set()
    for _ in range(150):
        data = original
        for _ in range(rng.choice((1, 1, 2, 3))):
            start = rng.randrange(len(data) + 1)
            end = start + rng.choice((0, 0, 1, 3, 40))
            data = data[:start] + rng.choice([*file_draws.PIECES, b"{", b'"q', b"]", b"}"]) + data[end:]
            data = data or b"\n"
        data = rng.choice(list(COMPRESSIONS.values()))(data) if rng.random() < 0.2 else data
        sides = {"run": RUN, "qrels": QRELS, side: io.BytesIO(data)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankingWarning)
            try:
                rows = from_run(**sides)
            except ValueError as error:
                text = str(error)
                assert text.startswith("The '"), data
                assert text.isprintable() and len(text) <= 350, data
                kinds.add("error")
            else:
                assert np.isfinite(rows[1][rows[1] > -np.inf]).all(), data
                kinds.add("rows")
    assert kinds == {"error", "rows"}
