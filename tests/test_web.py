"""The client of all servers: pauses doubled, bounded, and as asked for; an exchange that ends in time and in size."""

import math
import random
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from typing import NoReturn

import pytest

from wikisem import web
from wikisem.errors import DownloadError
from wikisem.limits import LEAST_PROGRESS, PIECE
from wikisem.web import HttpClient, NoAnswerError, Patience, redirected

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def test_pauses_double_up_to_a_bound() -> None:
    """1, 2, 4, ... seconds, never more than a minute; none after the last attempt."""
    patience = Patience(attempts=9)
    pauses = [patience.pause(attempt, "") for attempt in range(1, 10)]
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, None]


def test_the_servers_wish_goes_first() -> None:
    """What Retry-After says is waited, be it more or less than our own pause, unless it is beyond all patience."""
    patience = Patience(longest_asked=100.0, now=lambda: NOW)
    assert patience.pause(5, "3") == 3.0
    assert patience.pause(1, "100") == 100.0
    assert patience.pause(1, "101") is None
    assert patience.pause(6, "3") is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("", None),
        ("120", 120.0),
        (" 7 ", 7.0),
        ("-5", None),
        ("soon", None),
        ("²", None),
        ("Sat, 21 Nov 2026 12:01:00 GMT", 60.0),
        ("Sat, 21 Nov 2026 13:01:00 +0100", 60.0),
        ("Saturday, 21-Nov-26 12:01:00 GMT", 60.0),
        ("Sat Nov 21 12:01:00 2026", 60.0),
        ("Sat, 21 Nov 2026 11:59:00 GMT", 0.0),
        ("Sat, 99 Nov 2026 11:59:00 GMT", None),
        ("Sat, 21 Nov 99999999999999999999 11:59:00 GMT", None),
        ("Sat, 21 Nov 2026 11:59:00 +99999999999999", None),
        ("9" * 5000, float("inf")),
        (", , , , ,", None),
        ("\x1b]0;title\x07", None),
    ],
)
def test_headers_are_seconds_or_dates(header: str, seconds: float | None) -> None:
    """Seconds, a date in any form that HTTP allows, or nothing that can be kept to."""
    patience = Patience(first=-1.0, now=lambda: NOW, longest_asked=math.inf)
    assert patience.pause(1, header) == (-1.0 if seconds is None else seconds)  # the pause without a wish


@pytest.mark.parametrize("seed", range(3))
def test_no_header_is_more_than_a_wait(seed: int) -> None:
    """Dates put together from all that dates are made of, and much that they are not: seconds or nothing."""
    draw = random.Random(seed)
    words = [
        "Sat,",
        "21",
        "Nov",
        "2026",
        "12:00:00",
        "GMT",
        "+0100",
        "-99999999",
        "0",
        "-1",
        "9" * 30,
        "²",
        ":",
        ",",
        "\xff",
    ]
    patience = Patience(first=-1.0, now=lambda: NOW, longest_asked=math.inf)
    seen = [patience.pause(1, " ".join(draw.choices(words, k=draw.randrange(9)))) for _ in range(20_000)]
    assert any(seconds != -1 for seconds in seen)  # which is the pause without a wish
    assert all(seconds is not None and (seconds == -1 or seconds >= 0) for seconds in seen)


def test_attempts_begin_anew_where_bytes_have_come() -> None:
    """A long file over a poor line is worth more than six attempts, one that hardly moves is not."""
    sizes = iter([0, LEAST_PROGRESS, LEAST_PROGRESS + 1, LEAST_PROGRESS + 2, LEAST_PROGRESS + 3])
    have = 0

    def ask() -> None:
        nonlocal have
        have = next(sizes)
        raise NoAnswerError("cut")

    pauses: list[float] = []
    with pytest.raises(DownloadError, match=r"http://x/: expected a whole answer, saw none in 3 attempts; .* cut"):
        Patience(attempts=3, wait=pauses.append).persist("http://x/", ask, DownloadError, progress=lambda: have)
    assert pauses == [1.0, 1.0, 2.0]
    assert have == LEAST_PROGRESS + 2


def test_a_host_without_an_address_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is wrong, or a machine that is offline: nobody waits a minute to be told."""
    monkeypatch.setattr(web, "_RESOLVED_HOSTS", set())
    monkeypatch.setattr(socket, "getaddrinfo", _no_address)
    pauses: list[float] = []
    said = r"in 1 attempt; the last gave no address of wiki\.example \(.*\); is the name right, and this machine online"
    with pytest.raises(DownloadError, match=said):
        Patience(wait=pauses.append).persist("x", lambda: read("http://wiki.example/"), DownloadError)
    assert pauses == []


def test_a_host_that_had_an_address_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a download of hours a resolver may fail for a moment."""
    with serving([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"]) as (url, _):
        assert read(url) == b"ok"
        found, pauses = socket.getaddrinfo, list[float]()

        def recover(seconds: float) -> None:
            pauses.append(seconds)
            monkeypatch.setattr(socket, "getaddrinfo", found)

        monkeypatch.setattr(socket, "getaddrinfo", _no_address)
        assert Patience(wait=recover).persist("x", lambda: read(url), DownloadError) == b"ok"
    assert pauses == [1.0]


def _no_address(*_: object, **__: object) -> NoReturn:
    raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


class Requests(list[bytes]):
    """The requests that came, and how many scripts were said to their end."""

    said = 0


@contextmanager
def serving(*scripts: Sequence[bytes], pause: float = 0.0) -> Iterator[tuple[str, Requests]]:
    """A server that reads a request and says a script, whatever it is; its URL, and the requests that came.

    Scripts go to connections in turn, the last one to all others. With a pause after each piece, until it is shut.
    """
    asked = Requests()
    shut = threading.Event()

    def answer(connection: socket.socket, script: Sequence[bytes]) -> None:
        with closing(connection), suppress(OSError):
            request = connection.recv(65536)
            if request.startswith(b"POST"):
                while not request.endswith(b"query=1"):
                    request += connection.recv(65536)
            asked.append(request)
            for piece in script:
                connection.sendall(piece)
                if shut.wait(pause):
                    return
            asked.said += 1

    def accept() -> None:
        rest = list(scripts)
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                script = rest.pop(0) if len(rest) > 1 else rest[0]
                threading.Thread(target=answer, args=(connection, script), daemon=True).start()

    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/", asked
        finally:
            shut.set()
            listening.shutdown(socket.SHUT_RDWR)


def read(url: str, timeout: float = 60.0) -> bytes:
    """What the client reads at a URL."""
    return HttpClient("tests@example.org", timeout).read(url)


OK = b"HTTP/1.1 200 OK\r\n"
LONG = 2000  # pieces, each after 20 ms: 40 s, in which a client that waits for each byte would wait for all
DRIPS: dict[str, list[bytes]] = {
    "nothing at all": [b""] * LONG,
    "the status line": [b"H", *[b"T"] * LONG],
    "headers": [OK, *[b"X: y\r\n"] * LONG],
    "one header": [OK, b"X: ", *[b"y"] * LONG],
    "beginnings of answers": [b"HTTP/1.1 100 Continue\r\n\r\n"] * LONG,
    "a body of a known size": [OK + b"Content-Length: 2000\r\n\r\n", *[b"y"] * LONG],
    "a body of any size": [OK + b"\r\n", *[b"y"] * LONG],
    "chunks": [OK + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\ny\r\n"] * LONG],
    "what follows the last chunk": [OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", *[b"X: y\r\n"] * LONG],
}


@pytest.mark.parametrize("script", DRIPS.values(), ids=DRIPS)
def test_a_server_that_drips_is_given_up(script: list[bytes]) -> None:
    """The time holds for the whole exchange: a byte now and then does not extend it, in whichever part of an answer."""
    with serving(script, pause=0.02) as (url, asked):
        with pytest.raises(NoAnswerError, match=r"no whole answer within 0\.3 s"):
            read(url, 0.3)
        assert not asked.said


def test_a_handshake_that_drips_is_given_up() -> None:
    """Before a word of HTTP is said."""
    with serving([b"\x16\x03\x03\x40\x00", *[b"y"] * LONG], pause=0.02) as (url, _):
        with pytest.raises(NoAnswerError, match=r"within 0\.3 s|timed out") as caught:
            read(url.replace("http:", "https:"), 0.3)
        assert not caught.value.final


def test_a_refusal_that_drips_is_a_refusal() -> None:
    """Its status is known: what came of the body until then is told."""
    script = [b"HTTP/1.1 503 Busy\r\nContent-Length: 9999\r\n\r\nsorry", *[b"!"] * LONG]
    with serving(script, pause=0.02) as (url, _), pytest.raises(NoAnswerError, match="HTTP status 503 Busy: sorry!"):
        read(url, 0.3)


ENDLESS = {
    "says so": [OK + b"Content-Length: 70000\r\n\r\n"],
    "does not say": [OK + b"\r\n", b"y" * 0x1FFFF],
    "in chunks": [OK + b"Transfer-Encoding: chunked\r\n\r\n3ffff\r\n", b"y" * 0x3FFFF],
}


@pytest.mark.parametrize("script", ENDLESS.values(), ids=ENDLESS)
def test_no_body_grows_without_end(script: list[bytes]) -> None:
    """More than any answer has is not read, and not asked for again."""
    with (
        serving(script) as (url, _),
        pytest.raises(NoAnswerError, match=r"at most 65,536 .*may come") as caught,
    ):
        HttpClient("tests@example.org").read(url, most=1 << 16)
    assert caught.value.final


def test_a_refusal_is_read_to_its_beginning_alone() -> None:
    """A page of 60 MB that says no costs a line."""
    with serving([b"HTTP/1.1 403 No\r\n\r\n", b"y" * (60 << 20)]) as (url, asked):
        with pytest.raises(NoAnswerError, match="HTTP status 403 No: yyy") as caught:
            read(url)
        assert len(str(caught.value)) <= 300
    assert not asked.said


def test_a_refusal_that_is_cut_tells_no_half_of_a_secret() -> None:
    """What a server says is cut to a line after credentials are hidden: half of a URL would not be known for one."""
    script = [b"HTTP/1.1 403 No\r\n\r\n" + b"x" * 265 + b" s3://key:hushhush@bucket/x" + b"y" * 300]
    with serving(script) as (url, _), pytest.raises(NoAnswerError) as caught:
        read(url)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 408, 429, 500, 503])
def test_what_would_be_the_same_the_next_time_is_final(status: int) -> None:
    """Too many requests, and what is the server's own trouble, may pass."""
    with serving([b"HTTP/1.1 %d No\r\n\r\n" % status]) as (url, _), pytest.raises(NoAnswerError) as caught:
        read(url)
    assert (caught.value.status, caught.value.final) == (status, status not in {408, 429, 500, 503})


def test_a_packed_body_is_not_unpacked() -> None:
    """300 kB of gzip may be a gigabyte; nobody asked for it."""
    with serving([OK + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"]) as (url, asked):
        with pytest.raises(NoAnswerError, match="packed as gzip, which was not asked for") as caught:
            read(url)
        assert caught.value.final
        assert b"Accept-Encoding: identity" in asked[0]


ODD = {
    "no status line": b"hello\r\n\r\n",
    "a status of letters": b"HTTP/1.1 abc OK\r\n\r\n",
    "a status beyond all": b"HTTP/1.1 99999 OK\r\n\r\n",
    "a status of nothing": b"HTTP/1.1 700 \xff\xfe\x1b[31m\r\n\r\n",
    "nothing": b"",
    "a long header": OK + b"X: " + b"y" * 70_000 + b"\r\n\r\n",
    "a thousand headers": OK + b"X: y\r\n" * 1000 + b"\r\n",
    "chunks of no number": OK + b"Transfer-Encoding: chunked\r\n\r\nzzz\r\nabc\r\n",
    "chunks below zero": OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nabc\r\n",
    "chunks beyond all": OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nabc",
    "a chunk that is cut": OK + b"Transfer-Encoding: chunked\r\n\r\n9\r\nabc",
    "less than promised": OK + b"Content-Length: 5\r\n\r\nabc",
    "redirected to nowhere": b"HTTP/1.1 302 x\r\nLocation: http://[\r\n\r\n",
    "redirected to no port": b"HTTP/1.1 302 x\r\nLocation: http://127.0.0.1:99999999/\r\n\r\n",
    "redirected to a bad name": b"HTTP/1.1 302 x\r\nLocation: http://" + b"a" * 300 + b".invalid./\r\n\r\n",
    "redirected without a place": b"HTTP/1.1 302 x\r\n\r\n",
    "redirected for ever": b"HTTP/1.1 302 x\r\nLocation: /again\r\n\r\n",
    "not modified": b"HTTP/1.1 304 x\r\n\r\n",
    "who are you": b"HTTP/1.1 401 x\r\nWWW-Authenticate: \xff\r\n\r\n",
}


@pytest.mark.parametrize("answer", ODD.values(), ids=ODD)
def test_an_odd_answer_is_no_answer(answer: bytes) -> None:
    """Whatever a server says, one kind of error comes of it."""
    with serving([answer]) as (url, _), pytest.raises(NoAnswerError):
        read(url)


def test_redirects_come_to_an_end() -> None:
    """After five of them, and for good."""
    with serving([b"HTTP/1.1 302 x\r\nLocation: /again\r\n\r\n"]) as (url, asked):
        with pytest.raises(NoAnswerError, match="more than 5 redirects") as caught:
            read(url)
        assert caught.value.final
        assert sum(request.startswith(b"GET") for request in asked) == 5


def test_chunks_say_their_sizes_themselves() -> None:
    """A length beside them is of another message (RFC 9112, 6.3)."""
    with serving([OK + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"]) as (url, _):
        assert read(url) == b"abc"


@pytest.mark.parametrize("length", ["9" * 5000, "-5", "٣", "", "x"])
def test_a_length_that_is_none_promises_nothing(length: str) -> None:
    """The body is then what comes."""
    with serving([OK + f"Content-Length: {length}\r\n\r\nabc".encode()]) as (url, _):
        assert read(url) == b"abc"


SCHEMES = ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher://x/"]


@pytest.mark.parametrize("location", SCHEMES)
def test_a_redirect_to_another_scheme_is_not_followed(location: str) -> None:
    """A server cannot make us read a file of this machine."""
    with serving([f"HTTP/1.1 302 x\r\nLocation: {location}\r\n\r\n".encode()]) as (url, asked):
        with pytest.raises(NoAnswerError, match="a redirect from http to ") as caught:
            read(url)
        assert caught.value.final
        assert len(asked) == 1


def test_a_redirect_never_leaves_tls() -> None:
    """From http to https, but not back."""
    assert redirected("http://x.org/a", "https://x.org/b") == "https://x.org/b"
    with pytest.raises(NoAnswerError, match="a redirect from https to http://x"):
        redirected("https://x.org/a", "http://x.org/b")


def test_a_redirect_is_followed_with_the_whole_request() -> None:
    """A query that moved is asked there, by the same method and with the same body, in our name."""
    with serving([OK + b"Content-Length: 2\r\n\r\nhi"]) as (target, there):
        moved = f"HTTP/1.1 301 x\r\nLocation: {target}n\xe9w\r\n\r\n".encode("latin-1")
        with serving([moved]) as (url, _):
            assert HttpClient("me@example.org", 60.0).read(url, "POST", b"query=1") == b"hi"
    assert there[0].startswith(b"POST /n%E9w HTTP/1.1\r\n")
    assert there[0].endswith(b"query=1")
    assert b"wikisem/" in there[0]
    assert target.removeprefix("http://").strip("/").encode() in there[0]


def test_a_login_goes_to_its_own_server_alone() -> None:
    """The user and the password of a URL are a header there, also after a redirect, and at another server nothing."""
    with serving([OK + b"Content-Length: 2\r\n\r\nhi"]) as (target, there):
        moves = [f"HTTP/1.1 302 x\r\nLocation: {place}\r\n\r\n".encode() for place in ("/next", target)]
        with serving(*([move] for move in moves)) as (url, asked):
            assert read(url.replace("://", "://me:s%2Fecret@")) == b"hi"
    assert [b"authorization: Basic bWU6cy9lY3JldA==\r\n" in request for request in asked] == [True, True]
    assert not any(word in there[0] for word in (b"authorization", b"secret", b"me:"))
    assert not any(b"secret" in request for request in asked)


def test_the_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As every program does; no_proxy is its exception."""
    with serving([OK + b"Content-Length: 2\r\n\r\nhi"]) as (proxy, asked):
        monkeypatch.setenv("http_proxy", proxy)
        assert read("http://dumps.example/list") == b"hi"
        assert asked[0].startswith(b"GET http://dumps.example/list HTTP/1.1\r\n")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert read(proxy) == b"hi"
        assert asked[1].startswith(b"GET / HTTP/1.1\r\n")
        monkeypatch.setenv("http_proxy", proxy.replace("://", "://me:secret@"))
        assert read("http://you:other@dumps.example/list") == b"hi"
        assert asked[2].startswith(b"GET http://dumps.example/list HTTP/1.1\r\n")
        assert b"proxy-authorization: Basic bWU6c2VjcmV0\r\n" in asked[2]


@pytest.mark.parametrize("size", [PIECE, 100])
def test_a_file_has_time_while_it_comes(size: int) -> None:
    """A file of 100 GB may take days, if bytes come; one that hardly moves, and a list of files, may not."""
    script = [OK + b"Content-Length: %d\r\n\r\n" % (size * 20), *[bytes(size)] * 20]
    with serving(script, pause=0.1) as (url, _), HttpClient("tests@example.org", 0.7).open(url) as answer:
        if size == PIECE:
            assert sum(map(len, answer.blocks(1 << 30))) == size * 20
        else:
            with pytest.raises(NoAnswerError, match=r"no whole answer within 0\.7 s"):
                list(answer.blocks(1 << 30))
    with serving(script, pause=0.1) as (url, _), pytest.raises(NoAnswerError, match="no whole answer"):
        read(url, 0.7)
