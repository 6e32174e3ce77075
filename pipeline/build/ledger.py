"""What is finished in an output folder: one small file for each unit of work, written after everything else of it.

A unit is a stage, or a stage in one language ("mentions/de"). It is finished when its record stands and its
fingerprint fits; whatever stands without a record is the rest of a run that was cut off.

One unit of work from start to finish: skipped if nothing changed, promoted only when whole.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import orjson

from wikisem.errors import OutputError, TooManyRejectsError
from wikisem.records import Counts
from wikisem.transforms.io.files import create_binary, list_files, open_binary, remove, rename
from wikisem.transforms.io.runtime import Runtime
from wikisem.transforms.io.scratch import Scratch


@dataclass(frozen=True, slots=True)
class Record:
    """A finished unit: what it was made from, what it holds beyond that, and what it counted."""

    unit: str
    fingerprint: str
    counts: Counts
    facts: Mapping[str, Any] = field(default_factory=dict)


def fingerprint(**parts: Any) -> str:
    """A digest of everything a unit depends on; parts are plain values, in any order."""
    data = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def write_whole(path: str, data: Mapping[str, Any]) -> None:
    """Write a JSON file that is whole or not there, in place of an earlier one."""
    with create_binary(f"{path}.new") as sink:
        sink.write(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
    remove(path)
    rename(f"{path}.new", path)


class State:
    """The records of one output folder."""

    def __init__(self, output: str) -> None:
        self._folder = f"{output}/.wikisem"

    def find(self, unit: str) -> Record | None:
        """The record of a unit, or None where it has not been finished."""
        path = self._path(unit)
        if not list_files(path):
            return None
        with open_binary(path) as source:
            data = orjson.loads(source.read())
        return Record(data["unit"], data["fingerprint"], Counts(**data["counts"]), data["facts"])

    def put(self, record: Record) -> None:
        """Say that a unit is finished; a record is whole or not there."""
        write_whole(self._path(record.unit), asdict(record))

    def forget(self, unit: str) -> None:
        """Say that a unit is not finished, before anything of it is touched."""
        remove(self._path(unit))

    def _path(self, unit: str) -> str:
        return f"{self._folder}/{unit.replace('/', '.')}.json"


FEW_REJECTS: Final = 100  # below this many, --max-rejects is not applied: a small file may well be odd


def _ignore(line: str) -> None:
    del line


@dataclass(frozen=True)
class Run:
    """What all units of one command share; ``log`` gets a line for people now and then, shown to no one by default."""

    output: str
    runtime: Runtime
    max_rejects: float = 0.01
    log: Callable[[str], None] = _ignore

    @property
    def state(self) -> State:
        """The records of the output folder."""
        return State(self.output)

    def clear(self) -> None:
        """Remove the scratch of this run and of earlier ones that were cut off."""
        remove(f"{self.output}/.work")

    def scratch(self, unit: str) -> Scratch:
        """An empty scratch folder for a unit."""
        root = f"{self.output}/.work/{unit.replace('/', '.')}"
        remove(root)
        return Scratch(root)


def check_writable(output: str) -> None:
    """Raise OutputError unless files can be written under the output folder."""
    probe = f"{output}/.wikisem/probe"
    try:
        with create_binary(probe) as sink:
            sink.write(b"")
        remove(probe)
    except OSError as error:
        raise OutputError(f"expected an output folder that can be written, saw {output!r}: {error}") from error


def finish(
    run: Run, unit: str, fingerprint: str, facts: Mapping[str, Any], work: Callable[[Scratch], Counts]
) -> Record:
    """Do one unit whose result is one folder, OUT/<unit>, and record it."""
    run.state.forget(unit)
    remove(f"{run.output}/{unit}")
    scratch = run.scratch(unit)
    counts = work(scratch)
    keep_rejects(run, unit, scratch, counts)
    if list_files(f"{scratch.published}/**"):
        rename(scratch.published, f"{run.output}/{unit}")
    remove(scratch.root)
    record = Record(unit, fingerprint, counts, facts)
    run.state.put(record)
    return record


def keep_rejects(run: Run, unit: str, scratch: Scratch, counts: Counts) -> None:
    """Gather a unit's rejects in OUT/rejects/<unit>.jsonl, then fail the run if they are too many."""
    counts.check(unit)
    target = f"{run.output}/rejects/{unit.replace('/', '-')}.jsonl"
    remove(target)
    sources = list_files(f"{scratch.rejects}/*")
    if sources:
        with create_binary(target) as sink:
            for path in sources:
                with open_binary(path) as source:
                    while block := source.read(1 << 20):
                        sink.write(block)
    rejected = sum(counts.rejected.values())
    if rejected >= FEW_REJECTS and rejected > run.max_rejects * counts.read:
        raise TooManyRejectsError(
            f"{unit}: expected at most {run.max_rejects:.2%} unreadable records (--max-rejects), "
            f"saw {rejected:,} of {counts.read:,}; they lie in {target}"
        )


def reuse(run: Run, record: Record) -> Record:
    """Report that a finished unit serves this run too."""
    run.log(f"{record.unit}: finished before, nothing changed")
    return record
