"""How Sphinx makes the site of these pages: `sphinx-build -W docs docs/_build`."""

import inspect
import re
from pathlib import Path

from docutils import nodes

import sklearn_rank

project = "sklearn_rank"
author = "sklearn_rank developers"
copyright = author
version = release = sklearn_rank.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
# The pages of times load scripts of other hosts.
exclude_patterns = ["_build", "**sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "literal"  # docstrings write `k` for a parameter

# Pages: links to headings are those that the pages have where they are read as Markdown.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
# Prompts and results stay in the blocks, and are left out of what is copied.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# The reference: a page for each name.
autosummary_generate = True
autodoc_typehints = "none"
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"

# Examples named plot_*.py are run, the others are shown.
sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["auto_examples"],
    "filename_pattern": r"[/\\]plot_",
    "default_thumb_file": str(Path(__file__).parent / "pictures" / "printed.png"),
    "download_all_examples": False,
    "show_memory": False,
    "within_subsection_order": "FileNameSortKey",
    "show_signature": False,
    "abort_on_example_error": True,
    "plot_gallery": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "sklearn_rank"
html_favicon = "_static/icon.svg"  # without one, browsers ask for /favicon.ico
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["filter.js", "toggles.js"]
html_copy_source = False
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "navigation_with_keys": False,
}


def find_home(obj):
    """Return the name of the module that an attribute of a class comes from."""
    obj = getattr(obj, "fget", None) or inspect.unwrap(obj)
    owner = getattr(obj, "__objclass__", type(obj))
    return getattr(obj, "__module__", None) or owner.__module__


def skip_of_others(app, what, name, obj, skip, options):
    """Leave out what classes have from scikit-learn and other libraries: it is described there."""
    return None if find_home(obj).startswith("sklearn_rank") else True


def end_blocks(app, name, source):
    """Leave out the empty line at the end of a block, by which doctest knows where a result ends."""
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


BESIDE = re.compile(r"<!-- there -->\n(.*?)<!-- here -->\n(.*?)<!-- end -->", re.DOTALL)
GRID = "\n".join(
    [
        "::::{grid} 1 1 1 2",
        ":gutter: 2",
        ":class-container: beside",
        ":::{grid-item}",
        r"\1",
        ":::",
        ":::{grid-item}",
        r"\2",
        ":::",
        "::::",
    ]
)


def set_beside(app, name, source):
    """Set another library's code beside ours, without the contents of the page, which take their place.

    In the page as it is they stand one below the other.
    """
    if BESIDE.search(source[0]):
        source[0] = f"---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n{BESIDE.sub(GRID, source[0])}"


def resolve_name(app, env, node, content):
    """Link a name without a module to its page, in whichever module it is public."""
    if node.get("refdomain") != "py" or "." in node["reftarget"]:
        return None
    node["refspecific"] = True  # search all modules
    domain, page = env.get_domain("py"), node["refdoc"]
    return domain.resolve_xref(env, page, app.builder, node["reftype"], node["reftarget"], node, content)


def drop_mails(app, doctree):
    """Leave names such as ndcg@10 as they are: docutils takes them for addresses of mail."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def setup(app):
    """Register what decides on members and links, and what pages become before they are read."""
    app.connect("autodoc-skip-member", skip_of_others)
    app.connect("source-read", set_beside)
    app.connect("source-read", end_blocks)
    app.connect("missing-reference", resolve_name)
    app.connect("doctree-read", drop_mails)
