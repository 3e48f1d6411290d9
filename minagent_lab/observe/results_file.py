"""Results on disk as they come, each as one whole line: a process that is killed loses no answer that is paid for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from minagent_lab.fixtures.redact import Redactor
from minagent_lab.observe.case_result import CaseResult, result_of
from minagent_lab.observe.cases import EvalCase
from minagent_lab.values import dump_json, parse_json

BOM = b"\xef\xbb\xbf"
_BEGIN = b'{"id": "'
DONE = ("passed", "failed")  # what is not run again; an error says nothing about the answer
WITHHELD = "withheld: a secret would stand here"


class ResultsFile:
    """Lines of results.

    Parameters
    ----------
    path
        The file, or ``None`` for none.
    cases
        What is evaluated.
    resume
        Whether to go on with a file that has lines already. Without it such a file is refused.
    redactor
        Takes secrets out of each line.

    Attributes
    ----------
    kept : dict
        By id, the results that the file has of these very cases, the latest of each; a case that was changed since has
        another digest, and so none.
    problem : str
        Why the file is not written to any more; empty while it is.
    """

    def __init__(self, path: Any, cases: Sequence[EvalCase], redactor: Redactor, *, resume: bool) -> None:
        if path is None and resume:
            raise ValueError('resume=True needs the file to go on with; pass save="results.jsonl" too')
        self.path = None if path is None else Path(path).absolute()  # wherever the program goes meanwhile
        self._redactor = redactor
        self.kept: dict[str, CaseResult] = {}
        self.problem = ""
        if self.path is not None:
            self._open(self.path, {case.id: case.digest for case in cases}, resume=resume)

    def _open(self, path: Path, digests: dict[str, str], *, resume: bool) -> None:
        data = path.read_bytes() if path.exists() else b""
        if data and not resume:
            raise FileExistsError(
                f"{path.name} has something in it; pass resume=True to go on with it, or choose another name"
            )
        read = _results_in(data, path.name)
        self.kept = {each.id: each for each in read if digests.get(each.id) == each.digest}
        self.kept = {id: each for id, each in self.kept.items() if each.verdict in DONE}
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:  # say now, not after the first answer, that it cannot be written
            file.truncate(data.rfind(b"\n") + 1)  # half a line: a process was killed while it wrote

    def add(self, result: CaseResult) -> None:
        """Write one result, if there is a file."""
        if self.path is None or self.problem:
            return
        try:
            with self.path.open("ab", buffering=0) as file:  # opened each time: nothing is left open or unflushed
                file.write(self._line(result).encode("utf-8") + b"\n")
        except OSError as problem:  # from here on the file could have half a line in its middle
            self.problem = f"{self.path.name} is not written any more: {type(problem).__name__}"

    def _line(self, result: CaseResult) -> str:
        data = self._redactor.data(result.as_json())
        line = dump_json(data)
        if self._redactor.leak(line):  # look once more at the text as others will see it
            line = dump_json(
                {**data, **dict.fromkeys(("reason", "prompt", "expected", "final"), WITHHELD), "usage": {}}
            )
        return line


def read_results(path: str | Path) -> list[CaseResult]:
    """Return all results in a file, in the order in which they came; half a line at its end is left out."""
    path = Path(path)
    return _results_in(path.read_bytes(), path.name)


def _results_in(data: bytes, name: str) -> list[CaseResult]:
    data = data.removeprefix(BOM)
    if not data.startswith(_BEGIN) and not _BEGIN.startswith(data):
        raise ValueError(f"{name}: this is no file of results, and nothing is added to it; choose another name")
    *lines, _ = data.split(b"\n")  # not splitlines: U+2028 is a character like any other
    return [_read(line, f"{name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def _read(line: bytes, place: str) -> CaseResult:
    try:
        return result_of(parse_json(line.decode("utf-8")))
    except (ValueError, TypeError, RecursionError) as problem:
        raise ValueError(f"{place}: {problem}") from None


def names_without_secrets(cases: Iterable[EvalCase], redactor: Redactor) -> None:
    """Refuse an id or a category that would be redacted: a case has to be found again under its name."""
    for place, case in enumerate(cases):
        for name in ("id", "category"):
            if redactor.text(getattr(case, name)) != getattr(case, name):
                raise ValueError(f"the {name} of cases[{place}] looks like a secret; give it another")
