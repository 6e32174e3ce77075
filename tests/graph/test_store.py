"""Arrays of dataclasses on disk: opening names the file that is not an array, or leads outside of another."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.graph.csr import CsrRows, Flags, Int64s
from wikisem.graph.store import arrays_of, open_arrays, save_arrays


@dataclass(frozen=True)
class Record:
    """Arrays of three kinds, as those of the class graph."""

    numbers: Int64s
    flags: Flags
    up: CsrRows


RECORD = Record(np.arange(3), np.ones(3, bool), CsrRows(np.array([0, 2, 2, 3], np.uint32), np.array([1, 2, 0])))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The record in files."""
    save_arrays(RECORD, str(tmp_path))
    return tmp_path


def header(shape: tuple[int, ...], dtype: str = "<i8") -> bytes:
    """A file of which the header alone is there."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def test_what_was_written_is_opened(folder: Path) -> None:
    """Every array as it was, nested ones too."""
    opened = open_arrays(Record, str(folder))
    assert isinstance(opened.up, CsrRows)
    for (name, array), (_, other) in zip(arrays_of(RECORD), arrays_of(opened), strict=True):
        np.testing.assert_array_equal(array, other, name)


DAMAGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "cut off": ("numbers", lambda path: os.truncate(path, path.stat().st_size - 1)),
    "empty": ("numbers", lambda path: path.write_bytes(b"")),
    "text": ("numbers", lambda path: path.write_bytes(b"hello, this is no array")),
    "373 GiB": ("numbers", lambda path: path.write_bytes(header((50_000_000_000,)))),
    "a size below zero": ("numbers", lambda path: path.write_bytes(header((-3,)) + bytes(24))),
    "a size beyond all numbers": ("numbers", lambda path: path.write_bytes(header((1 << 70,)) + bytes(24))),
    "a header that is no header": ("numbers", lambda path: path.write_bytes(header(()).replace(b"}", b"("))),
    "a table": ("numbers", lambda path: np.save(path, np.zeros((3, 1), np.int64))),
    "fractions": ("numbers", lambda path: np.save(path, np.zeros(3))),
    "numbers for flags": ("flags", lambda path: np.save(path, np.zeros(3, np.int64))),
    "fractions for indices": ("up.targets", lambda path: np.save(path, np.zeros(3))),
    "objects": ("numbers", lambda path: np.save(path, np.array([{}], object), allow_pickle=True)),
    "no offsets": ("up.offsets", lambda path: np.save(path, np.zeros(0, np.uint32))),
    "rows that do not begin at 0": ("up.offsets", lambda path: np.save(path, np.array([1, 2, 2, 3]))),
    "rows that end outside": ("up.offsets", lambda path: np.save(path, np.array([0, 2, 2, 1 << 40]))),
    "rows that end before": ("up.offsets", lambda path: np.save(path, np.array([0, 2, 2, 2]))),
    "rows that go back": ("up.offsets", lambda path: np.save(path, np.array([0, 5, 2, 3]))),
}


@pytest.mark.parametrize(("name", "damage"), DAMAGES.values(), ids=DAMAGES)
def test_an_array_that_cannot_be_meant_is_named(folder: Path, name: str, damage: Callable[[Path], object]) -> None:
    """A header that lies, another type, offsets that lead outside: none of it is followed."""
    damage(folder / f"{name}.npy")
    with pytest.raises(DamagedInputError, match=rf"{name}.*: expected .*, saw"):
        open_arrays(Record, str(folder))


def test_an_array_that_is_not_there_is_named(folder: Path) -> None:
    """With its path."""
    (folder / "up.targets.npy").unlink()
    with pytest.raises(MissingInputError, match=r"saw no .*up\.targets\.npy"):
        open_arrays(Record, str(folder))
