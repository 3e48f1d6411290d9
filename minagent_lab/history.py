"""The history of a run: messages in order. It only grows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from minagent_lab.messages import Message
from minagent_lab.values import a_kind


class History(Sequence[Message]):
    """The messages of a run, in order. It only grows, so a snapshot is its length, not a copy.

    Messages are values, so what is in it stays what it was. It compares equal to a list of the same messages, and a
    slice of it *is* a list.

    Parameters
    ----------
    messages
        What to start with. Another `History` is not copied: the two share what they have in common.

    Examples
    --------
    >>> history = History([Message("user", "Hi")])
    >>> before = history.snapshot()
    >>> history.append(Message("assistant", "Hello."))
    >>> len(before), len(history), before == [Message("user", "Hi")]
    (1, 2, True)
    """

    __slots__ = ("_length", "_rows")

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._rows: list[Message] = []
        self._length = 0
        if isinstance(messages, History):
            self._rows, self._length = messages._rows, messages._length
        elif isinstance(messages, (Message, str)) or not isinstance(messages, Iterable):
            raise TypeError(f"messages is {messages!r:.80}; write a list of messages: [Message(role, content)]")
        else:
            for message in messages:
                self.append(message)

    def append(self, message: Message) -> None:
        """Add one message at the end."""
        if not isinstance(message, Message):
            kind, number = a_kind(message), self._length + 1
            raise TypeError(f"message {number} is {kind}, {message!r:.80}; write Message(role, content)")
        if len(self._rows) != self._length:  # somebody else went on from here: part ways
            self._rows = self._rows[: self._length]
        self._rows.append(message)
        self._length += 1

    def snapshot(self) -> History:
        """Return the history as it is now; this costs the same however long it is."""
        twin = object.__new__(History)
        twin._rows, twin._length = self._rows, self._length
        return twin

    def shared_with(self, other: History) -> int:
        """Return how many first messages the two have in common; free where one grew out of the other."""
        shorter = min(self._length, other._length)
        if self._rows is other._rows:
            return shorter
        return next((place for place in range(shorter) if self._rows[place] != other._rows[place]), shorter)

    def grew_from(self, other: History) -> bool:
        """Whether this is what `other` has become: the same history, later."""
        return self._rows is other._rows and self._length >= other._length

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        places = range(self._length)[index]
        return [self._rows[place] for place in places] if isinstance(places, range) else self._rows[places]

    def __iter__(self) -> Iterator[Message]:
        return (self._rows[place] for place in range(self._length))

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (History, list, tuple)):
            return NotImplemented
        return self._length == len(other) and all(mine == its for mine, its in zip(self._rows, other, strict=False))

    __hash__ = None  # type: ignore[assignment]  # what grows has no hash

    def __add__(self, other: Iterable[Message]) -> list[Message]:
        return [*self, *other]

    def __radd__(self, other: Iterable[Message]) -> list[Message]:
        return [*other, *self]

    def __repr__(self) -> str:
        return f"History({list(self)!r})"
