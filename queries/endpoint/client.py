"""A patient client of a SPARQL endpoint: asks, waits, asks again, keeps what it got, and says so when it gives up."""

import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

import SPARQLWrapper

from wikisem.errors import EndpointError
from wikisem.queries.endpoint.cache import AnswerCache
from wikisem.queries.http_client import HttpClient, NoAnswerError, Patience, user_agent
from wikisem.queries.sparql.answer import AnswerRow, parse_answer

Check: TypeAlias = Callable[[list[AnswerRow]], None]

_NO_POST: Final = frozenset({405, 501})


class Ask(Protocol):
    """Sends a query and returns the body of the answer; NoAnswerError when it does not come whole."""

    def __call__(self, query: str) -> bytes:
        """The body of the answer."""
        ...


@dataclass(frozen=True, slots=True)
class Transport:
    """Sends queries to an endpoint: SPARQLWrapper says how, by the protocol, and our client bounds what comes back.

    Wikidata's query service stops a query after 60 s by itself, and should have the time to say so.
    """

    endpoint: str
    http: HttpClient

    def __call__(self, query: str) -> bytes:
        """The body of the answer; NoAnswerError when it does not come whole in time."""
        try:
            return self.http.read(self._request(query, SPARQLWrapper.POST))  # a batch may not fit into a URL
        except NoAnswerError as error:
            if error.status not in _NO_POST:
                raise
        return self.http.read(self._request(query, SPARQLWrapper.GET))

    def _request(self, query: str, method: str) -> urllib.request.Request:
        wrapper = _Query(self.endpoint, agent=user_agent(self.http.contact))
        wrapper.setReturnFormat(SPARQLWrapper.JSON)
        wrapper.setMethod(method)
        wrapper.setQuery(query)
        return wrapper.request()


class _Query(SPARQLWrapper.SPARQLWrapper):
    """A query that is not sent yet: what SPARQLWrapper reads of an answer or an error has no bounds."""

    def request(self) -> urllib.request.Request:
        """The request of the protocol: address, parameters, headers."""
        request: urllib.request.Request = self._createRequest()
        return request


@dataclass(frozen=True)
class Client:
    """Queries to one endpoint, one at a time; ``ask`` sends one."""

    endpoint: str
    ask: Ask
    cache: AnswerCache | None = None
    patience: Patience = field(default_factory=Patience)

    def rows(self, query: str, about: str, check: Check = lambda _: None) -> list[AnswerRow]:
        """The rows of a whole answer, from the cache or the endpoint; EndpointError when none can be had.

        ``about`` names the query in that error; ``check`` raises NoAnswerError where the rows are not all there.
        """
        kept = self.cache.get(self.endpoint, query) if self.cache else None
        if kept is not None:
            try:
                return _whole(kept, check)
            except NoAnswerError:
                pass  # a damaged file is no answer: ask, and overwrite it

        def ask() -> tuple[bytes, list[AnswerRow]]:
            body = self.ask(query)
            return body, _whole(body, check)

        body, rows = self.patience.persist(self.endpoint, ask, EndpointError, about)
        if self.cache:
            self.cache.put(self.endpoint, query, body)
        return rows


def _whole(body: bytes, check: Check) -> list[AnswerRow]:
    rows = parse_answer(body)
    check(rows)
    return rows
