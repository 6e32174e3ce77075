"""One command with its output folder, its runner and its limits, and the folders that its units write to."""

import argparse
import logging
import os
import re
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from wikisem import files
from wikisem.atomic_files import find_abandoned
from wikisem.errors import OutputError, UsageError
from wikisem.layout import NOTES, Scratch, folder_below, unreadable_path, work_folder
from wikisem.outputs.groupfile import FORMATS
from wikisem.pipeline.console.terminal import log, progress
from wikisem.pipeline.runs.inputs import Dump
from wikisem.pipeline.runs.ledger import Ledger, Record, find_damage
from wikisem.transforms.io.local_workers import changed_internal
from wikisem.transforms.io.runtime import Runtime, StageContext

_LOG: Final = logging.getLogger(__name__)

# The folders in OUT in which files have plain names; not .wikisem, where runs that wait write their lock files.
_PLAIN: Final = (
    "languages",
    "groups",
    "rejected",
    "unreadable",
    "walls",
    "names/*",
    *(f"{name}/*" for name in FORMATS),
)
_SCRATCH_NOTE: Final = re.compile(r"/([0-9a-f]{12})\.json$")


@dataclass(frozen=True)
class Run:
    """State shared by all units of one command; ``log`` gets lines for people, and ignores them by default.

    ``max_unreadable`` is the rate of unreadable records that fails a unit, see ``Counts.check_unreadable``. ``name`` is
    this run's own; ``break_lock`` lets it begin where another one seems to be at work.
    """

    output: str
    runtime: Runtime
    max_unreadable: float = 0.01
    log: Callable[[str], object] = lambda _: None
    break_lock: bool = False
    name: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    ledger: Ledger = field(init=False, repr=False, compare=False)
    _damage: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    _made: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    _logged_once: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ledger", Ledger(self.output))

    def find_damage(self, record: Record) -> str:
        """A description of what is wrong with the files of a unit; checked once a run."""
        if record.fingerprint not in self._damage:
            self._damage[record.fingerprint] = find_damage(self.output, record)
        return self._damage[record.fingerprint]

    def put(self, record: Record) -> None:
        """Record that a unit is finished."""
        self.ledger.put(record)
        self._damage.pop(record.fingerprint, None)

    def log_once(self, line: str) -> None:
        """Log a line that several stages may have to say."""
        if line not in self._logged_once:
            self._logged_once.add(line)
            self.log(line)

    @property
    def scratch(self) -> str:
        """Where stages keep what goes when they are over: a folder of this run alone."""
        return f"{work_folder(self.output)}/{self.name}"

    @contextmanager
    def tidying(self, what: str) -> Iterator[None]:
        """While inside, errors are only logged: files that cannot be removed only take space."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - stores raise errors of their own
            self.log(f"warning: {what} stays: {error}")

    def remove_scratch(self) -> None:
        """Remove what is left of this run's scratch, never that of a run that broke its lock."""
        self._remove_scratch_of(self.name)
        if (work := work_folder(self.output)) in self._made:
            with suppress(OSError):  # not empty
                Path(work).rmdir()

    def remove_leftovers(self) -> None:
        """Remove the scratch and unfinished plain files of interrupted runs: no other run is at work.

        A run leaves a file beside its scratch that names its owner. Anything else there is not wikisem's, and stays.
        """
        work = work_folder(self.output)
        runs = [found[1] for path in files.list_files(f"{work}/*") if (found := _SCRATCH_NOTE.search(path))]
        for run in runs:
            self._remove_scratch_of(run)
        if files.is_local(self.output):
            root = Path(self.output)
            if runs:
                with suppress(OSError):  # not empty
                    Path(work).rmdir()
            for folder in (root, *(found for name in _PLAIN for found in root.glob(name))):
                for part in find_abandoned(folder):
                    with self.tidying(str(part)):
                        files.remove_below(self.output, str(part.relative_to(root)))
        if files.list_files(f"{work}/**"):
            self.log(f"warning: {work} has files that no run of wikisem left there; they stay")

    def remove_scratch_folder(self, folder: str) -> None:
        """Remove a folder in this run's scratch, if it is there."""
        work = work_folder(self.output)  # which may be a link to another disk
        files.remove_below(work, folder.removeprefix(f"{work}/"))

    def _remove_scratch_of(self, run: str) -> None:
        folder = f"{work_folder(self.output)}/{run}"
        with self.tidying(folder):
            self.remove_scratch_folder(folder)
            files.remove(f"{folder}.json")

    def context(self, name: str, fingerprints: Mapping[str, str]) -> StageContext:
        """An empty scratch folder for a stage, an empty folder for each of its units, and the runtime."""
        if files.is_local(self.output):
            with suppress(FileExistsError):
                Path(work_folder(self.output)).mkdir(parents=True)
                self._made.add(work_folder(self.output))
        files.replace_file(f"{self.scratch}.json", b'"the folder beside this file is scratch of a run of wikisem"\n')
        root = f"{self.scratch}/{name.replace('/', '.')}"
        below = {unit: folder_below(unit, fingerprint) for unit, fingerprint in fingerprints.items()}
        files.for_each_file(self.output, lambda one: self._note_earlier(one, {below[one]}), below)
        self.remove_scratch_folder(root)
        for folder in below.values():
            files.remove_below(self.output, folder)
        return StageContext(Scratch(root), self.runtime, {unit: f"{self.output}/{one}" for unit, one in below.items()})

    def _note_earlier(self, unit: str, names: Collection[str]) -> set[str]:
        """Note what will be made for a unit, beside what earlier runs made; returns the latter."""
        record = self.ledger.find(unit)
        earlier = self.ledger.names(unit) | (roots_of(record) if record else set())
        self.ledger.note(unit, earlier | set(names))
        return earlier

    def put_in_place(self, unit: str, scratch: Scratch, leaves: Iterable[str]) -> set[str]:
        """Give files the plain names that people load them by: from ``finished`` to the same paths below OUT.

        A leaf is the path of a file, or of a folder of files; what earlier results of the unit had there goes. Returns
        the paths of the files.
        """
        root = f"{scratch.finished}/"
        patterns = [f"{root}{leaf}{below}" for leaf in leaves for below in ("", "/**")]
        made = {path.removeprefix(root) for pattern in patterns for path in files.list_files(pattern)}
        earlier = self._note_earlier(unit, made)
        self.ledger.invalidate(unit)
        files.for_each_file(self.output, lambda name: files.remove_below(self.output, name), sorted(earlier - made))
        new = [(f"{scratch.finished}/{name}", f"{self.output}/{name}") for name in sorted(made)]
        files.for_each_file(self.output, lambda pair: files.copy(*pair), new)
        return made

    def remove_superseded(self, record: Record) -> None:
        """Remove the files of earlier results and interrupted runs of a unit, once its record is written."""
        names = roots_of(record)
        with self.tidying(f"what {record.unit} was before"):
            for name in sorted(self.ledger.names(record.unit) - names):
                files.remove_below(self.output, name)
            self.ledger.note(record.unit, names)

    def keep_unreadable(self, unit: str, scratch: Scratch) -> str:
        """Gather the unreadable records of a unit in OUT/unreadable/<unit>.jsonl, and return that path."""
        target = f"{self.output}/{unreadable_path(unit)}"
        sources = files.list_files(f"{scratch.unreadable_of(unit)}/*")
        if not sources:
            files.remove(target)
            return target
        with files.create_binary(target) as sink:
            for path in sources:
                with files.open_binary(path) as source:
                    while block := source.read(1 << 20):
                        sink.write(block)
        return target


def roots_of(record: Record) -> set[str]:
    """The files and folders below OUT that a finished unit has: its own folder, or files with plain names."""
    own = folder_below(record.unit, record.fingerprint)
    return {own if path.startswith(f"{own}/") else path for path in record.parts} or {own}


def check_writable(output: str) -> None:
    """Raise OutputError unless files can be written under the output folder, UsageError if it is no such address."""
    files.check_address(output)
    if not files.is_local(output) and any(letter in output for letter in "*?["):
        raise OutputError(f"expected an output URL without *, ? and [, saw {output!r}")
    probe = f"{output}/{NOTES}/probe"
    try:
        files.replace_file(probe, b"")
        files.remove(probe)
    except OSError as error:
        raise OutputError(f"expected an output folder that can be written, saw {output!r}: {error}") from error


# The run that the options of a command describe.


def make_run(arguments: argparse.Namespace) -> Run:
    """The run that the shared options describe; ``with_workers`` sets its workers when the input is known."""
    beam_options = absolute_setup_file(arguments.beam_options)
    runtime = Runtime(beam_options) if arguments.quiet else Runtime(beam_options, progress)
    runtime.configure_file_systems()

    def say(line: str) -> None:
        if not arguments.quiet or line.startswith("warning: "):
            log(line)

    return Run(files.absolute(arguments.output), runtime, arguments.max_unreadable, say, arguments.break_lock)


def absolute_setup_file(beam_options: Sequence[str]) -> list[str]:
    """Beam's options with the path after --setup_file made absolute, as Beam wants it.

    Beam runs that file, which adds to the dependencies of the sdist what workers need.
    """
    if any(word.startswith("--setup_file") for word in beam_options):
        os.environ["WIKISEM_SDIST_EXTRA"] = "build"
    words: list[str] = []
    for word in beam_options:
        name, mark, path = word.partition("=")
        if name == "--setup_file" and mark:
            word = f"{name}={Path(path).absolute()}"
        elif words and words[-1] == "--setup_file":
            word = str(Path(word).absolute())
        words.append(word)
    return words


# How many local worker processes do the work if nobody says it: one for each core, if there is work for them.

# To start two workers for each pipeline of a build takes 4 s of CPU (the demo, with 1 and 2 workers, 2026-11-21).
# Below this size of compressed input they save less than that.
WORTH_WORKERS: Final = 64 << 20


def with_workers(run: Run, asked: int | None, *dumps: Dump) -> Run:
    """The run with the workers that were asked for, else with as many as its input is worth: its dumps, or OUT's items.

    UsageError for other workers than this process where a file is in its memory (``memory://``).
    """
    dumped = [file for dump in dumps for file in dump.files]
    in_memory = [path for path in (run.output, *(file.path for file in dumped)) if path.startswith("memory://")]
    named = run.runtime.names_runner
    if in_memory and (named or (asked or 1) > 1):
        words = "--runner" if named else f"--workers {asked}"
        raise UsageError(f"expected a single worker, since {in_memory[0]} is in this process only, saw {words}")
    if named:
        if asked is not None:
            run.log(f"warning: --workers {asked} is for processes on this machine; with --runner it changes nothing")
        return run
    items = None if dumps else run.ledger.find("entities")
    size = items.size if items else sum(file.size for file in dumped)
    workers = asked or (available_cores() if size >= WORTH_WORKERS and not in_memory else 1)
    if workers > 1 and (change := changed_internal()):
        # Logged, so that it is on stderr where a program builds by ``wikisem.build``, too: the run takes much longer.
        _LOG.warning("one process does the work of %d: %s", workers, change)
        workers = 1
    return replace(run, runtime=replace(run.runtime, workers=workers))


def available_cores(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """The cores that this process may use: by its affinity, and in a container by its share of time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no control groups of version 2, or "max": no limit
        allowed, period = map(int, quota.read_text(encoding="ascii").split())
        cores = min(cores, max(1, allowed // period))
    return cores
