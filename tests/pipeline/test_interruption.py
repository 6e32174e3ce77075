"""Signals: what a command does when one comes, in the main thread, in a library, or where it is not listened to."""

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import pytest
from rich.progress import Progress

from tests.waiting import PATIENCE, wait_until
from wikisem.errors import StageError
from wikisem.pipeline import cli
from wikisem.pipeline.console.interruption import Interruption, listening
from wikisem.pipeline.console.terminal import error_console

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


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        """Whether it is one."""
        return True


@pytest.mark.parametrize("shown", [False, True])
def test_on_a_terminal_the_message_has_a_line_of_its_own(shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar may be left in the line that the cursor is in, or may still be shown there: it is cleared."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(error_console, "_force_terminal", True)
    with Progress(console=error_console, auto_refresh=False) if shown else nullcontext():
        assert (sys.stderr is not terminal) == shown  # rich replaces the stream while it shows a bar
        terminal.write("mentions ━━━")
        before = terminal.getvalue()
        assert Interruption().end() == 130
        after = terminal.getvalue().removeprefix(before)
    assert after == "\r\x1b[2K\x1b[?25hwikisem: stopped by SIGINT; what was finished is kept\n"


def test_the_message_is_written_before_the_process_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread may be about to say it, when the main thread is done: that one waits, and nothing is said twice."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(io.StringIO):
        def write(self, text: str) -> int:
            begun.set()
            assert go_on.wait(PATIENCE)
            return super().write(text)

    said, interruption = Slow(), Interruption()
    monkeypatch.setattr(sys, "stderr", said)
    first = threading.Thread(target=interruption._say, args=(signal.SIGTERM, []))
    second = threading.Thread(target=interruption.end)
    try:
        first.start()
        assert begun.wait(PATIENCE)
        second.start()
        second.join(0.2)
        assert second.is_alive()
    finally:
        go_on.set()
    first.join()
    second.join()
    assert said.getvalue() == "wikisem: stopped by SIGTERM; what was finished is kept\n"


def test_other_threads_listen_to_nothing() -> None:
    """Handlers belong to the main thread; a command that is run in another one leaves them alone."""
    handlers: list[object] = []

    def listen() -> None:
        with listening(Interruption()):
            handlers.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert handlers == [before]


def _at_import(module: str, *lines: str) -> str:
    """A part of a program: some lines are run where a module is looked for."""
    body = "".join(f"            {line}\n" for line in lines)
    return f"""
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
{body}sys.meta_path.insert(0, Finder())
"""


# A command whose module is looked for last, when the program is ready.
RECIPES: Final = "wikisem.pipeline.commands.recipes"
RUN_RECIPES: Final = """
from wikisem.pipeline import cli
sys.argv = ["wikisem", "recipes"]
print("ready", flush=True)
cli.command()
"""


def _program(text: str, *signals: str) -> subprocess.CompletedProcess[str]:
    """Run a program that says "ready" when it wants signals, which a shell of the tests sends one after the other."""
    process = subprocess.Popen(
        [sys.executable, "-c", text], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        for name in signals:
            wait_until(lambda: not _is_pending(process.pid))
            process.send_signal(getattr(signal, name))
        said, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()  # one that hangs hears nothing else
    return subprocess.CompletedProcess([], process.returncode, said, errors)


def _is_pending(pid: int) -> bool:
    """Whether a signal was not delivered yet (Linux): of two, that with the lower number would come first."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    return any(int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd:", "ShdPnd:")))


# Work that begins when the guard has.
_GUARDED = """
import subprocess
class Guard(subprocess.Popen):
    begun = []
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        self.begun.append(self.pid)
subprocess.Popen = Guard
"""

# A lock that is taken twice, with the interpreter's held: no line of Python runs any more, and no signal ends it.
_DEADLOCK = """
import ctypes, subprocess, time
from wikisem.pipeline import cli
from wikisem.pipeline.console import interruption
def hold():
    lock = ctypes.create_string_buffer(256)
    for _ in range(2):
        ctypes.PyDLL(None).pthread_mutex_lock(lock)
interruption._GRACE = interruption._MORE = 0.2
interruption._UNGUARDED = 0.0
"""


@pytest.mark.parametrize("guarded", [False, True])
def test_a_library_that_hears_no_signal_is_not_waited_for(guarded: bool) -> None:
    """A handler runs between two steps of the interpreter; a long step of C is cut off a few seconds later."""
    done = _program(
        f"""
import time
from wikisem.pipeline import cli
from wikisem.pipeline.console import interruption
interruption._GRACE = 0.2
interruption._UNGUARDED = {0.0 if guarded else 1000.0}
{_GUARDED if guarded else ""}
def work(words):
    while {guarded} and not Guard.begun:
        time.sleep(0.01)
    print("ready", flush=True)
    time.sleep(1000)
cli._run = work
class Deaf(interruption.Interruption):
    def handle(self, number, frame):
        pass
cli.Interruption = Deaf
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
cli._run = lambda words: bool(atexit.register(late)) - 1
cli.command()
""",
        "SIGTERM",
        "SIGINT",
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_a_process_that_no_line_of_python_runs_in_ends_by_a_signal() -> None:
    """A library may wait for ever with the interpreter's lock held: the guard ends the process, and says why."""
    done = _program(
        f"""
{_DEADLOCK}
{_GUARDED}
class Deaf(interruption.Interruption):
    def handle(self, number, frame):
        pass
cli.Interruption = Deaf
interruption._GRACE, interruption._MORE = 1000.0, -999.9
def work(words):
    while not Guard.begun:
        time.sleep(0.01)
    print("ready", flush=True)
    hold()
cli._run = work
cli.command()
""",
        "SIGTERM",
        "SIGINT",
    )
    assert done.returncode == -signal.SIGKILL
    assert done.stderr == "wikisem: stopped by SIGTERM; what was finished is kept\n"


# Objects that take for ever to be removed: one holds the interpreter's lock meanwhile, the other lets others run.
_LASTING = f"""
{_DEADLOCK}
import os, signal
class Deadlock:
    __del__ = lambda self: hold()
class Sleep:
    __del__ = lambda self: time.sleep(1000)
"""


@pytest.mark.parametrize("kept", ["interruption.last = Deadlock()", "lasting = Sleep()"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_exit_code_is_that_of_the_signal_however_long_objects_take_to_be_removed(kept: str, number: int) -> None:
    """At the exit none is removed, and what an error holds is not waited for."""
    done = _program(
        f"""
{_LASTING}
def work(words):
    {kept}
    print("ready", flush=True)
    os.kill(os.getpid(), {int(number)})
cli._run = work
cli.command()
"""
    )
    assert done.returncode == 128 + number
    assert done.stderr == f"wikisem: stopped by {signal.Signals(number).name}; what was finished is kept\n"


@pytest.mark.parametrize("code", [0, 2])
def test_a_command_ends_with_its_code_and_output_though_a_module_keeps_what_lasts(code: int) -> None:
    """What others have registered for the exit is done, and what is in the buffers is written."""
    done = _program(
        f"""
{_LASTING}
import atexit
def work(words):
    interruption.last = Deadlock()
    atexit.register(print, "ready")
    return {code}
cli._run = work
cli.command()
"""
    )
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize("how", ["raise StageError('mentions: too much')", "raise OSError('too much')"])
def test_a_command_that_failed_ends_whatever_the_removal_of_objects_does(how: str) -> None:
    """gRPC waits there for servers that were half made when memory ran out, deaf to every signal but SIGKILL."""
    done = _program(
        f"""
{_DEADLOCK}
from wikisem.errors import StageError
class Server:
    def __del__(self):
        hold()
def work(words):
    server = Server()
    print("ready", flush=True)
    {how}
cli._run = work
cli.command()
"""
    )
    assert done.returncode == 1
    assert done.stderr.startswith("wikisem: ")
    assert done.stderr.endswith("too much\n")
    assert done.stderr.count("\n") == 1


def test_where_no_thread_can_start_a_timer_of_the_system_ends_the_process() -> None:
    """Memory that is too short for anything else is the reason why the process does not end by itself."""
    done = _program(
        f"""
{_DEADLOCK}
import faulthandler, threading
def refuse(*words, **options):
    raise RuntimeError("can't start new thread")
threading.Thread.start = faulthandler.dump_traceback_later = refuse
class Server:
    def __del__(self):
        hold()
def work(words):
    server = Server()
    print("ready", flush=True)
    raise OSError("too much")
cli._run = work
cli.command()
"""
    )
    assert done.returncode == -signal.SIGALRM
    assert done.stderr == "wikisem: expected to read and write files, saw too much\n"


def test_further_signals_say_nothing() -> None:
    """However many come while a command tidies up."""
    done = _program(
        """
import os, signal, time
from wikisem.pipeline import cli
def work(words):
    print("ready", flush=True)
    try:
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        for _ in range(50):
            time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)
cli._run = work
cli.command()
"""
    )
    assert done.returncode == 130
    assert done.stderr == "wikisem: stopped by SIGINT; what was finished is kept\n"


@pytest.mark.parametrize("loses", ["weakref.ref(thing, lose)", "type(thing).__del__ = lose"])
def test_a_signal_that_is_lost_in_a_callback_is_heard_again(loses: str) -> None:
    """Python ignores what a callback or a __del__ raises, whatever it is: the run would go on."""
    done = _program(
        f"""
import os, signal, time, weakref
from wikisem.pipeline import cli
from wikisem.pipeline.console import interruption
interruption._GRACE = 1000.0
class Thing:
    pass
def lose(_):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
    os.write(2, b"not lost")
def work(words):
    print("ready", flush=True)
    thing = Thing()
    kept = {loses}
    del thing
    time.sleep(1000)
cli._run = work
cli.command()
"""
    )
    assert done.returncode == 130
    assert done.stderr == "wikisem: stopped by SIGINT; what was finished is kept\n"


def test_a_command_that_swallows_a_signal_ends_as_stopped() -> None:
    """Its exit code must not say that nobody stopped it."""
    done = _program(
        """
import os, signal
from wikisem.pipeline import cli
def work(words):
    print("ready", flush=True)
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except BaseException:
        return 0
cli._run = work
cli.command()
"""
    )
    assert done.returncode == 143
    assert done.stderr == "wikisem: stopped by SIGTERM; what was finished is kept\n"


def test_a_signal_before_a_command_listens_ends_it() -> None:
    """Between the first line of the program and the first of the command."""
    done = _program(
        """
import logging, os, signal
from wikisem.pipeline import cli
logging.basicConfig = lambda **_: os.kill(os.getpid(), signal.SIGINT)
cli._run = lambda words: print("went on")
print("ready", flush=True)
cli.command()
"""
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_signal_while_a_command_is_imported_ends_it_at_once() -> None:
    """Libraries in C may crash where an exception comes in the middle of their import."""
    kill = "try:", "    os.kill(os.getpid(), signal.SIGTERM)", "finally:", "    print('an exception in an import')"
    done = _program(_at_import(RECIPES, *kill) + RUN_RECIPES)
    assert (done.returncode, done.stdout) == (143, "")
    assert done.stderr == "wikisem: stopped by SIGTERM; what was finished is kept\n"


def test_a_signal_in_the_middle_of_a_write_to_stderr_is_told() -> None:
    """Python refuses a second write to a stream from inside the first: the message goes past the stream."""
    stream = """
import io
class Raw(io.RawIOBase):
    def writable(self):
        return True
    def write(self, block):
        os.kill(os.getpid(), signal.SIGTERM)
        return len(block)
"""
    warn = (
        "sys.stderr = io.TextIOWrapper(io.BufferedWriter(Raw()))",
        "print('a warning', file=sys.stderr, flush=True)",
        "print('an exception in an import')",
    )
    done = _program(stream + _at_import(RECIPES, *warn) + RUN_RECIPES)
    assert (done.returncode, done.stdout) == (143, "")
    assert done.stderr == "wikisem: stopped by SIGTERM; what was finished is kept\n"


def test_a_signal_while_modules_are_imported_ends_the_program() -> None:
    """Without a traceback, as Ctrl-C ends other programs."""
    run = 'import runpy\nprint("ready", flush=True)\nrunpy.run_module("wikisem", run_name="__main__")\n'
    done = _program(_at_import("wikisem.pipeline.cli", "os.kill(os.getpid(), signal.SIGINT)") + run)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
