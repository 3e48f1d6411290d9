"""A streamed answer of Chat Completions, put together chunk by chunk.

Text comes in pieces, and so do the arguments of calls. Which call a piece belongs to, services tell in several ways:
by an index, by an id, by the order alone. The rules here follow whatever is told; where two calls could be meant, the
stream is refused rather than the pieces joined by luck.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from minagent_lab.errors import MalformedResponseError, NetworkError
from minagent_lab.providers.failures import told_error
from minagent_lab.providers.reply import need


@dataclass
class GrowingCall:
    """A call as far as it has come."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    @property
    def begun(self) -> bool:
        """Whether some of its arguments have come."""
        return any(self.arguments)

    def take_name(self, piece: str) -> None:
        """Add a piece of the name; some services send the whole name each time."""
        if piece != self.name:
            self.name += piece


class ChatAssembler:
    """Puts an answer together from the chunks of its stream.

    Attributes
    ----------
    text, refusal : str
        What the model has said so far, and the text with which it refused.
    calls : list of GrowingCall
        Its calls so far, in the order in which they began.
    finish_reason : str or None
        Why it stopped, in the service's word; ``None`` as long as it goes on.
    usage : dict or None
        What was counted, where the service tells it.
    model : str or None
        Who answers.

    Examples
    --------
    >>> answer = ChatAssembler()
    >>> for piece in ("答", "案"):
    ...     answer.feed({"choices": [{"index": 0, "delta": {"content": piece}}]})
    >>> answer.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    >>> answer.text, answer.finish_reason
    ('答案', 'stop')
    """

    def __init__(self) -> None:
        self.calls: list[GrowingCall] = []
        self.finish_reason: str | None = None
        self.usage: Any = None
        self.model: Any = None
        self._said: dict[str, list[str]] = {"content": [], "refusal": []}

    @property
    def text(self) -> str:
        """What the model has said so far."""
        return "".join(self._said["content"])

    @property
    def refusal(self) -> str:
        """The text with which it refused, so far."""
        return "".join(self._said["refusal"])

    done = False  # the end of the stream is a word of its own here, [DONE], which is no chunk

    def feed(self, chunk: dict[str, Any]) -> None:
        """Take the next chunk. One without choices has no piece of the answer, and may have the usage."""
        if chunk.get("error"):
            raise told_error(chunk["error"])
        self.model = chunk.get("model") or self.model
        self.usage = self.usage if chunk.get("usage") is None else chunk["usage"]
        for choice in need(chunk.get("choices") or [], list, "choices"):
            if need(choice, dict, "a choice").get("index") in (0, None):  # one answer was asked for
                self._take(need(choice.get("delta") or {}, dict, "delta"))
                if reason := choice.get("finish_reason"):
                    self.finish_reason = need(reason, str, "finish_reason")

    def _take(self, delta: dict[str, Any]) -> None:
        for name, pieces in self._said.items():
            if delta.get(name) is not None:
                pieces.append(need(delta[name], str, name))
        for piece in need(delta.get("tool_calls") or [], list, "tool_calls"):
            self._take_call(need(piece, dict, "a tool call"))

    def _take_call(self, piece: dict[str, Any]) -> None:
        function = need(piece.get("function") or {}, dict, "function")
        id, name = need(piece.get("id") or "", str, "id"), need(function.get("name") or "", str, "name")
        index = piece.get("index")
        if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
            raise MalformedResponseError(f"a tool call has the index {index!r:.80}; it has to be a whole number")
        call = self._with_id(index, id, name) if id else self._without_id(index, name)
        call.index = index if call.index is None else call.index
        call.id = call.id or id
        call.take_name(name)
        if (arguments := function.get("arguments")) is not None:
            call.arguments.append(need(arguments, str, "arguments"))

    def _with_id(self, index: int | None, id: str, name: str) -> GrowingCall:
        """Return the call of this id: a known one, one that had none so far, or else a new one."""
        for call in self.calls:
            if call.id == id and (index is None or call.index in (None, index)):
                return call
        last = self._last(index)
        if last is not None and not last.id and name in ("", last.name):
            return last
        return self._new(index)

    def _without_id(self, index: int | None, name: str) -> GrowingCall:
        """Return the call that a piece without an id goes on with, or a new one where it begins one."""
        last = self._last(index)
        if last is None and (name or not self.calls):
            return self._new(index)
        if last is None:  # the index comes late: there has to be one call only that has none yet
            waiting = [call for call in self.calls if call.index is None]
            last = waiting[0] if len(waiting) == 1 else None
        if last is None or (index is None and self._unclear(last, name)):
            raise MalformedResponseError("a piece of a tool call does not tell which of the calls it belongs to")
        if name and last.begun and (index is None or name != last.name):  # a name is over when the arguments begin
            return self._new(index)
        return last

    def _last(self, index: int | None) -> GrowingCall | None:
        return next((call for call in reversed(self.calls) if index in (None, call.index)), None)

    def _unclear(self, last: GrowingCall, name: str) -> bool:
        """Whether a piece with neither index nor id could belong to several calls."""
        if name and last.name and not last.begun:
            return True  # the rest of its name, or the next call
        return len(self.calls) > 1 and any(call.index is not None for call in self.calls)

    def _new(self, index: int | None) -> GrowingCall:
        self.calls.append(GrowingCall(index))
        return self.calls[-1]

    def body(self) -> dict[str, Any]:
        """Return the answer as the body that would have come without streaming.

        Raises
        ------
        NetworkError
            The stream was over before the answer was.
        """
        if self.finish_reason is None:
            raise NetworkError("the stream ended without a finish_reason, so the answer is incomplete")
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": "".join(call.arguments)}}
            for call in self.calls
        ]
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        return {"model": self.model, "choices": [choice], "usage": self.usage}
