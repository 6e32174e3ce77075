"""Where the files of a unit of work are in an output folder: the record of the unit names their folder.

The record of the class graph is ``OUT/.wikisem/taxonomy.json``, its files are in ``OUT/taxonomy/<fingerprint>/``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from wikisem.typed_json import decode_json

# Part of a path: no way out of the output folder.
Fingerprint: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^\w+$")]


class _Record(msgspec.Struct):
    fingerprint: Fingerprint


def record_path(output: str, unit: str) -> str:
    """The record of a unit.

    >>> record_path("out", "mentions/de")
    'out/.wikisem/mentions.de.json'
    """
    return f"{output}/.wikisem/{unit.replace('/', '.')}.json"


def folder_path(output: str, unit: str, fingerprint: str) -> str:
    """The folder of a unit's files.

    >>> folder_path("out", "mentions/de", "5b1e")
    'out/mentions/de/5b1e'
    """
    return f"{output}/{folder_below(unit, fingerprint)}"


def folder_below(unit: str, fingerprint: str) -> str:
    """The path of a unit's folder below the output folder, as records name files."""
    return f"{unit}/{fingerprint}"


def find_folder(path: str, unit: str, read: Callable[[str], bytes | None]) -> str:
    """The folder of a unit's files, from what a person may give: OUT, the unit's folder in OUT, or the folder itself.

    ``read`` returns the bytes of a file, or None if there is no file. Without a record the path is returned as it is.

    >>> files = {"out/.wikisem/taxonomy.json": b'{"fingerprint": "5b1e"}'}
    >>> [find_folder(path, "taxonomy", files.get) for path in ("out", "out/taxonomy/", "elsewhere")]
    ['out/taxonomy/5b1e', 'out/taxonomy/5b1e', 'elsewhere']

    Raises DamagedInputError for a record without a fingerprint.
    """
    path = path.rstrip("/") or "/"
    outputs = [path]
    if f"/{path}".endswith(f"/{unit}"):
        outputs.append(path[: -len(unit)].rstrip("/") or ("/" if path.startswith("/") else "."))
    for output in outputs:
        record = read(record_path(output, unit))
        if record is not None:
            return folder_path(output, unit, _fingerprint(record_path(output, unit), record))
    return path


def find_local_folder(path: Path, unit: str) -> Path:
    """As ``find_folder``, for files on this machine."""
    return Path(find_folder(str(path), unit, _read))


def _read(path: str) -> bytes | None:
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _fingerprint(path: str, record: bytes) -> str:
    return decode_json(record, _Record, path, "the record of a unit").fingerprint
