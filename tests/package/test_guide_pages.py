"""Pages of the guide are short, link to others, and appear first in the search for their words."""

import json
import re
import statistics

import pytest

from tests.helpers.pages import ROOT

DOCS = ROOT / "docs"
ABOUT = re.findall(r"^(\w+)$", (DOCS / "about.md").read_text(), re.M)  # pages that are not part of the guide
REFERENCE_TABLE = "metrics"  # a row for each metric
GUIDE = sorted(page for page in DOCS.glob("*.md") if page.stem not in (*ABOUT, "about", "index"))
TERMS = re.compile(
    r"\b(quer(y|ies)|documents?|(un)?judged|qrels|condensed|rank IC|simultaneous|sign flips)\b", re.I
)
FIRST = [
    ("rag", "retrieval"),
    ("hit rate", "api/generated/sklearn_rank.hit_rate_at_k_score"),
    ("time split", "time_splits"),
    ("custom metric", "classifiers"),
    ("classifier", "classifiers"),
    ("roc_auc", "classifiers"),
    ("revenue", "classifiers"),
    ("lift", "classifiers"),
    ("churn", "classifiers"),
    ("cold start", "splitters"),
]


def count_words(page):
    """Return the number of words of a page without its blocks of code."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.M | re.S)
    return len(re.sub(r"^    .*$", "", text, flags=re.M).split())


@pytest.mark.parametrize("page", [ROOT / "README.md", *GUIDE], ids=lambda page: page.stem)
def test_page_has_at_most_900_words_without_code(page):
    if page.stem != REFERENCE_TABLE:
        assert count_words(page) <= 900


def test_guide_pages_have_at_most_550_words_in_the_median():
    assert statistics.median(map(count_words, GUIDE)) <= 550


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_guide_page_links_to_another_one(page):
    linked = set(re.findall(r"\]\((\w+)\.md", page.read_text()))
    assert linked & {each.stem for each in GUIDE} - {page.stem}


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_guide_page_links_to_the_glossary_at_the_first_term(page):
    not_prose = r"^ *```.*?^ *```|^#+ .*?$|^    .*?$|`[^`\n]*`|\[[^]]*\]\((?!glossary).*?\)"
    text = re.sub(not_prose, "", page.read_text(), flags=re.M | re.S)
    term = TERMS.search(text)
    if term:
        end = text.find("\n\n", term.end())
        assert "](glossary.md)" in text[:end]


@pytest.mark.parametrize("page", ["index", "quick_start"])
def test_first_pages_have_at_most_60_columns_of_code(page):
    lines = re.findall(r"^(?:>>>|\.\.\.) (.*)$", (DOCS / f"{page}.md").read_text(), re.M)
    assert [line for line in lines if len(line) > 60] == []


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/user_guide.md"])
def test_first_pages_begin_with_the_four_paths(page):
    text = (ROOT / page).read_text()
    paths = [
        "I train LightGBM",
        "I have a classifier",
        "I have runs, dicts",
        "I reproduce or write",
        "My number is NaN",
    ]
    places = [text.index(path) for path in paths]
    assert places == sorted(places)
    assert "glossary.md" in text


@pytest.mark.parametrize(("word", "page"), FIRST)
def test_search_words_are_those_of_one_page(word, page):
    lines = (DOCS / "search_words.txt").read_text().splitlines()[2:]
    assert [
        name for name, _, words in (each.partition(": ") for each in lines) if word in words.split(", ")
    ] == [page]


@pytest.mark.slow
@pytest.mark.parametrize(("word", "page"), FIRST)
def test_search_index_has_the_page_as_main_entry_of_the_word(word, page, site):
    text = (site / "searchindex.js").read_text()
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    entries = index["indexentries"][word]
    assert [index["docnames"][number] for number, _, is_main in entries if is_main] == [page]
