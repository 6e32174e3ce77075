"""How a command ends after a signal: soon, with one line and the signal's exit code, whatever it is doing.

Three things can prevent this. A library may ignore what its callbacks raise: the exception is raised again. The main
thread may be in a long step of a library: another thread ends the process. A library may hold the interpreter's lock
for ever, as gRPC does with a half-made server: no line of Python runs any more, and a separate process, the guard, ends
this one. The guard is this file, run as a program.
"""

import atexit
import faulthandler
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Seconds for a command to stop its work and tidy up. In these the main thread may be in a library that hears no signal.
_GRACE: Final = 5.0
_MORE: Final = 3.0  # seconds more, after which only the interpreter's lock can be what it waits for
_UNGUARDED: Final = 1.0  # seconds: a command that is over so soon needs no guard
_LOOK: Final = 0.1  # seconds between two looks whether the exception of a signal was lost
_SMALL_STACK: Final = 1 << 18  # bytes: where memory is short, a thread with the usual 8 MB cannot start
# What begins a message on a terminal: a bar may have been left in its line, and the cursor hidden.
_CLEAR_LINE: Final = "\r\x1b[2K\x1b[?25h"


class Interrupted(KeyboardInterrupt):
    """A signal told the command to end. Its argument is a string: Beam may add the step that it came in."""


class Interruption:
    """Which signal has told the command to end, if any has."""

    def __init__(self) -> None:
        """Begin without a signal, in the main thread, where the handlers of signals run."""
        self._number = 0  # of the first signal that came; 0 before
        self._lost = False  # whether Python ignored the exception that its handler raised, as in a ``__del__``
        # Once this is set, no further signal changes anything, and nothing ends the process by force.
        self.over = threading.Event()
        self._saying = threading.Lock()  # held while the line that the command was stopped is written
        self._said = False  # whether it is written: two threads may want to
        self._main = threading.get_ident()

    def __bool__(self) -> bool:
        return self._number != 0

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal in the main thread: raise Interrupted at the first, and again if a library ignored that."""
        del frame
        if self.over.is_set() or (self._number and not self._lost):
            return
        self._number, self._lost = self._number or number, False
        if _importing.is_set() and _leaving.is_set():  # an exception during an import may crash the process
            self._say(number, [])
            os._exit(128 + number)
        raise Interrupted(signal.Signals(self._number).name)

    def end(self, error: BaseException | None = None) -> int:
        """Say what ended the command, and return the exit code that a shell has for it."""
        self.over.set()
        number = self._number or signal.SIGINT
        end_soon(128 + number)
        self._say(number, getattr(error, "__notes__", []))
        return 128 + number

    def lose(self, ignored: Any) -> bool:
        """Whether what Python ignores, as ``sys.unraisablehook`` hears of it, is the exception of a signal."""
        self._lost = self._lost or isinstance(ignored.exc_value, Interrupted)
        return isinstance(ignored.exc_value, Interrupted)

    def force(self, source: int) -> None:
        """Wait in a thread for a signal, and end the process if that takes more than ``_GRACE`` seconds to end it.

        Handlers run in the main thread alone, between two steps of the interpreter: a long step of a library delays
        them. ``source`` is a pipe, to which each signal writes its number at once. Worker processes end with this one.
        """
        with open(source, "rb", buffering=0):
            numbers = _numbers(source)
            number = next((number for number in numbers if number in _SIGNALS), 0)
            end = time.monotonic() + _GRACE
            while number and not self.over.wait(_LOOK):
                if time.monotonic() > end:
                    self._say(number, [])
                    os._exit(128 + number)
                if self._lost:  # Python ignored the exception, and the main thread goes on: send the signal once more
                    signal.pthread_kill(self._main, number)
            for _ in numbers:  # read on, so that further signals find the pipe open
                pass

    def _say(self, number: int, notes: list[str]) -> None:
        """Write once what ended the command, on a line of its own, even if a signal came in the middle of a write."""
        with self._saying:  # whatever thread is first; the process must not end while it writes
            if self._said:
                return
            self._said = True
            # A bar of rich replaces the stream while it is shown, and escapes what commands the terminal.
            stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
            with suppress(OSError, ValueError):  # the terminal is gone, or the stream is closed
                line = f"{_CLEAR_LINE if stream.isatty() else ''}{_line(number, notes)}\n"
                try:
                    stream.write(line)
                    stream.flush()
                except RuntimeError:  # the signal came in the middle of a write to it
                    os.write(2, line.encode())


def _line(number: int, notes: list[str]) -> str:
    return "; ".join([f"wikisem: stopped by {signal.Signals(number).name}", "what was finished is kept", *notes])


@contextmanager
def listening(interruption: Interruption) -> Iterator[None]:
    """While inside, SIGINT, SIGTERM and SIGHUP interrupt the main thread; in other threads nothing changes.

    SIGINT is listened to even where it was ignored, as a shell does for commands that it starts with ``&``. SIGHUP is
    not: that is what ``nohup`` is for. At the end, all is as it was before, or signals are ignored if the process ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Python's own C handler writes the number of each signal to this pipe, even if no line of Python can run.
    source, wake_up = os.pipe()
    os.set_blocking(wake_up, False)
    heard = [number for number in _SIGNALS if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
    earlier = {number: signal.getsignal(number) for number in heard}
    earlier_wake_up, earlier_hook = signal.set_wakeup_fd(wake_up, warn_on_full_buffer=False), sys.unraisablehook
    try:
        try:
            try:
                threading.Thread(target=interruption.force, args=(source,), daemon=True).start()
            except RuntimeError:  # no memory for a thread: the handlers alone have to do
                os.close(source)
            # Called with exceptions that Python ignores, as in a ``__del__``: ours is noted, to be raised again.
            sys.unraisablehook = lambda ignored: None if interruption.lose(ignored) else earlier_hook(ignored)
            for number in heard:
                signal.signal(number, interruption.handle)
            yield
        finally:
            interruption.over.set()  # from here on signals change nothing
    finally:  # a signal may raise just before the line above: then it is set here
        interruption.over.set()
        for number, handler in earlier.items():
            if _leaving.is_set() or handler is not None:
                signal.signal(number, signal.SIG_IGN if _leaving.is_set() else handler)
        signal.set_wakeup_fd(earlier_wake_up)
        sys.unraisablehook = earlier_hook
        os.close(wake_up)


# Whether the process ends when the command does, and whether the command's modules are being imported.
_leaving: Final = threading.Event()
_importing: Final = threading.Event()


@contextmanager
def importing() -> Iterator[None]:
    """While inside, a signal ends the program at once: an exception while numpy is imported may crash the process."""
    _importing.set()
    try:
        yield
    finally:
        _importing.clear()


@contextmanager
def leaving() -> Iterator[None]:
    """End the process with the code of the SystemExit that leaves the context, even if threads of libraries still run.

    Before the command begins, Ctrl-C ends the process as it does any other program. After it, SIGINT and SIGTERM are
    ignored: they would only change the exit code.
    """
    code = 1
    _leaving.set()
    end_at_once_by_ctrl_c()
    # Registered first, so run last at the exit: objects are not removed one by one, which takes long after a pipeline.
    atexit.register(lambda: _end(code))
    try:
        yield
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
        raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        end_soon(code)


def _end(code: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def end_at_once_by_ctrl_c() -> None:
    """Let Ctrl-C end the process by the signal, as it does other programs, rather than by a KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def end_soon(code: int) -> None:
    """Make sure that a process that is about to end is gone in seconds, with this exit code, even if a library waits.

    A timer's thread ends it with the code. If a library holds the interpreter's lock for ever, no thread can run: then
    ``faulthandler``, which needs no lock, ends it some seconds later, but always with code 1.
    """
    if not _leaving.is_set():
        return
    threading.stack_size(_SMALL_STACK)
    forced = threading.Timer(_GRACE, os._exit, [code])
    forced.daemon = True  # a process that ends by itself does not wait for it
    with suppress(RuntimeError):
        forced.start()
    seconds = _GRACE + _MORE
    try:
        nothing = Path(os.devnull).open("w", encoding="ascii")  # noqa: SIM115 - until the process ends
        faulthandler.dump_traceback_later(seconds, exit=True, file=nothing)
    except (RuntimeError, OSError):  # not even a small thread: the system's own timer needs nothing
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _numbers(source: int) -> Iterator[int]:
    """Yield the numbers of signals from a pipe until it is closed.

    After a second without a signal, a process that runs ``guard`` reads the pipe first, and hands the numbers on.
    """
    with ExitStack() as stack:
        pipes = [source]  # to be read one after the other, each until it is closed
        if not select.select([source], [], [], _UNGUARDED)[0]:
            import subprocess  # noqa: PLC0415 - commands that are over soon do without

            command = [sys.executable, "-I", "-S", __file__, str(os.getpid()), str(_GRACE + _MORE)]
            with suppress(OSError):
                process = subprocess.Popen(  # noqa: S603 - this Python, no shell
                    command, stdin=source, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
                )
                stack.enter_context(process)
                assert process.stdout is not None
                pipes.insert(0, process.stdout.fileno())
        for pipe in pipes:
            while block := os.read(pipe, 1):
                yield block[0]


def guard(process: int, seconds: float) -> None:
    """Kill the parent ``process`` if it is still there ``seconds`` after a signal to it; this runs in a child of it.

    The C handler of a signal in the parent writes its number to a pipe (``signal.set_wakeup_fd``), even if a library
    holds the interpreter's lock. That pipe is stdin here; numbers are handed on to the parent through stdout. Without a
    signal this ends when stdin does, with the parent.
    """
    os.set_blocking(1, False)  # a parent that hangs reads nothing, and must not make the guard wait
    number, end = 0, float("inf")
    # Before a signal this waits without limit; after one until ``end``, when ``select`` finds nothing: the loop ends.
    while select.select([0], [], [], max(0.0, end - time.monotonic()) if number else None)[0]:
        if not (block := os.read(0, 1)):
            return
        with suppress(OSError):
            os.write(1, block)
        if not number and block[0] in _SIGNALS:
            number, end = block[0], time.monotonic() + seconds
    if os.getppid() == process:  # else the parent has ended, and its id may be another process's by now
        with suppress(OSError):
            os.write(2, f"{_line(number, [])}\n".encode())
        os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    guard(int(sys.argv[1]), float(sys.argv[2]))
