"""Warnings of readers about ids in two formats, which never match, but not about ordinary misses."""

import re

import numpy as np
import pytest

from sklearn_rank import RankingWarning, from_interactions, from_recommendations, from_run
from sklearn_rank.datasets import _pieces, _runs
from tests.datasets.test_run_objects import make_frame

pytestmark = pytest.mark.filterwarnings("ignore:.*the run has no document for")


def warned(text):
    return pytest.warns(RankingWarning, match=re.escape(text))


def make_run(n_queries=10, n_documents=20, write="d{}".format):
    """Make a run and judgments with the same documents, whose ids `write` writes for the run."""
    run = {f"q{query}": {write(n): 1.0 / (n + 1) for n in range(n_documents)} for query in range(n_queries)}
    qrels = {query: {f"d{n}": n % 2 for n in range(n_documents)} for query in run}
    return qrels, run


# ------------------------------------------------------------------ runs


@pytest.mark.parametrize("retrieved", ["d1.0", "D1", "other"])
def test_from_run_warns_when_no_retrieved_document_is_judged(retrieved):
    expected = (
        "from_run: no document of 'run' is in 'qrels' for 1 of 1 queries, so metrics are uninformative there."
        f" For example, query 'q1' has '{retrieved}' in the former and 'd1' in the latter. Use the same ids "
        "in both."
    )
    with warned(expected):
        from_run(qrels={"q1": {"d1": 1}}, run={"q1": {retrieved: 0.5}})


def test_from_run_names_files_when_no_ids_match(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = 60 * "x" + ".qrels"
    (tmp_path / "a.run").write_text("q Q0 D1 1 1 t\n")
    (tmp_path / name).write_text("q 0 d1 1\n")
    with warned(f"no document of a.run is in ...{54 * 'x'}.qrels for 1 of 1 queries"):
        from_run(qrels=name, run="a.run")


def test_from_run_counts_pooled_documents_as_judged_in_overlap():
    from_run(qrels={"q": {"a": -1}}, run={"q": {"a": 1.0}})


def test_from_run_ignores_unshared_queries_in_overlap():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    from_run(qrels=qrels, run={"q1": {"a": 1.0}, "q2": {}, "q4": {"x": 1.0}}, queries="judged")


@pytest.mark.parametrize("depth", [1, None])
def test_from_run_overlap_does_not_depend_on_depth(depth):
    from_run(qrels={"q": {"b": 1}}, run={"q": {"a": 2.0, "b": 1.0}}, depth=depth)


def test_from_run_warns_when_most_ids_differ_in_case():
    qrels, run = make_run()
    for query in range(6):
        run[f"q{query}"] = {name.upper(): score for name, score in run[f"q{query}"].items()}
    with warned("for 6 of 10 queries, so metrics are uninformative there. For example, query 'q0' has 'D0'"):
        from_run(qrels=qrels, run=run)


@pytest.mark.parametrize(
    ("retrieved", "judged"),
    [("007", "7"), ("7.0", "7"), (" 7", "7"), ("7.00", "07"), ("A b", "a B "), ("7", "7.")],
)
def test_from_recommendations_warns_when_ids_differ_in_format(retrieved, judged):
    lists, relevant = {"u": ["x", retrieved]}, {"u": ["y", judged]}
    with warned(f"For example, user 'u' has {retrieved!r} in the former and {judged!r} in the latter"):
        from_recommendations(relevant=relevant, recommended=lists)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_from_run_accepts_misses_when_few_documents_are_judged(share):
    n_queries = 100
    run = {query: {f"d{query}-{n}": -n for n in range(50)} for query in range(n_queries)}
    missed = share * n_queries
    qrels = {query: {f"d{query}-{99 if query < missed else 9}": 1} for query in run}
    from_run(qrels=qrels, run=run)


@pytest.mark.parametrize(("n_met", "is_warned"), [(1, True), (2, False)])
def test_from_run_warns_of_misses_when_many_documents_are_judged(n_met, is_warned, recwarn):
    qrels, run = make_run(n_queries=19, write="other{}".format)
    for query in range(n_met):
        run[f"q{query}"] = dict.fromkeys(qrels[f"q{query}"], 1.0)
    if is_warned:
        with warned(f"for {19 - n_met} of 19 queries"):
            from_run(qrels=qrels, run=run)
    else:
        from_run(qrels=qrels, run=run)


def test_from_run_accepts_misses_with_fewer_than_10_pooled_queries():
    qrels, run = make_run(n_queries=10, write="other{}".format)
    run["q0"] = dict.fromkeys(list(qrels["q0"])[:9], 1.0)  # too few: 9 pooled queries are left
    from_run(qrels=qrels, run=run)


def test_from_run_compares_numeric_ids_exactly():
    with warned("has 1 in the former and 2 in the latter"):
        from_run(qrels={1: {2: 1}}, run={1: {1: 0.5}})


def test_from_run_warns_about_ids_when_files_are_read_in_pieces(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_runs, "LARGE", 1)
    monkeypatch.setattr(_pieces, "PIECE", 2**9)
    qrels, run = make_run(n_queries=30, write="D{}".format)
    lines = [
        f"{query} Q0 {name} 1 {score} t\n" for query, each in run.items() for name, score in each.items()
    ]
    judged = [f"{query} 0 {name} {grade}\n" for query, each in qrels.items() for name, grade in each.items()]
    (tmp_path / "a.run").write_text("".join(lines))
    (tmp_path / "a.qrels").write_text("".join(judged))
    with warned("for 30 of 30 queries, so metrics are uninformative there. For example, query 'q0' has 'D0'"):
        from_run(qrels=str(tmp_path / "a.qrels"), run=str(tmp_path / "a.run"))


# ------------------------------------------------------------------ recommendations


def read_interactions(relevant, recommended):
    """Read lists as frames."""
    done, shown = (
        [(user, item, 1 / (place + 1)) for user, items in lists.items() for place, item in enumerate(items)]
        for lists in (relevant, recommended)
    )
    frames = [
        make_frame("pandas", dict(zip(("user", "item", "score"), map(list, zip(*rows)))))
        for rows in (done, shown)
    ]
    return from_interactions(interactions=frames[0].drop(columns="score"), recommended=frames[1])


def read_lists(relevant, recommended):
    return from_recommendations(relevant=relevant, recommended=recommended)


def read_positions(relevant, recommended):
    return from_recommendations(relevant=list(relevant.values()), recommended=list(recommended.values()))


@pytest.mark.parametrize("read", [read_lists, read_positions, read_interactions])
def test_recommendation_readers_warn_when_item_ids_differ_in_format(read):
    with warned("no item of 'recommended' is in"):
        read({"ann": ["1"], "bob": ["2"]}, {"ann": ["1.0"], "bob": ["3.0"]})


@pytest.mark.parametrize("read", [read_lists, read_positions, read_interactions])
def test_recommendation_readers_accept_lists_that_miss_all_items(read):
    read({"ann": ["a"], "bob": ["b"]}, {"ann": ["c"], "bob": ["d"]})


@pytest.mark.parametrize("read", [read_lists, read_positions, read_interactions])
@pytest.mark.parametrize("n_items", [99, 100])
def test_recommendation_readers_warn_when_many_items_never_match(n_items, read, recwarn):
    relevant = {f"u{n}": [f"a{n}"] for n in range(n_items)}
    recommended = {f"u{n}": [f"b{n}"] for n in range(n_items)}
    if n_items == 100:
        with warned("for 100 of 100 users"):
            read(relevant, recommended)
    else:
        read(relevant, recommended)
    recommended["u0"] = ["a1"]  # an item of another user
    read(relevant, recommended)


def test_from_recommendations_accepts_misses_of_random_lists():
    rng = np.random.default_rng(0)
    for _ in range(200):
        recommended = [rng.choice(1000, 10, replace=False).tolist() for _ in range(rng.integers(1, 40))]
        relevant = [rng.choice(1000, 2, replace=False).tolist() for _ in recommended]
        from_recommendations(relevant=relevant, recommended=recommended)
