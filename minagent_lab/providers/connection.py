"""The way to a service: the client of an official SDK, made here or handed in, and what is known about it.

A client made here keeps no connection between two calls. A kept one would belong to the event loop in which it was
opened: the next `asyncio.run` would find it dead, and closing it later would be too late. A handshake for each answer
of a model is little beside the answer; who wants connections to be kept hands in a client, and closes it.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import warnings
from typing import Any, NamedTuple

from minagent_lab.errors import ConfigurationError
from minagent_lab.fixtures.redact import SHORTEST, Redactor
from minagent_lab.providers.address import check_base_url, is_loopback
from minagent_lab.values import a_kind

NO_KEY = "no-key-needed"  # what is sent where no key is wanted; the SDKs do not go without


class Sdk(NamedTuple):
    """What tells one SDK from another.

    Parameters
    ----------
    package
        The name of its module, and of the extra that installs it.
    client
        The name of its async client.
    endpoint
        Where in the client the requests are made.
    variables
        The environment variables for key and base URL.
    endings
        What it adds to a base URL.
    """

    package: str
    client: str
    endpoint: str
    variables: tuple[str, str]
    endings: tuple[str, ...]

    def load(self) -> Any:
        """Return the SDK's module; imported only now, since it takes a second."""
        try:
            return importlib.import_module(self.package)
        except ImportError as problem:
            raise ConfigurationError(
                f"the package {self.package} cannot be imported ({problem}); "
                f"pip install 'minagent-lab[{self.package}]', or use FakeModelProvider"
            ) from None


class Connection(NamedTuple):
    """A client, whether it is ours to close, whether requests stay on this machine, and how to clean what it says."""

    client: Any
    owned: bool
    in_process: bool
    redactor: Redactor


def handed_in(sdk: Sdk, client: Any, **others: Any) -> Connection:
    """Return the connection of a client that somebody else made, and will close. It retries nothing from here on."""
    given = [name for name, held in others.items() if held is not None]
    if given:
        raise ConfigurationError(f"client and {given[0]} are both given; set {given[0]} in the client, or leave it out")
    if isinstance(client, type) or any(getattr(client, name, None) is None for name in ("with_options", sdk.endpoint)):
        raise ConfigurationError(f"client is {a_kind(client)}; hand in an {sdk.package}.{sdk.client}(...)")
    if not inspect.iscoroutinefunction(getattr(client, "close", None)):
        raise ConfigurationError(
            f"client is {a_kind(client)}, which is not async; hand in an {sdk.package}.{sdk.client}(...)"
        )
    http = getattr(client, "_client", None)  # no public name; where it is missing, the client counts as a real one
    near = is_loopback(str(client.base_url)) or _is_in_process(getattr(http, "_transport", None))
    return Connection(client.with_options(max_retries=0), False, near, _redactor(client))


def made(sdk: Sdk, api_key: Any, base_url: Any, transport: Any, timeout: float | None) -> Connection:
    """Return a connection with a client of our own."""
    module = sdk.load()
    httpx2 = importlib.import_module("httpx2")  # comes with the SDKs
    url = base_url if base_url is not None else os.environ.get(sdk.variables[1]) or None
    where = {} if url is None else {"base_url": check_base_url(url, sdk.endings)}
    if transport is not None and not isinstance(transport, httpx2.AsyncBaseTransport):
        raise ConfigurationError(f"transport is {a_kind(transport)}; hand in an httpx2 transport that is async")
    in_process = transport is not None and _is_in_process(transport)
    near = in_process or (url is not None and is_loopback(str(url)))
    with warnings.catch_warnings():
        if sys.platform == "emscripten":  # a browser keeps its connections as it likes, and httpx2 warns of that
            warnings.filterwarnings("ignore", "The following transport option", UserWarning)
        http_client = module.DefaultAsyncHttpxClient(
            transport=transport,
            timeout=timeout,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            trust_env=not near,  # a proxy is no way to this machine
        )
    key = _key(sdk, api_key, in_process=in_process, near=near)
    client = getattr(module, sdk.client)(api_key=key, http_client=http_client, timeout=timeout, max_retries=0, **where)
    return Connection(client, True, near, _redactor(client))


def _key(sdk: Sdk, api_key: Any, *, in_process: bool, near: bool) -> str:
    variable = sdk.variables[0]
    if api_key is None and not in_process:  # a key from the environment is none of a test's business
        api_key, name = os.environ.get(variable) or None, f"the environment variable {variable}"
    else:
        name = "api_key"
    if api_key is None and near:
        return NO_KEY
    if api_key is None:
        raise ConfigurationError(f"there is no key; pass api_key=..., or set {variable}. A local server needs base_url")
    if not isinstance(api_key, str) or not api_key.strip():
        raise ConfigurationError(
            f"{name} is {'empty' if api_key == '' else a_kind(api_key)}; it has to be the key, as text"
        )
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise ConfigurationError(f"{name} holds a blank, a line break or a letter that no key has; copy it again")
    return api_key


def _is_in_process(transport: Any) -> bool:
    """Whether a transport answers by itself. Those that httpx itself makes for the network do not."""
    homes = {f"{cls.__module__.partition('.')[0]}.{cls.__name__}" for cls in type(transport).__mro__}
    return transport is not None and not homes & {"httpx2.AsyncHTTPTransport", "httpx.AsyncHTTPTransport"}


def _redactor(client: Any) -> Redactor:
    keys = [getattr(client, name, None) for name in ("api_key", "auth_token")]
    known = [key for key in keys if isinstance(key, str) and len(key.strip()) >= SHORTEST and key != NO_KEY]
    try:
        return Redactor(dict.fromkeys(known))
    except ValueError:  # a word of the placeholders, such as "password", which is no secret
        return Redactor()
