"""The lines of a trace: redacted, whole, in a file and in memory alike."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from minagent_lab.errors import TraceError
from minagent_lab.fixtures.redact import Redactor
from minagent_lab.observe.reading import BOM, events_in
from minagent_lab.observe.semconv import WITHHELD
from minagent_lab.values import dump_json

_BEGIN = b'{"event": "'


class Lines:
    """Writes events, each as one line.

    Parameters
    ----------
    path
        The file; ``None`` for memory only.
    secrets
        See `Redactor`.

    Attributes
    ----------
    written : list of str
        The lines written so far.
    runs : int
        How many runs stood in the file before.
    broken : str
        Why the file is not written to any more; empty while it is.
    """

    def __init__(self, path: str | Path | None, secrets: Iterable[str]) -> None:
        self._redactor = Redactor(secrets)
        self.written: list[str] = []
        self.path = None if path is None else Path(path).absolute()  # wherever the program goes meanwhile
        self.broken = ""
        self.runs = 0
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.runs = _runs_in(self.path)
            with self.path.open("ab"):  # say now, not in the middle of a run, that it cannot be written
                pass

    def add(self, head: dict[str, Any], data: dict[str, Any]) -> str:
        """Write one event, and return its line."""
        line = dump_json({**head, **self._safe(data)})
        self.written.append(line)
        if self.path is not None and not self.broken:
            try:
                with self.path.open("ab", buffering=0) as file:  # opened each time: nothing is left open or unflushed
                    file.write(line.encode("utf-8") + b"\n")
            except OSError as problem:  # from here on the file would have a gap
                self.broken = f"{self.path.name} is not written any more: {type(problem).__name__}"
        return line

    def _safe(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the data without secrets; look once more at the text as others will see it."""
        try:
            return self._without_secrets(data)
        except (TypeError, ValueError) as problem:  # Python writes no number of more than 4,300 digits
            return {WITHHELD: f"not JSON: {problem}"}

    def _without_secrets(self, data: dict[str, Any]) -> dict[str, Any]:
        data = {name: self._redactor.data(held) for name, held in data.items()}  # the names are ours
        if self._leaks(data):
            data = self._without_numbers(data)  # a number may be a secret too
        if self._leaks(data):
            return {WITHHELD: "a secret would stand here"}
        return data

    def _leaks(self, data: Any) -> bool:
        return self._redactor.leak(dump_json(data))

    def _without_numbers(self, data: Any) -> Any:
        if isinstance(data, dict):
            return {key: self._without_numbers(held) for key, held in data.items()}
        if isinstance(data, list):
            return [self._without_numbers(held) for held in data]
        if isinstance(data, (int, float)) and self._leaks(data):
            return "<redacted:number>"
        return data


def _runs_in(path: Path) -> int:
    """Return how many runs a file holds; take away a half line at its end. Refuse a file that is no trace."""
    data = path.read_bytes() if path.exists() else b""
    if not data:
        return 0
    head = data.removeprefix(BOM)[: len(_BEGIN)]
    if not _BEGIN.startswith(head):
        raise TraceError(path.name, "this file is no trace, and nothing is added to it; choose another path")
    events = list(events_in(data, path.name))
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            if len(events) > len(list(events_in(data[:whole], path.name))):  # only the end of the last line is missing
                file.seek(0, 2)
                file.write(b"\n")
            else:  # a process was killed in the middle of a line
                file.truncate(whole)
    return len({event["run"] for event in events})
