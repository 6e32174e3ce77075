"""The engines: what each of them needs, how it is started, and the options that send a build to it."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

PRISM_VARIABLE: Final = "WIKISEM_PRISM"
JAR_VARIABLES: Final = {"flink": "WIKISEM_FLINK_JAR", "spark": "WIKISEM_SPARK_JAR"}
_START_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Engine:
    """A way to run a build: ``start`` gives its Beam options, ``missing`` says what it lacks here, "" for nothing."""

    name: str
    about: str
    start: Callable[[Path], AbstractContextManager[Sequence[str]]]
    workers: int = 1
    missing: Callable[[], str] = str


def prism() -> str | None:
    """The prism binary: what $WIKISEM_PRISM names, else the one on the path."""
    return os.environ.get(PRISM_VARIABLE) or shutil.which("prism")


def engines() -> list[Engine]:
    """All of them, the reference first."""
    local = [
        Engine("local-1", "in this process", _local),
        Engine("local-2", "two worker processes", _local, workers=2),
    ]
    return [
        *local,
        Engine("prism-loopback", "Prism, workers in the driver", _prism_loopback, missing=_no_prism),
        Engine("prism-pool", "Prism server, worker pool in another folder", _prism_with_pool, missing=_no_prism),
        Engine("dask", "Dask cluster of two worker processes", _dask, missing=_no_dask),
        *(_jar_engine(name) for name in JAR_VARIABLES),
    ]


def _local(folder: Path) -> AbstractContextManager[Sequence[str]]:
    del folder
    return nullcontext(())


def _no_prism() -> str:
    return "" if prism() else f"no prism on the path, and ${PRISM_VARIABLE} is not set"


def _prism_loopback(folder: Path) -> AbstractContextManager[Sequence[str]]:
    del folder
    return nullcontext(("--runner=PrismRunner", f"--prism_location={prism()}", "--environment_type=LOOPBACK"))


@contextmanager
def _prism_with_pool(folder: Path) -> Iterator[Sequence[str]]:
    """A server that outlives the job, and workers that share nothing with the driver but the file system."""
    jobs, web, workers = free_port(), free_port(), free_port()
    server = [str(prism()), f"--job_port={jobs}", f"--web_port={web}", "--idle_shutdown_timeout=-1s"]
    with running(server, folder, jobs), running(_pool(workers), folder, workers):
        yield _portable(jobs, workers)


def _pool(port: int) -> list[str]:
    return [sys.executable, "-P", "-m", "apache_beam.runners.worker.worker_pool_main", f"--service_port={port}"]


def _portable(jobs: int, workers: int) -> Sequence[str]:
    """The options of a job for the server at one port, whose workers come from the pool at the other."""
    return (
        "--runner=PortableRunner",
        f"--job_endpoint=localhost:{jobs}",
        "--environment_type=EXTERNAL",
        f"--environment_config=localhost:{workers}",
    )


def _no_dask() -> str:
    return "" if find_spec("distributed") else "the package dask[distributed] is not installed"


@contextmanager
def _dask(folder: Path) -> Iterator[Sequence[str]]:
    """A scheduler and two workers, started as on a cluster."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = ["worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--local-directory", "."]
    with ExitStack() as stack:
        for number, words in enumerate((scheduler, worker, worker)):
            place = folder / f"dask-{number}"
            place.mkdir()
            command = [sys.executable, "-P", "-m", "distributed.cli.dask_" + words[0], *words[1:]]
            stack.enter_context(running(command, place, port if words is scheduler else None))
        yield ("--runner=apache_beam.runners.dask.dask_runner.DaskRunner", f"--dask_client_address={address}")


def _jar_engine(name: str) -> Engine:
    """Beam's job server for Flink or Spark: the engine that the jar carries, unless a cluster's address is given.

    ``$WIKISEM_FLINK_MASTER`` and ``$WIKISEM_SPARK_MASTER`` name a cluster; without them the job server starts the
    engine in its own process. Workers are those of a pool, which the engine shares.
    """
    variable = JAR_VARIABLES[name]

    @contextmanager
    def start(folder: Path) -> Iterator[Sequence[str]]:
        jobs, workers = free_port(), free_port()
        master = os.environ.get(f"WIKISEM_{name.upper()}_MASTER")
        server = ["java", "-jar", os.environ[variable], f"--job-port={jobs}", "--artifact-port=0", "--expansion-port=0"]
        server += [f"--{name}-master={master}"] if master else []
        with running(server, folder, jobs), running(_pool(workers), folder, workers):
            yield _portable(jobs, workers)

    def missing() -> str:
        if not os.environ.get(variable):
            return f"${variable} names no job server's jar"
        return "" if shutil.which("java") else "no java on the path"

    return Engine(name, f"{name.capitalize()} through Beam's job server", start, missing=missing)


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def running(command: Sequence[str], folder: Path, port: int | None) -> Iterator[None]:
    """A server of our own in its own folder, from when its port answers until the block is left."""
    log = folder / f"{Path(command[0]).name}-{port}.log"
    with log.open("wb") as sink:
        # Beam's worker pool starts whatever ``python`` is first on the path.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path}
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
