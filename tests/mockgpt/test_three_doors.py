import asyncio
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wired import asked_by

from minagent_lab import Message, MockGPT, ModelRequest, ModelResponse, ToolCall
from minagent_lab.errors import (
    AuthenticationError,
    InvalidRequestError,
    MalformedResponseError,
    NetworkError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    ServerError,
)
from minagent_lab.mockgpt import responses

SYSTEM, USER = Message("system", "Be kind. 请友好"), Message("user", "Hi 你好\n🙂")
TOOLS = [
    {"name": "add", "description": "Sum", "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}},
    {"name": "now", "description": "", "parameters": {"type": "object"}},
    {"name": "old", "description": "x", "parameters": {"type": "object", "properties": {}}},
]
WIRES = [(kind, {"stream": stream}) for kind, stream in itertools.product(("openai", "anthropic"), (False, True))]

texts = st.text(st.sampled_from('ab \n结✅👩‍👧é\u2028\x85"\\🇩🇪'), min_size=1, max_size=30)
arguments = st.dictionaries(texts, st.none() | st.integers() | texts | st.lists(texts, max_size=2), max_size=3)
calls = st.lists(st.tuples(st.sampled_from(["add", "now", "search_the_web"]), arguments), min_size=1, max_size=3).map(
    lambda wishes: [ToolCall(f"call_{n}", name, held) for n, (name, held) in enumerate(wishes)]
)
usages = st.just({}) | st.fixed_dictionaries({"input_tokens": st.integers(0, 99), "output_tokens": st.integers(0, 99)})
whole = st.builds(
    lambda text, wishes, usage, cut: ModelResponse(
        Message("assistant", text, wishes), cut or ("tool_use" if wishes else "end_turn"), usage, "m-1"
    ),
    texts,
    st.just([]) | calls,
    usages,
    st.sampled_from(["", "max_tokens", "content_filter"]),
)
scripts = st.lists(texts | calls | whole, min_size=1, max_size=3)
travels = st.fixed_dictionaries({"chunk_size": st.integers(1, 9), "wire_chunk_size": st.none() | st.integers(1, 40)})
errors = [
    AuthenticationError("no", status_code=401, code="invalid_api_key"),
    InvalidRequestError("no", status_code=422, code="odd"),
    RateLimitError("slow", status_code=429, code="insufficient_quota"),
    RateLimitError("slow", status_code=429, code="rate", retry_after=2.0),
    ServerError("down", status_code=503, code="down"),
    ProviderTimeoutError("late", status_code=408, code="late"),
    NetworkError("gone"),
    MalformedResponseError("odd"),
]


def outcome(ask):
    """Return what somebody got, in a form that can be compared."""
    try:
        response = ask()
    except ProviderError as problem:
        return type(problem), problem.status_code, problem.code, problem.retry_after
    return response.message, response.stop_reason, response.usage


def doors(script, travel):
    """Yield what each door makes of a script, played to its end in one conversation."""

    def mock():
        return MockGPT([], fallback=responses.script(script), stream=travel)

    request = ModelRequest([SYSTEM, USER], TOOLS)
    plain = mock()
    yield "complete", [outcome(lambda: plain.complete([SYSTEM, USER], TOOLS)) for _ in script]
    provider = mock().provider
    yield "provider", [outcome(lambda: asyncio.run(provider.complete(request))) for _ in script]
    for kind, options in WIRES:
        wire = mock()
        yield (kind, options), [outcome(lambda w=wire, k=kind, o=options: asked_by(k, w, request, **o)) for _ in script]


@settings(max_examples=40)
@given(scripts, travels)
def test_one_script_gives_the_same_at_every_door(script, travel):
    (_, first), *others = doors(script, travel)

    for door, outcomes in others:
        assert outcomes == first, door


@pytest.mark.parametrize("error", errors, ids=repr)
def test_an_error_in_a_script_is_the_same_at_every_door(error):
    (_, first), *others = doors([error, "Hello."], {})

    assert first[0] == (type(error), error.status_code, error.code, error.retry_after)
    for door, outcomes in others:
        if isinstance(error, (NetworkError, MalformedResponseError)):  # here the adapter knows no status
            assert [kind for kind, *_ in outcomes[:1]] == [type(error)], door
            assert outcomes[1] == first[1], door
        else:
            assert outcomes == first, door


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503])
@pytest.mark.parametrize(
    "more", [{}, {"retry_after": 2}, {"code": "insufficient_quota"}, {"message": "no", "code": "odd"}]
)
def test_an_error_of_the_service_is_the_same_at_every_door_of_openai(status, more):
    def mock():
        return MockGPT([], fallback=responses.error(status, **more))

    first = outcome(lambda: mock().complete([USER], []))

    assert outcome(lambda: asked_by("openai", mock())) == first
    assert outcome(lambda: asked_by("openai", mock(), stream=True)) == first
    assert outcome(lambda: asked_by("anthropic", mock()))[:2] == first[:2]


@pytest.mark.parametrize("written", ["", "  ", "null", '{"a": 1}', '{"a":', "[1]", '{"a": 1, "a": 2}', "NaN"])
def test_arguments_that_are_text_are_the_same_at_every_door(written):
    def mock():
        return MockGPT([], fallback=responses.tool_calls(("now", written)))

    first = outcome(lambda: mock().complete([Message("user", "Hi")], []))

    for kind, options in WIRES:
        assert outcome(lambda k=kind, o=options: asked_by(k, mock(), **o)) == first, (kind, options)


def test_seeded_ids_are_the_same_at_every_door():
    def mock():
        return MockGPT([], fallback=responses.tool_calls(("add", {"a": 1}), ("add", {"a": 2})), seed=7)

    ids = {call.id for call in mock().complete([Message("user", "Hi")], []).message.tool_calls}

    assert len(ids) == 2
    for kind, options in WIRES:
        assert {call.id for call in asked_by(kind, mock(), **options).message.tool_calls} == ids


def test_half_a_character_in_arguments_is_the_same_at_every_door():
    def mock():
        return MockGPT([], fallback=responses.tool_calls(("now", {"a\ud83d": "5\udcb0"})))

    first = outcome(lambda: mock().complete([Message("user", "Hi")], []))
    for kind, options in WIRES:
        assert outcome(lambda k=kind, o=options: asked_by(k, mock(), **o)) == first, (kind, options)
