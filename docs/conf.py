"""Configuration of Sphinx for these pages: `sphinx-build -W docs docs/_build`."""

import inspect
import re
import sys
from html import escape
from inspect import isclass
from pathlib import Path
from pydoc import locate
from textwrap import shorten

from docutils import nodes
from numpydoc.xref import DEFAULT_LINKS

import sklearn_rank

sys.path.insert(0, str(Path(__file__).parent))  # for the two extensions here

from site_links import OTHER_NAMES, PLACES, TARGETS

project = "sklearn_rank"
author = "sklearn_rank developers"
copyright = author
version = release = sklearn_rank.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "site_index",
    "site_links",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_codeautolink",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx_llms_txt",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
# The pages of execution times load scripts from other hosts.
exclude_patterns = ["_build", "**sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "literal"  # docstrings write `k` for a parameter

# Pages: links to headings are the same as in Markdown.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
# Prompts and results are shown in code blocks, but not copied.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# The reference: one page per name.
autosummary_generate = True
autodoc_typehints = "none"
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
toc_object_entries_show_parents = "hide"
# Classes in the types of parameters are links; `int` and other words of numpydoc are not.
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
CLASSES = {name: target for name, target in (OTHER_NAMES | TARGETS).items() if isclass(locate(target))}
numpydoc_xref_aliases = dict(zip(DEFAULT_LINKS, DEFAULT_LINKS)) | {
    name: f":obj:`{name} <{target}>`" for name, target in CLASSES.items()
}

# Names of other libraries, which `inventories` lists, link to their documentation.
ADDRESSES = {
    "catboost": "https://catboost.ai/docs",
    "joblib": "https://joblib.readthedocs.io/en/stable",
    "lightgbm": "https://lightgbm.readthedocs.io/en/stable",
    "matplotlib": "https://matplotlib.org/stable",
    "numpy": "https://numpy.org/doc/stable",
    "pandas": "https://pandas.pydata.org/docs",
    "python": "https://docs.python.org/3",
    "scipy": "https://docs.scipy.org/doc/scipy",
    "sklearn": "https://scikit-learn.org/stable",
    "xgboost": "https://xgboost.readthedocs.io/en/stable",
}
intersphinx_mapping = {name: (address, f"inventories/{name}.txt") for name, address in ADDRESSES.items()}

# Names in code blocks are links too. The blocks of a page are one program.
codeautolink_concat_default = True
codeautolink_inventory_map = PLACES

# Examples named plot_*.py are run; the others are only shown.
sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["auto_examples"],
    "backreferences_dir": "auto_examples/backlinks",
    "doc_module": ("sklearn_rank",),
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
html_favicon = "_static/icon.svg"  # without an icon, browsers request /favicon.ico
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["filter.js", "toggles.js"]
html_copy_source = True  # llms.txt links to the Markdown files
html_show_sourcelink = False
llms_txt_uri_template = "_sources/{docname}{suffix}{sourcelink_suffix}"
llms_txt_exclude = ["api/generated/*", "genindex", "py-modindex", "search"]
html_context = {"default_mode": "auto"}  # light or dark, like the reader's system
html_theme_options = {
    "logo": {"text": f"sklearn_rank {release}"},
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "navigation_with_keys": False,
}


def find_home(obj):
    """Return the name of the module that defines an attribute of a class."""
    obj = getattr(obj, "fget", None) or inspect.unwrap(obj)
    owner = getattr(obj, "__objclass__", type(obj))
    return getattr(obj, "__module__", None) or owner.__module__


def skip_inherited(app, what, name, obj, skip, options):
    """Skip members that are inherited from other libraries, which document them."""
    return None if find_home(obj).startswith("sklearn_rank") else True


def hide_constructor(app, what, name, obj, options, signature, result):
    """Hide the constructor of a class that only functions make: it describes no parameters."""
    is_result = what == "class" and "\nParameters\n---" not in (inspect.getdoc(obj) or "")
    return ("", result) if is_result else None


def end_blocks(app, name, source):
    """Remove the empty line at the end of a code block, which only doctest needs."""
    source[0] = re.sub(r"\n\n```$", "\n```", source[0], flags=re.MULTILINE)


def skip_gallery(app, name, source):
    """Leave the code of the gallery to its own extension, which links names too."""
    if name.startswith("auto_examples/"):
        source[0] = source[0].replace("\n.. GENERATED", "\n.. autolink-skip:: file\n\n.. GENERATED", 1)


TWO_COLUMNS = re.compile(r"<!-- there -->\n(.*?)<!-- here -->\n(.*?)<!-- end -->", re.DOTALL)
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


def set_two_columns(app, name, source):
    """Show another library's code next to ours, and hide the table of contents to make room.

    In the Markdown page, one is below the other.
    """
    if TWO_COLUMNS.search(source[0]):
        source[0] = (
            f"---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n{TWO_COLUMNS.sub(GRID, source[0])}"
        )


def resolve_name(app, env, node, content):
    """Link a name without a module to its page, in any module."""
    if node.get("refdomain") != "py" or "." in node["reftarget"]:
        return None
    node["refspecific"] = True  # search all modules
    domain, page = env.get_domain("py"), node["refdoc"]
    return domain.resolve_xref(env, page, app.builder, node["reftype"], node["reftarget"], node, content)


def describe_page(app, name, template, context, doctree):
    """Make the first paragraph the description of a page, which searches of the web show."""
    paragraphs = doctree.findall(nodes.paragraph) if doctree is not None else ()
    outside = (each for each in paragraphs if not isinstance(each.parent, nodes.entry | nodes.Admonition))
    first = next(outside, None)
    text = f"{context.get('title')} of sklearn_rank" if first is None else first.astext()
    text = escape(shorten(text, 200, placeholder=" ..."))
    context["metatags"] = context.get("metatags", "") + f'<meta name="description" content="{text}"/>\n'


WIDE_ROW = re.compile(r"^(?!>>> |\.\.\. )(?=.{93}).*\S {2,}\S.* {2,}\S", re.MULTILINE)


def mark_wide_output(app, doctree):
    """Mark the blocks that show a wide printed table, which gets smaller letters."""
    for block in doctree.findall(nodes.literal_block):
        if WIDE_ROW.search(block.astext()):
            block["classes"].append("wide")


def unlink_mails(app, doctree):
    """Remove the links from names such as ndcg@10, which docutils takes for mail addresses."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def setup(app):
    """Register the functions above."""
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("autodoc-process-signature", hide_constructor)
    app.connect("source-read", set_two_columns)
    app.connect("source-read", end_blocks)
    app.connect("source-read", skip_gallery)
    app.connect("html-page-context", describe_page)
    app.connect("missing-reference", resolve_name)
    app.connect("doctree-read", unlink_mails)
    app.connect("doctree-read", mark_wide_output)
