"""Worker processes on this machine: how they are started, and how the death of one ends the run.

Beam 2.77 waits for ever when a worker process dies (out of memory, killed by hand): the thread that watches the process
raises, and nothing waits for that thread. Here that raise interrupts the main thread, which then says what happened.
"""

import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment
from grpc import RpcError

from wikisem.errors import StageError


def make_runner() -> FnApiRunner:
    """A runner whose workers are processes of their own, as many as ``--direct_num_workers`` says."""
    command = worker_command(sys.executable, sys.path)
    return FnApiRunner(default_environment=SubprocessSDKEnvironment.from_command_string(command))


def worker_command(python: str, path: Sequence[str]) -> str:
    """The command of a worker process, which Beam gives to a shell; ``path`` is where the worker imports from.

    >>> worker_command("/opt/my env/bin/python", ["/opt/lib"])
    "exec env PYTHONPATH=/opt/lib '/opt/my env/bin/python' -P -m wikisem.transforms.io.worker"

    ``exec`` lets Beam kill the worker rather than its shell. ``-P`` keeps the current folder, whose modules may
    have any name, out of the path, unless it is in the path of this process too.
    """
    places = shlex.quote(os.pathsep.join(path))
    return f"exec env PYTHONPATH={places} {shlex.quote(python)} -P -m wikisem.transforms.io.worker"


@contextmanager
def deaths_end_the_run(label: str) -> Iterator[None]:
    """While inside, a worker process that dies ends the run with a StageError instead of a wait without end.

    What other threads raise goes to the hook that was there before; lost connections only if no worker died, which is
    what loses them.
    """
    dead: list[str] = []
    lost: list[threading.ExceptHookArgs] = []
    earlier = threading.excepthook

    def listen(arguments: threading.ExceptHookArgs) -> None:
        if "Worker subprocess exited" in str(arguments.exc_value):
            dead.append(str(arguments.exc_value))
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        elif isinstance(arguments.exc_value, RpcError):
            lost.append(arguments)
        else:
            earlier(arguments)

    threading.excepthook = listen
    try:
        yield
    except KeyboardInterrupt as error:
        if not dead:
            raise
        raise StageError(
            f"{label}: expected all worker processes to finish, saw one die ({dead[0]}); was memory short?"
        ) from error
    finally:
        threading.excepthook = earlier
        for arguments in () if dead else lost:
            earlier(arguments)
