"""The processes of this machine: which live, who started them, and by which mark in the environment they are known."""

import os
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")


def parents() -> dict[int, int]:
    """The parent of every process that lives (Linux); one that has ended and still waits to be asked how does not."""
    return dict(_living())


def _living() -> Iterator[tuple[int, int]]:
    for pid in (int(path.name) for path in _PROC.iterdir() if path.name.isdigit()):
        try:
            stat = (_PROC / str(pid) / "stat").read_bytes()
        except OSError:  # it has ended since it was listed
            continue
        state, parent = stat.rpartition(b")")[2].split()[:2]  # after the name, which may hold blanks and parentheses
        if state not in (b"Z", b"X"):
            yield pid, int(parent)


def is_alive(pid: int) -> bool:
    """Whether a process lives."""
    if _PROC.joinpath("self").exists():
        return pid in parents()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def marked(mark: str) -> list[int]:
    """The processes whose environment has a line NAME=VALUE, which those that they start have, too (Linux)."""
    return sorted(pid for pid in parents() if mark.encode() in _read(pid, "environ"))


def command_line(pid: int) -> list[bytes]:
    """The words of a process's command (Linux); none where it has ended or is another user's."""
    return _read(pid, "cmdline")


def _read(pid: int, name: str) -> list[bytes]:
    try:
        return (_PROC / str(pid) / name).read_bytes().split(b"\0")
    except OSError:
        return []
