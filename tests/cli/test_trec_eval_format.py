"""The output of `--format trec_eval` equals that of trec_eval. Expected values are from pytrec_eval."""

import math

import numpy as np
import pytest

from sklearn_rank._cli import main

pytrec_eval = pytest.importorskip("pytrec_eval")

CUTS = ["5", "10", "15", "20", "30", "100", "200", "500", "1000"]
# The measures of `-m all_trec` that are computed here, in the order of trec_eval.
COUNTS = {"num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"}
OFFICIAL = [
    "runid",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "recip_rank",
]
OFFICIAL += [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)] + [f"P_{k}" for k in CUTS]
ALL = [*OFFICIAL, *(f"recall_{k}" for k in CUTS), "infAP", "gm_bpref"]
ALL += [*(f"Rprec_mult_{level / 10:.2f}" for level in range(2, 21, 2)), "utility", "11pt_avg", "ndcg"]
ALL += [f"{name}_{k}" for name in ("ndcg_cut", "map_cut", "relative_P") for k in CUTS]
ALL += ["success_1", "success_5", "success_10", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
ALL += ["num_nonrel_judged_ret"]
ONLY_OF_ALL = {"runid", "num_q", "gm_map", "gm_bpref"}


def draw(seed, n_queries=40):
    """Draw a run and judgements with ties, gaps, documents that were not judged and grades below 0."""
    rng = np.random.default_rng(seed)
    run, qrels = {}, {}
    for query in rng.permutation(n_queries):
        documents = [f"d{number}" for number in rng.permutation(80)]
        n_retrieved, n_judged = rng.integers(1, 60, size=2)
        scores = np.round(rng.normal(size=n_retrieved), int(rng.integers(0, 4))) * 10.0 ** rng.integers(-3, 4)
        grades = rng.choice([-1, 0, 0, 0, 1, 1, 2, 3], size=n_judged)
        if rng.random() < 0.1:
            grades = np.minimum(grades, 0)
        if rng.random() > 0.1:
            run[f"q{query}"] = dict(zip(documents, (float(f"{score:.6f}") for score in scores)))
        if rng.random() > 0.1:
            qrels[f"q{query}"] = dict(zip(rng.permutation(documents).tolist(), grades.tolist()))
    return run, qrels


def write(folder, run, qrels):
    paths = folder / "a.qrels", folder / "a.run"
    lines = [f"{query} 0 {document} {grade}" for query, of in qrels.items() for document, grade in of.items()]
    paths[0].write_text("\n".join(lines) + "\n")
    lines = [f"{query} Q0 {name} 1 {score} mine" for query, of in run.items() for name, score in of.items()]
    paths[1].write_text("\n".join(lines) + "\n")
    return [str(path) for path in paths]


def cut(documents, depth):
    """Keep the highest as trec_eval ranks them: by scores in float32, then by ids from high to low."""
    ranked = sorted(documents.items(), key=lambda each: (np.float32(each[1]), each[0]), reverse=True)
    return dict(ranked[:depth])


def expected_lines(run, qrels, names, *, by_query=False, complete=False, depth=None, level=1, judged=False):
    """Format pytrec_eval's values as trec_eval does."""
    if depth is not None:
        run = {query: cut(documents, depth) for query, documents in run.items()}
    measures = {"all_trec"}
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, measures, relevance_level=level, judged_docs_only_flag=judged
    )
    values = evaluator.evaluate(run)
    assert set(values) == set(run) & set(qrels)
    for of_query in values.values():  # 0 / 0 with -J if no judged document was retrieved; here it is 0
        of_query.update({name: 0.0 for name, value in of_query.items() if math.isnan(value)})
    lines = []
    lacking = set(qrels) - set(run) if complete else set()
    for query in sorted({*values, *lacking}) if by_query else ():
        for name in names:
            if name not in ONLY_OF_ALL:
                if query in lacking:  # as trec_eval 10 prints them
                    n_relevant = sum(grade >= level for grade in qrels[query].values())
                    value = n_relevant if name == "num_rel" else 0
                else:
                    value = values[query][name]
                text = f"{value:.0f}" if name in COUNTS else f"{value:6.4f}"
                lines.append(f"{name:22}\t{query}\t{text}\n")
    n_queries = len(qrels) if complete else len(values)
    for name in names:
        total = 0.0
        for query in sorted(values):
            total += values[query][name]
        if name == "runid":
            text = "mine"
        elif name == "num_q":
            text = str(n_queries)
        elif name == "num_rel" and complete:  # counts all judgments, independently of the level
            text = str(sum(grade > 0 for documents in qrels.values() for grade in documents.values()))
        elif name in COUNTS:
            text = f"{total:.0f}"
        elif name.startswith("gm_"):
            total += (n_queries - len(values)) * math.log(0.00001)
            text = f"{math.exp(total / n_queries):6.4f}"
        else:
            text = f"{total / n_queries:6.4f}"
        lines.append(f"{name:22}\tall\t{text}\n")
    return "".join(lines)


WAYS = {
    "": {},
    "-q": {"by_query": True},
    "-q -c": {"by_query": True, "complete": True},
    "-q -M 7": {"by_query": True, "depth": 7},
    "-q -l 2": {"by_query": True, "level": 2},
    "-q -J": {"by_query": True, "judged": True},
    "-c -M 5 -l 2 -J -q": {"by_query": True, "complete": True, "depth": 5, "level": 2, "judged": True},
}


@pytest.mark.slow
@pytest.mark.parametrize("is_cut", [False, True], ids=["whole", "in-pieces"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(4))
def test_trec_eval_format_prints_all_measures_like_trec_eval(seed, way, is_cut, tmp_path, capsys, request):
    run, qrels = draw(seed)
    if is_cut:
        request.getfixturevalue("pieces")
    files = write(tmp_path, run, qrels)
    assert main(["evaluate", *files, "--format", "trec_eval", "-m", "all_trec", *way.split()]) == 0
    assert capsys.readouterr().out == expected_lines(run, qrels, ALL, **WAYS[way])


CHOSEN = {
    "": OFFICIAL,
    "-m official": OFFICIAL,
    "-m map": ["map"],
    "-m ndcg -m num_q -m map": ["num_q", "map", "ndcg"],
    "-m trec_eval:map": ["map"],
    "-m P.10,5 -m ndcg_cut.20": ["P_5", "P_10", "ndcg_cut_20"],
    "-m P.5 -m P.10": ["P_5"],
    "-m P -m P.5": ["P_5"],
    "-m iprec_at_recall.0.1,.3 -m success.5": ["iprec_at_recall_0.10", "iprec_at_recall_0.30", "success_5"],
    "-m set": [
        "runid",
        "num_q",
        "num_ret",
        "num_rel",
        "num_rel_ret",
        "utility",
        "set_P",
        "set_relative_P",
        "set_recall",
        "set_map",
        "set_F",
    ],
    "-m infAP": ["infAP"],
    "-m Rprec_mult.1,.4": ["Rprec_mult_0.40", "Rprec_mult_1.00"],
    "-m all_trec -m map": ALL,
}


@pytest.mark.parametrize("measures", CHOSEN)
def test_trec_eval_format_prints_chosen_measures_in_order(measures, tmp_path, capsys):
    run, qrels = draw(7, n_queries=5)
    files = write(tmp_path, run, qrels)
    assert main(["evaluate", "-q", *measures.split(), *files, "--format", "trec_eval"]) == 0
    assert capsys.readouterr().out == expected_lines(run, qrels, CHOSEN[measures], by_query=True)


def test_trec_eval_format_names_measures_that_are_not_computed(tmp_path, capsys):
    files = write(tmp_path, *draw(1, n_queries=5))
    assert main(["evaluate", *files, "--format", "trec_eval", "-m", "all_trec"]) == 0
    missing = "relstring, binG, G, ndcg_rel, Rndcg"
    assert capsys.readouterr().err == f"sklearn-rank: all_trec omits unsupported measures: {missing}\n"
    theirs = set(pytrec_eval.supported_measures)
    assert set(missing.split(", ")) == theirs - {name.partition("_")[0] for name in ALL} - {
        name if name in theirs else name.rpartition("_")[0] for name in ALL
    }


@pytest.mark.parametrize(("first", "second"), [(1, 1 + 1e-9), (1e39, 2e39), (-1e39, -2e39), (1e-46, 2e-46)])
def test_trec_eval_format_ties_scores_equal_in_float32(first, second, tmp_path, capsys):
    run, qrels = {"q": {"a": second, "b": first, "c": 0.5}}, {"q": {"b": 1, "a": 0}}
    files = write(tmp_path, run, qrels)
    assert main(["evaluate", *files, "--format", "trec_eval", "-m", "recip_rank"]) == 0
    assert capsys.readouterr().out == expected_lines(run, qrels, ["recip_rank"])


# Values with a 5 in the fifth decimal: the sums of pytrec_eval decide how they are rounded.
HALVES = [(11, "-l 2", "q24"), (38, "", "q27"), (65, "-J", "q15"), (136, "-c", "q18")]


@pytest.mark.parametrize(("seed", "way", "query"), HALVES)
def test_trec_eval_format_rounds_halves_like_trec_eval(seed, way, query, tmp_path, capsys):
    run, qrels = draw(seed)
    options = {"-l 2": {"level": 2}, "-J": {"judged": True}, "-c": {"complete": True}}.get(way, {})
    expected = expected_lines(run, qrels, ALL, by_query=True, **options)
    files = write(tmp_path, run, qrels)
    assert main(["evaluate", *files, "--format", "trec_eval", "-q", "-m", "all_trec", *way.split()]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if f"\t{query}\t" in line]
    assert lines == [line for line in expected.splitlines() if f"\t{query}\t" in line]


FRACTIONS = {
    "q1": {"d0": 0.5, "d1": 0, "d2": 2.0},
    "q2": {"d0": 1, "d1": -0.5, "d2": 1.9, "d3": -1.5, "d4": 1},
}


def test_trec_eval_format_truncates_fractional_grades(tmp_path, capsys):
    run = {query: {f"d{place}": 9.0 - place for place in range(6)} for query in FRACTIONS}
    whole = {query: {name: int(grade) for name, grade in of.items()} for query, of in FRACTIONS.items()}
    names = ["map", "bpref", "ndcg", "infAP"]
    words = [*write(tmp_path, run, FRACTIONS), "--format", "trec_eval", *(f"-m{name}" for name in names)]
    assert main(["evaluate", *words]) == 0
    printed = capsys.readouterr()
    values = pytrec_eval.RelevanceEvaluator(whole, set(names)).evaluate(run).values()
    means = {name: np.mean([each[name] for each in values]) for name in names}
    lines = dict(line.split("\tall\t") for line in printed.out.splitlines())
    assert {name.strip(): text for name, text in lines.items()} == {
        name: f"{mean:.4f}" for name, mean in means.items()
    }
    assert "the grade of document 'd0' of query 'q1' in line 1" in printed.err
    assert "is 0.5, so all grades are truncated to integers, as trec_eval does" in printed.err


def test_trec_eval_format_warns_once_about_truncated_grades(folder, run_command, pieces):
    (folder / "a.qrels").write_text("q1 0 a 1.5\nq1 0 b 0\nq2 0 a 2\n")
    lines = ["q1 Q0 a 1 2 x", *(f"q2 Q0 d{n} 1 {n} x" for n in range(50)), "q1 Q0 b 2 1 x"]
    (folder / "a.run").write_text("\n".join([*lines, ""]))  # q1 is in two places
    code, _, err = run_command("evaluate", "a.qrels", "a.run", "--format", "trec_eval")
    assert (code, err.count("truncated")) == (0, 1)
    assert pieces == ["whole"]


def test_trec_eval_format_does_not_warn_about_integer_grades(folder, run_command):
    assert run_command("evaluate", "a.qrels", "a.run", "--format", "trec_eval")[2] == ""
