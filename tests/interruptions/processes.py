"""A run of ``wikisem`` in a process of its own, its workers, and all that it left."""

import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from tests.processes import marked, parents
from tests.waiting import PATIENCE, wait_until

ROOT = Path(__file__).parent.parent.parent
_MARK = "WIKISEM_INTERRUPTION"
_ENDING = 30.0  # seconds; they take milliseconds, except on a machine that is very busy
# Prepares itself, then becomes the command. Code between fork and exec (preexec_fn) would do without it, but it runs
# among locks that threads of the tests' process hold, such as those of servers, and may end there.
_LAUNCHER = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which is ignored where nohup runs the tests
for number in filter(None, sys.argv[1].split(",")):
    signal.signal(int(number), signal.SIG_IGN)
if os.isatty(0):
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "wikisem", *sys.argv[2:]])
"""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Process:
    """A command that runs; with a ``terminal`` it is the foreground of one, which it writes its progress to.

    ``ignoring`` are signals that it ignores when it starts, as a shell lets commands ignore SIGINT that it starts with
    ``&``.
    """

    def __init__(self, words: Sequence[str], *, terminal: bool = False, ignoring: Sequence[int] = ()) -> None:
        self._mark = uuid4().hex
        self._terminal, other = pty.openpty() if terminal else os.pipe()

        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCHER, ",".join(str(int(number)) for number in ignoring), *words],
            cwd=ROOT,
            env={**os.environ, _MARK: self._mark},
            start_new_session=terminal,
            stdin=other if terminal else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=other,
        )
        os.close(other)
        self._text = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                block = os.read(self._terminal, 1 << 16)
            except OSError:  # what a terminal says when its last process is gone
                return
            if not block:
                return
            self._text += block

    @property
    def pid(self) -> int:
        """The process of the command."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the command has not ended yet."""
        return self._process.poll() is None

    def press_ctrl_c(self) -> None:
        """Type Ctrl-C: the terminal sends SIGINT to every process of the foreground."""
        os.write(self._terminal, b"\x03")

    def wait(self, seconds: float) -> int | None:
        """The exit code (negative: the signal that ended it), or None if it goes on for so long."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """Kill the command, which hangs."""
        self._process.kill()

    def workers(self) -> list[int]:
        """Its worker processes: the children of its children."""
        parent_of = parents()
        return sorted(pid for pid, parent in parent_of.items() if parent_of.get(parent) == self.pid)

    def family(self) -> list[int]:
        """All processes that it started, and it, as far as they live."""
        return marked(f"{_MARK}={self._mark}")

    def end(self) -> list[int]:
        """The processes that are left half a minute after its end; they are killed then."""
        with suppress(AssertionError):
            wait_until(lambda: not self.family(), _ENDING)
        for pid in (left := self.family()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(PATIENCE)
        os.close(self._terminal)
        return left

    def lines(self) -> list[str]:
        """What it has written to stderr, without colours and what a bar overwrites, and a terminal's echo of Ctrl-C."""
        text = _ESCAPES.sub("", self._text.decode(errors="replace").replace("^C", ""))  # the echo may come inside one
        return [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]
