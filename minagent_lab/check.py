"""Is everything there that the notebooks need? ``python -m minagent_lab.check`` says so, line by line.

Each requirement gets ``[OK]`` or ``[FAIL]``, and each ``[FAIL]`` the next thing to do. It is made for the moment when
something is missing, so it imports nothing beyond the standard library before it has looked whether that is there.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

__all__ = ["Finding", "check_environment", "findings", "main"]

PACKAGES = ("fastjsonschema", "jupyterlab", "ipywidgets", "anywidget", "matplotlib", "pytest", "openai")
PYTHON = ">=3.11"
IN_BROWSER = sys.platform == "emscripten"
STOOD_IN = {  # in a browser
    "jupyterlab": "this page stands in for it",
    "matplotlib": "a browser has none; charts are drawn without it",
    "kernel python3": "this page stands in for it",
}
INSTALL = (
    'in the project\'s folder, run "uv run python -m minagent_lab.check", which installs what is missing; '
    'without uv: python -m pip install -e ".[notebooks]"'
)


class Finding(NamedTuple):
    """What was found about one requirement."""

    name: str
    """The requirement, in words that are the same on every machine."""
    detail: str
    """Versions, or what is wrong."""
    next_step: str
    """What to do about it; empty if all is well."""
    here: bool = True
    """Whether it is really there, and not something that stands in for it."""


def check_environment(*, versions: bool = True) -> None:
    """Print one line per requirement, and the next thing to do where one is not met.

    Parameters
    ----------
    versions
        Print version numbers too. Without them, every healthy machine prints the same, so a notebook can hold it.

    Examples
    --------
    >>> check_environment(versions=False)  # doctest: +ELLIPSIS
    [OK] Python
    [OK] minagent-lab
    ...
    """
    _report(findings(), versions=versions)


def main() -> int:
    """Print the report, and return the exit code: 0 all is well, 1 something is to be done."""
    found = findings()
    _report(found, versions=True)
    failed = sum(bool(finding.next_step) for finding in found)
    _print(f"{failed} of {len(found)} failed; see what is next" if failed else "All is well.")
    return 1 if failed else 0


def findings() -> list[Finding]:
    """Look at each requirement in turn. What cannot even be looked at is a finding too."""
    looks: dict[str, Callable[[], Finding]] = {
        "Python": _python,
        "minagent-lab": _this_package,
        **{name: partial(_package, name) for name in PACKAGES},
        "UTF-8 output": _utf8_output,
        "kernel python3": _kernel,
        "a run with FakeModel": _fake_run,
    }
    stood_in = STOOD_IN if IN_BROWSER else {}
    return [
        Finding(name, stood_in[name], "", here=False) if name in stood_in else _looked(name, look)
        for name, look in looks.items()
    ]


def _looked(name: str, look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except Exception as error:
        return Finding(name, f"could not be checked: {type(error).__name__}: {error}", INSTALL)


def _report(found: list[Finding], *, versions: bool) -> None:
    for finding in found:
        detail = f": {finding.detail}" if versions or finding.next_step or not finding.here else ""
        _print(f"{'[FAIL]' if finding.next_step else '[OK]' if finding.here else '[--]'} {finding.name}{detail}")
        if finding.next_step:
            _print(f"       next: {finding.next_step}")


def _print(line: str) -> None:
    """Print also where the console has no such letters, as cp1252 has not: they come out as escapes."""
    encoding = _encoding()
    print(line.encode(encoding, "backslashreplace").decode(encoding))  # noqa: T201


def _encoding() -> str:
    """Return how text is written here. What has no encoding keeps text as text, so it takes all."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if _fits(version, PYTHON):
        return Finding("Python", f"{version} ({PYTHON})", "")
    return Finding(
        "Python", f"{version} is too old ({PYTHON})", 'install a newer Python, or run "uv python install 3.13"'
    )


def _this_package() -> Finding:
    from minagent_lab import __version__

    try:
        installed = importlib.metadata.version("minagent-lab")
    except importlib.metadata.PackageNotFoundError:
        return Finding("minagent-lab", f"not installed in {sys.executable}", INSTALL)
    if installed != __version__:
        return Finding("minagent-lab", f"installed as {installed}, but its code is {__version__}", INSTALL)
    return Finding("minagent-lab", installed, "")


def _package(name: str) -> Finding:
    """Look for a package by its name and range, and import it: one that cannot be imported is as good as missing."""
    wanted = _wanted(name)
    shown = f" ({wanted})" if wanted else ""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        if IN_BROWSER and name in _at_hand():
            return Finding(name, f"fetched as soon as a cell imports it{shown}", "")
        return Finding(name, f"not installed in {sys.executable}{shown}", INSTALL)
    if not _fits(version, wanted):
        return Finding(name, f"{version} does not fit{shown}", INSTALL)
    try:
        importlib.import_module(name)
    except Exception as error:
        return Finding(name, f"{version} cannot be imported: {type(error).__name__}: {error}", INSTALL)
    return Finding(name, f"{version}{shown}", "")


def _at_hand() -> set[str]:
    """Return the packages that a page in a browser can fetch from where it came from."""
    import pyodide_js  # only there

    return set(pyodide_js.lockfile.packages.to_py())


def _wanted(name: str) -> str:
    """Return the range that this package's own metadata asks for, such as ``>=4.4,<5``; none if it is not installed."""
    try:
        lines = importlib.metadata.requires("minagent-lab") or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    for line in lines:
        found = re.fullmatch(rf"{name}\s*\(?([^;)]*)\)?\s*(?:;.*)?", line)
        if found:
            return ",".join(sorted((part.strip() for part in found[1].split(",")), reverse=True))
    return ""


def _fits(version: str, wanted: str) -> bool:
    """Tell whether a version lies in a range of ``>=`` and ``<``, the only two that this project uses."""
    for part in filter(None, wanted.split(",")):
        compare, bound = part.rstrip(".0123456789"), part.lstrip("<>=")
        if compare not in (">=", "<"):
            raise ValueError(f"the range {wanted!r} has {compare!r}; write it with >= and <")
        if (_numbers(version) >= _numbers(bound)) != (compare == ">="):
            return False
    return True


def _numbers(version: str) -> list[int]:
    """Return the release numbers, without zeros at the end: ``4.4.0rc1`` counts as ``4.4``."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(number) for number in release[0].split(".")] if release else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers


def _utf8_output() -> Finding:
    encoding = _encoding()
    if encoding.lower().replace("-", "") == "utf8":
        return Finding("UTF-8 output", encoding, "")
    how = "$env:PYTHONUTF8=1 in PowerShell, set PYTHONUTF8=1 in cmd, export PYTHONUTF8=1 elsewhere"
    return Finding("UTF-8 output", f"this terminal's Python writes {encoding}", f"run {how}; then once more")


def _kernel() -> Finding:
    """Look which Python a notebook would run in: a machine may have another environment's kernel by that name."""
    from jupyter_client.kernelspec import KernelSpecManager

    spec = KernelSpecManager().get_kernel_spec("python3")
    program = Path(spec.argv[0])
    # Folders are compared: bin/python and bin/python3 are one environment, and often links that lead out of it.
    if program.is_absolute() and program.parent.resolve() != Path(sys.executable).parent.resolve():
        again = "python -m ipykernel install --sys-prefix --name python3"
        return Finding("kernel python3", f"starts another Python, {program}", f'run "{again}" in this environment')
    return Finding("kernel python3", spec.display_name, "")


def _fake_run() -> Finding:
    from minagent_lab import FakeModel, Tool, ToolCall, ToolRegistry, run

    registry = ToolRegistry()
    registry.add(Tool("add", "Sum of two numbers", {"type": "object"}, lambda a, b: a + b))
    result = run(FakeModel([[ToolCall("c1", "add", {"a": 2, "b": 3})], "5"]), registry, "2 + 3?")
    if result.final != "5":
        return Finding("a run with FakeModel", f"answered {result.final!r} instead of '5'", INSTALL)
    return Finding("a run with FakeModel", f"{len(result.messages)} messages, final answer {result.final}", "")


if __name__ == "__main__":
    sys.exit(main())
