"""The site of the docs: the reference lists all public names, and Sphinx builds it without warnings."""

import gzip
import inspect
import itertools
import re
from html.parser import HTMLParser
from importlib import import_module
from urllib.parse import unquote

import pytest

import sklearn_rank
from tests.helpers.naming import PUBLIC
from tests.helpers.pages import PAGES, ROOT, table_rows
from tests.helpers.site import list_pages
from tests.public_names import SUBPACKAGES

DOCS = ROOT / "docs"
REFERENCE = sorted((DOCS / "api").glob("*.md"))
LARGEST = (
    500_000  # bytes of a page without its images, and of a page with its scripts and styles after compression
)


# ---------------------------------------------------------------------------- the reference


def listed_names():
    """Return the names of the reference, in the order of its pages."""
    text = "\n".join(page.read_text() for page in REFERENCE)
    tables = re.findall(r"^\.\. autosummary::.*?^```", text, re.M | re.S)
    return re.findall(r"^   (sklearn_rank\S+)$", "\n".join(tables), re.M)


def public_names():
    """Return each public name with the package if it has the name, otherwise with its subpackage."""
    names = {f"sklearn_rank.{name}" for name in sklearn_rank.__all__}
    for subpackage in SUBPACKAGES:
        others = set(import_module(f"sklearn_rank.{subpackage}").__all__) - {*sklearn_rank.__all__}
        names |= {f"sklearn_rank.{subpackage}.{name}" for name in others}
    return names


def test_reference_lists_public_names_once():
    assert sorted(listed_names()) == sorted(public_names())


def test_reference_helper_lists_all_subpackages():
    assert {*SUBPACKAGES} == {*sklearn_rank._checks.SUBPACKAGES}


def test_reference_contents_list_all_pages():
    contents = (DOCS / "api" / "index.md").read_text()
    listed = " ".join(re.findall(r"```\{toctree\}.*?\n\n(.*?)```", contents, re.S)).split()
    assert sorted([*listed, "index"]) == sorted(page.stem for page in REFERENCE)


def test_reference_table_of_scorers_matches_get_scorer():
    rows = table_rows("api/scorers.md", "| name | factory")
    assert [row[0].strip('`"') for row in rows] == sklearn_rank.get_scorer_names()
    for name, call, _ in rows:
        made = eval(call.strip("`"), PUBLIC)
        assert made.metrics == sklearn_rank.get_scorer(name.strip('`"')).metrics
        assert made.options == sklearn_rank.get_scorer(name.strip('`"')).options


def test_site_contents_list_all_pages_once():
    listed = []
    for page in PAGES:
        for lines in re.findall(r"```\{toctree\}(.*?)```", page.read_text(), re.S):
            names = [re.sub(r".*<(.*)>", r"\1", line) for line in lines.splitlines()]
            listed += [page.parent / f"{name}.md" for name in names if name and name[0] != ":"]
    assert sorted(page for page in PAGES if page not in listed) == [ROOT / "README.md", DOCS / "index.md"]
    assert len({*listed}) == len(listed)


def documented():
    """Yield each public object, and the methods of the classes among them."""
    for name in public_names():
        subpackage, _, last = name.rpartition(".")
        try:
            value = getattr(import_module(subpackage), last)
        except ImportError:  # the library of the ranker is not installed
            assert subpackage == "sklearn_rank.rankers"
            continue
        yield value
        if inspect.isclass(value) and value.__module__.startswith("sklearn_rank"):
            yield from (each for key, each in vars(value).items() if callable(each) and key[0] != "_")


def test_references_page_has_all_titles_cited_in_docstrings():
    page = " ".join((DOCS / "references.md").read_text().split())
    cited = set()
    for value in documented():
        parts = re.split(r"\nReferences\n-+\n|\nSource: ", inspect.getdoc(value) or "")[1:]
        text = " ".join("\n".join(re.split(r"\n\w+\n-+\n", each)[0] for each in parts).split())
        cited |= {each for each in re.findall(r'"([^"]+)"', text) if " " in each}
    assert len(cited) > 25
    assert sorted(title for title in cited if f'"{title}"' not in page) == []


def test_citation_has_the_current_version():
    page = (DOCS / "citing.md").read_text()
    assert re.findall(r"^ *version(?:: | = \{)([\d.]+)", page, re.M) == [sklearn_rank.__version__] * 2


def test_glossary_is_in_alphabetical_order():
    words = [row[0] for row in table_rows("glossary.md", "| word")]
    assert words == sorted(words, key=str.lower)
    assert {"query", "group", "run", "judgment", "grade", "gain", "cutoff", "qrels"} <= {*words}


# ---------------------------------------------------------------------------- the build


class Page(HTMLParser):
    """Links, resources, anchors and headings of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors, self.without_alt = [], [], set(), []
        self.headings, self.in_article = [], False
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        self.in_article |= tag == "article"
        if self.in_article and re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "img" and given.get("alt") is None:
            self.without_alt.append(given.get("src"))
        if tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon", "shortcut icon"):
            self.loaded.append(given["href"])

    def handle_endtag(self, tag):
        self.in_article &= tag != "article"


@pytest.fixture(scope="module")
def pages(site):
    """Read the pages of the site."""
    return {site / name: Page(site / name) for name in list_pages(site)}


@pytest.mark.slow
def test_site_has_a_page_for_each_public_name(site):
    assert {path.stem for path in (site / "api" / "generated").glob("*.html")} == public_names()


@pytest.mark.slow
def test_site_pages_load_nothing_from_other_hosts(pages, site):
    assert {each for page in pages.values() for each in page.loaded if re.match(r"\w+:|//", each)} == set()
    styles = "\n".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", styles) == []


@pytest.mark.slow
def test_site_page_links_and_resources_exist(pages):
    broken = []
    for path, page in pages.items():
        for target in (*page.links, *page.loaded):
            if re.match(r"\w+:|//", target):
                continue
            file, _, anchor = unquote(target).partition("#")
            to = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not to.exists() or (anchor and to in pages and anchor not in pages[to].anchors):
                broken.append(f"{path.name}: {target}")
    assert broken == []


@pytest.mark.slow
def test_site_references_to_public_names_are_links(site):
    names = {name.rpartition(".")[2] for name in public_names()}
    unlinked = r'(?<!>)<code class="xref py [^"]*"><span class="pre">(\w+)(?:\(\))?</span></code>'
    pages = (site / "api" / "generated").glob("*.html")
    assert {
        (page.stem, each)
        for page in pages
        for each in re.findall(unlinked, page.read_text())
        if each in names
    } == set()


@pytest.mark.slow
def test_site_metric_names_are_not_turned_into_mail_links(pages):
    assert {each for page in pages.values() for each in page.links if each.startswith("mailto:")} == set()


@pytest.mark.slow
def test_site_images_have_alternative_text(pages):
    assert [f"{path.name}: {each}" for path, page in pages.items() for each in page.without_alt] == []


@pytest.mark.slow
def test_site_page_files_are_not_too_large(pages):
    assert {path.name for path in pages if path.stat().st_size > LARGEST} == set()


@pytest.mark.slow
def test_site_page_resources_are_not_too_large(pages):
    def pack(path):
        return len(gzip.compress(path.read_bytes()))

    def weigh(path, page):
        loaded = {(path.parent / each.partition("?")[0]).resolve() for each in page.loaded}
        return pack(path) + sum(pack(each) for each in loaded if each.suffix in (".css", ".js", ".woff2"))

    weights = {path.name: weigh(path, page) for path, page in pages.items()}
    assert min(weights.values()) > 50_000  # the theme is counted
    assert {name: weight for name, weight in weights.items() if weight > LARGEST} == {}


@pytest.mark.slow
def test_site_headings_are_in_order(pages):
    made_by_sphinx = {"genindex.html", "py-modindex.html", "search.html"}
    for path, page in pages.items():
        if path.name in made_by_sphinx:
            continue
        levels = page.headings
        assert levels[0] == 1, path.name
        assert levels.count(1) == 1, path.name
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), path.name


@pytest.mark.slow
def test_site_search_index_has_words_and_headings(site):
    index = (site / "searchindex.js").read_text()
    for word in ("ndcg", "earli", "stop"):  # stems
        assert re.search(rf'"?\b{word}"?:', index), word
    assert '"Early stopping"' in index


@pytest.mark.slow
@pytest.mark.parametrize("part", [r"<title>(.*?)</title>", r'<meta name="description" content="(.*?)"/>'])
def test_site_pages_have_unique_titles_and_descriptions(part, site):
    made_by_sphinx = ("_modules/", "genindex", "py-modindex", "search")
    pages = [site / page for page in list_pages(site) if not page.startswith(made_by_sphinx)]
    found = {page.name: re.findall(part, page.read_text(), re.S)[-1:] for page in pages}
    texts = [*found.values()]
    assert {name: text for name, text in found.items() if texts.count(text) > 1 or not text} == {}


@pytest.mark.slow
def test_site_pages_show_the_version(site):
    pages = [page for page in list_pages(site) if "_modules" not in page]
    header = re.compile(rf"navbar-brand.*?>sklearn_rank {re.escape(sklearn_rank.__version__)}<", re.S)
    assert [page for page in pages if not header.search((site / page).read_text())] == []


@pytest.mark.slow
def test_site_llms_txt_lists_all_pages_of_the_guide(site):
    text = (site / "llms.txt").read_text()
    assert text.startswith("# sklearn_rank\n\n> ")
    linked = re.findall(r"^- \[.+\]\((.+)\)$", text, re.M)
    assert [each for each in linked if not (site / each).exists()] == []
    pages = {f"_sources/{page.relative_to(DOCS)}.txt" for page in PAGES if page.is_relative_to(DOCS)}
    assert pages - {*linked} == set()
