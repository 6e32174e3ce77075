"""Workers of an engine that die now and then, at moments that a seed decides."""

import os
import random
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.engines.servers import MARK
from tests.processes import command_line, marked

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
    return [pid for pid in marked(MARK) if _WORKER in command_line(pid)]
