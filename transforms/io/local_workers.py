"""The worker processes of a run on this machine, and what they rely on in Beam.

All workers are forks of one process (``worker.py``), which imports Beam once. When one ends early or fails at its work,
the others are killed, and every request that waits for one of them is answered with the cause.

No pool of the standard library can run them: what runs in a worker is Beam's own. Beam's ``multi_processing`` starts
each worker by a shell, with a new import of Beam, and waits for ever for the answer of one that was killed, or that had
not connected yet when the run was interrupted (Beam 2.77). To answer for a worker that is gone takes what
``beam_internals.toml`` names, which is no public interface. Where a version of Beam has changed any of it, the run goes
on in one process (``changed_internal``).
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from inspect import Parameter, signature
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

from wikisem.graph.store import RUN, RUN_VARIABLE
from wikisem.transforms.io.counts import BytesRead
from wikisem.typed_json import packaged_tables

_COMMAND: Final = ("-P", "-m", "wikisem.transforms.io.worker")
_LOOK: Final = 0.2  # seconds between two looks at the answers of workers
_END: Final = 3.0  # seconds for the process that workers are forked from to end by itself

# What the workers rely on in Beam, by what has it: the parameters of ``calls``, and what sets ``attributes``.
_INTERNALS: Final = packaged_tables(__package__, "beam_internals.toml")


def changed_internal() -> str:
    """Say what the workers rely on and the installed Beam does not have; "" if it has everything."""
    # Such as "calls", "module:Class.method", and the names of its parameters or of the attributes that it sets.
    for kind, path, names in ((kind, *named) for kind, table in _INTERNALS.items() for named in table.items()):
        wanted = names.split()
        try:
            function = resolve_name(path)
            if kind == "attributes":  # those of the names that the method still uses
                seen = " ".join(name for name in wanted if name in function.__code__.co_names)
            else:  # the parameters that wikisem gives, and others that have no default
                parameters = signature(function).parameters.values()
                seen = " ".join(one.name for one in parameters if one.name in wanted or one.default is Parameter.empty)
        except (ImportError, AttributeError) as error:
            seen = str(error)
        if seen != names:
            installed = f"apache-beam {version('apache-beam')}"
            return f"expected {path.rpartition(':')[2]} with {names.replace(' ', ', ')} in {installed}, saw {seen}"
    return ""


class WorkerError(Exception):
    """A worker process ended before its work did."""


class LocalWorkers:
    """Worker processes, each for one client, Beam's handle on it.

    A client has a ``worker_id``, ``first_error()``, which is what the first request that failed was answered with, and
    ``fail(error)``, after which nothing waits for the worker any longer. ``failure`` is what went wrong first since the
    last ``reset``, and ``bytes_read`` what all of them have read.
    """

    def __init__(self) -> None:
        """Start the process that forks workers when asked over a socket, and a thread that watches what it reports."""
        self.failure: Exception | None = None
        self._gone: Exception | None = None  # how the process that forks workers ended; None while it runs
        self._clients: dict[str, Any] = {}  # Beam's handles on the workers that run, by ``worker_id``
        self._lock = threading.RLock()  # guards these three; ``start`` holds it when it calls ``_fail``
        self.bytes_read = BytesRead()
        self._kills_before = out_of_memory_kills()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the workers
        self._channel, other = socket.socketpair()
        with other:
            # No threads of numpy before a fork. And malloc, for Arrow's own allocator keeps much of what was freed.
            ours = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
            self._starter = subprocess.Popen(  # noqa: S603 - this Python, no shell
                [sys.executable, *_COMMAND, str(other.fileno()), str(self.bytes_read.writer)],
                env={**ours, **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), RUN_VARIABLE: RUN},
                pass_fds=[other.fileno(), self.bytes_read.writer],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
            )
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def start(self, client: Any, environment: Mapping[str, str]) -> None:
        """Fork a worker for a client."""
        with self._lock:
            self._clients[client.worker_id] = client
            if self._gone is not None:
                self._fail(self._gone)
            self._ask({"start": client.worker_id, "environment": dict(environment)})

    def end(self, client: Any) -> None:
        """Kill the worker of a client, if it has one."""
        with self._lock:
            if self._clients.pop(client.worker_id, None) is not None:
                self._ask({"end": client.worker_id})

    def reset(self) -> None:
        """Kill the workers that are left, and forget what failed."""
        with self._lock:
            for client in list(self._clients.values()):
                self.end(client)
            self.failure = None

    def close(self) -> None:
        """End all processes, and wait until they are gone."""
        self.reset()
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        try:
            self._starter.wait(_END)
        except subprocess.TimeoutExpired:
            self._starter.kill()  # the workers die with it
            self._starter.wait()
        self._watcher.join()
        self._channel.close()
        self._stderr.close()
        self.bytes_read.close()

    def _ask(self, request: Mapping[str, Any]) -> None:
        with suppress(OSError):  # the process is gone, as the watcher will see
            self._channel.sendall(json.dumps(request).encode() + b"\n")

    def _watch(self) -> None:
        """Watch which workers end, and what they answer, until the channel closes; then let all that still wait fail.

        A line of the channel is ``{"worker": "worker_0", "status": -9}``. After ``close``, which has no clients left,
        ``_fail`` does nothing. The lock is held so that nobody ends a worker between a look at it and ``_fail``.
        """
        text = b""
        self._channel.settimeout(_LOOK)
        while True:
            try:
                received = self._channel.recv(1 << 16)
            except TimeoutError:  # no worker has ended, but one may have failed at its work
                received = None
            except OSError:
                break
            if received == b"":  # the channel is closed
                break
            *lines, text = (text + (received or b"")).split(b"\n")
            for line in lines:
                report = json.loads(line)
                with self._lock:
                    if report["worker"] in self._clients:
                        ended = self._describe_end(int(report["status"]))
                        self._fail(WorkerError(f"expected all worker processes to finish, saw one {ended}"))
            with self._lock:
                clients = list(self._clients.values())
            for client in clients:  # without the lock, for each has its own; "" if no request has failed
                if error := client.first_error():
                    self._fail(RuntimeError(error))
        # The process that forks workers has ended, or is about to.
        with suppress(subprocess.TimeoutExpired):
            self._starter.wait(_END)
        ended = self._describe_end(self._starter.poll() or 0)
        with self._lock:
            self._gone = WorkerError(f"expected the process that starts workers to go on, saw it {ended}")
            self._fail(self._gone)

    def _fail(self, failure: Exception) -> None:
        """End all workers, and answer what waits for them, because of what went wrong first."""
        with self._lock:
            if not self._clients:
                return
            self.failure = self.failure or failure
            clients = list(self._clients.values())
            for client in clients:
                self.end(client)
            for client in clients:
                client.fail(str(self.failure))

    def _describe_end(self, status: int) -> str:
        """How a process ended, from its exit status (negative: a signal), its last words and the system's memory."""
        end = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, end - 2000))
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        words = f" ({lines[-1]})" if lines else ""
        if status >= 0:
            return f"exit with code {status}{words}"
        if -status == signal.SIGKILL and out_of_memory_kills() > self._kills_before:
            words = " because the system ran out of memory"
        names = {signal_.value: signal_.name for signal_ in signal.Signals}
        return f"killed by {names.get(-status, f'signal {-status}')}{words}"


def out_of_memory_kills(counters: Path = Path("/proc/vmstat")) -> int:
    """How many processes Linux has killed since it started because memory was short; 0 where nothing says so."""
    with suppress(OSError):
        for line in counters.read_text(encoding="ascii").splitlines():
            if line.startswith("oom_kill "):  # since Linux 4.13, kills in control groups included
                return int(line.split()[1])
    return 0
