"""A streamed answer, stepped one piece of bytes at a time: bytes, events, what each adds, and the message so far.

Nothing is asked and nothing is guessed: the pieces are fed to the very reader and assembler that the providers use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minagent_lab.errors import ProviderError
from minagent_lab.messages import ModelResponse
from minagent_lab.providers.chat_completions import chat_response
from minagent_lab.providers.chat_stream import ChatAssembler
from minagent_lab.providers.message_stream import MessageAssembler
from minagent_lab.providers.messages_api import messages_response
from minagent_lab.providers.reply import read_body
from minagent_lab.providers.sse import Event, EventReader
from minagent_lab.values import copy_json, dump_json, value

DONE = "[DONE]"
PROTOCOLS: dict[str, tuple[Callable[[], Any], Callable[[dict[str, Any], int], ModelResponse]]] = {
    "chat": (ChatAssembler, chat_response),
    "messages": (MessageAssembler, messages_response),
}


@value
class Growing:
    """A message as far as it has come.

    Parameters
    ----------
    text
        What the model has said.
    calls
        Its tool calls: id, name and the text of the arguments, which is no JSON before it is whole.
    finish
        Why it stopped, in the service's own word; ``""`` as long as it goes on.
    usage
        What the service has counted, as it said it; ``{}`` as long as it has not.
    """

    text: str = ""
    calls: Sequence[tuple[str, str, str]] = ()
    finish: str = ""
    usage: Any = None  # of no shape before it is checked

    def added_to(self, before: Growing) -> list[str]:
        """Say what came since `before`, in words."""
        words = []
        if self.text != before.text:
            words.append(f"text {self.text[len(before.text) :]!r}")
        for place, (id, name, arguments) in enumerate(self.calls):
            if place >= len(before.calls):
                words.append(f"a new call: {name or 'no name yet'} [{id or 'no id yet'}]")
            known = before.calls[place] if place < len(before.calls) else (id, name, "")
            words += [f"name {name!r}"] * (name != known[1]) + [f"id {id!r}"] * (id != known[0])
            if arguments != known[2]:
                words.append(f"arguments of {name or 'the call'} + {arguments[len(known[2]) :]!r}")
        if self.finish != before.finish:
            words.append(f"it stops: {self.finish}")
        if self.usage != before.usage:
            words.append(f"usage {dump_json(self.usage)}")
        return words


@value
class StreamStep:
    """The stream after one more piece of bytes.

    Parameters
    ----------
    number
        Which piece, from 1.
    piece
        Its bytes.
    events
        The events that became whole with it.
    added
        What each of them added to the message, in words; in the same order.
    waiting
        Bytes that have come and are no whole event yet.
    message
        The message so far.
    error
        What the reader refused, if it did. Nothing is read after it.
    """

    number: int
    piece: bytes
    events: Sequence[Event]
    added: Sequence[str]
    waiting: bytes
    message: Growing
    error: ProviderError | None = None

    def __repr__(self) -> str:
        events = f"{len(self.events)} event{'s' * (len(self.events) != 1)}"
        return f"<StreamStep {self.number}: {len(self.piece)} bytes, {events}>"


class StreamStepper:
    r"""A stream that is fed to its reader one piece at a time.

    Parameters
    ----------
    pieces
        The bytes of the body as they arrive, cut anywhere.
    protocol
        ``"chat"`` for Chat Completions, ``"messages"`` for the Messages API.

    Attributes
    ----------
    index : int
        How many pieces have come; 0 at the start.
    steps : tuple of StreamStep
        One per piece.
    response : ModelResponse or None
        What the stream comes to when it is over.
    error : ProviderError or None
        Why it comes to nothing, if it does.

    Examples
    --------
    >>> body = 'data: {"choices": [{"delta": {"content": "你好"}, "finish_reason": "stop"}]}\n\n'.encode()
    >>> walk = StreamStepper([body[:46], body[46:]])
    >>> walk.forward(), walk.step.message.text, walk.step.piece[-1:]
    (True, '', b'\xe5')
    >>> walk.forward(), walk.step.added, walk.response.message.content
    (True, ("text '你好'; it stops: stop",), '你好')
    """

    def __init__(self, pieces: Iterable[bytes], protocol: str = "chat") -> None:
        if isinstance(pieces, (bytes, str)):
            raise TypeError("pieces is one piece; cut it first: cut(body, 7), or pass [body]")
        if protocol not in PROTOCOLS:
            raise ValueError(f"protocol is {protocol!r:.40}; it is one of {', '.join(PROTOCOLS)}")
        self.protocol = protocol
        self.index = 0
        self._over = False
        self._watchers: list[Callable[[], None]] = []
        self.response: ModelResponse | None = None
        self.error: ProviderError | None = None
        self.steps: tuple[StreamStep, ...] = tuple(self._read(list(pieces)))

    # ---- where we are

    @property
    def step(self) -> StreamStep | None:
        """The piece that came last; ``None`` at the start."""
        return self.steps[self.index - 1] if self.index else None

    @property
    def ended(self) -> bool:
        """Whether all pieces have come."""
        return self.index == len(self.steps)

    # ---- moving

    def forward(self) -> bool:
        """Let one more piece come. Return whether anything moved."""
        return self.goto(self.index + 1)

    def back(self) -> bool:
        """Show the stream before the last piece. Return whether anything moved."""
        return self.goto(self.index - 1)

    def goto(self, piece: int) -> bool:
        """Show the stream after so many pieces, or as near as there is. Return whether anything moved."""
        if isinstance(piece, bool) or not isinstance(piece, int):
            raise TypeError(f"piece is {piece!r:.80}; it is a whole number: 0 for the start")
        self.index, before = min(max(piece, 0), len(self.steps)), self.index
        if self.index != before:
            for changed in list(self._watchers):
                changed()
        return self.index != before

    def run_to_end(self) -> None:
        """Let all pieces come."""
        self.goto(len(self.steps))

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Have `changed` called after each move; return the function that ends this."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed) if changed in self._watchers else None

    # ---- reading

    def _read(self, pieces: list[bytes]) -> Iterable[StreamStep]:
        assemble, decode = PROTOCOLS[self.protocol]
        reader, assembler = _Reader(), assemble()
        message = Growing()
        for number, piece in enumerate(pieces, 1):
            if not isinstance(piece, (bytes, bytearray)):
                raise TypeError(f"piece {number} is {piece!r:.60}; it has to be bytes")
            events = reader.feed(bytes(piece)) if self.error is None else []
            added = []
            for event in events:
                message, words = self._took(assembler, event, message)
                added.append(words)
            yield StreamStep(number, bytes(piece), tuple(events), tuple(added), reader.waiting, message, self.error)
        self._end(assembler, decode)

    def _took(self, assembler: Any, event: Event, before: Growing) -> tuple[Growing, str]:
        """Feed one event; return the message so far, and what the event was in words."""
        if self.error is not None or self._over:
            return before, f"not read: {'the reader has given up' if self.error else 'the stream had ended'}"
        if event.data.strip() == DONE:
            self._over = True
            return before, "the end of the stream"
        try:
            assembler.feed(read_body(event.data))
        except ProviderError as problem:
            self.error = problem
            return before, f"refused: {problem}"
        message = seen_in(assembler)
        return message, "; ".join(message.added_to(before)) or "nothing of the message"

    def _end(self, assembler: Any, decode: Callable[[dict[str, Any], int], ModelResponse]) -> None:
        if self.error is not None:
            return
        try:
            self.response = decode(assembler.body(), 1)
        except ProviderError as problem:
            self.error = problem

    def __repr__(self) -> str:
        return f"<StreamStepper: piece {self.index} of {len(self.steps)}>"


class _Reader:
    """An `EventReader` that also tells which bytes wait to become an event."""

    def __init__(self) -> None:
        self._reader = EventReader()
        self.waiting = b""

    def feed(self, piece: bytes) -> list[Event]:
        events = []
        for byte in piece:  # one at a time, to see where an event ends
            events += self._reader.feed(bytes([byte]))
            self.waiting = self.waiting + bytes([byte]) if self._reader.waiting else b""
        return events


def seen_in(assembler: ChatAssembler | MessageAssembler) -> Growing:
    """Return the message as far as an assembler has it."""
    if isinstance(assembler, ChatAssembler):
        calls = tuple((call.id, call.name, "".join(call.arguments)) for call in assembler.calls)
        return Growing(assembler.text, calls, assembler.finish_reason or "", _usage(assembler.usage))
    uses = [block for block in assembler.blocks_so_far() if block.get("type") == "tool_use"]
    calls = tuple((str(use.get("id", "")), str(use.get("name", "")), _written(use.get("input"))) for use in uses)
    return Growing(assembler.text, calls, assembler.stop_reason or "", _usage(assembler.usage))


def _usage(told: Any) -> Any:
    """Return a copy of a usage as it was told; what JSON cannot say, such as ``NaN``, as text."""
    try:
        return copy_json(told)
    except TypeError:
        return repr(told)


def _written(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else dump_json(arguments) if arguments else ""


def cut(body: bytes, size: int) -> list[bytes]:
    r"""Cut bytes into pieces of one size; the last one may be shorter.

    Examples
    --------
    >>> cut("你好".encode(), 4)
    [b'\xe4\xbd\xa0\xe5', b'\xa5\xbd']
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"size is {size!r:.40}; it is a whole number of bytes from 1 up")
    return [body[start : start + size] for start in range(0, len(body), size)]
