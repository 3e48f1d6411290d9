"""Execute the notebooks and write them in the one form that is committed.

    uv run --group test python tools/notebooks.py [--check] [NOTEBOOK ...]

Each notebook runs from top to bottom in a fresh kernel of the Python that runs this script. If a cell fails, or shows
what differs from machine to machine, the notebook is left as it was, and the message says where to look. Otherwise it
is written so that the same content always has the same bytes: a second run changes nothing.

With ``--check`` nothing is written. Pictures (PNG, JPEG) are then not compared: their bytes depend on the fonts and the
matplotlib of a machine, and nbval does not compare them either.

Exit code: 0 all is well; 1 a notebook failed, or with ``--check`` would change; 2 wrong arguments.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat
from ipykernel.kernelspec import RESOURCES, get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
CELL_SECONDS = 60
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")
VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
PICTURE = re.compile(r'"(image/(?:png|jpeg))": "[^"]*"')


class NotebookProblem(Exception):
    """What keeps a notebook from being written, in words for its author."""


# Reading


def read(path: Path) -> NotebookNode:
    """Return the notebook as it is in the file: ids are neither checked nor invented here."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        notebook: NotebookNode = nbformat.v4.reads(text)
        version = notebook["nbformat"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotebookProblem(f"this is not a notebook ({error}); restore the file with git") from error
    if version != 4:
        raise NotebookProblem(f"its format is nbformat {version}; open and save it in JupyterLab to make it 4.5")
    return notebook


# Running


class ThisPython(KernelSpecManager):
    """Whatever kernel is asked for is this interpreter: a machine's own ``python3`` may be another environment."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:  # noqa: ARG002 - any name
        """Return the kernel of the running Python, as ``nbval --nbval-current-env`` does."""
        return KernelSpec(resource_dir=RESOURCES, **get_kernel_dict())


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run the code cells in order, in a fresh kernel whose working directory is `folder`.

    The kernel keeps no history, as under nbval: so both see the same outputs.

    Raises
    ------
    NotebookProblem
        A cell failed. The cells after it did not run.
    """
    with tempfile.TemporaryDirectory() as connections:
        run_cells(client_for(notebook, folder, connections), notebook)


def client_for(notebook: NotebookNode, folder: Path, connections: str) -> NotebookClient:
    """Return what runs the cells: a kernel of this Python in `folder`, its sockets as files in `connections`.

    Ports would be chosen first and used later, and another program may have taken them by then. Windows has no choice.
    """
    sockets = {"transport": "ipc", "connection_file": f"{connections}/kernel.json"} if os.name == "posix" else {}
    return NotebookClient(
        notebook,
        km=AsyncKernelManager(kernel_name="python3", kernel_spec_manager=ThisPython(), **sockets),
        timeout=CELL_SECONDS,
        shutdown_kernel="immediate",
        record_timing=False,
        store_widget_state=False,
        force_raise_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )


def run_cells(client: NotebookClient, notebook: NotebookNode) -> None:
    """Start the kernel, run the code cells in order, and stop it."""
    # What the kernel's program itself says, such as a hint on encryption, is not the notebook's.
    with client.setup_kernel(cleanup_kc=True, stderr=subprocess.DEVNULL):
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                cell.outputs = []
                run_cell(client, cell, index)


def run_cell(client: NotebookClient, cell: NotebookNode, index: int) -> None:
    """Run one cell, and say where it failed if it does."""
    try:
        client.execute_cell(cell, index, store_history=False)
    except CellExecutionError as error:
        raise NotebookProblem(f"{place(index)}{failing_line(cell)}\n    {error.ename}: {error.evalue}") from error
    except CellTimeoutError as error:
        raise NotebookProblem(
            f"{place(index)} took longer than {CELL_SECONDS} seconds; make it quick, nbval waits no longer either"
        ) from error
    except DeadKernelError as error:
        raise NotebookProblem(f"{place(index)}: the kernel died; run the cell in JupyterLab to see why") from error


def failing_line(cell: NotebookNode) -> str:
    """Return number and text of the cell's line that failed; nothing if the traceback does not tell."""
    traceback = "\n".join(line for output in cell.outputs for line in output.get("traceback", []))
    found = re.search(r"Cell In\[\d+\], line (\d+)", re.sub(r"\x1b\[[0-9;]*m", "", traceback))
    lines = cell.source.splitlines()
    if not found or int(found[1]) > len(lines):
        return ""
    return f", line {found[1]}: {lines[int(found[1]) - 1].strip()}"


def place(index: int) -> str:
    """Name a cell as one counts in JupyterLab, from 1, markdown cells too."""
    return f"cell {index + 1}"


# Normalising


def normalise(notebook: NotebookNode, chapter: str) -> None:
    """Bring everything that is not content into its one form.

    Parameters
    ----------
    notebook
        Changed in place.
    chapter
        What derived cell ids begin with, such as ``"03"``.
    """
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = METADATA
    give_ids(notebook, chapter)
    count = 0
    for cell in notebook.cells:
        cell.metadata = cell_metadata(cell.metadata)
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = merge_streams([clean for output in cell.outputs for clean in clean_output(output, count)])


def give_ids(notebook: NotebookNode, chapter: str) -> None:
    """Keep valid ids that are unique; derive the others from chapter and position."""
    taken: set[str] = set()
    homeless = []
    for position, cell in enumerate(notebook.cells, start=1):
        current = cell.get("id")
        if isinstance(current, str) and VALID_ID.fullmatch(current) and current not in taken:
            taken.add(current)
        else:
            homeless.append((position, cell))
    for position, cell in homeless:
        cell["id"] = free_id(f"{chapter}-{position:02d}", taken)
        taken.add(cell["id"])


def free_id(wanted: str, taken: set[str]) -> str:
    """Return `wanted`, or the first of ``wanted-2``, ``wanted-3``, … that is free."""
    number, candidate = 1, wanted
    while candidate in taken:
        number += 1
        candidate = f"{wanted}-{number}"
    return candidate


def cell_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """Keep what the chapter means, slideshow and tags; drop what an editor happened to store."""
    kept: dict[str, Any] = {}
    if metadata.get("slideshow"):
        kept["slideshow"] = metadata["slideshow"]
    if metadata.get("tags"):
        kept["tags"] = sorted(set(metadata["tags"]))
    return kept


def clean_output(output: NotebookNode, count: int) -> Iterator[NotebookNode]:
    """Yield the output without what only a running kernel can use; nothing if nothing is left."""
    output.pop("transient", None)
    if "data" in output:
        output.data.pop(WIDGET_VIEW, None)
        output.metadata = alt_texts(output.metadata)
        if not output.data:
            return
    if output.output_type == "execute_result":
        output.execution_count = count
    yield output


def alt_texts(metadata: dict[str, Any]) -> dict[str, Any]:
    """Keep of an output's metadata only the alt text of its pictures."""
    return {kind: {"alt": of["alt"]} for kind, of in metadata.items() if isinstance(of, dict) and of.get("alt")}


def merge_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join neighbouring pieces of one stream: where a print is cut depends on the moment, not on the cell."""
    merged: list[NotebookNode] = []
    for output in outputs:
        before = merged[-1] if merged else None
        if before and output.output_type == before.output_type == "stream" and output.name == before.name:
            before.text += output.text
        else:
            merged.append(output)
    return merged


# Refusing


def complaints(notebook: NotebookNode, folder: Path) -> Iterator[str]:
    """Yield what the outputs show that they must not: stderr, and what differs from machine to machine."""
    local = local_places(folder)
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                yield f"{place(index)} writes to stderr: {output.text.strip()}\n    mend the cause; a chapter is silent"
            for text in texts(output):
                if found := ADDRESS.search(text):
                    yield f"{place(index)} shows an address, {found[0]}; give the object a repr that has none"
                if found := local.search(text):
                    yield f"{place(index)} shows a path of this machine, {found[0]}; show the file's name only"


def texts(output: NotebookNode) -> Iterator[str]:
    """Yield what can be read in an output: not base64."""
    if output.output_type == "stream":
        yield output.text
    for kind, data in output.get("data", {}).items():
        if kind.startswith("text/") or kind == "image/svg+xml":
            yield data
        elif kind.endswith("json"):
            yield str(data)


def local_places(folder: Path) -> re.Pattern[str]:
    """Return a pattern for the folders of this machine, in each way they can be spelled."""
    places = {Path.home(), folder, Path.cwd(), Path(tempfile.gettempdir()), Path(sys.prefix)}
    places |= {path.resolve() for path in places}
    spelled = {
        spelling
        for path in places
        if path != Path(path.anchor)  # "/" is in every path
        for spelling in (str(path), path.as_posix(), str(path).replace("\\", "\\\\"))
    }
    longest_first = sorted(spelled, key=len, reverse=True)
    return re.compile(rf"(?<![\w.~-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")


# Writing


def render(notebook: NotebookNode) -> str:
    """Return the text of the file, checked against the notebook format."""
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise NotebookProblem(f"not valid nbformat 4.5: {error}") from error
    text: str = nbformat.v4.writes(notebook)
    return text.rstrip("\n") + "\n"


def write(path: Path, text: str) -> None:
    """Replace the file at once, so that a crash leaves the old one and never half of the new one."""
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(text.encode())
    os.replace(beside, path)  # noqa: PTH105 - says what it does


def same_but_for_pictures(old: str, new: str) -> bool:
    """Compare two files as ``--check`` does, without the bytes of PNG and JPEG."""
    return PICTURE.sub(r'"\1": ""', old) == PICTURE.sub(r'"\1": ""', new)


# All of it


def rebuild(path: Path) -> str:
    """Return what the file should hold: the notebook, executed and normalised."""
    folder = path.resolve().parent
    notebook = read(path)
    execute(notebook, folder)
    normalise(notebook, re.sub(r"[^A-Za-z0-9-]", "", path.stem.split("_")[0]) or "cell")
    if found := list(complaints(notebook, folder)):
        raise NotebookProblem("\n  ".join(found))
    return render(notebook)


def process(path: Path, *, check: bool) -> bool:
    """Rebuild one notebook, print its line, and return whether all is well."""
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    try:
        new = rebuild(path)
    except NotebookProblem as problem:
        print(f"FAILED     {shown}\n  {problem}", flush=True)
        return False
    old = path.read_bytes().decode()
    if new == old or (check and same_but_for_pictures(old, new)):
        print(f"unchanged  {shown}", flush=True)
        return True
    if check:
        print(f"CHANGES    {shown}\n  run tools/notebooks.py without --check and commit what it writes", flush=True)
        return False
    write(path, new)
    print(f"written    {shown}", flush=True)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Process the notebooks of the command line, all of them by default, and return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="NOTEBOOK", help="default: all in notebooks/")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a notebook would change")
    options = parser.parse_args(arguments)
    paths = options.paths or sorted(NOTEBOOKS.glob("*.ipynb"))
    if missing := [str(path) for path in paths if path.suffix != ".ipynb" or not path.is_file()]:
        parser.error(f"not a notebook: {', '.join(missing)}")
    if not paths:
        parser.error(f"no notebooks in {NOTEBOOKS}")
    results = [process(path, check=options.check) for path in paths]
    return 0 if all(results) else 1


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())
