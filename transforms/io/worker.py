"""The process that local workers are forked from, and the workers: ``python -m wikisem.transforms.io.worker FD PIPE``.

It imports Beam and wikisem once, has no threads of Python's and opens no connection, so a fork of it is a worker within
milliseconds. It forks and kills as the run asks over the socket FD, one line of JSON each, and reports which workers
have ended:

    {"start": "worker_0", "environment": {…}}     {"end": "worker_0"}
    {"worker": "worker_0", "status": -9}

However the run ends, the socket closes then, and this process kills the workers and ends. If it is killed itself, they
die with it. ``multiprocessing``'s fork server is not used: it imports the user's main module in each process.

Beam's local runner with LocalWorkers as its workers.

Beam 2.77 starts a worker by a shell, with a new import of Beam; it waits for ever when one dies, and when a run is
interrupted before a worker has connected: it joins a thread that waits for a process that nobody told to end. So the
workers here are killed first when a run fails, and whatever waits for one that is gone gets an answer.
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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

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

import wikisem.transforms
from wikisem.transforms.io.counts import tell
from wikisem.transforms.io.local_workers import LocalWorkers

_PR_SET_PDEATHSIG: Final = 1  # include/uapi/linux/prctl.h
_PARENT_CHECK: Final = 0.5  # seconds between two looks whether the parent is still there


class WorkerForks:
    """The workers of a run: forked and killed at its request, until it is gone."""

    def __init__(self, channel: socket.socket, pipe: int) -> None:
        self._channel, self._pipe = channel, pipe
        self._names: dict[int, str] = {}
        self._text = b""

    def serve(self) -> None:
        """Do what the run asks until its end of the socket closes, or it is gone; then kill all workers."""
        parent = os.getppid()
        wake_up, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # a handler that does nothing, so that it wakes ``select``
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        try:
            while os.getppid() == parent:
                channel = self._channel.fileno()
                ready = select.select([channel, wake_up], [], [], _PARENT_CHECK)[0]
                if wake_up in ready:
                    os.read(wake_up, 1 << 12)
                if channel in ready and not self._take_requests():
                    return
                self._report_ended()
        finally:
            for pid in self._names:
                os.kill(pid, signal.SIGKILL)
            for pid in self._names:
                os.waitpid(pid, 0)

    def _take_requests(self) -> bool:
        """Do what the run has asked; False when it asks no more."""
        received = self._channel.recv(1 << 16)
        *lines, self._text = (self._text + received).split(b"\n")
        for line in lines:
            request = json.loads(line)
            if "start" in request:
                self._fork(request["start"], request["environment"])
            else:
                self._kill(request["end"])
        return bool(received)

    def _fork(self, name: str, environment: Mapping[str, str]) -> None:
        starter = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._channel.close()
            tell(self._pipe)
            _end_as_worker(environment, starter)
        self._names[pid] = name

    def _kill(self, name: str) -> None:
        for pid, known in self._names.items():
            if known == name:
                os.kill(pid, signal.SIGKILL)

    def _report_ended(self) -> None:
        while self._names:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._report({"worker": self._names.pop(pid), "status": os.waitstatus_to_exitcode(status)})

    def _report(self, message: Mapping[str, Any]) -> None:
        try:
            self._channel.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            return  # the run is gone; the next look at the socket says so


def _end_as_worker(environment: Mapping[str, str], starter: int) -> None:
    """Be a worker from here on, and never return."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        die_with_parent(starter)
        _work(environment)
        code = 0
    finally:
        os._exit(code)


def _work(environment: Mapping[str, str]) -> None:
    from apache_beam.runners.worker.sdk_worker_main import create_harness  # noqa: PLC0415 - imported before the fork

    # Beam prints what a bundle raises to stderr; the run hears of it through the bundle's result, too.
    sys.stdout = sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the process ends
    _, harness, _ = create_harness(environment)
    harness.run()


def die_with_parent(parent: int, platform: str = sys.platform) -> None:
    """Let this process be killed when its parent, the process ``parent``, has ended, at once or within a second."""
    if platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    else:
        threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()
    if os.getppid() != parent:  # it ended before anybody watched
        os._exit(1)


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK)
    os._exit(1)


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


def main(descriptor: int, pipe: int) -> None:
    """Fork workers for the run at the other end of a socket, which tell through a pipe how much they have read."""
    # Ctrl-C and a closed terminal reach every process of the group; what they mean to a run is the run's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    import_all()
    WorkerForks(socket.socket(fileno=descriptor), pipe).serve()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))


_URN: Final = "wikisem:env:local_workers:v1"
# Threads of Beam's that raise when a connection breaks, which is a consequence of a worker's end.
_READERS: Final = frozenset({"beam_control_read", "read_grpc_client_inputs", "forward_grpc_outputs"})

_PATIENCE: Final = 2.0  # seconds for them to end
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
