"""Nothing goes to a service without a yes, nothing beyond what was agreed, and no key where none belongs."""

import asyncio
import http.server
import json
import threading
from contextlib import contextmanager

import pytest
from service import HI, completion

from minagent_lab import Message, MockGPT, ModelRequest, Rule, Tool, ToolRegistry, arun, choose_provider, to_model
from minagent_lab.errors import (
    AuthenticationError,
    BudgetExceeded,
    ConfigurationError,
    ProviderTimeoutError,
    RateLimitError,
    RealCallBarred,
    ServerError,
)
from minagent_lab.loop import run
from minagent_lab.mockgpt import responses

KEY = "correct-Horse-battery-9"
USAGE = {"prompt_tokens": 10, "completion_tokens": 2}


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-FAKE-that-nobody-named-0000000000")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SHOP_KEY", KEY)


@contextmanager
def service(*replies):
    """Serve statuses and bodies in order, the last one again and again; yield the address, headers and bodies seen."""
    seen, left = [], list(replies)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            seen.append((dict(self.headers), json.loads(self.rfile.read(int(self.headers["content-length"])))))
            status, body = left.pop(0) if len(left) > 1 else left[0]
            body = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *told):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def no_wait(seconds):
    pass


FINE = (200, completion(usage=USAGE))
DOWN = (503, {"error": {"message": "down"}})


def ask(provider, request=HI):
    return asyncio.run(provider.complete(request))


# ---- the yes


def test_without_an_address_the_mock_answers_whatever_else_is_said():
    mock = MockGPT([], fallback="Hello.")
    for yes in (False, True):
        provider = choose_provider(None, "clerk-1", yes=yes, mock=mock, key_from="NOT_SET_ANYWHERE")
        assert ask(provider).message.content == "Hello."
        assert "nothing leaves it" in repr(provider)
    assert mock.records[0].door == "wire"  # through the real client


def test_without_a_yes_nothing_is_sent_and_the_refusal_says_what_would_be():
    with service(FINE) as (url, seen):
        with pytest.raises(RealCallBarred) as refused:
            choose_provider(url, "gpt-x", mock=MockGPT([], fallback="Hello."), key_from="SHOP_KEY", requests=3)
        assert seen == []
    for told in ("nothing was sent", "yes=True", "'gpt-x'", url, "SHOP_KEY", "3 requests", "10,000 tokens", "60 s"):
        assert told in str(refused.value)
    assert KEY not in str(refused.value)


def test_a_yes_alone_sends_nothing_either():
    with service(FINE) as (url, seen):
        provider = choose_provider(url, "gpt-x", yes=True)
        assert seen == []
        ask(provider)
        assert len(seen) == 1


@pytest.mark.parametrize("yes", ["no", "yes", 1, None, ["yes"]])
def test_a_yes_is_true_and_nothing_that_looks_like_it(yes):
    with pytest.raises(ConfigurationError, match="write True or False"):
        choose_provider("http://localhost:1/v1", "gpt-x", yes=yes)


def test_no_environment_variable_takes_the_place_of_an_address():
    with pytest.raises(ConfigurationError, match="neither base_url nor mock"):
        choose_provider(None, "gpt-x", yes=True)


def test_a_yes_does_not_open_what_a_test_bars():
    provider = choose_provider("https://api.example.com/v1", "gpt-x", yes=True)
    with pytest.raises(RealCallBarred, match="real_model"):
        ask(provider)


# ---- the key


def test_only_the_key_that_was_named_is_sent():
    with service(FINE) as (url, seen):
        ask(choose_provider(url, "gpt-x", yes=True, key_from="SHOP_KEY"))
        ask(choose_provider(url, "gpt-x", yes=True))
    assert seen[0][0]["authorization"] == f"Bearer {KEY}"
    assert "sk-FAKE" not in json.dumps(seen[1])


def test_whose_account_it_is_stands_in_the_environment_and_is_told_nobody(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-FAKE")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-FAKE")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-admin-FAKE0000000000")
    with service(FINE) as (url, seen):
        ask(choose_provider(url, "gpt-x", yes=True))
    assert "FAKE" not in json.dumps(seen)


def test_a_key_goes_to_another_machine_by_https_alone():
    with pytest.raises(ConfigurationError, match="unencrypted"):
        choose_provider("http://api.example.com/v1", "gpt-x", yes=True, key_from="SHOP_KEY")
    choose_provider("http://192.0.2.7:11434/v1", "gpt-x", yes=True)
    choose_provider("https://api.example.com/v1", "gpt-x", yes=True, key_from="SHOP_KEY")


@pytest.mark.parametrize("address", ["https://u:{}@api.example.com/v1", "https://api.example.com/v1?key={}", "h#{}"])
def test_an_address_is_no_place_for_a_key(address):
    with pytest.raises(ConfigurationError) as refused:
        choose_provider(address.format(KEY), "gpt-x", yes=True)
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("key", [KEY, "sk-FAKE0000000000000000", "AKIAFAKE0000000000", "", "A B", 7])
def test_a_key_in_the_place_of_a_name_is_not_shown(key):
    with pytest.raises(ConfigurationError, match="NAME of an environment variable") as refused:
        choose_provider("https://api.example.com/v1", "gpt-x", yes=True, key_from=key)
    assert not key or str(key) not in str(refused.value)


def test_a_variable_that_is_not_set_is_named(monkeypatch):
    monkeypatch.setenv("EMPTY_KEY", " ")
    for name in ("NOT_SET_ANYWHERE", "EMPTY_KEY"):
        with pytest.raises(ConfigurationError, match=name):
            choose_provider("https://api.example.com/v1", "gpt-x", yes=True, key_from=name)


def test_no_text_of_it_holds_the_key(tmp_path):
    echo = (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})
    with service((200, completion(f"Your key is {KEY}.", usage=USAGE)), echo) as (url, _):
        provider = choose_provider(url, "gpt-x", yes=True, key_from="SHOP_KEY")
        recorder = provider.recorder("smoke", metadata={"headers": {"authorization": f"Bearer {KEY}"}})
        asyncio.run(recorder.complete(HI))
        with pytest.raises(AuthenticationError) as refused:
            asyncio.run(recorder.complete(HI))
    assert KEY not in str(refused.value)
    assert KEY not in repr(provider)
    assert KEY not in recorder.save(tmp_path).read_text(encoding="utf-8")


# ---- the limits


def test_each_request_counts_and_those_that_fail_as_well():
    with service(DOWN) as (url, seen):
        provider = choose_provider(url, "gpt-x", yes=True, requests=3, attempts=2, sleep=no_wait)
        with pytest.raises(ServerError):
            ask(provider)
        with pytest.raises(BudgetExceeded):
            ask(provider)
        with pytest.raises(BudgetExceeded):
            ask(provider)
    assert len(seen) == 3
    assert "3 requests" in repr(provider)


def test_the_limits_hold_over_runs_and_in_a_plain_model():
    mock = MockGPT([Rule(generator=responses.tool_calls(("now", {})))])
    registry = ToolRegistry()
    registry.add(Tool("now", "The time", {"type": "object", "properties": {}}, lambda: "noon"))
    provider = choose_provider(None, "clerk-1", mock=mock, requests=4, tokens=None)
    with to_model(provider) as model, pytest.raises(BudgetExceeded):
        run(model, registry, "When?")
    assert asyncio.run(arun(provider, registry, "When?")).status == "over_budget"
    assert mock.counts["total"] == 4


def test_tokens_end_it_after_the_answer_that_crosses():
    with service(FINE) as (url, seen):
        provider = choose_provider(url, "gpt-x", yes=True, tokens=20)
        ask(provider), ask(provider)
        with pytest.raises(BudgetExceeded, match="tokens"):
            ask(provider)
    assert len(seen) == 2


def test_where_usage_is_not_told_nobody_can_count_and_it_ends():
    with service((200, completion())) as (url, seen):
        provider = choose_provider(url, "gpt-x", yes=True)
        ask(provider)
        with pytest.raises(BudgetExceeded, match="unknown"):
            ask(provider)
        assert "or more" in repr(provider)
        free = choose_provider(url, "gpt-x", yes=True, tokens=None)
        ask(free), ask(free)
    assert len(seen) == 3


def test_a_request_has_an_end():
    started, end = threading.Event(), threading.Event()

    class Slow(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            started.set()
            end.wait(10)

        def log_message(self, *told):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/v1"
        with pytest.raises(ProviderTimeoutError):
            ask(choose_provider(url, "gpt-x", yes=True, timeout=0.3, attempts=1))
        assert started.is_set()
    finally:
        end.set()
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_service_that_wants_a_longer_wait_than_a_request_may_take_is_not_waited_for():
    mock = MockGPT([Rule(generator=responses.error(429, retry_after=3600))])
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    with pytest.raises(RateLimitError):
        ask(choose_provider(None, "clerk-1", mock=mock, sleep=sleep))
    assert (slept, mock.counts["total"]) == ([], 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"requests": 0},
        {"requests": None},
        {"requests": True},
        {"requests": 2.5},
        {"tokens": -1},
        {"tokens": "many"},
        {"timeout": None},
        {"timeout": 0},
        {"attempts": 0},
        {"attempts": "2"},
        {"options": {"model": "another"}},
        {"mock": "Hello."},
        {"mock": MockGPT},
        {"base_url": 7},
        {"base_url": ""},
        {"base_url": "localhost:8000/v1"},
        {"model": ""},
    ],
)
def test_what_cannot_be_right_is_refused_at_once(wrong):
    given = {"base_url": None, "model": "clerk-1", "mock": MockGPT([], fallback="Hello."), **wrong}
    with pytest.raises(ConfigurationError):
        choose_provider(given.pop("base_url"), given.pop("model"), **given)


def test_it_is_a_provider_like_any_other():
    mock = MockGPT([], fallback="Hello.")

    async def main():
        async with choose_provider(None, "clerk-1", mock=mock) as provider:
            assert provider.name == "clerk-1"
            return await provider.complete(ModelRequest([Message("user", "Hi")]))

    assert asyncio.run(main()).message.content == "Hello."
    for _ in range(3):  # a loop of its own each time
        assert ask(choose_provider(None, "clerk-1", mock=mock)).message.content == "Hello."
