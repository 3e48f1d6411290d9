"""What can be sent: JSON data whose text UTF-8 can say."""

from __future__ import annotations

from typing import Any

from minagent_lab.values import storable


def sendable(data: Any) -> Any:
    r"""Return a copy of JSON data in which each half of a character is written out in ASCII.

    A model may escape half an emoji in its arguments; the SDKs send real characters, and would fail at that one in
    every request from then on.

    Examples
    --------
    >>> print(sendable({"温度": ["5\udcb0"]}))
    {'温度': ['5\\udcb0']}
    """
    if isinstance(data, str):
        return storable(data)
    if isinstance(data, list):
        return [sendable(item) for item in data]
    if isinstance(data, dict):
        return {storable(key): sendable(item) for key, item in data.items()}
    return data
