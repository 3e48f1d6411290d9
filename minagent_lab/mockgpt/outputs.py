"""What a rule answers with, once it is worked out: text, a JSON value, tool calls, or an error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from minagent_lab.errors import ProviderError
from minagent_lab.messages import Message, ModelResponse, ToolCall
from minagent_lab.values import dump_json, value


@value
class Options:
    """How an answer travels over the wire.

    Parameters
    ----------
    chunk_size
        Code points of text in one event of a stream.
    interval_ms
        Milliseconds between two events.
    wire_chunk_size
        Bytes in one piece of the body; ``None`` leaves each event in one piece.
    """

    chunk_size: int | None = None
    interval_ms: float | None = None
    wire_chunk_size: int | None = None

    def __post_init__(self) -> None:
        for name in ("chunk_size", "wire_chunk_size"):
            held = getattr(self, name)
            if held is not None and (isinstance(held, bool) or not isinstance(held, int) or held < 1):
                raise ValueError(f"{name} is {held!r:.80}; it is a whole number from 1 up")
        wait = self.interval_ms
        if wait is not None and (
            isinstance(wait, bool) or not isinstance(wait, (int, float)) or not math.isfinite(wait) or wait < 0
        ):
            raise ValueError(f"interval_ms is {wait!r:.80}; it is a number of milliseconds from 0 up")

    def over(self, defaults: Options) -> Options:
        """Return these options, with the defaults for what they leave open."""
        if not (own := {name: held for name, held in vars(self).items() if held is not None}):
            return defaults
        return Options(**{**vars(defaults), **own})


def read_options(options: Any) -> Options:
    """Return options from an `Options`, a dict of its fields, or ``None``."""
    if options is None or isinstance(options, Options):
        return options or Options()
    if not isinstance(options, Mapping):
        raise TypeError(f"stream is {options!r:.80}; write a dict with chunk_size, interval_ms, wire_chunk_size")
    if odd := next((name for name in options if name not in Options.__dataclass_fields__), None):
        raise TypeError(f"stream has no option {odd!r:.40}; there are {', '.join(Options.__dataclass_fields__)}")
    return Options(**options)


@value
class Output:
    """One answer of a model.

    Parameters
    ----------
    content
        Its text.
    calls
        Its tool calls.
    native
        What `MockGPT.generate` returns for it: a JSON value, or the text.
    stop_reason, usage, model
        As in `ModelResponse`. Usage that is not given is counted, as a service would; an empty one stays unknown.
    options
        How it travels.
    faults
        What goes wrong on the way, for lessons; see ``faults``.
    written
        The arguments of calls whose author wrote them as text: the text, by the id of the call.
    unreadable
        The error, where such a text is no JSON object.
    """

    content: str = ""
    calls: Sequence[ToolCall] = ()
    native: Any = None
    stop_reason: str = ""
    usage: dict[str, Any] | None = None
    model: str = ""
    options: Options = Options()
    faults: dict[str, Any] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    unreadable: ProviderError | None = None

    @property
    def reason(self) -> str:
        """Why the model stopped, in our words."""
        return self.stop_reason or ("tool_use" if self.calls else "end_turn")

    def response(self, usage: dict[str, Any], model: str) -> ModelResponse:
        """Return it as what a plain model answers."""
        message = Message("assistant", self.content, list(self.calls))
        return ModelResponse(message, self.reason, usage if self.usage is None else self.usage, self.model or model)

    def size(self) -> int:
        """Return how much it is: code points of its text, and of its calls as JSON."""
        if not self.calls:
            return len(self.content)
        return len(self.content) + sum(len(dump_json(call.arguments)) + len(call.name) for call in self.calls)


@value
class Failure:
    """An error that the service answers with.

    Parameters
    ----------
    status
        The HTTP status, from 400 to 599.
    message, type, code, param
        The fields of the error's body.
    retry_after
        Seconds, or the text of the header.
    headers
        More headers.
    faults
        As for `Output`.
    """

    status: int
    message: str = ""
    type: str = ""
    code: str | None = None
    param: str | None = None
    retry_after: float | str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    faults: dict[str, Any] = field(default_factory=dict)

    @property
    def wait(self) -> str:
        """What ``Retry-After`` says: whole seconds without a point, or the text; ``""`` where it is not sent."""
        if self.retry_after is None or isinstance(self.retry_after, str):
            return self.retry_after or ""
        return f"{self.retry_after:g}"

    def as_error(self, now: float) -> ProviderError:
        """Return the error that an adapter makes of it, at a time in seconds since the epoch."""
        from minagent_lab.mockgpt.wire.words import openai_error  # here: only an error needs them
        from minagent_lab.providers.failures import error_of_status
        from minagent_lab.providers.retry_after import read_retry_after

        told = openai_error(self)
        code = "insufficient_quota" if told["type"] == "insufficient_quota" else told["code"] or told["type"]
        wait = read_retry_after({**self.headers, "retry-after": self.wait} if self.wait else self.headers, now)
        kind = error_of_status(self.status)
        return kind(f"the service said: {told['message']}", status_code=self.status, code=code, retry_after=wait)


def counted_usage(sent: int, answered: int) -> dict[str, int]:
    """Return made-up usage for so many code points: a token for each four, begun ones count."""
    return {"input_tokens": -(-sent // 4), "output_tokens": -(-answered // 4)}
