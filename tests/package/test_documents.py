"""Every code block of the README and the docs runs and prints the output that it shows."""

import doctest
import os
import re
import runpy
import shutil
import tomllib
from importlib.util import find_spec

import pytest

from sklearn_rank.metrics._libraries.library_names import LIBRARIES
from tests.helpers.naming import PUBLIC_NAMES
from tests.helpers.pages import PAGES, ROOT, table_rows
from tests.helpers.table import ALL_METRICS, METRICS
from tests.library_tables import PAGES as SHARED
from tests.library_tables import make_parts, mark

NOT_PARAMS = (
    "y_true",
    "y_score",
    "groups",
    "ties",
    "unjudged",
    "zero_division",
    "average",
    "sample_weight",
    "missed",
)

PARTS = make_parts()

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
# A block that uses one of these libraries runs if the library is installed.
LIBRARY = (
    "beir catboost duckdb ir_measures lightgbm mlflow optuna\\w* pytrec_eval ranx recbole recommenders skops "
    "torch\\w* wandb xgboost"
)
OTHERS = re.compile(rf"^>>> (?:import|from) ({LIBRARY.replace(' ', '|')})\b", re.MULTILINE)
# The page about engines runs separately for each installed engine. The last two start servers.
ENGINES = ROOT / "docs" / "engines.md"
ENGINE = re.compile(r"^>>> (?:import|from) (duckdb|polars|pyspark|ray)\b", re.MULTILINE)
SLOW_ENGINES = [pytest.param(name, marks=pytest.mark.slow) for name in ("pyspark", "ray")]
# Optional packages that code needs, by the text that indicates them.
NEEDS = {"import pandas": "pandas", "to_frame(": "pandas", "LGBMRanker(": "lightgbm", "Display": "matplotlib"}
NEEDS |= {"XGBRanker(": "xgboost", "CatBoostRanker(": "catboost"}
NEEDS |= {"dask.dataframe": "dask.dataframe", "from distributed": "distributed"}
# These train many models.
SLOW = (
    "README.md",
    "classifiers.md",
    "curves.md",
    "decisions.md",
    "index.md",
    "lightgbm.md",
    "quick_start.md",
    "rankers.md",
    "scikit_learn.md",
    "searches.md",
    "splitters.md",
)
RUN = [
    pytest.param(page, marks=pytest.mark.slow if page.name in SLOW else ())
    for page in PAGES
    if page != ENGINES
]
# Sentences about what a call does, and how many have no block in their section; the number must only shrink.
CLAIM = re.compile(r"\b(raises?|warns?|warnings?|rejects?|returns?|equals|equal to)\b")
NOT_GUIDE = ("changelog", "contributing", "references", "security", "speed", "trust", "versions")
N_CLAIMS_WITHOUT_BLOCK = 11
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def name_page(page):
    return str(page.relative_to(ROOT))


# The compiler of ranx raises this warning at the first compilation.
@pytest.mark.filterwarnings("ignore:.*unsafe cast from uint64 to int64")
@pytest.mark.filterwarnings("ignore:OptunaSearchCV is experimental")
@pytest.mark.filterwarnings("ignore:`optuna.terminator` module has been deprecated")
@pytest.mark.parametrize("page", RUN, ids=name_page)
def test_page_code_prints_the_shown_output(page, monkeypatch):
    if page.name == "command_line.md":  # its commands read the files of the examples
        monkeypatch.chdir(ROOT / "examples" / "runs")
    blocks = BLOCK.findall(page.read_text())
    code = "\n".join(block for block in blocks if all(map(find_spec, OTHERS.findall(block))))
    for name, library in NEEDS.items():
        if name in code:
            pytest.importorskip(library)
    check_code(code, page)


def check_code(code, page):
    """Run code and compare its output with the expected one."""
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    report = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert results.failed == 0, "".join(report)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "heading", "n_blocks"),
    [
        ("index.md", "## Boosters", 4),
        ("quick_start.md", "## Start from your data", 5),
        ("faq.md", "# Frequently asked questions", 6),
    ],
)
def test_programs_of_the_first_pages_run_when_copied_alone(page, heading, n_blocks):
    path = ROOT / "docs" / page
    blocks = BLOCK.findall(path.read_text().partition(heading)[2])
    assert len(blocks) == n_blocks
    for block in blocks:
        needed = [*OTHERS.findall(block), *(library for name, library in NEEDS.items() if name in block)]
        if all(map(find_spec, needed)):
            check_code(block, path)


# PySpark warns about the newest pandas, and Ray about its own options.
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.data.context")
@pytest.mark.parametrize("engine", ["duckdb", "polars", *SLOW_ENGINES])
def test_engine_recipes_print_the_shown_output(engine, monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", "")  # the page sets the variable; monkeypatch restores it
    for library in ("pyarrow", engine):
        pytest.importorskip(library)
    if engine == "pyspark" and not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Spark needs Java")
    blocks = BLOCK.findall(ENGINES.read_text())
    assert any(engine in ENGINE.findall(block) for block in blocks)
    check_code("\n".join(each for each in blocks if {engine} >= set(ENGINE.findall(each))), ENGINES)


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_page_code_begins_with_a_doctest_prompt(page):
    for block in BLOCK.findall(page.read_text()):
        assert block.startswith(">>> ")


def list_claims(page):
    """Return (sentence, whether a block is in its section) for each claim of a page, without tables."""
    text = re.sub(r"<!--.*?-->", "", page.read_text(), flags=re.S)
    fence = re.compile(r"^ *```.*?^ *```", re.S | re.M)
    found = []
    for section in re.split(
        r"^#+ ", fence.sub(lambda block: block[0].replace("\n#", "\n "), text), flags=re.M
    ):
        shown = re.search(r"^ *```(?:python|console)", section, re.M) is not None
        prose = re.sub(r"^\|.*|\[.*?\]\(.*?\)", "", fence.sub("", section.partition("\n")[2]), flags=re.M)
        for paragraph in re.split(r"\n\s*\n|\n- ", prose):
            sentences = re.split(r"(?<=[.:]) (?=[A-Z`])", " ".join(paragraph.split()))
            found += [(each, shown) for each in sentences if CLAIM.search(each)]
    return found


def test_claims_of_the_guide_are_shown_by_a_block_of_their_section():
    pages = [page for page in PAGES if page.parent.name != "api" and not page.stem.startswith(NOT_GUIDE)]
    claims = [(page.name, *claim) for page in pages for claim in list_claims(page)]
    unshown = [f"{page}: {sentence}" for page, sentence, shown in claims if not shown]
    assert len(claims) > 100
    assert len(unshown) <= N_CLAIMS_WITHOUT_BLOCK, "\n".join(unshown)


@pytest.mark.slow
def test_draw_pictures_makes_all_figures_of_the_pages(tmp_path):
    pytest.importorskip("matplotlib")
    docs = ROOT / "docs"
    runpy.run_path(str(docs / "draw_pictures.py"))["main"](tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == {path.name for path in (docs / "pictures").iterdir()}


def test_install_page_lists_the_extras_and_oldest_versions_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for name, packages, _ in table_rows("install.md", "| extra"):
        listed = [re.sub(r" (\S+) or later", r">=\1", each) for each in packages.split(", ")]
        if name == "`all`":
            listed = [f"sklearn-rank[{','.join(listed)}]"]
        assert listed == [re.sub(r"^dask\[dataframe\]", "dask", each) for each in extras[name.strip("`")]]
    oldest = {package: version for package, version, _ in table_rows("install.md", "| package | oldest")}
    assert f">={oldest.pop('Python')}" == project["requires-python"]
    assert sorted(f"{package}>={version}" for package, version in oldest.items()) == sorted(
        project["dependencies"]
    )


def test_install_lines_of_the_first_pages_are_equal():
    pages = [ROOT / "README.md", *(ROOT / "docs" / name for name in ("index.md", "install.md"))]
    lines = [
        re.findall(r"^    pip install (?:\.|sklearn-rank) .*$", page.read_text(), re.M) for page in pages
    ]
    assert len(lines[0]) == 2
    assert lines == [lines[0]] * len(pages)


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_install_lines_with_extras_are_quoted_for_the_shell(page):
    assert re.findall(r"pip install (?:-e )?[\w.-]+\[.*", page.read_text()) == []


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_page_links_lead_to_existing_files(page):
    for target in re.findall(r"\]\(([^)#:]+)", page.read_text()):
        assert (page.parent / target).exists(), target


OF_INTENTS = {stem: each for stem, each in ALL_METRICS.items() if each.needs == ("intents",) and each.named}
TABLES = {"| function | scorer": METRICS, "| function of intents": OF_INTENTS}


@pytest.mark.parametrize("head", TABLES)
def test_metrics_page_table_matches_the_registry(head):
    expected = []
    for stem, entry in TABLES[head].items():
        name = entry.prefix + stem
        forms = {"optional": (name, f"{name}@10"), "required": (f"{name}@10",), "none": (name,)}[entry.cutoff]
        own = [key for key in entry.defaults if key not in NOT_PARAMS and key not in ("k", "intent_weight")]
        scale = f"{entry.lower:g} to {entry.upper:g}"
        expected.append([f"`{entry.function.__name__}`", list(forms), scale, own])
    rows = table_rows("metrics.md", head)
    got = [[row[0], re.findall(r'`"(.*?)"`', row[1]), row[3], re.findall(r"`(\w+)`", row[4])] for row in rows]
    assert got == expected
    assert all(row[2] for row in rows)


@pytest.mark.parametrize(("page", "what"), PARTS, ids=lambda part: getattr(part, "stem", part))
def test_library_page_tables_match_the_names_of_libraries(page, what):
    begin, end = mark(what)
    assert f"{begin}\n\n{PARTS[page, what]}\n\n{end}" in page.read_text()


def test_library_pages_show_their_code_and_ours():
    for prefix, library in LIBRARIES.items():
        if prefix in SHARED:
            continue
        text = (ROOT / "docs" / "my_number_differs" / f"{prefix}.md").read_text()
        assert text.startswith(f"# Coming from {library.title}")
        there, here = re.search(r"<!-- there -->(.*?)<!-- here -->(.*?)<!-- end -->", text, re.S).groups()
        assert OTHERS.search(there) or ">>> from sklearn." in there or prefix == "letor"  # a script
        assert f"{prefix}:" in here


def test_public_names_are_in_the_docs():
    text = "\n".join(page.read_text() for page in PAGES)
    factories = {name for name in PUBLIC_NAMES if name.endswith("_scorer")}  # named like functions
    missing = [name for name in PUBLIC_NAMES if name not in text and name not in factories]
    assert missing == []


def test_readme_begins_with_install_and_example():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert any("pip install" in line for line in lines[:8])
    assert any(line.startswith("array(") for line in lines[:18])
    assert any(
        "cross_val_score(model, X, y, scoring=ndcg_scorer(k=10), groups=qid)" in line for line in lines
    )
    assert any("LogisticRegression()" in line for line in lines)


@pytest.mark.thorough
def test_quickstart_example_prints_its_table(capsys):
    runpy.run_path(str(ROOT / "examples" / "quickstart.py"), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "9600 documents of 240 queries, 12 features"
    assert re.search(r'240 queries, difference from "Ridge", paired t test', "\n".join(printed))
    assert (
        printed[-4] == "By NDCG@10, compared with Ridge, the grid search is better, the boosting is better."
    )
    assert all(re.search(r"NDCG@10 1\.000 for ", line) for line in printed[-2:])


@pytest.mark.thorough
def test_tune_example_prints_its_best_trial(capsys):
    runpy.run_path(str(ROOT / "examples" / "tune.py"), run_name="__main__")
    assert re.search(r"best of 8 trials: NDCG@10 0\.\d{3} with", capsys.readouterr().out)


@pytest.mark.slow
def test_compare_example_ends_with_a_verdict(capsys):
    runpy.run_path(str(ROOT / "examples" / "compare.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert '400 queries in 100 clusters, difference from "old", paired t test' in printed
    assert printed.endswith("By NDCG@10 the new ranking is better: ship it.\n")
