"""How long to wait for a server, and why an answer did not come."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

# The query service allows 60 s of work a minute for a client and answers 429 beyond that
# (https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual#Query_limits, 2026-11), so a minute is enough.
_LONGEST: Final = 60.0

# 429 asks for patience, 408 and 5xx are the server's own trouble; any other refusal would be the same the next time.
_PASSING: Final = frozenset({408, 429})


class NoAnswerError(Exception):
    """A request that got no whole answer; worth another try unless ``final``.

    ``status`` is that of HTTP where the server refused, else 0, and ``retry_after`` its header of that name.
    """

    def __init__(self, reason: str, *, final: bool = False, status: int = 0, retry_after: str = "") -> None:
        super().__init__(reason)
        self.final = final
        self.status = status
        self.retry_after = retry_after


def is_passing(status: int) -> bool:
    """Whether a server that refused with this status may answer the same request later."""
    return status >= 500 or status in _PASSING


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is made, the first pause in seconds (each next one doubles), and the longest that is waited.

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


def utc_now() -> datetime:
    """The time, for headers that name a date."""
    return datetime.now(UTC)
