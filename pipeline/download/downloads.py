"""All files of some dumps into one folder: what is there already, whether it will fit, three connections at a time.

``downloads.json`` in the folder says of every whole file where it came from; ``wikisem build`` copies that into its
manifest. A lock keeps a second download out of the folder, which would double the connections and the bytes.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from typing import Any, Final

import orjson

from wikisem.atomic_files import whole_file
from wikisem.errors import DownloadError, OutputError
from wikisem.pipeline.download.catalogue import Mirror
from wikisem.pipeline.download.fetch import Fetcher, StoppedError, digest_of
from wikisem.pipeline.download.model import RemoteDump, RemoteFile
from wikisem.pipeline.download.record import RECORD, read_record

# What dumps.wikimedia.org allows an address (https://dumps.wikimedia.org/, 2026-11).
_CONNECTIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Download:
    """A file that is wanted, the dump that it is of, and how many of its bytes are in the folder."""

    dump: RemoteDump
    file: RemoteFile
    have: int
    done: bool

    @property
    def missing(self) -> int:
        """The bytes to come, 0 where the server does not say how many there are."""
        return 0 if self.done or self.file.size is None else max(self.file.size - self.have, 0)


def plan_downloads(dumps: Sequence[RemoteDump], folder: Path) -> list[Download]:
    """The files of some dumps, and what of them is in the folder; whole ones are known by record or by checksum."""
    record = read_record(folder)
    return [_planned(dump, file, folder, record) for dump in dumps for file in dump.files]


def _planned(dump: RemoteDump, file: RemoteFile, folder: Path, record: Mapping[str, Any]) -> Download:
    target, part = folder / file.name, folder / f"{file.name}.part"
    if target.exists():
        known = record.get(file.name, {})
        recorded = known.get(file.algorithm) == file.digest and known.get("size") == target.stat().st_size
        if recorded or digest_of(target, file.algorithm) == file.digest:
            return Download(dump, file, target.stat().st_size, done=True)
    return Download(dump, file, part.stat().st_size if part.exists() else 0, done=False)


def download(
    wanted: Sequence[Download],
    mirror: Mirror,
    folder: Path,
    today: str,
    count: Callable[[int], object] = lambda _: None,
) -> None:
    """Fetch what is not there yet; every file gets its name and its record when it is whole.

    ``count`` hears of bytes as they come. Raises DownloadError and OutputError; files that were finished are kept, and
    so is the beginning of the others.
    """
    _check_space(wanted, folder)
    recording = Lock()
    stop = Event()
    fetcher = Fetcher(mirror, folder, count, stop)

    def fetch(one: Download) -> None:
        if not one.done:
            fetcher.fetch(one.file)
        with recording:
            _record(folder, one, today)

    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        futures = [pool.submit(fetch, one) for one in wanted]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            # All are done, or one has failed, or a person has stopped the run: the rest ends at its next block.
            stop.set()
            pool.shutdown(cancel_futures=True)
    errors = [error for future in futures if not future.cancelled() and (error := future.exception())]
    for error in sorted(errors, key=lambda one: isinstance(one, StoppedError)):
        raise error


def _record(folder: Path, one: Download, today: str) -> None:
    files = dict(read_record(folder))
    files[one.file.name] = {
        "kind": one.dump.kind,
        "language": one.dump.language,
        "date": one.dump.date,
        "url": one.file.url,
        "size": (folder / one.file.name).stat().st_size,
        one.file.algorithm: one.file.digest,
        "downloaded": files.get(one.file.name, {}).get("downloaded", today),
    }
    with whole_file(folder / RECORD) as sink:
        sink.write(orjson.dumps({"files": files}, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))


def _check_space(wanted: Sequence[Download], folder: Path) -> None:
    missing, free = sum(one.missing for one in wanted), shutil.disk_usage(folder).free
    if missing > free:
        raise OutputError(f"{folder}: expected {missing:,} bytes of free space for the downloads, saw {free:,}")


@contextmanager
def only_download_in(folder: Path) -> Iterator[None]:
    """Keep other downloads out of the folder, which is made; DownloadError where one is at work in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".download.lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise OutputError(f"expected to write to {folder}, saw {error}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise DownloadError(f"{folder}: expected no other download to be at work in it, saw one") from error
    finally:
        os.close(handle)
