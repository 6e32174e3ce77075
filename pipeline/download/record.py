"""The record of a folder of downloads: where each whole file came from. It is read without what downloads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import orjson

from wikisem.atomic_files import whole_file
from wikisem.typed_json import decode_json

RECORD: Final = "downloads.json"


class _Downloads(msgspec.Struct):
    files: dict[str, dict[str, str | int]]


def read_record(folder: Path) -> Mapping[str, Any]:
    """The origins of the files of a folder, by name; empty if nothing was downloaded to it."""
    path = folder / RECORD
    if not path.exists():
        return {}
    return decode_json(path.read_bytes(), _Downloads, str(path), "a record of downloads", "remove it to go on").files


def origin_of(path: Path, size: int) -> Mapping[str, Any]:
    """Where a file came from; empty if that is unknown, or if its size is not that of the download."""
    about: Mapping[str, Any] = read_record(path.parent).get(path.name, {})
    return about if about.get("size") == size else {}


def add_to_record(folder: Path, origins: Mapping[str, Mapping[str, str | int]]) -> None:
    """Record where files of a folder came from, by name, beside those that its record has."""
    files = {**read_record(folder), **origins}
    with whole_file(folder / RECORD) as sink:
        sink.write(orjson.dumps({"files": files}, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
