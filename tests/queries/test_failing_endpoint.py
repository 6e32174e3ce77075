"""An endpoint that fails in every known way: nothing is lost while it recovers, and giving up says why."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.queries.sparql_server import Fault, Server, serve
from tests.queries.world import WORLD
from wikisem.categories.recipe import Category, parse_path
from wikisem.errors import EndpointError
from wikisem.queries.sparql import Client, EndpointSource, Transport
from wikisem.web import HttpClient, Patience

CITIES = Category("cities", class_="Q100", subclasses=True)
NAMES = ["Q11", "Q12", "Q13", "Q14", "Q15", "Q1000000000000"]
NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
STACK_TRACE = b"\njava.util.concurrent.ExecutionException: java.util.concurrent.TimeoutException\n\tat Task.report()"


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    """One server for all tests."""
    with serve(WORLD) as server:
        yield server


@pytest.fixture
def server(running: Server) -> Server:
    """The server without a fault, as if nothing had been asked yet."""
    running.faults.clear()
    running.queries.clear()
    running.methods.clear()
    running.most_rows = 0
    return running


def _client(server: Server, pauses: list[float], cache: Path | None = None, attempts: int = 6) -> Client:
    return Client(
        server.url,
        Transport(server.url, HttpClient("tests@example.org", 60.0)),
        cache,
        Patience(attempts, wait=pauses.append, now=lambda: NOW),
    )


def _names(client: Client, page: int = 2) -> list[str]:
    return [item.qid for item in EndpointSource(client, page).items(CITIES)]


PASSING = {
    "too many requests": (Fault(429, (("Retry-After", "7"),), b"slow down"), 7.0),
    "too many requests, no hint": (Fault(429), 1.0),
    "unavailable until a time": (Fault(503, (("Retry-After", "Sat, 21 Nov 2026 12:00:30 GMT"),)), 30.0),
    "a time that has passed": (Fault(503, (("Retry-After", "Sat, 21 Nov 2026 11:00:00 GMT"),)), 0.0),
    "a hint that is no hint": (Fault(503, (("Retry-After", "soon"),)), 1.0),
    "time-out on the server": (Fault(500, body=STACK_TRACE), 1.0),
    "bad gateway": (Fault(502, body=b"<html>"), 1.0),
    "JSON cut off": (Fault(keep=0.6), 1.0),
    "JSON cut off, then a stack trace": (Fault(keep=0.6, tail=STACK_TRACE), 1.0),
    "a stack trace after whole JSON": (Fault(tail=STACK_TRACE), 1.0),
    "nothing at all": (Fault(keep=0.0), 1.0),
    "a page for people": (Fault(body=b"<html>Wikimedia Error</html>"), 1.0),
    "JSON without results": (Fault(body=b'{"error": "x"}'), 1.0),
    "less than was promised": (Fault(promise=100), 1.0),
    "the line goes dead": (Fault(hang_up=True), 1.0),
}


@pytest.mark.parametrize(("fault", "pause"), PASSING.values(), ids=PASSING)
@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_passing_fault_loses_nothing(server: Server, fault: Fault, pause: float, before: int) -> None:
    """Whichever page it hits, the last and empty one too, all items come once, in order, after one pause."""
    pauses: list[float] = []
    server.faults += [*[Fault()] * before, fault]
    assert _names(_client(server, pauses)) == NAMES
    assert pauses == [pause]
    assert len(server.queries) == 4 + 1


def test_pauses_double(server: Server) -> None:
    """Fault after fault, each wait is twice the one before; a whole answer in between begins anew."""
    pauses: list[float] = []
    server.faults += [Fault(503)] * 4 + [Fault()] + [Fault(keep=0.5)] * 2
    assert _names(_client(server, pauses)) == NAMES
    assert pauses == [1.0, 2.0, 4.0, 8.0, 1.0, 2.0]


def test_it_gives_up_with_a_reason(server: Server) -> None:
    """After its attempts the message has endpoint, question, number of attempts and what the last one gave."""
    pauses: list[float] = []
    server.faults += [Fault(503, body=b"upstream connect error")] * 3
    with pytest.raises(EndpointError) as caught:
        _names(_client(server, pauses, attempts=3))
    assert str(caught.value) == (
        f"{server.url}: expected a whole answer about items after Q0, saw none in 3 attempts; "
        "the last gave HTTP status 503 Service Unavailable: upstream connect error"
    )
    assert pauses == [1.0, 2.0]
    assert caught.value.exit_code == 1


def test_too_long_a_wait_is_not_waited_for(server: Server) -> None:
    """A server that wants to be left alone for a day is: at once, and with what it asked for."""
    pauses: list[float] = []
    server.faults.append(Fault(429, (("Retry-After", "86400"),), b"banned"))
    with pytest.raises(EndpointError, match="banned, which asked to wait: 86400"):
        _names(_client(server, pauses))
    assert pauses == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 414])
def test_a_refusal_is_not_repeated(server: Server, status: int) -> None:
    """What would be refused again is not asked again, and the server's own words are told."""
    pauses: list[float] = []
    server.faults.append(Fault(status, body=b"MalformedQueryException: line 3"))
    with pytest.raises(EndpointError, match=rf"in 1 attempt; the last gave HTTP status {status} .*line 3"):
        _names(_client(server, pauses))
    assert len(server.queries) == 1


def test_a_server_that_is_not_there() -> None:
    """A refused connection is tried again, then told."""
    url = "http://127.0.0.1:9/sparql"
    pauses: list[float] = []
    transport = Transport(url, HttpClient("tests@example.org", 60.0))
    client = Client(url, transport, patience=Patience(2, wait=pauses.append))
    with pytest.raises(EndpointError, match="2 attempts; the last gave ConnectionRefusedError"):
        _names(client)
    assert pauses == [1.0]


def test_pages_cut_short_lose_nothing(server: Server) -> None:
    """An engine that gives fewer rows than the page asked for is asked until a page is empty."""
    server.most_rows = 1
    assert _names(_client(server, []), page=5) == NAMES
    assert len(server.queries) == len(NAMES) + 1


@pytest.mark.parametrize("most_rows", [1, 3, 4])
def test_a_batch_cut_short_is_noticed(server: Server, most_rows: int) -> None:
    """Labels and values end in a mark: an answer cut before it is asked again, never taken for whole."""
    pauses: list[float] = []
    source = EndpointSource(_client(server, pauses))
    whole = source.labels(NAMES, ["en"])
    assert len(whole) == 5
    server.most_rows = most_rows
    with pytest.raises(EndpointError, match=rf"labels of Q11 and 5 more.* {most_rows} rows that lacks the last one"):
        source.labels(NAMES, ["en", "mul", "la"])
    assert len(pauses) == 5
    with pytest.raises(EndpointError, match=r"values of Q11 .*lacks the last one"):
        source.values(NAMES, parse_path("P17"))
    server.most_rows = 0
    assert source.labels(NAMES, ["en"]) == whole


@pytest.mark.parametrize(
    ("numbers", "sitelinks", "told"),
    [
        (["12", "11"], "1", "items that do not follow Q0 in order"),
        (["11", "11"], "1", "items that do not follow Q0 in order"),
        (["Q11"], "1", "a row without the number or the sitelinks of an item"),
        (["11"], "many", "a row without the number or the sitelinks of an item"),
    ],
)
def test_rows_that_cannot_be_are_refused(server: Server, numbers: list[str], sitelinks: str, told: str) -> None:
    """Rows that do not ascend could hide lost ones; rows without numbers are not what was asked for."""
    values = [{"number": number, "sitelinks": sitelinks} for number in numbers]
    rows = [{name: {"type": "literal", "value": text} for name, text in row.items()} for row in values]
    server.faults.append(Fault(body=json.dumps({"results": {"bindings": rows}}).encode()))
    with pytest.raises(EndpointError, match=told):
        _names(_client(server, []))


def test_a_run_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    """Whole answers are kept, broken ones are not: the second run asks only what the first did not get."""
    server.faults += [Fault(), Fault(keep=0.5), Fault(keep=0.5)]
    with pytest.raises(EndpointError):
        _names(_client(server, [], tmp_path, attempts=2))
    assert len(list(tmp_path.iterdir())) == 1
    server.queries.clear()
    assert _names(_client(server, [], tmp_path)) == NAMES
    assert len(server.queries) == 3
    server.queries.clear()
    assert _names(_client(server, [], tmp_path)) == NAMES
    assert server.queries == []


def test_damaged_answers_on_disk_are_asked_again(server: Server, tmp_path: Path) -> None:
    """A kept answer that is not whole is no answer: it is asked for, and overwritten."""
    client = _client(server, [], tmp_path)
    assert _names(client) == NAMES
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:20])
    server.queries.clear()
    assert _names(client) == NAMES
    assert len(server.queries) == 4
    assert [path for path in tmp_path.iterdir() if path.suffix != ".json"] == []


def test_answers_belong_to_their_endpoint(tmp_path: Path) -> None:
    """The same query to another endpoint is another question."""
    answer, asked = b'{"results": {"bindings": []}}', list[str]()

    def ask(query: str) -> bytes:
        asked.append(query)
        return answer

    for endpoint in ("http://one.example", "http://one.example", "http://two.example"):
        assert Client(endpoint, ask, tmp_path).rows("SELECT", "nothing") == []
    assert asked == ["SELECT", "SELECT"]


@pytest.mark.parametrize("status", [405, 501])
def test_an_endpoint_without_post_is_asked_with_get(server: Server, status: int) -> None:
    """A server that knows no POST is no failure: the same query goes by GET, without a pause."""
    pauses: list[float] = []
    server.faults.append(Fault(status))
    assert _names(_client(server, pauses)) == NAMES
    assert pauses == []
    assert server.methods[:3] == ["POST", "GET", "POST"]


def test_it_says_who_asks(server: Server) -> None:
    """The User-Agent names the tool and the contact."""
    _names(_client(server, []))
    assert server.agents[-1].startswith("wikisem/")
    assert "(tests@example.org)" in server.agents[-1]
