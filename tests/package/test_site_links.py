"""Links that the site gets when it is built, its tables, and the words of its search."""

import re
from html import unescape
from importlib.util import find_spec
from inspect import isclass
from pydoc import locate

import pytest
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - links lead to these searches

from tests.helpers.naming import PUBLIC_NAMES
from tests.helpers.pages import PAGES, ROOT

DOCS = ROOT / "docs"
CODE = re.compile(r'<code class="docutils literal notranslate"><span class="pre">(\w+)</span></code>')
LINK = re.compile(
    r'<a class="reference (?:internal|external)" href="([^"]+)"[^>]*><code[^>]*>(.*?)</code></a>', re.S
)
COLUMNS = 88
INVENTORIES = sorted((DOCS / "inventories").glob("*.txt"))
NEW_MODULES = {"sklearn.callback"}  # the oldest supported versions lack them


def read_lines(name):
    return (DOCS / name).read_text().splitlines()


def read_inventories():
    """Yield the name, kind and page of each name of other libraries."""
    for path in INVENTORIES:
        yield from (line.split() for line in path.read_text().splitlines()[3:])


@pytest.fixture(scope="module")
def links(site):
    """Return the links in code font of each page of the guide: pairs of address and text."""
    pages = [*site.glob("*.html"), *(site / "my_number_differs").glob("*.html")]
    found = {page.stem: LINK.findall(page.read_text()) for page in pages}
    return {page: [(to, re.sub("<.*?>", "", text)) for to, text in each] for page, each in found.items()}


# ---------------------------------------------------------------------------- the sources


def test_search_words_name_existing_pages_once():
    head, _, *lines = read_lines("search_words.txt")
    assert head.startswith("Page: ")
    pages = [line.partition(": ")[0] for line in lines]
    assert len({*pages}) == len(pages)
    guide = [page for page in pages if "generated/" not in page]
    assert [page for page in guide if not (DOCS / f"{page}.md").exists()] == []
    names = [page.rpartition("/")[2] for page in pages if "generated/" in page]
    assert [name for name in names if name.partition("rankers")[1] == "" and locate(name) is None] == []


def test_dois_have_the_title_of_a_reference():
    page = " ".join((DOCS / "references.md").read_text().split())
    for line in read_lines("dois.txt"):
        doi, _, title = line.partition(" ")
        assert re.fullmatch(r"10\.\d{4,5}/\S+", doi)
        assert f'"{title}"' in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_code_has_at_most_88_columns(page):
    code = re.findall(r"^(?:>>>|\.\.\.) .*$", page.read_text(), re.M)
    assert [line for line in code if len(line) > COLUMNS] == []


def test_inventories_list_existing_names_with_their_kind():
    lacking = {module for module in NEW_MODULES if not find_spec(module)}
    for name, kind, _ in read_inventories():
        if find_spec(name.partition(".")[0]) and name.rpartition(".")[0] not in lacking:
            value = locate(name)
            assert isclass(value) if kind == "class" else callable(value), name


def test_inventories_have_one_name_for_each_last_part():
    lasts = [name.rpartition(".")[2] for name, kind, _ in read_inventories() if kind != "method"]
    doubled = {last for last in lasts if lasts.count(last) > 1 and not re.fullmatch("[a-z]+", last)}
    assert doubled - {*PUBLIC_NAMES} == set()


# ---------------------------------------------------------------------------- the site


@pytest.mark.slow
def test_site_guide_names_link_to_the_reference(links, site):
    for page in ("metrics", "arguments", "scikit_learn", "decisions", "recommenders", "rankers"):
        assert sum("api/generated/sklearn_rank." in to for to, _ in links[page]) > 3, page
    assert ("api/generated/sklearn_rank.ndcg_score.html#sklearn_rank.ndcg_score", "ndcg_score") in links[
        "metrics"
    ]


@pytest.mark.slow
def test_site_guide_has_no_unlinked_public_names(site):
    names = {path.stem.rpartition(".")[2] for path in (site / "api" / "generated").glob("*.html")}
    for page in ("metrics", "arguments", "recommenders"):
        text = re.sub(r"<h\d>.*?</h\d>|<nav.*?</nav>", "", (site / f"{page}.html").read_text(), flags=re.S)
        text = re.sub(r"<a .*?</a>", "", text, flags=re.S)
        assert {*CODE.findall(text)} & names == set(), page


@pytest.mark.slow
def test_site_links_to_each_name_in_the_inventories(site):
    linked = re.compile(r'href="(https://[^"#]+#[\w.]+)"')
    found = {each for page in site.rglob("*.html") for each in linked.findall(page.read_text())}
    pages = {f"/{page}#{name}" for name, _, page in read_inventories()}
    assert len(pages) > 100
    assert {page for page in pages if not any(each.endswith(page) for each in found)} == set()


@pytest.mark.slow
def test_site_links_full_names_of_other_libraries(site):
    libraries = "|".join(path.stem for path in INVENTORIES)
    unlinked = re.compile(
        rf'(?<!>)<code class="[^"]*"><span class="pre">((?:{libraries})\.[\w.]+)(?:\(.*\))?</span></code>'
    )
    pages = [page for page in site.rglob("*.html") if "_modules" not in page.parts]
    names = {each for page in pages for each in unlinked.findall(page.read_text())}
    assert [name for name in sorted(names) if callable(locate(name))] == []


@pytest.mark.slow
def test_site_links_names_in_code_blocks(site):
    blocks = re.findall(r"<pre>.*?</pre>", (site / "scikit_learn.html").read_text(), re.S)
    links = re.findall(r'<a [^>]*href="([^"]+)"[^>]*>(.*?)</a>', "\n".join(blocks), re.S)
    links = {re.sub("<.*?>", "", text): address for address, text in links}
    assert links["ndcg_scorer"] == "api/generated/sklearn_rank.ndcg_scorer.html#sklearn_rank.ndcg_scorer"
    page = "https://scikit-learn.org/stable/modules/generated/sklearn.linear_model.Ridge.html"
    assert links["Ridge"] == f"{page}#sklearn.linear_model.Ridge"


@pytest.mark.slow
def test_site_links_classes_in_types_of_parameters(site):
    text = (site / "api" / "generated" / "sklearn_rank.compare.html").read_text()
    assert re.search(r'<span class="classifier">dict of str to <a [^>]*sklearn_rank\.RankingReport"', text)


@pytest.mark.slow
def test_site_reference_links_to_source_guide_gallery_and_papers(site):
    text = (site / "api" / "generated" / "sklearn_rank.ndcg_score.html").read_text()
    assert 'href="../../_modules/sklearn_rank/metrics/' in text
    assert re.search(r'In the guide: .*href="../../\w+\.html"', text)
    assert "Examples in the gallery" in text
    assert "https://doi.org/10.1145/582415.582418" in text


@pytest.mark.slow
def test_site_reference_shows_no_constructor_of_results(site):
    def read_signature(name):
        text = (site / "api" / "generated" / f"sklearn_rank.{name}.html").read_text()
        return unescape(re.sub("<.*?>", "", re.search(r"<dt class=\"sig.*?</dt>", text, re.S)[0]))

    assert "(" not in read_signature("Comparison")
    assert "keep_queries=False" in read_signature("GridSearchCV")


@pytest.mark.slow
@pytest.mark.parametrize("page", ["metrics", "generated/sklearn_rank.precision_at_k_score"])
def test_site_reference_contents_group_names_by_section(page, site):
    text = (site / "api" / f"{page}.html").read_text()
    contents = re.search(r'<nav class="bd-docs-nav.*?</nav>', text, re.S)[0]
    top = re.search(r'<li class="group">The top k</li>(.*?)<li class="group">', contents, re.S)[1]
    names = [name for name, _ in re.findall(r">(\w+(_score|_loss))</a>", top)]
    assert names[0] == "precision_at_k_score"
    assert "ndcg_score" not in names
    assert {"recall_at_k_score", "bpref_score"} <= {*names}


@pytest.mark.slow
def test_site_reference_lists_metrics_by_task(site):
    table = re.search(
        r"Metrics by task.*?<tbody>(.*?)</tbody>", (site / "api" / "index.html").read_text(), re.S
    )[1]
    rows = [re.sub(r"\s+", " ", unescape(re.sub("<.*?>", "", row))) for row in table.split("</tr>")[:-1]]
    assert ' ndcg_score ndcg_scorer "ndcg@10" Gain and rank ' in rows
    assert ' alpha_ndcg_score alpha_ndcg_scorer "alpha_ndcg@10" intents Several intents ' in rows
