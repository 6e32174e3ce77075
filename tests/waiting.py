"""Waiting for what another thread or process does."""

import time
from collections.abc import Callable

# A busy machine is no failure: only what never happens is waited for as long.
PATIENCE = 300.0


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Look again and again until a condition holds; AssertionError where it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"expected it to happen within {seconds:.0f} s"
        time.sleep(0.01)
