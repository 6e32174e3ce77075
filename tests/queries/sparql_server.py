"""A real SPARQL server on this machine: pyoxigraph served over HTTP, with Wikidata's triples, failing on demand."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox

from wikisem.ids import is_qid
from wikisem.queries.sparql.vocabulary import ENTITY, SITELINKS, TRUTHY, rdf_tag
from wikisem.records import Entity, Statement

_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")


@dataclass(frozen=True)
class Fault:
    """What the server does wrong once: a status, headers, or a body that replaces or ends the real answer."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    keep: float = 1.0  # the share of the real answer that is sent
    tail: bytes = b""  # what follows it
    promise: int = 0  # bytes promised in Content-Length beyond those sent
    hang_up: bool = False  # close the connection before a word is said


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


@contextmanager
def serve(entities: Iterable[Entity]) -> Iterator[Server]:
    """A server over the truthy triples of entities, until the context is left."""
    store = ox.Store()
    store.extend(quad for entity in entities for quad in _quads(entity))
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as http:
        http.daemon_threads = True
        server = Server(f"http://127.0.0.1:{http.server_address[1]}/sparql", store)
        http.about = server  # type: ignore[attr-defined]
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self._reply(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def do_GET(self) -> None:
        self._reply(urlsplit(self.path).query)

    def _reply(self, form_text: str) -> None:
        server: Server = self.server.about  # type: ignore[attr-defined]
        form = parse_qs(form_text)
        server.methods.append(self.command)
        server.queries.append(form["query"][0])
        server.agents.append(self.headers["User-Agent"])
        fault = server.faults.pop(0) if server.faults else Fault()
        if fault.hang_up:
            self.close_connection = True
            return
        body = server.answer(form["query"][0]) if fault.body is None else fault.body
        body = body[: int(len(body) * fault.keep)] + fault.tail
        self.send_response(fault.status)
        self.send_header("Content-Type", "application/sparql-results+json")
        self.send_header("Content-Length", str(len(body) + fault.promise))
        for name, value in fault.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""


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
