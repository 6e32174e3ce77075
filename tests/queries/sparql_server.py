"""A real SPARQL server on this machine: pyoxigraph served over HTTP, with Wikidata's triples, failing on demand."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox

from tests import http_server
from wikisem.ids import is_qid
from wikisem.queries.sparql import ENTITY, SITELINKS, TRUTHY, rdf_tag
from wikisem.records import Entity, Statement

_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
_JSON = "application/sparql-results+json"


@dataclass(frozen=True)
class Fault(http_server.Fault):
    """What the server does wrong once; ``body`` replaces the real answer."""

    tail: bytes = b""  # what follows what is sent of the answer
    promise: int = 0  # bytes promised in Content-Length beyond those sent


@dataclass
class Server:
    """A running server: its URL, the faults to come (one a request), and what it was asked so far."""

    url: str
    store: ox.Store
    faults: list[Fault] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    most_rows: int = 0  # answers are silently cut at this many rows, as some engines do; 0 for never

    def answer(self, query: str) -> bytes:
        """The real answer as SPARQL JSON."""
        if self.most_rows:
            prefixes, _, select = query.partition("SELECT")
            query = f"{prefixes}SELECT * WHERE {{ {{ SELECT{select} }} }} LIMIT {self.most_rows}"
        results = self.store.query(query)
        assert isinstance(results, ox.QuerySolutions)
        return bytes(results.serialize(format=ox.QueryResultsFormat.JSON) or b"")


def serve(entities: Iterable[Entity]) -> AbstractContextManager[Server]:
    """A server over the truthy triples of entities, until the context is left."""
    store = ox.Store()
    store.extend(quad for entity in entities for quad in _quads(entity))
    return http_server.serving(_Handler, lambda url: Server(f"{url}/sparql", store))


class _Handler(http_server.Handler):
    def answer(self) -> None:
        """Send the answer to the query of a form, or the next fault."""
        server: Server = self.about
        posted = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = parse_qs(posted or urlsplit(self.path).query)
        server.methods.append(self.command)
        server.queries.append(form["query"][0])
        server.agents.append(self.headers["User-Agent"])
        fault = server.faults.pop(0) if server.faults else Fault()
        if fault.hang_up:
            self.close_connection = True
            return
        body = server.answer(form["query"][0]) if fault.body is None else fault.body
        body = body[: int(len(body) * fault.keep)] + fault.tail
        headers = {"Content-Type": _JSON, **dict(fault.headers)}
        asked = _JSON in self.headers["Accept"]  # other servers answer in XML where nobody asks for JSON
        self.send(fault.status or (200 if asked else 406), headers, body, len(body) + fault.promise)


def _quads(entity: Entity) -> Iterator[ox.Quad]:
    item = ox.NamedNode(ENTITY + entity.qid)
    yield ox.Quad(item, ox.NamedNode(SITELINKS), ox.Literal(entity.sitelinks))
    for code, label in entity.labels.items():
        yield ox.Quad(item, _LABEL, ox.Literal(label, language=rdf_tag(code)))
    for statement in _statements(entity):
        yield ox.Quad(item, ox.NamedNode(TRUTHY + statement.property), _term(statement))


def _statements(entity: Entity) -> Sequence[Statement]:
    classes = [Statement("P31", qid) for qid in entity.instance_of]
    parents = [Statement("P279", qid) for qid in entity.subclass_of]
    return [*classes, *parents, *entity.statements]


def _term(statement: Statement) -> ox.NamedNode | ox.Literal:
    if statement.language:
        return ox.Literal(statement.value, language=rdf_tag(statement.language))
    return ox.NamedNode(ENTITY + statement.value) if is_qid(statement.value) else ox.Literal(statement.value)
