"""environment.yml says the same as pyproject.toml, in conda's words, and is what Binder would build from.

No conda runs here: rattler, conda's own parser of ranges, reads the lines, and repo2docker, which is what Binder runs,
shows the build that it would make.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from rattler import MatchSpec

ROOT = Path(__file__).parent.parent
ENVIRONMENT = ROOT / "environment.yml"
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # what is called otherwise in conda-forge
NEEDED_FOR_TESTING = {"nbval"}
UNCOPIED = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", ".ipynb_checkpoints")


def project():
    """Return pyproject.toml, parsed."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def conda_lines():
    """Return the lines for conda, such as ``jupyterlab >=4.4,<5``; the one for pip is none of them."""
    dependencies = yaml.safe_load(ENVIRONMENT.read_text(encoding="utf-8"))["dependencies"]
    return [line for line in dependencies if isinstance(line, str)]


def ranges_of_conda():
    """Return the parts of each range by name, but for Python and pip, which pyproject.toml does not list."""
    ranges = {line.split()[0]: set(MatchSpec(line, strict=True).version.split(",")) for line in conda_lines()[1:-1]}
    return dict(sorted(ranges.items()))


def ranges_of_project():
    """Return the same of pyproject.toml: what runs the notebooks, and what tests them."""
    run = [*project()["project"]["dependencies"], *project()["project"]["optional-dependencies"]["notebooks"]]
    test = [line for line in project()["dependency-groups"]["test"] if isinstance(line, str)]
    wanted = [Requirement(line) for line in run]
    wanted += [requirement for line in test if (requirement := Requirement(line)).name in NEEDED_FOR_TESTING]
    ranges = {CONDA_NAMES.get(one.name, one.name): {str(part) for part in one.specifier} for one in wanted}
    return dict(sorted(ranges.items()))


def test_it_has_the_shape_that_conda_reads():
    content = yaml.safe_load(ENVIRONMENT.read_text(encoding="utf-8"))
    assert list(content) == ["name", "channels", "dependencies"]
    assert content["name"] == project()["project"]["name"].replace("-", "_")  # as the README activates it
    assert content["channels"] == ["conda-forge"]


@pytest.mark.parametrize("line", conda_lines())
def test_conda_can_read_the_line(line):
    MatchSpec(line, strict=True)


def test_names_and_ranges_are_those_of_the_project():
    assert ranges_of_conda() == ranges_of_project()


def test_its_python_is_the_oldest_that_the_project_supports():
    oldest = project()["project"]["requires-python"].removeprefix(">=")
    assert conda_lines()[0] == f"python ={oldest}"


def test_pip_installs_the_package_itself_and_nothing_else():
    assert conda_lines()[-1] == "pip"
    assert yaml.safe_load(ENVIRONMENT.read_text(encoding="utf-8"))["dependencies"][-1] == {"pip": ["-e ."]}


def test_each_line_says_why():
    lines = re.findall(r"(?m)^ +- (?!pip:$).*$", ENVIRONMENT.read_text(encoding="utf-8"))
    assert len(lines) == len(conda_lines()) + 2  # the channel, and the package itself
    assert [line for line in lines if "  # " not in line] == []


def test_binder_would_build_from_it(tmp_path):
    if not importlib.util.find_spec("repo2docker"):
        pytest.skip("repo2docker is not installed; `uv run --group test pytest` has it")
    copy = shutil.copytree(ROOT, tmp_path / "repository", ignore=UNCOPIED)
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(copy)]
    others = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}  # its warnings are its own
    done = subprocess.run(command, env=others, capture_output=True, encoding="utf-8", timeout=120, check=False)
    log = done.stdout + done.stderr
    assert done.returncode == 0, log
    assert "Building conda environment for python=3.11" in log
    assert 'env update -p ${NB_PYTHON_PREFIX} --file "environment.yml"' in log
