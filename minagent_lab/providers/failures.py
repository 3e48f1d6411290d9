"""From what went wrong in an SDK, in HTTP or in a service to the one tree of errors in ``errors``.

A run asks an error two things: is it worth another try, and who has to do something? The class answers both, whatever
words the service has for it. Its own words are kept in the message, and what it told of status, request and waiting
beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from json import JSONDecodeError
from typing import Any

from minagent_lab.errors import (
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
from minagent_lab.providers.retry_after import read_retry_after

_ADVICE: dict[type[ProviderError], str] = {
    AuthenticationError: "look at api_key, and at what it may do",
    InvalidRequestError: "the request has to change: the same one will be refused again",
    RateLimitError: "wait before the next request, or send fewer",
    ServerError: "the next try may succeed",
    ProviderTimeoutError: "the next try may succeed",
}
_STATUS_OF_WORD = {  # where a service says in words only what went wrong, after it had said 200
    "authentication_error": 401,
    "billing_error": 402,
    "insufficient_quota": 429,
    "invalid_request_error": 400,
    "not_found_error": 404,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "request_too_large": 413,
    "timeout_error": 408,
}
_LIBRARIES = ("anthropic", "anyio", "httpx", "httpx2", "openai", "pydantic", "pydantic_core")
_UNREADABLE = ("DecodingError", "ValidationError", "APIResponseValidationError")
_LOOPS = re.compile(r"event loop|different loop", re.IGNORECASE)
_DEAD_LOOP = (
    "the client that was handed in keeps connections of an event loop that is gone; make it inside asyncio.run(), "
    "or hand in none: a provider's own client works in every loop"
)


def error_of_status(status: int) -> type[ProviderError]:
    """Return the class for an HTTP status that is not 200.

    A conflict (409) counts as the service's: it could not get hold of something that another request held, and the
    SDKs try it again as well.

    Examples
    --------
    >>> [error_of_status(status).__name__ for status in (401, 408, 409, 422, 429, 529)]
    ['AuthenticationError', 'ProviderTimeoutError', 'ServerError', 'InvalidRequestError', 'RateLimitError', \
'ServerError']
    """
    exact = {401: AuthenticationError, 403: AuthenticationError, 408: ProviderTimeoutError, 409: ServerError}
    if status == 429:
        return RateLimitError
    return exact.get(status, ServerError if status >= 500 else InvalidRequestError)


def told_error(told: Any) -> ProviderError:
    """Return the error that a service tells inside a response, or in the middle of a stream.

    Examples
    --------
    >>> told_error({"type": "overloaded_error", "message": "Overloaded"})
    ServerError('the service failed while it answered: Overloaded; the next try may succeed', code='overloaded_error')
    """
    code, message = _words(told)
    number = int(code) if code and re.fullmatch("[45][0-9]{2}", code) else None
    kind = error_of_status(number or _STATUS_OF_WORD.get(code or "", 500))
    return kind(
        f"the service failed while it answered: {message}; {_advice(kind, code)}", status_code=number, code=code
    )


def error_of(problem: Exception, now: float) -> ProviderError | None:
    """Return the error to raise for what an SDK or its HTTP client raised; ``None`` for what is neither's.

    Parameters
    ----------
    problem
        What was raised.
    now
        The time in seconds since the epoch, for a wait that is told as a date.
    """
    if isinstance(problem, ProviderError):
        return problem
    if _is_of(problem, "APIStatusError"):
        return _of_status(problem, now)
    if isinstance(problem, TimeoutError) or _is_of(problem, "TimeoutException", "APITimeoutError"):
        return ProviderTimeoutError("there was no response in time; the next try may succeed, or raise timeout")
    if isinstance(problem, (JSONDecodeError, UnicodeDecodeError)) or _is_of(problem, *_UNREADABLE):
        return MalformedResponseError(f"what came back cannot be read: {_name(problem)}")
    root = (problem.__cause__ or problem) if _is_of(problem, "APIConnectionError") else problem
    if isinstance(root, RuntimeError) and _LOOPS.search(str(root)):
        return ConfigurationError(_DEAD_LOOP)
    if _is_of(problem, "APIConnectionError"):
        return NetworkError(f"there was no connection: {_name(root)}; the next try may succeed")
    if isinstance(problem, OSError) or _is_of(problem, "RequestError", "StreamError", "EndOfStream"):
        return NetworkError(f"the connection broke while the answer came, which is incomplete: {_name(problem)}")
    known = _is_of(problem, "OpenAIError", "AnthropicError")
    return ProviderError(f"the SDK gave up: {_name(problem)}") if known else None


def _of_status(problem: Any, now: float) -> ProviderError:
    status, headers = int(problem.status_code), problem.response.headers
    body = problem.body
    code, message = _words(body.get("error", body) if isinstance(body, Mapping) else body)
    kind = error_of_status(status)
    return kind(
        f"the service said: {message}; {_advice(kind, code)}",
        status_code=status,
        request_id=headers.get("x-request-id") or headers.get("request-id"),
        code=None if code == str(status) else code,
        retry_after=read_retry_after(headers, now),
    )


def _words(told: Any) -> tuple[str | None, str]:
    """Return the service's own word for an error, if it has one, and what it says to people."""
    if not isinstance(told, Mapping):
        return None, _line(told).rstrip(".") or "nothing of why"
    words = [word for word in (told.get("code"), told.get("type")) if isinstance(word, (str, int)) and word != ""]
    code = "insufficient_quota" if "insufficient_quota" in words else str(words[0]) if words else None
    said = next((told[key] for key in ("message", "detail", "error") if told.get(key)), None)
    return code, _line(said).rstrip(".") or code or "nothing of why"


def _advice(kind: type[ProviderError], code: str | None) -> str:
    if code == "insufficient_quota":
        return "the quota is used up, and waiting does not help: look at the account"
    return _ADVICE[kind]


def _line(said: Any) -> str:
    return " ".join(str(said)[:20_000].split()) if said else ""


def _name(problem: BaseException) -> str:
    said = _line(problem)
    return f"{type(problem).__name__}: {said}" if said else type(problem).__name__


def _is_of(problem: Exception, *names: str) -> bool:
    """Whether it is of a class of one of these names, of an SDK or of what an SDK stands on; without loading any."""
    homes = [cls.__module__.partition(".")[0] for cls in type(problem).__mro__ if cls.__name__ in names]
    return any(home in _LIBRARIES for home in homes)


def cleaned(problem: ProviderError, clean: Callable[[str], str]) -> ProviderError:
    """Return the error without secrets, which `clean` takes out of text, and cut to a length that people read."""
    facts: dict[str, Any] = {
        name: clean(fact) if isinstance(fact, str) else fact for name, fact in problem.facts().items()
    }
    text = clean(str(problem.args[0]) if problem.args else "")
    return type(problem)(text if len(text) <= 600 else f"{text[:600]}…", **facts)
