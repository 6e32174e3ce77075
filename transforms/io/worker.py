"""The process that local workers are forked from, and the workers: ``python -m wikisem.transforms.io.worker FD PIPE``.

It imports Beam and wikisem once, has no threads of Python's and opens no connection, so a fork of it is a worker within
milliseconds. It forks and kills as the run asks over the socket FD, one line of JSON each, and reports which workers
have ended:

    {"start": "worker_0", "environment": {…}}     {"end": "worker_0"}
    {"worker": "worker_0", "status": -9}

However the run ends, the socket closes then, and this process kills the workers and ends. If it is killed itself, they
die with it. ``multiprocessing``'s fork server is not used: it imports the user's main module in each process.
"""

import ctypes
import gc
import importlib
import json
import logging
import os
import pkgutil
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import wikisem.transforms
from wikisem.transforms.io.counts import report_bytes_to

_PR_SET_PDEATHSIG: Final = 1  # include/uapi/linux/prctl.h
_PARENT_CHECK: Final = 0.5  # seconds between two looks whether the parent is still there


def import_all() -> None:
    """Import all that a worker may need; what is imported before a fork is shared, and costs no time after it."""
    # Beam's worker configures logging, and prints to stderr, unless the root logger has a handler already.
    logging.getLogger().addHandler(logging.NullHandler())
    importlib.import_module("apache_beam.runners.worker.sdk_worker_main")
    for module in pkgutil.walk_packages(wikisem.transforms.__path__, "wikisem.transforms."):
        importlib.import_module(module.name)
    # Some module may have configured it before: what workers log would be taken for a process's last words.
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)
    gc.collect()
    gc.freeze()  # a collection in a worker would touch, and so copy, every page that it shares


def serve(descriptor: int, pipe: int) -> None:
    """Fork and kill workers as the run asks, in JSON lines over a socket, until it closes its end; then kill all.

    ``descriptor`` is this end of the socket, by which the run also hears which workers have ended. Through ``pipe`` the
    workers report how many bytes they have read.
    """
    # Ctrl-C and a closed terminal reach every process of the group; what they mean to a run is the run's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    import_all()
    names: dict[int, str] = {}  # of the workers that run, by process id
    channel, parent, text = socket.socket(fileno=descriptor), os.getppid(), b""
    # When a worker ends, SIGCHLD writes a byte into a pipe, which ``select`` waits for beside the socket.
    wake_up, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler of Python's, no byte is written
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        while os.getppid() == parent:
            ready = select.select([channel.fileno(), wake_up], [], [], _PARENT_CHECK)[0]
            if wake_up in ready:
                os.read(wake_up, 1 << 12)
            if channel.fileno() in ready:
                received = channel.recv(1 << 16)
                *lines, text = (text + received).split(b"\n")
                for request in map(json.loads, lines):
                    if "start" in request:
                        names[_fork_worker(request["environment"], channel, pipe)] = request["start"]
                    else:
                        for pid in [pid for pid, name in names.items() if name == request["end"]]:
                            os.kill(pid, signal.SIGKILL)
                if not received:
                    return
            # Report the workers that have ended.
            while names and (ended := os.waitpid(-1, os.WNOHANG))[0]:
                message = {"worker": names.pop(ended[0]), "status": os.waitstatus_to_exitcode(ended[1])}
                with suppress(OSError):  # the run is gone; the next look at the socket says so
                    channel.sendall(json.dumps(message).encode() + b"\n")
    finally:
        for pid in names:
            os.kill(pid, signal.SIGKILL)
        for pid in names:
            os.waitpid(pid, 0)


def _fork_worker(environment: Mapping[str, str], channel: socket.socket, pipe: int) -> int:
    """Fork a worker, and return its process; the worker itself never returns.

    ``environment`` is what Beam's harness reads of its own, ``pipe`` gets the numbers of bytes that the worker reads.
    """
    starter = os.getpid()
    if pid := os.fork():
        return pid
    code = 1
    try:
        channel.close()
        report_bytes_to(pipe)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        die_with_parent(starter)
        from apache_beam.runners.worker.sdk_worker_main import create_harness  # noqa: PLC0415 - imported before the fork

        # Beam prints what a bundle raises to stderr; the run hears of it through the bundle's result, too.
        sys.stdout = sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the process ends
        _, harness, _ = create_harness(environment)
        harness.run()
        code = 0
    finally:
        os._exit(code)


def die_with_parent(parent: int, platform: str = sys.platform) -> None:
    """Let this process be killed when its parent, the process ``parent``, has ended, at once or within a second."""
    if platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    else:

        def watch() -> None:
            while os.getppid() == parent:
                time.sleep(_PARENT_CHECK)
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
    if os.getppid() != parent:  # it ended before anybody watched
        os._exit(1)


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
