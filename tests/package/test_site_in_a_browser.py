"""The site in Chromium, with its scripts and styles applied."""

import json
import re

import pytest

from tests.helpers.site import DESKTOP, PHONE, list_pages, make_once, open_page, serve, start_browser, visit

pytestmark = pytest.mark.slow
LARGEST = 500_000  # bytes of a page with scripts, styles and fonts, as transferred, without images


@pytest.fixture(scope="module")
def browser():
    """Start Chromium or Chrome."""
    sync_playwright = pytest.importorskip("playwright.sync_api").sync_playwright
    with start_browser(sync_playwright) as browser:
        if browser is None:
            pytest.skip("Chromium or Chrome is not installed")
        yield browser


@pytest.fixture(scope="module")
def address(site):
    """Serve the site."""
    with serve(site) as address:
        yield address


@pytest.fixture(scope="module")
def found(site, browser, address, tmp_path_factory):
    """Open each page, on a desktop and a phone, light and dark."""
    script = pytest.importorskip("axe_playwright_python.sync_playwright").Axe().axe_script

    def visit_pages(folder):
        visit(browser, address, list_pages(site), script, folder)

    return json.loads((make_once(tmp_path_factory, "visited", visit_pages) / "found.json").read_text())


@pytest.fixture
def page(browser, address):
    """Open an empty page of a desktop in light colors; problems on it fail the test."""
    problems = []
    page = open_page(browser, address, problems, color_scheme="light", viewport=DESKTOP)
    yield page
    page.close()
    assert problems == []


def list_unexpected(found, key, expected):
    """Return the pages on which a value is not the expected one."""
    return {name: each[key] for name, each in found.items() if each[key] != expected}


def test_site_pages_load_without_errors_or_other_hosts(found, site):
    assert [*found] == list_pages(site)
    assert list_unexpected(found, "problems", []) == {}


def test_site_pages_are_not_wider_than_a_phone(found):
    assert list_unexpected(found, "width", PHONE["width"]) == {}


def test_site_code_does_not_scroll_sideways_on_a_desktop(found):
    assert list_unexpected(found, "wide_code", []) == {}


def test_site_tables_fit_or_scroll_in_place_on_a_phone(found):
    assert list_unexpected(found, "wide_tables", []) == {}


def test_site_pages_follow_the_dark_theme_of_the_system(found):
    assert list_unexpected(found, "theme", "dark") == {}


def test_site_pages_have_no_accessibility_violations(found):
    assert list_unexpected(found, "violations", []) == {}


def test_site_pages_transfer_at_most_500_kb(found):
    sizes = {name: each["size"] for name, each in found.items()}
    assert min(sizes.values()) > 100_000  # the theme is counted
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}


@pytest.mark.parametrize(
    ("words", "title"), [("ndcg", "ndcg_score"), ("early stopping", "Rankers > Early stopping")]
)
def test_site_search_finds_names_and_headings(words, title, page, address):
    page.goto(address)
    page.locator(".search-button__button:visible").first.click()
    field = page.locator("input[type=search]:focus")
    field.fill(words)
    field.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    page.locator("#search-results li > a", has_text=title).first.wait_for()
    assert "found" in page.get_by_text(re.compile("^Search finished")).inner_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("kaggle", "faq.html"),
        ("install", "install.html"),
        ("p value", "decisions.html"),
        ("mean average precision", "api/generated/sklearn_rank.map_score.html"),
        ("groups", "scikit_learn.html"),
        ("lightgbm", "lightgbm.html"),
        ("early stopping", "rankers.html"),
        ("recommender", "recommenders.html"),
        ("cross validation", "scikit_learn.html"),
        ("save model", "saving.html"),
        ("unjudged", "arguments.html"),
        ("ndcg", "api/generated/sklearn_rank.ndcg_score.html"),
    ],
)
def test_site_search_lists_the_expected_page_among_the_first_three(words, expected, page, address):
    page.goto(f"{address}search.html?q={words}")
    page.get_by_text(re.compile("^Search finished")).wait_for()
    results = page.locator("#search-results li > a").all()[:3]
    addresses = [each.get_attribute("href").partition("#")[0] for each in results]
    assert expected in addresses


@pytest.mark.parametrize(
    ("name", "first"), [("decisions.html", "from "), ("command_line.html", "sklearn-rank ")]
)
def test_site_copies_code_without_prompts_and_output(name, first, page, address):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address + name)
    block = page.locator("div.highlight", has_text="queries").first
    shown = block.locator("pre").inner_text()
    block.hover()
    block.locator("button.copybtn").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(first)
    lines = [line[4:] for line in shown.splitlines() if line[:4] in (">>> ", "... ")]
    lines = lines or [line[2:] for line in shown.splitlines() if line[:2] == "$ "]
    assert copied.splitlines() == lines


def test_site_keeps_the_chosen_theme_across_pages(page, address):
    for mode, then in (("Dark", "user_guide.html"), ("Light", "api/index.html")):
        page.goto(address)
        page.get_by_role("button", name="Color mode").locator("visible=true").click()
        page.get_by_role("button", name=mode).locator("visible=true").click()
        page.goto(address + then)
        assert page.evaluate("document.documentElement.dataset.theme") == mode.lower()


def test_site_table_is_filtered_by_typed_text(page, address):
    page.goto(address + "api/scorers.html")
    page.get_by_label("Filter the rows of the table below").first.fill("NDCG@10")
    rows = page.locator(".searchable tbody tr:visible").all_inner_texts()
    assert rows
    assert all("ndcg@10" in each.lower() for each in rows)
