"""Workers of an engine that die now and then, at moments that a seed decides."""

import os
import random
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.engines.servers import MARK

# Seconds that a worker lives at least and at most, from when the one before it was killed.
_LIFE = (1.0, 5.0)
_WORKER = b"apache_beam.runners.worker.sdk_worker_main"


@contextmanager
def killing(kills: int, seed: int) -> Iterator[Sequence[int]]:
    """Kill so many workers of the servers that this process started; gives those that were killed."""
    ended, killed = threading.Event(), list[int]()

    def work() -> None:
        chance = random.Random(seed)
        while len(killed) < kills and not ended.wait(chance.uniform(*_LIFE)):
            if workers := [pid for pid in own_workers() if pid not in killed]:
                killed.append(chance.choice(workers))
                os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


def own_workers() -> list[int]:
    """The worker processes of servers that this process started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue  # it ended, or is another user's
        if _WORKER in command.split(b"\0") and MARK.encode() in environment.split(b"\0"):
            found.append(int(folder.name))
    return sorted(found)
