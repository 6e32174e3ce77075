"""The HTTP client for all servers: user agent, time-out of an exchange, size of an answer, retries.

``urllib.request`` parses answers and knows the proxies of the environment. What it leaves to its callers, as urllib3
and requests do, is here: their time-outs hold for each wait of a socket, so that a server which sends a byte now and
then holds them for ever. A watch ends the whole exchange instead, from the first connection to the last byte, whatever
it is waiting for; the resolver of host names alone keeps its own time. Bodies are never unpacked, so that none grows.
"""

import getpass
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import lru_cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, InvalidURL
from platform import python_version
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urljoin, urlsplit

import wikisem
from wikisem.errors import WikisemError

T = TypeVar("T")

# Answers of the query service, lists of files and of checksums are far smaller.
LARGEST_TEXT: Final = 64 << 20
# In the time of a whole exchange, a file that is larger than any such answer must have come on by so much.
LEAST_PROGRESS: Final = 64 << 10
_CHUNK: Final = 1 << 20
_DETAIL: Final = 300
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS: Final = 5
# The names of hosts that have had an address while this process ran.
_FOUND: Final = set[str]()

# 429 asks for patience, 408 and 5xx are the server's own trouble; any other refusal would be the same the next time.
_PASSING: Final = frozenset({408, 429})
# The query service allows 60 s of work a minute for a client and answers 429 beyond that
# (https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual#Query_limits, 2026-11), so a minute is enough.
_LONGEST_PAUSE: Final = 60.0


class NoAnswerError(Exception):
    """A request that got no whole answer; worth another try unless ``final``.

    ``status`` is that of HTTP where the server refused, else 0, and ``retry_after`` its header of that name.
    """

    def __init__(self, reason: str, *, final: bool = False, status: int = 0, retry_after: str = "") -> None:
        super().__init__(reason)
        self.final = final
        self.status = status
        self.retry_after = retry_after


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
        """What ``ask`` returns, asked again while that is worth it; after that an error of ``kind`` that says why.

        The count of attempts restarts when ``progress``, in bytes, has grown by LEAST_PROGRESS.
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
        """Seconds to wait after a failed attempt (1, 2, ...); None when it is not worth waiting any more."""
        if attempt >= self.attempts:
            return None
        asked = seconds_asked(retry_after, self.now())
        if asked is not None:
            return asked if asked <= self.longest_asked else None
        return min(self.first * 2.0 ** (attempt - 1), self.longest)


def seconds_asked(retry_after: str, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or a date (RFC 9110, 10.2.3); None without one."""
    text = retry_after.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
        aware = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((aware - now).total_seconds(), 0.0)
    except (ValueError, TypeError, IndexError, OverflowError):  # the parser of dates trusts what it splits
        return None


@dataclass(frozen=True, slots=True)
class HttpClient:
    """Asks servers in someone's name; ``timeout`` is that of a whole exchange in seconds; see ``Answer`` for files."""

    contact: str
    timeout: float

    def read(self, request: urllib.request.Request) -> bytes:
        """The whole body of an answer; NoAnswerError if it is cut, late or too large."""
        with self.open(request) as answer:
            packed = answer.headers.get("Content-Encoding", "identity")
            if packed != "identity":
                raise NoAnswerError(f"an answer packed as {packed[:_DETAIL]}, which was not asked for", final=True)
            return b"".join(answer.blocks(LARGEST_TEXT))

    @contextmanager
    def open(self, request: urllib.request.Request) -> Iterator["Answer"]:
        """An answer whose body is still to be read; NoAnswerError for a refusal or without a connection.

        Redirects are followed with the same method and body, from http to https or within a scheme.
        """
        request.add_header("User-agent", user_agent(self.contact))
        with _Watch(self.timeout) as watch:
            with watch.exchange():
                response = _send(request, watch)
            with response:
                yield Answer(response, watch)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer whose headers have come."""

    _response: HTTPResponse
    _watch: "_Watch"

    @property
    def status(self) -> int:
        """The status of HTTP."""
        return self._response.status

    @property
    def headers(self) -> Message:
        """The headers."""
        return self._response.headers

    @property
    def length(self) -> int | None:
        """The bytes that the headers promise; None where they do not say."""
        promised = self.headers.get("Content-Length", "")
        fits = promised.isascii() and promised.isdigit() and len(promised) < 19
        return int(promised) if fits and "Transfer-Encoding" not in self.headers else None

    def blocks(self, most: int, *, in_parts: bool = False) -> Iterator[bytes]:
        """The body as it comes; NoAnswerError where it is cut, late, or larger than ``most``, which then has not come.

        ``in_parts``, as for files, the time of an exchange begins anew whenever LEAST_PROGRESS bytes have come.
        """
        came, since = 0, 0
        if self.length is not None and self.length > most:
            raise NoAnswerError(f"an answer of {self.length:,} bytes, where at most {most:,} may come", final=True)
        while block := self._some():
            came, since = came + len(block), since + len(block)
            if came > most:
                raise NoAnswerError(f"an answer that goes on, where at most {most:,} bytes may come", final=True)
            if in_parts and since >= LEAST_PROGRESS:
                self._watch.begin_anew()
                since = 0
            yield block
        if self.length is not None and came != self.length:
            raise NoAnswerError(f"a connection cut after {came} of {self.length} bytes")

    def _some(self) -> bytes:
        with self._watch.exchange():
            return self._response.read1(_CHUNK)


class _Watch:
    """Ends an exchange that takes too long, by shutting its connections down in whatever they are waiting for."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._lock = Lock()
        self._closed = Event()
        self._late = False  # stays true when a caller allows more time after connections were shut down
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> Self:
        Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        with self._lock:
            for each in self._sockets:
                each.close()

    def begin_anew(self) -> None:
        """Allow the whole time once more."""
        self._end = time.monotonic() + self._seconds

    @contextmanager
    def exchange(self) -> Iterator[None]:
        """A part of the exchange: whatever ends it becomes a NoAnswerError."""
        try:
            yield
            self._check()
        except HTTPError as error:
            raise _refused(error) from error
        except (OSError, HTTPException, ValueError) as error:
            self._check()
            cause = error.reason if isinstance(error, URLError) else error
            final = isinstance(error, ValueError | InvalidURL)  # not an address
            raise NoAnswerError(f"{type(cause).__name__}: {cause}", final=final) from error

    def connect(self, address: tuple[str, int], *_: object) -> socket.socket:
        """A connection to the first of a host's addresses that takes one.

        A name without an address is a wrong one, or the machine is offline: it is not asked for again. A name that had
        one before, as in the middle of a download, is.
        """
        try:
            places = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            reason = f"no address of {address[0]} ({error.strerror}); is the name right, and this machine online?"
            raise NoAnswerError(reason, final=address[0] not in _FOUND) from error
        _FOUND.add(address[0])
        failed: OSError = TimeoutError("no address in time")
        for *_family, place in places:
            left = self._end - time.monotonic()
            if left <= 0:
                break
            try:
                connection = socket.create_connection((str(place[0]), int(place[1])), left)
            except OSError as error:
                failed = error
                continue
            connection.settimeout(self._seconds)
            with self._lock:
                # A copy of the descriptor, since TLS takes the socket itself over.
                self._sockets.append(connection.dup())
            return connection
        raise failed

    def _check(self) -> None:
        # A socket's own time may run out before the thread of the watch, on a busy machine, comes to run.
        if self._late or time.monotonic() >= self._end:
            raise NoAnswerError(f"no whole answer within {self._seconds:g} s")

    def _run(self) -> None:
        while not self._closed.wait(max(0.0, self._end - time.monotonic())):
            if time.monotonic() >= self._end:
                self._late = True
                with self._lock, suppress(OSError):  # what is not connected any more has ended
                    for each in self._sockets:
                        each.shutdown(socket.SHUT_RDWR)
                return


class _Plain(HTTPConnection):
    def __init__(self, host: str, *, watch: _Watch, **options: Any) -> None:
        super().__init__(host, **options)
        self._create_connection = watch.connect


class _Secure(HTTPSConnection):
    def __init__(self, host: str, *, watch: _Watch, **options: Any) -> None:
        super().__init__(host, context=_trusted(), **options)
        self._create_connection = watch.connect


@lru_cache(maxsize=1)
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Http(urllib.request.AbstractHTTPHandler):
    """Opens http and https, each connection under a watch."""

    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self._watch = watch

    def http_open(self, request: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_Plain, request, watch=self._watch)  # type: ignore[arg-type]

    def https_open(self, request: urllib.request.Request) -> HTTPResponse:
        return self.do_open(_Secure, request, watch=self._watch)  # type: ignore[arg-type]

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_


def _send(request: urllib.request.Request, watch: _Watch) -> HTTPResponse:
    """The answer at the end of all redirects; what it raises is for ``_Watch.exchange``."""
    opener = urllib.request.OpenerDirector()  # of these handlers alone: no file:, no ftp:, no redirects of its own
    for handler in (
        urllib.request.ProxyHandler(),
        _Http(watch),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    for _ in range(_MOST_REDIRECTS):
        try:
            response: HTTPResponse = opener.open(request)
        except HTTPError as error:
            if error.code not in _REDIRECTS or "Location" not in error.headers:
                raise
            with error:
                request = _redirected(request, error.headers["Location"])
        else:
            return response
    raise NoAnswerError(f"more than {_MOST_REDIRECTS} redirects", final=True)


def _redirected(request: urllib.request.Request, location: str) -> urllib.request.Request:
    # Headers are read as Latin-1, whatever bytes they have; what a URL cannot hold of them is escaped.
    url = quote(urljoin(request.full_url, location), safe="!#$%&'()*+,/:;=?@[]~", encoding="iso-8859-1")
    before, after = urlsplit(request.full_url).scheme, urlsplit(url).scheme
    if after not in {before, "https"}:
        raise NoAnswerError(f"a redirect from {before} to {url[:_DETAIL]}", final=True)
    # Headers that are of one server alone, such as Host, are not among these.
    return urllib.request.Request(url, request.data, request.headers, method=request.get_method())  # noqa: S310


def _refused(error: HTTPError) -> NoAnswerError:
    """What a server said in its refusal, from the beginning of its body."""
    with error:
        detail = b""
        with suppress(OSError, HTTPException, ValueError):
            while len(detail) < _DETAIL and (block := error.read1(_DETAIL)):
                detail += block
    text = " ".join(f"HTTP status {error.code} {error.reason}: {detail.decode('utf-8', 'replace')}".split())
    passing = error.code >= 500 or error.code in _PASSING
    retry_after = str(error.headers.get("Retry-After") or "")
    return NoAnswerError(text[:_DETAIL].rstrip(": "), final=not passing, status=error.code, retry_after=retry_after)


def user_agent(contact: str) -> str:
    """Who asks, and how to reach them (https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy, 2026-11)."""
    return f"wikisem/{wikisem.__version__} ({contact}) Python-urllib/{python_version()}"


def user_at_host() -> str:
    """Who runs this, as far as the machine knows; "anonymous" where it does not."""
    try:
        contact = f"{getpass.getuser()}@{socket.gethostname()}"
    except (KeyError, OSError):  # a container may run under a number that belongs to no user
        return "anonymous"
    return contact if fits_header(contact) else "anonymous"


def fits_header(text: str) -> bool:
    """Whether a string can be part of an HTTP header."""
    return bool(text.strip()) and text.isascii() and text.isprintable()
