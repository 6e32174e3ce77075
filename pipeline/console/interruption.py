"""How a command ends when a signal tells it to: one line, the signal's exit code, and soon, whatever it is doing."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds for a command to stop its work and tidy up. In these the main thread may be in a library that hears no signal.
_GRACE: Final = 5.0


class Interrupted(KeyboardInterrupt):
    """A signal told the command to end. Its argument is a string: Beam may add the step that it came in."""


class Interruption:
    """Which signal has told the command to end, if any has."""

    def __init__(self) -> None:
        self._number = 0
        self._over = threading.Event()
        self._saying = threading.Lock()

    def __bool__(self) -> bool:
        return self._number != 0

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Raise Interrupted at the first signal; the others change nothing. A handler for ``signal.signal``."""
        del frame
        if not self._number:
            self._number = number
            raise Interrupted(signal.Signals(number).name)

    def end(self, error: BaseException) -> int:
        """Say what ended the command, and return the exit code that a shell has for it."""
        self._over.set()
        self._say(self._number or signal.SIGINT, getattr(error, "__notes__", []))
        return 128 + (self._number or signal.SIGINT)

    def _say(self, number: int, notes: list[str]) -> None:
        if self._saying.acquire(blocking=False):
            cause = f"stopped by {signal.Signals(number).name}"
            line = "; ".join([f"wikisem: {cause}", "what was finished is kept", *notes])
            with suppress(OSError):  # the terminal may be what is gone
                print(line, file=sys.stderr, flush=True)  # noqa: T201 - the command line speaks to people

    def force(self, numbers: int) -> None:
        """End the process if a signal does not end it soon; ``numbers`` is the pipe that their numbers come from.

        Handlers run in the main thread alone, between two steps of the interpreter. Here a long step of a library, or
        an exception that was lost on its way, is not waited for. Worker processes end with this one.
        """
        with open(numbers, "rb", buffering=0) as source:
            number = next((byte[0] for byte in iter(lambda: source.read(1), b"") if byte[0] in _SIGNALS), 0)
        if number and not self._over.wait(_GRACE):
            self._say(number, [])
            os._exit(128 + number)

    def finish(self) -> None:
        """Let nothing end the process by force any more."""
        self._over.set()


@contextmanager
def listening() -> Iterator[Interruption]:
    """While inside, SIGINT, SIGTERM and SIGHUP interrupt the main thread; in other threads nothing changes.

    SIGINT is listened to even where it was ignored, as a shell does for commands that it starts with ``&``. SIGHUP is
    not: that is what ``nohup`` is for.
    """
    interruption = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    numbers, wake_up = os.pipe()
    os.set_blocking(wake_up, False)
    heard = [number for number in _SIGNALS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
    threading.Thread(target=interruption.force, args=(numbers,), daemon=True).start()
    earlier = {number: signal.signal(number, interruption.hear) for number in heard}
    earlier_wake_up = signal.set_wakeup_fd(wake_up, warn_on_full_buffer=False)
    try:
        yield interruption
    finally:
        interruption.finish()
        signal.set_wakeup_fd(earlier_wake_up)
        os.close(wake_up)
        for number, handler in earlier.items():
            signal.signal(number, handler)


@contextmanager
def leaving() -> Iterator[None]:
    """After it, let the process end with the exit code of the SystemExit that left it, whatever threads are left.

    ``listening`` puts back what was before it: so a signal that comes when all is done changes nothing any more.
    """
    code = 1
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    try:
        yield
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
        raise
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        forced = threading.Timer(_GRACE, os._exit, [code])
        forced.daemon = True  # a process that ends by itself does not wait for it
        forced.start()
