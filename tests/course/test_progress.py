import json
import os
import signal
import subprocess
import sys
import time

import pytest

from minagent_lab.course import desk
from minagent_lab.course.progress import FILE, VARIABLE, progress_file, remember_exercise, remember_quiz, solved


@pytest.fixture
def beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    return tmp_path / FILE


NOTHING = {"exercises": [], "quizzes": {}}


def test_it_is_kept_in_one_file_beside_the_notebook(beside):
    remember_exercise("3.1")
    remember_exercise("0.2")
    remember_exercise("3.1")
    assert json.loads(beside.read_text(encoding="utf-8")) == {"exercises": ["0.2", "3.1"], "quizzes": {}}
    assert [path.name for path in beside.parent.iterdir()] == [FILE]


def test_the_best_score_of_a_quiz_counts(beside):
    for right in (2, 4, 3):
        remember_quiz("03", right)
    assert solved()["quizzes"] == {"03": 4}


def test_it_can_be_turned_off(beside, monkeypatch):
    monkeypatch.setenv(VARIABLE, "off")
    remember_exercise("3.1")
    assert progress_file() is None
    assert solved() == NOTHING
    assert not beside.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"exercises": 5}', '{"exercises": [], "quizzes": {"03": "x"}}']
)
def test_a_file_that_cannot_be_read_is_set_aside_and_a_new_one_begun(beside, text):
    beside.write_text(text, encoding="utf-8")
    assert solved() == NOTHING
    remember_exercise("3.1")
    assert solved()["exercises"] == ["3.1"]
    aside = [path for path in beside.parent.iterdir() if "unreadable" in path.name]
    assert [path.read_text(encoding="utf-8") for path in aside] == [text]


def test_bytes_that_are_no_text_are_set_aside_too(beside):
    beside.write_bytes(b"\xff\xfe\x00")
    assert solved() == NOTHING


def test_a_folder_that_cannot_be_written_to_stops_no_lesson(beside, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(beside.parent / "missing" / "progress.json"))
    remember_exercise("3.1")
    assert solved() == NOTHING


KILLED = """
import os, sys
os.chdir(sys.argv[1])
from minagent_lab.course.progress import remember_exercise
print("ready", flush=True)
number = 0
while True:
    remember_exercise(f"9.{number}")
    number += 1
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is not known on Windows")
def test_a_kill_in_the_middle_of_writing_leaves_a_whole_file(beside):
    environment = {name: text for name, text in os.environ.items() if name != VARIABLE}
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(beside.parent)], stdout=subprocess.PIPE, encoding="utf-8", env=environment
    )
    with writer:
        assert writer.stdout.readline() == "ready\n"
        while not beside.exists():
            time.sleep(0.001)
        os.kill(writer.pid, signal.SIGKILL)
    assert "9.0" in json.loads(beside.read_text(encoding="utf-8"))["exercises"]


def test_the_table_has_a_line_per_chapter(beside):
    remember_exercise("3.1")
    remember_quiz("03", 2)
    table = repr(desk.progress())
    assert "03  exercises 1 of 3   quiz 2 of 4   The agent loop" in table
    assert len(table.splitlines()) == 1 + len(desk.chapters())
