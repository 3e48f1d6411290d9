"""Consent: a service is asked only after somebody said yes to it, and only as often as was agreed.

Where no address is given, a mock answers in this process, through the same SDK. Where one is given, nothing goes out
without a yes beside it; the refusal says what would go where, with which key and within which limits. The limits stand
in the provider itself, so that they hold for each run, each stepper and each evaluation that asks it.
Source: appendix B.7 (real calls come last, and only when the learner has agreed that they may cost something).
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self

from minagent_lab.abort import AbortSignal
from minagent_lab.errors import ConfigurationError, RealCallBarred
from minagent_lab.fixtures.recorder import ProviderRecorder
from minagent_lab.fixtures.redact import SHORTEST, Redactor
from minagent_lab.messages import ModelResponse
from minagent_lab.model import ModelProvider, ModelRequest
from minagent_lab.observe.budget import Budget
from minagent_lab.providers.address import check_base_url, is_loopback
from minagent_lab.providers.connection import NO_KEY
from minagent_lab.providers.openai_compatible import OpenAICompatibleProvider
from minagent_lab.providers.retrying import Retrying
from minagent_lab.values import a_kind

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")  # in capitals, as they are usual; a key has small letters too


def choose_provider(
    base_url: str | None,
    model: str,
    *,
    yes: bool = False,
    mock: Any = None,
    key_from: str | None = None,
    requests: int = 10,
    tokens: int | None = 10_000,
    timeout: float = 60.0,
    attempts: int = 2,
    options: Mapping[str, Any] | None = None,
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
) -> ChosenProvider:
    """Return a provider that asks a mock, or the service at an address if somebody said yes to it.

    Parameters
    ----------
    base_url
        Where the service is, such as ``"http://localhost:11434/v1"``; ``None`` for the mock. No environment variable
        takes its place.
    model
        As the service calls it.
    yes
        ``True`` to agree that requests go to `base_url` and may cost something. Without it nothing is sent.
    mock
        A `MockGPT`, which answers where there is no address.
    key_from
        The *name* of the environment variable that holds the key for this address; ``None`` where none is needed. A
        key that is not named here is not sent, whatever the environment holds.
    requests
        How many requests may go out in all, those that fail included.
    tokens
        How many tokens may be used in all; ``None`` for no limit. The answer that crosses it is still paid for. Where
        the service does not tell its usage, the next request is refused, for nobody could count.
    timeout
        Seconds for one request; a service that asks for a longer wait is not waited for.
    attempts
        How often one request is sent at most. Nobody else sends it again.
    options
        As for `OpenAICompatibleProvider`; to limit the length of an answer: ``{"max_tokens": 300}``.
    sleep
        What waits before a further attempt.

    Raises
    ------
    ConfigurationError
        The address, the key or a limit cannot be right; the text never holds a key.
    RealCallBarred
        There is an address and no yes. The text says what would have been sent where.

    Examples
    --------
    >>> from minagent_lab import MockGPT, ToolRegistry, arun
    >>> provider = choose_provider(None, "clerk-1", mock=MockGPT([], fallback="Hello."))
    >>> asyncio.run(arun(provider, ToolRegistry(), "Hi")).final
    'Hello.'
    >>> choose_provider("https://api.example.com/v1", "clerk-1")
    Traceback (most recent call last):
    ...
    minagent_lab.errors.RealCallBarred: nothing was sent, because nobody said yes=True. With it, 'clerk-1' at \
https://api.example.com/v1 would get each message, tool result and tool description; key: none; limits: 10 requests, \
10,000 tokens, 60 s per request, 2 attempts
    """
    if not isinstance(yes, bool):
        raise ConfigurationError(f"yes is {a_kind(yes)}; write True or False")
    url = None if base_url is None else _checked_address(base_url)
    key = None if key_from is None else _key_in(key_from, read=url is not None)
    if url is not None and key and url.startswith("http:") and not is_loopback(url):
        raise ConfigurationError("the key would travel unencrypted to another machine; write https://, or leave it out")
    if timeout is None:
        raise ConfigurationError("timeout is None; give seconds, for a request without end costs without end")
    limits = _checked_limits(requests, tokens)
    facts: dict[str, Any] = {"timeout": timeout, "options": options}
    retry = {"attempts": attempts, "max_wait": timeout, "sleep": sleep}
    if url is None:
        if mock is None:
            raise ConfigurationError("there is neither base_url nor mock, so nobody would answer; pass mock=MockGPT(…)")
        inner = OpenAICompatibleProvider(model, transport=_transport(mock), **facts)
        where = f"{model!r} is a mock in this process; nothing leaves it"
    else:
        inner = OpenAICompatibleProvider(model, base_url=url, api_key=key or NO_KEY, **facts)
        where = f"{model!r} at {url}"
        for name in ("organization", "project"):  # the SDK reads them from the environment, and would tell them anybody
            setattr(inner._connection.client, name, None)
    shown = _limits_shown(requests, tokens, timeout, attempts)
    chosen = ChosenProvider(inner, limits, retry, where, key_from if key else None, shown, key)
    if url is not None and not yes:
        raise RealCallBarred(
            f"nothing was sent, because nobody said yes=True. With it, {where} would get each message, tool result "
            f"and tool description; key: {chosen.key_shown}; limits: {shown}"
        )
    return chosen


class ChosenProvider:
    """What `choose_provider` gives: a provider that keeps to its limits, whoever asks it.

    Attributes
    ----------
    name : str
        The model that is asked.
    budget : Budget
        What was used, and what is left.
    """

    def __init__(
        self,
        inner: OpenAICompatibleProvider,
        budget: Budget,
        retry: dict[str, Any],
        where: str,
        key_from: str | None,
        limits: str,
        key: str | None,
    ) -> None:
        try:
            self._asked = Retrying(_Limited(inner, budget), **retry)
        except (TypeError, ValueError) as problem:
            raise ConfigurationError(str(problem)) from None
        self._inner, self.budget, self.name = inner, budget, inner.name
        self._where, self._limits = where, limits
        self.key_shown = "none" if key_from is None else f"the one in {key_from}"
        self._secrets = [key] if key and len(key) >= SHORTEST else []  # what is shorter is no secret

    async def complete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        """Answer one request, if the limits allow.

        Raises
        ------
        BudgetExceeded
            As many requests or tokens were used as were agreed to; nothing was sent.
        ProviderError, AbortError
            As of the provider inside.
        """
        return await self._asked.complete(request, signal)

    def recorder(self, name: str, **options: Any) -> ProviderRecorder:
        """Return a `Recorder` of this provider that knows the key, and so keeps it out of the file.

        Parameters
        ----------
        name
            The name of the recording.
        **options
            As for `Recorder`; its ``secrets`` come on top.
        """
        secrets = [*self._secrets, *options.pop("secrets", ())]
        return ProviderRecorder(self, name=name, secrets=secrets, **options)

    async def aclose(self) -> None:
        """Close the client."""
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        used = self.budget.used
        tokens = f"{used['tokens']:,} tokens" + (" or more" if self.budget.unknown_usage else "")
        return (
            f"answers: {self._where}\nkey:     {self.key_shown}\nlimits:  {self._limits}\n"
            f"used:    {used['steps']} request{'s' * (used['steps'] != 1)}, {tokens}"
        )


class _Limited:
    """A provider that looks at a budget before each request. It stands inside the retrying: there each one counts."""

    def __init__(self, inner: ModelProvider, budget: Budget) -> None:
        self._inner, self._budget = inner, budget

    async def complete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        if signal is not None:
            signal.throw_if_aborted()
        self._budget.before_model()
        response = await self._inner.complete(request, signal)
        self._budget.after_model(response)
        return response


def _checked_address(base_url: Any) -> str:
    """Return the address. One that could hold a key is refused, and not shown."""
    if not isinstance(base_url, str):
        raise ConfigurationError(f"base_url is {a_kind(base_url)}; write an address, or None for the mock")
    if re.search(r"[@?#]", base_url):
        raise ConfigurationError(
            "base_url holds a @, ? or #: an address is no place for a key or a password; name a variable in key_from"
        )
    return check_base_url(base_url, OpenAICompatibleProvider.sdk.endings).rstrip("/")


def _key_in(name: Any, *, read: bool) -> str | None:
    """Return the key that an environment variable holds; what cannot be a variable's name is not shown."""
    if not isinstance(name, str) or not _VARIABLE.fullmatch(name) or Redactor().text(name) != name:
        raise ConfigurationError(
            "key_from has to be the NAME of an environment variable in capitals, such as OPENAI_API_KEY. If it is the "
            "key itself, it stands in your cell now: take it out, and have a new one made"
        )
    if not read:
        return None
    if not (key := os.environ.get(name, "").strip()):
        raise ConfigurationError(
            f"key_from names {name}, and the environment has no such variable; set it before Jupyter starts"
        )
    return key


def _checked_limits(requests: Any, tokens: Any) -> Budget:
    if isinstance(requests, bool) or not isinstance(requests, int) or requests < 1:
        raise ConfigurationError(f"requests is {requests!r:.80}; write a whole number from 1 up")
    try:
        return Budget(steps=requests, tokens=tokens, strict=True)
    except (TypeError, ValueError) as problem:
        raise ConfigurationError(str(problem)) from None


def _limits_shown(requests: int, tokens: int | None, timeout: float, attempts: int) -> str:
    parts = [
        f"{requests:,} request{'s' * (requests != 1)}",
        "no limit of tokens" if tokens is None else f"{tokens:,} tokens",
        f"{timeout:g} s per request",
        f"{attempts} attempt{'s' * (attempts != 1)}",
    ]
    return ", ".join(parts)


def _transport(mock: Any) -> Any:
    if isinstance(mock, type) or (transport := getattr(mock, "transport", None)) is None:
        raise ConfigurationError(f"mock is {a_kind(mock)}; pass a MockGPT([...])")
    return transport
