"""The HTTP client for all servers, by urllib3: user agent, redirects, limits of time and size, retries."""

import getpass
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache, partial
from importlib.metadata import version
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote, unquote, urljoin, urlsplit

import urllib3
from urllib3.exceptions import HTTPError, NewConnectionError
from urllib3.util import make_headers, parse_url

import wikisem
from wikisem.errors import MissingInputError, WikisemError, redacted
from wikisem.limits import EXCHANGE, LARGEST_TEXT, LEAST_PROGRESS, PIECE, in_time

T = TypeVar("T")

# How much of a refusal is shown, and how much is read: credentials in half a URL would not be recognised.
_DETAIL: Final = 300
_READ: Final = 4096
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS: Final = 5
# The names of hosts that have had an address while this process ran.
_RESOLVED_HOSTS: Final = set[str]()

# 429 asks for patience, 408 and 5xx are the server's own trouble; any other refusal would be the same the next time.
_PASSING: Final = frozenset({408, 429})
# The query service allows 60 s of work a minute for a client and answers 429 beyond that
# (https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual#Query_limits, 2026-11), so a minute is enough.
_LONGEST_PAUSE: Final = 60.0


class NoAnswerError(Exception):
    """A request that got no whole answer; worth another try unless ``final``.

    ``status`` is that of HTTP if the server refused, else 0, and ``retry_after`` its header of that name.
    """

    def __init__(self, reason: str, *, final: bool = False, status: int = 0, retry_after: str = "") -> None:
        super().__init__(redacted(reason))
        self.final, self.status, self.retry_after = final, status, retry_after


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is made, the first pause in seconds (each next one doubles), and the longest that is waited.

    A pause that the server asks for is respected, unless it is longer than ``longest_asked``. ``on_pause`` is called
    before a pause. ``wait`` and ``now`` are arguments, so that a pause can be ended, and tests take no time.

    >>> [Patience(attempts=4, longest=3.0).pause(attempt, "") for attempt in (1, 2, 3, 4)]
    [1.0, 2.0, 3.0, None]
    """

    attempts: int = 6
    first: float = 1.0
    longest: float = _LONGEST_PAUSE
    longest_asked: float = 600.0
    on_pause: Callable[[float], object] = lambda _: None
    wait: Callable[[float], object] = time.sleep
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def persist(
        self,
        url: str,
        ask: Callable[[], T],
        kind: type[WikisemError],
        about: str = "",
        progress: Callable[[], int] = lambda: 0,
    ) -> T:
        """Return what ``ask`` returns; after a NoAnswerError that is not final, pause and call it again.

        After the last attempt, raise ``kind`` with a text on ``url`` and what was asked ``about``. Attempts are counted
        from one again when ``progress``, the bytes of a file that have come, has grown by LEAST_PROGRESS.
        """
        attempt, reached = 1, progress()
        while True:
            try:
                return ask()
            except NoAnswerError as error:
                if progress() >= reached + LEAST_PROGRESS:
                    attempt, reached = 1, progress()
                pause = None if error.final else self.pause(attempt, error.retry_after)
                if pause is None:
                    asked = f", which asked to wait: {error.retry_after[:_DETAIL]}" if error.retry_after else ""
                    raise kind(
                        f"{url}: expected a whole answer{about and ' about '}{about}, saw none in {attempt} "
                        f"attempt{'s' * (attempt > 1)}; the last gave {error}{asked}"
                    ) from error
            self.on_pause(pause)
            self.wait(pause)
            attempt += 1

    def pause(self, attempt: int, retry_after: str) -> float | None:
        """Return the seconds to wait after a failed attempt (1, 2, ...); None when it is not worth waiting any more."""
        if attempt >= self.attempts:
            return None
        # A Retry-After header asks for a number of seconds, or for a date (RFC 9110, 10.2.3).
        text = retry_after.strip()
        if text.isascii() and text.isdigit():
            asked = float(text)
        else:
            try:
                date = parsedate_to_datetime(text)
                aware = date if date.tzinfo else date.replace(tzinfo=UTC)
                asked = max((aware - self.now()).total_seconds(), 0.0)
            except (ValueError, TypeError, IndexError, OverflowError):  # it is no date
                return min(self.first * 2.0 ** (attempt - 1), self.longest)
        return asked if asked <= self.longest_asked else None


class HttpClient(NamedTuple):
    """Asks servers in someone's name; ``timeout`` is that of a whole exchange in seconds; see ``Answer`` for files.

    A URL may have a user and a password, which are sent to its server alone.
    """

    contact: str
    timeout: float = EXCHANGE

    def read(
        self,
        url: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        most: int = LARGEST_TEXT,
        in_parts: bool = False,
    ) -> bytes:
        """Return the whole body of an answer; NoAnswerError if it is cut, late or too large (see ``Answer.blocks``)."""
        with self.open(url, method, body, headers) as answer:
            return b"".join(answer.blocks(most, in_parts))

    @contextmanager
    def open(
        self, url: str, method: str = "GET", body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Iterator["Answer"]:
        """Open an answer whose body is still to be read; NoAnswerError for a refusal or without a connection.

        Redirects are followed with the same method and body, from http to https or within a scheme.
        """
        exchange = _Exchange(self.timeout, time.monotonic() + self.timeout)
        sent = urllib3.HTTPHeaderDict(headers or {})
        # Who asks, and how to reach them (https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy, 2026-11).
        sent["User-Agent"] = f"wikisem/{wikisem.__version__} ({self.contact}) urllib3/{version('urllib3')}"
        response = exchange.within(lambda: _send(url, method, body, sent, self.timeout))
        try:
            if not 200 <= response.status < 300:
                raise exchange.refusal(response)
            yield Answer(response.status, response.headers, response, exchange)
        finally:
            with suppress(ValueError, RuntimeError, OSError):  # it has ended
                response.shutdown()  # for a read that is late, on which closing would wait
            response.close()


class _Exchange(NamedTuple):
    """The time of an exchange: how much it has, and when that is over."""

    seconds: float
    end: float

    def within(self, work: Callable[[], T], *, restart: bool = False) -> T:
        """Do a part of the exchange, or ``restart`` its time; whatever ends it becomes a NoAnswerError."""
        try:
            return in_time(self.seconds if restart else self.end - time.monotonic(), work)
        except (OSError, HTTPError, ValueError) as error:
            raise self._no_answer(error) from error

    def _no_answer(self, error: Exception) -> NoAnswerError:
        """Return the NoAnswerError for an error that ended an exchange; ``final`` if asking again would be no use."""
        # Apart from ``within``, whose frame is in the error's traceback: ``cause`` there would make a cycle that keeps
        # sockets open. The cause is the first error, from which others, such as urllib3's, were raised.
        cause: BaseException = error
        host = ""
        while cause.__cause__ or cause.__context__:
            if isinstance(cause, NewConnectionError):
                host = cause.conn.host
            cause = cause.__cause__ or cause.__context__  # type: ignore[assignment]
        if isinstance(cause, TimeoutError):
            return NoAnswerError(f"no whole answer within {self.seconds:g} s")
        if isinstance(cause, socket.gaierror):
            # No address was found: final, unless the host had one before, as in the middle of a download.
            reason = f"no address of {host} ({cause.strerror}); is the name right, and this machine online?"
            return NoAnswerError(reason, final=host not in _RESOLVED_HOSTS)
        return NoAnswerError(f"{type(cause).__name__}: {cause}", final=isinstance(error, ValueError))

    def refusal(self, response: urllib3.BaseHTTPResponse) -> NoAnswerError:
        """Return what a server said in its refusal, from the beginning of its body."""
        detail = b""
        try:
            while len(detail) < _READ and (block := self.within(lambda: response.read1(_READ))):
                detail += block
        except NoAnswerError:
            pass  # what came is shown
        status = response.status
        text = " ".join(f"HTTP status {status} {response.reason}: {detail.decode('utf-8', 'replace')}".split())
        return NoAnswerError(
            redacted(text)[:_DETAIL].rstrip(": "),
            final=status < 500 and status not in _PASSING,
            status=status,
            retry_after=response.headers.get("Retry-After", ""),
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose status and headers have come."""

    status: int
    headers: Mapping[str, str]
    _response: urllib3.BaseHTTPResponse
    _exchange: _Exchange

    @property
    def length(self) -> int | None:
        """The bytes that the headers promise; None if they do not say."""
        promised = self.headers.get("Content-Length", "")
        fits = promised.isascii() and promised.isdigit() and len(promised) < 19
        return int(promised) if fits and "Transfer-Encoding" not in self.headers else None

    def blocks(self, most: int, in_parts: bool = True) -> Iterator[bytes]:
        """Yield the body as it comes; NoAnswerError if it is cut, late, or larger than ``most`` bytes.

        It is late after the seconds of a whole exchange; with ``in_parts``, as for files, these count for each PIECE.
        """
        packed = self.headers.get("Content-Encoding", "identity")
        if packed != "identity":
            raise NoAnswerError(f"an answer packed as {packed[:_DETAIL]}, which was not asked for", final=True)
        if self.length is not None and self.length > most:
            raise NoAnswerError(f"an answer of {self.length:,} bytes, where at most {most:,} may come", final=True)
        came = 0
        read = self._response.read
        while block := self._exchange.within(partial(read, min(PIECE, most + 1 - came)), restart=in_parts):
            came += len(block)
            if came > most:
                raise NoAnswerError(f"an answer that goes on, where at most {most:,} bytes may come", final=True)
            yield block
        if self.length is not None and came != self.length:
            raise NoAnswerError(f"a connection cut after {came} of {self.length} bytes")


def _send(
    url: str, method: str, body: bytes | None, headers: Mapping[str, str], timeout: float
) -> urllib3.BaseHTTPResponse:
    """Send a request and return the answer at the end of all redirects, its body unread.

    A login in the URL, or in that of the proxy, is sent as a header. The body is neither read nor decoded here, and a
    status such as 404 is no error. NoAnswerError for too many redirects.
    """
    for _ in range(_MOST_REDIRECTS):
        place = parse_url(url)
        # Direct, or by the proxy that the environment names.
        proxy = urllib.request.getproxies().get(str(place.scheme))
        connections: urllib3.PoolManager
        if not proxy or urllib.request.proxy_bypass(str(place.netloc)):
            connections = urllib3.PoolManager(ssl_context=_trusted())
        else:
            proxy = proxy if "://" in proxy else f"http://{proxy}"
            login = parse_url(proxy).auth
            proxy_headers = make_headers(proxy_basic_auth=unquote(login)) if login else None
            connections = urllib3.ProxyManager(proxy, proxy_headers=proxy_headers, ssl_context=_trusted())
        response = connections.urlopen(
            method,
            place._replace(auth=None).url,
            body=body,
            headers={**headers, **(make_headers(basic_auth=unquote(place.auth)) if place.auth else {})},
            redirect=False,
            retries=False,
            timeout=timeout,
            preload_content=False,
            decode_content=False,
            enforce_content_length=False,
        )
        _RESOLVED_HOSTS.update(str(server.host) for server in (place, connections.proxy) if server)
        if response.status not in _REDIRECTS or "Location" not in response.headers:
            return response
        response.close()
        url = redirected(url, response.headers["Location"])
    raise NoAnswerError(f"more than {_MOST_REDIRECTS} redirects", final=True)


_trusted: Final = cache(ssl.create_default_context)


def redirected(url: str, location: str) -> str:
    """Return where a redirect leads; NoAnswerError unless that is to the same scheme or to https.

    The user and the password of a URL go with it on the same server alone.

    >>> redirected("https://me:secret@x.org/a", "https://x.org/b"), redirected("https://me:secret@x.org/a", "//y.org/b")
    ('https://me:secret@x.org/b', 'https://y.org/b')
    """
    # Headers are read as Latin-1, whatever bytes they have; what a URL cannot hold of them is escaped.
    target = quote(urljoin(url, location), safe="!#$%&'()*+,/:;=?@[]~", encoding="iso-8859-1")
    before, after = urlsplit(url), urlsplit(target)
    if after.scheme not in {before.scheme, "https"}:
        raise NoAnswerError(f"a redirect from {before.scheme} to {redacted(target)[:_DETAIL]}", final=True)
    login, _, server = before.netloc.rpartition("@")
    if login and (after.scheme, after.netloc) == (before.scheme, server):
        return after._replace(netloc=before.netloc).geturl()
    return target


def read_web(url: str, most: int = LARGEST_TEXT) -> bytes:
    """Return the bytes of a file on the web; MissingInputError, with what its server said, if that fails."""
    read = partial(HttpClient("anonymous", EXCHANGE).read, url, most=most, in_parts=True)
    return Patience().persist(url, read, MissingInputError)


def below(url: str, path: str) -> str:
    """Return the address of a path below another address, whose parameters stay.

    >>> below("https://x.org/set/?token=a", "groups/de.parquet")
    'https://x.org/set/groups/de.parquet?token=a'
    """
    parts = urlsplit(url)
    return parts._replace(path=f"{parts.path.rstrip('/')}/{path}").geturl()


def user_at_host() -> str:
    """Return the user and the host of this process, or "anonymous" if they are unknown."""
    try:
        contact = f"{getpass.getuser()}@{socket.gethostname()}"
    except (KeyError, OSError):  # a container may run under a number that belongs to no user
        return "anonymous"
    return contact if fits_header(contact) else "anonymous"


def fits_header(text: str) -> bool:
    """Return whether a string can be part of an HTTP header."""
    return bool(text.strip()) and text.isascii() and text.isprintable()
