"""Dataclasses of arrays on disk: one .npy file for each array, mapped into memory by every process that opens it."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, get_type_hints

import numpy as np

from wikisem.errors import DamagedInputError, MissingInputError

_Record = TypeVar("_Record")
Array = np.ndarray[Any, Any]


def arrays_of(record: Any, prefix: str = "") -> Iterator[tuple[str, Array]]:
    """The arrays of a dataclass by name; those of a nested dataclass are called ``field.name``."""
    for field in fields(record):
        value = getattr(record, field.name)
        if is_dataclass(value):
            yield from arrays_of(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", value


def write_arrays(record: Any, create: Callable[[str], BinaryIO], prefix: str = "") -> None:
    """Write each array of a dataclass to the file that ``create`` opens for its name, which ends in .npy."""
    for name, array in arrays_of(record, prefix):
        with create(f"{name}.npy") as sink:
            np.save(sink, array, allow_pickle=False)


def open_arrays(kind: type[_Record], folder: Path, prefix: str = "") -> _Record:
    """Map the arrays of a dataclass into memory, without reading them; MissingInputError or DamagedInputError."""
    hints = get_type_hints(kind)
    values = {
        field.name: open_arrays(hints[field.name], folder, f"{prefix}{field.name}.")
        if is_dataclass(hints[field.name])
        else _open(folder / f"{prefix}{field.name}.npy")
        for field in fields(kind)  # type: ignore[arg-type]
    }
    return kind(**values)


def _open(path: Path) -> Array:
    try:
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise MissingInputError(f"expected an array of the class graph, saw no {path}") from error
    except (ValueError, EOFError) as error:
        raise DamagedInputError(f"{path}: expected an array, saw {error}") from error
    # A plain view: a memmap would look its file up again at every slice.
    return array.view(np.ndarray)
