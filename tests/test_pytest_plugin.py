import json

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester):
    pytester.makeini("[pytest]\nfilterwarnings = error\n")
    return pytester


def outcomes(project, text):
    project.makepyfile(text)
    return project.runpytest_subprocess("-q", "-p", "no:cacheprovider", "-p", "no:nbval", "-p", "no:xdist")


def test_a_script_that_is_used_up_passes(project):
    result = outcomes(project, """
        from minagent_lab import ToolRegistry, run
        def test_it(fake_model):
            assert run(fake_model(["Hello."]), ToolRegistry(), "Hi").final == "Hello."
    """)  # fmt: skip
    result.assert_outcomes(passed=1)


def test_items_that_are_left_over_fail_the_test(project):
    result = outcomes(project, """
        from minagent_lab import ToolRegistry, run
        def test_it(fake_model):
            run(fake_model(["Hello.", "And more."]), ToolRegistry(), "Hi")
    """)  # fmt: skip
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*1 of 2 script items is left*And more.*"])


def test_a_recording_is_found_by_name_beside_the_test(project):
    folder = project.mkdir("fixtures")
    data = {"name": "hello", "turns": [{"kind": "text", "content": "你好。"}]}
    (folder / "hello.json").write_text(json.dumps(data), encoding="utf-8")
    result = outcomes(project, """
        from minagent_lab import ToolRegistry, run
        def test_it(replay):
            assert run(replay("hello"), ToolRegistry(), "Hi").final == "你好。"
        def test_left_over(replay):
            replay("hello")
        def test_missing(replay):
            replay("helo")
    """)  # fmt: skip
    result.assert_outcomes(passed=2, errors=1, failed=1)
    result.stdout.fnmatch_lines(["*helo.json*hello.json*"])


def test_a_real_model_is_barred_unless_the_test_asks_for_it(project):
    result = outcomes(project, """
        import pytest
        from minagent_lab.real_calls import check_allowed
        def test_barred():
            check_allowed("gpt-x")
        @pytest.mark.real_model
        def test_allowed():
            check_allowed("gpt-x")
    """)  # fmt: skip
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*RealCallBarred: a test was about to ask the real model 'gpt-x'*"])


def test_outside_of_tests_nothing_is_barred():
    import subprocess
    import sys

    code = "from minagent_lab.real_calls import check_allowed; check_allowed('gpt-x')"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_plugin_says_what_it_offers(project):
    project.makepyfile("def test_it(): pass")
    result = project.runpytest_subprocess("--fixtures", "-p", "no:cacheprovider")
    assert "fake_model" in result.stdout.str()
    assert "replay" in result.stdout.str()
