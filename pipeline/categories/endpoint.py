"""The SPARQL endpoint that a command asks: whether its address can be one, and in whose name it is asked."""

import getpass
import socket
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from wikisem.errors import UsageError
from wikisem.pipeline.console.categories import wait
from wikisem.queries.endpoint.cache import AnswerCache
from wikisem.queries.endpoint.client import Client
from wikisem.queries.endpoint.endpoint_source import EndpointSource
from wikisem.queries.endpoint.transport import Transport

WIKIDATA: Final = "https://query.wikidata.org/sparql"
# Wikimedia blocks clients that do not say who they are (User-Agent policy, 2026-11).
_WANT_CONTACT: Final = (".wikidata.org", ".wikimedia.org")


def open_endpoint(url: str, contact: str | None, timeout: float, cache: Path) -> EndpointSource:
    """A source of categories at an endpoint; UsageError where the address or the contact is invalid."""
    transport = Transport(url, _contact(url, _host(url), contact), timeout)
    return EndpointSource(Client(url, transport, AnswerCache(cache), sleep=wait))


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and (parts.port is None or parts.port > 0)
    except ValueError:  # a bracket too few, a port that is none
        known = False
    if not known or not parts.hostname:
        raise UsageError(f"--endpoint: expected a URL such as {WIKIDATA}, saw {url!r}")
    return parts.hostname


def _contact(url: str, host: str, given: str | None) -> str:
    if given is None:
        if f".{host}".endswith(_WANT_CONTACT):
            raise UsageError(f"{url} wants to know whom to write to: expected --contact ADDRESS, saw none")
        return _user_at_host()
    if not _fits_header(given):
        raise UsageError(f"--contact: expected an e-mail address or a web page, saw {given!r}")
    return given


def _user_at_host() -> str:
    try:
        contact = f"{getpass.getuser()}@{socket.gethostname()}"
    except (KeyError, OSError):  # a container may run under a number that no user has
        return "anonymous"
    return contact if _fits_header(contact) else "anonymous"


def _fits_header(text: str) -> bool:
    return bool(text.strip()) and text.isascii() and text.isprintable()
