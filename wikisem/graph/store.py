"""Dataclasses of arrays on disk: one .npy file for each array, memory-mapped by every process that opens it."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tokenize import TokenError
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
from numpy.lib import format as npy

from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.files import create_binary
from wikisem.graph.csr import CsrRows
from wikisem.local_copies import local_folder

_Record = TypeVar("_Record")
Array = np.ndarray[Any, Any]
_OFFSETS_AT_ONCE: Final = 1 << 20


def arrays_of(record: Any, prefix: str = "") -> Iterator[tuple[str, Array]]:
    """The arrays of a dataclass by name; those of a nested dataclass are called ``field.name``."""
    for field in fields(record):
        value = getattr(record, field.name)
        if is_dataclass(value):
            yield from arrays_of(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", value


def save_arrays(record: Any, folder: str, prefix: str = "") -> list[str]:
    """Write the arrays of a dataclass into a folder; the names of the files, which begin with the prefix."""
    names = []
    for name, array in arrays_of(record, prefix):
        names.append(f"{name}.npy")
        with create_binary(f"{folder}/{names[-1]}") as sink:
            np.save(sink, array, allow_pickle=False)
    return names


def open_arrays(kind: type[_Record], folder: str, prefix: str = "") -> _Record:
    """Map the arrays of a dataclass into memory, from a copy of the folder if it is not on this machine.

    MissingInputError if a file is missing, DamagedInputError for one that does not fit: the shape and type of each
    array are checked, and where rows begin and end; nothing else is read.
    """
    hints, here = _hints(kind), local_folder(folder)
    values = {
        field.name: open_arrays(hints[field.name], str(here), f"{prefix}{field.name}.")
        if is_dataclass(hints[field.name])
        else _open(here / f"{prefix}{field.name}.npy", hints[field.name])
        for field in fields(kind)  # type: ignore[arg-type]
    }
    record = kind(**values)
    if isinstance(record, CsrRows):
        offsets, size = record.offsets, len(record.targets)
        expected = f"{folder}/{prefix}offsets.npy: expected where rows begin and end"
        ends = [*offsets[:1].tolist(), *offsets[-1:].tolist()]
        if ends != [0, size]:
            raise DamagedInputError(f"{expected}, saw rows from and to {ends} of {size} targets")
        for begin in range(0, len(record), _OFFSETS_AT_ONCE):
            part = offsets[begin : begin + _OFFSETS_AT_ONCE + 1]
            if (back := np.flatnonzero(part[1:] < part[:-1])).size:
                message = f"row {begin + back[0]} from {part[back[0]]} to {part[back[0] + 1]}"
                raise DamagedInputError(f"{expected}, saw {message}")
    return record


# To evaluate them takes longer than to open a file.
_hints: Final[Callable[[type[Any]], dict[str, Any]]] = cache(get_type_hints)  # type: ignore[assignment]


def _open(path: Path, hint: Any) -> Array:
    """One array of the type that its field is annotated with: ``npt.NDArray[np.int64]`` and so on."""
    wanted = get_args(get_args(hint)[1])[0]
    wanted = get_origin(wanted) or wanted
    try:
        # np.load opens a file twice, looks its path up and reads its header again: six times as long, and a build of
        # 300 languages opens 90,000 arrays.
        with path.open("rb") as file:
            shape, dtype, begin = _read_header(file.read(_HEADER))
            mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
        if len(shape) != 1 or not np.issubdtype(dtype, wanted):
            raise ValueError(f"{dtype} of shape {shape}")
        return np.frombuffer(mapped, dtype, *shape, begin) if shape[0] else np.zeros(0, dtype)
    except FileNotFoundError as error:
        raise MissingInputError(f"expected an array of the class graph, saw no {path}") from error
    except (ValueError, EOFError, OverflowError, SyntaxError, TokenError) as error:
        raise DamagedInputError(f"{path}: expected one row of {wanted.__name__}, saw {error}") from error


_HEADER: Final = 128  # bytes that numpy writes before the numbers of a plain array


@lru_cache(maxsize=1 << 14)
def _read_header(head: bytes) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """The shape and type of an array, and where its numbers begin."""
    source = BytesIO(head)
    if (version := npy.read_magic(source)) != (1, 0):
        raise ValueError(f"version {version} of .npy")
    shape, _, dtype = npy.read_array_header_1_0(source)
    if min(shape, default=0) < 0:
        raise ValueError(f"shape {shape}")
    return shape, dtype, source.tell()
