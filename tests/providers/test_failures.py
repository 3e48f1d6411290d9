import json

import anthropic
import httpx2
import openai
import pydantic
import pytest

from minagent_lab import (
    AuthenticationError,
    ConfigurationError,
    InvalidRequestError,
    MalformedResponseError,
    NetworkError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    ServerError,
)
from minagent_lab.fixtures.redact import Redactor
from minagent_lab.providers.failures import cleaned, error_of, error_of_status, told_error

REQUEST = httpx2.Request("POST", "https://example.com")
NOW = 0.0


def refused(sdk, status, body, **headers):
    """Return what the SDK raises for a response of this status."""
    client = (sdk.OpenAI if sdk is openai else sdk.Anthropic)(
        api_key="sk-FAKE0000000000000000", http_client=None, max_retries=0
    )
    content = {"json": body} if isinstance(body, (dict, list)) else {"text": body}
    response = httpx2.Response(status, headers=headers, request=REQUEST, **content)
    try:
        return client._make_status_error_from_response(response)
    finally:
        client.close()


KINDS = {
    400: InvalidRequestError,
    401: AuthenticationError,
    402: InvalidRequestError,
    403: AuthenticationError,
    404: InvalidRequestError,
    408: ProviderTimeoutError,
    409: ServerError,
    413: InvalidRequestError,
    418: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
    500: ServerError,
    503: ServerError,
    504: ServerError,
    529: ServerError,
}


@pytest.mark.parametrize("sdk", [openai, anthropic])
@pytest.mark.parametrize("status", KINDS)
def test_each_status_is_one_class_whatever_the_sdk_calls_it(sdk, status):
    error = error_of(refused(sdk, status, {"error": {"message": "No."}}), NOW)
    assert type(error) is KINDS[status] is error_of_status(status)
    assert error.status_code == status
    assert "the service said: No; " in str(error)


@pytest.mark.parametrize("status", [300, 301, 399])
def test_a_redirect_that_leads_nowhere_is_no_reason_to_try_again(status):
    assert error_of_status(status) is InvalidRequestError


def test_what_is_worth_another_try_is_told_by_the_class():
    worth = {status for status in KINDS if error_of(refused(openai, status, {}), NOW).retryable}
    assert worth == {408, 409, 429, 500, 503, 504, 529}


@pytest.mark.parametrize("error", [{"code": "insufficient_quota"}, {"type": "insufficient_quota", "code": None}])
def test_a_quota_that_is_used_up_is_not_waited_for(error):
    problem = error_of(refused(openai, 429, {"error": {"message": "You exceeded your quota", **error}}), NOW)
    assert (problem.code, problem.retryable) == ("insufficient_quota", False)
    assert "look at the account" in str(problem)


def test_status_request_number_code_and_wait_are_kept():
    body = {"error": {"message": "Slow down", "type": "requests", "code": "rate_limit_exceeded"}}
    error = error_of(refused(openai, 429, body, **{"x-request-id": "req_9", "retry-after": "7"}), NOW)
    assert error.facts() == {
        "status_code": 429,
        "request_id": "req_9",
        "code": "rate_limit_exceeded",
        "retry_after": 7.0,
    }
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    date = "Thu, 01 Jan 1970 00:01:00 GMT"
    error = error_of(refused(anthropic, 529, body, **{"request-id": "req_8", "retry-after": date}), 57.0)
    assert error.facts() == {"status_code": 529, "request_id": "req_8", "code": "overloaded_error", "retry_after": 3.0}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": "model 'x' not found"}, "model 'x' not found"),
        ({"detail": "Not Found"}, "Not Found"),
        ({"detail": [{"loc": ["body"], "msg": "field required"}]}, "field required"),
        ({"message": "no such model", "object": "error"}, "no such model"),
        ("<html>\n<h1>Bad\n  Gateway</h1></html>", "<html> <h1>Bad Gateway</h1></html>"),
        ("", "nothing of why"),
        ({}, "nothing of why"),
        ([], "nothing of why"),
        ({"error": None}, "nothing of why"),
        ({"error": {"message": None, "code": "odd"}}, "odd"),
        ({"error": {"message": {"a": 1}}}, "{'a': 1}"),
    ],
)
@pytest.mark.parametrize("sdk", [openai, anthropic])
def test_what_the_service_says_is_found_in_each_place_where_services_say_it(sdk, body, words):
    assert words in str(error_of(refused(sdk, 404, body), NOW))


def test_a_number_as_a_code_is_the_status_and_no_word():
    assert error_of(refused(openai, 429, {"error": {"code": 429, "message": "No"}}), NOW).code is None


@pytest.mark.parametrize(
    ("told", "kind", "status"),
    [
        ({"type": "overloaded_error"}, ServerError, None),
        ({"type": "rate_limit_error"}, RateLimitError, None),
        ({"type": "authentication_error"}, AuthenticationError, None),
        ({"type": "invalid_request_error"}, InvalidRequestError, None),
        ({"code": 401, "message": "No"}, AuthenticationError, 401),
        ({"code": "502", "message": "No"}, ServerError, 502),
        ({"code": "odd"}, ServerError, None),
        ("upstream gone", ServerError, None),
        (["?"], ServerError, None),
        (True, ServerError, None),
    ],
)
def test_an_error_inside_a_response_is_told_by_its_word(told, kind, status):
    error = told_error(told)
    assert (type(error), error.status_code) == (kind, status)
    assert "while it answered: " in str(error)


def wrapped(problem, cause):
    problem.__cause__ = cause
    return problem


def invalid():
    with pytest.raises(pydantic.ValidationError) as problem:
        pydantic.TypeAdapter(int).validate_python("x")
    return problem.value


def not_json():
    with pytest.raises(json.JSONDecodeError) as problem:
        json.loads("")
    return problem.value


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (openai.APITimeoutError(request=REQUEST), ProviderTimeoutError),
        (anthropic.APITimeoutError(request=REQUEST), ProviderTimeoutError),
        (httpx2.ReadTimeout("slow"), ProviderTimeoutError),
        (TimeoutError(), ProviderTimeoutError),
        (openai.APIConnectionError(request=REQUEST), NetworkError),
        (anthropic.APIConnectionError(request=REQUEST), NetworkError),
        (httpx2.ReadError("reset"), NetworkError),
        (httpx2.RemoteProtocolError("peer closed"), NetworkError),
        (ConnectionResetError("reset"), NetworkError),
        (httpx2.DecodingError("bad gzip"), MalformedResponseError),
        (not_json(), MalformedResponseError),
        (invalid(), MalformedResponseError),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), MalformedResponseError),
        (RuntimeError("Event loop is closed"), ConfigurationError),
        (RuntimeError("got Future attached to a different loop"), ConfigurationError),
        (openai.OpenAIError("odd"), ProviderError),
        (anthropic.AnthropicError("odd"), ProviderError),
    ],
)
def test_what_the_sdks_raise_is_an_error_of_the_tree(problem, kind):
    assert type(error_of(problem, NOW)) is kind


def test_a_failed_connection_is_named_by_its_cause():
    problem = wrapped(openai.APIConnectionError(request=REQUEST), httpx2.ConnectError("All connection attempts failed"))
    assert "ConnectError: All connection attempts failed" in str(error_of(problem, NOW))


def test_a_connection_that_broke_while_the_answer_came_is_said_to_leave_it_incomplete():
    assert "incomplete" in str(error_of(httpx2.ReadError("reset"), NOW))


@pytest.mark.parametrize("problem", [TypeError("ours"), RuntimeError("ours"), ValueError("ours"), KeyError("ours")])
def test_what_is_nobodys_is_left_as_it_is(problem):
    assert error_of(problem, NOW) is None


def test_no_secret_and_no_long_page_gets_into_an_error():
    key = "hush-hush-123"
    problem = RateLimitError(f"key {key}, Bearer sk-FAKE0000000000000000 {'x' * 2000}", code=key, request_id=f"{key}-1")
    clean = cleaned(problem, Redactor([key]).text)
    assert type(clean) is RateLimitError
    assert key not in repr(clean) + str(clean)
    assert "sk-FAKE" not in repr(clean)
    assert len(str(clean)) < 1000
