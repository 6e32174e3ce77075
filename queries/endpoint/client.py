"""A patient client of a SPARQL endpoint: asks, waits, asks again, keeps what it got, and says so when it gives up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, TypeAlias

from wikisem.errors import EndpointError
from wikisem.queries.endpoint.cache import AnswerCache
from wikisem.queries.endpoint.transport import Ask, NoAnswerError
from wikisem.queries.sparql.answer import AnswerRow, parse_answer

Check: TypeAlias = Callable[[list[AnswerRow]], None]

# The query service allows 60 s of work a minute for a client and answers 429 beyond that
# (https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual#Query_limits, 2026-11), so a minute is enough.
_LONGEST: Final = 60.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a query is asked, the first pause in seconds (each next one doubles), and the longest that is waited.

    A pause that the server asks for is kept to, unless it is longer than ``longest_asked``.

    >>> [Patience(attempts=4, longest=3.0).pause(attempt, "", datetime.now(UTC)) for attempt in (1, 2, 3, 4)]
    [1.0, 2.0, 3.0, None]
    """

    attempts: int = 6
    first: float = 1.0
    longest: float = _LONGEST
    longest_asked: float = 600.0

    def pause(self, attempt: int, retry_after: str, now: datetime) -> float | None:
        """Seconds to wait after a failed attempt (1, 2, ...); None when it is not worth waiting any more."""
        if attempt >= self.attempts:
            return None
        asked = seconds_asked(retry_after, now)
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
    except ValueError:
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max((aware - now).total_seconds(), 0.0)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Client:
    """Queries to one endpoint, one at a time; ``ask`` sends one. Time comes from outside, so that tests take none."""

    endpoint: str
    ask: Ask
    cache: AnswerCache | None = None
    patience: Patience = field(default_factory=Patience)
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], datetime] = _utc_now

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
        body, rows = self._persist(query, about, check)
        if self.cache:
            self.cache.put(self.endpoint, query, body)
        return rows

    def _persist(self, query: str, about: str, check: Check) -> tuple[bytes, list[AnswerRow]]:
        attempt = 1
        while True:
            try:
                body = self.ask(query)
                return body, _whole(body, check)
            except NoAnswerError as error:
                pause = None if error.final else self.patience.pause(attempt, error.retry_after, self.now())
                if pause is None:
                    raise self._give_up(error, attempt, about) from error
            self.sleep(pause)
            attempt += 1

    def _give_up(self, error: NoAnswerError, attempts: int, about: str) -> EndpointError:
        wait = f", which asked to wait: {error.retry_after}" if error.retry_after else ""
        return EndpointError(
            f"{self.endpoint}: expected a whole answer about {about}, saw none in {attempts} "
            f"attempt{'s' * (attempts > 1)}; the last gave {error}{wait}"
        )


def _whole(body: bytes, check: Check) -> list[AnswerRow]:
    rows = parse_answer(body)
    check(rows)
    return rows
