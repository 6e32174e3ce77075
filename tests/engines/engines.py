"""The engines: what each of them needs, how it is started, and the options that send a build to it."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.engines.jvm import embedded, flink_cluster, lacks_flink_cluster, lacks_job_server
from tests.engines.servers import free_port, portable, running, worker_pool

PRISM_VARIABLE: Final = "WIKISEM_PRISM"


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
        Engine("flink", "Flink in its job server", embedded("flink"), missing=partial(lacks_job_server, "flink")),
        Engine("flink-cluster", "Flink, two task managers with workers", flink_cluster, missing=lacks_flink_cluster),
        Engine("spark", "Spark in its job server", embedded("spark"), missing=partial(lacks_job_server, "spark")),
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
    with running(server, folder, jobs), running(worker_pool(workers), folder, workers):
        yield portable(jobs, workers)


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
