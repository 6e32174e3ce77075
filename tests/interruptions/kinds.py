"""The ways in which a run is interrupted, and what is expected of it then."""

import os
import random
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from tests.interruptions.processes import Process
from tests.waiting import wait_until

_BUSY = 30.0  # seconds until a disk that nobody uses any more can be unmounted


@dataclass(frozen=True)
class Kind:
    """One way: what is done to the run in OUT, and undone before it is resumed.

    ``act`` says whether it could be done. ``says`` is in the one message; None where nobody is left to say anything.
    """

    name: str
    exit_code: int
    says: str | None
    act: Callable[[Process, Path, random.Random], bool]
    undo: Callable[[Path], None] = lambda _: None
    workers: Sequence[int] = (2, 2, 1)
    terminal: bool = False
    ignoring: Sequence[int] = ()
    needs_disk: bool = False


def _kill_worker(process: Process, output: Path, chance: random.Random) -> bool:
    del output
    while process.is_running:
        if workers := process.workers():
            with suppress(ProcessLookupError):
                os.kill(chance.choice(workers), signal.SIGKILL)
                return True
        process.wait(0.01)
    return False


def _send(number: int) -> Callable[[Process, Path, random.Random], bool]:
    def send(process: Process, output: Path, chance: random.Random) -> bool:
        del output, chance
        os.kill(process.pid, number)
        return True

    return send


def _press_ctrl_c(process: Process, output: Path, chance: random.Random) -> bool:
    del output, chance
    process.press_ctrl_c()
    return True


def _fill(process: Process, output: Path, chance: random.Random) -> bool:
    """Fill the disk, and again what the run makes free."""
    del chance
    with (output.parent / "filler").open("ab", buffering=0) as filler:
        while process.is_running:
            with suppress(OSError):
                filler.write(bytes(1 << 12))
                continue
            process.wait(0.01)
    return True


def _free(output: Path) -> None:
    (output.parent / "filler").unlink()


def _lose(process: Process, output: Path, chance: random.Random) -> bool:
    """Put a file where the output folder was: from now on nothing can be opened below it, by root neither.

    The run may make the folder again before the file is there; each such folder is put aside.
    """
    del process, chance
    output.rename(output.with_name("lost"))
    while True:
        try:
            output.touch(exist_ok=False)
        except FileExistsError:
            output.rename(output.with_name(f"made again {uuid4().hex}"))
        else:
            return True


def _find_again(output: Path) -> None:
    output.unlink()
    output.with_name("lost").rename(output)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "worker",
            1,
            "expected all worker processes to finish, saw one killed by SIGKILL",
            _kill_worker,
            workers=(2,),
        ),
        Kind("driver", -signal.SIGKILL, None, _send(signal.SIGKILL)),
        Kind("SIGINT", 130, "stopped by SIGINT", _send(signal.SIGINT), ignoring=(signal.SIGINT,)),
        Kind("Ctrl-C", 130, "stopped by SIGINT", _press_ctrl_c, terminal=True),
        Kind("SIGTERM", 143, "stopped by SIGTERM", _send(signal.SIGTERM)),
        Kind("full disk", 1, "No space left on device", _fill, _free, needs_disk=True),
        Kind("SIGHUP", 129, "stopped by SIGHUP", _send(signal.SIGHUP)),
        Kind("lost folder", 1, "", _lose, _find_again),
    )
}


class Disk:
    """A small disk of its own, in memory, mounted on a folder; a context manager. OSError where that is not allowed."""

    def __init__(self, folder: Path, megabytes: int = 256) -> None:
        self._folder, self._megabytes = folder, megabytes

    def __enter__(self) -> None:
        words = ["mount", "-t", "tmpfs", "-o", f"size={self._megabytes}m", "tmpfs", str(self._folder)]
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        if done.returncode:
            raise PermissionError(done.stderr.strip())

    def __exit__(self, *_: object) -> None:
        wait_until(self._is_unmounted, _BUSY)

    def _is_unmounted(self) -> bool:
        """Try to unmount it, which is refused as long as a process that was killed has not let go of its files."""
        return subprocess.run(["umount", str(self._folder)], check=False).returncode == 0
