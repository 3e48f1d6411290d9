"""What a mock has given: the place of each sequence, the counts, the last requests and their answers."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from minagent_lab.mockgpt.given import Given, MockRecord
from minagent_lab.mockgpt.request import MockRequest


class Ledger:
    """Counts what was given, one at a time, from however many threads.

    Parameters
    ----------
    rules
        How many rules there are.
    record_limit
        How many records to keep; the oldest go first.

    Attributes
    ----------
    given : int
        How many answers were given; the next one has this number.
    total : int
        How many requests there were.
    record_limit : int
        As given.
    places : dict
        By sequence and key: how many of its answers were given.
    """

    def __init__(self, rules: int, record_limit: int) -> None:
        self.places: dict[Any, int] = {}
        self.given = self.total = 0
        self.record_limit = record_limit
        self._records: deque[MockRecord | tuple[Given, str]] = deque(maxlen=record_limit)
        self._by_rule = [0] * rules
        self._by_fallback = self._unmatched = 0
        self._lock = threading.RLock()

    def commit(self, given: Given, door: str) -> Given | None:
        """Count an answer as given, and return it under its number; ``None`` when it has to be prepared anew."""
        with self._lock:
            if given.number != self.given:
                if given.by_chance:
                    return None
                given = given._replace(number=self.given)
            if any(self.places.get((sequence, key), 0) != index for sequence, key, index in given.moved):
                return None
            self.given += 1
            self.total += 1
            for sequence, key, index in given.moved:
                self.places[sequence, key] = index + 1
            if isinstance(given.rule, int):
                self._by_rule[given.rule - 1] += 1
            else:
                self._by_fallback += 1
            self._records.append((given, door))  # what a reader sees of it is made when somebody reads
            return given

    def missed(self, request: MockRequest, problem: Exception, door: str) -> None:
        """Count a request that has no answer."""
        with self._lock:
            self.total += 1
            self._unmatched += 1
            self._records.append(MockRecord(request, None, problem, door))

    def counts(self) -> dict[str, Any]:
        """Return how many requests there were: in all, by rule, by fallback, and without an answer."""
        with self._lock:
            return {
                "total": self.total,
                "rules": list(self._by_rule),
                "fallback": self._by_fallback,
                "unmatched": self._unmatched,
            }

    def records(self) -> list[MockRecord | tuple[Given, str]]:
        """Return the last requests: records, or what one can be made of."""
        with self._lock:
            return list(self._records)
