"""The exceptions, as one tree.

    MinAgentError
    ├── ScriptExhausted    (RuntimeError)    a fake was asked more often than its script has items
    │   └── ResponsesExhausted               the same, of a fake provider
    ├── MaxStepsExceeded   (RuntimeError)    the model was asked `max_steps` times and still wanted a tool
    ├── UnexpectedRequest  (AssertionError)  an `Expect` in the script did not find the request it expected
    ├── ScriptNotExhausted (AssertionError)  `assert_exhausted()` found script items that nobody asked for
    ├── RealCallBarred     (RuntimeError)    a real model was about to be asked, and nobody said that it may
    ├── FixtureError       (ValueError)      a fixture file is not what its format says
    ├── ForkError          (ValueError)      a run cannot be forked in this way
    ├── PlaybookError      (ValueError)      the text of a playground cannot be run; ``problems`` says what and where
    ├── TraceError         (ValueError)      a trace is not what its format says, or ends too early
    ├── MockError          (RuntimeError)    a MockGPT has no answer; its ``code`` says why
    ├── BudgetExceeded     (RuntimeError)    a limit was reached, so the next call is not made
    ├── AbortError                           the caller gave the signal to stop; not a failure, and never retried
    └── ProviderError                        a provider asked for a response and has none
        ├── ConfigurationError    (ValueError)       the provider cannot work as it was set up; raised when it is made
        ├── AuthenticationError   (PermissionError)  the key is missing, wrong, or may not do this      (401, 403)
        ├── InvalidRequestError   (ValueError)       the service refuses this very request   (400, 404, 413, 422, ...)
        ├── RateLimitError                           too many requests, or the quota is used up              (429)
        ├── ServerError                              the service failed                         (500 and above)
        ├── NetworkError          (ConnectionError)  no connection, or one that broke
        ├── ProviderTimeoutError  (TimeoutError)     no response in time                                     (408)
        └── MalformedResponseError (ValueError)      a response came, and it is not one

Each is also a child of the built-in that fits, so `except RuntimeError` works as well. What a *model* or a *tool* did
wrong is no exception here: it is data that the model reads (see ``tools``). An exception that ends a run carries the
partial result of that run as ``error.result``.

Source: the texts in Chinese are those of the course's documents: the first, appendix B, and the provider lesson.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from minagent_lab.loop import RunResult


class MinAgentError(Exception):
    """The root of this package's exceptions."""

    result: RunResult | None = None  # what the run had reached when this error ended it

    def __reduce__(self) -> tuple[Any, ...]:  # so that it can be copied, and come out of a worker process
        return _remade, (type(self), self.args), vars(self)


def _remade(kind: type[MinAgentError], args: tuple[Any, ...]) -> MinAgentError:
    made = kind.__new__(kind, *args)
    made.args = args  # an OSError starts with none
    return made


class ScriptExhausted(MinAgentError, RuntimeError):
    """A fake model was asked more often than its script has items: the agent did not converge.

    Attributes
    ----------
    call_number : int
        Which call found the script used up, counted from 1.
    script_length : int
        How many items the script has.
    last_message : str
        What the call asked, in a few words.
    """

    said = "FakeModel 脚本已耗尽：Agent 没有收敛 (script exhausted, the agent did not converge"

    def __init__(self, call_number: int, script_length: int, last_message: str) -> None:
        self.call_number, self.script_length, self.last_message = call_number, script_length, last_message
        items = "1 item" if script_length == 1 else f"{script_length} items"
        super().__init__(
            f"{self.said}: call {call_number} was made, but the script has {items}; last message: {last_message}. "
            "If the call is right, add an item for it)"
        )


class ResponsesExhausted(ScriptExhausted):
    """A fake provider was asked more often than its script has items."""

    said = "FakeModelProvider 响应已耗尽 (responses exhausted"


class MaxStepsExceeded(MinAgentError, RuntimeError):
    """The model was asked `max_steps` times and still wanted a tool.

    Attributes
    ----------
    max_steps : int
        The limit, counted in calls of ``complete()``.
    result : RunResult
        The run so far; its status is ``"max_steps"`` and its history is well-formed.
    """

    def __init__(self, max_steps: int, result: RunResult) -> None:
        self.max_steps, self.result = max_steps, result
        super().__init__(
            f"超过 {max_steps} 步 (over max_steps={max_steps}: the model was asked {max_steps} times and never "
            "answered without a tool call; look at error.result.steps. Does the same call repeat? Repair the agent. "
            "Is each call new? Raise max_steps)"
        )


class UnexpectedRequest(MinAgentError, AssertionError):
    """The request was not the one that the script's `Expect` describes; no script item was consumed."""


class ScriptNotExhausted(MinAgentError, AssertionError):
    """Script items were left over when a test expected all of them to be used."""


class RealCallBarred(MinAgentError, RuntimeError):
    """A real model was about to be asked, by a test or by a cell, and nobody said that it may; nothing was sent."""


class ForkError(MinAgentError, ValueError):
    """A run cannot be forked in this way."""


class FixtureError(MinAgentError, ValueError):
    """A fixture file is not what its format says.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    place : str
        Turn and field, such as ``"turn 2, field 'call.id'"``; empty where the whole file is meant.
    """

    def __init__(self, path: Path, place: str, problem: str) -> None:
        self.path, self.place = path, place
        super().__init__(f"{path.name}, {place}: {problem}" if place else f"{path.name}: {problem}")


class PlaybookError(MinAgentError, ValueError):
    """The text of a playground cannot be run.

    Attributes
    ----------
    problems : tuple
        All that is wrong, each with its line, column and words.
    """

    def __init__(self, problems: Iterable[Any]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class TraceError(MinAgentError, ValueError):
    """A trace is not what its format says, or ends too early.

    Attributes
    ----------
    place : str
        Where: file and line, such as ``"run.jsonl, line 3"``.
    """

    def __init__(self, place: str, problem: str) -> None:
        self.place = place
        super().__init__(f"{place}: {problem}")


class MockError(MinAgentError, RuntimeError):
    """A `MockGPT` has no answer.

    Attributes
    ----------
    code : str
        ``"MOCK_RULE_NOT_FOUND"``, ``"MOCK_FILTER_FAILED"``, ``"MOCK_GENERATOR_FAILED"``, ``"MOCK_SEQUENCE_EXHAUSTED"``
        or ``"MOCK_OUTPUT_TOO_LARGE"``.
    """

    def __init__(self, code: str, problem: str) -> None:
        self.code = code
        super().__init__(f"{code}: {problem}")


# ---- limits, and the signal to stop

RAISE_IT = "Raise the limit, or find out what repeats"


class BudgetExceeded(MinAgentError, RuntimeError):
    """A limit of a budget was reached, so what would come next is not done.

    Attributes
    ----------
    limit_name : str
        Which limit: ``"steps"``, ``"tool_calls"``, ``"tokens"`` or ``"cost"``.
    limit, used : number
        How much was allowed, and how much was used by then.
    remaining : number
        What is left of it, never below zero.
    """

    def __init__(self, limit_name: str, limit: Any, used: Any, wanted: str, advice: str = RAISE_IT) -> None:
        self.limit_name, self.limit, self.used = limit_name, limit, used
        self.remaining = max(limit - used, 0)
        super().__init__(
            f"预算已用尽 (budget used up: {limit_name} is limited to {limit}, {used} used, {self.remaining} remaining; "
            f"not done: {wanted}. {advice})"
        )


class AbortError(MinAgentError):
    """The caller gave the signal to stop, so there is no response. It is no failure: nobody retries it."""

    name = "AbortError"

    def __init__(self, reason: str = "") -> None:
        super().__init__(f"模型请求已取消 (the request was aborted{f': {reason}' if reason else ''})")


# ---- providers


class ProviderError(MinAgentError):
    """A provider was asked for a response and has none. The class says why, whatever the service's own words are.

    Parameters
    ----------
    message
        What happened, for people; without secrets.
    status_code, request_id, code
        What the service told, if it told: the HTTP status, the number under which it keeps the request, its own word
        for the error such as ``"insufficient_quota"``.
    retry_after
        How long the service asks to wait, in seconds.

    Attributes
    ----------
    retryable : bool
        Whether the same request may succeed later.

    Examples
    --------
    >>> RateLimitError("slow down", status_code=429, request_id="req_1", retry_after=2.0)
    RateLimitError('slow down', status_code=429, request_id='req_1', retry_after=2.0)
    >>> RateLimitError("pay first", code="insufficient_quota").retryable
    False
    """

    retryable = False

    def __init__(
        self,
        message: str = "",
        *,
        status_code: int | None = None,
        request_id: str | None = None,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.status_code, self.request_id, self.code, self.retry_after = status_code, request_id, code, retry_after
        super().__init__(message)

    def facts(self) -> dict[str, Any]:
        """Return what the service told, without what it did not tell."""
        told = {name: getattr(self, name) for name in ("status_code", "request_id", "code", "retry_after")}
        return {name: fact for name, fact in told.items() if fact is not None}

    def __str__(self) -> str:
        words = {"status_code": "status", "request_id": "request", "code": "code", "retry_after": "retry after seconds"}
        told = ", ".join(f"{words[name]} {fact}" for name, fact in self.facts().items())
        return f"{super().__str__()} ({told})".strip() if told else super().__str__()

    def __repr__(self) -> str:
        told = "".join(f", {name}={fact!r}" for name, fact in self.facts().items())
        return f"{type(self).__name__}({super().__str__()!r}{told})"


class ConfigurationError(ProviderError, ValueError):
    """A provider cannot work as it was set up."""


class AuthenticationError(ProviderError, PermissionError):
    """The key is missing or wrong, or may not do this."""


class InvalidRequestError(ProviderError, ValueError):
    """The service refuses this very request; it will refuse it again."""


class RateLimitError(ProviderError):
    """Too many requests in a time, or the quota is used up; only the first passes by itself."""

    @property
    def retryable(self) -> bool:  # type: ignore[override]
        """Whether waiting helps: not when the quota is used up."""
        return self.code != "insufficient_quota"


class ServerError(ProviderError):
    """The service failed; the next try may succeed."""

    retryable = True


class NetworkError(ProviderError, ConnectionError):
    """There was no connection, or it broke."""

    retryable = True


class ProviderTimeoutError(ProviderError, TimeoutError):
    """There was no response in time."""

    retryable = True


class MalformedResponseError(ProviderError, ValueError):
    """Something came back, and it is no response: refused here, before it reaches a tool."""


def provider_errors() -> list[type[ProviderError]]:
    """Return the classes that a provider raises, the general one last."""
    return [*(kind for kind in ProviderError.__subclasses__() if kind.__module__ == __name__), ProviderError]
