"""What the repository asks of those who report and contribute, and what it does by itself."""

import re
import tomllib

import pytest

import sklearn_rank
from tests.helpers.pages import ROOT

GITHUB = ROOT / ".github"
FILES = sorted(path for path in GITHUB.rglob("*") if path.suffix in (".yml", ".md"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def read_yaml(path):
    return pytest.importorskip("yaml").safe_load(path.read_text())


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_code_and_has_names_that_differ(path):
    form = read_yaml(path)
    assert {"name", "description", "body"} <= {*form}
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert all(each["attributes"]["label"] for each in fields)
    assert len({each["id"] for each in fields}) == len(fields)
    assert "python" in {each["attributes"].get("render") for each in fields}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_pages_and_scripts_that_are_named_exist(path):
    for name in re.findall(r"(?:docs|examples|tests)/[\w/]+\.\w+", path.read_text()):
        assert (ROOT / name).exists()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_of_others_are_fixed_to_a_commit(path):
    used = [
        step["uses"] for job in read_yaml(path)["jobs"].values() for step in job["steps"] if "uses" in step
    ]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each) for each in used)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_read_the_repository_alone_unless_they_say_more(path):
    assert read_yaml(path)["permissions"] == {"contents": "read"}


def test_the_workflow_tests_environments_that_tox_has():
    rows = read_yaml(GITHUB / "workflows" / "tests.yml")["jobs"]["versions"]["strategy"]["matrix"]["include"]
    assert {row["environment"] for row in rows} <= {*PROJECT["tool"]["tox"]["env"]}


def test_the_version_is_the_same_everywhere():
    assert PROJECT["project"]["version"] == sklearn_rank.__version__


def test_what_is_uploaded_is_built_and_checked_as_tox_does():
    steps = read_yaml(GITHUB / "workflows" / "release.yml")["jobs"]["release"]["steps"]
    ran = "\n".join(step.get("run", "") for step in steps)
    environment = PROJECT["tool"]["tox"]["env"]["package"]
    for words in environment["commands"]:
        assert " ".join(words[: 4 if "twine" in words else 3]) in ran
    assert all(f'"{each}"' in ran or f" {each} " in ran for each in environment["deps"])
