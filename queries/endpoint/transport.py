"""One query to one endpoint through SPARQLWrapper: the bytes of a whole answer, or why there was none."""

import time
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final, Protocol

import SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import SPARQLWrapperException

import wikisem
from wikisem.queries.patience import NoAnswerError, is_passing

_CHUNK: Final = 65536
_DETAIL: Final = 300
_NO_POST: Final = frozenset({405, 501})


class Ask(Protocol):
    """Sends a query and returns the body of the answer; NoAnswerError when it does not come whole."""

    def __call__(self, query: str) -> bytes:
        """The body of the answer."""
        ...


@dataclass(frozen=True)
class Transport:
    """How queries travel: where to, in whose name, and how long an answer may take, in seconds, from first to last.

    Wikidata's query service stops a query after 60 s by itself, and should have the time to say so.
    """

    endpoint: str
    contact: str
    timeout: float = 70.0
    clock: Callable[[], float] = time.monotonic

    def __call__(self, query: str) -> bytes:
        """The body of the answer; NoAnswerError when it does not come whole in time."""
        try:
            return self._send(query, SPARQLWrapper.POST)  # a batch of items may not fit into a URL
        except NoAnswerError as error:
            if error.status not in _NO_POST:
                raise
        return self._send(query, SPARQLWrapper.GET)

    def _send(self, query: str, method: str) -> bytes:
        deadline = self.clock() + self.timeout
        wrapper = SPARQLWrapper.SPARQLWrapper(self.endpoint, agent=user_agent(self.contact))
        wrapper.setReturnFormat(SPARQLWrapper.JSON)
        wrapper.setMethod(method)
        wrapper.setTimeout(self.timeout)
        wrapper.setQuery(query)
        try:
            return self._read(wrapper.query().response, deadline)
        except (SPARQLWrapperException, urllib.error.HTTPError) as error:
            raise _refused(error) from error
        except (OSError, HTTPException) as error:
            raise NoAnswerError(f"{type(error).__name__}: {error}") from error

    def _read(self, response: Any, deadline: float) -> bytes:
        # A socket's timeout bounds each wait, not their sum: a server that drips would never be given up.
        parts = []
        while part := response.read1(_CHUNK):
            parts.append(part)
            if self.clock() > deadline:
                raise NoAnswerError(f"no whole answer within {self.timeout:g} s")
        body = b"".join(parts)
        promised = response.headers.get("Content-Length", "")
        if promised.isdigit() and len(body) != int(promised):
            raise NoAnswerError(f"an answer of {len(body)} bytes where {promised} were promised")
        return body


def user_agent(contact: str) -> str:
    """Who asks, and how to reach them (https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy, 2026-11)."""
    return f"wikisem/{wikisem.__version__} ({contact}) SPARQLWrapper/{SPARQLWrapper.__version__}"


def _refused(error: Exception) -> NoAnswerError:
    # SPARQLWrapper raises its own classes for 400, 401, 404, 414 and 500, with the HTTPError as their context.
    http = error if isinstance(error, urllib.error.HTTPError) else error.__context__
    if not isinstance(http, urllib.error.HTTPError):
        return NoAnswerError(f"{type(error).__name__}: {error}", final=True)
    detail = str(error).partition("Response:\n")[2] or _body(http)
    reason = " ".join(f"HTTP status {http.code} {http.reason}: {detail}".split())[:_DETAIL].rstrip(": ")
    final = not is_passing(http.code)
    return NoAnswerError(reason, final=final, status=http.code, retry_after=http.headers.get("Retry-After") or "")


def _body(http: urllib.error.HTTPError) -> str:
    try:
        return http.read(_DETAIL).decode("utf-8", "replace")
    except (OSError, HTTPException, ValueError):
        return ""  # the status says enough where the body does not come
