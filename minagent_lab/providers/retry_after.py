"""How long a service asks to wait: the header `Retry-After`, in each form that it has.

It holds whole seconds or a date (RFC 9110, 10.2.3). A date is always in universal time, also where it names no zone:
read as local time it would be hours off. What is neither is not guessed at; whoever retries then uses a time of its
own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

_WHOLE = re.compile(r"[0-9]{1,9}")  # digits as ASCII has them; nobody waits thirty years


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return how long to wait, in seconds; ``None`` where the headers do not say, or say nothing sensible.

    Parameters
    ----------
    headers
        Of the response; `httpx2.Headers`, or a dict with small letters.
    now
        The time, in seconds since the epoch, as `time.time` tells it.

    Examples
    --------
    >>> read_retry_after({"retry-after": "2"}, now=0.0)
    2.0
    >>> read_retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=57.0)
    3.0
    >>> [read_retry_after({"retry-after": text}, now=0.0) for text in ("-1", "nan", "soon", "1e9", "2.5")]
    [None, None, None, None, None]
    """
    milliseconds = headers.get("retry-after-ms", "").strip()  # the finer form that OpenAI and Azure send beside it
    if _WHOLE.fullmatch(milliseconds):
        return int(milliseconds) / 1000
    told = headers.get("retry-after", "").strip()
    if _WHOLE.fullmatch(told):
        return float(told)
    try:
        date = parsedate_to_datetime(told)
        moment = date.replace(tzinfo=date.tzinfo or UTC).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return max(moment - now, 0.0)
