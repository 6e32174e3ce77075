"""Dataclasses of arrays on disk: one .npy file for each array, memory-mapped by every process that opens it."""

import atexit
import fcntl
import hashlib
import os
import re
import shutil
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any, Final, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import orjson
from numpy.lib import format as npy

from wikisem.errors import DamagedInputError, MissingInputError, OutputError
from wikisem.files import create_binary, is_local, open_binary, remove_below, versions_below
from wikisem.graph.csr import CsrRows

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
    wanted = get_args(get_args(hint)[1])[0]  # of ndarray[Any, dtype[np.int64]] it is np.int64
    wanted = get_origin(wanted) or wanted  # and np.integer for np.integer[Any]
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


# Workers get the name of their run, since they are killed when their work is done, and it removes what they copied.
RUN_VARIABLE: Final = "WIKISEM_COPIES_OF"
RUN: Final = os.environ.get(RUN_VARIABLE) or uuid.uuid4().hex
_KEY: Final = re.compile(r"[0-9a-f]{32}")
# Locks that say that this process uses a copy: they are let go when it ends, however it does. Their files hold the
# names of the runs that have used it.
_in_use: Final[list[IO[bytes]]] = []


@lru_cache(maxsize=64)
def local_folder(folder: str) -> Path:
    """A folder whose files can be mapped: itself if it is on this machine, else a copy that all processes here share.

    A copy is found by the path, names, sizes and times of the files. The first process to ask makes it, under another
    name until it is whole, and others wait for that. A lock says that this process uses it, until the process ends; the
    last run that uses it removes it. OutputError for a copy, or a folder of copies, that is not this user's.
    """
    if is_local(folder):
        return Path(folder)
    if not _in_use:
        atexit.register(_remove_copies_at_exit)
    files = versions_below(folder)
    key = hashlib.blake2b(orjson.dumps([folder, sorted(files.items())]), digest_size=16).hexdigest()
    copies = _copies()
    copies.mkdir(mode=0o700, exist_ok=True)
    if not _is_own_folder(copies):
        raise OutputError(f"expected {copies} to be a folder that this user alone can write, saw that it is not")
    copy = copies / key
    with _lock(copy, "making", fcntl.LOCK_EX):
        use = _lock(copy, "use", fcntl.LOCK_SH)
        _in_use.append(use)
        use.write(f"{RUN}\n".encode())
        use.flush()
        if _is_own_folder(copy):
            return copy
        if os.path.lexists(copy):
            raise OutputError(f"expected {copy} to be a copy that wikisem made, saw a link, a file or another's")
        # This process alone makes it, so any part of it is left from one that was killed.
        part = copy.with_name(f"{key}.part")
        remove_below(str(copies), part.name)
        part.mkdir(mode=0o700)
        try:
            for name in files:
                target = part / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with open_binary(f"{folder}/{name}") as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 24)
            part.rename(copy)
        except BaseException:
            with suppress(OutputError):  # what came first is the cause
                remove_below(str(copies), part.name)
            raise
    return copy


def remove_copies() -> None:
    """Let go of the copies that this run uses, and remove those that no other process of this machine does.

    OutputError if one cannot be removed. What other runs left is theirs: a copy that a killed one left goes with the
    next run that uses it.
    """
    local_folder.cache_clear()
    while _in_use:
        _in_use.pop().close()  # and let go of its lock
    copies = _copies()
    if not _is_own_folder(copies):
        return
    # Beside each copy, KEY.use names the runs that have used it, one a line; files that we did not make stay.
    for path in sorted(copies.glob("*.use")):
        found = path.lstat()
        if not _KEY.fullmatch(path.stem) or not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
            continue
        if RUN.encode() not in path.read_bytes().split():
            continue
        # Removed under both locks, to make and to use it, unless another process holds one.
        copy = copies / path.stem
        alone = fcntl.LOCK_EX | fcntl.LOCK_NB
        with suppress(BlockingIOError), _lock(copy, "making", alone), _lock(copy, "use", alone):
            for name in (copy.name, f"{copy.name}.part"):
                remove_below(str(copies), name)
            for kind in ("use", "making"):
                copy.with_name(f"{copy.name}.{kind}").unlink()


def _remove_copies_at_exit() -> None:
    with suppress(OSError):
        remove_copies()


def _copies() -> Path:
    """Return the folder of all copies of this user on this machine."""
    return Path(tempfile.gettempdir()) / f"wikisem-{os.getuid()}"


def _is_own_folder(path: Path) -> bool:
    """Return whether this is a folder of this user (not a link) that no other user can write."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _lock(copy: Path, kind: str, how: int) -> IO[bytes]:
    """Lock a copy of a folder, to make or to use it (``kind``), until the file that is returned is closed.

    BlockingIOError if others hold the lock, and ``how``, an operation of ``fcntl.flock``, says not to wait.
    """
    path = copy.with_name(f"{copy.name}.{kind}")
    while True:
        # No link is followed. The lock lasts as long as the file is open.
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), "ab")
        try:
            fcntl.flock(file, how)
            # While this one waited, the file may have been removed, and another of its name may be there.
            if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                return file
        except BaseException:
            file.close()
            raise
        file.close()
