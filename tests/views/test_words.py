import pytest

from minagent_lab import Expect, FakeModel, Message, ModelResponse, Stepper, Tool, ToolCall, ToolRegistry
from minagent_lab.views.html import plain
from minagent_lab.views.words import (
    asked,
    count,
    end,
    event,
    item_words,
    items_used,
    lines_note,
    now,
    position,
    sees,
    short,
    then,
    tokens,
)

from .runs import RUNS, add, cut, finished, shop, stepper


def test_counts_are_in_words_with_the_right_ending():
    assert (count(1, "message"), count(2, "message"), count(1518, "char")) == ("1 message", "2 messages", "1,518 chars")


def test_an_empty_usage_is_unknown_and_a_half_one_half_known():
    assert tokens({}) == "unknown"
    assert tokens({"input_tokens": 0, "output_tokens": 0}) == "0 tokens in, 0 out"
    assert tokens({"input_tokens": 1200}) == "1,200 tokens in, unknown out"


def test_short_text_is_one_line():
    assert short("a\n b") == "a b"
    assert short("x" * 100, 10) == "x" * 9 + "…"


def test_the_position_tells_the_limit():
    walk = stepper("one tool")
    assert position(walk) == ("Before call 1", " of at most 10")
    walk.forward()
    assert position(walk) == ("Call 1", " of at most 10")


def test_the_status_says_what_next_will_do():
    walk = stepper("two turns")
    assert plain(now(walk)) == "Nothing has been asked yet. Next makes call 1."
    walk.forward()
    assert plain(now(walk)) == "The model asked for a tool. Next asks it again: script item 2."
    walk.forward()
    walk.back()
    assert plain(now(walk)) == "The model asked for a tool. Next shows call 2, recorded."
    walk.goto(0)
    assert plain(now(walk)) == "The start. Next shows call 1, recorded."


def test_the_status_warns_when_no_script_item_is_left():
    walk = stepper("a script used up")
    walk.forward()
    assert plain(now(walk)) == "The model asked for a tool. Next asks it again: no script item is left."


ENDS = {
    "an answer": ("ok", "Finished at call 1 of at most 10: final answer", "Hello."),
    "a cut answer": ("cut", "Cut at call 1 of at most 10: max_tokens", ""),
    "a filtered answer": ("cut", "Cut at call 1 of at most 10: content_filter", "It"),
    "a script used up": (
        "stop",
        "Stopped at call 2 of at most 10: the script is used up",
        "FakeModel 脚本已耗尽：Agent 没有收敛 (script exhausted, the agent did not converge)",
    ),
    "over max_steps": ("stop", "Stopped after call 2 of at most 2: over max_steps", "超过 2 步 (over max_steps=2)"),
    "a model that raises": (
        "stop",
        "Stopped at call 1 of at most 10: the model raised ConnectionError",
        "ConnectionError: no route to <host>",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_each_end_is_told_in_words(name):
    walk = finished(name)
    told = end(walk, walk.turn)
    assert (told.kind, told.title, told.text) == ENDS[name]
    assert all(plain(sentence).strip() for _, sentence in told.facts)


def test_an_unexpected_request_names_the_expect():
    walk = Stepper(FakeModel([Expect("x", request=lambda request: len(request.messages) == 9)]), shop(), "hi")
    walk.forward()
    assert end(walk, walk.turn).title.endswith("not the request that the script expects")


@pytest.mark.parametrize("name", RUNS)
def test_every_turn_of_every_run_has_its_words(name):
    walk = finished(name)
    for call in range(len(walk.turns) + 1):
        walk.goto(call)
        assert plain(now(walk))
        assert plain(lines_note(walk, 3)).startswith("▸ Line 3")
        if walk.turn:
            assert asked(walk.turn)
            assert event(walk.turn)[0]


def test_events_tell_tools_errors_cuts_and_ends_apart():
    words = {name: [event(turn) for turn in finished(name).turns] for name in RUNS}
    assert words["two tools"] == [("2 tools", False), ("answer", False)]
    assert words["an unknown tool"][0] == ("error", True)
    assert words["a cut answer"] == [("cut", False)]
    assert words["a script used up"] == [("1 tool", False), ("stop", True)]
    assert words["over max_steps"] == [("1 tool", False), ("1 tool", False)]
    assert words["a model that raises"] == [("stop", True)]


def test_what_the_loop_did_is_told_per_call():
    def told(name):
        return plain(then(finished(name).turns[0]))

    assert told("one tool") == "Then the loop ran add and got 5; it appended the call and its result."
    assert told("two tools").startswith("Then the loop ran add and got 5; ran add and got 5; it appended the calls")
    assert told("an unknown tool").startswith("Then the loop found no tool search, so the result is {")
    assert told("arguments that do not fit").startswith("Then the loop did not run add, whose arguments do not fit: {")
    assert told("a tool that fails").startswith("Then the loop ran div, which failed, so the result is {")
    assert told("a cut call").startswith("Then the loop ran nothing")


def test_a_call_that_was_not_run_is_not_said_to_have_run():
    def stop():
        raise KeyboardInterrupt

    registry = shop()
    registry.add(Tool("stop", "", {"type": "object"}, stop))
    walk = Stepper(FakeModel([[ToolCall("c1", "stop", {}), add("c2")], "x"]), registry, "hi")
    with pytest.raises(KeyboardInterrupt):
        walk.forward()
    told = plain(then(walk.turn))
    assert "stopped stop (c1) while it ran" in told
    assert "did not run add (c2): the run ended before this call;" in told


def test_script_items_are_said_on_one_line():
    assert item_words("Hi") == "“Hi”"
    assert item_words([add("c1")]) == 'add {"a": 2, "b": 3}'
    assert item_words([add("c1"), add("c2")]).startswith("2 calls: add")
    assert item_words(ModelResponse(Message("assistant", "Hi"))) == "“Hi”"
    assert item_words(cut(text="Hi")) == "“Hi” (stop reason max_tokens)"
    assert item_words(Expect("Hi", request=bool)) == "“Hi”, with a check of the request"


def test_the_cursor_follows_the_call_that_is_shown():
    walk = finished("two turns")
    used = []
    for call in range(len(walk.turns) + 1):
        walk.goto(call)
        used.append(items_used(walk))
    assert used == [0, 1, 2, 3]


def test_the_cursor_starts_where_the_model_stood():
    model = FakeModel(["first", "second"])
    model.complete([Message("user", "hi")], [])
    walk = Stepper(model, ToolRegistry(), "again")
    assert items_used(walk) == 1
    walk.forward()
    assert items_used(walk) == 2
    assert walk.turn.item == 2
    walk.back()
    assert items_used(walk) == 1


class Quick:
    """A model that gives something else."""

    name = "quick"

    def complete(self, messages, tools):
        return None


def test_what_is_no_response_has_an_end_of_its_own():
    walk = Stepper(Quick(), shop(), "2 + 3?")
    walk.forward()
    told = end(walk, walk.turn)
    assert told.title == "Stopped at call 1 of at most 10: what came back is no response"
    assert told.text == "Quick.complete() returned None; return a ModelResponse"
    assert asked(walk.turn) == "What came back is no response."
    assert plain(now(walk)) == "Stopped. What came back is no response, and that ends a run."
    assert "What came back is no response." in plain(lines_note(walk, 3))


def test_the_heading_of_a_request_tells_whether_the_model_saw_it():
    walk = stepper("one tool")
    assert (sees(None), sees(None, asked=True)) == (
        "What the model will see at call 1",
        "What the model sees at call 1",
    )
    walk.forward()
    assert sees(walk.turn) == "What the model sees at call 1"
