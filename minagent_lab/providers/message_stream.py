"""A streamed answer of the Messages API, put together event by event.

Each block of the answer begins, grows by pieces and ends under its number; the stream ends with a word of its own,
`message_stop`. So nothing has to be guessed.
"""

from __future__ import annotations

from typing import Any

from minagent_lab.errors import MalformedResponseError, NetworkError
from minagent_lab.providers.failures import told_error
from minagent_lab.providers.reply import need

_PIECES = {"text_delta": "text", "input_json_delta": "partial_json"}  # others are no part of a response here


class MessageAssembler:
    """Puts an answer together from the events of its stream.

    Attributes
    ----------
    blocks : dict of int to dict
        The blocks so far by their number; the arguments of a call are text.
    stop_reason : str or None
        Why it stopped; ``None`` as long as it goes on.
    usage : dict
        What was counted so far, where the service tells it.
    done : bool
        Whether the last event has come.

    Examples
    --------
    >>> answer = MessageAssembler()
    >>> answer.feed({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    >>> for piece in ("答", "案"):
    ...     answer.feed({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
    >>> answer.text
    '答案'
    """

    def __init__(self) -> None:
        self.blocks: dict[int, dict[str, Any]] = {}
        self.stop_reason: Any = None
        self.done = False
        self.model: Any = None
        self.usage: dict[str, Any] = {}
        self._pieces: dict[int, list[str]] = {}

    @property
    def text(self) -> str:
        """What the model has said so far."""
        blocks = self.blocks_so_far()
        return "".join(block["text"] for block in blocks if block.get("type") == "text")

    def feed(self, event: dict[str, Any]) -> None:
        """Take the next event. What is of no kind known here says nothing."""
        if event.get("type") == "error" or event.get("error"):
            raise told_error(event.get("error") or event)
        take = {
            "message_start": self._start,
            "content_block_start": self._begin,
            "content_block_delta": self._grow,
            "message_delta": self._end,
        }.get(str(event.get("type")))
        if take is not None:
            take(event)
        self.done = self.done or event.get("type") == "message_stop"

    def _start(self, event: dict[str, Any]) -> None:
        message = need(event.get("message"), dict, "message")
        self.model = message.get("model")
        self._count(message)

    def _begin(self, event: dict[str, Any]) -> None:
        number = self._number(event)
        if number in self.blocks:
            raise MalformedResponseError(f"block {number} of the answer begins twice")
        self.blocks[number] = dict(need(event.get("content_block"), dict, "content_block"))
        self._pieces[number] = []

    def _grow(self, event: dict[str, Any]) -> None:
        number, delta = self._number(event), need(event.get("delta"), dict, "delta")
        if number not in self.blocks:
            raise MalformedResponseError(f"block {number} of the answer goes on, and has not begun")
        if field := _PIECES.get(str(delta.get("type"))):
            self._pieces[number].append(need(delta.get(field), str, field))

    def _end(self, event: dict[str, Any]) -> None:
        self.stop_reason = need(event.get("delta") or {}, dict, "delta").get("stop_reason") or self.stop_reason
        self._count(event)

    def _count(self, holder: dict[str, Any]) -> None:
        usage = need(holder.get("usage") or {}, dict, "usage")
        self.usage.update({name: count for name, count in usage.items() if count is not None})

    def _number(self, event: dict[str, Any]) -> int:
        number = event.get("index")
        if isinstance(number, bool) or not isinstance(number, int):
            raise MalformedResponseError(
                f"a block of the answer has the index {number!r:.80}; it has to be a whole number"
            )
        return number

    def blocks_so_far(self) -> list[dict[str, Any]]:
        """Return the blocks with the pieces that have come; the arguments of a call are text."""
        grown = []
        for number, block in self.blocks.items():
            pieces = "".join(self._pieces[number])
            if block.get("type") == "text":
                grown.append({**block, "text": need(block.get("text") or "", str, "text") + pieces})
            else:
                grown.append({**block, "input": pieces} if pieces else block)
        return grown

    def body(self) -> dict[str, Any]:
        """Return the answer as the body that would have come without streaming.

        Raises
        ------
        NetworkError
            The stream was over before the answer was.
        """
        if not self.done:
            raise NetworkError("the stream ended without a message_stop, so the answer is incomplete")
        usage = self.usage or None
        return {"model": self.model, "content": self.blocks_so_far(), "stop_reason": self.stop_reason, "usage": usage}
