"""One command with its output folder, its runner and its limits, and the folders that its units write to."""

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from wikisem.atomic_files import remove_unfinished
from wikisem.errors import OutputError, TooManyRejectsError
from wikisem.outputs.group_formats import FORMATS
from wikisem.pipeline.build.ledger import Ledger, Record
from wikisem.pipeline.build.lock import check_lock
from wikisem.pipeline.build.parts import find_misfit
from wikisem.transforms.io.addresses import check_address, is_local
from wikisem.transforms.io.files import (
    copy,
    create_binary,
    list_files,
    open_binary,
    remove,
    remove_folder,
    replace_file,
)
from wikisem.transforms.io.many_files import for_each_file
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.io.scratch import Scratch
from wikisem.unit_folders import folder_path

# Below this many unreadable records the rate is not applied: a small file may well hold a large part of them.
FEW_REJECTS: Final = 100
# The folders in OUT in which files have plain names; not .wikisem, where runs that wait write their claims.
_PLAIN: Final = ("languages", "groups", "rejected", "rejects", *(f"{name}/*" for name in FORMATS))
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{32}")


def _ignore(line: str) -> None:
    del line


@dataclass(frozen=True)
class Run:
    """What all units of one command share; ``log`` gets a line for people now and then, shown to no one by default.

    ``max_rejects`` is the rate of unreadable records that fails a unit, from FEW_REJECTS of them on. ``name`` is this
    run's own; ``break_lock`` lets it begin where another one seems to be at work.
    """

    output: str
    runtime: Runtime
    max_rejects: float = 0.01
    log: Callable[[str], None] = _ignore
    break_lock: bool = False
    name: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    ledger: Ledger = field(init=False, repr=False, compare=False)
    _misfits: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    _logged_once: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ledger", Ledger(self.output))

    def find_misfit(self, record: Record) -> str:
        """What is wrong with the files of a unit, in words; looked at once a run."""
        if record.fingerprint not in self._misfits:
            self._misfits[record.fingerprint] = find_misfit(self.output, record)
        return self._misfits[record.fingerprint]

    def put(self, record: Record) -> None:
        """Record that a unit is finished."""
        self.ledger.put(record)
        self._misfits.pop(record.fingerprint, None)

    def check_lock(self) -> None:
        """Raise LockError where another run broke the lock of this one: what that left may be half of each."""
        check_lock(self.output, self.name)

    def log_once(self, line: str) -> None:
        """Log a line that several stages may have to say."""
        if line not in self._logged_once:
            self._logged_once.add(line)
            self.log(line)

    @property
    def scratch(self) -> str:
        """Where stages keep what goes when they are over: a folder of this run alone."""
        return f"{self.output}/.work/{self.name}"

    def remove_scratch(self) -> None:
        """Remove what is left of this run's scratch, never that of a run that broke its lock."""
        remove_folder(self.scratch)
        if is_local(self.output):
            with suppress(OSError):  # not there, or not empty
                Path(self.scratch).parent.rmdir()

    def remove_leftovers(self) -> None:
        """Remove what interrupted runs left, in scratch and of files with plain names: no other run is at work."""
        remove_folder(f"{self.output}/.work")
        if is_local(self.output):
            root = Path(self.output)
            for folder in (root, *(found for name in _PLAIN for found in root.glob(name))):
                remove_unfinished(folder)

    def context(self, name: str, fingerprints: Mapping[str, str]) -> StageContext:
        """An empty scratch folder for a stage, an empty folder for each of its units, and the runtime."""
        root = f"{self.scratch}/{name.replace('/', '.')}"
        folders = {unit: folder_path(self.output, unit, fingerprint) for unit, fingerprint in fingerprints.items()}
        for folder in (root, *folders.values()):
            remove_folder(folder)
        return StageContext(Scratch(root), self.runtime, folders)

    def publish(self, scratch: Scratch, leaves: Iterable[str]) -> None:
        """Give files the plain names that people load them by: from ``published`` to the same paths below OUT.

        A path is that of a file, or of a folder of files; what an earlier result had there goes.
        """
        for leaf in leaves:
            made = _files(f"{scratch.published}/{leaf}")
            source, target = f"{scratch.published}/{leaf}", f"{self.output}/{leaf}"
            old = sorted(f"{target}{path}" for path in _files(target) - made)
            for_each_file(self.output, remove, old)
            new = [(f"{source}{path}", f"{target}{path}") for path in sorted(made)]
            for_each_file(self.output, lambda pair: copy(*pair), new)

    def remove_superseded(self, unit: str) -> None:
        """Remove the folders that earlier results of a unit and interrupted runs left, once its record is written."""
        current, parent = self.ledger.folder(unit), f"{self.output}/{unit}"
        names = {path.removeprefix(f"{parent}/").partition("/")[0] for path in list_files(f"{parent}/**")}
        for name in sorted(names):
            if _FINGERPRINT.fullmatch(name) and f"{parent}/{name}" != current:
                remove_folder(f"{parent}/{name}")

    def keep_rejects(self, unit: str, scratch: Scratch) -> str:
        """Gather the rejects of a unit in OUT/rejects/<unit>.jsonl, and return that path."""
        target = f"{self.output}/rejects/{unit.replace('/', '-')}.jsonl"
        sources = list_files(f"{scratch.rejects_of(unit)}/*")
        if not sources:
            remove(target)
            return target
        with create_binary(target) as sink:
            for path in sources:
                with open_binary(path) as source:
                    while block := source.read(1 << 20):
                        sink.write(block)
        return target


def check_rejects(name: str, rejected: int, read: int, max_rejects: float, kept_in: str) -> None:
    """Raise TooManyRejectsError when too many of the records that were read are unreadable."""
    if rejected >= FEW_REJECTS and rejected > max_rejects * read:
        raise TooManyRejectsError(
            f"{name}: expected at most {max_rejects:.2%} unreadable records (--max-rejects), "
            f"saw {rejected:,} of {read:,}; they are in {kept_in}"
        )


def _files(path: str) -> set[str]:
    """The empty string for a file, and for a folder of files ``/`` and the path of each in it."""
    return {found.removeprefix(path) for pattern in (path, f"{path}/**") for found in list_files(pattern)}


def check_writable(output: str) -> None:
    """Raise OutputError unless files can be written under the output folder, UsageError if it is no such address."""
    check_address(output)
    if not is_local(output) and any(letter in output for letter in "*?["):
        raise OutputError(f"expected an output URL without *, ? and [, saw {output!r}")
    probe = f"{output}/.wikisem/probe"
    try:
        replace_file(probe, b"")
        remove(probe)
    except OSError as error:
        raise OutputError(f"expected an output folder that can be written, saw {output!r}: {error}") from error
