"""One server over HTTP: what it answers, asked again with patience; NoAnswerError where an answer is not whole."""

import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from threading import Event
from typing import Final, TypeVar

import wikisem
from wikisem.errors import DownloadError
from wikisem.queries.patience import NoAnswerError, Patience, is_passing, utc_now

T = TypeVar("T")

# Lists of files and checksums are far smaller; a page of another kind is not read to its end.
_LONGEST_TEXT: Final = 64 << 20
_CHUNK: Final = 1 << 20


class StoppedError(Exception):
    """Another file failed, or a person stopped the run: what has arrived is kept."""


@dataclass(frozen=True)
class Web:
    """A mirror, and how it is asked. ``stop`` ends every pause; ``tell`` hears of one before it begins.

    ``patience`` and ``now`` come from outside, so that tests take no time.
    """

    mirror: str
    contact: str
    timeout: float = 60.0
    patience: Patience = field(default_factory=Patience)
    tell: Callable[[float], object] = lambda _: None
    stop: Event = field(default_factory=Event)
    now: Callable[[], datetime] = utc_now

    def url(self, path: str) -> str:
        """The address of a path below the mirror."""
        return f"{self.mirror.rstrip('/')}/{path}"

    def text(self, path: str) -> str | None:
        """The whole text at a path, None if there is nothing; DownloadError when no whole answer comes."""
        return self.persist(self.url(path), lambda: self._text(path))

    def size(self, url: str) -> int | None:
        """The bytes that a file has, from its headers alone; None where the server does not say."""

        def ask() -> int | None:
            with self.open(url, method="HEAD") as answer:
                return content_length(answer)

        return self.persist(url, ask)

    def persist(self, url: str, ask: Callable[[], T]) -> T:
        """What ``ask`` returns, asked again after a pause while that is worth it; DownloadError after that."""
        attempt = 1
        while True:
            try:
                return ask()
            except NoAnswerError as error:
                self.pause(url, attempt, error)
            attempt += 1

    def pause(self, url: str, attempt: int, error: NoAnswerError) -> None:
        """Wait before the next attempt; DownloadError when it is not worth it."""
        pause = None if error.final else self.patience.pause(attempt, error.retry_after, self.now())
        if pause is None:
            asked = f", which asked to wait: {error.retry_after}" if error.retry_after else ""
            raise DownloadError(
                f"{url}: expected a whole answer, saw none in {attempt} attempt{'s' * (attempt > 1)}; "
                f"the last gave {error}{asked}"
            ) from error
        self.tell(pause)
        if self.stop.wait(pause):
            raise StoppedError from error

    def open(self, url: str, headers: Mapping[str, str] | None = None, method: str = "GET") -> HTTPResponse:
        """An answer whose body is still to be read; NoAnswerError for a refusal or where there is no connection."""
        about = {"User-Agent": user_agent(self.contact), "Accept-Encoding": "identity", **(headers or {})}
        request = urllib.request.Request(url, headers=about, method=method)  # noqa: S310 - the mirror is http(s)
        try:
            answer: HTTPResponse = urllib.request.urlopen(request, timeout=self.timeout)  # noqa: S310
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(error) from error
        except (OSError, HTTPException) as error:
            raise NoAnswerError(f"{type(error).__name__}: {error}") from error
        return answer

    def _text(self, path: str) -> str | None:
        try:
            with self.open(self.url(path)) as answer:
                promised, body = content_length(answer), b""
                while len(body) < _LONGEST_TEXT and (block := read_some(answer)):
                    body += block
        except NoAnswerError as error:
            if error.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
                return None
            raise
        if promised is not None and len(body) != promised:
            raise NoAnswerError(f"{len(body)} of {promised} bytes")
        return body.decode("utf-8", "replace")


def read_some(answer: HTTPResponse) -> bytes:
    """What has come of a body, none at its end; NoAnswerError where the connection breaks."""
    try:
        return answer.read1(_CHUNK)
    except (OSError, HTTPException) as error:
        raise NoAnswerError(f"{type(error).__name__}: {error}") from error


def content_length(answer: HTTPResponse) -> int | None:
    """The bytes that the headers promise."""
    promised = answer.headers.get("Content-Length", "")
    return int(promised) if promised.isascii() and promised.isdigit() else None


def user_agent(contact: str) -> str:
    """Who asks, and how to reach them (https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy, 2026-11)."""
    return f"wikisem/{wikisem.__version__} ({contact}) Python-urllib"


def _refused(error: urllib.error.HTTPError) -> NoAnswerError:
    reason = f"HTTP status {error.code} {error.reason}".rstrip()
    retry_after = error.headers.get("Retry-After") or ""
    return NoAnswerError(reason, final=not is_passing(error.code), status=error.code, retry_after=retry_after)
