"""How engines are started, compared and reported; what they build is compared by ``make test-engines``."""

import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.engines.__main__ import Row, compare, run, table
from tests.engines.engines import JAR_VARIABLES, PRISM_VARIABLE, Engine, engines, free_port, running

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
    for variable in [PRISM_VARIABLE, *JAR_VARIABLES.values()]:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tests.engines.__main__.build", lambda engine, *_: Row(engine, "ran"))
    monkeypatch.setattr("tests.engines.__main__.tree_of", lambda *_: {"a": "1"})
    names = ["prism-pool", "flink", "spark"]
    rows = run(names, tmp_path)
    assert [row.engine.name for row in rows] == ["local-1", *names]
    assert [row.state for row in rows[1:]] == [
        "skipped: no prism on the path, and $WIKISEM_PRISM is not set",
        "skipped: $WIKISEM_FLINK_JAR names no job server's jar",
        "skipped: $WIKISEM_SPARK_JAR names no job server's jar",
    ]


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
    with pytest.raises(RuntimeError), running([sys.executable, "-c", ""], tmp_path, port):
        pass
