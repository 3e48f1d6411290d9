"""Where a service lives: a base URL that can work, and whether it is this very machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from minagent_lab.errors import ConfigurationError


def check_base_url(base_url: object, endings: tuple[str, ...]) -> str:
    """Return the URL; refuse what can be none.

    Parameters
    ----------
    base_url
        What was given.
    endings
        What the SDK adds by itself, and people copy along.

    Examples
    --------
    >>> check_base_url("localhost:8000/v1", ())
    Traceback (most recent call last):
    ...
    minagent_lab.errors.ConfigurationError: base_url is 'localhost:8000/v1'; write it as in http://localhost:8000/v1
    """
    shown = repr(str(base_url).rpartition("@")[2])[:120]  # before an @ there may be a password
    url = str(base_url).strip()
    try:
        parts = urlsplit(url)
        works = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        works = False
    if not works or any(char.isspace() for char in url):
        raise ConfigurationError(f"base_url is {shown}; write it as in http://localhost:8000/v1")
    for ending in endings:
        if parts.path.rstrip("/").endswith(ending):
            raise ConfigurationError(
                f"base_url is {shown}; leave out {ending} at its end: it is added for each request"
            )
    return url


def is_loopback(url: str) -> bool:
    """Whether requests to this URL stay on this machine.

    Examples
    --------
    >>> [is_loopback(f"http://{host}/v1") for host in ("localhost:1234", "127.0.0.2", "[::1]", "192.168.0.2", "a.com")]
    [True, True, True, False, False]
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
