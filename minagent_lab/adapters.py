"""From a provider to a plain model and back, so that each driver can ask either.

`to_model` needs a loop that runs while somebody waits for it, and a notebook's own loop cannot be waited for from
inside. So each adapter has one loop of its own, in a thread of its own, for as long as it lives: connections that a
provider keeps belong to that loop, and nobody's running loop is touched. Source: the provider lesson.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from minagent_lab.abort import AbortSignal, abortable
from minagent_lab.checks import check_reply
from minagent_lab.messages import Message, ModelResponse
from minagent_lab.model import Model, ModelProvider, ModelRequest
from minagent_lab.own_loop import OwnLoop, own_loop


def to_model(provider: ModelProvider) -> PlainModel:
    """Return a plain model that asks a provider and waits for it, also where a loop is running already.

    Examples
    --------
    >>> from minagent_lab import FakeModelProvider, ToolRegistry, run
    >>> with to_model(FakeModelProvider(["Hello."])) as model:
    ...     run(model, ToolRegistry(), "Hi").final
    'Hello.'
    """
    return PlainModel(provider)


def to_provider(model: Model, *, in_thread: bool = False) -> AwaitedModel:
    """Return a provider that asks a plain model.

    Parameters
    ----------
    model
        Anything with ``complete(messages, tools)``.
    in_thread
        For a model that makes one wait: it is asked in another thread, so that other runs go on. An abort then ends
        the waiting; what the thread does cannot be stopped.

    Examples
    --------
    >>> from minagent_lab import FakeModel, ToolRegistry, arun
    >>> asyncio.run(arun(to_provider(FakeModel(["Hello."])), ToolRegistry(), "Hi")).final
    'Hello.'
    """
    return AwaitedModel(model, in_thread=in_thread)


class _Adapter:
    """What both have in common: whatever else is asked of them, their inner one answers."""

    def __init__(self, inner: Any, kind: str, hint: str) -> None:
        if isinstance(inner, type) or not callable(getattr(inner, "complete", None)):
            raise TypeError(f"{kind} is {inner!r:.80}; pass an object with {hint}")
        self._inner = inner

    def __getattr__(self, name: str) -> Any:  # name, script, position, calls, ...
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._inner, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._inner!r}>"


class PlainModel(_Adapter):
    """A provider as a plain model; see `to_model`. `close` ends its thread, and so does the end of the program."""

    def __init__(self, provider: ModelProvider) -> None:
        super().__init__(provider, "provider", "async complete(request, signal), such as FakeModelProvider([...])")
        self._own: OwnLoop | None = None

    def complete(self, messages: Sequence[Message], tools: list[dict[str, Any]]) -> ModelResponse:
        """Ask the provider, and wait for its response."""
        request = ModelRequest(messages, tools)
        if self._own is None:
            self._own = own_loop()
        reply = self._own.wait_for(lambda: self._inner.complete(request))
        check_reply(self._inner, reply, ModelResponse)
        return reply  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the thread, if one was begun."""
        if self._own is not None:
            self._own.close()
            self._own = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AwaitedModel(_Adapter):
    """A plain model as a provider; see `to_provider`."""

    def __init__(self, model: Model, *, in_thread: bool = False) -> None:
        super().__init__(model, "model", "complete(messages, tools), such as FakeModel([...])")
        self._in_thread = in_thread

    async def complete(self, request: ModelRequest, signal: AbortSignal | None = None) -> ModelResponse:
        """Ask the model, unless the signal was given."""
        if signal is not None:
            signal.throw_if_aborted()
        messages, tools = request.messages, list(request.tools)
        if self._in_thread:
            reply = await abortable(asyncio.to_thread(self._inner.complete, messages, tools), signal)
        else:
            reply = self._inner.complete(messages, tools)
        check_reply(self._inner, reply, ModelResponse)
        return reply  # type: ignore[no-any-return]
