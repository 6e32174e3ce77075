"""How many local worker processes do the work where nobody says it: one for each core, if there is work for them."""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from wikisem.pipeline.build.inputs import Dump
from wikisem.pipeline.build.run import Run

# To start two workers for each pipeline of a build takes 4 s of CPU (the demo, with 1 and 2 workers, 2026-11-21).
# Below this size of compressed input they save less than that.
WORTH_WORKERS: Final = 64 << 20


def with_workers(run: Run, asked: int | None, input_bytes: int) -> Run:
    """The run with the workers that were asked for, else with as many as its input is worth."""
    if run.runtime.names_runner:
        if asked is not None:
            run.log(f"warning: --workers {asked} is for processes on this machine; with --runner it changes nothing")
        return run
    return replace(run, runtime=replace(run.runtime, workers=asked or _default_workers(input_bytes)))


def size_of_dumps(*dumps: Dump) -> int:
    """The bytes of the files of some dumps."""
    return sum(file.size for dump in dumps for file in dump.files)


def size_of_items(run: Run) -> int:
    """The bytes of the items in OUT, which every stage reads that reads no dump."""
    record = run.ledger.find("entities")
    return record.size if record else 0


def _default_workers(input_bytes: int) -> int:
    return available_cores() if input_bytes >= WORTH_WORKERS else 1


def available_cores(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """The cores that this process may use: by its affinity, and in a container by its share of time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no control groups of version 2, or "max": no limit
        allowed, period = map(int, quota.read_text(encoding="ascii").split())
        cores = min(cores, max(1, allowed // period))
    return cores
