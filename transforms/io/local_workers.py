"""Worker processes on this machine: how they are started, and how the death of one ends the run.

Beam 2.77 waits for ever when a worker process dies (out of memory, killed by hand): the thread that watches the process
raises, and nobody listens. Here that raise interrupts the main thread, which then says what happened.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from wikisem.errors import StageError


def make_runner() -> FnApiRunner:
    """A runner whose workers are processes of their own, as many as ``--direct_num_workers`` says."""
    command = f"{sys.executable} -m wikisem.transforms.io.worker"
    return FnApiRunner(default_environment=SubprocessSDKEnvironment.from_command_string(command))


@contextmanager
def deaths_end_the_run(label: str) -> Iterator[None]:
    """While inside, a worker process that dies ends the run with a StageError instead of a wait without end."""
    dead: list[str] = []
    earlier = threading.excepthook

    def listen(arguments: threading.ExceptHookArgs) -> None:
        if "Worker subprocess exited" in str(arguments.exc_value):
            dead.append(str(arguments.exc_value))
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.excepthook = listen
    try:
        yield
    except KeyboardInterrupt as error:
        if not dead:
            raise
        raise StageError(
            f"{label}: expected the workers to live, saw one die ({dead[0]}); was memory short?"
        ) from error
    finally:
        threading.excepthook = earlier
