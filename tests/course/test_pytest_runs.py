"""run_pytest: pytest itself, reported in lines that are the same everywhere, and nothing left behind."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from minagent_lab import FakeModel, Recorder, run
from minagent_lab.course.pytest_runs import TestResult, run_pytest
from minagent_lab.course.shop import shop


def only(tests, **given):
    """Return the one result of a file with one test."""
    (result,) = run_pytest(tests, **given).results
    return result


def test_what_is_given_is_handed_to_the_parameters_of_that_name():
    tests = "def test_it(agent, model):\n    assert agent(model) == 5"
    assert only(tests, agent=lambda model: model + 1, model=4) == TestResult("test_it", "PASSED")


def test_an_assert_is_reported_with_its_line_and_its_values():
    found = only("def test_it(made):\n    seen = made + [2]\n    assert seen == [1]", made=[1])
    assert found == TestResult("test_it", "FAILED", "assert seen == [1]", "assert [1, 2] == [1]")


def test_where_a_value_comes_from_is_told():
    assert only("def test_it(): assert len([1, 2]) == 3").reason == "assert 2 == 3\n+  where 2 = len([1, 2])"


def test_a_message_stands_before_the_values():
    assert only('def test_it(): assert 1 == 2, "count them"').reason == "count them\nassert 1 == 2"


def test_every_test_is_run_in_the_order_of_the_file():
    found = run_pytest("def test_b(): assert 0\ndef test_a(): pass\ndef test_c(): 1 / 0")
    assert [(r.name, r.outcome) for r in found.results] == [
        ("test_b", "FAILED"),
        ("test_a", "PASSED"),
        ("test_c", "FAILED"),
    ]
    assert str(found).endswith("\n2 failed, 1 passed")
    assert found.names("FAILED") == ["test_b", "test_c"]


def test_fixtures_parameters_raises_and_skips_are_those_of_pytest():
    found = run_pytest(
        "import pytest\n"
        "@pytest.fixture\ndef double(number): return 2 * number\n"
        "@pytest.mark.parametrize('wanted', [4, 5])\ndef test_it(double, wanted): assert double == wanted\n"
        "def test_raises():\n    with pytest.raises(ValueError): pass\n"
        "@pytest.mark.skip(reason='later')\ndef test_later(): pass\n",
        number=2,
    )
    assert [(r.name, r.outcome) for r in found.results] == [
        ("test_it[4]", "PASSED"),
        ("test_it[5]", "FAILED"),
        ("test_raises", "FAILED"),
        ("test_later", "SKIPPED"),
    ]
    assert [r.reason for r in found.results if r.outcome == "SKIPPED"] == ["later"]
    assert found.results[2].reason.startswith("DID NOT RAISE")


@pytest.mark.parametrize(
    ("tests", "reason"),
    [
        ("def test_(:", "line 1: SyntaxError: invalid syntax"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("x = 1", "it holds no test; a test is a function whose name begins with test_"),
        ("", "it holds no test; a test is a function whose name begins with test_"),
        ("raise SystemExit", "SystemExit"),
    ],
)
def test_a_file_that_cannot_be_run_is_one_error_with_a_reason(tests, reason):
    found = only(tests)
    assert (found.name, found.outcome, found.reason) == ("the file", "ERROR", reason)


def test_a_parameter_that_nobody_gives_is_an_error_that_says_what_there_is():
    found = only("def test_it(agnet): pass", agent=1, registry=2)
    assert (found.outcome, found.reason) == ("ERROR", "nothing is given as 'agnet'; there is agent, registry")


def test_a_loop_without_end_is_stopped():
    assert only("def test_it():\n    while True: pass").reason.startswith("it did not come to an end")
    assert sys.gettrace() is None


def test_no_exit_ends_the_kernel():
    assert only("import sys\ndef test_it(): sys.exit(3)").reason == "SystemExit: 3"


def test_the_stop_button_stops():
    with pytest.raises(KeyboardInterrupt):
        run_pytest("def test_it(): raise KeyboardInterrupt")


def test_nothing_of_this_machine_is_in_the_report():
    found = str(run_pytest("def test_a(): assert object() is None\ndef test_b(tmp_path): assert not tmp_path.is_dir()"))
    assert "0x" not in found
    assert "2 failed" in found


def test_nothing_is_printed(capfd):
    run_pytest("import warnings\ndef test_a(): warnings.warn('careful')\ndef test_b(): assert 0")
    assert tuple(capfd.readouterr()) == ("", "")


def test_what_a_test_prints_is_seen(capsys):
    run_pytest("def test_it(): print('here')")
    assert capsys.readouterr().out == "here\n"


def test_neither_a_process_nor_a_thread_is_started(monkeypatch):
    def refuse(*_, **__):
        raise NotImplementedError("as in a browser")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(os, "dup", refuse)
    assert only("def test_it(): pass").outcome == "PASSED"


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    run_pytest("def test_warm_up(): pass")
    before = set(sys.modules), list(sys.meta_path), list(sys.path), dict(os.environ), Path.cwd()
    run_pytest("def test_it(): assert 0")
    assert (set(sys.modules), list(sys.meta_path), list(sys.path), dict(os.environ), Path.cwd()) == before
    assert list(tmp_path.iterdir()) == []


def test_settings_and_plugins_of_a_machine_stay_out(tmp_path, monkeypatch):
    (tmp_path / "pytest.ini").write_text("[pytest]\npython_functions = check_*\n", encoding="utf-8")
    (tmp_path / "conftest.py").write_text("raise RuntimeError\n", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")
    assert only("def test_it(): pass").outcome == "PASSED"


def test_a_second_run_sees_the_second_text():
    assert only("def test_it(): assert 1 == 2").reason == "assert 1 == 2"
    assert only("def test_it(): assert 3 == 4").reason == "assert 3 == 4"


def test_each_test_is_given_a_list_as_it_was_when_the_run_began():
    ran = ["before"]
    tests = """
def test_a(buy, ran):
    buy("tea")
    assert ran == ["before", "tea"]
def test_b(buy, ran):
    buy("cake")
    assert ran == ["before", "cake"]
"""
    assert run_pytest(tests, buy=ran.append, ran=ran).names("PASSED") == ["test_a", "test_b"]


def test_the_fixtures_of_this_package_are_there_as_in_a_project(tmp_path):
    recorder = Recorder(FakeModel(["Hello."]), name="hello")
    run(recorder, shop(), "Hi")
    recorder.save(tmp_path)
    tests = """
from minagent_lab import run
def test_replayed(replay, registry):
    assert run(replay("hello", strict=True), registry, "Hi").final == "Hello."
def test_left_over(fake_model, registry):
    run(fake_model(["Hello.", "Bye."]), registry, "Hi")
"""
    found = run_pytest(tests, tmp_path, registry=shop())
    assert [(r.name, r.outcome) for r in found.results] == [
        ("test_replayed", "PASSED"),
        ("test_left_over", "PASSED"),
        ("test_left_over", "ERROR"),
    ]
    assert found.results[2].reason.startswith("fake-1 was asked once, and 1 of 2 script items is left")


def test_a_folder_of_recordings_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="recordings"):
        run_pytest("def test_it(): pass", tmp_path / "nowhere")


def test_what_is_no_text_is_refused():
    with pytest.raises(TypeError, match="write the test file as text"):
        run_pytest(lambda: None)


def test_an_agent_can_be_tested():
    tests = "def test_it(agent, model, registry):\n    agent(model, registry, 'Hi')\n    assert len(model.calls) == 1\n"
    assert only(tests, agent=run, model=FakeModel(["Hello."]), registry=shop()).outcome == "PASSED"
