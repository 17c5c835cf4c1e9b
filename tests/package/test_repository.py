"""Issue forms, workflows and versions of the repository."""

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
def test_issue_forms_ask_for_code_and_have_distinct_ids(path):
    form = read_yaml(path)
    assert {"name", "description", "body"} <= {*form}
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert all(each["attributes"]["label"] for each in fields)
    assert len({each["id"] for each in fields}) == len(fields)
    assert "python" in {each["attributes"].get("render") for each in fields}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_github_files_name_existing_paths(path):
    for name in re.findall(r"(?:docs|examples|tests)/[\w/]+\.\w+", path.read_text()):
        assert (ROOT / name).exists()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflow_actions_are_pinned_to_a_commit(path):
    used = [
        step["uses"] for job in read_yaml(path)["jobs"].values() for step in job["steps"] if "uses" in step
    ]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", each) for each in used)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_read_permission_only(path):
    assert read_yaml(path)["permissions"] == {"contents": "read"}


def test_workflow_matrix_lists_environments_of_tox():
    rows = read_yaml(GITHUB / "workflows" / "tests.yml")["jobs"]["versions"]["strategy"]["matrix"]["include"]
    assert {row["environment"] for row in rows} <= {*PROJECT["tool"]["tox"]["env"]}


def test_version_matches_pyproject():
    assert PROJECT["project"]["version"] == sklearn_rank.__version__


def test_release_workflow_runs_the_commands_of_tox():
    steps = read_yaml(GITHUB / "workflows" / "release.yml")["jobs"]["release"]["steps"]
    ran = "\n".join(step.get("run", "") for step in steps)
    environment = PROJECT["tool"]["tox"]["env"]["package"]
    for words in environment["commands"]:
        assert " ".join(words[: 4 if "twine" in words else 3]) in ran
    assert all(f'"{each}"' in ran or f" {each} " in ran for each in environment["deps"])
