"""Playbooks: a run as JSON text, read with every mistake told at its line, and written back."""

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minagent_lab.errors import PlaybookError
from minagent_lab.fakes.scripted import ScriptedResults, exception_of
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.stepping.placed_json import read_places
from minagent_lab.stepping.playbook import Playbook, PlaybookTool, Texts, read_playbook
from minagent_lab.stepping.playbook_examples import EXAMPLES
from minagent_lab.stepping.playbook_text import code_of_playbook, layout, script_text, texts_of
from minagent_lab.tools import Tool
from minagent_lab.values import copy_json, dump_json

CALL = '{"call": {"id": "c1", "name": "add", "arguments": {"a": 2}}}'


def problems(script="[]", tools="{}", prompt='"Hi"'):
    try:
        read_playbook(Texts(prompt, script, tools))
    except PlaybookError as error:
        return [f"{one.line}:{one.column} {one.words}" for one in error.problems]
    return []


def script_of(text):
    return list(read_playbook(Texts('"Hi"', text)).script)


# ---- JSON itself: what is wrong, and where


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('[\n  "a"\n  "b"\n]', "2:6", 'a comma is missing after "a"'),
        ('[\n  "a",\n]', "2:6", "no comma stands after the last one; take it out"),
        ('["a",, "b"]', "1:6", "this comma is one too many; take it out"),
        ("['a']", "1:2", 'text stands in plain double quotes: "a"'),
        ("[“你好”]", "1:2", 'text stands in plain double quotes: "你好"'),
        ('["a"，"b"]', "1:5", "， is a wide mark of punctuation; type the plain ,"),
        ('[\n"a" // first\n]', "2:5", "JSON has no comments; take it out"),
        ('["a\\q"]', "1:4", "\\q is no escape; write \\\\ where a backslash is meant"),
        ('["a\tb"]', "1:4", 'a character that is not seen stands in this text; write "\\t"'),
        (
            '["\\ud83d"]',
            "1:2",
            "this text holds half of a character (\\ud800 to \\udfff); write the whole one",
        ),
        ('[\n\n"a"', "1:1", "this [ is never closed; write ] where it ends"),
        ('["a"}', "1:5", "here stands }, but the [ of line 1 is closed by ]"),
        ('["a\n"]', "1:2", 'this text is not closed in its line; end it with ", and write \\n for a new line'),
        (
            '["He said "hi"."]',
            "1:11",
            'the text is over at this quote; a quote that belongs to a text is written \\"',
        ),
        ("[hello]", "1:2", 'hello stands without quotes; text is written "hello"'),
        ('["a"] ["b"]', "1:7", "the text is over before this [; take the rest out, or put it inside"),
        ("", "1:1", "there is nothing here yet"),
        ("[" * 100, "1:92", "this is nested more than 90 deep; make it flatter"),
        ('["a": 1]', "1:5", 'here stands :; a colon follows a key in an object: {"key": value}'),
        ('[{"content"}]', "1:11", 'the key "content" has no value; write "content": and the value'),
        ('[{"content": }]', "1:12", 'the value of "content" is missing after the colon'),
        ('[{"content" "a"}]', "1:12", 'a colon is missing after "content"'),
        ('[{content: "a"}]', "1:3", 'a key stands in double quotes: "content"'),
        (
            '[{"content": "a",\n "\\u0063ontent": "b"}]',
            "2:2",
            'the key "content" stands twice in one object, first in line 1; keep one',
        ),
    ],
)
def test_what_is_no_json_is_told_at_its_place(text, place, words):
    assert problems(text) == [f"{place} {words}"]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("True", "JSON writes true for True"),
        ("None", "JSON writes null for None"),
        ("007", "007 is no number of JSON's; write 7"),
        ("+1", "+1 is no number of JSON's; write 1"),
        ("NaN", "NaN is no number of JSON's; write a plainer one, or text in quotes"),
        ("1e999", "1e999 is no number of JSON's; write a plainer one, or text in quotes"),
        ("9" * 5000, f"{'9' * 30}… is no number of JSON's; write a plainer one, or text in quotes"),
    ],
)
def test_what_python_writes_and_json_does_not(word, told):
    text = CALL.replace("2", word, 1)
    assert problems(f"[{text}]") == [f"1:{text.index(word) + 2} {told}"]


def test_small_mistakes_are_all_told_at_once_and_what_they_surround_is_read_as_well():
    text = "[\n  {'content': 'a', stop_reason: 'x',},\n  5\n  \"b\"\n]"
    lines = [one.split(":")[0] for one in problems(text)]
    assert lines == ["2", "2", "2", "2", "2", "3", "3"]


def test_a_text_full_of_mistakes_ends_after_some():
    assert len(problems("," * 100_000)) == 1
    assert 30 < len(problems("[" + "," * 100_000)) < 50


def test_a_byte_order_mark_is_passed_over():
    assert script_of('\ufeff["a"]') == ["a"]


# ---- the script


def test_the_kinds_of_item():
    call, other = ToolCall("c1", "add", {"a": 2}), ToolCall("c2", "add", {})
    assert script_of('["你好"]') == ["你好"]
    assert script_of(f"[{CALL}]") == [[call]]
    two = '[{"id": "c1", "name": "add", "arguments": {"a": 2}}, {"id": "c2", "name": "add", "arguments": {}}]'
    assert script_of(f'[{{"calls": {two}}}]') == script_of(f"[{two}]") == [[call, other]]
    assert script_of(f"[[{CALL}]]") == [[call]]
    cut = '[{"content": "It", "stop_reason": "max_tokens", "usage": {"input_tokens": 3}, "model": "m"}]'
    assert script_of(cut) == [ModelResponse(Message("assistant", "It"), "max_tokens", {"input_tokens": 3}, "m")]


def test_an_item_with_calls_stops_for_them_unless_it_says_otherwise():
    text = CALL.replace("{", '{"content": "Let me see.", ', 1)
    assert script_of(f"[{text}]")[0].stop_reason == "tool_use"
    text = text.replace("{", '{"stop_reason": "max_tokens", ', 1)
    assert script_of(f"[{text}]")[0].stop_reason == "max_tokens"


def test_the_turns_of_a_fixture_are_read_as_the_fixture_is():
    call = CALL[1:-1]
    text = f'[{{"kind": "text", "content": "a"}}, {{"kind": "tool_call", {call}}}, {{"kind": "response", {call}}}]'
    plain, calls, whole = script_of(text)
    assert (plain, calls) == ("a", [ToolCall("c1", "add", {"a": 2})])
    assert whole.stop_reason == "end_turn"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"turns": []}',
            "the script is an object; write a list of items: [...]; of a fixture, only what stands after",
        ),
        ("[5]", "an item of a script is a number; write text in quotes, or"),
        ('[{"kind": "text"}]', 'the field "content" is missing here; add "content": …'),
        ('[{"kind": "tool_call"}]', 'this item says nothing; write "content": text, or "call": {…}'),
        ("[{}]", 'this item says nothing; write "content": text, or "call": {…}'),
        ("[[]]", 'calls are an empty list; write a list of one or more: [{"id": "c1", "name": …}]'),
        ('[{"kind": "tool_cal"}]', 'unknown kind of item, "tool_cal"; did you mean "tool_call"?'),
        (
            '[{"kind": "error"}]',
            'unknown kind of item, "error"; use text, tool_call, response, or leave it out; an err',
        ),
        ('[{"kind": 5}]', "unknown kind of item, a number; use text, tool_call, response, or leave it out"),
        ('[{"contnt": "a"}]', 'nobody knows the field "contnt" here; did you mean "content"?'),
        ('[{"zzz": "a"}]', 'nobody knows the field "zzz" here; there are content, call, calls, stop_reason, usage, mo'),
        ('[{"content": 5}]', '"content" is a number; write text in quotes'),
        ('[{"content": "a", "stop_reason": ""}]', '"stop_reason" is empty; write "end_turn", "max_tokens" …'),
        ('[{"content": "a", "usage": {"input_tokens": -1}}]', "usage['input_tokens'] is -1; it counts tokens: a whole"),
        ('[{"call": {"name": "add", "arguments": {}}}]', 'the field "id" is missing here; add "id": …'),
        ('[{"call": {"id": "", "name": "a", "arguments": {}}}]', '"id" is empty; give it some text'),
        (
            '[{"call": {"id": "c", "name": "a", "arguments": []}}]',
            '"arguments" is a list; write an object, {} for none',
        ),
        ('[{"call": "add"}]', 'here stands text; write an object: {"id": …, "name": …, "arguments": …}'),
        (f'[{{"calls": [], {CALL[1:]}]', '"call" and "calls" stand in one item; write all of them in "calls"'),
    ],
)
def test_what_is_no_script_is_told(text, told):
    (found,) = problems(text)
    assert found.split(" ", 1)[1].startswith(told)


def test_an_id_belongs_to_one_call_and_the_same_call_may_come_again():
    assert problems(f"[{CALL},\n {CALL}]") == []  # an endless loop
    other = CALL.replace("2", "3")
    assert problems(f"[{CALL},\n {other}]") == [
        '2:18 the id "c1" belongs to another call, in line 1; give this one its own'
    ]
    assert problems(f"[[{CALL},\n {CALL}]]") == [
        '2:18 the id "c1" belongs to another call, in line 1; give this one its own'
    ]


# ---- the prompt, the tools


def test_the_prompt_is_text_or_an_object():
    assert read_playbook(Texts('"Hi"')) == Playbook("Hi")
    assert read_playbook(Texts('{"prompt": "Hi", "system": "S", "max_steps": 3}')) == Playbook("Hi", "S", 3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "the prompt is a list; write text in quotes, or"),
        ("{}", 'the field "prompt" is missing here; add "prompt": …'),
        ('{"prompt": "a", "sistem": "b"}', 'nobody knows the field "sistem" here; did you mean "system"?'),
        ('{"prompt": "a", "max_steps": 0}', '"max_steps" is 0; write a number from 1 to 1000'),
        (f'{{"prompt": "a", "max_steps": {"9" * 400}}}', f'"max_steps" is {"9" * 30}…; write a number from 1 to 1000'),
        ('{"prompt": "a", "max_steps": 1e3}', '"max_steps" is a number; write a whole number'),
        ('{"prompt": "a", "max_steps": true}', '"max_steps" is true; write a whole number'),
    ],
)
def test_what_is_no_prompt_is_told(text, told):
    (found,) = problems(prompt=text)
    assert found.split(" ", 1)[1].startswith(told)


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("[]", "1:1", "the tools are a list; write an object:"),
        ('{"t": 5}', "1:7", 'here stands a number; write an object: {"results": …}'),
        ('{"t": {}}', "1:7", 'the field "results" is missing here; add "results": …'),
        ('{"t": {\n"results": []}}', "2:12", '"results" is an empty list; write a list, one after the other:'),
        ('{"t": {"results": 5}}', "1:19", '"results" is a number; write a list'),
        ('{"a b": {"results": ["5"]}}', "1:2", "a tool's name is 1 to 64 of"),
        ('{"t": {"result": ["5"], "results": [1]}}', "1:8", 'nobody knows the field "result" here; did you mean'),
        ('{"t": {"results": [1],\n"parameters": {"type": "objekt"}}}', "2:15", "tool t: parameters has the type"),
        ('{"t": {"results": [{"error": 5}]}}', "1:30", '"error" holds no text; write "error":'),
        ('{"t": {"results": {"error": 5}}}', "1:29", '"error" holds no text; write "error":'),
        ('{"t": {"results": {"{a": 5}}}', "1:20", "this key is not understood: it begins like arguments"),
        (
            '{"t": {"results": {"{\\"a\\":1}": 5,\n"{\\"a\\": 1}": 6}}}',
            "2:1",
            "there is a result for these arguments already",
        ),
    ],
)
def test_what_is_no_tool_is_told(text, place, told):
    (found,) = problems(tools=text)
    assert found.startswith(f"{place} {told}")


def test_one_text_holds_all_three():
    one = '{"prompt": "Hi", "system": "S", "script": ["a"], "tools": {"t": {"results": ["5"]}}}'
    tool = PlaybookTool("t", "", {"type": "object"}, ["5"])
    assert read_playbook(one) == Playbook("Hi", "S", script=("a",), tools=(tool,))
    with pytest.raises(PlaybookError) as caught:
        read_playbook('{"prompt": 5,\n "script": [5],\n "tool": {}}')
    assert [one.line for one in caught.value.problems] == [1, 2, 3]
    assert str(caught.value).startswith('line 1: "prompt" is a number; write text in quotes\nline 2: ')


def test_all_three_texts_are_read_whatever_is_wrong_in_one():
    with pytest.raises(PlaybookError) as caught:
        read_playbook(Texts("5", "5", "5"))
    assert [one.part for one in caught.value.problems] == ["prompt", "script", "tools"]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


# ---- results without code


def results_of(results, *arguments):
    tool = Tool("t", "", {"type": "object"}, ScriptedResults(results))
    return [tool.use(each) for each in arguments]


def test_results_of_a_list_come_one_after_the_other_and_the_last_one_stays():
    assert [got.content for got in results_of(["a", {"b": 1}], {}, {}, {})] == ["a", '{"b": 1}', '{"b": 1}']


def test_results_stand_under_their_arguments_as_json_or_as_values():
    results = {'{"b": 2, "a": 1}': "both", "北京": 5, "x, 3": True}
    got = results_of(results, {"a": 1, "b": 2}, {"city": "北京"}, {"p": "x", "q": 3})
    assert [one.content for one in got] == ["both", "5", "true"]


def test_arguments_without_a_result_are_an_error_that_names_them():
    (got,) = results_of({"北京": 5}, {"city": "上海"})
    assert got.error == "tool_failed"
    assert 'no result is written for {\\"city\\": \\"上海\\"}; there are results for 北京' in got.content


def test_an_error_is_raised_always_or_when_its_turn_comes():
    assert [got.error for got in results_of(["a", {"error": "ValueError: b"}], {}, {})] == [None, "tool_failed"]
    always = results_of({"error": "ValueError: b"}, {}, {"x": 1})
    assert [got.content for got in always] == ['{"error": "ValueError: b"}'] * 2


@pytest.mark.parametrize("text", ["ValueError: no", "KeyError: 'coffee'", "TimeoutError", "OSError: 5", "KeyError: 5"])
def test_an_error_is_read_as_it_is_written(text):
    assert results_of({"error": text}, {})[0].content == dump_json({"error": text}).replace(
        text, text if text != "KeyError: 5" else "RuntimeError: KeyError: 5"
    )


@pytest.mark.parametrize(
    "text", ["SystemExit: 1", "KeyboardInterrupt", "UnicodeDecodeError: x", "", "print: x", "a: b"]
)
def test_whatever_text_an_error_has_it_is_an_ordinary_exception(text):
    assert isinstance(exception_of(text), Exception)


def test_a_tool_without_code_checks_its_arguments_like_any_tool():
    schema = {"type": "object", "required": ["a"]}
    used = PlaybookTool("t", "", schema, ["5"]).made().use({})
    assert used.content == '{"error": "TypeError: missing required: a"}'


def test_an_argument_may_have_any_name():
    assert results_of(["5"], {"self": 1, "results": 2})[0].content == "5"


@pytest.mark.parametrize(("results", "kind"), [([], ValueError), ({}, ValueError), ("5", TypeError)])
def test_what_are_no_results_is_refused(results, kind):
    with pytest.raises(kind, match="write"):
        ScriptedResults(results)


# ---- the run, and back to text


def test_each_stepper_is_a_run_of_its_own():
    playbook = read_playbook(EXAMPLES["One tool"])
    for _ in range(2):
        walk = playbook.stepper()
        walk.run_to_end()
        assert walk.result.final == "2 + 3 is 5."


def test_the_examples_show_what_their_names_say():
    ends = {}
    for name, texts in EXAMPLES.items():
        walk = read_playbook(texts).stepper()
        walk.run_to_end()
        ends[name] = (walk.status, len(walk.turns), [len(turn.results) for turn in walk.turns])
    assert ends == {
        "One tool": ("completed", 2, [1, 0]),
        "Parallel calls": ("completed", 2, [2, 0]),
        "An endless loop": ("max_steps", 4, [1, 1, 1, 1]),
        "A cut answer": ("truncated", 1, [0]),
    }


@pytest.mark.parametrize("texts", EXAMPLES.values(), ids=EXAMPLES)
def test_the_code_of_a_playbook_makes_the_same_run(texts):
    playbook = read_playbook(texts)
    walk = playbook.stepper()
    walk.run_to_end()
    names = {}
    shown = []
    code = code_of_playbook(playbook, walk).replace("\nstep(", "\nshown(")
    exec(code, {"shown": lambda *args, **named: shown.append((args, named))}, names)
    ((model, registry, prompt), named) = shown[0]
    at = named.pop("at")
    again = type(walk)(model, registry, prompt, **named)
    again.run_to_end()
    assert (again.result.messages, again.status, at) == (walk.result.messages, walk.status, len(walk.turns))


def test_the_text_of_a_script_is_short():
    script = [[ToolCall("c1", "add", {"a": 2})], "5"]
    assert script_text(script).splitlines() == [
        "[",
        '  {"call": {',
        '    "id": "c1",',
        '    "name": "add",',
        '    "arguments": {"a": 2}',
        "  }},",
        '  "5"',
        "]",
    ]
    assert layout({}) == "{}"


def test_what_json_cannot_say_has_no_text():
    from minagent_lab import Expect

    with pytest.raises(TypeError, match="script item 1 is an Expect"):
        script_text([Expect("a", request=lambda _: True)])


TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, DATA, max_size=3)


@st.composite
def responses(draw, numbers):
    calls = [
        ToolCall(f"c{next(numbers)}", draw(TEXT.filter(bool)), draw(OBJECTS)) for _ in range(draw(st.integers(0, 2)))
    ]
    kind = draw(st.sampled_from(["text", "calls", "response"]))
    if kind == "text" or (kind == "calls" and not calls):
        return draw(TEXT)
    if kind == "calls":
        return calls
    usage = draw(st.fixed_dictionaries({}, optional={"input_tokens": st.integers(0, 9), "note": DATA}))
    reason = draw(st.sampled_from(["end_turn", "tool_use", "max_tokens"]))
    return ModelResponse(Message("assistant", draw(TEXT), calls), reason, usage, draw(TEXT))


@st.composite
def playbooks(draw):
    numbers = iter(range(1000))
    script = [draw(responses(numbers)) for _ in range(draw(st.integers(0, 4)))]
    names = draw(st.lists(st.from_regex(r"[A-Za-z0-9_-]{1,8}", fullmatch=True), max_size=2, unique=True))
    results = st.lists(DATA.filter(lambda held: not (isinstance(held, dict) and set(held) == {"error"})), min_size=1)
    tools = [PlaybookTool(name, draw(TEXT), {"type": "object"}, draw(results)) for name in names]
    system = draw(st.none() | TEXT)
    return Playbook(draw(TEXT), system, draw(st.integers(1, 1000)), tuple(script), tuple(tools))


def normal(playbook):
    """A script keeps its items in the shortest form."""
    from minagent_lab.fakes.script import Script

    return Playbook(
        playbook.prompt, playbook.system, playbook.max_steps, tuple(Script(playbook.script).items()), playbook.tools
    )


@given(playbooks())
@settings(max_examples=60, deadline=None)
def test_what_is_written_down_is_read_as_the_same(playbook):
    assert read_playbook(texts_of(playbook)) == normal(playbook)


@given(DATA)
@settings(deadline=None)
def test_a_text_that_is_json_has_no_mistakes_and_says_what_it_says(data):
    for text in (dump_json(data), layout(data)):
        node, found = read_places(text)
        assert found == []
        assert node.data == copy_json(data)
        assert dump_json(node.data) == dump_json(data)


SIGNS = [*"[]{},:\"'\\ \n/#;=“，：0-.tnu\u3000\ud800", "null", "True", "error", "kind", "c1", "é", "🙂"]


@given(st.sampled_from(sorted(EXAMPLES)), st.integers(0, 10**9), st.integers(1, 6))
@settings(max_examples=300, deadline=None)
def test_a_damaged_text_raises_nothing_but_the_one_error_and_names_lines_that_are_there(name, seed, times):
    chance = random.Random(seed)
    texts = list(EXAMPLES[name])
    for _ in range(times):
        which = chance.randrange(3)
        text = texts[which]
        start = chance.randrange(len(text) + 1)
        end = min(start + chance.choice([0, 0, 1, 1, 3, 20]), len(text))
        texts[which] = text[:start] + chance.choice(["", chance.choice(SIGNS), text[end : end + 9]]) + text[end:]
    check_problems(Texts(*texts))


@given(st.tuples(*[st.lists(st.sampled_from(SIGNS), max_size=30).map("".join)] * 3).map(Texts._make))
@settings(max_examples=300, deadline=None)
def test_whatever_is_typed_raises_nothing_but_the_one_error(texts):
    check_problems(Texts(*texts))


def check_problems(texts):
    found = []
    try:
        playbook = read_playbook(texts)
    except PlaybookError as error:
        found = error.problems
    else:
        playbook.stepper().run_to_end()
        assert read_playbook(texts_of(playbook)) == playbook
    for one in found:
        text = getattr(texts, one.part)
        lines = text.split("\n")
        assert 1 <= one.line <= len(lines)
        assert 1 <= one.column <= len(lines[one.line - 1]) + 1
        assert 0 <= one.at <= len(text)
        assert one.words


@pytest.mark.parametrize("depth", [20, 40, 80, 85])
def test_a_schema_as_deep_as_can_be_is_a_tool_or_a_problem(depth):
    schema = '{"type": "object", "properties": {"a": ' * (depth // 2) + '{"type": "object"}' + "}}" * (depth // 2)
    tools = f'{{"t": {{"results": ["5"], "parameters": {schema}}}}}'
    check_problems(Texts('"Hi"', '[{"call": {"id": "c", "name": "t", "arguments": {}}}, "5"]', tools))
