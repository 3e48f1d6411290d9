"""OpenAI, and every server that speaks its Chat Completions, behind the contract of a provider."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from minagent_lab.messages import ModelResponse
from minagent_lab.model import ModelRequest
from minagent_lab.providers.chat_completions import chat_request, chat_response
from minagent_lab.providers.chat_stream import ChatAssembler
from minagent_lab.providers.connection import Sdk
from minagent_lab.providers.sdk_provider import SdkProvider


class OpenAICompatibleProvider(SdkProvider):
    """A model of OpenAI, or of a server with the same interface (vLLM, Ollama, llama.cpp, LM Studio, a gateway).

    A wrong set-up is a `ConfigurationError` here, not at the first call. Where real calls are barred, as in tests, a
    call goes through only if it stays on this machine: with a `transport` that answers by itself, or a base URL of this
    machine (127.0.0.1, localhost, ::1).

    Parameters
    ----------
    model
        As the service calls it.
    api_key
        Else ``OPENAI_API_KEY`` is read. A server on this machine needs none; for another one that wants none, write any
        word.
    base_url
        Such as ``http://localhost:11434/v1``; else ``OPENAI_BASE_URL``, else OpenAI itself.
    client
        An ``openai.AsyncOpenAI`` to use in place of one of our own. It is never closed here, and retries nothing.
    transport
        An httpx2 transport for our own client, such as ``httpx2.MockTransport`` in a test.
    stream
        Whether the answer is sent piece by piece. What `complete` returns is the same; a long answer that comes in
        pieces runs into fewer time limits on its way.
    timeout
        Seconds that a call may take in all; ``None`` for no end.
    options
        More fields of the request, as the service calls them: ``{"temperature": 0, "max_completion_tokens": 500}``.
    clock
        Tells the time in seconds since the epoch, for a wait that the service gives as a date.

    Examples
    --------
    >>> import asyncio, httpx2
    >>> from minagent_lab import Message
    >>> def service(request):
    ...     message = {"role": "assistant", "content": "Hello."}
    ...     return httpx2.Response(200, json={"choices": [{"message": message, "finish_reason": "stop"}]})
    >>> provider = OpenAICompatibleProvider("gpt-x", transport=httpx2.MockTransport(service))
    >>> asyncio.run(provider.complete(ModelRequest([Message("user", "Hi")])))
    ModelResponse(Message('assistant', 'Hello.'))
    """

    sdk: ClassVar[Sdk] = Sdk(
        "openai", "AsyncOpenAI", "chat", ("OPENAI_API_KEY", "OPENAI_BASE_URL"), ("/chat/completions",)
    )
    own_options: ClassVar[frozenset[str]] = frozenset({"messages", "model", "n", "stream", "tools"})

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        client: Any = None,
        transport: Any = None,
        stream: bool = False,
        timeout: float | None = 120.0,
        options: Mapping[str, Any] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
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
        body = chat_request(request)
        if self._stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        create = self._connection.client.chat.completions.with_streaming_response.create
        return create(model=self.name, **body, extra_body=self._options or None)

    def _assembler(self) -> ChatAssembler:
        return ChatAssembler()

    def _decoded(self, body: dict[str, Any], turn: int) -> ModelResponse:
        return chat_response(body, turn)
