"""What tests and benchmarks see of processes."""

import os
import subprocess
import sys

import pytest

from tests.processes import command_line, is_alive, marked, parents

SLEEP = [sys.executable, "-c", "import sys; sys.stdin.read()", "sleeper"]
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@linux
def test_a_process_is_found_by_its_parent_its_mark_and_its_command() -> None:
    """And so is what it starts, by its mark; this process has none."""
    environment = {**os.environ, "WIKISEM_TRIAL": f"trial of {os.getpid()}"}
    with subprocess.Popen(SLEEP, stdin=subprocess.PIPE, env=environment) as process:
        mark = f"WIKISEM_TRIAL=trial of {os.getpid()}"
        assert parents()[process.pid] == os.getpid()
        assert marked(mark) == [process.pid]
        assert marked(mark[:-1]) == []
        assert b"sleeper" in command_line(process.pid)


@linux
def test_a_process_that_ended_is_dead_before_anybody_asks_how() -> None:
    """Where nothing reaps orphans they stay in the table for ever."""
    with subprocess.Popen(SLEEP, stdin=subprocess.PIPE) as process:
        assert is_alive(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not is_alive(process.pid)
        assert command_line(process.pid) in ([], [b""])
    assert not is_alive(process.pid)
