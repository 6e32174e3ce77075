"""Servers of our own, each in its own folder, and the options of a job for one that speaks Beam's job API."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# In the environment of every server, and of what it starts: by this our own are told from others.
MARK: Final = f"WIKISEM_ENGINES={os.getpid()}-{time.time_ns()}"
_START_SECONDS: Final = 60.0


def worker_pool(port: int) -> list[str]:
    """The command of Beam's worker pool."""
    return [sys.executable, "-P", "-m", "apache_beam.runners.worker.worker_pool_main", f"--service_port={port}"]


def portable(jobs: int, workers: int) -> Sequence[str]:
    """The options of a job for the server at one port, whose workers come from the pool at the other."""
    return (
        "--runner=PortableRunner",
        f"--job_endpoint=localhost:{jobs}",
        "--environment_type=EXTERNAL",
        f"--environment_config=localhost:{workers}",
    )


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running(command: Sequence[str], folder: Path, port: int | None) -> Iterator[None]:
    """A server of our own in its own folder, from when its port answers until the block is left."""
    log = folder / f"{Path(command[0]).name}-{port or 'log'}.log"
    with log.open("wb") as sink:
        # Beam starts its workers with the first ``python`` on the path. Without the variable it would first make a new
        # virtual environment for each of them.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        name, _, value = MARK.partition("=")
        environment = {**os.environ, "PATH": path, "RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT": "1", name: value}
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=sink, stderr=subprocess.STDOUT)
        try:
            if port is not None:
                _wait_for(port, child, log)
            yield
        finally:
            child.terminate()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _wait_for(port: int, child: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if child.poll() is not None:
            break
        try:
            socket.create_connection(("localhost", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise RuntimeError(f"expected {child.args!r} to listen on port {port}, saw {tail or 'nothing'}")
