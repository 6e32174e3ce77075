"""The memory of a run that is more than one process, and what else the machine did meanwhile (Linux)."""

import multiprocessing
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.processes import parents

_PRIVATE = re.compile(r"^RssAnon:\s+(\d+) kB$", re.MULTILINE)
_MAPPED = re.compile(r"^RssFile:\s+(\d+) kB$", re.MULTILINE)
_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)
_PSS = re.compile(r"^Pss:\s+(\d+) kB$", re.MULTILINE)
_ANONYMOUS = re.compile(r"^Pss_Anon:\s+(\d+) kB$", re.MULTILINE)


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


@dataclass
class Held:
    """Most bytes of any one process: private ones, those of mapped files, which processes share, and both at once."""

    private: int = 0
    mapped: int = 0
    peak: int = 0


@contextmanager
def watch_children() -> Iterator[Held]:
    """While inside, note what each process below this one holds; looked at ten times a second."""
    held, done = Held(), threading.Event()

    def look() -> None:
        while not done.wait(0.1):
            for pid in _descendants(os.getpid()) - {os.getpid()}:
                status = Path(f"/proc/{pid}/status")
                held.private = max(held.private, _number(_PRIVATE, status) * 1024)
                held.mapped = max(held.mapped, _number(_MAPPED, status) * 1024)
                # The system's own record since the program began: unlike ru_maxrss, not that of who started it.
                held.peak = max(held.peak, _number(_PEAK, status) * 1024)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield held
    finally:
        done.set()
        watcher.join()


def _descendants(root: int) -> set[int]:
    parent_of = parents()
    found, new = {root}, {root}
    while new:
        new = {pid for pid, parent in parent_of.items() if parent in new} - found
        found |= new
    return found


def _held(pid: int) -> int:
    return _number(_PSS, Path(f"/proc/{pid}/smaps_rollup")) * 1024


def _number(pattern: re.Pattern[str], path: Path) -> int:
    return _numbers([pattern], path)[0]


def _numbers(patterns: Sequence[re.Pattern[str]], path: Path) -> list[int]:
    try:
        text = path.read_text()
    except OSError:  # it has ended since it was listed
        text = ""
    return [int(found.group(1)) if (found := pattern.search(text)) else 0 for pattern in patterns]


@dataclass(frozen=True)
class Watched:
    """A call in a process of its own: seconds, CPU seconds of it and its descendants, and the most bytes of both.

    ``peak`` is memory, shared pages counted once (PSS), ``private`` the most of it at one moment that is no mapped
    file, whose pages the system takes back when memory is short. ``largest`` is the most that any one process held,
    ``disk`` what all files below a folder take.
    """

    seconds: float
    cpu: float
    peak: int
    private: int
    largest: int
    disk: int


def watch_tree(folder: Path, function: Callable[..., object], *arguments: Any) -> Watched:
    """Call a function in a process of its own, and look at it and its descendants up to three times a second.

    They wait while all that they have mapped is walked, so looking takes a tenth of the time at most.
    """
    process = multiprocessing.get_context("spawn").Process(target=function, args=arguments)
    begun = time.perf_counter()
    process.start()
    ticks: dict[int, int] = {}
    peak = private = largest = disk = 0
    looks = 0
    while process.is_alive():
        began = time.perf_counter()
        tree = _descendants(process.pid or 0)
        held = [_numbers((_PSS, _ANONYMOUS), Path(f"/proc/{pid}/smaps_rollup")) for pid in tree]
        total, anonymous = (1024 * sum(each) for each in zip(*held, strict=True))
        peak, private = max(peak, total), max(private, anonymous)
        largest = max(largest, *(1024 * pss for pss, _ in held))
        ticks |= {pid: used for pid in tree if (used := _ticks(pid))}
        if looks % 10 == 0:
            disk = max(disk, disk_used(folder))
        looks += 1
        time.sleep(max(0.3, 9 * (time.perf_counter() - began)))
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{function.__name__} ended with exit code {process.exitcode}")
    cpu = sum(ticks.values()) / os.sysconf("SC_CLK_TCK")
    return Watched(time.perf_counter() - begun, cpu, peak, private, largest, max(disk, disk_used(folder)))


def disk_used(folder: Path) -> int:
    """The bytes that the files below a folder take, a file with two names counted once."""
    taken: dict[int, int] = {}
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                found = Path(root, name).lstat()
            except OSError:  # it has been removed since it was listed
                continue
            taken[found.st_ino] = found.st_blocks * 512
    return sum(taken.values())


def _ticks(pid: int) -> int:
    """The CPU time of a process so far, in clock ticks; 0 where it has ended."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(words[11]) + int(words[12])
