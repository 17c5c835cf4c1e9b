"""Every code block of the README and the docs runs and prints what stands below it."""

import doctest
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_prints_what_stands_below_it(page):
    code = "\n".join(BLOCK.findall(page.read_text()))
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    report = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert results.failed == 0, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_is_written_as_doctest_finds_it(page):
    for block in BLOCK.findall(page.read_text()):
        assert block.startswith(">>> ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_pages(page):
    for target in re.findall(r"\]\(([^)#:]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_first_screen_shows_what_the_library_does():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert any("pip install" in line for line in lines[:8])
    assert any(line.startswith("array(") for line in lines[:15])
    assert any("GridSearchCV(" in line for line in lines[:35])


def test_the_quick_start_prints_its_table(capsys):
    runpy.run_path(str(ROOT / "examples" / "quickstart.py"), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "9600 documents of 240 queries, 12 features"
    names = [line.split("  ")[0] for line in printed[-3:]]
    assert names == ["Ridge", "Ridge, best of the grid", "Gradient boosting"]
    assert "nan" not in printed[-1]
