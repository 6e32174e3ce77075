"""Beam's local runner with the workers of ``local_workers.py``, which says why they are not Beam's own.

Beam waits for workers that are gone. So they are killed first, and what waits for one is answered in its place.
"""

import json
import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_fn_api_pb2
from apache_beam.runners.portability.fn_api_runner import FnApiRunner, worker_handlers
from apache_beam.transforms.environments import Environment
from google.protobuf import text_format

from wikisem.transforms.io.local_workers import LocalWorkers

_URN: Final = "wikisem:env:local_workers:v1"
# Threads of Beam's that raise when a connection breaks, which is a consequence of a worker's end.
_READERS: Final = frozenset({"beam_control_read", "read_grpc_client_inputs", "forward_grpc_outputs"})
_PATIENCE: Final = 2.0  # seconds for these threads to end
_LOGGERS: Final = (
    "apache_beam.runners.worker.data_plane",
    "apache_beam.runners.portability.fn_api_runner.worker_handlers",
    "apache_beam.runners.portability.fn_api_runner.fn_runner",
)


@dataclass(unsafe_hash=True)
class _LocalEnvironment(Environment):
    """What Beam calls the place where DoFns run; ``key`` is its payload, and names one of ``_running``."""

    key: bytes

    def __post_init__(self) -> None:
        super().__init__()

    def to_runner_api_parameter(self, context: Any) -> tuple[str, bytes]:  # noqa: ARG002
        """The URN, and the payload for the handler."""
        return _URN, self.key


_running: Final[dict[bytes, tuple[LocalWorkers, PipelineOptions]]] = {}


@contextmanager
def local_runner(workers: LocalWorkers, options: PipelineOptions) -> Iterator[FnApiRunner]:
    """Make a runner for one pipeline whose workers are these, as many as ``--direct_num_workers`` says."""
    key, earlier = str(id(workers)).encode(), threading.excepthook
    # Drop what Beam prints and logs about connections to workers that are gone.
    levels = {logger: logger.level for logger in map(logging.getLogger, _LOGGERS)}
    threading.excepthook = lambda raised: None if raised.thread and raised.thread.name in _READERS else earlier(raised)
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    _running[key] = workers, options  # for ``LocalWorkerHandler``, which Beam makes from the key alone
    try:
        yield FnApiRunner(default_environment=_LocalEnvironment(key))
    finally:
        workers.reset()
        del _running[key]
        # Where an interruption kept Beam from closing connections, the threads that read them find out a moment later.
        end = time.monotonic() + _PATIENCE
        for thread in threading.enumerate():
            if thread.name in _READERS:
                thread.join(max(0.0, end - time.monotonic()))
        threading.excepthook = earlier
        for logger, level in levels.items():
            logger.setLevel(level)


@worker_handlers.WorkerHandler.register_environment(_URN, bytes)
class LocalWorkerHandler(worker_handlers.GrpcWorkerHandler):
    """Beam's handle on one worker."""

    def __init__(self, payload: bytes, state: Any, provision_info: Any, grpc_server: Any) -> None:
        super().__init__(state, provision_info, grpc_server)
        self._workers, self._options = _running[payload]
        self.control_conn: Any = _Connection(self.control_conn)  # what Beam sends requests by
        self.first_error = self.control_conn.first_error

    def start_worker(self) -> None:
        """Fork the worker."""
        control = text_format.MessageToString(self.control_api_service_descriptor())
        options = json.dumps(self._options.get_all_options(drop_default=True), default=str)
        self._workers.start(
            self, {"CONTROL_API_SERVICE_DESCRIPTOR": control, "WORKER_ID": self.worker_id, "PIPELINE_OPTIONS": options}
        )

    def fail(self, error: str) -> None:
        """Let nothing wait for this worker any longer."""
        self.control_conn.fail(error)
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


@dataclass(eq=False)
class _Connection:
    """A worker's control connection that knows which of its requests wait for an answer."""

    _connection: Any
    _waiting: list[worker_handlers.ControlFuture] = field(default_factory=list)
    _error: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def push(self, request: Any) -> Any:
        """Send a request; when the worker is gone, answer it with the cause."""
        with self._lock:
            future = self._connection.push(request)  # a dead worker never reads it, but this makes the future
            if isinstance(future, worker_handlers.ControlFuture):  # None for the mark by which Beam ends the connection
                self._waiting.append(future)  # so that ``fail`` can answer it, if the worker dies before it does
                if self._error:
                    future.set(beam_fn_api_pb2.InstructionResponse(error=self._error))
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
                future.set(beam_fn_api_pb2.InstructionResponse(error=error))
