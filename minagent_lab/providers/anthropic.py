"""Anthropic's models behind the contract of a provider."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from minagent_lab.errors import ConfigurationError
from minagent_lab.messages import ModelResponse
from minagent_lab.model import ModelRequest
from minagent_lab.providers.connection import Sdk
from minagent_lab.providers.message_stream import MessageAssembler
from minagent_lab.providers.messages_api import messages_request, messages_response
from minagent_lab.providers.sdk_provider import SdkProvider


class AnthropicProvider(SdkProvider):
    """A model of Anthropic, through its Messages API.

    A wrong set-up is a `ConfigurationError` here, not at the first call. Where real calls are barred, as in tests, a
    call goes through only if it stays on this machine: with a `transport` that answers by itself, or a base URL of this
    machine (127.0.0.1, localhost, ::1).

    Thinking is no part of the contract: its blocks are left out of the response, so do not switch it on together with
    tools, where the service wants them back.

    Parameters
    ----------
    model
        As the service calls it.
    max_tokens
        How much the model may write in one answer; the service wants a limit.
    api_key
        Else ``ANTHROPIC_API_KEY`` is read. For any other credential, hand in a client that has it.
    base_url
        Else ``ANTHROPIC_BASE_URL``, else Anthropic itself.
    client
        An ``anthropic.AsyncAnthropic`` to use in place of one of our own. It is never closed here, and retries nothing.
    transport, stream, timeout, options, clock
        As for `OpenAICompatibleProvider`.

    Examples
    --------
    >>> import asyncio, httpx2
    >>> from minagent_lab import Message
    >>> def service(request):
    ...     content = [{"type": "text", "text": "Hello."}]
    ...     return httpx2.Response(200, json={"content": content, "stop_reason": "end_turn"})
    >>> provider = AnthropicProvider("claude-x", transport=httpx2.MockTransport(service))
    >>> asyncio.run(provider.complete(ModelRequest([Message("user", "Hi")])))
    ModelResponse(Message('assistant', 'Hello.'))
    """

    sdk: ClassVar[Sdk] = Sdk(
        "anthropic", "AsyncAnthropic", "messages", ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"), ("/v1/messages", "/v1")
    )
    own_options: ClassVar[frozenset[str]] = frozenset({"max_tokens", "messages", "model", "stream", "system", "tools"})

    def __init__(
        self,
        model: str,
        *,
        max_tokens: int = 4096,
        api_key: str | None = None,
        base_url: str | None = None,
        client: Any = None,
        transport: Any = None,
        stream: bool = False,
        timeout: float | None = 120.0,
        options: Mapping[str, Any] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
            raise ConfigurationError(f"max_tokens is {max_tokens!r:.80}; it is a whole number from 1 up")
        self._max_tokens = max_tokens
        super().__init__(
            model,
            api_key=api_key,
            base_url=base_url,
            client=client,
            transport=transport,
            stream=stream,
            timeout=timeout,
            options=options,
            clock=clock,
        )

    def _send(self, request: ModelRequest) -> Any:
        body = messages_request(request)
        if self._stream:
            body["stream"] = True
        client = self._connection.client  # its own timeout, named: else the SDK refuses a large max_tokens
        create = client.messages.with_streaming_response.create
        extra = {"timeout": client.timeout, "extra_body": self._options or None}
        return create(model=self.name, max_tokens=self._max_tokens, **body, **extra)

    def _assembler(self) -> MessageAssembler:
        return MessageAssembler()

    def _decoded(self, body: dict[str, Any], turn: int) -> ModelResponse:
        return messages_response(body, turn)
