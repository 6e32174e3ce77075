"""One build of the sample world, interrupted at a seeded moment and resumed, and what was seen of it."""

import multiprocessing
import os
import random
import re
import shutil
import sys
import time
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from tests.interruptions.kinds import Disk, Kind
from tests.interruptions.processes import Process
from tests.trees import results_of
from tests.waiting import PATIENCE
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import write_sample_world

LANGUAGES = ("de", "en")
# What a run that lasts says about its progress.
_PROGRESS = re.compile(r"[\w: ]+: (\d+ of \d+ languages, )?\d+ of \S+ parts, .*\d+ s")
_ALLOWED = 10.0
_TRIES = 30


@dataclass(frozen=True)
class World:
    """The dumps that are built from, what a whole run leaves, how many files it makes on the way, and its seconds."""

    inputs: Sequence[str]
    results: dict[str, str]
    lines: Collection[str]
    files: int
    seconds: float

    def words(self, output: Path, workers: int) -> list[str]:
        """The words of the command."""
        return ["build", "demo", *self.inputs, "--output", str(output), "--workers", str(workers)]


@dataclass(frozen=True)
class Outcome:
    """What an interrupted run did: ``said`` are the lines on stderr that a whole run does not write.

    It may take ten seconds to end, or on a slow machine twice as long as a whole run: ``allowed``.
    """

    kind: Kind
    workers: int
    moment: int
    exit_code: int | None
    seconds: float
    allowed: float
    left: int
    said: Sequence[str]
    resumed: str

    def faults(self) -> list[str]:
        """What is not as it should be."""
        messages = [line for line in self.said if line.startswith("wikisem: ")]
        expected = 0 if self.kind.says is None else 1
        found = {
            f"exit code {self.exit_code}": self.exit_code == self.kind.exit_code,
            f"{self.seconds:.1f} s": self.seconds <= self.allowed,
            f"{self.left} processes left": self.left == 0,
            f"said {self.said}": len(messages) == expected
            and len(self.said) == expected
            and all((self.kind.says or "") in line for line in messages),
            self.resumed: not self.resumed,
        }
        return [fault for fault, fine in found.items() if not fine]


def make_world(folder: Path, languages: Sequence[str] = LANGUAGES) -> World:
    """Write the dumps, and build once without interruption."""
    dumps = write_sample_world(str(folder))
    wikipedias = [f"{language}={dumps.wikipedia[language]}" for language in languages]
    inputs = ["--wikidata", dumps.wikidata, "--wikipedia", *wikipedias]
    world, output = World(inputs, {}, (), 0, 0.0), folder / "whole"
    begin = time.monotonic()
    process = Process(world.words(output, 2))
    seen = FilesSeen(output)
    while process.is_running:
        seen.look()
    code, seconds = process.wait(1), time.monotonic() - begin
    process.end()
    assert code == 0, process.lines()
    lines = frozenset(_anywhere(line, output) for line in process.lines())
    return World(inputs, results_of(output), lines, len(seen.paths), seconds)


def _anywhere(line: str, output: Path) -> str:
    """A line as a run into any other folder would write it."""
    return line.replace(str(output), "OUT")


class FilesSeen:
    """The files that a run has made so far: its own clock, which a slow machine does not change."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self.paths: set[str] = set()

    def look(self) -> None:
        """Add what is there now."""
        self.paths.update(f"{folder}/{name}" for folder, _, names in os.walk(self._output) for name in names)
        time.sleep(0.01)


def interrupt(world: World, kind: Kind, seed: int, folder: Path) -> Outcome:
    """Interrupt a run when it has made a seeded number of files, then resume it. OSError if the kind needs a mount."""
    chance = random.Random(f"{kind.name} {seed}")
    workers, moment = kind.workers[seed % len(kind.workers)], chance.randint(1, world.files)
    disk = folder / "disk"
    disk.mkdir(parents=True)
    with Disk(disk) if kind.needs_disk else nullcontext():
        for _ in range(_TRIES):
            if outcome := _try(world, kind, chance, disk / "out", workers, moment):
                break
            # Files that came and went between two looks were not counted: the moment was never reached.
            moment = max(1, moment * 3 // 4)
            shutil.rmtree(disk / "out")
        else:
            raise AssertionError(f"expected {kind.name} to interrupt a run, saw {_TRIES} end as if it had not come")
    shutil.rmtree(folder)
    return outcome


def _try(world: World, kind: Kind, chance: random.Random, output: Path, workers: int, moment: int) -> Outcome | None:
    process = Process(world.words(output, workers), terminal=kind.terminal, ignoring=kind.ignoring)
    seen = FilesSeen(output)
    while process.is_running and len(seen.paths) < moment:
        seen.look()
    begin = time.monotonic()
    acted = process.is_running and kind.act(process, output, chance)
    code = process.wait(PATIENCE)
    seconds = time.monotonic() - begin
    if code is None:
        process.kill()
    left = process.end()
    if acted:
        kind.undo(output)
    if not acted and code != 0:
        raise AssertionError(f"expected a run to interrupt, saw it end with exit code {code}: {process.lines()}")
    if code == 0:
        return None
    said = [line for line in process.lines() if not _is_usual(_anywhere(line, output), world, kind)]
    allowed = max(_ALLOWED, 2 * world.seconds)
    return Outcome(kind, workers, moment, code, seconds, allowed, len(left), said, _resume(world, output, workers))


def _is_usual(line: str, world: World, kind: Kind) -> bool:
    """Whether a whole run writes the line, too; on a terminal, whether it is a part of a bar."""
    if kind.terminal:
        return not line.startswith(("wikisem: ", "Traceback", "Exception", "  File")) and "Error" not in line
    return line in world.lines or _PROGRESS.fullmatch(line) is not None


# To resume, a process is enough that is forked where Beam is imported already.
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["wikisem.pipeline.commands.stages"])


def _build(words: Sequence[str], said: Path) -> None:
    """Run a command; what it says goes to a file."""
    with said.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.exit(main(words))


def _resume(world: World, output: Path, workers: int) -> str:
    """Run the command again; what is wrong with what it leaves, if anything is."""
    said = output.with_name("resumed.log")
    process = _FORKS.Process(target=_build, args=(world.words(output, workers), said))
    process.start()
    process.join(2 * PATIENCE)
    if process.exitcode != 0:
        process.kill()
        return f"resumed with exit code {process.exitcode}: {said.read_text().splitlines()[-3:]}"
    if results_of(output) != world.results:
        return "resumed to other bytes"
    return "scratch left" if (output / ".work").exists() else ""
