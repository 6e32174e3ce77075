"""Arrays through Beam's file systems: written anywhere, mapped into memory where they are on this machine."""

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

import orjson

from wikisem.errors import OutputError
from wikisem.graph.store import write_arrays
from wikisem.transforms.io.addresses import is_local
from wikisem.transforms.io.files import create_binary, open_binary, versions_below

# Locks that say that this process uses a copy: they are let go when it ends, however it does.
_in_use: Final[list[IO[bytes]]] = []


def save_arrays(record: Any, folder: str, prefix: str = "") -> list[str]:
    """Write the arrays of a dataclass into a folder; the names of the files, which begin with the prefix."""
    names: list[str] = []

    def create(name: str) -> BinaryIO:
        names.append(name)
        return create_binary(f"{folder}/{name}")

    write_arrays(record, create, prefix)
    return names


@lru_cache(maxsize=64)
def local_folder(folder: str) -> Path:
    """A folder whose files can be mapped: itself, or for one elsewhere a copy, shared by all processes of this machine.

    A copy is found by what it holds: the path, the names, the sizes and the times of the files. The first process to
    ask makes it, others wait for that. It goes with the last process that uses it, or when another copy is made.
    """
    if is_local(folder):
        return Path(folder)
    if not _in_use:
        atexit.register(remove_copies)
    files = versions_below(folder)
    key = hashlib.blake2b(orjson.dumps([folder, sorted(files.items())]), digest_size=16).hexdigest()
    copy = _copies() / key
    with _locked(copy, "making"):
        _in_use.append(_lock(copy, "use", fcntl.LOCK_SH))
        if not copy.is_dir():
            _remove_unused()
            _fetch(folder, files, copy)
    return copy


def remove_copies() -> None:
    """Let go of the copies that this process uses, and remove those on this machine that no other one does."""
    local_folder.cache_clear()
    while _in_use:
        _in_use.pop().close()
    _remove_unused()


def _remove_unused() -> None:
    for name in sorted({path.name.partition(".")[0] for path in _copies().iterdir()}):
        copy = _copies() / name
        with suppress(BlockingIOError), _locked(copy, "making", fcntl.LOCK_NB), _locked(copy, "use", fcntl.LOCK_NB):
            for path in (copy, *copy.parent.glob(f"{name}.*.part")):
                shutil.rmtree(path, ignore_errors=True)
            for kind in ("use", "making"):
                _lock_path(copy, kind).unlink()


def _fetch(folder: str, files: Iterable[str], copy: Path) -> None:
    part = copy.with_name(f"{copy.name}.{uuid.uuid4().hex}.part")
    part.mkdir()
    try:
        for name in files:
            target = part / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with open_binary(f"{folder}/{name}") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 24)
        part.rename(copy)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _copies() -> Path:
    """The folder of all copies of this user on this machine."""
    folder = Path(tempfile.gettempdir()) / f"wikisem-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise OutputError(f"expected {folder} to be a folder of this user, saw that it is another one's")
    return folder


def _lock_path(copy: Path, kind: str) -> Path:
    return copy.with_name(f"{copy.name}.{kind}")


def _lock(copy: Path, kind: str, how: int) -> IO[bytes]:
    """Lock a copy until the file is closed; BlockingIOError where others hold it and ``how`` says not to wait."""
    path = _lock_path(copy, kind)
    while True:
        file = path.open("ab")
        try:
            fcntl.flock(file, how)
            # While this one waited, the file may have been removed, and another of its name may be there.
            if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                return file
        except BaseException:
            file.close()
            raise
        file.close()


@contextmanager
def _locked(copy: Path, kind: str, how: int = 0) -> Iterator[None]:
    with _lock(copy, kind, fcntl.LOCK_EX | how):
        yield
