"""Links that the pages get when they are built.

Public names in code font link to the reference, the names of `inventories` to the documentation of their
library, titles of papers to their DOI, and each page of the reference to the pages of the guide that mention
its name.
"""

import re
from collections import Counter
from importlib import import_module
from inspect import isclass, isroutine
from pathlib import Path
from pydoc import locate

from docutils import nodes
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - links lead to these searches
from sphinx import addnodes

import sklearn_rank
from sklearn_rank._checks import SUBPACKAGES

# Files of names of other libraries, as Sphinx reads them: name, kind and page.
INVENTORIES = Path(__file__).parent / "inventories"
REFERENCE = "api/generated/"
NAME = re.compile(r"([A-Za-z_][\w.]*)(\(.*\))?", re.DOTALL)  # a name, or a call
WORD = re.compile("[a-z]+")  # such as `compare`, which can also mean a method or a command
NOT_THE_GUIDE = ("api/", "auto_examples/", "changelog", "references", "speed", "trust")
BACK = re.compile(REFERENCE + r"([\w.]+)\.html#([\w.]+)")  # viewcode takes one module for all names of a file
MOST_PAGES = 5  # of the guide, on a page of the reference


def list_targets():
    """Return the name of each page of the reference by public name."""
    targets = {}
    for subpackage in SUBPACKAGES:
        names = import_module(f"sklearn_rank.{subpackage}").__all__
        targets |= {name: f"sklearn_rank.{subpackage}.{name}" for name in names}
    return targets | {name: f"sklearn_rank.{name}" for name in sklearn_rank.__all__}


def read_dois():
    """Return the DOI of each paper by title."""
    lines = (Path(__file__).parent / "dois.txt").read_text().splitlines()
    return dict(reversed(line.split(maxsplit=1)) for line in lines)


def list_other_names():
    """Return the names of other libraries by themselves, and by their last part if it is not a word."""
    lines = [line for file in INVENTORIES.glob("*.txt") for line in file.read_text().splitlines()[3:]]
    names = [name for name, kind, _ in map(str.split, lines) if kind != "method"]
    lasts = {name.rpartition(".")[2]: name for name in names}
    lasts = {last: name for last, name in lasts.items() if last not in TARGETS and not WORD.fullmatch(last)}
    return lasts | {line.split()[0]: line.split()[0] for line in lines}


def list_places():
    """Return the public name of each function, class and member of a class by its place in the code."""
    places = {}
    for name in {*TARGETS.values(), *OTHER_NAMES.values()}:
        value = locate(name)
        if isclass(value) or isroutine(value):
            place = f"{value.__module__}.{value.__qualname__}"
            members = vars(value) if isclass(value) else ()
            places |= {place: name} | {f"{place}.{each}": f"{name}.{each}" for each in members}
    return places


TARGETS = list_targets()
OTHER_NAMES = list_other_names()
PLACES = list_places()
DOIS = read_dois()
APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
TITLES = "|".join(map(re.escape, DOIS)).replace("'", f"['{APOSTROPHE}]")
QUOTED = re.compile(f'["“]({TITLES})["”]')


def find_target(text):
    """Return the full name that a text in code font means, or None."""
    match = NAME.fullmatch(text)
    if match is None:
        return None
    name = match[1]
    if name.startswith("sklearn_rank."):
        return name if name in TARGETS.values() else None
    first, dot, rest = name.partition(".")
    return TARGETS[first] + dot + rest if first in TARGETS else OTHER_NAMES.get(name)


def link_names(app, doctree):
    """Link public names in code font to the reference, and count them."""
    page = app.env.docname
    found = Counter()
    for literal in list(doctree.findall(nodes.literal)):
        target = find_target(literal.astext())
        if target is None or page == REFERENCE + target:
            continue
        if WORD.fullmatch(literal.astext()) and page.startswith((REFERENCE, "command_line")):
            continue
        found[target] += 1
        if not any(_is_linked(each) for each in _list_parents(literal)):
            kind = {"refdomain": "py", "reftype": "obj", "refexplicit": True, "refwarn": False}
            link = addnodes.pending_xref("", refdoc=page, reftarget=target, **kind)
            literal.replace_self(link)
            link += literal
    if not page.startswith(NOT_THE_GUIDE):
        app.env.metadata[page]["mentioned"] = found


def _is_linked(node):
    """Return whether a node is a link, or a title, which the contents show too."""
    return isinstance(node, nodes.reference | nodes.title | addnodes.pending_xref)


def _list_parents(node):
    """Yield the nodes around a node."""
    while node.parent is not None:
        node = node.parent
        yield node


def link_papers(app, doctree):
    """Link the titles of papers to their DOI."""
    page = app.env.docname
    if page != "references" and not page.startswith(REFERENCE):
        return
    for text in list(doctree.findall(nodes.Text)):
        parts = QUOTED.split(str(text))
        if len(parts) == 1 or any(map(_is_linked, _list_parents(text))):
            continue
        linked = []
        for i, part in enumerate(parts):
            if i % 2 == 0:
                linked.append(nodes.Text(part))
                continue
            address = "https://doi.org/" + DOIS[part.replace(APOSTROPHE, "'")]
            linked += [nodes.Text("“"), nodes.reference("", part, refuri=address), nodes.Text("”")]
        text.parent.replace(text, linked)


def link_guide(app, doctree, page):
    """List the pages of the guide that mention the name of a page of the reference."""
    if not page.startswith(REFERENCE):
        return
    name = page.removeprefix(REFERENCE)
    counts = Counter()
    for guide, metadata in app.env.metadata.items():
        mentioned = metadata.get("mentioned", {})
        counts[guide] = sum(n for each, n in mentioned.items() if f"{each}.".startswith(f"{name}."))
    pages = [guide for guide, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])) if count]
    if not pages:
        return
    paragraph = nodes.paragraph("", "In the guide: ", classes=["in-the-guide"])
    for i, guide in enumerate(pages[:MOST_PAGES]):
        address = app.builder.get_relative_uri(page, guide)
        paragraph += nodes.Text(", " * (i > 0))
        paragraph += nodes.reference("", app.env.titles[guide].astext(), refuri=address, internal=True)
    paragraph += nodes.Text(".")
    doctree[0] += paragraph


def link_source(app, page, template, context, doctree):
    """Link source code to the names in the reference."""

    def correct(match):
        name, anchor = match[1], match[2]
        return f"{REFERENCE}{name}.html#{name}{anchor.partition('.' + name.rpartition('.')[2])[2]}"

    if page.startswith("_modules/"):
        context["body"] = BACK.sub(correct, context["body"])


def setup(app):
    """Register the functions above."""
    app.connect("doctree-read", link_names)
    app.connect("doctree-read", link_papers)
    app.connect("doctree-resolved", link_guide)
    app.connect("html-page-context", link_source)
    return {"parallel_read_safe": True, "version": sklearn_rank.__version__}
