"""minagent_lab.check: it tells what is missing, above all where much is missing."""

import importlib
import importlib.metadata
import io
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from minagent_lab import check

ROOT = Path(check.__file__).parent.parent


def finding(name):
    """Return what is found about one requirement."""
    (found,) = (one for one in check.findings() if one.name == name)
    return found


def pretend(monkeypatch, name, version):
    """Let a package have another version; None means that it is not installed."""
    real = importlib.metadata.version

    def pretended(asked):
        if asked == name and version is None:
            raise importlib.metadata.PackageNotFoundError(asked)
        return version if asked == name else real(asked)

    monkeypatch.setattr(importlib.metadata, "version", pretended)


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Return a function that makes the kernel ``python3`` of this machine start a certain Python."""

    def start(python):
        folder = tmp_path / "kernels" / "python3"
        folder.mkdir(parents=True)
        spec = '{"argv": ["PYTHON", "-m", "ipykernel_launcher"], "display_name": "Mine", "language": "python"}'
        (folder / "kernel.json").write_text(spec.replace("PYTHON", Path(python).as_posix()), encoding="utf-8")
        monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))

    return start


def test_a_healthy_machine_passes(capsys):
    assert check.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines[:-1] if not line.startswith("[OK] ")] == []
    assert lines[-1] == "All is well."


def test_without_versions_the_report_is_the_same_on_every_healthy_machine(capsys):
    check.check_environment(versions=False)
    assert capsys.readouterr().out.splitlines() == [
        "[OK] Python",
        "[OK] minagent-lab",
        "[OK] fastjsonschema",
        "[OK] jupyterlab",
        "[OK] ipywidgets",
        "[OK] anywidget",
        "[OK] matplotlib",
        "[OK] pytest",
        "[OK] openai",
        "[OK] UTF-8 output",
        "[OK] kernel python3",
        "[OK] a run with FakeModel",
    ]


def test_what_is_looked_for_is_what_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [Requirement(line) for line in [*project["dependencies"], *project["optional-dependencies"]["notebooks"]]]
    assert {one.name for one in asked} == set(check.PACKAGES)
    ranges = {one.name: {str(part) for part in one.specifier} for one in asked}
    looked_for = {one.name: set(check._wanted(one.name).split(",")) for one in asked}
    assert looked_for == ranges, "pyproject.toml changed since the package was installed; install it again"
    assert project["requires-python"] == check.PYTHON


def test_versions_are_shown_with_their_range(capsys):
    check.check_environment()
    version = importlib.metadata.version("jupyterlab")
    assert f"[OK] jupyterlab: {version} ({check._wanted('jupyterlab')})\n" in capsys.readouterr().out


def test_a_missing_package_fails_and_says_what_to_do(monkeypatch, capsys):
    pretend(monkeypatch, "anywidget", None)
    assert check.main() == 1
    out = capsys.readouterr().out
    assert (
        f"[FAIL] anywidget: not installed in {sys.executable} ({check._wanted('anywidget')})\n       next: in " in out
    )
    assert out.endswith("1 of 12 failed; see what is next\n")


def test_a_version_too_old_fails(monkeypatch):
    pretend(monkeypatch, "ipywidgets", "7.8.1")
    assert finding("ipywidgets").detail.startswith("7.8.1 does not fit (>=")
    assert finding("ipywidgets").next_step == check.INSTALL


def test_a_version_too_new_fails(monkeypatch):
    pretend(monkeypatch, "jupyterlab", "5.0.0")
    assert finding("jupyterlab").next_step


def test_a_package_that_cannot_be_imported_fails(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "cannot be imported: ModuleNotFoundError" in finding("matplotlib").detail


def test_an_old_python_fails(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 13, "final", 0))
    assert finding("Python").detail == "3.10.13 is too old (>=3.11)"


def test_an_installation_older_than_the_code_fails(monkeypatch):
    pretend(monkeypatch, "minagent-lab", "0.0.1")
    assert finding("minagent-lab").detail.startswith("installed as 0.0.1, but its code is ")


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("4.4", ">=4.4,<5", True),
        ("4.4.0rc1", ">=4.4,<5", True),
        ("4.10", ">=4.9,<5", True),
        ("5.0", ">=4.4,<5", False),
        ("5", "<5.0.0", False),
        ("4.3.99", ">=4.4,<5", False),
        ("1", "", True),
    ],
)
def test_ranges_are_read_as_pip_reads_them(version, wanted, fits):
    assert check._fits(version, wanted) is fits


def test_a_range_of_another_kind_is_refused_instead_of_misread():
    with pytest.raises(ValueError, match="write it with >= and <"):
        check._fits("1.0", "~=1.0")


def test_a_kernel_of_another_python_fails(kernel, tmp_path):
    kernel(tmp_path / "elsewhere" / "python")
    assert "starts another Python" in finding("kernel python3").detail
    assert "ipykernel install" in finding("kernel python3").next_step


def test_a_kernel_of_this_python_passes_whatever_its_program_is_called(kernel):
    kernel(Path(sys.executable).with_name("python3-by-another-name"))
    assert finding("kernel python3") == check.Finding("kernel python3", "Mine", "")


def test_a_console_without_chinese_gets_escapes_instead_of_a_crash(monkeypatch):
    console = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", console)
    check._print("not installed in C:\\用户\\python.exe")
    assert finding("UTF-8 output").detail == "this terminal's Python writes cp1252"
    assert "PYTHONUTF8=1" in finding("UTF-8 output").next_step
    console.flush()
    assert console.buffer.getvalue().rstrip() == b"not installed in C:\\\\u7528\\u6237\\python.exe"


def test_it_runs_where_nothing_is_installed_on_a_cp1252_console():
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    command = [sys.executable, "-S", "-m", "minagent_lab.check"]  # -S: no site-packages
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False)
    lines = done.stdout.decode("cp1252").splitlines()
    assert (done.returncode, done.stderr) == (1, b"")
    assert lines[0].startswith("[OK] Python")
    assert [line for line in lines if line.startswith("[FAIL] jupyterlab: not installed")]
    assert lines[-1] == "11 of 12 failed; see what is next"


def test_importing_it_imports_nothing_that_may_be_missing():
    code = (
        "import sys, minagent_lab.check; print([name for name in minagent_lab.check.PACKAGES if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert done.stdout.split() == [b"[]"]
