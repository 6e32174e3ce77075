"""Download all files of some dumps into one folder, over three connections at once, and resume interrupted ones.

A file is fetched to its end over as many connections as it takes, and named only when its checksum is right. In the
folder, ``downloads.json`` says where each whole file came from, which ``wikisem build`` copies into its manifest.
"""

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from threading import Event, Lock
from typing import BinaryIO, Final

from wikisem.errors import DownloadError, OutputError
from wikisem.limits import LEAST_PROGRESS
from wikisem.pipeline.download.catalogue import Mirror, RemoteDump, RemoteFile
from wikisem.pipeline.download.record import add_to_record, read_record
from wikisem.redaction import redacted
from wikisem.web import Answer, NoAnswerError, fits_header

# All files of some dumps.

# What dumps.wikimedia.org allows an address (https://dumps.wikimedia.org/, 2026-11).
_CONNECTIONS: Final = 3


@dataclass(frozen=True, slots=True)
class Download:
    """A file that is wanted, its dump, and how many of its bytes are in the folder."""

    dump: RemoteDump
    file: RemoteFile
    have: int
    done: bool

    @property
    def missing(self) -> int:
        """The bytes to come, 0 if the server does not say how many there are."""
        return 0 if self.done or self.file.size is None else max(self.file.size - self.have, 0)


def plan_downloads(dumps: Sequence[RemoteDump], folder: Path) -> list[Download]:
    """The files of some dumps, and how much of each is in the folder; whole ones are known by record or checksum."""
    record, planned = read_record(folder), list[Download]()
    for dump in dumps:
        for file in dump.files:
            target, part = folder / file.name, folder / f"{file.name}.part"
            size, known = target.stat().st_size if target.exists() else -1, record.get(file.name, {})
            recorded = known.get(file.algorithm) == file.digest and known.get("size") == size
            if size >= 0 and (recorded or digest_of(target, file.algorithm) == file.digest):
                planned.append(Download(dump, file, size, done=True))
            else:
                planned.append(Download(dump, file, part.stat().st_size if part.exists() else 0, done=False))
    return planned


def download(
    wanted: Sequence[Download],
    mirror: Mirror,
    folder: Path,
    today: str,
    count: Callable[[int], object] = lambda _: None,
) -> None:
    """Fetch what is not there yet; every file gets its name and its record when it is whole.

    ``count`` is called with numbers of bytes as they come. Raises DownloadError and OutputError; files that were
    finished are kept, and so is the beginning of the others.
    """
    missing, free = sum(item.missing for item in wanted), shutil.disk_usage(folder).free
    if missing > free:
        raise OutputError(f"{folder}: expected {missing:,} bytes of free space for the downloads, saw {free:,}")
    recording = Lock()
    stop = Event()
    fetcher = Fetcher(mirror, folder, count, stop)

    def fetch(item: Download) -> None:
        dump, file = item.dump, item.file
        if not item.done:
            fetcher.fetch(file)
        with recording:
            origin = {
                "kind": dump.kind,
                "language": dump.language,
                "date": dump.date,
                "url": redacted(file.url),
                "size": (folder / file.name).stat().st_size,
                file.algorithm: file.digest,
                "downloaded": read_record(folder).get(file.name, {}).get("downloaded", today),
            }
            add_to_record(folder, {file.name: origin})

    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        futures = [pool.submit(fetch, item) for item in wanted]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            # All are done, or one has failed, or a person has stopped the run: the rest ends at its next block.
            stop.set()
            pool.shutdown(cancel_futures=True)
    errors = [error for future in futures if not future.cancelled() and (error := future.exception())]
    for error in sorted(errors, key=lambda error: isinstance(error, StoppedError)):
        raise error


@contextmanager
def only_download_in(folder: Path) -> Iterator[None]:
    """Make the folder and keep other downloads out of it, which would double the connections and the bytes.

    DownloadError if another download is at work in it.
    """
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


# One file.


class StoppedError(Exception):
    """Another file failed, or a person stopped the run: what has arrived is kept."""


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches files into a folder, each over as many connections as it takes, and names them if the checksum is right.

    ``count`` is called with numbers of bytes as they come, and with negative numbers for bytes that are thrown away.
    ``stop`` ends the work at the next block, or in a pause.

    The first bytes are in ``NAME.part``, and ``NAME.part.version`` has the version of the file (its ETag or date, empty
    if the server gives neither). A later attempt or run asks for the rest with Range and If-Range (RFC 9110, 13.1.5 and
    14.2). A ``NAME.part`` without a version file is not ours, and stays.

        GET /f  Range: bytes=600-  If-Range: "v1" 206, Content-Range: bytes 600-999/1000   the rest follows
                                                  206, Content-Range: bytes 600-799/1000   some of it: ask for more
                                                  200                                      the file changed: begin again
                                                  416, Content-Range: bytes */600          all of it was there
    """

    mirror: Mirror
    folder: Path
    count: Callable[[int], object]
    stop: Event

    def fetch(self, remote: RemoteFile) -> Path:
        """The whole file; DownloadError if it cannot be fetched, OutputError if it cannot be written."""
        target, part = self.folder / remote.name, _PartialFile(self.folder / f"{remote.name}.part")
        part.check()
        patience = replace(self.mirror.patience, wait=self._wait)
        try:
            for last in (False, True):
                while not patience.persist(
                    remote.url, lambda: self._ask(remote, part), DownloadError, progress=lambda: part.size
                ):
                    pass  # a part of the file has come, and at least LEAST_PROGRESS of it
                digest = digest_of(part.path, remote.algorithm)
                if digest == remote.digest:
                    part.finish(target)
                    return target
                self._drop(part)
                if last:
                    raise DownloadError(
                        f"{remote.url}: expected {remote.algorithm} {remote.digest}, saw {digest} twice; "
                        "what came was thrown away"
                    )
        except OSError as error:
            if isinstance(error, DownloadError | OutputError):
                raise
            raise OutputError(f"expected to write {part.path}, saw {error}; what has arrived is kept") from error
        raise AssertionError("the loop ends in one of its two ways")

    def _wait(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise StoppedError

    def _ask(self, remote: RemoteFile, part: "_PartialFile") -> bool:
        """Whether all bytes are there after one request; NoAnswerError if it brought hardly any."""
        before = part.size
        have = before if part.version else 0
        headers = {"Range": f"bytes={have}-", "If-Range": part.version} if have else {}
        try:
            with self.mirror.http.open(remote.url, headers=headers) as answer:
                total = self._receive(answer, part, have, remote)
        except NoAnswerError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                raise DownloadError(
                    f"{remote.url}: expected the file that the list of checksums names, saw {error}; the server "
                    "keeps a dump for some months only"
                ) from error
            if error.status != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise
            if part.size == remote.size:
                return True
            self._drop(part)  # it cannot be a beginning of this file
            raise NoAnswerError(str(error)) from error
        if part.size < total and part.size < before + LEAST_PROGRESS:
            raise NoAnswerError(f"{part.size:,} of {total:,} bytes, where {before:,} had come before")
        return part.size == total

    def _receive(self, answer: Answer, part: "_PartialFile", have: int, remote: RemoteFile) -> int:
        """Write what comes, and return how many bytes the whole file has."""
        begins, total = 0, answer.length
        if answer.status == HTTPStatus.PARTIAL_CONTENT:
            found = re.fullmatch(r"bytes (\d{1,18})-\d+/(?:(\d{1,18})|\*)", answer.headers.get("Content-Range", ""))
            begins, total = (int(found[1]), int(found[2]) if found[2] else None) if found else (-1, None)
        total = total if remote.size is None else remote.size
        if total is None:
            raise NoAnswerError("no Content-Length, which a file must have", final=True)
        if begins not in {0, have}:
            self._drop(part)
            raise NoAnswerError(f"another part than was asked for: {answer.headers.get('Content-Range')}")
        self.count(begins - part.size)
        # The value for If-Range: a strong ETag, else the date of the last change; a weak tag would never match.
        tag = answer.headers.get("ETag", "")
        version = tag if tag.startswith('"') else answer.headers.get("Last-Modified", "")
        with part.open(begins, version if fits_header(version) else "") as sink:
            for block in answer.blocks(total - begins):
                if self.stop.is_set():
                    raise StoppedError
                sink.write(block)
                self.count(len(block))
        return total

    def _drop(self, part: "_PartialFile") -> None:
        self.count(-part.size)
        part.drop()


@dataclass(frozen=True, slots=True)
class _PartialFile:
    """A file that is not whole yet."""

    path: Path

    @property
    def _version_file(self) -> Path:
        return self.path.with_name(f"{self.path.name}.version")

    def check(self) -> None:
        """Raise OutputError if there is a link, or a file of this name that no download left."""
        is_ours = self.path.is_file() and self._version_file.is_file()
        is_link = self.path.is_symlink() or self._version_file.is_symlink()
        if is_link or (self.path.exists() and not is_ours):
            raise OutputError(
                f"expected {self.path} to be what an earlier download left, saw a link, or no "
                f"{self._version_file.name} beside it; move it away"
            )

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def version(self) -> str:
        """The validator of the bytes that are there; empty if the server gave none, so that they cannot be used."""
        if not self._version_file.exists():
            return ""
        text = self._version_file.read_text(encoding="ascii", errors="replace")
        return text if fits_header(text) else ""

    @contextmanager
    def open(self, start: int, version: str) -> Iterator[BinaryIO]:
        """Open to write from ``start`` on, which is 0 for a new file, or else its size."""
        if start == 0:
            self.drop()
            self._version_file.write_text(version, encoding="ascii")
        with self.path.open("r+b" if start else "xb") as sink:
            sink.seek(start)
            yield sink

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)
        self._version_file.unlink(missing_ok=True)

    def finish(self, target: Path) -> None:
        """Give the file its name, once all of it is on the disk."""
        with self.path.open("rb") as source:
            os.fsync(source.fileno())
        self.path.replace(target)
        self._version_file.unlink(missing_ok=True)


def digest_of(path: Path, algorithm: str) -> str:
    """The checksum of what is on the disk, rather than of what came over the wire; empty if there is no file."""
    if not path.exists():
        return ""
    with path.open("rb") as source:
        return hashlib.file_digest(source, algorithm).hexdigest()
