"""attempt: what it prints of an exercise, and what it lets through.

PYTEST_DONT_REWRITE: in a notebook an assert is Python's own, and here it has to be as well.
"""

import pytest

from minagent_lab import FakeModel, ToolCall, attempt


def test_it_says_solved_when_every_assert_holds(capsys):
    with attempt("1.1"):
        assert True, "not shown"
    assert capsys.readouterr().out == "1.1 solved.\n"


def test_an_empty_check_is_solved_and_a_check_that_fails_is_not(capsys):
    with attempt("1.1"):
        pass
    with attempt("1.2"):
        assert 2 + 2 == 5, "two and two make four"
    assert capsys.readouterr().out == "1.1 solved.\n1.2 not yet: two and two make four\n"


def test_only_the_first_assert_that_fails_is_shown(capsys):
    with attempt("1.1"):
        assert False, "first"  # noqa: B011, PT015
        assert False, "second"  # noqa: B011, PT015
    assert capsys.readouterr().out == "1.1 not yet: first\n"


def test_an_assert_without_a_message_shows_itself(capsys):
    source = compile("with attempt('1.1'):\n    assert answer == 20\n", "<exercise>", "exec")
    exec(source, {"attempt": attempt, "answer": ...})
    assert capsys.readouterr().out == "1.1 not yet: an assert does not hold\n"  # no source, no line

    answer = ...
    with attempt("1.1"):
        assert answer == 20, ""
    assert capsys.readouterr().out == '1.1 not yet: this does not hold: assert answer == 20, ""\n'


def test_an_exception_is_shown_with_its_type_and_the_learners_line(capsys):
    def first(items):
        return items[0]

    with attempt("1.1"):
        first([])
    assert capsys.readouterr().out == (
        "1.1 not yet: IndexError: list index out of range (in the line: return items[0])\n"
    )


def test_the_line_is_the_learners_even_when_the_package_raises(capsys):
    with attempt("1.1"):
        FakeModel([ToolCall("c1", "price", {})])
    shown = capsys.readouterr().out
    assert shown.startswith("1.1 not yet: TypeError: 不认识的脚本项 ToolCall('c1', 'price', {})")
    assert shown.endswith('(in the line: FakeModel([ToolCall("c1", "price", {})]))\n')


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_the_stop_button_stops(stop, capsys):
    with pytest.raises(stop), attempt("1.1"):
        raise stop
    assert capsys.readouterr().out == ""


def test_the_block_can_be_run_again(capsys):
    for _ in range(2):
        with attempt("1.1"):
            assert [] == [1], "still empty"
    assert capsys.readouterr().out == "1.1 not yet: still empty\n" * 2
