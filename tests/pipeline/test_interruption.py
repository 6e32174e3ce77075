"""Signals: what a command does when one comes, in the main thread, in a library, or where it is not listened to."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.waiting import PATIENCE
from wikisem.errors import StageError
from wikisem.pipeline import cli
from wikisem.pipeline.console.interruption import listening

ROOT = Path(__file__).parent.parent.parent


def _send(number: int) -> int:
    os.kill(os.getpid(), number)
    return 0


def _command(monkeypatch: pytest.MonkeyPatch, work: Callable[[], int]) -> None:
    """Let every command do this work."""
    monkeypatch.setattr(cli, "_run", lambda _: work())


@pytest.fixture(autouse=True)
def listening_to_hangups() -> Iterator[None]:
    """As if the tests were not run by nohup, which has SIGHUP ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_ends_a_command_in_one_line(
    name: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is that of the signal; handlers are as before then."""
    number = getattr(signal, name)
    before = signal.getsignal(number)
    _command(monkeypatch, lambda: _send(number))
    assert cli.main(["build"]) == code
    assert capsys.readouterr().err == f"wikisem: stopped by {name}; what was finished is kept\n"
    assert signal.getsignal(number) == before


def test_what_a_signal_becomes_on_its_way_is_not_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stage that fails because a signal came says nothing: the signal is the cause. A second one changes nothing."""

    def work() -> int:
        try:
            return _send(signal.SIGTERM)
        except KeyboardInterrupt as error:
            _send(signal.SIGINT)
            raise StageError("mentions: expected the pipeline to finish, saw KeyboardInterrupt") from error

    _command(monkeypatch, work)
    assert cli.main(["build"]) == 143
    assert capsys.readouterr().err == "wikisem: stopped by SIGTERM; what was finished is kept\n"


def test_a_failure_without_a_signal_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Listening to signals takes nothing from other errors."""

    def work() -> int:
        raise StageError("mentions: expected the pipeline to finish, saw ValueError")

    _command(monkeypatch, work)
    assert cli.main(["build"]) == 1
    assert capsys.readouterr().err == "wikisem: mentions: expected the pipeline to finish, saw ValueError\n"


def test_a_job_that_goes_on_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What could not be cancelled is in the same line."""

    def work() -> int:
        try:
            return _send(signal.SIGINT)
        except KeyboardInterrupt as error:
            error.add_note("the job may go on")
            raise

    _command(monkeypatch, work)
    assert cli.main(["build"]) == 130
    assert capsys.readouterr().err == "wikisem: stopped by SIGINT; what was finished is kept; the job may go on\n"


def test_other_threads_listen_to_nothing() -> None:
    """Handlers belong to the main thread; a command that is run in another one leaves them alone."""
    handlers: list[object] = []

    def listen() -> None:
        with listening():
            handlers.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert handlers == [before]


def _program(text: str, *signals: str) -> subprocess.CompletedProcess[str]:
    """Run a program that says "ready" when it wants signals, which a shell of the tests sends one after the other."""
    process = subprocess.Popen(
        [sys.executable, "-c", text], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    for name in signals:
        process.send_signal(getattr(signal, name))
    said, errors = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess([], process.returncode, said, errors)


def test_a_library_that_hears_no_signal_is_not_waited_for() -> None:
    """A handler runs between two steps of the interpreter; a long step of C is cut off a few seconds later."""
    done = _program(
        """
import time
from wikisem.pipeline import cli
from wikisem.pipeline.console import interruption
interruption._GRACE = 0.2
def work(words):
    print("ready", flush=True)
    time.sleep(1000)
cli._run = work
class Deaf(interruption.Interruption):
    def hear(self, number, frame):
        pass
interruption.Interruption = Deaf
cli.command()
""",
        "SIGTERM",
    )
    assert done.returncode == 143
    assert done.stderr == "wikisem: stopped by SIGTERM; what was finished is kept\n"


def test_sigint_is_heard_though_it_is_ignored_at_the_start_and_sighup_is_not() -> None:
    """A shell that runs no terminal starts ``command &`` with SIGINT ignored; ``nohup`` ignores SIGHUP."""
    done = _program(
        """
import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from wikisem.pipeline import cli
def work(words):
    print("ready", flush=True)
    time.sleep(1000)
cli._run = work
cli.command()
""",
        "SIGHUP",
        "SIGINT",
    )
    assert done.returncode == 130
    assert done.stderr == "wikisem: stopped by SIGINT; what was finished is kept\n"


def test_a_thread_that_is_left_does_not_keep_the_process() -> None:
    """A library's thread that waits for ever is cut off, and the exit code is that of the command."""
    done = _program(
        """
import threading
from wikisem.pipeline import cli
from wikisem.pipeline.console import interruption
interruption._GRACE = 0.2
def work(words):
    threading.Thread(target=threading.Event().wait).start()
    print("ready", flush=True)
    return 2
cli._run = work
cli.command()
"""
    )
    assert done.returncode == 2
    assert done.stderr == ""


def test_a_signal_that_comes_when_all_is_done_changes_nothing() -> None:
    """The exit code is that of the work, which is finished."""
    done = _program(
        """
import atexit, time
from wikisem.pipeline import cli
def late():
    print("ready", flush=True)
    time.sleep(1)
atexit.register(late)
cli._run = lambda words: 0
cli.command()
""",
        "SIGTERM",
        "SIGINT",
    )
    assert done.returncode == 0
    assert done.stderr == ""
