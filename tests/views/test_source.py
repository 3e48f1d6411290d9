import inspect
import sys

import pytest

from minagent_lab.loop import agent_loop
from minagent_lab.views.source import loop_lines, loop_source

from .runs import RUNS, finished, stepper


def test_the_source_is_the_loops_own():
    shown = loop_source()
    own = inspect.getsource(agent_loop).splitlines()
    assert shown[0] == "def agent_loop(record, tools, max_steps):"
    assert list(shown[1:]) == own[-len(shown) + 1 :]
    assert '"""' not in "".join(shown)


def test_before_the_first_call_the_loop_waits_to_ask():
    lines = loop_lines(stepper("one tool"))
    assert "AskModel" in loop_source()[lines.stands_at - 1]
    assert lines.ran == (1, 2, 3)


@pytest.mark.parametrize("name", RUNS)
def test_the_lines_that_ran_are_those_that_a_tracer_sees(name):
    walk = stepper(name)
    first_shown = inspect.getsource(agent_loop).splitlines().index(loop_source()[1])
    offset = agent_loop.__code__.co_firstlineno + first_shown - 2
    while not walk.ended:
        traced = trace(walk.forward, offset)
        lines = loop_lines(walk)
        asked = next(n for n, line in enumerate(loop_source(), 1) if "AskModel" in line)
        if walk.turn.response is None:
            assert lines.stands_at == asked
        else:
            # a tracer sees the loop resume after the line that asks; that line and the one above it led there
            assert set(lines.ran) == traced | {asked - 1, asked}
            assert lines.stands_at == max(traced - {asked - 1}) if walk.ended else asked


def trace(run, offset):
    seen = []

    def local(frame, event, _):
        if event == "line":
            seen.append(frame.f_lineno - offset)
        return local

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: local if frame.f_code is agent_loop.__code__ else None)
    try:
        run()
    finally:
        sys.settrace(before)
    return set(seen)


@pytest.mark.parametrize(
    ("name", "words"), [("an answer", "return"), ("over max_steps", "raise"), ("a script used up", "AskModel")]
)
def test_at_the_end_the_loop_stands_where_it_left(name, words):
    lines = loop_lines(finished(name))
    assert words in loop_source()[lines.stands_at - 1]
