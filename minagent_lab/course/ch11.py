"""Chapter 11, rules, not scripts: predictions, exercises and quiz."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from minagent_lab import (
    MaxStepsExceeded,
    Message,
    ModelResponse,
    Stepper,
    Tool,
    ToolCall,
    ToolRegistry,
    run,
)
from minagent_lab.course import shop
from minagent_lab.course.by_hand import by_hand
from minagent_lab.course.exercise import Exercise, Mutant, WrongTest, is_function, made, says
from minagent_lab.course.expecting import expect, shown
from minagent_lab.course.judging import Broken, judge
from minagent_lab.course.kinds import is_returning_function
from minagent_lab.course.quiz import Choice, Question, Quiz
from minagent_lab.mockgpt import MockError, MockGPT, Rule, generators, responses
from minagent_lab.mockgpt.request import MockRequest
from minagent_lab.results import exception_text

TITLE = "Rules, not scripts"


def world() -> dict[str, Any]:
    """Return the names that the chapter's cells define, as far as exercises use them."""
    mocks = {"MockError": MockError, "MockGPT": MockGPT, "Rule": Rule, "generators": generators, "responses": responses}
    return {**shop.world(), **mocks, "re": re}


def is_rules(thing: Any) -> bool:
    """Whether something is a list with rules in it."""
    return isinstance(thing, (list, tuple)) and bool(thing)


def _mock(rules: Any) -> MockGPT:
    try:
        return MockGPT(rules)
    except TypeError as problem:
        raise AssertionError(f"MockGPT refuses the list: {problem}") from None


# ---- 11.1 -----------------------------------------------------------------------------------------------------------

ORDERS = {  # what is asked, and what is to be answered
    "A refund for the price of my tea, please": "Ask a person.",
    "I would like a refund": "Ask a person.",
    "What is the price of tea?": "Tea costs 12.",
    "One tea, and what is the price?": "Tea costs 12.",
    "What is the price of cake?": "Of which item?",
    "What is the price of a steak?": "Of which item?",
    "Is tea hot?": "Tea is a drink.",
    "Hello": "Pardon?",
    "Is the steak hot?": "Pardon?",
    "Cake instead?": "Pardon?",
}


def _orders(rules: Any, *prompts: str) -> None:
    for prompt in prompts:
        mock = _mock(rules)
        try:
            got = mock.generate(prompt)
        except MockError as problem:
            raise AssertionError(f"for {prompt!r}: {problem}") from None
        from_rule = f"{shown(got)} from rule {mock.records[-1].rule}"
        assert got == ORDERS[prompt], f"for {prompt!r} expected {ORDERS[prompt]!r}, got {from_rule}"


def test_refunds_go_to_a_person(rules: Any) -> None:
    _orders(rules, "A refund for the price of my tea, please", "I would like a refund")


@says("the price of tea is known, whichever word comes first")
def test_price_of_tea(rules: Any) -> None:
    _orders(rules, "What is the price of tea?", "One tea, and what is the price?")


def test_any_other_price_is_asked_back_about(rules: Any) -> None:
    _orders(rules, "What is the price of cake?", "What is the price of a steak?")


def test_tea_without_a_price_is_a_drink(rules: Any) -> None:
    _orders(rules, "Is tea hot?")


@says("all else gets “Pardon?”, and a steak is no tea")
def test_all_else(rules: Any) -> None:
    _orders(rules, "Hello", "Is the steak hot?", "Cake instead?")


def test_no_rule_is_dead(rules: Any) -> None:
    mock = _mock(rules)
    for prompt in ORDERS:
        try:
            mock.generate(prompt)
        except MockError as problem:
            raise AssertionError(f"for {prompt!r}: {problem}") from None
    for number, (rule, times) in enumerate(zip(mock.rules, mock.counts["rules"], strict=True), 1):
        assert times, f"rule {number}, {rule!r:.80}, answers none of the {len(ORDERS)} requests of this check"


REPAIR = Exercise(
    id="11.1",
    title="A rule set that lies",
    thing="rules",
    wants="a list of rules: [Rule(...), ...]",
    fits=is_rules,
    starter="""
rules = [
    Rule(prompt="price", generator="Of which item?"),
    Rule(prompt="tea", generator="Tea is a drink."),
    Rule(prompt=re.compile("price.*tea"), generator="Tea costs 12."),
    Rule(generator="Pardon?"),
    Rule(prompt="refund", generator="Ask a person."),
]
""",
    hints=[
        "Order first: which rule is the most special, which the most general? Look at `MockGPT(rules).explain(prompt)` "
        "for a prompt that goes wrong.",
        "Then the filters: `tea` is contained in “steak” and in “instead”; `price.*tea` wants the words in this order. "
        r"`\btea\b` is the word alone.",
        'A filter may be a function of the text: `"price" in text and re.search(r"\\btea\\b", text)`. The order: refund, '
        "price of tea, price, tea, all else.",
    ],
    solution=r"""
WORD = re.compile(r"\btea\b")

def price_of_tea(text):
    return "price" in text and WORD.search(text)

rules = [
    Rule(prompt="refund", generator="Ask a person."),
    Rule(prompt=price_of_tea, generator="Tea costs 12."),
    Rule(prompt="price", generator="Of which item?"),
    Rule(prompt=WORD, generator="Tea is a drink."),
    Rule(generator="Pardon?"),
]
""",
    tests=[
        test_refunds_go_to_a_person,
        test_price_of_tea,
        test_any_other_price_is_asked_back_about,
        test_tea_without_a_price_is_a_drink,
        test_all_else,
        test_no_rule_is_dead,
    ],
    mutants=[
        Mutant(
            "lets the general price come first",
            "rules = [\n",
            'rules = [\n    Rule(prompt="price", generator="Of which item?"),\n',
            "test_price_of_tea",
            "Every prompt that the special rule fits, the general one fits too, and it is asked first.",
        ),
        Mutant(
            "puts the refund behind the prices",
            '    Rule(prompt="refund", generator="Ask a person."),\n    Rule(prompt=price_of_tea, generator="Tea costs 12."),\n',
            '    Rule(prompt=price_of_tea, generator="Tea costs 12."),\n    Rule(prompt="refund", generator="Ask a person."),\n',
            "test_refunds_go_to_a_person",
            "Whoever wants a refund will name a price and an item; what holds always has to be asked first.",
        ),
        Mutant(
            "looks for the text tea",
            r'r"\btea\b"',
            '"tea"',
            "test_all_else",
            "Text is found anywhere, inside of other words too.",
        ),
        Mutant(
            "wants price before tea",
            '"price" in text and WORD.search(text)',
            r're.search(r"price.*\btea\b", text)',
            "test_price_of_tea",
            "A pattern has an order, and people do not keep it.",
        ),
        Mutant(
            "forgets the rule for all else",
            '    Rule(generator="Pardon?"),\n',
            "",
            "test_all_else",
            "A request that nobody thought of is an error, MOCK_RULE_NOT_FOUND.",
        ),
        Mutant(
            "begins with the rule for all else",
            "rules = [\n",
            'rules = [\n    Rule(generator="Pardon?"),\n',
            "test_tea_without_a_price_is_a_drink",
            "A rule without filters fits everything, so nothing behind it is ever asked.",
        ),
        Mutant(
            "keeps a rule that is never reached",
            '    Rule(generator="Pardon?"),\n',
            '    Rule(generator="Pardon?"),\n    Rule(prompt="cake", generator="Cake is a cake."),\n',
            "test_no_rule_is_dead",
            "A dead rule looks as if it did something; the next reader believes it.",
        ),
    ],
    world=world,
)


# ---- 11.2 -----------------------------------------------------------------------------------------------------------

SORRY = "I cannot look that up."
PATIENT = 4  # calls of the model in one run


def _shelf(tools: Sequence[str] = ("price", "stock"), prices: dict[str, int] | None = None) -> ToolRegistry:
    held = {"price": prices or {"tea": 12, "cake": 8, "coffee": 15, "green tea": 14}, "stock": {"tea": 40, "cake": 3}}
    registry = ToolRegistry()
    for name in tools:
        registry.add(Tool(name, name, shop.ONE_ITEM, lambda item, name=name: held[name][item]))
    return registry


def _complete(rules: Any, messages: Sequence[Message], registry: ToolRegistry, what: str) -> ModelResponse:
    return _asked(_mock(rules), messages, registry, what)


def _asked(mock: MockGPT, messages: Sequence[Message], registry: ToolRegistry, what: str) -> ModelResponse:
    try:
        return mock.complete(messages, registry.schemas())
    except Exception as problem:
        raise AssertionError(f"{what}: {exception_text(problem)}") from None


def _wants(response: ModelResponse, name: str, item: str, what: str) -> None:
    got = [(call.name, call.arguments) for call in response.message.tool_calls]
    if not got:
        raise AssertionError(f"{what} expected the call of {name} with {item!r}, got {response.message.content!r}")
    expect(got, [(name, {"item": item})], what)


def _finals(rules: Any, registry: ToolRegistry, answers: dict[str, str]) -> None:
    for prompt, wanted in answers.items():
        try:
            result = run(_mock(rules), registry, prompt, max_steps=PATIENT)
        except MaxStepsExceeded:
            raise AssertionError(f"for {prompt!r} the model asked for a tool in each of {PATIENT} calls") from None
        except Exception as problem:
            raise AssertionError(f"for {prompt!r}: {exception_text(problem)}") from None
        expect(result.final, wanted, f"for {prompt!r}")


@says("the first call wants the tool, with the item")
def test_wish(rules: Any) -> None:
    for name, item in (("price", "tea"), ("stock", "cake")):
        prompt = f"{name.title()} of {item}?"
        what = f"for {prompt!r}"
        _wants(_complete(rules, [Message("user", prompt)], _shelf(), what), name, item, what)


@says("the answer is made of the tool's result")
def test_result(rules: Any) -> None:
    for price in (12, 13):
        answer = {"Price of tea?": f"The price of tea is {price}."}
        _finals(rules, _shelf(prices={"tea": price}), answer)


@says("the other tool is answered in the same way")
def test_stock(rules: Any) -> None:
    _finals(rules, _shelf(), {"Stock of tea?": "The stock of tea is 40.", "Stock of cake?": "The stock of cake is 3."})


@says("any item will do, also one of two words")
def test_items(rules: Any) -> None:
    _finals(
        rules,
        _shelf(),
        {"Price of coffee?": "The price of coffee is 15.", "Price of green tea?": "The price of green tea is 14."},
    )


def test_the_same_request_gets_the_same_answer_however_often(rules: Any) -> None:
    mock, messages = _mock(rules), [Message("user", "Price of cake?")]
    for time in ("first", "second", "third"):
        what = f"for 'Price of cake?', asked for the {time} time,"
        _wants(_asked(mock, messages, _shelf(), what), "price", "cake", what)


def test_two_agents_in_turn_do_not_disturb_each_other(rules: Any) -> None:
    mock = _mock(rules)
    agents = [Stepper(mock, _shelf(), prompt, max_steps=PATIENT) for prompt in ("Price of tea?", "Stock of cake?")]
    for _ in range(PATIENT):
        for agent in agents:
            if not agent.ended:
                agent.forward()
    for agent, wanted in zip(agents, ("The price of tea is 12.", "The stock of cake is 3."), strict=True):
        turn = agent.turns[-1]
        if turn.response is None:
            problem = exception_text(turn.error) if turn.error else "no answer"
            raise AssertionError(f"with two agents in turn: {problem}")
        if turn.response.message.tool_calls:
            raise AssertionError(f"with two agents in turn one still asked for a tool in call {turn.call}")
        expect(turn.response.message.content, wanted, "with two agents in turn")


def test_a_second_question_of_a_conversation_begins_anew(rules: Any) -> None:
    first = [
        Message("user", "Price of tea?"),
        Message("assistant", "", [ToolCall("c1", "price", {"item": "tea"})]),
        Message("tool", "12", tool_call_id="c1"),
        Message("assistant", "The price of tea is 12."),
        Message("user", "Stock of cake?"),
    ]
    what = "for 'Stock of cake?' as a second question"
    _wants(_complete(rules, first, _shelf(), what), "stock", "cake", what)
    second = [
        *first,
        Message("assistant", "", [ToolCall("c2", "stock", {"item": "cake"})]),
        Message("tool", "3", tool_call_id="c2"),
    ]
    said = _complete(rules, second, _shelf(), what).message.content
    expect(said, "The stock of cake is 3.", f"{what}, with its result,")


def test_a_tool_that_is_not_on_offer_is_not_wanted(rules: Any) -> None:
    _finals(rules, _shelf(tools=("price",)), {"Stock of cake?": SORRY})
    _finals(rules, _shelf(tools=()), {"Price of tea?": SORRY})


AGENT = Exercise(
    id="11.2",
    title="Rules for an agent with two tools",
    thing="agent_rules",
    wants="a list of rules: [Rule(...), ...]",
    fits=is_rules,
    starter="""
seen = []

def clerk(request):
    seen.append(request)
    if len(seen) % 2:
        return responses.tool_calls(("price", {"item": "tea"}))
    return "The price of tea is 12."

agent_rules = [Rule(generator=clerk)]
""",
    hints=[
        "Throw the list `seen` away. What tells a first call from one with a result? `request.results`. Which of the two "
        "rules has to stand first? See section 5.",
        'Name and item stand in the prompt: `re.search(r"of (.+)\\?", request.prompt)[1]` is the item. One rule per tool: '
        '`Rule(prompt="Price of", tools="price", generator=...)`. Last, a rule without filters.',
        "The answer needs the call that the result belongs to. It stands before the result: "
        "`request.messages[-2].tool_calls[0]` has `name` and `arguments`.",
    ],
    solution=r"""
def has_result(request):
    return request.results

def told(request):
    call = request.messages[-2].tool_calls[0]
    return f"The {call.name} of {call.arguments['item']} is {request.results[0]}."

def wish(name):
    def made(request):
        item = re.search(r"of (.+)\?", request.prompt)[1]
        return responses.tool_calls((name, {"item": item}))
    return made

agent_rules = [
    Rule(when=has_result, generator=told),
    Rule(prompt="Price of", tools="price", generator=wish("price")),
    Rule(prompt="Stock of", tools="stock", generator=wish("stock")),
    Rule(generator="I cannot look that up."),
]
""",
    tests=[
        test_wish,
        test_result,
        test_stock,
        test_items,
        test_the_same_request_gets_the_same_answer_however_often,
        test_two_agents_in_turn_do_not_disturb_each_other,
        test_a_second_question_of_a_conversation_begins_anew,
        test_a_tool_that_is_not_on_offer_is_not_wanted,
    ],
    mutants=[
        Mutant(
            "knows the price by heart",
            "is {request.results[0]}.",
            "is 12.",
            "test_result",
            "An answer that does not come from the result would hide a tool that is broken.",
        ),
        Mutant(
            "puts a wish before the result",
            "    Rule(when=has_result, generator=told),\n"
            '    Rule(prompt="Price of", tools="price", generator=wish("price")),\n',
            '    Rule(prompt="Price of", tools="price", generator=wish("price")),\n'
            "    Rule(when=has_result, generator=told),\n",
            "test_result",
            "The prompt is the same in every call of a run, so the wish fits again and again.",
        ),
        Mutant(
            "asks for the turn",
            "    return request.results\n",
            "    return request.turn\n",
            "test_a_second_question_of_a_conversation_begins_anew",
            "The turn counts the whole conversation; in a second question it is not 0 any more.",
        ),
        Mutant(
            "looks at the first call of the conversation",
            "request.messages[-2].tool_calls[0]",
            "next(m for m in request.messages if m.tool_calls).tool_calls[0]",
            "test_a_second_question_of_a_conversation_begins_anew",
            "A result belongs to the call just before it, and a conversation may have many.",
        ),
        Mutant(
            "keeps the item of the last wish",
            "    return made\n",
            "    return made\n\nkept = {}\n\ndef wish(name):\n    def made(request):\n"
            '        item = kept.setdefault("item", re.search(r"of (.+)\\?", request.prompt)[1])\n'
            '        return responses.tool_calls((name, {"item": item}))\n    return made\n',
            "test_two_agents_in_turn_do_not_disturb_each_other",
            "What is kept outside of the request belongs to whoever came last, or first.",
        ),
        Mutant(
            "takes the first word for the item",
            r"of (.+)\?",
            r"of (\w+)",
            "test_items",
            "Green tea is not green.",
        ),
        Mutant(
            "wants the same tool for both",
            'generator=wish("stock")',
            'generator=wish("price")',
            "test_stock",
            "Two rules that were copied from each other, and one of them not to the end.",
        ),
        Mutant(
            "does not look at the offer",
            '"Stock of", tools="stock", ',
            '"Stock of", ',
            "test_a_tool_that_is_not_on_offer_is_not_wanted",
            "A real model can only call what it was offered, and a mock that calls more tests nothing real.",
        ),
    ],
    world=world,
)


# ---- 11.3 -----------------------------------------------------------------------------------------------------------


def _user(prompt: str, model: str = "", before: Sequence[Message] = ()) -> MockRequest:
    return MockRequest([*before, Message("user", prompt)], model=model)


def _compared(winner: Any, rules: list[dict[str, Any]], *requests: MockRequest) -> None:
    mock = MockGPT([Rule(**rule, generator="x") for rule in rules])
    for request in requests:
        asked = f"prompt {request.prompt!r}" + (f", model {request.model!r}" if request.model else "")
        expect(
            winner([dict(rule) for rule in rules], request), mock.explain(request).winner, f"{_told(rules)}, {asked}:"
        )


def _told(rules: list[dict[str, Any]]) -> str:
    shown_ones = [repr(Rule(**rule, generator="x"))[6:-1] for rule in rules]
    return "with " + "; ".join(f"{number}: {text}" for number, text in enumerate(shown_ones, 1))


def is_short(text: str) -> bool:
    """Whether a text has fewer than ten signs."""
    return len(text) < 10


def has_history(request: MockRequest) -> bool:
    """Whether a request has more than one message."""
    return len(request.messages) > 1


def times_asked(request: MockRequest) -> int:
    """Return how many answers the history holds: 0 is a no, every other number a yes."""
    return request.turn


TALK = [Message("user", "Hi"), Message("assistant", "Hello.")]


def test_the_first_rule_that_fits_wins(winner: Any) -> None:
    _compared(winner, [{"prompt": "price"}, {"prompt": "tea"}], _user("price of tea"), _user("one tea"), _user("price"))


@says("when none fits, it is None")
def test_none(winner: Any) -> None:
    _compared(winner, [{"prompt": "tea"}], _user("cake"))
    _compared(winner, [], _user("cake"))


@says("a text is looked for anywhere, with its capitals")
def test_text(winner: Any) -> None:
    _compared(winner, [{"prompt": "tea"}], _user("one tea"), _user("steak"), _user("Tea"), _user(""))


@says("a pattern is searched for, not only at the beginning")
def test_pattern(winner: Any) -> None:
    pattern = re.compile(r"\btea\b")
    _compared(winner, [{"prompt": pattern}], _user("one tea"), _user("tea, please"), _user("steak"))


@says("a function is asked, with the text")
def test_function(winner: Any) -> None:
    _compared(winner, [{"prompt": is_short}], _user("one tea"), _user("one tea, and one cake"))


@says("the model is looked at like the prompt")
def test_model(winner: Any) -> None:
    rules: list[dict[str, Any]] = [{"model": "large"}, {"model": re.compile("small$")}, {"model": is_short}]
    _compared(winner, rules, _user("tea", "large-2"), _user("tea", "small"), _user("tea", "small-model"), _user("tea"))


@says("“when” is asked with the whole request")
def test_when(winner: Any) -> None:
    _compared(winner, [{"when": has_history}], _user("tea"), _user("tea", before=TALK))
    _compared(winner, [{"when": times_asked}], _user("tea"), _user("tea", before=TALK))


def test_all_filters_of_a_rule_have_to_pass(winner: Any) -> None:
    rules: list[dict[str, Any]] = [
        {"prompt": "tea", "model": "large"},
        {"prompt": "tea", "when": has_history},
        {"model": "large"},
    ]
    _compared(winner, rules, _user("tea", "large"), _user("tea"), _user("cake", "large"), _user("tea", before=TALK))


def test_a_rule_without_filters_fits_everything(winner: Any) -> None:
    _compared(winner, [{"prompt": "tea"}, {}, {"prompt": "cake"}], _user("cake"), _user("tea"), _user(""))


WINNER = Exercise(
    id="11.3",
    title="Which rule answers?",
    thing="winner",
    wants="a function winner(rules, request)",
    fits=is_returning_function,
    starter="""
def winner(rules, request):
    for number, rule in enumerate(rules, 1):
        if rule.get("prompt", "") in request.prompt:
            return number
    return None
""",
    hints=[
        "Two questions in two functions: `fits(wanted, seen)` judges one filter, `winner` goes through rules and filters.",
        "`fits` has three cases: `isinstance(wanted, str)`: contained; `isinstance(wanted, re.Pattern)`: "
        "`wanted.search(seen)`; else it is a function: `wanted(seen)`.",
        'What each filter sees: `{"prompt": request.prompt, "model": request.model, "when": request}`. A rule answers if '
        "`all(...)` of the filters that stand in it pass.",
    ],
    solution="""
def fits(wanted, seen):
    if isinstance(wanted, str):
        return wanted in seen
    if isinstance(wanted, re.Pattern):
        return wanted.search(seen)
    return wanted(seen)

def winner(rules, request):
    sees = {"prompt": request.prompt, "model": request.model, "when": request}
    for number, rule in enumerate(rules, 1):
        if all(fits(rule[name], sees[name]) for name in sees if name in rule):
            return number
    return None
""",
    tests=[
        test_the_first_rule_that_fits_wins,
        test_none,
        test_text,
        test_pattern,
        test_function,
        test_model,
        test_when,
        test_all_filters_of_a_rule_have_to_pass,
        test_a_rule_without_filters_fits_everything,
        by_hand(MockGPT, Rule),
    ],
    mutants=[
        Mutant(
            "asks the package",
            "def winner(rules, request):\n",
            "def winner(rules, request):\n"
            '    return MockGPT([{**rule, "generator": "x"} for rule in rules]).explain(request).winner\n\n'
            "def unused(rules, request):\n",
            "test_by_hand",
            "It is right, and whoever wrote it knows no more than before about who answers.",
        ),
        Mutant(
            "lets the last rule win",
            "    for number, rule in enumerate(rules, 1):",
            "    for number, rule in reversed(list(enumerate(rules, 1))):",
            "test_the_first_rule_that_fits_wins",
            "With the last one winning, the special rules would have to stand below; one order has to be agreed on.",
        ),
        Mutant(
            "counts from 0",
            "enumerate(rules, 1)",
            "enumerate(rules)",
            "test_the_first_rule_that_fits_wins",
            "Rules are counted as people count; and a 0 looks like a no.",
        ),
        Mutant(
            "wants the whole text",
            "return wanted in seen",
            "return wanted == seen",
            "test_text",
            "A prompt is a sentence; a rule looks for a part of it.",
        ),
        Mutant(
            "makes all letters small",
            "return wanted in seen",
            "return wanted in seen.lower()",
            "test_text",
            "It is kind, and not what the package does; who wants it writes a pattern with IGNORECASE.",
        ),
        Mutant(
            "matches patterns at the beginning",
            "wanted.search(seen)",
            "wanted.match(seen)",
            "test_pattern",
            "In Python, match looks at the beginning only.",
        ),
        Mutant(
            "is content with one filter",
            "if all(",
            "if not any(True for name in sees if name in rule) or any(",
            "test_all_filters_of_a_rule_have_to_pass",
            "A second filter is there to narrow the rule, not to widen it.",
        ),
        Mutant(
            "wants at least one filter",
            "if all(",
            "if rule and all(",
            "test_a_rule_without_filters_fits_everything",
            "A rule that asks for nothing gets everything; that is what stands at the end of a list.",
        ),
        Mutant(
            "does not look at the model",
            ', "model": request.model',
            "",
            "test_model",
            "The rule for the large model would answer for the small one.",
        ),
        Mutant(
            "shows when only the prompt",
            '"when": request}',
            '"when": request.prompt}',
            "test_when",
            "The history, the tools and the results stand in the request alone.",
        ),
        Mutant(
            "wants a yes to be True",
            "    return wanted(seen)",
            "    return wanted(seen) is True",
            "test_when",
            "A function says yes with anything that counts as true, such as a list of results.",
        ),
    ],
    world=world,
)


# ---- 11.4 -----------------------------------------------------------------------------------------------------------

APP = """
def app(model, question):
    messages = [Message("user", question)]
    try:
        reply = model.complete(messages, [])
    except ServerError:
        reply = model.complete(messages, [])
    return reply.message.content
"""

LOOP = """
def app(model, question):
    for last in (False, True):
        try:
            return model.complete([Message("user", question)], []).message.content
        except ServerError:
            if last:
                raise
"""

made_app = partial(made, thing="app", world=world)
AGAIN = "    except ServerError:\n        reply = model.complete(messages, [])\n"

BROKEN = [
    Broken(
        "never asks again",
        AGAIN,
        "    finally:\n        pass\n",
        "A service that was down for a moment ends it.",
    ),
    Broken(
        "asks a third time",
        AGAIN,
        "    except ServerError:\n        try:\n            reply = model.complete(messages, [])\n"
        "        except ServerError:\n            reply = model.complete(messages, [])\n",
        "Once more means two requests; a service that is down should not get three.",
    ),
    Broken(
        "asks again after any error",
        "except ServerError:",
        "except ProviderError:",
        "What was refused is refused again.",
    ),
    Broken(
        "asks something else the second time",
        AGAIN,
        '    except ServerError:\n        reply = model.complete([Message("user", "Are you there?")], [])\n',
        "The answer to another question is no answer.",
    ),
    Broken(
        "asks twice even when all is well",
        "    return reply",
        "    reply = model.complete(messages, [])\n    return reply",
        "Each answer costs double, and nobody sees it in the text.",
    ),
    Broken(
        "turns the second failure into an answer",
        AGAIN,
        "    except ServerError:\n        try:\n            reply = model.complete(messages, [])\n"
        '        except ServerError:\n            return "Please try later."\n',
        "Whoever called believes that this is what the model said.",
    ),
    Broken(
        "asks again only once in its life",
        AGAIN,
        '    except ServerError:\n        if vars(app).get("tired"):\n            raise\n        app.tired = True\n'
        "        reply = model.complete(messages, [])\n",
        "The first question used up what the second one needs.",
    ),
    Broken(
        "gives the first answer to every question",
        "    return reply.message.content",
        '    return vars(app).setdefault("kept", reply.message.content)',
        "It keeps an answer without its question.",
    ),
]

WRITE_THE_TEST = Exercise(
    id="11.4",
    title="Write the test",
    thing="check_app",
    wants="a function check_app(app), which asserts",
    fits=is_function,
    starter="""
def check_app(app):
    mock = MockGPT([Rule(generator=responses.sequence(ServerError("down"), "Tea costs 12."))])
    assert app(mock, "What does the tea cost?") == "Tea costs 12."
""",
    hints=[
        "The answer alone does not tell how often the app asked, nor what. `mock.counts` and rules that look at the "
        "prompt do. How many kinds of days can a service have?",
        "One mock with a rule per day: `tea` and `cake` fail once, `bread` is fine, `coffee` is always down, `milk` is "
        'refused: `Rule(prompt="milk", generator=InvalidRequestError("no"))`. Ask the app all five questions.',
        "For coffee and milk, the error has to come out: `try`, `except ServerError: pass`, "
        "`else: raise AssertionError(...)`. At the end, one line about all requests: "
        '`assert mock.counts["rules"] == [2, 2, 1, 2, 1]`.',
    ],
    solution="""
def check_app(app):
    mock = MockGPT([
        Rule(prompt="tea", generator=responses.sequence(ServerError("down"), "Tea costs 12.")),
        Rule(prompt="cake", generator=responses.sequence(ServerError("down"), "Cake costs 8.")),
        Rule(prompt="bread", generator="Bread costs 3."),
        Rule(prompt="coffee", generator=ServerError("down")),
        Rule(prompt="milk", generator=InvalidRequestError("no")),
    ])
    answers = [app(mock, f"What does the {item} cost?") for item in ("tea", "cake", "bread")]
    assert answers == ["Tea costs 12.", "Cake costs 8.", "Bread costs 3."]
    for item, kind in (("coffee", ServerError), ("milk", InvalidRequestError)):
        try:
            said = app(mock, f"What does the {item} cost?")
        except kind:
            continue
        raise AssertionError(f"the error is gone; the app said {said!r}")
    assert mock.counts["rules"] == [2, 2, 1, 2, 1]
""",
    tests=judge(
        {
            "an app with try and except": lambda: made_app(APP),
            "an app with a loop": lambda: made_app(LOOP),
        },
        BROKEN,
        APP,
        made_app,
        "app",
    ),
    wrong_tests=[
        WrongTest(
            "counts the requests of one good day",
            """
def check_app(app):
    mock = MockGPT([Rule(generator=responses.sequence(ServerError("down"), "12."))])
    assert app(mock, "tea?") == "12."
    assert mock.counts["total"] == 2
""",
            "rejects an app that asks a third time",
            "A service that comes back hides how far the app would have gone.",
        ),
        WrongTest(
            "has one rule for everything",
            """
def check_app(app):
    mock = MockGPT([Rule(generator=responses.sequence(ServerError("down"), "12.", key=lambda request: 1))])
    assert app(mock, "tea?") == "12."
    assert mock.counts["total"] == 2
""",
            "rejects an app that asks something else the second time",
            "A rule that answers everything cannot tell one question from another.",
        ),
        WrongTest(
            "looks only at the answers",
            """
def check_app(app):
    mock = MockGPT([
        Rule(prompt="tea", generator=responses.sequence(ServerError("down"), "12.", then="12.")),
        Rule(prompt="cake", generator=responses.sequence(ServerError("down"), "8.", then="8.")),
    ])
    assert [app(mock, "tea"), app(mock, "cake")] == ["12.", "8."]
""",
            "rejects an app that asks twice even when all is well",
            "The text is right; what it cost stands in `counts`.",
        ),
        WrongTest(
            "asks one question only",
            """
def check_app(app):
    for script, wanted in (([ServerError("down"), "12."], 2), (["12."], 1)):
        mock = MockGPT([Rule(prompt="tea", generator=responses.sequence(*script))])
        assert app(mock, "tea?") == "12."
        assert mock.counts["total"] == wanted
""",
            "rejects an app that gives the first answer to every question",
            "What an app keeps shows itself only in a second, another question.",
        ),
        WrongTest(
            "wants an answer in any case",
            """
def check_app(app):
    mock = MockGPT([Rule(prompt="coffee", generator=ServerError("down"))])
    try:
        said = app(mock, "coffee?")
    except ServerError as error:
        raise AssertionError("it raised") from error
""",
            "accepts an app with a loop",
            "The task says that a second failure is raised: a made-up answer would be taken for the model's.",
        ),
    ],
    world=world,
)

EXERCISES = (REPAIR, AGENT, WINNER, WRITE_THE_TEST)


# ---- predictions and quiz -------------------------------------------------------------------------------------------

PREDICTIONS: tuple[Question, ...] = (
    Question(
        "Rule 1 looks for “price” and asks: “Of which item?” Rule 2 looks for “tea” and says: “Tea costs 12.” "
        "The prompt is “the price of tea”. Who answers?",
        [
            Choice(
                "Rule 2: it is about tea, so it fits better.",
                False,
                "Nothing here measures how well a rule fits. It fits or it does not.",
            ),
            Choice("Both, one after the other.", False, "One request gets one answer."),
            Choice("Rule 1: it comes first.", True, "The rules are asked in order, and the first that fits ends it."),
        ],
    ),
    Question(
        "The same two rules, the other way round: WISH first, then TOLD. What does the run do?",
        [
            Choice(
                "It ends as before: only one of the two rules fits in each call.",
                False,
                "In the second call both fit: there is a result, and the prompt still speaks of tea.",
            ),
            Choice(
                "It asks for the price in every call, until max_steps ends it.",
                True,
                "The prompt is the last message of the user, and that stays the same for the whole run.",
            ),
            Choice(
                "It answers at once, without asking for the price.",
                False,
                "In the first call there is no result, so TOLD does not fit, wherever it stands.",
            ),
        ],
    ),
    Question(
        "Same seed, two mocks. The first is asked: order, order. The second: order, Hi, order. Which orders are equal?",
        [
            Choice(
                "The first one of each; the second ones differ.",
                True,
                "Chance comes from the seed and the number of the answer. The added answer moves the number on.",
            ),
            Choice(
                "Both: the seed is the same, and Hi needs no chance.",
                False,
                "What counts is the number of the answer, whether or not it needed chance.",
            ),
            Choice("None: every mock has a chance of its own.", False, "That is what a seed is there to prevent."),
        ],
    ),
)

QUIZ = Quiz(
    "11",
    [
        Question(
            "For which test is a script the better choice?",
            [
                Choice(
                    "A whole app, whose calls come in an order that nobody knows.",
                    False,
                    "A script would give the right answers to the wrong questions. Rules look.",
                ),
                Choice(
                    "That the agent asks for the price before the sum.",
                    True,
                    "Here the order is the point: one call too many, and the script says so.",
                ),
                Choice("Two agents that share one model.", False, "They take each other's items, as in section 6."),
                Choice("A demo in which the visitors type.", False, "They will not type in the order of a script."),
            ],
        ),
        Question(
            'Which prompt does Rule(prompt="tea") not fit?',
            [
                Choice("One steak, please", False, "It fits: s-tea-k. Text is looked for anywhere."),
                Choice("Cake instead", False, "It fits: ins-tea-d."),
                Choice("green tea", False, "It fits, and here it should."),
                Choice("Tea, please", True, "Capitals count. A pattern with re.IGNORECASE would find it."),
            ],
        ),
        Question(
            "A rule never answers, and you do not see why. What shows it?",
            [
                Choice(
                    "mock.explain(request), for a request that the rule was meant for.",
                    True,
                    "It says which filter said no, or which earlier rule answers instead.",
                ),
                Choice("mock.counts", False, "It shows that the rule has a 0, and not why."),
                Choice("Another seed.", False, "Chance has no say in which rule answers."),
                Choice("A fallback.", False, "It would hide even more."),
            ],
        ),
        Question(
            "A test passes. Its counts are {'total': 3, 'rules': [2], 'fallback': 1, 'unmatched': 0}. What now?",
            [
                Choice("Nothing: unmatched is 0.", False, "With a fallback it is always 0, and that is the trouble."),
                Choice(
                    "Raise record_limit.", False, "The three records are there already; the limit is 100 by default."
                ),
                Choice(
                    "Look at the record of the fallback: one request was not foreseen.",
                    True,
                    "No rule fitted it. Perhaps the test passes because of it.",
                ),
                Choice("Add a rule for everything at the top.", False, "Then no other rule would ever answer again."),
            ],
        ),
        Question(
            "Two agents begin with the same words and share a sequence. What happens?",
            [
                Choice(
                    "Each has a place of its own, since they are two agents.",
                    False,
                    "A mock sees requests, not agents, and theirs begin alike.",
                ),
                Choice(
                    "They share a place, unless a key tells them apart.",
                    True,
                    "By default a conversation is known by its model and its beginning; so each takes the other's answers.",
                ),
                Choice("The mock refuses the second one.", False, "It cannot even know that there is a second one."),
                Choice("The sequence begins anew with each request.", False, "Then it would never get to its end."),
            ],
        ),
    ],
)
