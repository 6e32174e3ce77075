"""downloads.json: where each whole file of a folder came from. It is read without any code for networks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from wikisem.typed_json import decode_json

RECORD: Final = "downloads.json"


class _Record(msgspec.Struct):
    files: dict[str, dict[str, str | int]]


def read_record(folder: Path) -> Mapping[str, Any]:
    """Where the files of a folder came from, by name; empty where nothing was downloaded to it."""
    path = folder / RECORD
    if not path.exists():
        return {}
    return decode_json(path.read_bytes(), _Record, str(path), "a record of downloads", "remove it to go on").files


def origin_of(path: Path, size: int) -> Mapping[str, Any]:
    """Where a file came from; empty if that is unknown, or if it has another size than it was downloaded with."""
    about: Mapping[str, Any] = read_record(path.parent).get(path.name, {})
    return about if about.get("size") == size else {}
