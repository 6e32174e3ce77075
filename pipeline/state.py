"""What is finished in an output folder: one small file for each unit of work, written after everything else of it.

A unit is a stage, or a stage in one language ("mentions/de"). It is finished when its record stands and its
fingerprint fits; whatever stands without a record is the rest of a run that was cut off.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson

from transforms.files import create_binary, list_files, open_binary, remove, rename
from wikisem.records import Counts


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
