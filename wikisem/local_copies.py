"""Copies on this machine of folders that are elsewhere, so that the arrays in them can be mapped into memory."""

import atexit
import fcntl
import hashlib
import os
import re
import shutil
import stat
import tempfile
import uuid
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Final

import orjson

from wikisem.errors import OutputError
from wikisem.files import is_local, open_binary, remove_below, versions_below

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
        _in_use.pop().close()
    copies = _copies()
    if not _is_own_folder(copies):
        return
    for path in sorted(copies.glob("*.use")):
        found = path.lstat()
        if not _KEY.fullmatch(path.stem) or not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid():
            continue
        if RUN.encode() not in path.read_bytes().split():
            continue
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
    """Lock a copy until the file is closed; BlockingIOError if others hold it and ``how`` says not to wait."""
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
