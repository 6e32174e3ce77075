"""The parts of a finished unit: every file that it left, with its size, as its record lists them.

A file that went missing, grew or shrank would else be read as it is, or left out in silence.
"""

from collections.abc import Iterable, Iterator, Mapping

from wikisem.pipeline.build.ledger import Record
from wikisem.transforms.io.files import list_files, size_of, sizes_below
from wikisem.unit_folders import folder_below


def measure_parts(output: str, roots: Iterable[str]) -> dict[str, int]:
    """The sizes in bytes of files, and of all files below folders; both are named by their path below OUT."""
    return dict(sorted(pair for root in roots for pair in _sizes(output, root)))


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
    for path, size in record.parts.items():
        if path not in found:
            return f"expected {output}/{path}, saw no such file"
        if found[path] != size:
            return f"expected {size:,} bytes in {output}/{path}, saw {found[path]:,}"
    strays = [path for path in found if path.startswith(f"{own}/") and path not in record.parts]
    return f"expected only what its record lists, saw {output}/{strays[0]}" if strays else ""


def _sizes_beside(output: str, folders: Iterable[str]) -> Mapping[str, int]:
    return {
        f"{one}/{path}".lstrip("/"): size
        for one in folders
        for path, size in sizes_below(f"{output}/{one}".rstrip("/")).items()
    }
