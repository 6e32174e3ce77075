"""Flink and Spark: Beam's job server with the engine inside it, and a Flink cluster of two task managers.

``make job-servers`` fetches what they need into build/engines: the jars of the job servers from Maven Central, Flink
from the Python package apache-flink-libraries, Beam's program that starts a worker from its Go module.
``$WIKISEM_FLINK_JAR`` and ``$WIKISEM_SPARK_JAR`` name another job server: a jar that runs, or a folder of jars.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.engines.servers import free_port, portable, running, worker_pool

JAR_VARIABLES: Final = {"flink": "WIKISEM_FLINK_JAR", "spark": "WIKISEM_SPARK_JAR"}
_FETCHED: Final = Path(__file__).parents[2] / "build" / "engines"
_DRIVERS: Final = {
    "flink": "org.apache.beam.runners.flink.FlinkJobServerDriver",
    "spark": "org.apache.beam.runners.spark.SparkJobServerDriver",
}
# Since Java 17 a program says which insides of the library it uses; these are what Flink and Spark start with.
_PACKAGES: Final = (
    *(
        "java.io",
        "java.lang",
        "java.lang.invoke",
        "java.lang.reflect",
        "java.net",
        "java.nio",
        "java.text",
        "java.time",
    ),
    *("java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.util.concurrent.locks"),
    *("sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar"),
)
_JAVA: Final = ["java", *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _PACKAGES)]
# Flink's own start script divides one total among the parts of the memory. A task manager that is started without the
# script, from the jars alone, has to be given every part.
_TASK_MANAGER: Final = {
    "taskmanager.cpu.cores": "1.0",
    "taskmanager.memory.framework.heap.size": "128m",
    "taskmanager.memory.framework.off-heap.size": "128m",
    "taskmanager.memory.task.heap.size": "384m",
    "taskmanager.memory.task.off-heap.size": "0m",
    "taskmanager.memory.network.min": "64m",
    "taskmanager.memory.network.max": "64m",
    "taskmanager.memory.managed.size": "256m",
    "taskmanager.memory.jvm-metaspace.size": "256m",
    "taskmanager.memory.jvm-overhead.min": "192m",
    "taskmanager.memory.jvm-overhead.max": "192m",
    "taskmanager.numberOfTaskSlots": "1",
}


def lacks_job_server(name: str) -> str:
    """What is missing to start a job server, "" for nothing."""
    if not _job_server(name):
        return f"no job server in build/engines/{name}, and ${JAR_VARIABLES[name]} names none"
    return "" if shutil.which("java") else "no java on the path"


def lacks_flink_cluster() -> str:
    """What is missing to start Flink itself, and its job server."""
    if missing := lacks_job_server("flink"):
        return missing
    for path in (_flink_jars(), _boot()):
        if not path.exists():
            return f"no {path.relative_to(_FETCHED.parents[1])}"
    return ""


def job_server_command(name: str, port: int, master: str) -> list[str]:
    """The command of the job server of Flink or Spark; ``master`` is a cluster's address, "" for none."""
    jar = _job_server(name)
    program = ["-cp", f"{jar}/*", _DRIVERS[name]] if jar and jar.is_dir() else ["-jar", str(jar)]
    address = {"flink": "--flink-master", "spark": "--spark-master-url"}[name]
    ports = [f"--job-port={port}", "--artifact-port=0", "--expansion-port=0"]
    return [*_JAVA, *program, *ports, *([f"{address}={master}"] if master else [])]


def embedded(name: str) -> Callable[[Path], AbstractContextManager[Sequence[str]]]:
    """An engine that its job server starts in its own process, or at the address in ``$WIKISEM_<NAME>_MASTER``."""

    @contextmanager
    def start(folder: Path) -> Iterator[Sequence[str]]:
        jobs, workers = free_port(), free_port()
        master = os.environ.get(f"WIKISEM_{name.upper()}_MASTER", "")
        with (
            running(job_server_command(name, jobs, master), folder, jobs),
            running(worker_pool(workers), folder, workers),
        ):
            yield portable(jobs, workers)

    return start


@contextmanager
def flink_cluster(folder: Path) -> Iterator[Sequence[str]]:
    """One job manager and two task managers of one slot, each of which starts its own worker process.

    A worker pool would not do: its workers are told apart by names that each task manager gives out for itself.
    """
    rest, rpc, jobs = free_port(), free_port(), free_port()
    settings = {
        "jobmanager.rpc.address": "localhost",
        "jobmanager.rpc.port": str(rpc),
        "rest.port": str(rest),
        "rest.bind-address": "localhost",
        "parallelism.default": "2",
        "akka.ask.timeout": "60s",
        # A worker that dies makes Flink begin the work again that depended on it.
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": "1000",
        "restart-strategy.fixed-delay.delay": "1 s",
    }
    (folder / "flink-conf.yaml").write_text("".join(f"{key}: {value}\n" for key, value in settings.items()))
    manager = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
    with ExitStack() as stack:
        stack.enter_context(running(_flink(manager, folder, {}), folder, rest))
        for number in (1, 2):
            place = folder / f"task-manager-{number}"
            place.mkdir()
            one = _flink("org.apache.flink.runtime.taskexecutor.TaskManagerRunner", folder, _TASK_MANAGER)
            stack.enter_context(running(one, place, None))
        stack.enter_context(running(job_server_command("flink", jobs, f"localhost:{rest}"), folder, jobs))
        yield (
            "--runner=PortableRunner",
            f"--job_endpoint=localhost:{jobs}",
            "--environment_type=PROCESS",
            f"--environment_options=process_command={_boot()}",
            "--parallelism=2",
        )


def _flink(main: str, configuration: Path, settings: Mapping[str, str]) -> list[str]:
    changed = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
    return [*_JAVA, "-Xmx512m", "-cp", f"{_flink_jars()}/*", main, "--configDir", str(configuration), *changed]


def _job_server(name: str) -> Path | None:
    """What a variable names, else what was fetched."""
    named = os.environ.get(JAR_VARIABLES[name])
    path = Path(named) if named else _FETCHED / name
    return path if path.exists() else None


def _flink_jars() -> Path:
    return _FETCHED / "pyflink" / "lib"


def _boot() -> Path:
    return _FETCHED / "container"
