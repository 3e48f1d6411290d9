import pytest

from minagent_lab.errors import ServerError
from minagent_lab.views.trace_words import ROWS, label, rows_of, seconds, summary

from .runs import add
from .traces import answer, busy, go, layered, long, new_trace, stopped


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 s"), (1.5, "1.5 s"), (0.001, "0.001 s"), (1e-9, "0 s"), (12345, "12,345 s"), (100, "100 s")],
)
def test_a_time_is_short_and_never_in_powers_of_ten(number, words):
    assert seconds(number) == words


def test_each_span_is_a_row_in_order_of_start():
    rows, left_out = rows_of(busy().spans())
    assert [(label(row), row.start, row.took, row.end) for row in rows] == [
        ("run-1", "0 s", "11 s", "completed"),
        ("call 1 small-1", "1 s", "3 s", "tool_use"),
        ("attempt 1 of 3", "1 s", "1 s", "ServerError"),
        ("attempt 2 of 3", "3 s", "1 s", "tool_use"),
        ("tool add", "5 s", "1 s", ""),
        ("tool search", "7 s", "1 s", "unknown_tool"),
        ("call 2 small-1", "9 s", "1 s", "end_turn"),
    ]
    assert left_out == 0
    assert [row.depth for row in rows] == [0, 1, 2, 2, 1, 1, 1]
    assert [row.error for row in rows] == [False, False, True, False, False, True, False]


def test_a_bar_is_a_part_of_the_whole():
    for row in rows_of(busy().spans())[0]:
        assert 0 <= row.left <= row.left + row.width <= 1 + 1e-9
    run, *_ = rows_of(busy().spans())[0]
    assert (run.left, run.width) == (0, 1)


def test_of_a_long_trace_the_middle_is_left_out():
    rows, left_out = rows_of(long(60).spans())
    assert len(rows) == ROWS
    assert left_out == 1 + 61 + 60 - ROWS
    assert label(rows[0]) == "run-1"
    assert rows[-1].end == "end_turn"


def test_what_goes_on_lasts_up_to_the_last_event():
    trace = new_trace()
    trace.run_started(trace_history(), [], 3)
    (row,), _ = rows_of(trace.spans(), now=5.0)
    assert (row.took, row.width, row.end) == ("going on", 1, "")


def trace_history():
    from minagent_lab import History, Message

    return History([Message("user", "x")])


def test_no_span_is_no_row():
    assert rows_of([]) == ([], 0)
    assert summary([]) == ["Nothing has happened yet."]


def test_the_usage_of_an_answer_that_does_not_tell_it_is_unknown_and_not_nothing():
    trace = new_trace()
    go(trace, [answer("5")])
    assert [row.usage for row in rows_of(trace.spans())[0]] == ["", "unknown"]
    assert summary(trace.spans())[0].endswith("; tokens unknown.")


def test_a_run_ends_in_words():
    trace = busy()
    assert summary(trace.spans()) == [
        "run-1 completed after 11 s: 2 calls of the model, 2 tool calls, 1 attempt failed; 30 tokens in, 5 out."
    ]
    go(trace, [answer("", 10, 2, add("c1"))], max_steps=1)
    go(trace, [ServerError("down")] * 3)
    assert summary(trace.spans())[1].startswith("run-2 stopped at max_steps after")
    assert summary(trace.spans())[2].startswith("run-3 failed after")


def test_a_sum_that_lacks_some_calls_says_so():
    trace = new_trace()
    go(trace, [answer("", 10, 2, add("c1")), "5"])
    assert summary(trace.spans())[0].endswith("10 tokens in, 2 out (usage unknown for 1 call).")


def test_a_run_that_goes_on_says_so():
    trace = new_trace()
    trace.run_started(trace_history(), [], 3)
    assert summary(trace.spans()) == ["run-1 goes on: 0 calls of the model, 0 tool calls so far."]


def test_what_somebody_stopped_is_cancelled_and_no_error():
    rows, _ = rows_of(stopped().spans())
    assert [(label(row), row.ended, row.error, row.cancelled) for row in rows] == [
        ("run-1", "■ cancelled", False, True),
        ("call 1", "■ cancelled", False, True),
        ("run-2", "■ cancelled", False, True),
        ("call 1", "tool_use", False, False),
        ("tool brew", "■ cancelled", False, True),
    ]
    assert summary(stopped().spans())[0].startswith("run-1 was cancelled after 3 s")


def test_attempts_of_an_inner_layer_are_deeper_and_they_alone_were_requests():
    rows, _ = rows_of(layered().spans())
    assert [(label(row), row.depth, row.ended) for row in rows[2:]] == [
        ("attempt 1 of 3", 2, "✗ ServerError"),
        ("attempt 1 of 2", 3, "✗ ServerError"),
        ("attempt 2 of 2", 3, "✗ ServerError"),
        ("attempt 2 of 3", 2, "end_turn"),
    ]
    assert "2 attempts failed" in summary(layered().spans())[0]
