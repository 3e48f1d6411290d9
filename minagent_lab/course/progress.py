"""What a learner has solved, kept in one small file beside the notebooks. Nothing leaves the machine.

The file is written whole or not at all. One that cannot be read is set aside, not thrown away, and a new one is begun.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from minagent_lab.files import write_whole
from minagent_lab.values import parse_json

FILE = ".minagent_lab_progress.json"
VARIABLE = "MINAGENT_LAB_PROGRESS"  # names another file; "off" keeps nothing


def progress_file() -> Path | None:
    """Return where progress is kept; ``None`` where it is not."""
    named = os.environ.get(VARIABLE, "")
    if named == "off":
        return None
    return Path(named) if named else Path.cwd() / FILE


def solved() -> dict[str, Any]:
    """Return what is solved: ``{"exercises": ["3.1"], "quizzes": {"03": 4}}``."""
    path = progress_file()
    if path is None or not path.is_file():
        return _nothing()
    try:
        data = parse_json(path.read_text(encoding="utf-8-sig"))
        return {
            "exercises": sorted({str(name) for name in data["exercises"]}),
            "quizzes": {str(name): int(right) for name, right in data["quizzes"].items()},
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        _set_aside(path)
        return _nothing()


def _nothing() -> dict[str, Any]:
    return {"exercises": [], "quizzes": {}}


def _set_aside(path: Path) -> None:
    """Give an unreadable file another name, the first that is free."""
    for number in range(1, 1000):
        aside = path.with_name(f"{path.stem}.unreadable-{number}{path.suffix}")
        if not aside.exists():
            with contextlib.suppress(OSError):
                path.rename(aside)
            return


def remember_exercise(name: str) -> None:
    """Write down that an exercise is solved."""
    data = solved()
    if name not in data["exercises"]:
        _write({**data, "exercises": sorted([*data["exercises"], name])})


def remember_quiz(name: str, right: int) -> None:
    """Write down how many questions of a quiz were right; the best time counts."""
    data = solved()
    if right > data["quizzes"].get(name, 0):
        _write({**data, "quizzes": {**data["quizzes"], name: right}})


def _write(data: dict[str, Any]) -> None:
    path = progress_file()
    if path is None:
        return
    with contextlib.suppress(OSError):  # a folder that cannot be written to is no reason to stop a lesson
        write_whole(path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
