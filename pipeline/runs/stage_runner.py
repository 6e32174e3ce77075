"""Stages as values, the one function that runs a list of them, and the session in which a run has OUT to itself.

A stage says what its units are, what each depends on and leaves, and how to make them. ``run_stages`` does the rest,
the same for every stage: it finds the units that are finished and still fit, makes the others in folders of their own,
publishes them by writing their records, and removes what they supersede.
"""

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from wikisem.dumps import ENDINGS
from wikisem.errors import DamagedInputError, MissingInputError, OutputError
from wikisem.files import is_local
from wikisem.layout import folder_below, record_path
from wikisem.local_copies import remove_copies
from wikisem.pipeline.console.terminal import format_bytes
from wikisem.pipeline.runs.ledger import Record, bzip2_decoder, fingerprint, measure_parts, versions
from wikisem.pipeline.runs.lock import LockFile, check_lock, locked
from wikisem.pipeline.runs.run import Run, check_writable
from wikisem.recipes.options import Recipe
from wikisem.records import Counts
from wikisem.transforms.io.runtime import StageContext, check_shared

# What a stage is.


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
class Folders:
    """Where the files of finished units are, each as its record says: ``folders("mentions/de")``."""

    run: Run

    def __call__(self, unit: str) -> str:
        """The folder of a unit; MissingInputError if it is not finished, or its files have changed."""
        _require_whole(self.run.ledger.require(unit), self.run)
        return self.run.ledger.folder(unit)

    def needs(self, unit: str) -> Collection[str]:
        """The units that a finished one was made from."""
        return self.run.ledger.require(unit).needs

    def counts(self, unit: str) -> Counts:
        """The counts of a finished unit's records."""
        return self.run.ledger.require(unit).counts


@dataclass(frozen=True)
class Stage:
    """A stage of the method: its units, and the work that makes those that are asked for, all in one pipeline.

    ``work`` takes the names of units, the folders of the units that they need, and the context, which has the folder to
    write for each unit; it returns a result for each name. It does not look whether a unit is finished.
    ``together`` says that no unit can be made alone. ``check`` raises an error if what OUT holds does not fit.
    """

    name: str
    units: Sequence[Unit]
    work: Callable[[Sequence[str], "Folders", StageContext], Mapping[str, UnitResult]]
    together: bool = False
    check: Callable[[Run], object] = lambda _: None


# A run into OUT: from its lock to the manifest that says what it left, and the stages in between.


@contextmanager
def session(run: Run) -> Iterator[None]:
    """Lock OUT and remove the files of dead runs; at the end write the manifest and remove the scratch.

    Raises UsageError and OutputError for an output that cannot be written, or that workers do not share, LockError
    if another run is at work. An error that ends the context is passed on, even if the manifest cannot be written then;
    a run that is interrupted leaves its scratch to the next one, because removing it may take long.
    """
    check_writable(run.output)
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
    """Run the unfinished units of some stages, in their order, and return the records of all units."""
    listed = list(stages)
    places = [f"stage {number} of {len(listed)}" if len(listed) > 1 else "" for number in range(1, len(listed) + 1)]
    return [
        record for stage, place in zip(listed, places, strict=True) for record in run_stage(stage, run, recipe, place)
    ]


def run_stage(stage: Stage, run: Run, recipe: Recipe | None = None, place: str = "") -> list[Record]:
    """Run the units of a stage that are not finished, or were made from something else, and return all records.

    ``place`` says which of how many stages it is; it is logged if there is something to do.
    """
    stage.check(run)
    needs: dict[str, dict[str, str]] = {}
    for unit in stage.units:
        # The units that it is made from; MissingInputError where one is missing, out of date, or lacks a file.
        records = [run.ledger.require(name) for name in unit.needs]
        for record in records:
            _require_whole(record, run)
            run.ledger.check_needs(record)
        needs[unit.name] = {record.unit: record.identity for record in records}
    finished: dict[str, Record] = {}
    for unit in stage.units:
        earlier = run.ledger.find(unit.name)
        if earlier and earlier.fingerprint == _fingerprint(unit, needs[unit.name]):
            if damage := run.find_damage(earlier):
                run.log(f"{unit.name}: made again, {damage}")
            else:
                finished[unit.name] = earlier
    todo = [unit for unit in stage.units if unit.name not in finished]
    if todo and stage.together:
        todo, finished = list(stage.units), {}
    for name in finished:
        run.log(f"{name}: finished before, nothing changed")
        run.remove_superseded(finished[name])  # left by a run that died after writing its record
    if todo and place:
        run.log(f"{place}: {describe(stage, len(todo))}")
    made = _run_units(stage, todo, needs, run, recipe) if todo else {}
    return [(finished | made)[unit.name] for unit in stage.units]


def describe(stage: Stage, todo: int) -> str:
    """A description of a stage's work: its name, and how many units of how many languages."""
    languages = [unit.name.partition("/")[2] for unit in stage.units if "/" in unit.name]
    if len(languages) < 2:
        return " in ".join([stage.name, *languages])
    return f"{stage.name} in {'' if todo == len(languages) else f'{todo} of '}{len(languages)} languages"


def _run_units(
    stage: Stage, todo: Sequence[Unit], needs: Mapping[str, Mapping[str, str]], run: Run, recipe: Recipe | None
) -> dict[str, Record]:
    """Make units, then write their records: until then an earlier result stays as it is.

    The exceptions are a unit with the same fingerprint as its earlier result, which is written to the same folder, and
    files with plain names.
    """
    inputs = [file for unit in todo for file in unit.facts.get("inputs", ())]
    if any(file["path"].endswith(".bz2") for file in inputs):
        run.log_once(f"bzip2 is decoded by {bzip2_decoder()}")
    needed = sorted({name for unit in todo for name in unit.needs})
    wanted = estimate_bytes(stage.name, inputs, map(run.ledger.require, needed))
    if warning := lacking_disk(run.output, stage.name, wanted):
        run.log(warning)
    prints = {unit.name: _fingerprint(unit, needs[unit.name]) for unit in todo if not unit.leaves}
    for name, one in prints.items():
        if (earlier := run.ledger.find(name)) and earlier.fingerprint == one:
            run.ledger.invalidate(name)
    context = run.context(stage.name, prints)
    try:
        results = stage.work([unit.name for unit in todo], Folders(run), context)
    except DamagedInputError as error:
        for record in run.ledger.records():
            if f"{run.output}/{folder_below(record.unit, record.fingerprint)}/" in str(error):
                path = record_path(run.output, record.unit)
                raise DamagedInputError(f"{error}; remove {path} and run the command again to make it again") from error
        raise
    check_lock(run.output, run.name)
    made_with: dict[str, Any] = {"versions": versions()}
    if recipe is not None:
        made_with |= {"recipe": recipe.to_dict(), "seed": recipe.seed}
    records: dict[str, Record] = {}
    for unit in todo:
        result, needed_by = results[unit.name], needs[unit.name]
        result.counts.check(unit.name)
        kept_in = run.keep_unreadable(unit.name, context.scratch)
        result.counts.check_unreadable(unit.name, run.max_unreadable, kept_in)
        records[unit.name] = Record(
            unit.name,
            _fingerprint(unit, needed_by),
            identity_of(unit, needed_by),
            result.counts,
            needed_by,
            made_with={**made_with, "stage_version": unit.version},
            facts={**unit.facts, **result.facts},
        )
    for unit in todo:
        check_lock(run.output, run.name)
        made = run.put_in_place(unit.name, context.scratch, unit.leaves) if unit.leaves else set()
        parts = measure_parts(run.output, records[unit.name], unit.leaves)
        strays = sorted(parts.keys() - made) if unit.leaves else []
        if strays:
            run.log(f"warning: {unit.name}: {run.output}/{strays[0]} is no file of wikisem's; it stays")
        parts = {path: part for path, part in parts.items() if path not in strays}
        records[unit.name] = replace(records[unit.name], parts=parts)
        run.put(records[unit.name])
        run.remove_superseded(records[unit.name])
        if results[unit.name].warning:
            run.log(f"warning: {results[unit.name].warning}")
    run.ledger.write_manifest()  # once: it has all units, of which a stage in many languages has hundreds
    with run.tidying(context.scratch.root):
        run.remove_scratch_folder(context.scratch.root)
    return records


# What is finished, and whether it still fits.


def identity_of(unit: Unit, needs: Mapping[str, str]) -> str:
    """A digest of what dependent units depend on; ``needs`` are the identities of the unit's own inputs."""
    return fingerprint(version=unit.version, unit=unit.name, needs=needs, options=unit.options)


def _fingerprint(unit: Unit, needs: Mapping[str, str]) -> str:
    return fingerprint(identity=identity_of(unit, needs), extras=unit.extras)


def _require_whole(record: Record, run: Run) -> None:
    if damage := run.find_damage(record):
        raise MissingInputError(f"{damage}; run `wikisem {record.unit.partition('/')[0]}` to make it again")


# How much disk a stage will need: an estimate from the size of what it reads.

# Bytes that a stage writes, its scratch included, for each byte that it reads of a compressed dump or of the units
# that it needs, measured in 2026-11. Of the dumps that the tests on real data read, entities leave 0.09 to 0.11 of a
# .gz (docs/full-dump.md: 0.5 % of the text), mentions 0.30 of an excerpt of English Wikipedia and 0.33 of a small one
# as a whole, and about as much is in scratch. The rehearsal (docs/benchmarks.md, a twentieth, ten languages)
# has at its highest 1 GB in surfaces for each of entities and mentions, 1 in taxonomy and 1.6 in groups; here is a
# little more.
_WRITTEN: Final = {"entities": 0.2, "mentions": 0.7, "surfaces": 1.2, "taxonomy": 1.5, "groups": 2.0}
_COMPRESSED: Final = tuple(f".{ending}" for ending in ENDINGS)
# How many times smaller a compressed dump is (docs/full-dump.md: 7 to 16).
_TIMES_SMALLER: Final = 8


def estimate_bytes(stage: str, inputs: Iterable[Mapping[str, Any]], needs: Iterable[Record]) -> int:
    """About how many bytes a stage will write, from the size of its dumps and of the units that it reads."""
    read: float = sum(record.size for record in needs)
    for file in inputs:
        read += file["size"] if file["path"].endswith(_COMPRESSED) else file["size"] / _TIMES_SMALLER
    return int(_WRITTEN.get(stage, 0.0) * read)


def lacking_disk(output: str, stage: str, wanted: int) -> str:
    """A warning if the disk of the output folder has less room than a stage is expected to need; otherwise empty."""
    if not is_local(output):
        return ""
    folder = Path(output)
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if wanted <= free:
        return ""
    return (
        f"warning: {stage}: about {format_bytes(wanted)} of disk will be needed below {output} (an estimate), "
        f"saw {format_bytes(free)} free"
    )
