"""downloads.json: where each whole file of a folder came from. It is read without any code for networks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from wikisem.errors import DownloadError

RECORD: Final = "downloads.json"


def read_record(folder: Path) -> Mapping[str, Any]:
    """Where the files of a folder came from, by name; empty where nothing was downloaded to it."""
    path = folder / RECORD
    if not path.exists():
        return {}
    try:
        files: Mapping[str, Any] = orjson.loads(path.read_bytes())["files"]
    except (ValueError, KeyError, TypeError) as error:
        raise DownloadError(f"{path}: expected a record of downloads, saw {error}; remove it to go on") from error
    return files


def origin_of(path: Path, size: int) -> Mapping[str, Any]:
    """Where a file came from; empty if that is unknown, or if it has another size than it was downloaded with."""
    about: Mapping[str, Any] = read_record(path.parent).get(path.name, {})
    return about if about.get("size") == size else {}
