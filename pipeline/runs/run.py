"""One command with its output folder, its runner and its limits, and the stages that it runs.

``run_stages`` does the same for every stage: it finds the units that are finished and still fit, makes the others in
folders of their own, publishes them by writing their records, and removes what they supersede.
"""

import argparse
import logging
import os
import re
import shutil
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from wikisem import files
from wikisem.atomic_files import find_abandoned
from wikisem.errors import DamagedInputError, MissingInputError, OutputError, UsageError
from wikisem.graph.store import remove_copies
from wikisem.layout import NOTES, Scratch, folder_below, record_path, unreadable_path, work_folder
from wikisem.outputs.groupfile import FORMATS
from wikisem.pipeline.console.terminal import format_bytes, log, progress
from wikisem.pipeline.runs.inputs import Dump
from wikisem.pipeline.runs.ledger import Ledger, Record, find_damage, fingerprint, measure_parts, versions
from wikisem.pipeline.runs.lock import LockFile, check_lock, locked
from wikisem.recipes.options import Recipe
from wikisem.records import Counts
from wikisem.transforms.io.local_workers import changed_internal
from wikisem.transforms.io.runtime import Runtime, StageContext, check_shared

_LOG: Final = logging.getLogger(__name__)

# The folders in OUT in which files have plain names; not .wikisem, where runs that wait write their lock files.
_PLAIN: Final = "languages", "groups", "rejected", "unreadable", "walls", "names/*", *(f"{name}/*" for name in FORMATS)
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
    damage: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    _made: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    said: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ledger", Ledger(self.output))

    def find_damage(self, record: Record) -> str:
        """A description of what is wrong with the files of a unit; looked for once a run, until it is made again."""
        if record.fingerprint not in self.damage:
            self.damage[record.fingerprint] = find_damage(self.output, record)
        return self.damage[record.fingerprint]

    def require(self, unit: str) -> Record:
        """The record of a unit; MissingInputError if it is not finished, or its files have changed."""
        record = self.ledger.require(unit)
        if damage := self.find_damage(record):
            raise MissingInputError(f"{damage}; run `wikisem {unit.partition('/')[0]}` to make it again")
        return record

    def folder(self, unit: str) -> str:
        """The folder of the files of a finished unit, such as "mentions/de"; MissingInputError as of ``require``."""
        self.require(unit)
        return self.ledger.folder(unit)

    @property
    def scratch(self) -> str:
        """The folder of this run alone for what goes when its stages are over."""
        return f"{work_folder(self.output)}/{self.name}"

    @contextmanager
    def tidying(self, what: str) -> Iterator[None]:
        """While inside, errors are only logged: files that cannot be removed only take space."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - stores raise errors of their own
            self.log(f"warning: {what} stays: {error}")

    def remove_scratch(self, *dead: str) -> None:
        """Remove the scratch folders of the ``dead`` runs, by name, or of this run if none is named."""
        work = work_folder(self.output)  # which may be a link to another disk
        for run in dead or (self.name,):
            with self.tidying(f"{work}/{run}"):
                files.remove_below(work, run)
                files.remove(f"{work}/{run}.json")
        # The folder around them goes, too, once it is empty, if this run or a dead one made it.
        if files.is_local(self.output) and (dead or work in self._made):
            with suppress(OSError):  # not empty
                Path(work).rmdir()

    def remove_leftovers(self) -> None:
        """Remove what interrupted runs left: scratch folders, known by the note beside each, and half-written files."""
        work = work_folder(self.output)
        runs = [note[1] for path in files.list_files(f"{work}/*") if (note := _SCRATCH_NOTE.search(path))]
        if runs:
            self.remove_scratch(*runs)
        # A process that was killed leaves a hidden file beside the one, of a plain name, that it was writing.
        if files.is_local(self.output):
            root = Path(self.output)
            for folder in (root, *(plain for pattern in _PLAIN for plain in root.glob(pattern))):
                for part in find_abandoned(folder):
                    with self.tidying(str(part)):
                        files.remove_below(self.output, str(part.relative_to(root)))
        if files.list_files(f"{work}/**"):
            self.log(f"warning: {work} has files that no run of wikisem left there; they stay")

    def prepare_stage(self, name: str, fingerprints: Mapping[str, str]) -> StageContext:
        """Empty the folders that a stage writes to, its scratch and that of each unit; return them with the runtime.

        ``fingerprints`` has, by unit, those of units with a folder of their own in OUT: mentions/de/<fingerprint>.
        """
        # The scratch folder of this run, and a file beside it, by which a later run knows it if this one dies.
        if files.is_local(self.output):
            with suppress(FileExistsError):
                Path(work_folder(self.output)).mkdir(parents=True)
                self._made.add(work_folder(self.output))
        files.replace_file(f"{self.scratch}.json", b'"the folder beside this file is scratch of a run of wikisem"\n')
        own_folders = {unit: folder_below(unit, fingerprint) for unit, fingerprint in fingerprints.items()}
        # Noted before anything is made, so that a later run removes what a unit leaves if this one ends here.
        files.for_each_file(self.output, lambda unit: self.note_earlier(unit, {own_folders[unit]}), own_folders)
        in_scratch = name.replace("/", ".")
        files.remove_below(self.scratch, in_scratch)
        for own_folder in own_folders.values():  # half made by a run that was interrupted, or damaged since
            files.remove_below(self.output, own_folder)
        folders = {unit: f"{self.output}/{own_folder}" for unit, own_folder in own_folders.items()}
        return StageContext(Scratch(f"{self.scratch}/{in_scratch}"), self.runtime, folders)

    def note_earlier(self, unit: str, names: Collection[str]) -> set[str]:
        """Note that a unit may leave files of these names, and return the names that it may have left before."""
        record = self.ledger.find(unit)
        earlier = self.ledger.names(unit) | (roots_of(record) if record else set())
        self.ledger.note(unit, earlier | set(names))
        return earlier

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
        if paths := files.list_files(f"{scratch.unreadable_of(unit)}/*"):
            with files.create_binary(target) as sink:
                for path in paths:
                    with files.open_binary(path) as source:
                        shutil.copyfileobj(source, sink)
        else:
            files.remove(target)  # that of an earlier run
        return target


def roots_of(record: Record) -> set[str]:
    """The files and folders below OUT that a finished unit has: its own folder, or files with plain names."""
    folder = folder_below(record.unit, record.fingerprint)
    return {folder if path.startswith(f"{folder}/") else path for path in record.parts} or {folder}


def make_run(arguments: argparse.Namespace) -> Run:
    """The run that the shared options describe; ``with_workers`` sets its workers when the input is known."""
    beam_options = absolute_setup_file(arguments.beam_options)
    runtime = Runtime(beam_options) if arguments.quiet else Runtime(beam_options, progress)
    runtime.configure_file_systems()  # from here on this process opens URLs by Beam's options, too

    def say(line: str) -> None:
        if not arguments.quiet or line.startswith("warning: "):
            log(line)

    return Run(files.absolute(arguments.output), runtime, arguments.max_unreadable, say, arguments.break_lock)


def absolute_setup_file(beam_options: Sequence[str]) -> list[str]:
    """Beam's options with the path after --setup_file made absolute: Beam runs that file in its own folder."""
    # With wikisem's setup.py, workers install its sdist without extras: it adds the dependencies of the one named here.
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


# To start two workers for each pipeline of a build takes 4 s of CPU (the demo, with 1 and 2 workers, 2026-11-21).
# Below this size of compressed input they save less than that.
WORTH_WORKERS: Final = 64 << 20


def with_workers(run: Run, asked: int | None, *dumps: Dump) -> Run:
    """The run with the number of workers ``asked`` for, else with one for each core if there is enough to read, or one.

    What is read are the dumps or, without any, the items in OUT. A Beam runner that is named has workers of its own.
    """
    dump_files = [file for dump in dumps for file in dump.files]
    # Files of ``memory://`` are in this process alone: other workers would not see them.
    in_memory = [path for path in (run.output, *(file.path for file in dump_files)) if path.startswith("memory://")]
    names_runner = run.runtime.names_runner
    if in_memory and (names_runner or (asked or 1) > 1):
        words = "--runner" if names_runner else f"--workers {asked}"
        raise UsageError(f"expected a single worker, since {in_memory[0]} is in this process only, saw {words}")
    if names_runner:
        if asked is not None:
            run.log(f"warning: --workers {asked} is for processes on this machine; with --runner it changes nothing")
        return run
    items = None if dumps else run.ledger.find("entities")
    size = sum(file.size for file in (items.parts.values() if items else dump_files))
    workers = asked or (available_cores() if size >= WORTH_WORKERS and not in_memory else 1)
    if workers > 1 and (change := changed_internal()):  # of Beam, which several workers rely on
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


@dataclass(frozen=True, slots=True)
class Unit:
    """One result of a stage.

    ``needs`` are the units that it is made from, ``options`` plain values that decide its rows. ``extras`` decide what
    it holds beside them, such as more labels: units that need this one do not depend on that. ``facts`` are for the
    manifest. ``leaves`` are the files and folders below OUT that people load by plain names: they are written last,
    from the same paths in the scratch folder's ``finished``. A unit without leaves has a folder in OUT to write to.
    ``version`` is that of the stage: it decides whether what another release of wikisem left is used.
    """

    name: str
    options: Mapping[str, Any]
    leaves: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    version: int = 1


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The result of the work on a unit; a ``warning`` is logged once the unit is recorded."""

    counts: Counts
    facts: Mapping[str, Any] = field(default_factory=dict)
    warning: str = ""


@dataclass(frozen=True)
class Stage:
    """A stage of the method: its units, and the work that makes those that are asked for, all in one pipeline.

    ``work`` takes the names of units, the run, which has the folders of the units that they need, and the context, with
    the folder to write for each unit; it returns a result for each name. It does not look whether a unit is finished.
    ``together`` says that no unit can be made alone. ``check`` raises an error if what OUT holds does not fit.
    """

    name: str
    units: Sequence[Unit]
    work: Callable[[Sequence[str], Run, StageContext], Mapping[str, UnitResult]]
    together: bool = False
    check: Callable[[Run], object] = lambda _: None


@contextmanager
def session(run: Run) -> Iterator[None]:
    """Lock OUT and remove the files of dead runs; at the end write the manifest and remove the scratch.

    Raises UsageError and OutputError for an output that cannot be written, or that workers do not share, LockError if
    another run is at work. A run that is interrupted leaves its scratch to the next one: removing it may take long.
    """
    output = run.output
    files.check_address(output)
    if not files.is_local(output) and any(letter in output for letter in "*?["):
        raise OutputError(f"expected an output URL without *, ? and [, saw {output!r}")
    probe = f"{output}/{NOTES}/probe"
    try:
        files.replace_file(probe, b"")
        files.remove(probe)
    except OSError as error:
        raise OutputError(f"expected an output folder that can be written, saw {output!r}: {error}") from error
    with locked(run.output, LockFile.of_this_process(run.name), run.break_lock, run.log):
        run.ledger.forget()
        run.remove_leftovers()
        try:
            with run.runtime:
                check_shared(run.output, run.runtime)
                yield
            with run.tidying("a copy of arrays in the temporary folder"):
                remove_copies()
        except BaseException as error:
            with suppress(OutputError):
                run.ledger.write_manifest()
                if isinstance(error, Exception):
                    run.remove_scratch()
            raise
        run.ledger.write_manifest()
        run.remove_scratch()


def run_stages(stages: Iterable[Stage], run: Run, recipe: Recipe | None = None) -> list[Record]:
    """Run the units of some stages that have no record yet, or another fingerprint; return all records, in order."""
    listed, records = list(stages), list[Record]()
    for number, stage in enumerate(listed, start=1):
        stage.check(run)
        # Find the units that are finished.
        planned = {unit.name: _plan(unit, run) for unit in stage.units}  # the record that each would have now
        finished: dict[str, Record] = {}  # with that fingerprint, and with files as they were written
        for name, plan in planned.items():
            earlier = run.ledger.find(name)
            if earlier and earlier.fingerprint == plan.fingerprint:
                if damage := run.find_damage(earlier):
                    run.log(f"{name}: made again, {damage}")
                else:
                    finished[name] = earlier
        if stage.together and len(finished) < len(planned):
            finished = {}  # no unit can be made alone: all are made again
        for name, record in finished.items():
            run.log(f"{name}: finished before, nothing changed")
            run.remove_superseded(record)  # left by a run that died after writing its record
        # Make the others.
        todo = [unit for unit in stage.units if unit.name not in finished]
        if todo and len(listed) > 1:
            run.log(f"stage {number} of {len(listed)}: {describe(stage, len(todo))}")
        try:
            made = _run_units(stage, todo, planned, run, recipe) if todo else {}
        except DamagedInputError as error:  # if it names a file of an earlier unit, say how that is made again
            for record in run.ledger.records():
                if f"{run.output}/{folder_below(record.unit, record.fingerprint)}/" in str(error):
                    remedy = f"remove {record_path(run.output, record.unit)} and run the command again to make it again"
                    raise DamagedInputError(f"{error}; {remedy}") from error
            raise
        records += [(finished | made)[name] for name in planned]
    return records


def _plan(unit: Unit, run: Run) -> Record:
    """The record that a unit would have if it were made now, but for counts, parts and versions: its work tells them.

    MissingInputError if a unit that it needs is missing or damaged, or was itself made from an earlier state of OUT.
    """
    records = [run.require(name) for name in unit.needs]
    for record in records:
        run.ledger.check_needs(record)
    needs = {record.unit: record.identity for record in records}
    # Extras, such as labels in more languages, change the fingerprint: the unit is made again. They do not change the
    # identity, on which the units that need this one depend: those stay.
    identity = identity_of(unit, needs)
    fingerprint_now = fingerprint(identity=identity, extras=unit.extras)
    return Record(unit.name, fingerprint_now, identity, Counts(), needs, facts=unit.facts)


def describe(stage: Stage, todo: int) -> str:
    """A description of a stage's work: its name, and how many units of how many languages."""
    languages = [unit.name.partition("/")[2] for unit in stage.units if "/" in unit.name]
    if len(languages) < 2:
        return " in ".join([stage.name, *languages])
    return f"{stage.name} in {'' if todo == len(languages) else f'{todo} of '}{len(languages)} languages"


def _run_units(
    stage: Stage, todo: Sequence[Unit], planned: Mapping[str, Record], run: Run, recipe: Recipe | None
) -> dict[str, Record]:
    """Make the units in ``todo`` at once, put their files in place, and return their records, which are written last.

    ``planned`` has the record of each, without counts and parts. Until a unit has its new record, its earlier result
    stays, unless both have the same paths.
    """
    # What the records say of how units are made, and what people should know before a long stage begins.
    inputs = [file for unit in todo for file in unit.facts.get("inputs", ())]
    made_with: dict[str, Any] = {"versions": versions()}
    if recipe is not None:
        made_with |= {"recipe": recipe.to_dict(), "seed": recipe.seed}
    if any(file["path"].endswith(".bz2") for file in inputs) and "bzip2" not in run.said:
        run.said.add("bzip2")  # once for all stages
        run.log(f"bzip2 is decoded by {made_with['versions']['bzip2']}")
    needed = sorted({name for unit in todo for name in unit.needs})
    if warning := lacking_disk(run.output, stage.name, inputs, map(run.ledger.require, needed)):
        run.log(warning)
    # Make the units. One without leaves is written straight into its folder in OUT, named by its fingerprint. A record
    # with the same fingerprint, whose files were damaged, is removed first.
    fingerprints = {unit.name: planned[unit.name].fingerprint for unit in todo if not unit.leaves}
    for name, fingerprint_now in fingerprints.items():
        if (earlier := run.ledger.find(name)) and earlier.fingerprint == fingerprint_now:
            run.ledger.invalidate(name)
    context = run.prepare_stage(stage.name, fingerprints)
    results = stage.work([unit.name for unit in todo], run, context)
    # Check all results before any of them is published.
    check_lock(run.output, run.name)
    for unit in todo:
        counts = results[unit.name].counts
        counts.check(unit.name)
        counts.check_unreadable(unit.name, run.max_unreadable, run.keep_unreadable(unit.name, context.scratch))
    # Publish each, with its record.
    records: dict[str, Record] = {}
    for unit in todo:
        result, plan = results[unit.name], planned[unit.name]
        about = {**made_with, "stage_version": unit.version}
        record = replace(plan, counts=result.counts, made_with=about, facts={**unit.facts, **result.facts})
        records[unit.name] = _publish(unit, record, run, context.scratch)
        if result.warning:
            run.log(f"warning: {result.warning}")
    run.ledger.write_manifest()  # once: it has all units, of which a stage in many languages has hundreds
    with run.tidying(context.scratch.root):
        files.remove_below(run.scratch, context.scratch.root.removeprefix(f"{run.scratch}/"))
    return records


def _publish(unit: Unit, record: Record, run: Run, scratch: Scratch) -> Record:
    """Put the files of a unit in place, write and return its record with their sizes, and remove its earlier result.

    Files with plain names, the ``leaves``, are copied from the scratch folder; others are where they belong already.
    """
    check_lock(run.output, run.name)
    made = set[str]()  # the paths of leaves below OUT
    if unit.leaves:  # remove those of the earlier result that are not made any more, and copy all others
        root = f"{scratch.finished}/"
        patterns = [f"{root}{leaf}{suffix}" for leaf in unit.leaves for suffix in ("", "/**")]
        made = {path.removeprefix(root) for pattern in patterns for path in files.list_files(pattern)}
        no_longer_made = sorted(run.note_earlier(unit.name, made) - made)
        run.ledger.invalidate(unit.name)  # from here until the new record is there OUT has files of both
        files.for_each_file(run.output, lambda name: files.remove_below(run.output, name), no_longer_made)
        new = [(f"{root}{name}", f"{run.output}/{name}") for name in sorted(made)]
        files.for_each_file(run.output, lambda pair: files.copy(*pair), new)
    parts = measure_parts(run.output, record, unit.leaves)
    if unit.leaves and (strays := sorted(parts.keys() - made)):
        run.log(f"warning: {unit.name}: {run.output}/{strays[0]} is no file of wikisem's; it stays")
        parts = {path: part for path, part in parts.items() if path in made}
    record = replace(record, parts=parts)
    run.ledger.put(record)
    run.damage.pop(record.fingerprint, None)  # it was that of the files before
    run.remove_superseded(record)
    return record


def identity_of(unit: Unit, needs: Mapping[str, str]) -> str:
    """A digest of what dependent units depend on; ``needs`` are the identities of the unit's own inputs."""
    return fingerprint(version=unit.version, unit=unit.name, needs=needs, options=unit.options)


# Bytes that a stage writes, its scratch included, for each byte that it reads of a compressed dump or of the units that
# it needs, measured in 2026-11: entities leave 0.09 to 0.11 of a .gz, mentions 0.30 to 0.33 of a Wikipedia, and as much
# is in scratch. The rehearsal (docs/benchmarks.md, a twentieth, ten languages) has at its highest 1 GB in surfaces for
# each of entities and mentions, 1 in taxonomy and 1.6 in groups; here is a little more.
_WRITTEN: Final = {"entities": 0.2, "mentions": 0.7, "surfaces": 1.2, "taxonomy": 1.5, "groups": 2.0}
# How many times smaller a compressed dump is, a low estimate: dumps were seen to be 7 to 16 times smaller.
_TIMES_SMALLER: Final = 8


def lacking_disk(output: str, stage: str, inputs: Iterable[Mapping[str, Any]], needs: Iterable[Record]) -> str:
    """A warning if the disk of the output folder has less room than a stage is expected to need; otherwise empty."""
    from wikisem.dumps import ENDINGS  # noqa: PLC0415 - at the top, zstandard would be missed before Beam

    if not files.is_local(output):
        return ""
    compressed = tuple(f".{ending}" for ending in ENDINGS)
    read = sum(part.size for record in needs for part in record.parts.values())
    # A dump that is not compressed counts with the size that it would have.
    read += sum(file["size"] // (1 if file["path"].endswith(compressed) else _TIMES_SMALLER) for file in inputs)
    wanted = int(_WRITTEN.get(stage, 0.0) * read)  # by the bytes that it writes for each byte that it reads
    free = shutil.disk_usage(next(path for path in (Path(output), *Path(output).parents) if path.exists())).free
    if wanted <= free:
        return ""
    return (
        f"warning: {stage}: about {format_bytes(wanted)} of disk will be needed below {output} (an estimate), "
        f"saw {format_bytes(free)} free"
    )
