"""Search words of pages, and the tables and contents of the reference by task."""

import inspect
import re
from collections import Counter
from pathlib import Path
from pydoc import locate

from sphinx import addnodes

from sklearn_rank.metrics import METRICS

DOCS = Path(__file__).parent


def read_words():
    """Return what people type to find a page, by page."""
    lines = (DOCS / "search_words.txt").read_text().splitlines()[2:]
    pages = (line.partition(": ") for line in lines)
    return {page: words.split(", ") for page, _, words in pages}


WORDS = read_words()


def add_words(app, doctree):
    """Put a page before all others in the search for its words."""
    words = WORDS.get(app.env.docname)
    if words:
        doctree[0] += addnodes.index(entries=[("single", word, "", "main", None) for word in words])


def list_sections():
    """Return the public names of each section of the reference, by (page, title)."""
    sections = {}
    for page in re.findall(r"^(\w+)$", (DOCS / "api" / "index.md").read_text(), re.M):
        first, *parts = re.split(r"^## (.*)$", (DOCS / "api" / f"{page}.md").read_text(), flags=re.M)
        title = first.partition("\n")[0].removeprefix("# ")
        for section, text in zip([title, *parts[::2]], [first, *parts[1::2]]):
            sections[page, section] = re.findall(r"^   (sklearn_rank\S+)$", text, re.M)
    return sections


def list_metrics():
    """Return the rows of the table of metrics: metric, scorer, name, needs and task."""
    known = {
        metric.function.__name__: metric for metric in METRICS.values() if not metric.only_in_other_libraries
    }
    for (page, section), names in list_sections().items():
        for metric in (known.get(name.rpartition(".")[2]) for name in names):
            if metric is None:
                continue
            name = f"{metric.prefix}{metric.stem}{'' if metric.cutoff == 'none' else '@10'}"
            yield (
                f"`{metric.function.__name__}`",
                f"`{metric.factory.__name__}`",
                f'`"{name}"`' if metric.named else "",
                ", ".join(f"`{each}`" for each in metric.needs),
                link_section(page, section),
            )


def list_names():
    """Return the rows of the table of all names: name, what it is, and the section that lists it."""
    for (page, section), names in list_sections().items():
        for name in names:
            last = name.rpartition(".")[2]
            text = "" if last.isupper() else inspect.getdoc(locate(name)) or ""
            summary = " ".join(text.partition("\n\n")[0].split())
            yield (
                f"`{last}`",
                re.sub(r":\w+:|``", "", summary).replace("|", r"\|"),
                link_section(page, section),
            )


def link_section(page, section):
    """Return a link to a section of the reference."""
    anchor = re.sub(r"[^\w -]", "", section.lower()).replace(" ", "-")
    return f"[{section}]({page}.md#{anchor})"


MARKS = {"<!-- table of metrics -->": list_metrics, "<!-- table of names -->": list_names}


def fill_tables(app, page, source):
    """Replace the marks of the tables by their rows."""
    for mark, list_rows in MARKS.items():
        if mark in source[0]:
            rows = [f"| {' | '.join(row)} |" for row in list_rows()]
            source[0] = source[0].replace(mark, "\n".join(rows))


def list_groups():
    """Return the title of a section by its first name, if the page has several sections with names."""
    sections = {key: names for key, names in list_sections().items() if names}
    pages = Counter(page for page, _ in sections)
    return {names[0]: title for (page, title), names in sections.items() if pages[page] > 1}


GROUPS = list_groups()


def group_contents(app, page, template, context, doctree):
    """Put the titles of sections above their names in the contents of the reference."""
    if not page.startswith("api/"):
        return
    make = context["generate_toctree_html"]

    def make_grouped(*args, **kwargs):
        html = str(make(*args, **kwargs))
        for name, title in GROUPS.items():
            address = "#" if page == f"api/generated/{name}" else rf'[^"]*\b{re.escape(name)}\.html'
            item = rf'(?=<li class="[^"]*"><a [^>]*href="{address}">)'
            html = re.sub(item, f'<li class="group">{title}</li>\n', html, count=1)
        return html

    context["generate_toctree_html"] = make_grouped


def setup(app):
    """Register the functions above."""
    app.connect("html-page-context", group_contents, priority=900)  # after the theme
    app.connect("source-read", fill_tables)
    app.connect("doctree-read", add_words)
    return {"parallel_read_safe": True}
