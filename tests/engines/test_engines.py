"""How engines are started, compared and reported; what they build is compared by ``make test-engines``."""

import shutil
import socket
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.engines import jvm
from tests.engines.__main__ import Row, compare, run, table
from tests.engines.engines import PRISM_VARIABLE, Engine, engines
from tests.engines.kills import own_workers
from tests.engines.servers import free_port, running
from tests.waiting import wait_until

ENGINE = Engine("trial", "an engine", lambda _: nullcontext(()))


def test_a_row_with_other_bytes_fails_and_names_the_first_file() -> None:
    """A file that is missing, one too many and one with other bytes all count."""
    expected = {"groups/de.jsonl": "1", "groups/en.jsonl": "2", "rejected/de.jsonl": "3"}
    found = {"groups/de.jsonl": "1", "groups/en.jsonl": "x", "rejected/ja.jsonl": "3"}
    row = compare(Row(ENGINE, "ran"), found, expected)
    assert row.failure == "3 of 3 files differ: groups/en.jsonl …"
    assert compare(Row(ENGINE, "ran"), expected, expected).state == "same bytes in all 3 files"


def test_a_failure_is_what_the_table_shows() -> None:
    """Never the state beside it."""
    lines = table([Row(ENGINE, "same bytes in all 3 files", 12.4, "exit code 1"), Row(ENGINE, "skipped: no jar")])
    assert lines.splitlines()[2:] == [
        "| trial | an engine | 12 | exit code 1 |",
        "| trial | an engine |  | skipped: no jar |",
    ]


def test_what_is_not_here_is_skipped_with_its_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A row for each, and nothing is built for it."""
    for variable in [PRISM_VARIABLE, *jvm.JAR_VARIABLES.values()]:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(jvm, "_FETCHED", tmp_path / "build" / "engines")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tests.engines.__main__.build", lambda engine, *_: Row(engine, "ran"))
    monkeypatch.setattr("tests.engines.__main__.tree_of", lambda *_: {"a": "1"})
    names = ["prism-pool", "flink", "flink-cluster", "spark"]
    rows = run(names, tmp_path)
    assert [row.engine.name for row in rows] == ["local-1", *names]
    assert [row.state for row in rows[1:]] == [
        "skipped: no prism on the path, and $WIKISEM_PRISM is not set",
        "skipped: no job server in build/engines/flink, and $WIKISEM_FLINK_JAR names none",
        "skipped: no job server in build/engines/flink, and $WIKISEM_FLINK_JAR names none",
        "skipped: no job server in build/engines/spark, and $WIKISEM_SPARK_JAR names none",
    ]


@pytest.mark.parametrize(
    ("there", "missing"),
    [
        (("flink",), "no build/engines/pyflink/lib"),
        (("flink", "pyflink/lib"), "no build/engines/container"),
        (("flink", "pyflink/lib", "container"), ""),
    ],
)
def test_a_cluster_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, there: tuple[str, ...], missing: str
) -> None:
    """Its job server, Flink itself, and what starts workers."""
    monkeypatch.delenv(jvm.JAR_VARIABLES["flink"], raising=False)
    monkeypatch.setattr(jvm, "_FETCHED", tmp_path / "build" / "engines")
    monkeypatch.setattr(shutil, "which", str)
    for name in there:
        (tmp_path / "build" / "engines" / name).mkdir(parents=True)
    assert jvm.lacks_flink_cluster() == missing


def test_a_variable_names_a_jar_or_a_folder_of_jars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of a folder the main class is known, a jar knows its own; Spark has another word for the cluster's address."""
    jar = tmp_path / "server.jar"
    jar.touch()
    monkeypatch.setenv("WIKISEM_SPARK_JAR", str(jar))
    assert jvm.job_server_command("spark", 7, "spark://host:1")[-6:] == [
        *("-jar", str(jar), "--job-port=7", "--artifact-port=0", "--expansion-port=0"),
        "--spark-master-url=spark://host:1",
    ]
    monkeypatch.setenv("WIKISEM_SPARK_JAR", str(tmp_path))
    words = jvm.job_server_command("spark", 7, "")
    assert words[-6:-3] == ["-cp", f"{tmp_path}/*", "org.apache.beam.runners.spark.SparkJobServerDriver"]


def test_every_engine_has_a_name_of_its_own() -> None:
    """The reference is the first."""
    names = [engine.name for engine in engines()]
    assert names[0] == "local-1"
    assert len(set(names)) == len(names)


def test_a_server_that_ends_at_once_is_an_error_with_what_it_said(tmp_path: Path) -> None:
    """Instead of a wait for its port."""
    command = [sys.executable, "-c", "import sys; sys.exit('no such option')"]
    with pytest.raises(RuntimeError, match="no such option"), running(command, tmp_path, free_port()):
        pass


def test_a_server_is_there_inside_and_gone_after(tmp_path: Path) -> None:
    """Its port answers, and then can be taken again."""
    port = free_port()
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)]
    with running(command, tmp_path, port):
        log = next(tmp_path.glob("*.log"))
        assert log.is_file()
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        with pytest.raises(RuntimeError), running([sys.executable, "-c", ""], tmp_path, port):
            pass


def test_only_workers_of_our_own_servers_are_found(tmp_path: Path) -> None:
    """By the environment that servers hand down, and by the module that they run."""
    module = "apache_beam.runners.worker.sdk_worker_main"
    command = [sys.executable, "-c", "import time; time.sleep(60)", module]
    with running(command, tmp_path, None), running(command[:-1], tmp_path, None):
        stranger = subprocess.Popen(command)
        try:
            wait_until(own_workers)
            found = own_workers()
            assert len(found) == 1
            assert stranger.pid not in found
        finally:
            stranger.kill()
            stranger.wait()
