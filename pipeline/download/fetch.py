"""One file, fetched to its end over as many connections as it takes, and named only when its checksum is right.

What has arrived is in ``NAME.part``, and ``NAME.part.version`` says of which version of the file it is (its ETag or
date, or nothing where the server says neither): a later attempt, or a later run, asks for the rest with Range and
If-Range (RFC 9110, 13.1.5 and 14.2). A ``NAME.part`` without it is somebody else's, and stays.

    GET /f  Range: bytes=600-  If-Range: "v1"     206, Content-Range: bytes 600-999/1000   the rest follows
                                                  206, Content-Range: bytes 600-799/1000   some of it: ask for more
                                                  200                                      the file changed: begin anew
                                                  416, Content-Range: bytes */600          all of it was there
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from threading import Event
from typing import BinaryIO
from urllib.request import Request

from wikisem.errors import DownloadError, OutputError
from wikisem.pipeline.download.catalogue import Mirror
from wikisem.pipeline.download.model import RemoteFile
from wikisem.queries.http_client import LEAST_PROGRESS, Answer, NoAnswerError, fits_header


class StoppedError(Exception):
    """Another file failed, or a person stopped the run: what has arrived is kept."""


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches files into a folder; ``count`` hears of bytes as they come, of negative ones where they were in vain.

    ``stop`` ends it at the next block, or in a pause.
    """

    mirror: Mirror
    folder: Path
    count: Callable[[int], object]
    stop: Event

    def fetch(self, remote: RemoteFile) -> Path:
        """The file, whole; DownloadError where it cannot be had, OutputError where it cannot be written."""
        target, part = self.folder / remote.name, _Part(self.folder / f"{remote.name}.part")
        part.check()
        try:
            for last in (False, True):
                self._fill(remote, part)
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

    def _fill(self, remote: RemoteFile, part: "_Part") -> None:
        """Ask for what is missing until all of it is there."""
        patience = replace(self.mirror.patience, wait=self._wait)
        while not patience.persist(
            remote.url, lambda: self._ask(remote, part), DownloadError, progress=lambda: part.size
        ):
            pass  # a part of the file has come, and at least LEAST_PROGRESS of it

    def _wait(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise StoppedError

    def _ask(self, remote: RemoteFile, part: "_Part") -> bool:
        """Whether all bytes are there after one request; NoAnswerError where it brought hardly any."""
        before = part.size
        have = before if part.version else 0
        request = Request(remote.url)  # noqa: S310 - the mirror is http(s)
        if have:
            request.add_header("Range", f"bytes={have}-")
            request.add_header("If-Range", part.version)
        try:
            with self.mirror.http.open(request) as answer:
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

    def _receive(self, answer: Answer, part: "_Part", have: int, remote: RemoteFile) -> int:
        """Write what comes; the bytes that the whole file has."""
        begins, total = _range(answer) if answer.status == HTTPStatus.PARTIAL_CONTENT else (0, answer.length)
        total = total if remote.size is None else remote.size
        if total is None:
            raise NoAnswerError("no Content-Length, which a file must have", final=True)
        if begins not in {0, have}:
            self._drop(part)
            raise NoAnswerError(f"another part than was asked for: {answer.headers.get('Content-Range')}")
        self.count(begins - part.size)
        with part.open(begins, _version(answer)) as sink:
            for block in answer.blocks(total - begins, in_parts=True):
                if self.stop.is_set():
                    raise StoppedError
                sink.write(block)
                self.count(len(block))
        return total

    def _drop(self, part: "_Part") -> None:
        self.count(-part.size)
        part.drop()


@dataclass(frozen=True, slots=True)
class _Part:
    """A file that is not whole yet."""

    path: Path

    @property
    def _version_file(self) -> Path:
        return self.path.with_name(f"{self.path.name}.version")

    def check(self) -> None:
        """OutputError where there is a file of this name that no download left, or a link."""
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
        """The validator of the bytes that are there; empty where the server gave none, which no resumption can use."""
        if not self._version_file.exists():
            return ""
        text = self._version_file.read_text(encoding="ascii", errors="replace")
        return text if fits_header(text) else ""

    @contextmanager
    def open(self, start: int, version: str) -> Iterator[BinaryIO]:
        """To write from ``start`` on, what follows thrown away."""
        if start == 0:
            self.drop()
            self._version_file.write_text(version, encoding="ascii")
        with self.path.open("r+b" if start else "xb") as sink:
            sink.seek(start)
            sink.truncate()
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
    """The checksum of what is on the disk, rather than of what came over the wire; empty where there is no file."""
    if not path.exists():
        return ""
    with path.open("rb") as source:
        return hashlib.file_digest(source, algorithm).hexdigest()


def _range(answer: Answer) -> tuple[int, int | None]:
    """Where the part that comes begins, and how large the whole file is; -1 for what is no part of a file."""
    found = re.fullmatch(r"bytes (\d{1,18})-\d+/(?:(\d{1,18})|\*)", answer.headers.get("Content-Range", ""))
    return (int(found[1]), int(found[2]) if found[2] else None) if found else (-1, None)


def _version(answer: Answer) -> str:
    """What If-Range takes: a strong ETag, else the date of the last change; a weak tag would never match."""
    tag = str(answer.headers.get("ETag", ""))
    version = tag if tag.startswith('"') else str(answer.headers.get("Last-Modified", ""))
    return version if fits_header(version) else ""
