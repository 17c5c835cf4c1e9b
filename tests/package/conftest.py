"""The built site, which several test files inspect."""

import os
from pathlib import Path

import pytest

from tests.helpers.site import build, make_once

# Packages that the extra `docs` installs.
NEEDS = ("sphinx", "myst_parser", "numpydoc", "pydata_sphinx_theme", "sphinx_codeautolink")
NEEDS += ("sphinx_copybutton", "sphinx_design", "sphinx_gallery", "sphinx_llms_txt")
NEEDS += ("matplotlib", "pandas", "lightgbm", "xgboost", "catboost")


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Build the site, unless SITE is the folder of a site that was just built."""
    if "SITE" in os.environ:
        return Path(os.environ["SITE"])
    for package in NEEDS:
        pytest.importorskip(package)
    return make_once(tmp_path_factory, "site", build) / "built"
