import os
import pathlib
import signal
import subprocess
import sys

import pytest

import minagent_lab
from minagent_lab.files import write_whole

ROOT = pathlib.Path(minagent_lab.__file__).parents[1]


def test_text_is_written_as_utf_8_with_lf_and_no_byte_order_mark(tmp_path):
    write_whole(tmp_path / "a.txt", "你好\n再见\n")

    assert (tmp_path / "a.txt").read_bytes() == "你好\n再见\n".encode()


def test_every_file_of_text_is_checked_out_with_lf_on_every_system():
    rules = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    of = {rule.split()[0]: rule.split()[1:] for rule in rules if rule and not rule.startswith("#")}

    assert "eol=lf" in of["*"]
    assert "eol=lf" in of["*.ipynb"]
    assert not any("eol=crlf" in settings for settings in of.values())


def test_nothing_else_is_left_in_the_folder(tmp_path):
    write_whole(tmp_path / "a.txt", "old")
    write_whole(tmp_path / "a.txt", "new")

    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_beside_it(tmp_path):
    write_whole(tmp_path / "a.txt", "old")

    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "a.txt", "x" * 100_000 + "\ud83d")
    assert [(file.name, file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()] == [("a.txt", "old")]


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_a_new_file_can_be_read_by_whom_the_umask_says(tmp_path):
    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "a.txt", "x")
    finally:
        os.umask(before)

    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(os.name == "nt", reason="making links needs a right there")
def test_a_link_is_followed_not_replaced(tmp_path):
    write_whole(tmp_path / "real.txt", "old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")

    write_whole(tmp_path / "link.txt", "new")

    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"


KILLED = """
import os, pathlib, signal, sys
import minagent_lab.files

path, after = pathlib.Path(sys.argv[1]), int(sys.argv[2])
lines = 0

def trace(frame, event, arg):
    global lines
    if event == "line":
        if lines == after:
            os.kill(os.getpid(), signal.SIGKILL)
        lines += 1
    return trace

sys.settrace(trace)
minagent_lab.files.write_whole(path, "new " * 50_000)
sys.settrace(None)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_killed_at_any_line_of_the_write_the_file_is_the_old_one_or_the_new_one_whole(tmp_path):
    path, old, new = tmp_path / "a.txt", "old " * 50_000, "new " * 50_000
    seen, after, code = set(), 0, -signal.SIGKILL
    while code == -signal.SIGKILL:  # ends with the first that was not killed
        path.write_text(old, encoding="utf-8")
        code = subprocess.run([sys.executable, "-c", KILLED, str(path), str(after)], cwd=ROOT, check=False).returncode
        seen.add(path.read_text(encoding="utf-8"))
        after += 3 if after > 30 else 1

    assert code == 0
    assert after > 10
    assert seen == {old, new}
