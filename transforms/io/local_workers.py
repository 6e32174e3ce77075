"""The worker processes of a run on this machine, and Beam's local runner with them.

All workers are forks of one process (``worker.py``), which imports Beam once. Beam 2.77 would start each by a shell,
with a new import of Beam. It also waits for ever when one dies, and when a run is interrupted before a worker has
connected: it joins a thread that waits for a process that nobody told to end. So the workers here are killed before
anything is joined. When one ends early or fails at its work, the others are killed, and every request that waits is
answered with the cause.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_fn_api_pb2, endpoints_pb2
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.runners.portability.fn_api_runner.worker_handlers import (
    ControlFuture,
    GrpcWorkerHandler,
    WorkerHandler,
)
from apache_beam.transforms.environments import Environment
from google.protobuf import text_format

from wikisem.transforms.io.arrays import RUN, RUN_VARIABLE
from wikisem.transforms.io.counts import BytesRead
from wikisem.transforms.io.failures import WorkerError

_COMMAND: Final = ("-P", "-m", "wikisem.transforms.io.worker")
_LOOK: Final = 0.2  # seconds between two looks at the answers of workers
_END: Final = 3.0  # seconds for the process that workers are forked from to end by itself


class LocalWorkers:
    """Worker processes, each for one client: forked when it asks, gone when this is closed; a context manager.

    ``failure`` is what went wrong first since the last ``reset``, if anything did.
    """

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self._gone: Exception | None = None
        self._clients: dict[str, LocalWorkerHandler] = {}
        self._lock = threading.RLock()
        self._bytes_read = BytesRead()
        self._kills_before = out_of_memory_kills()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the workers
        self._channel, other = socket.socketpair()
        with other:
            self._starter = subprocess.Popen(  # noqa: S603 - this Python, no shell
                [sys.executable, *_COMMAND, str(other.fileno()), str(self._bytes_read.writer)],
                env=_environment(),
                pass_fds=[other.fileno(), self._bytes_read.writer],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
            )
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, client: "LocalWorkerHandler", environment: Mapping[str, str]) -> None:
        """Fork a worker for a client."""
        with self._lock:
            self._clients[client.worker_id] = client
            if self._gone is not None:
                self._fail(self._gone)
            self._ask({"start": client.worker_id, "environment": dict(environment)})

    def end(self, client: "LocalWorkerHandler") -> None:
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

    @contextmanager
    def count_bytes(self) -> Iterator[BytesRead]:
        """What the workers read, from now on."""
        self._bytes_read.reset()
        yield self._bytes_read

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
        self._bytes_read.close()

    def _ask(self, request: Mapping[str, Any]) -> None:
        with suppress(OSError):  # the process is gone, as the watcher will see
            self._channel.sendall(json.dumps(request).encode() + b"\n")

    def _watch(self) -> None:
        """Watch which workers end, and what they answer, until the channel closes."""
        text = b""
        while (received := self._receive()) != b"":
            *lines, text = (text + (received or b"")).split(b"\n")
            for line in lines:
                self._fail_at_end(json.loads(line))
            with self._lock:
                clients = list(self._clients.values())
            for client in clients:
                if error := client.first_error():
                    self._fail(RuntimeError(error))
        with suppress(subprocess.TimeoutExpired):
            self._starter.wait(_END)
        ended = self._describe_end(self._starter.poll() or 0)
        with self._lock:
            self._gone = WorkerError(f"expected the process that starts workers to go on, saw it {ended}")
            self._fail(self._gone)

    def _receive(self) -> bytes | None:
        """What the process reports: None if nothing for a while, nothing at all when it has ended."""
        self._channel.settimeout(_LOOK)
        try:
            return self._channel.recv(1 << 16)
        except TimeoutError:
            return None
        except OSError:
            return b""

    def _fail_at_end(self, report: Mapping[str, Any]) -> None:
        with self._lock:
            if report["worker"] in self._clients:
                ended = self._describe_end(int(report["status"]))
                self._fail(WorkerError(f"expected all worker processes to finish, saw one {ended}"))

    def _fail(self, failure: Exception) -> None:
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
        return describe_end(status, out_of_memory_kills() > self._kills_before, self._last_words())

    def _last_words(self) -> str:
        """The last line that a process wrote to stderr, as the interpreter does when it cannot go on."""
        end = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, end - 2000))
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


def describe_end(status: int, memory_was_short: bool, last_words: str) -> str:
    """How a process ended, from its exit status (negative: a signal) and from what else is known.

    >>> describe_end(-9, True, "")
    'killed by SIGKILL because the system ran out of memory'
    >>> describe_end(1, False, "ModuleNotFoundError: No module named 'wikisem'")
    "exit with code 1 (ModuleNotFoundError: No module named 'wikisem')"
    """
    words = f" ({last_words})" if last_words else ""
    if status >= 0:
        return f"exit with code {status}{words}"
    names = {signal_.value: signal_.name for signal_ in signal.Signals}
    if -status == signal.SIGKILL and memory_was_short:
        words = " because the system ran out of memory"
    return f"killed by {names.get(-status, f'signal {-status}')}{words}"


def out_of_memory_kills(counters: Path = Path("/proc/vmstat")) -> int:
    """How many processes Linux has killed since it started because memory was short; 0 where nothing says so."""
    with suppress(OSError):
        for line in counters.read_text(encoding="ascii").splitlines():
            if line.startswith("oom_kill "):  # since Linux 4.13, kills in control groups included
                return int(line.split()[1])
    return 0


def _environment() -> dict[str, str]:
    """The environment of the process: its import path is this one's, and numpy starts no threads before a fork.

    Arrow allocates by ``malloc``: its own allocator keeps much of what was freed, more with each range and bucket.
    """
    ours = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    return {**ours, **os.environ, "PYTHONPATH": os.pathsep.join(sys.path), RUN_VARIABLE: RUN}


# Beam's local runner with these workers.

_URN: Final = "wikisem:env:local_workers:v1"
# Threads of Beam's that raise when a connection breaks, which is a consequence of a worker's end.
_READERS: Final = frozenset({"beam_control_read", "read_grpc_client_inputs", "forward_grpc_outputs"})
_PATIENCE: Final = 2.0  # seconds for these threads to end
_LOGGERS: Final = (
    "apache_beam.runners.worker.data_plane",
    "apache_beam.runners.portability.fn_api_runner.worker_handlers",
    "apache_beam.runners.portability.fn_api_runner.fn_runner",
)


class _LocalEnvironment(Environment):
    """What Beam calls the place where DoFns run; its payload names one of ``_running``."""

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self._key = key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _LocalEnvironment) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)

    def to_runner_api_parameter(self, context: Any) -> tuple[str, bytes]:
        """The URN, and the payload for the handler."""
        del context
        return _URN, self._key


# Beam makes handlers from nothing but an environment's payload: this is where they find the rest.
_running: Final[dict[bytes, tuple[LocalWorkers, PipelineOptions]]] = {}


@contextmanager
def local_runner(workers: LocalWorkers, options: PipelineOptions) -> Iterator[FnApiRunner]:
    """A runner for one pipeline whose workers are these, as many as ``--direct_num_workers`` says."""
    key = str(id(workers)).encode()
    _running[key] = workers, options
    with _quiet_consequences():
        try:
            yield FnApiRunner(default_environment=_LocalEnvironment(key))
        finally:
            workers.reset()
            del _running[key]


@contextmanager
def _quiet_consequences() -> Iterator[None]:
    """While inside, what Beam prints and logs of connections to workers that are gone is dropped.

    Where an interruption has kept Beam from closing them, the threads that read them find out a moment later.
    """
    earlier = threading.excepthook

    def listen(arguments: threading.ExceptHookArgs) -> None:
        if arguments.thread is None or arguments.thread.name not in _READERS:
            earlier(arguments)

    def is_cause(record: logging.LogRecord) -> bool:
        return record.levelno >= logging.CRITICAL

    loggers = [logging.getLogger(name) for name in _LOGGERS]
    threading.excepthook = listen
    for logger in loggers:
        logger.addFilter(is_cause)
    try:
        yield
    finally:
        end = time.monotonic() + _PATIENCE
        for thread in threading.enumerate():
            if thread.name in _READERS:
                thread.join(max(0.0, end - time.monotonic()))
        threading.excepthook = earlier
        for logger in loggers:
            logger.removeFilter(is_cause)


@WorkerHandler.register_environment(_URN, bytes)
class LocalWorkerHandler(GrpcWorkerHandler):
    """Beam's handle on one worker."""

    def __init__(self, payload: bytes, state: Any, provision_info: Any, grpc_server: Any) -> None:
        super().__init__(state, provision_info, grpc_server)
        self._workers, self._options = _running[payload]
        self._connection = _Connection(grpc_server.control_handler.get_conn_by_worker_id(self.worker_id))
        self.control_conn = self._connection  # what Beam sends requests by

    def start_worker(self) -> None:
        """Fork the worker."""
        control = text_format.MessageToString(endpoints_pb2.ApiServiceDescriptor(url=self.control_address))
        options = json.dumps(self._options.get_all_options(drop_default=True), default=str)
        self._workers.start(
            self,
            {"CONTROL_API_SERVICE_DESCRIPTOR": control, "WORKER_ID": self.worker_id, "PIPELINE_OPTIONS": options},
        )

    def first_error(self) -> str:
        """What the first request that failed was answered with, "" if none failed."""
        return self._connection.first_error()

    def fail(self, error: str) -> None:
        """Let nothing wait for this worker any longer."""
        self._connection.fail(error)
        # Beam sends data through a queue of limited size: with no worker that reads, its sender would wait for ever.
        threading.Thread(target=lambda: list(self.data_conn._write_outputs()), daemon=True).start()  # noqa: SLF001

    def close(self) -> None:
        """Close the connections and kill the worker; first kill it when the run fails, for Beam joins its threads."""
        if sys.exc_info()[0] is not None:
            self._workers.end(self)
            self.fail("the run has failed")
        super().close()

    def stop_worker(self) -> None:
        """Kill the worker, whose work is done."""
        self._workers.end(self)


class _Connection:
    """A worker's control connection that knows which of its requests wait for an answer."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._waiting: list[ControlFuture] = []
        self._error = ""
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def push(self, request: Any) -> Any:
        """Send a request; when the worker is gone, answer it with the cause."""
        with self._lock:
            future = self._connection.push(request)
            if isinstance(future, ControlFuture):
                self._waiting.append(future)
                if self._error:
                    _answer(future, self._error)
            return future

    def first_error(self) -> str:
        """What the first request that failed was answered with, "" if none failed."""
        with self._lock:
            answered = [future for future in self._waiting if future.is_done()]
            self._waiting = [future for future in self._waiting if not future.is_done()]
        return next((error for future in answered if (error := str(future.get().error))), "")

    def fail(self, error: str) -> None:
        """Answer all requests that wait, and those that come, with an error."""
        with self._lock:
            self._error = error
            for future in self._waiting:
                _answer(future, error)


def _answer(future: ControlFuture, error: str) -> None:
    future.set(beam_fn_api_pb2.InstructionResponse(error=error))
