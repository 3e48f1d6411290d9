"""The arguments of a call, from the text in which a model wrote them.

A model writes its arguments as JSON text, and a service passes the text on unread. Blank text, ``null`` and nothing at
all mean that there are none; what a tool requires is missing then, and the registry says so. Text that different
readers would read differently (a key twice, ``NaN``, a number too large) is refused, since what was shown must be what
runs.
"""

from __future__ import annotations

from typing import Any

from minagent_lab.errors import MalformedResponseError
from minagent_lab.values import a_kind, copy_json, parse_json


def read_arguments(tool: str, written: Any, *, cut: bool = False) -> dict[str, Any]:
    """Return the arguments of one call.

    Parameters
    ----------
    tool
        Its name, for the error.
    written
        JSON text; or the object itself, as some services send it; ``None`` for none.
    cut
        Whether the answer was stopped before it was whole. Then half a text is no fault of anybody: the call has no
        arguments, and the loop does not run it.

    Raises
    ------
    MalformedResponseError
        It is no JSON object, or not one that every reader reads in the same way.

    Examples
    --------
    >>> read_arguments("add", '{"a": 2}'), read_arguments("now", " "), read_arguments("add", '{"a": ', cut=True)
    ({'a': 2}, {}, {})
    >>> read_arguments("add", '{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    minagent_lab.errors.MalformedResponseError: the model called 'add' with arguments that cannot be used: the key "a" \
stands twice in one object; keep one of them
    """
    try:
        data = _read(written)
    except (ValueError, TypeError, RecursionError) as problem:
        if cut:
            return {}
        why = "they are nested too deep" if isinstance(problem, RecursionError) else str(problem)
        raise MalformedResponseError(
            f"the model called {tool!r:.80} with arguments that cannot be used: {why:.300}"
        ) from None
    return data


def _read(written: Any) -> dict[str, Any]:
    if written is None or (isinstance(written, str) and not written.strip()):
        return {}
    data = parse_json(whole(written)) if isinstance(written, str) else copy_json(written, "arguments")
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise TypeError(f"they are {a_kind(data)}, not a JSON object")
    return data


def whole(text: str) -> str:
    r"""Return `text` with each two halves of a character put together; a half alone becomes U+FFFD.

    A service that escapes its JSON may cut between ``\ud83d`` and ``\ude42``.

    Examples
    --------
    >>> whole("\ud83d" + "\ude42"), whole("a\ud83d")
    ('🙂', 'a�')
    """
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
