"""Build the series as a static site that needs no server: JupyterLite, with Python itself in the reader's browser.

    uv run --isolated --group site python tools/build_site.py [--to _site]

It needs npm, which brings Python for the browser (Pyodide). Everything is taken from the registries that pip, uv and
npm are set up to ask, and lands in one folder. The site asks no other host: what the notebooks import is in the folder.

Exit code: 0 the site is there; 1 it could not be built, and the message says why.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from email.parser import Parser
from pathlib import Path
from typing import IO, Any

from jupyter_core.paths import jupyter_path
from jupyterlite_pyodide_kernel.constants import (
    LOAD_PYODIDE_OPTIONS,
    OPTION_PACKAGES,
    PYODIDE_KERNEL_NPM_NAME,
    PYODIDE_KERNEL_PLUGIN_ID,
    PYODIDE_LOCK,
    PYODIDE_MJS,
    PYODIDE_URL,
    PYODIDE_VERSION,
)
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).resolve().parent.parent
CORE = (PYODIDE_MJS, "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
# What the kernel stands on, and what it brings along: itself, and stand-ins for what could do nothing in a browser.
KERNEL = ("micropip", "ipython", "jedi", "comm")
STAND_INS = ("piplite", "pyodide-kernel", "ipykernel", "widgetsnbextension")
AT_START = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
NOT_THERE = ("jupyterlab", "matplotlib")  # JupyterLab is the page itself; matplotlib has no wheel for the browser
# The package imports these inside functions, where the kernel does not see that they are wanted.
LOADED_ALONG = ("ipywidgets", "anywidget", "pytest")
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
FIRST = "lab/index.html?path=00_start_here.ipynb"
ENTRANCE = f"""<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>minagent_lab</title>
    <meta http-equiv="refresh" content="0; url={FIRST}">
    <!-- The other pages of JupyterLite look for this script here. -->
    <script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{{}}</script>
  </head>
  <body><p><a href="{FIRST}">Start here</a></p></body>
</html>
"""


class SiteProblem(Exception):
    """What keeps the site from being built, in words for who builds it."""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a program and return what it printed."""
    try:
        done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        raise SiteProblem(f"{command[0]} is not installed") from None
    if done.returncode:
        raise SiteProblem(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


# Python for the browser


def pyodide(work: Path, core: Path) -> dict[str, Any]:
    """Fetch the Pyodide that the kernel was made for into a folder; return its list of packages."""
    name = run("npm", "pack", "--silent", f"pyodide@{PYODIDE_VERSION}", cwd=work).strip().splitlines()[-1]
    with tarfile.open(work / name) as archive:
        held = {Path(file.name).name: archive.extractfile(file) for file in archive if file.isfile()}
        for file in CORE:
            (core / file).write_bytes(content(held, file))
        lock: dict[str, Any] = json.loads(content(held, PYODIDE_LOCK))
    return lock


def content(held: dict[str, IO[bytes] | None], file: str) -> bytes:
    """Return a file of the archive."""
    if (opened := held.get(file)) is None:
        raise SiteProblem(f"Pyodide {PYODIDE_VERSION} from npm has no {file}")
    return opened.read()


# Packages


def requirements() -> Iterator[str]:
    """Yield what the notebooks need in a browser, as pyproject.toml has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in [*project["dependencies"], *project["optional-dependencies"]["notebooks"]]:
        if canonicalize_name(Requirement(line).name) not in NOT_THERE:
            yield line


def pinned(packages: Mapping[NormalizedName, Any]) -> Iterator[str]:
    """Yield the versions with which the kernel was made, of all that it loads."""
    waiting, seen = list(KERNEL), set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in seen and name in packages:
            seen.add(name)
            waiting += packages[name]["depends"]
            yield f"{name}=={packages[name]['version']}"


def fetch_wheels(work: Path, wheels: Path, lock: dict[str, Any], wants: Iterable[str]) -> None:
    """Put the wheels that are wanted into a folder, with all that they and the kernel need."""
    info = lock["info"]
    version = ".".join(info["python"].split(".")[:2])
    packages = {canonicalize_name(name): package for name, package in lock["packages"].items()}
    wanted, pins = work / "wanted.txt", work / "pins.txt"
    wanted.write_text("\n".join([*wants, *KERNEL]), encoding="utf-8")
    pins.write_text("\n".join(pinned(packages)), encoding="utf-8")
    uv = os.environ.get("UV", "uv")  # `uv run` says where it is
    # uv knows an older tag for this platform only; that is enough to choose versions, and pip then takes the wheels.
    resolved = run(
        uv, "pip", "compile", "--quiet", "--no-annotate", "--no-header", "--python-platform", "wasm32-pyodide2024",
        "--python-version", version, "--constraints", pins, wanted,
    )  # fmt: skip
    chosen = work / "chosen.txt"
    names = [line for line in resolved.splitlines() if line.split("==")[0] not in STAND_INS]
    chosen.write_text("\n".join(names), encoding="utf-8")
    run(
        *PIP, "download", "--no-deps", "--only-binary=:all:", "--dest", wheels, "--python-version", version,
        "--implementation", "cp", "--abi", f"cp{version.replace('.', '')}",
        "--platform", f"pyemscripten_{info['abi_version']}_{info['arch']}", "--requirement", chosen,
    )  # fmt: skip
    for wheel in stand_ins():
        shutil.copy(wheel, wheels)


def stand_ins() -> list[Path]:
    """Return the wheels that come with the kernel, the newest of each."""
    folders = [Path(path, PYODIDE_KERNEL_NPM_NAME, "static", "pypi") for path in jupyter_path("labextensions")]
    found: dict[str, Path] = {}
    for wheel in sorted(wheel for folder in folders for wheel in folder.glob("*.whl")):
        found[name_of(wheel)] = wheel
    if missing := {*STAND_INS} - {*found}:
        raise SiteProblem(f"the kernel brings no wheel of {', '.join(sorted(missing))}")
    return [found[name] for name in STAND_INS]


# The list of packages that Pyodide reads


def name_of(wheel: Path) -> str:
    """Return the name of the package in a wheel."""
    return parse_wheel_filename(wheel.name)[0]


def locked(wheels: Iterable[Path], info: dict[str, Any]) -> dict[str, Any]:
    """Return the list of packages: what each is called, imported as, and needs."""
    environment = {
        "implementation_name": "cpython", "os_name": "posix", "platform_machine": info["arch"],
        "platform_python_implementation": "CPython", "platform_system": "Emscripten", "sys_platform": "emscripten",
        "python_full_version": info["python"], "python_version": ".".join(info["python"].split(".")[:2]), "extra": "",
    }  # fmt: skip
    packages = {name_of(wheel): entry(wheel, environment) for wheel in sorted(wheels)}
    if own := packages.get("minagent-lab"):
        own["depends"] += LOADED_ALONG
    for package in packages.values():
        if missing := {*package["depends"]} - {*packages}:
            raise SiteProblem(f"{package['name']} needs {', '.join(sorted(missing))}, of which there is no wheel")
    return packages


def entry(wheel: Path, environment: dict[str, str]) -> dict[str, Any]:
    """Return what Pyodide has to know of a wheel."""
    name, version, *_ = parse_wheel_filename(wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
        metadata = next(file for file in files if file.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(archive.read(metadata).decode("utf-8"))
    needs = [Requirement(line) for line in told.get_all("Requires-Dist", [])]
    return {
        "name": name,
        "version": str(version),
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "install_dir": "site",
        "package_type": "package",
        "imports": sorted(imports(files)),
        "depends": sorted(
            {canonicalize_name(need.name) for need in needs if not need.marker or need.marker.evaluate(environment)}
        ),
        "unvendored_tests": False,
    }


def imports(files: Iterable[str]) -> set[str]:
    """Return the top names of the modules in a wheel."""
    parts = [file.split("/") for file in files if file.endswith((".py", ".so"))]
    return {first.split(".")[0] for first, *rest in parts if not rest or first.isidentifier()}


# The site


def build(site: Path, content: Path, work: Path, *, empty: bool = False) -> None:
    """Build a site of the notebooks in a folder; an empty one has the kernel only, to be compared with."""
    source, wheels = work / "source", work / "wheels"
    core = source / "static" / "pyodide"
    core.mkdir(parents=True)
    wheels.mkdir()
    lock = pyodide(work, core)
    fetch_wheels(work, wheels, lock, [] if empty else requirements())
    if not empty:
        run(*PIP, "wheel", "--no-deps", "--wheel-dir", wheels, ROOT)
    for wheel in wheels.iterdir():
        shutil.copy(wheel, core)
    lock["packages"] = locked(wheels.glob("*.whl"), lock["info"])
    (core / PYODIDE_LOCK).write_text(json.dumps(lock, indent=1), encoding="utf-8")
    settings = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "minagent_lab",
            "exposeAppInBrowser": True,  # so that a test, or a curious reader, can ask the page
            "litePluginSettings": {
                PYODIDE_KERNEL_PLUGIN_ID: {
                    "disablePyPIFallback": True,  # no other host is asked
                    LOAD_PYODIDE_OPTIONS: {OPTION_PACKAGES: AT_START},
                }
            },
        },
    }
    (source / "jupyter-lite.json").write_text(json.dumps(settings), encoding="utf-8")
    # In its own folder: what it remembers of an earlier build, it keeps where it runs.
    run(
        sys.executable, "-m", "jupyterlite_core", "build", "--contents", content, "--output-dir", site,
        "--no-sourcemaps", "--apps", "lab", "--apps", "notebooks", "--apps", "tree", cwd=source,
    )  # fmt: skip
    (site / "index.html").write_text(ENTRANCE, encoding="utf-8")
    check(site)


def check(site: Path) -> None:
    """Refuse a site that would ask another host for Python: a build can fall back to one without a word."""
    config = json.loads((site / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    kernel = config["litePluginSettings"].get(PYODIDE_KERNEL_PLUGIN_ID, {})
    if not str(kernel.get(PYODIDE_URL, "")).startswith("./") or not kernel.get("disablePyPIFallback"):
        raise SiteProblem(f"the site would ask another host: {kernel}")


def clear(site: Path) -> None:
    """Make room for a site, where there is nothing yet, or an older one."""
    if site.exists():
        if not (site / "jupyter-lite.json").exists() and any(site.iterdir()):
            raise SiteProblem(f"{site} holds something else; name a folder that is new")
        shutil.rmtree(site)


def notebooks(work: Path) -> Path:
    """Copy the notebooks as they are, with what they show and open, and nothing that a learner has left there."""
    content = work / "content"
    content.mkdir()
    for file in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(file, content)
    for folder in ("images", "fixtures"):
        shutil.copytree(ROOT / "notebooks" / folder, content / folder)
    for picture in content.glob("images/*.svg"):  # JupyterLite shows an SVG of ASCII only; the same picture
        picture.write_bytes(picture.read_text(encoding="utf-8").encode("ascii", "xmlcharrefreplace"))
    return content


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("--to", type=Path, default=ROOT / "_site", metavar="FOLDER", help="where to; it is made anew")
    site = parser.parse_args(arguments).to.resolve()
    try:
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            clear(site)
            build(site, notebooks(work), work)
    except SiteProblem as problem:
        print(f"No site was built: {problem}", file=sys.stderr)
        return 1
    files = [file for file in site.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 1e6
    print(f"{site}: {len(files)} files, {size:.0f} MB. To look at it: python -m http.server --directory {site}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
