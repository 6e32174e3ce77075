"""The parts of a finished unit: every file that it left, with its size and a checksum, as its record lists them.

A file that went missing, grew, shrank or changed would else be read as it is, or left out in silence. The checksum of
Parquet is that of its end, which holds those of all its blocks (``arrow.checked_parquet``): rows are checked as they
are read, and not where a run reads none of them. Other files are checked whole before they are used, and so is Parquet
with a plain name, which people read.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from isal.isal_zlib import crc32

from wikisem.arrow.checked_parquet import end_checksum
from wikisem.pipeline.build.ledger import Part, Record
from wikisem.transforms.io.files import list_files, open_binary, size_of, sizes_below, sync_files
from wikisem.transforms.io.many_files import for_each_file
from wikisem.unit_folders import folder_below

_STEP: Final = 1 << 22


def measure_parts(output: str, record: Record, leaves: Iterable[str] = ()) -> dict[str, Part]:
    """The parts of a unit: what is in its folder, or files and folders of files with plain names, by path below OUT.

    They are on the disk then, with their names, so that a record can say so.
    """
    own = folder_below(record.unit, record.fingerprint)
    sizes = dict(sorted(pair for root in leaves or (own,) for pair in _sizes(output, root)))
    sync_files(output, sizes)
    checksums = _checksums(output, own, sizes)
    return {path: Part(size, checksums[path]) for path, size in sizes.items()}


def _sizes(output: str, root: str) -> Iterator[tuple[str, int]]:
    for path, size in sizes_below(f"{output}/{root}").items():
        yield f"{root}/{path}", size
    for path in list_files(f"{output}/{root}"):
        yield root, size_of(path)


def find_misfit(output: str, record: Record) -> str:
    """What is wrong with the files of a unit, in words; empty if they are as the record says.

    Files that the record does not list count only in the unit's own folder, all of which is read.
    """
    own = folder_below(record.unit, record.fingerprint)
    found = _sizes_beside(output, {own, *(path.rpartition("/")[0] for path in record.parts)})
    for path, part in record.parts.items():
        if path not in found:
            return f"expected {output}/{path}, saw no such file"
        if found[path] != part.size:
            return f"expected {part.size:,} bytes in {output}/{path}, saw {found[path]:,}"
    checksums = _checksums(output, own, record.parts)
    for path, part in record.parts.items():
        if checksums[path] != part.checksum:
            return f"expected {output}/{path} as it was written, saw other bytes"
    strays = [path for path in found if path.startswith(f"{own}/") and path not in record.parts]
    return f"expected only what its record lists, saw {output}/{strays[0]}" if strays else ""


def _sizes_beside(output: str, folders: Iterable[str]) -> Mapping[str, int]:
    return {
        f"{one}/{path}".lstrip("/"): size
        for one in folders
        for path, size in sizes_below(f"{output}/{one}".rstrip("/")).items()
    }


def _checksums(output: str, own: str, paths: Iterable[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}

    def look(path: str) -> None:
        by_end = path.startswith(f"{own}/") and path.endswith(".parquet")
        found[path] = f"{_checksum(f'{output}/{path}', by_end):08x}"

    for_each_file(output, look, paths)
    return found


def _checksum(path: str, by_end: bool) -> int:
    with open_binary(path) as source:
        if by_end and (end := end_checksum(source)) is not None:
            return end
        source.seek(0)
        checksum = 0
        while data := source.read(_STEP):
            checksum = crc32(data, checksum)
    return checksum
