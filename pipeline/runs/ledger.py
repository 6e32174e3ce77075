"""The ledger of an output folder: one small file for each finished unit of work, written after all else of it.

A unit is a stage, or a stage in one language ("mentions/de"). It is finished when it has a record here. The record's
fingerprint says what the unit was made from, and names the folder of its files: ``OUT/mentions/de/<fingerprint>/``.
The record also lists every file that the unit left, with its size and a checksum.

Before files are put into OUT, a note beside the record lists them. By these names a later run finds the files of
interrupted runs and earlier results; nothing else in OUT is ever removed.
"""

import importlib
import platform
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import msgspec
import orjson
from isal.isal_zlib import crc32

from wikisem import __version__, files
from wikisem.arrow.parquet import end_checksum
from wikisem.atomic_files import sync_files
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.layout import MANIFEST, Fingerprint, folder_below, folder_path, names_path, record_path
from wikisem.records import Count, Counts
from wikisem.typed_json import CHECKSUM, decode_json, digest, with_checksum

# What a unit of groups says in its facts: the classes whose label is English because they have none in the language or
# in ``mul``; how many labels and titles mean another item; how many outliers take their places, if any have one.
ENGLISH: Final = "english_labels"
UNCLEAR: Final = "unclear_names"
PLACES: Final = "places"
# The key in the origin of a dump that was made up, as those of the demo are.
MADE_UP: Final = "made_up"


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a finished unit: its size in bytes, and its checksum (see ``measure_parts``)."""

    size: Count
    checksum: str


@dataclass(frozen=True, slots=True)
class Record:
    """A finished unit: its inputs, versions and counts.

    ``fingerprint`` covers everything that it was made from; ``identity`` only what dependent units depend on. ``needs``
    are the units that it was made from, with the identities that they had then; ``parts`` are its files, by path below
    OUT.
    """

    unit: str
    fingerprint: Fingerprint
    identity: str
    counts: Counts
    needs: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    made_with: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)


def fingerprint(**parts: Any) -> str:
    """A digest of everything that a unit depends on, given as plain values in any order."""
    return digest(parts)


@dataclass(eq=False)
class Ledger:
    """The records of the output folder; each is read only once, because a run has OUT to itself."""

    output: str
    _read: dict[str, Record] = field(default_factory=dict, init=False)  # by path

    def forget(self) -> None:
        """Read everything again: another run may have replaced what was read before this run had OUT to itself."""
        self._read.clear()

    def find(self, unit: str) -> Record | None:
        """The record of a unit, or None where it has not been finished."""
        path = record_path(self.output, unit)
        return self._record(path) if path in self._read or files.list_files(path) else None

    def require(self, unit: str) -> Record:
        """The record of a unit that another one needs; MissingInputError names the stage to run first."""
        record = self.find(unit)
        if record is None:
            stage = unit.partition("/")[0]
            raise MissingInputError(f"expected {unit} to be finished in {self.output}; run `wikisem {stage}` first")
        return record

    def check_needs(self, record: Record) -> None:
        """Raise MissingInputError if a unit that this one was made from is gone, or has changed since then."""
        for name, identity_then in record.needs.items():
            if self.require(name).identity != identity_then:
                raise MissingInputError(
                    f"expected {record.unit} made from the {name} in {self.output}, saw that it was made from earlier "
                    f"ones; run `wikisem {record.unit.partition('/')[0]}` first"
                )

    def folder(self, unit: str) -> str:
        """The folder of the files of a finished unit; MissingInputError names the stage to run first."""
        return folder_path(self.output, unit, self.require(unit).fingerprint)

    def records(self) -> list[Record]:
        """All records, by unit."""
        paths = files.list_files(record_path(self.output, "*"))
        records = [self._record(path) for path in paths if not path.rpartition("/")[2].startswith("lock.")]
        return sorted(records, key=lambda record: record.unit)

    def put(self, record: Record) -> None:
        """Record that a unit is finished."""
        path = record_path(self.output, record.unit)
        self._read.pop(path, None)
        write_json(path, with_checksum(asdict(record)))

    def invalidate(self, unit: str) -> None:
        """Record that a unit is not finished, before its files are replaced."""
        path = record_path(self.output, unit)
        self._read.pop(path, None)
        files.remove(path)

    def names(self, unit: str) -> set[str]:
        """The files and folders below OUT that runs have made for a unit, or begun to make; some may be gone."""
        path = names_path(self.output, unit)
        if (data := files.read_if_there(path)) is None:
            return set()
        return set(decode_json(data, list[str], path, "a list of names as wikisem writes it"))

    def note(self, unit: str, names: Collection[str]) -> None:
        """Note which files and folders are the unit's, before they are made and after others are removed."""
        if names != self.names(unit):
            data = orjson.dumps(sorted(names), option=orjson.OPT_APPEND_NEWLINE)
            files.replace_file(names_path(self.output, unit), data)

    def write_manifest(self) -> None:
        """Write OUT/manifest.json: in ``stages`` an entry for each finished unit, at the top what all groups share."""
        records, stages = self.records(), dict[str, Any]()
        for record in records:
            counts = asdict(record.counts)
            counts["in"] = counts.pop("read")  # as the manifest calls it
            stages[record.unit] = {"fingerprint": record.fingerprint, **counts, **record.made_with, **record.facts}
        manifest: dict[str, Any] = {"stages": stages}
        inputs = (file for record in records for file in record.facts.get("inputs", ()))
        if any(MADE_UP in file.get("origin", {}) for file in inputs):
            manifest[MADE_UP] = True
        # The recipe, seed and versions of all groups, or of all units as long as there are no groups.
        groups = [record for record in records if record.unit.startswith("groups/")] or records
        for key in ("recipe", "seed", "versions"):
            values = [record.made_with[key] for record in groups if key in record.made_with]
            if values and all(value == values[0] for value in values):
                manifest[key] = values[0]
        write_json(f"{self.output}/{MANIFEST}", with_checksum(manifest))

    def _record(self, path: str) -> Record:
        """Read the record of a unit from its JSON file, once; DamagedInputError if damaged, or with other fields."""
        if path in self._read:
            return self._read[path]
        data = files.read_binary(path)
        try:
            values = orjson.loads(data)
            checksum = values.pop(CHECKSUM)
            if checksum != digest(values):
                raise ValueError(f"other values than those of its checksum {checksum}")
            record = msgspec.convert(values, Record)  # ignores fields that it does not know, and fills in absent ones
            if asdict(record) != values:
                raise ValueError("the fields of another version")
        except (ValueError, TypeError, KeyError, AttributeError, msgspec.ValidationError) as error:
            expected = f"{path}: expected the record of a unit as this version writes it"
            raise DamagedInputError(f"{expected}, saw {error}; remove the file to run the unit again") from error
        self._read[path] = record
        return record


def write_json(path: str, data: Mapping[str, Any]) -> None:
    """Write a JSON file in one step, in place of an earlier one; it is on the disk then."""
    files.replace_file(path, orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS), durable=True)


def measure_parts(output: str, record: Record, leaves: Iterable[str] = ()) -> dict[str, Part]:
    """The size and checksum of each file of a unit, by path below OUT, once all are synced to the disk.

    They are the files in the unit's own folder or, if it has ``leaves``, files and folders with plain names such as
    "groups/de.jsonl". In its own folder, Parquet has the checksum of its end alone, which holds those of all blocks:
    each is checked as its rows are read (``arrow.parquet``). Any other file is checked as a whole before it is used.
    """
    folder = folder_below(record.unit, record.fingerprint)
    sizes: dict[str, int] = {}
    for root in leaves or (folder,):
        sizes |= {f"{root}/{path}": size for path, size in files.sizes_below(f"{output}/{root}").items()}
        if files.list_files(f"{output}/{root}"):  # a leaf that is a file
            sizes[root], _ = files.size_and_time(f"{output}/{root}")
    sizes = dict(sorted(sizes.items()))
    if files.is_local(output):  # a store has what was written to it
        sync_files(Path(output), [Path(output, path) for path in sizes])
    checksums = _checksums(output, folder, sizes)
    return {path: Part(size, checksums[path]) for path, size in sizes.items()}


def find_damage(output: str, record: Record) -> str:
    """A description of what is wrong with the files of a unit; empty if they match the record."""
    own_folder = folder_below(record.unit, record.fingerprint)
    sizes: dict[str, int] = {}  # of all files in the folders that the record names, by path below OUT
    for folder in {own_folder, *(path.rpartition("/")[0] for path in record.parts)}:
        in_folder = files.sizes_below(f"{output}/{folder}".rstrip("/"))
        sizes |= {f"{folder}/{path}".lstrip("/"): size for path, size in in_folder.items()}
    for path, part in record.parts.items():
        if path not in sizes:
            return f"expected {output}/{path}, saw no such file"
        if sizes[path] != part.size:
            return f"expected {part.size:,} bytes in {output}/{path}, saw {sizes[path]:,}"
    checksums = _checksums(output, own_folder, record.parts)
    for path, part in record.parts.items():
        if checksums[path] != part.checksum:
            return f"expected {output}/{path} as it was written, saw other bytes"
    # Other files are only wrong in the unit's own folder, of which stages read all.
    strays = [path for path in sizes if path.startswith(f"{own_folder}/") and path not in record.parts]
    return f"expected only what its record lists, saw {output}/{strays[0]}" if strays else ""


def _checksums(output: str, folder: str, paths: Collection[str]) -> Mapping[str, str]:
    """The checksums of files of a unit by path below OUT: of Parquet in its folder, those of its end."""
    by_end = {path for path in paths if path.startswith(f"{folder}/") and path.endswith(".parquet")}
    checksums = files.for_each_file(output, lambda path: checksum_of(f"{output}/{path}", path in by_end), paths)
    return dict(zip(paths, checksums, strict=True))


def checksum_of(path: str, by_end: bool = False) -> str:
    """The CRC-32 of a file in eight hexadecimal digits; ``by_end``, that of Parquet's block checksums and footer."""
    with files.open_binary(path) as source:
        checksum = end_checksum(source) if by_end else None
        if checksum is None:  # also of Parquet whose footer does not fit its checksum
            source.seek(0)
            checksum = 0
            while data := source.read(1 << 22):
                checksum = crc32(data, checksum)
    return f"{checksum:08x}"


_LIBRARIES: Final = ("apache-beam", "mwparserfromhell", "numpy", "pyarrow", "regex")


def versions() -> dict[str, str]:
    """The versions that decide the bytes of a unit, by name: wikisem, Python, and the libraries that read and write."""
    found = {"wikisem": __version__, "python": platform.python_version()}
    # Imported only when asked for: that takes a quarter of a second.
    found["bzip2"] = importlib.import_module("wikisem.dumps.bzip2.block_reader").decoder_name()
    # The version of Unicode by whose rules characters are counted; ``regex`` names it only in its description.
    unicode = re.search(r"supports Unicode (\d+\.\d+)", str(metadata.metadata("regex").json["description"]))
    found["unicode"] = unicode[1] if unicode else "unknown"
    for package in _LIBRARIES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # scores need neither Beam nor a parser of wikitext
            found[package] = "not installed"
    return found
