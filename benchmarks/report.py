"""How every benchmark here measures, and how it writes what it measured.

``compare`` runs contenders in turn, round after round, so that a slow minute of the machine hits them all alike; each
run is a process of its own, timed from inside so that start-up stays out, with the peak memory of that process.
``Result`` gives medians. ``table`` makes Markdown, ``write_section`` puts it into ``docs/benchmarks.md`` below the
machine and the versions. A contender is a module-level function with arguments that pickle::

    results = compare({"ours": Call(read_ours, (path,)), "peer": Command(("node", "peer.js", path))}, rounds=5)
    rows = [[name, f"{size / result.seconds / 1e6:.0f}"] for name, result in results.items()]
    write_section("Links", table(["reader", "MB/s"], rows))
"""

import importlib.metadata
import multiprocessing
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"
PAGE = DOCS.with_suffix(".md")
_KIB = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss


@dataclass(frozen=True)
class Call:
    """A function of a module that a new Python process calls."""

    function: Callable[..., object]
    arguments: tuple[Any, ...] = ()

    def measure(self) -> "Run":
        """One run in a process of its own; the imports of the function's module are not timed."""
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_timed, args=(sender, self.function, self.arguments))
        process.start()
        sender.close()
        try:
            run: Run = receiver.recv()
        except EOFError as error:
            raise RuntimeError(f"{self.function.__name__} ended without a result, see above") from error
        process.join()
        return run


@dataclass(frozen=True)
class Command:
    """A program; its whole run is timed, start-up included, and what it prints is dropped."""

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    def measure(self) -> "Run":
        """One run; CalledProcessError when it fails."""
        begun = time.perf_counter()
        process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL, env={**os.environ, **self.environment})
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, self.words)
        return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _KIB)


@dataclass(frozen=True)
class Run:
    """One run: wall time and CPU time in seconds, peak memory in bytes (of the largest process, if there were more)."""

    seconds: float
    cpu: float
    peak: int


@dataclass(frozen=True)
class Result:
    """All runs of one contender."""

    runs: tuple[Run, ...]

    @property
    def seconds(self) -> float:
        """The median wall time."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def cpu(self) -> float:
        """The median CPU time."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def peak(self) -> int:
        """The largest peak memory of any run, in bytes."""
        return max(run.peak for run in self.runs)


def compare(contenders: Mapping[str, Call | Command], rounds: int = 5) -> dict[str, Result]:
    """Run every contender once in each round; every second round runs them in the opposite order."""
    runs: dict[str, list[Run]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name in list(contenders)[:: -1 if number % 2 else 1]:
            runs[name].append(contenders[name].measure())
            print(f"round {number + 1}/{rounds}: {name}: {runs[name][-1].seconds:.2f} s", file=sys.stderr)
    return {name: Result(tuple(found)) for name, found in runs.items()}


def _timed(sender: Any, function: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    begun, busy = time.perf_counter(), _cpu()
    function(*arguments)
    seconds, cpu = time.perf_counter() - begun, _cpu() - busy
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    sender.send(Run(seconds, cpu, peak * _KIB))
    sender.close()


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; every column but the first is aligned to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def machine(packages: Sequence[str]) -> str:
    """The machine and the versions that figures hold for."""
    model = next((line.partition(": ")[2] for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "")
    kind = model or platform.processor() or platform.machine()
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    load = os.getloadavg()[0]
    return (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores ({kind}), load {load:.1f} at the end; "
        f"Python {platform.python_version()}, {versions}."
    )


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []


def write_section(title: str, body: str, packages: Sequence[str] = ()) -> Path:
    """Write the section of ``docs/benchmarks.md``: the title, what was measured, the machine and versions."""
    section = f"## {title}\n\n{body.strip()}\n\n{machine(packages)}\n"
    sections = re.split(r"\n(?=## )", PAGE.read_text(encoding="utf-8"))
    place = next((n for n, each in enumerate(sections) if each.startswith(f"## {title}\n")), len(sections))
    sections[place : place + 1] = [section]
    PAGE.write_text("\n".join(sections), encoding="utf-8")
    return PAGE
