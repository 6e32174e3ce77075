"""The memory of a run that is more than one process: all of them together, at its highest moment (Linux)."""

import multiprocessing
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PPID = re.compile(r"^PPid:\s+(\d+)$", re.MULTILINE)
_PSS = re.compile(r"^Pss:\s+(\d+) kB$", re.MULTILINE)


def peak_of_tree(function: Callable[..., object], *arguments: Any) -> int:
    """Call a function in a process of its own; the most bytes that it and its descendants held at one moment.

    Shared pages count once (PSS). Looked at five times a second.
    """
    process = multiprocessing.get_context("spawn").Process(target=function, args=arguments)
    process.start()
    peak = 0
    while process.is_alive():
        peak = max(peak, sum(_held(pid) for pid in _descendants(process.pid or 0)))
        time.sleep(0.2)
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{function.__name__} ended with exit code {process.exitcode}")
    return peak


def _descendants(root: int) -> set[int]:
    parents = {int(path.parent.name): _number(_PPID, path) for path in Path("/proc").glob("[0-9]*/status")}
    found, new = {root}, {root}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - found
        found |= new
    return found


def _held(pid: int) -> int:
    return _number(_PSS, Path(f"/proc/{pid}/smaps_rollup")) * 1024


def _number(pattern: re.Pattern[str], path: Path) -> int:
    try:
        found = pattern.search(path.read_text())
    except OSError:  # it has ended since it was listed
        return 0
    return int(found.group(1)) if found else 0
