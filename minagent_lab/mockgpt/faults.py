"""Faults that an answer can have on its way, each switched on by an option of ``responses``.

They are those that real services and gateways were seen to have. Each is there so that a lesson, or a test of an
adapter, can provoke it; without an option an answer has none. Only the wire has them: at the other doors an answer is
what its author wrote.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """What a fault does, and which values switch it on: a kind of number, ``True``, or one of several words."""

    what: str
    values: str | tuple[str, ...]


FLAG, COUNT, PLACE, WAIT = "True", "a whole number from 0 up", "a whole number from 1 up", "a number from 0 up"
FAULTS = {
    "delay_ms": Fault(
        "nothing comes for so many milliseconds; a client that gives up by then has used up nothing", WAIT
    ),
    "cut_after": Fault("the connection breaks after so many bytes of the body", COUNT),
    "fail_after": Fault("after so many events the stream says that the service failed, and ends", COUNT),
    "malformed": Fault("that event of the stream, from 1, is half a JSON text; of a whole answer, its body is", PLACE),
    "no_done": Fault("the last word of the stream is missing: [DONE], response.completed, message_stop", FLAG),
    "no_finish": Fault("nobody says why the model stopped", FLAG),
    "keep_alive": Fault(
        "between the events stands what only keeps the connection open: a comment; an id and a comment; a retry time; "
        "empty data; an event of the name ping",
        ("comment", "id", "retry", "empty", "ping"),
    ),
    "lines": Fault(
        "lines end with CRLF, or CR; no blank stands after the colon; the JSON of an event stands in two lines",
        ("crlf", "cr", "no_blank", "two"),
    ),
    "delta_style": Fault(
        "pieces of calls (Chat Completions): without an index; with one from 1; with one in the first piece only; each "
        "with the id; some with arguments null; the name in two pieces; two pieces in one chunk; all calls at once",
        (
            "no_index",
            "one_based",
            "index_once",
            "repeated_id",
            "null_arguments",
            "split_name",
            "two_entries",
            "interleaved",
        ),
    ),
    "no_ids": Fault("calls come without an id", FLAG),
    "same_ids": Fault("all calls have the id of the first", FLAG),
    "blank_arguments": Fault(
        "the arguments of calls are empty text, blanks, null, or not there", ("empty", "blanks", "null", "absent")
    ),
    "odd_content": Fault(
        'beside calls, where the content is null, it is "", or not there (Chat Completions)', ("empty", "absent")
    ),
    "empty_choices": Fault(
        "a chunk without choices comes first, last, or both (Chat Completions)", ("first", "last", "both")
    ),
    "odd_usage": Fault(
        "the usage is null, not there, tells one count only, has null for details, text for a number, or one below 0",
        ("null", "absent", "half", "details", "text", "negative"),
    ),
}


def read_faults(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return faults, each checked; those that are ``None`` or ``False`` are left out.

    Raises
    ------
    TypeError, ValueError
        There is no such fault, or no such kind of it.

    Examples
    --------
    >>> read_faults({"cut_after": 10, "no_done": False})
    {'cut_after': 10}
    """
    for name, held in given.items():
        if name not in FAULTS:
            raise TypeError(f"there is no fault {name!r:.60}; there are {', '.join(FAULTS)}")
        if held is not None and held is not False and not _fits(held, FAULTS[name].values):
            values = FAULTS[name].values
            known = values if isinstance(values, str) else f"one of {', '.join(values)}"
            raise ValueError(f"{name} is {held!r:.80}; it is {known}")
    return {name: held for name, held in given.items() if held is not None and held is not False}


def _fits(held: Any, values: str | tuple[str, ...]) -> bool:
    if values == FLAG or isinstance(held, bool):
        return values == FLAG and held is True
    if isinstance(values, tuple):
        return isinstance(held, str) and held in values
    if values == WAIT:
        return isinstance(held, (int, float)) and math.isfinite(held) and held >= 0
    return isinstance(held, int) and held >= (values == PLACE)
