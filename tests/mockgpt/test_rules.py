import re

import pytest

from minagent_lab import Message, MockError, MockGPT, Rule
from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.mockgpt.rules import read_rule

TOOLS = [
    {"name": "add", "description": "", "parameters": {}},
    {"name": "search_web", "description": "", "parameters": {}},
]
ASKED = MockRequest([Message("system", "Be kind."), Message("user", "What is the 状态?")], TOOLS, "gpt-x")


def fits(**filters):
    return Rule(generator="x", **filters).matches(ASKED)


@pytest.mark.parametrize(
    ("filters", "verdict"),
    [
        ({}, True),
        ({"prompt": "状态"}, True),
        ({"prompt": ""}, True),
        ({"prompt": "Status"}, False),
        ({"prompt": re.compile("^what", re.IGNORECASE)}, True),
        ({"prompt": re.compile("^is")}, False),
        ({"prompt": lambda text: len(text) == 15}, True),
        ({"prompt": lambda text: None}, False),
        ({"model": "gpt"}, True),
        ({"model": re.compile("gpt$")}, False),
        ({"model": str.isupper}, False),
        ({"tools": "add"}, True),
        ({"tools": "search"}, False),
        ({"tools": re.compile("^search")}, True),
        ({"tools": lambda tools: [tool["name"] for tool in tools] == ["add", "search_web"]}, True),
        ({"when": lambda request: request.system == "Be kind."}, True),
        ({"when": lambda request: request.turn > 0}, False),
        ({"prompt": "状态", "model": "gpt", "tools": "add", "when": bool}, True),
        ({"prompt": "状态", "model": "gpt", "tools": "add", "when": lambda _: 0}, False),
    ],
)
def test_a_rule_fits_when_all_of_its_filters_do(filters, verdict):
    rule = Rule(generator="x", **filters)
    assert rule.matches(ASKED) is verdict
    assert all(said.passed for said in rule.explain(ASKED)) is verdict


def test_text_is_contained_and_is_no_pattern():
    assert not fits(prompt="W.at")
    assert fits(prompt=re.compile("W.at"))


def test_the_first_rule_that_fits_answers():
    mock = MockGPT([Rule(prompt="status", generator="first"), Rule(generator="second"), Rule(generator="third")])
    assert [mock.generate(text) for text in ("status", "other", "my status")] == ["first", "second", "first"]
    assert mock.counts["rules"] == [2, 1, 0]


def test_filters_of_a_rule_that_comes_later_are_not_asked():
    asked = []
    mock = MockGPT([Rule(generator="x"), Rule(when=asked.append, generator="y")])
    mock.generate("Hi")
    assert asked == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "a rule needs a generator"),
        ({"generator": "x", "prompt": 5}, "Rule.prompt is 5; write text, re.compile"),
        ({"generator": "x", "model": ["gpt"]}, "Rule.model is"),
        ({"generator": "x", "tools": {}}, "Rule.tools is"),
        ({"generator": "x", "prompt": re.compile(b"x")}, "Rule.prompt is a pattern of bytes"),
        ({"generator": "x", "when": "always"}, "Rule.when is 'always'; write a function of the request"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_where_it_is_written(fields, message):
    with pytest.raises(TypeError, match=message):
        Rule(**fields)


def test_a_rule_may_be_a_dict_and_an_error_names_it():
    assert read_rule({"prompt": "x", "generator": None}, 1).generator is None
    for wrong, message in (
        (
            {"promt": "x", "generator": 1},
            "rule 2 has no field 'promt'; there are prompt, model, tools, when, generator",
        ),
        ({"prompt": "x"}, "rule 2: a rule needs a generator"),
        (("x", "y"), "rule 2 is a tuple; write Rule"),
    ):
        with pytest.raises(TypeError, match=message):
            MockGPT([Rule(generator="x"), wrong])


@pytest.mark.parametrize("name", ["prompt", "model", "tools", "when"])
def test_a_filter_that_raises_is_an_error_that_names_it(name):
    mock = MockGPT([Rule(generator="x", **{name: lambda _: 1 / 0})], fallback="y")
    with pytest.raises(MockError, match=f"MOCK_FILTER_FAILED: the filter {name} raised ZeroDivisionError") as failed:
        mock.generate("Hi")
    assert failed.value.code == "MOCK_FILTER_FAILED"
    assert mock.counts["unmatched"] == 1


def test_what_a_rule_shows_of_itself_holds_no_address():
    rule = Rule(prompt="a", model=re.compile("b"), when=lambda _: True, generator=object)
    assert repr(rule) == "<Rule prompt='a', model=re.compile('b'), when=<lambda>>"
    assert repr(Rule(generator=1)) == "<Rule for everything>"
