"""The built site and a browser for its pages, made once per session for all workers."""

import fcntl
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import sklearn_rank
from tests.helpers.pages import BUILT, ROOT

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
LEFT = "net::ERR_ABORTED"  # a request that was canceled by the next page
# Rules of axe that are ignored: Sphinx writes parameters of long signatures as descriptions without a term,
# and the corner of a table may be empty.
IGNORED_RULES = ("definition-list", "empty-table-header")
RUN_AXE = """([rules, colors]) => axe.run(document, {
    resultTypes: ["violations"], preload: false,
    ...(rules ? {rules: Object.fromEntries(rules.map(each => [each, {enabled: false}]))}
              : {runOnly: ["color-contrast"]}),
}).then(found => found.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html}`)))"""
# The theme reacts to the colors of the system with a delay.
THEME = """() => new Promise(done => {
    const look = left => {
        const theme = document.documentElement.dataset.theme;
        theme === "dark" || !left ? done(theme) : setTimeout(look, 20, left - 1);
    };
    look(250);
})"""
MEASURE_SIZE = """() => performance.getEntries()
    .filter(each => ["navigation", "resource"].includes(each.entryType) && each.initiatorType !== "img")
    .reduce((sum, each) => sum + each.encodedBodySize, 0)"""

# Blocks of code that scroll, and tables that are wider than their box if the box does not scroll.
FIND_WIDE = """() => [
    [...document.querySelectorAll(".bd-article pre")].filter(each => each.scrollWidth > each.clientWidth),
    [...document.querySelectorAll(".bd-article table:not(.genindextable)")].filter(each => {
        const box = each.parentElement;
        return each.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "auto";
    }),
].map(found => found.map(each => each.textContent.slice(0, 60)))"""


def make_once(factory, name, make):
    """Return a folder that `make` fills, once in a session."""
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, done = shared / name, shared / f"{name}.done"
    with open(shared / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def build(root):
    """Build the site from a copy, so that the checkout does not change."""
    shutil.copytree(ROOT / "docs", root / "docs", ignore=shutil.ignore_patterns(*BUILT))
    for name in ("README.md", "examples", "tests"):  # targets of links
        (root / name).symlink_to(ROOT / name)
    home = str(Path(sklearn_rank.__file__).parents[1])
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", root / "docs", root / "built"],
        env=os.environ | {"PYTHONPATH": home, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr


def list_pages(site):
    """Return the relative addresses of the pages, without the templates of the theme."""
    found = (path.relative_to(site) for path in site.rglob("*.html"))
    return sorted(path.as_posix() for path in found if "_static" not in path.parts)


class CompressingHandler(SimpleHTTPRequestHandler):
    """A handler that serves a folder with compressed text, as web servers do, and writes no log."""

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".html", ".css", ".js", ".svg") or not path.is_file():
            return super().do_GET()
        compressed = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(compressed)))
        self.end_headers()
        self.wfile.write(compressed)

    def log_message(self, *_):
        pass


@contextmanager
def serve(site):
    """Serve the site locally, and yield the address that all its pages begin with."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(CompressingHandler, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@contextmanager
def start_browser(sync_playwright):
    """Start the installed browser, or yield None if there is none."""
    with sync_playwright() as playwright:
        paths = [*map(shutil.which, BROWSERS), playwright.chromium.executable_path]
        path = next((each for each in paths if each and Path(each).exists()), None)
        browser = path and playwright.chromium.launch(executable_path=path)
        yield browser
        if browser:
            browser.close()


def open_page(browser, address, problems, **options):
    """Return an empty page that appends its errors and its requests to other hosts to `problems`."""
    page = browser.new_page(reduced_motion="reduce", **options)
    page.on("console", lambda each: each.type == "error" and problems.append(each.text))
    page.on("pageerror", lambda each: problems.append(str(each)))
    page.on("requestfailed", lambda each: each.failure != LEFT and problems.append(f"failed: {each.url}"))
    page.on("response", lambda each: each.status >= 400 and problems.append(f"{each.status}: {each.url}"))
    page.on("request", lambda each: is_ours(each.url, address) or problems.append(f"elsewhere: {each.url}"))
    return page


def is_ours(url, address):
    """Return whether an address belongs to the site or to the page itself."""
    return url.startswith(address) or re.match("(data|blob|about):", url)


def visit(browser, address, names, axe_script, folder):
    """Open all pages and save what was found: problems, violations of axe, theme, width and size."""
    found, problems = {}, []
    page = open_page(browser, address, problems, color_scheme="light")
    n_generated = 0
    for name in names:
        problems.clear()
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(DESKTOP)
        page.goto(address + name)
        size = page.evaluate(MEASURE_SIZE)
        wide_code, _ = page.evaluate(FIND_WIDE)
        page.evaluate(axe_script)
        # One template makes all pages of names or of source code, and the check of colors is the slowest.
        is_generated = "generated/" in name or "_modules/" in name
        n_generated += is_generated
        colors = not is_generated or n_generated % 10 == 1
        violations = page.evaluate(
            RUN_AXE, [[*IGNORED_RULES, *([] if colors else ["color-contrast"])], colors]
        )
        page.emulate_media(color_scheme="dark")
        theme = page.evaluate(THEME)
        if colors:
            violations += [f"dark: {each}" for each in page.evaluate(RUN_AXE, [None, True])]
        blank = page.evaluate("[...document.images].filter(e => !e.naturalWidth).map(e => e.src)")
        page.set_viewport_size(PHONE)
        width = page.evaluate("document.documentElement.scrollWidth")
        _, wide_tables = page.evaluate(FIND_WIDE)
        all_problems = [*problems, *(f"missing image: {each}" for each in blank)]
        found[name] = {
            "problems": all_problems,
            "violations": violations,
            "theme": theme,
            "width": width,
            "size": size,
            "wide_code": wide_code,
            "wide_tables": wide_tables,
        }
    page.close()
    (folder / "found.json").write_text(json.dumps(found))
