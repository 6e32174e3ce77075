"""One run into OUT at a time: each run writes a lock file when it begins, and gives way if it sees another run's.

A run's lock file, ``OUT/.wikisem/lock.<run>.json``, is written by that run alone. A run first writes its own and then
looks for others: of two runs, the one that looks later sees both. So this needs no more than that a file is seen once
it is written, which folders, network folders and object stores all give, and no file is ever fought over:

    one    writes its lock file   sees its own alone: begins
    other                           writes its lock file   sees both: removes its own, waits, looks again, gives up

Two that look at the same moment both give way and, after waits of different lengths, try again.
"""

import os
import random
import shlex
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from wikisem.errors import LockError, redacted
from wikisem.files import exists, list_files, read_binary, remove, replace_file
from wikisem.layout import lock_path


@dataclass(frozen=True, slots=True)
class LockFile:
    """Who is at work in OUT; ``machine`` and ``started`` tell a process from others that have had its number."""

    run: str
    host: str
    machine: str
    process: int
    started: str
    since: str
    command: str

    @classmethod
    def of_this_process(cls, run: str) -> "LockFile":
        """The lock file of a run of this process."""
        since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
        process = os.getpid()
        command = redacted(shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]))
        return cls(run, socket.gethostname(), _machine(), process, _started(process), since, command)

    @property
    def is_dead(self) -> bool:
        """Whether the process is certain to have ended: one of another machine, or container, never is."""
        return self.machine == _machine() and _started(self.process) != self.started


@contextmanager
def locked(output: str, lock: LockFile, break_lock: bool, log: Callable[[str], object]) -> Iterator[None]:
    """Be the only run into OUT for as long as the context lasts; LockError says which other one there is.

    The lock files of dead runs of this machine are removed, with a line that says so, and with ``break_lock`` all.
    """
    path_of_lock = lock_path(output, lock.run)
    for earlier in _lock_files(output):
        if earlier.is_dead or break_lock:
            end = "was cut off" if earlier.is_dead else "is taken for ended (--break-lock)"
            log(f"{output}: the run of {earlier.since} (process {earlier.process} on {earlier.host}) {end}")
            remove(lock_path(output, earlier.run))
    # Two runs that begin at once see each other's file: both remove theirs, and try again after random waits (seconds).
    others = list[LockFile]()
    for wait in (0.0, 0.1, 0.2, 0.4):
        time.sleep(wait * random.random())  # noqa: S311 - no secret
        replace_file(path_of_lock, orjson.dumps(asdict(lock), option=orjson.OPT_INDENT_2))
        others = [other for other in _lock_files(output) if other.run != lock.run and not other.is_dead]
        if not others:
            break
        remove(path_of_lock)
    else:
        other = others[0]
        raise LockError(
            f"expected to be the only run into {output}, saw `{other.command}` at work there since {other.since} "
            f"(process {other.process} on {other.host}); wait for it to end, or, where you know that it has ended, "
            "run with --break-lock"
        )
    try:
        yield
    finally:
        try:
            remove(path_of_lock)
        except OSError as error:  # what was to be done is done
            log(f"warning: {path_of_lock} stays: {error}; remove it before the next run")


def check_lock(output: str, run: str) -> None:
    """Raise LockError if the lock file of a run is gone, because another run broke the lock."""
    if not exists(lock_path(output, run)):
        raise LockError(f"expected {output} to be left to this run, saw that another one broke its lock")


def _lock_files(output: str) -> Iterator[LockFile]:
    """The lock files in OUT. One removed meanwhile does not count; a damaged one does, because its run may be alive."""
    for path in list_files(lock_path(output, "*")):
        run = path.rpartition("/lock.")[2].removesuffix(".json")
        try:
            yield LockFile(**{**orjson.loads(read_binary(path)), "run": run})
        except (ValueError, TypeError):
            host, since = "an unknown host", "an unknown time"
            yield LockFile(run, host, machine="", process=0, started="", since=since, command="wikisem")
        except OSError:
            if exists(path):
                raise


def _machine() -> str:
    """This start of this machine, and which numbering of processes it is in; the host where there is no Linux."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def _started(process: int) -> str:
    """When a process began, in the kernel's own count; empty for one that has ended, "?" where that is not known."""
    stat = Path(f"/proc/{process}/stat")
    if stat.parent.parent.joinpath("self").exists():
        try:
            # After the name, which may hold blanks and parentheses: the state is field 3, the start field 22.
            fields = stat.read_bytes().rpartition(b")")[2].split()
        except OSError:
            return ""
        return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "?"
