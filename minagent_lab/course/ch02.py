"""Chapter 02, tools and their registry: predictions, exercises and quiz."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from minagent_lab import FakeModel, RunResult, ScriptExhausted, Tool, ToolRegistry, run
from minagent_lab.course.exercise import Exercise, Mutant, WrongTest, is_function, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.course.shop import ONE_ITEM, PRICES, shop, world
from minagent_lab.messages import ToolCall

TITLE = "Tools and their registry"
MENU = {"茶": 12, "蛋糕": 8}
MISTAKES = [  # those of section 4
    [ToolCall("c1", "prise", {"item": "tea"})],
    [ToolCall("c2", "price", {})],
    [ToolCall("c3", "price", {"item": "coffee"})],
    [ToolCall("c4", "price", {"item": "tea"})],
    "Tea costs 12. We have no coffee.",
]


def price(item: str) -> int:
    """Return what an item costs."""
    return PRICES[item]


def add(a: float, b: float) -> float:
    """Return the sum."""
    return a + b


def slow() -> None:
    """Behave as a tool does when somebody presses the stop button."""
    raise KeyboardInterrupt


def _world() -> dict[str, Any]:
    return {**world(), "price": price, "add": add, "slow": slow, "MENU": MENU, "MISTAKES": MISTAKES}


# ---- 2.1 ------------------------------------------------------------------------------------------------------------


def _problems(schema: Any, arguments: dict[str, Any]) -> list[str]:
    try:
        return Tool("order", "Order an item", schema, lambda **_: "ordered").problems(arguments)
    except (TypeError, ValueError) as problem:
        raise AssertionError(f"no tool takes this schema: {problem}") from None


def _must_fit(schema: Any, arguments: dict[str, Any]) -> None:
    problems = _problems(schema, arguments)
    assert problems == [], f"{arguments} should fit; your schema says: {'; '.join(problems)}"


def _must_not_fit(schema: Any, arguments: dict[str, Any], why: str) -> None:
    assert _problems(schema, arguments), f"{arguments} fits; {why}"


def test_good_orders_fit(schema: Any) -> None:
    for arguments in ({"item": "tea", "count": 2}, {"item": "tea", "count": 1}):
        _must_fit(schema, arguments)


def test_a_note_may_be_there_or_left_out(schema: Any) -> None:
    _must_fit(schema, {"item": "tea", "count": 2, "note": "hot"})
    _must_fit(schema, {"item": "tea", "count": 2})


def test_item_and_note_are_text(schema: Any) -> None:
    _must_not_fit(schema, {"item": 7, "count": 1}, "item is text")
    _must_not_fit(schema, {"item": "tea", "count": 1, "note": 5}, "note is text")


def test_count_is_a_whole_number(schema: Any) -> None:
    _must_not_fit(schema, {"item": "tea", "count": "two"}, "count is a number")
    _must_not_fit(schema, {"item": "tea", "count": 1.5}, "nobody can bring one and a half")


def test_count_is_1_or_more(schema: Any) -> None:
    for count in (0, -1):
        _must_not_fit(schema, {"item": "tea", "count": count}, "an order begins at 1")


def test_item_and_count_may_not_be_left_out(schema: Any) -> None:
    _must_not_fit(schema, {"count": 1}, "item may not be left out; say so in required")
    _must_not_fit(schema, {"item": "tea"}, "count may not be left out; say so in required")


DESCRIBE = Exercise(
    id="2.1",
    title="Describe a tool",
    thing="order_schema",
    wants="a dict, the JSON Schema of a tool",
    fits=lambda thing: isinstance(thing, dict),
    starter="""
order_schema = {
    "type": "object",
    "properties": {"item": {}, "count": {}, "note": {}},
}
""",
    hints=[
        "An empty schema, {}, lets everything through. Give each property its type.",
        'The table of section 1 has a word for whole numbers, and one for "no less than".',
        'What may not be left out stands in a list of names: `"required": [...]`, beside `"properties"`, not inside it.',
    ],
    solution="""
order_schema = {
    "type": "object",
    "properties": {
        "item": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "note": {"type": "string"},
    },
    "required": ["item", "count"],
}
""",
    tests=[
        test_good_orders_fit,
        test_a_note_may_be_there_or_left_out,
        test_item_and_note_are_text,
        test_count_is_a_whole_number,
        test_count_is_1_or_more,
        test_item_and_count_may_not_be_left_out,
    ],
    mutants=[
        Mutant(
            "takes any number",
            '"integer"',
            '"number"',
            "test_count_is_a_whole_number",
            "1.5 is a number too; only integer means whole.",
        ),
        Mutant(
            "takes the number as text",
            '"integer", "minimum": 1',
            '"string"',
            "test_good_orders_fit",
            "The model sends JSON, in which 2 is a number without quotes.",
        ),
        Mutant(
            "uses Python's name of the type",
            '"integer"',
            '"int"',
            "test_good_orders_fit",
            "A JSON Schema has names of its own: integer, string, boolean.",
        ),
        Mutant(
            "lets zero through",
            '"minimum": 1',
            '"minimum": 0',
            "test_count_is_1_or_more",
            "minimum is the smallest value that still fits.",
        ),
        Mutant(
            "shuts out one",
            '"minimum": 1',
            '"exclusiveMinimum": 1',
            "test_good_orders_fit",
            "exclusiveMinimum means more than, and one item is an order.",
        ),
        Mutant(
            "requires everything",
            '["item", "count"]',
            '["item", "count", "note"]',
            "test_a_note_may_be_there_or_left_out",
            "What is described need not be required; that is two decisions.",
        ),
        Mutant(
            "requires nothing",
            '    "required": ["item", "count"],\n',
            "",
            "test_item_and_count_may_not_be_left_out",
            "Properties say what may come; only required says what must.",
        ),
        Mutant(
            "puts required inside the properties",
            '    },\n    "required": ["item", "count"],\n',
            '        "required": {"enum": ["item", "count"]},\n    },\n',
            "test_item_and_count_may_not_be_left_out",
            "There it describes an argument called required.",
        ),
    ],
    world=_world,
)


# ---- 2.2 ------------------------------------------------------------------------------------------------------------


def _told(answer: Any) -> str:
    """Return the error that an answer tells of."""
    try:
        return str(json.loads(answer)["error"])
    except (TypeError, ValueError, KeyError):
        raise AssertionError(f'it returned {shown(answer)}, and that is not JSON text {{"error": …}}') from None


def _answered(safe_call: Any, tools: dict[str, Any], name: str, arguments: dict[str, Any]) -> str:
    try:
        return _told(safe_call(tools, name, arguments))
    except AssertionError:
        raise
    except Exception as problem:
        raise AssertionError(f"{type(problem).__name__} came out, and would end the run") from None


def test_a_result_is_JSON_text(safe_call: Any) -> None:  # noqa: N802  (its name)
    expect(safe_call({"add": add}, "add", {"a": 12, "b": 8}), "20", "the sum of 12 and 8:")
    expect(safe_call({"nothing": lambda: None}, "nothing", {}), "null", "None, as JSON:")
    expect(safe_call({"open": lambda: True}, "open", {}), "true", "True, as JSON:")


def test_double_quotes_do_not_break_it(safe_call: Any) -> None:
    expect(safe_call({"say": lambda: 'the "big" cake'}, "say", {}), json.dumps('the "big" cake'), "a text with quotes:")
    told = _answered(safe_call, {"price": price}, "price", {"item": 'the "big" cake'})
    assert "big" in told, f"the model reads {told!r}, and does not learn what was missing"


def test_Chinese_stays_readable(safe_call: Any) -> None:  # noqa: N802  (a name)
    expect(safe_call({"menu": lambda: MENU}, "menu", {}), '{"茶": 12, "蛋糕": 8}', "the menu:")


def test_what_a_tool_raises_becomes_an_error_with_its_type(safe_call: Any) -> None:
    for arguments, kind in (({"item": "coffee"}, "KeyError"), ({"colour": "red"}, "TypeError")):
        told = _answered(safe_call, {"price": price}, "price", arguments)
        assert kind in told, f"price {arguments} raises a {kind}; the model reads {told!r}"


def test_it_also_says_what_was_raised(safe_call: Any) -> None:
    told = _answered(safe_call, {"price": price}, "price", {"item": "coffee"})
    assert "coffee" in told, f"the model reads {told!r}, and does not learn what was missing"


def test_an_unknown_tool_is_named(safe_call: Any) -> None:
    told = _answered(safe_call, {"price": price}, "prise", {"item": "tea"})
    assert "prise" in told, f"say which tool is unknown; the model reads {told!r}"
    assert "KeyError" not in told, f"{told!r} looks as if a tool had failed; no tool ran"


def test_a_failing_tool_is_not_called_unknown(safe_call: Any) -> None:
    known = _answered(safe_call, {"price": price}, "price", {"item": "coffee"})
    unknown = _answered(safe_call, {}, "price", {"item": "coffee"})
    assert known != unknown, f"a tool that fails and one that is not there both read {known!r}"


@says("Ctrl-C gets through")
def test_Ctrl_C_gets_through(safe_call: Any) -> None:  # noqa: N802  (its name)
    try:
        stopped = safe_call({"slow": slow}, "slow", {})
    except KeyboardInterrupt:
        return
    raise AssertionError(f"the stop button became {shown(stopped)}, and the run goes on")


SAFE_CALL = Exercise(
    id="2.2",
    title="A counter that does not fall over",
    thing="safe_call",
    wants="a function safe_call(tools, name, arguments)",
    fits=is_function,
    starter="""
import json

def safe_call(tools, name, arguments):
    return str(tools[name](**arguments))
""",
    hints=[
        "Three ways out: the tool is unknown, the tool raises, the tool returns. Each returns a text.",
        "`json.dumps(x, ensure_ascii=False)` makes the text. Ask `if name not in tools` first.",
        "`except Exception as problem`, not a bare `except`. The type's name is `type(problem).__name__`.",
    ],
    solution="""
import json

def safe_call(tools, name, arguments):
    if name not in tools:
        return json.dumps({"error": f"unknown tool {name}"}, ensure_ascii=False)
    try:
        return json.dumps(tools[name](**arguments), ensure_ascii=False)
    except Exception as problem:
        return json.dumps({"error": f"{type(problem).__name__}: {problem}"}, ensure_ascii=False)
""",
    tests=[
        test_a_result_is_JSON_text,
        test_double_quotes_do_not_break_it,
        test_Chinese_stays_readable,
        test_what_a_tool_raises_becomes_an_error_with_its_type,
        test_it_also_says_what_was_raised,
        test_an_unknown_tool_is_named,
        test_a_failing_tool_is_not_called_unknown,
        test_Ctrl_C_gets_through,
    ],
    mutants=[
        Mutant(
            "uses str for the result",
            "json.dumps(tools[name](**arguments), ensure_ascii=False)",
            "str(tools[name](**arguments))",
            "test_a_result_is_JSON_text",
            "str writes for Python programmers: None and True are no JSON.",
        ),
        Mutant(
            "writes the JSON by hand",
            """return json.dumps({"error": f"{type(problem).__name__}: {problem}"}, ensure_ascii=False)""",
            """return '{"error": "' + f"{type(problem).__name__}: {problem}" + '"}'""",
            "test_double_quotes_do_not_break_it",
            "A double quote inside the words ends the text too early; json.dumps knows that, a + does not.",
        ),
        Mutant(
            "passes text on as it is",
            "return json.dumps(tools[name](**arguments), ensure_ascii=False)",
            "result = tools[name](**arguments)\n"
            "        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)",
            "test_double_quotes_do_not_break_it",
            "The registry does so, and then a text may look like an error; here text becomes JSON too.",
        ),
        Mutant(
            "leaves ensure_ascii as it is",
            "(**arguments), ensure_ascii=False)",
            "(**arguments))",
            "test_Chinese_stays_readable",
            "By default json.dumps writes 茶 as six characters that nobody can read.",
        ),
        Mutant(
            "catches everything",
            "except Exception as problem",
            "except BaseException as problem",
            "test_Ctrl_C_gets_through",
            "Ctrl-C is not an Exception on purpose, so that except Exception lets it through.",
        ),
        Mutant(
            "does not ask whether the tool is there",
            '    if name not in tools:\n        return json.dumps({"error": f"unknown tool {name}"}, ensure_ascii=False)\n',
            "",
            "test_an_unknown_tool_is_named",
            "tools[name] raises a KeyError of its own, which reads like one of the tool's.",
        ),
        Mutant(
            "takes every KeyError for an unknown tool",
            "    except Exception as problem:",
            '    except KeyError:\n        return json.dumps({"error": f"unknown tool {name}"})\n    except Exception as problem:',
            "test_a_failing_tool_is_not_called_unknown",
            "A tool may raise a KeyError itself; ask for the name before you call.",
        ),
        Mutant(
            "says only the type",
            '{type(problem).__name__}: {problem}"',
            '{type(problem).__name__}"',
            "test_it_also_says_what_was_raised",
            "The type says what kind of trouble it is, the words say with what.",
        ),
        Mutant(
            "says only the words",
            '{type(problem).__name__}: {problem}"',
            '{problem}"',
            "test_what_a_tool_raises_becomes_an_error_with_its_type",
            "The words of a KeyError are just 'coffee', which is no sentence.",
        ),
        Mutant(
            "raises for an unknown tool",
            'return json.dumps({"error": f"unknown tool {name}"}, ensure_ascii=False)',
            'raise ValueError(f"unknown tool {name}")',
            "test_an_unknown_tool_is_named",
            "An exception ends the run; the model could have spelled the name right.",
        ),
        Mutant(
            "catches one kind only",
            "except Exception as problem",
            "except KeyError as problem",
            "test_what_a_tool_raises_becomes_an_error_with_its_type",
            "A tool may raise anything, and wrong arguments are a TypeError.",
        ),
    ],
    world=_world,
)


# ---- 2.3 ------------------------------------------------------------------------------------------------------------


def _served(script: Any) -> RunResult:
    try:
        model = FakeModel(script)
    except (TypeError, ValueError):
        raise AssertionError("FakeModel has to take the script first") from None
    try:
        return run(model, shop(), "What do tea and cake cost?")
    except ScriptExhausted:
        raise AssertionError("the script ends before the answer; after a tool the model is asked once more") from None


def _kind(script: Any, place: int) -> Any:
    kinds = [step.result.error for step in _served(script).steps if step.result]
    assert place < len(kinds), f"there {'is' if len(kinds) == 1 else 'are'} only {len(kinds)} of four tool calls"
    return kinds[place] or "no error"


def test_a_FakeModel_takes_my_script(script: Any) -> None:  # noqa: N802  (its name)
    FakeModel(script)


def test_the_first_call_is_an_unknown_tool(script: Any) -> None:
    expect(_kind(script, 0), "unknown_tool", "kind of error:")


def test_the_second_has_arguments_that_do_not_fit(script: Any) -> None:
    expect(_kind(script, 1), "invalid_arguments", "kind of error:")


def test_the_third_is_a_tool_that_fails(script: Any) -> None:
    expect(_kind(script, 2), "tool_failed", "kind of error:")


def test_the_fourth_works(script: Any) -> None:
    expect(_kind(script, 3), "no error", "kind of error:")


@says("there are four calls, one per turn, and an answer")
def test_there_are_four_calls_one_per_turn_and_an_answer(script: Any) -> None:
    result = _served(script)
    expect([len(m.tool_calls) for m in result.messages if m.role == "assistant"], [1, 1, 1, 1, 0], "calls per turn:")


def test_nothing_is_left_over(script: Any) -> None:
    made = sum(m.role == "assistant" for m in _served(script).messages)
    assert made == len(script), f"the script has {len(script)} items, and the answer in item {made} ends the run"


def test_the_mistakes_are_other_ones_than_those_of_section_4(script: Any) -> None:
    old = [(call.name, call.arguments) for turn in MISTAKES[:3] for call in turn if isinstance(call, ToolCall)]
    mine = [(step.call.name, step.call.arguments) for step in _served(script).steps if step.call][:3]
    for name, arguments in mine:
        assert (name, arguments) not in old, f"{name} {arguments} stands in section 4; find another"
    assert len(mine) == 3, f"there {'is' if len(mine) == 1 else 'are'} only {len(mine)} of four tool calls"


MAKE_MISTAKES = Exercise(
    id="2.3",
    title="Make the mistakes",
    thing="my_script",
    wants="a list, your script",
    fits=lambda thing: isinstance(thing, list),
    starter="""
my_script = [
    [ToolCall("c1", "add", {"a": 12, "b": 8})],
    "Together they cost 20.",
]
""",
    hints=[
        "Look at the table of section 4: who errs in each of the three kinds, and does the tool run?",
        "`sum` is no tool here. `add` wants two numbers, and both.",
        "Which tool fails although its arguments fit? `price` does, for what is not on the list. It must not be coffee.",
    ],
    solution="""
my_script = [
    [ToolCall("c1", "sum", {"a": 12, "b": 8})],
    [ToolCall("c2", "add", {"a": 12})],
    [ToolCall("c3", "price", {"item": "milk"})],
    [ToolCall("c4", "add", {"a": 12, "b": 8})],
    "Together they cost 20.",
]
""",
    tests=[
        test_a_FakeModel_takes_my_script,
        test_the_first_call_is_an_unknown_tool,
        test_the_second_has_arguments_that_do_not_fit,
        test_the_third_is_a_tool_that_fails,
        test_the_fourth_works,
        test_there_are_four_calls_one_per_turn_and_an_answer,
        test_nothing_is_left_over,
        test_the_mistakes_are_other_ones_than_those_of_section_4,
    ],
    mutants=[
        Mutant(
            "asks for no wrong tool",
            '"sum"',
            '"add"',
            "test_the_first_call_is_an_unknown_tool",
            "add is on the card; the registry knows just what was added to it.",
        ),
        Mutant(
            "takes zero for an argument that does not fit",
            '{"a": 12})',
            '{"a": 0, "b": 0})',
            "test_the_second_has_arguments_that_do_not_fit",
            "The schema asks for numbers, and 0 is one.",
        ),
        Mutant(
            "takes a missing argument for a tool that fails",
            '{"item": "milk"}',
            '{"name": "milk"}',
            "test_the_third_is_a_tool_that_fails",
            "Arguments are checked first, so this tool never ran and could not fail.",
        ),
        Mutant(
            "asks for something that is there",
            '"milk"',
            '"cake"',
            "test_the_third_is_a_tool_that_fails",
            "Only what is not on the list makes price fail.",
        ),
        Mutant(
            "gives up before the fourth",
            '    [ToolCall("c4", "add", {"a": 12, "b": 8})],\n',
            "",
            "test_the_fourth_works",
            "Three errors do not end a run; the model may still get it right.",
        ),
        Mutant(
            "makes two mistakes in one turn",
            '})],\n    [ToolCall("c2"',
            '}), ToolCall("c2"',
            "test_there_are_four_calls_one_per_turn_and_an_answer",
            "In one reply the model cannot have read the first error before it makes the second.",
        ),
        Mutant(
            "repeats a mistake of section 4",
            '"milk"',
            '"coffee"',
            "test_the_mistakes_are_other_ones_than_those_of_section_4",
            "Copying shows that you can read; finding one shows that you know the kind.",
        ),
        Mutant(
            "has no answer",
            '    "Together they cost 20.",\n',
            "",
            "test_there_are_four_calls_one_per_turn_and_an_answer",
            "After the fourth result the model is asked once more.",
        ),
        Mutant(
            "answers twice",
            '"Together they cost 20.",',
            '"Together they cost 20.", "Anything else?",',
            "test_nothing_is_left_over",
            "The first text ends the run; what stands after it is never played.",
        ),
    ],
    world=_world,
)


# ---- 2.4 ------------------------------------------------------------------------------------------------------------


def _read(kind_price: Any, item: str) -> str:
    registry = ToolRegistry()
    registry.add(Tool("price", "Price of one item", ONE_ITEM, kind_price))
    return registry.call("price", {"item": item})


def test_tea_still_costs_12(kind_price: Any) -> None:
    expect(_read(kind_price, "tea"), "12", "of tea the model reads a text; it")


def test_no_coffee_is_an_error(kind_price: Any) -> None:
    read = _read(kind_price, "coffee")
    assert read.startswith('{"error"'), f"the model reads {shown(read)}, which is no error; raise it, do not return it"


def test_it_is_a_ValueError(kind_price: Any) -> None:  # noqa: N802  (its name)
    read = _read(kind_price, "coffee")
    assert "ValueError" in read, f"the model reads {shown(read)}; raise a ValueError with words in it"


def test_it_names_what_was_asked_for(kind_price: Any) -> None:
    read = _read(kind_price, "coffee")
    assert "coffee" in read, f"the model reads {shown(read)}"
    assert "milk" in _read(kind_price, "milk"), f"asked for milk, the model reads {shown(_read(kind_price, 'milk'))}"


def test_it_names_all_that_there_is(kind_price: Any) -> None:
    read = _read(kind_price, "coffee")
    missing = [item for item in PRICES if item not in read]
    assert not missing, f"the model reads {shown(read)}; {' and '.join(missing)} it could have asked for"


def test_it_knows_what_comes_in_tomorrow(kind_price: Any) -> None:
    prices = getattr(kind_price, "__globals__", {}).get("PRICES")
    if not isinstance(prices, dict) or "biscuit" in prices:
        return
    prices["biscuit"] = 3
    try:
        read = _read(kind_price, "coffee")
    finally:
        del prices["biscuit"]
    assert "biscuit" in read, f"with biscuits in PRICES the model still reads {shown(read)}; take the names from there"


KIND_PRICE = Exercise(
    id="2.4",
    title="An error that helps",
    thing="kind_price",
    wants="a function kind_price(item)",
    fits=is_function,
    starter="""
def kind_price(item):
    return PRICES[item]
""",
    hints=[
        "Two cases. Ask `if item not in PRICES` before you look the price up.",
        '`raise ValueError(f"no {item} here; …")`: everything in these words is what the model reads.',
        'The names of a dict, joined: `", ".join(PRICES)`.',
    ],
    solution="""
def kind_price(item):
    if item not in PRICES:
        raise ValueError(f"no {item} here; there is {', '.join(PRICES)}")
    return PRICES[item]
""",
    tests=[
        test_tea_still_costs_12,
        test_no_coffee_is_an_error,
        test_it_is_a_ValueError,
        test_it_names_what_was_asked_for,
        test_it_names_all_that_there_is,
        test_it_knows_what_comes_in_tomorrow,
    ],
    mutants=[
        Mutant(
            "returns the words",
            "raise ValueError(",
            "return (",
            "test_no_coffee_is_an_error",
            "A returned text is a result; nothing marks it as an error, for a test as little as for the model.",
        ),
        Mutant(
            "raises a KeyError with words",
            "raise ValueError(",
            "raise KeyError(",
            "test_it_is_a_ValueError",
            "A KeyError shows its words in quotes, as if they were a key.",
        ),
        Mutant(
            "does not name what was asked for",
            "no {item} here; there",
            "unknown item; there",
            "test_it_names_what_was_asked_for",
            "A model that asked for three things does not know which one is meant.",
        ),
        Mutant(
            "does not say what there is",
            "; there is {', '.join(PRICES)}",
            "",
            "test_it_names_all_that_there_is",
            "Knowing what is wrong is half the help; the other half is what would be right.",
        ),
        Mutant(
            "writes the list by hand",
            "{', '.join(PRICES)}",
            "tea, cake",
            "test_it_knows_what_comes_in_tomorrow",
            "A list that stands in two places is wrong in one of them some day.",
        ),
        Mutant(
            "asks the wrong way round",
            "if item not in PRICES",
            "if item in PRICES",
            "test_tea_still_costs_12",
            "Now what is there is refused, and what is missing is looked up.",
        ),
    ],
    world=_world,
)


# ---- 2.5 ------------------------------------------------------------------------------------------------------------

REGISTRY_SOURCE = """
import json

def error(words):
    return json.dumps({"error": words}, ensure_ascii=False)

class Registry:
    def __init__(self):
        self.tools = {}

    def add(self, tool):
        self.tools[tool.name] = tool

    def schemas(self):
        return [{"name": t.name, "description": t.description, "parameters": t.parameters}
                for t in self.tools.values()]

    def call(self, name, arguments):
        if name not in self.tools:
            return error(f"unknown tool {name}")
        if problems := self.tools[name].problems(arguments):
            return error("; ".join(problems))
        try:
            result = self.tools[name].func(**arguments)
            return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        except Exception as problem:
            return error(f"{type(problem).__name__}: {problem}")
"""

BROKEN = [
    Broken(
        "falls over an unknown tool",
        '        if name not in self.tools:\n            return error(f"unknown tool {name}")\n',
        "",
        "The KeyError would end a run that the model could have saved.",
    ),
    Broken(
        "does not check arguments",
        "if problems := self.tools[name].problems(arguments):",
        "if problems := []:",
        'It is quiet: "12" + "8" is 128.',
    ),
    Broken(
        "runs the tool before it checks",
        "        if problems := self",
        "        try:\n            self.tools[name].func(**arguments)\n        except Exception:\n            pass\n        if problems := self",
        "The text is right; only a note of what ran shows it.",
    ),
    Broken(
        "names only the first problem",
        '"; ".join(problems)',
        "problems[0]",
        "Each further problem costs the model one more call.",
    ),
    Broken(
        "falls over a tool that fails",
        "except Exception as problem:",
        "except TypeError as problem:",
        "A test in which no tool fails does not see it.",
    ),
    Broken(
        "writes results with str",
        "json.dumps(result, ensure_ascii=False)",
        "str(result)",
        "20 looks the same either way; None, True and a dict do not.",
    ),
    Broken(
        "makes Chinese unreadable",
        "json.dumps(result, ensure_ascii=False)",
        "json.dumps(result)",
        "English results look right.",
    ),
]

made_registry = partial(made, thing="Registry", world=world)

WRITE_THE_TEST = Exercise(
    id="2.5",
    title="Write the test",
    thing="check_registry",
    wants="a function check_registry(Registry), your test",
    fits=is_function,
    starter="""
def check_registry(Registry):
    mine = Registry()
    mine.add(Tool("add", "Sum of two numbers (相加)", numbers, add))
    assert mine.call("add", {"a": 12, "b": 8}) == "20"
""",
    hints=[
        "20 is 20 in every notation. Let a tool return something that str and JSON write differently; 茶 helps twice.",
        'What the model gets wrong: a wrong name, two wrong arguments at once, an item that is not there. `"error" in text` '
        "is enough for two of them; for the second, ask that both names are in the text.",
        "Did the tool run when it should not have? Let it note its calls, as `price` does in `ran`, and send it one argument "
        "of the wrong kind, no more: Python itself refuses one that the function does not know.",
    ],
    solution="""
def check_registry(Registry):
    seen = []
    mine = Registry()
    mine.add(Tool("price", "Price of one item", one_item, lambda item: seen.append(item) or PRICES[item]))
    mine.add(Tool("menu", "Today's menu", {"type": "object"}, lambda: {"茶": 12, "cake": None}))
    assert mine.call("price", {"item": "tea"}) == "12"
    assert mine.call("menu", {}) == '{"茶": 12, "cake": null}'
    assert "error" in mine.call("prise", {"item": "tea"})
    assert "error" in mine.call("price", {"item": "coffee"})
    text = mine.call("price", {"item": 7, "colour": "red"})
    assert "item" in text and "colour" in text
    mine.call("price", {"item": 7})
    assert seen == ["tea", "coffee"]
""",
    tests=judge(
        {"ToolRegistry": lambda: ToolRegistry, "another good registry": lambda: made_registry(REGISTRY_SOURCE)},
        BROKEN,
        REGISTRY_SOURCE,
        made_registry,
        "registry",
    ),
    wrong_tests=[
        WrongTest(
            "tries only what goes well",
            """
def check_registry(Registry):
    mine = Registry()
    mine.add(Tool("add", "Sum", numbers, add))
    assert mine.call("add", {"a": 12, "b": 8}) == "20"
""",
            "rejects a registry that does not check arguments",
            "MyRegistry passes as well, and all of this chapter is about what it gets wrong.",
        ),
        WrongTest(
            "gives one wrong argument",
            """
def check_registry(Registry):
    mine = Registry()
    mine.add(Tool("add", "Sum", numbers, add))
    assert "error" in mine.call("add", {"a": "12", "b": 8})
""",
            "rejects a registry that names only the first problem",
            "With one problem, the first and all of them are the same.",
        ),
        WrongTest(
            "reads the text, and not what ran",
            """
def check_registry(Registry):
    mine = Registry()
    mine.add(Tool("price", "Price", one_item, price))
    text = mine.call("price", {"item": 7, "colour": "red"})
    assert "item" in text and "colour" in text
""",
            "rejects a registry that runs the tool before it checks",
            "A tool may have paid a bill before it was refused; the text does not tell.",
        ),
        WrongTest(
            "pins the wording of an error",
            """
def check_registry(Registry):
    mine = Registry()
    mine.add(Tool("price", "Price", one_item, price))
    assert mine.call("prise", {"item": "tea"}) == '{"error": "未知工具 prise (unknown tool; did you mean price?)"}'
""",
            "accepts another good registry",
            "Another registry says it in other words; ask for what matters: that it is an error.",
        ),
        WrongTest(
            "returns text and numbers only",
            """
def check_registry(Registry):
    mine = Registry()
    mine.add(Tool("menu", "Menu", {"type": "object"}, lambda: "茶 12"))
    assert mine.call("menu", {}) == "茶 12"
""",
            "rejects a registry that makes Chinese unreadable",
            "A text is passed on as it is; only what becomes JSON can be written badly.",
        ),
    ],
    world=_world,
)

EXERCISES = (DESCRIBE, SAFE_CALL, MAKE_MISTAKES, KIND_PRICE, WRITE_THE_TEST)

PREDICTIONS: tuple[Question, ...] = (
    Question(
        'What does mine.call("add", {"a": "12", "b": "8"}) return?',
        [
            Choice(
                "128: two texts, one after the other.",
                True,
                "+ joins texts. So nothing fails, and a run would go on with 128.",
            ),
            Choice("20: what else could be meant?", False, "Python does not guess that texts were meant as numbers."),
            Choice(
                "An error: text cannot be added.",
                False,
                "For + text is as good as a number: it joins them. An error would have been better.",
            ),
        ],
    ),
    Question(
        "price gets the item 7, a number, and a colour. What is named, and what is in ran?",
        [
            Choice(
                "The first problem; ran is empty.",
                False,
                "Naming one problem would cost one more call for each of the others.",
            ),
            Choice(
                "Both problems; ran is empty.",
                True,
                "The check comes first, so no tool ever sees arguments that do not fit. And it names all problems.",
            ),
            Choice(
                "Both problems; ran holds 7: the tool has to run to find out.",
                False,
                "What fits is known without the tool, from its schema and from what its function takes.",
            ),
        ],
    ),
    Question(
        "The model asks for prise, then for price without an item, then for coffee. Where does the run end?",
        [
            Choice(
                "At call 1: there is no tool prise.",
                False,
                "The model reads that there is none, and the nearest name. So it can ask again.",
            ),
            Choice(
                "At call 3: the tool itself raises a KeyError.",
                False,
                "The registry catches what a tool raises, and the model reads it as text.",
            ),
            Choice(
                "At call 5: the model can read what went wrong.",
                True,
                "Each mistake became a row that the model read. Call 4 went well, and call 5 brought the answer.",
            ),
        ],
    ),
)

QUIZ = Quiz(
    "02",
    [
        Question(
            "What of a tool travels to the model?",
            [
                Choice("Name, description, parameters.", True, "As data, in each call."),
                Choice("Its function.", False, "It stays with us, and runs here."),
                Choice(
                    "Only the name; the model knows the rest.",
                    False,
                    "The model knows nothing of your shop but what you send.",
                ),
            ],
        ),
        Question(
            'The model calls add with {"a": "12", "b": "8"}. What happens?',
            [
                Choice("The tool returns 128.", False, "With MyRegistry, yes. The package checks first."),
                Choice(
                    "The registry turns the texts into numbers.",
                    False,
                    'Turning is guessing: "8" may have been a house number.',
                ),
                Choice(
                    "The tool does not run, and the model reads both problems.",
                    True,
                    "Naming both saves a call; and a tool never sees arguments that do not fit.",
                ),
            ],
        ),
        Question(
            "A tool raises ZeroDivisionError. What happens to the run?",
            [
                Choice("It ends with this error.", False, "The model may know another way."),
                Choice(
                    'It goes on; the model reads {"error": "ZeroDivisionError: …"}.', True, "That is error feedback."
                ),
                Choice(
                    "It goes on, and the call is left without a result.",
                    False,
                    "Each call gets exactly one result; a real service would refuse a history with an open call.",
                ),
            ],
        ),
        Question(
            "You register a second tool price by mistake. Why is this an exception, and not data?",
            [
                Choice(
                    "Because only you can repair it.",
                    True,
                    "Data for the model, exceptions for the author.",
                ),
                Choice("Because tools are more important than arguments.", False, "What counts is who can repair it."),
                Choice(
                    "Because the model would not understand it.",
                    False,
                    "It might even understand; it could do nothing about it.",
                ),
            ],
        ),
    ],
)
