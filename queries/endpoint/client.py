"""A patient client of a SPARQL endpoint: asks, waits, asks again, keeps what it got, and says so when it gives up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from wikisem.errors import EndpointError
from wikisem.queries.endpoint.cache import AnswerCache
from wikisem.queries.endpoint.transport import Ask
from wikisem.queries.patience import NoAnswerError, Patience, utc_now
from wikisem.queries.sparql.answer import AnswerRow, parse_answer

Check: TypeAlias = Callable[[list[AnswerRow]], None]


@dataclass(frozen=True)
class Client:
    """Queries to one endpoint, one at a time; ``ask`` sends one. Time comes from outside, so that tests take none."""

    endpoint: str
    ask: Ask
    cache: AnswerCache | None = None
    patience: Patience = field(default_factory=Patience)
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], datetime] = utc_now

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
