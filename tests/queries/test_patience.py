"""How long the client waits between attempts: doubled, bounded, and as long as the server asks for."""

import doctest
from datetime import UTC, datetime

import pytest

from wikisem.queries import patience as patience_module
from wikisem.queries.patience import Patience, seconds_asked

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def test_pauses_double_up_to_a_bound() -> None:
    """1, 2, 4, ... seconds, never more than a minute; none after the last attempt."""
    patience = Patience(attempts=9)
    pauses = [patience.pause(attempt, "", NOW) for attempt in range(1, 10)]
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, None]


def test_the_servers_wish_goes_first() -> None:
    """What Retry-After says is waited, be it more or less than our own pause, unless it is beyond all patience."""
    patience = Patience(longest_asked=100.0)
    assert patience.pause(5, "3", NOW) == 3.0
    assert patience.pause(1, "100", NOW) == 100.0
    assert patience.pause(1, "101", NOW) is None
    assert patience.pause(6, "3", NOW) is None


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
    ],
)
def test_headers_are_seconds_or_dates(header: str, seconds: float | None) -> None:
    """Seconds, a date in any form that HTTP allows, or nothing that can be kept to."""
    assert seconds_asked(header, NOW) == seconds


def test_the_worked_example_holds() -> None:
    """What the docstring shows is how long is waited."""
    result = doctest.testmod(patience_module)
    assert (result.failed, result.attempted) == (0, 1)
