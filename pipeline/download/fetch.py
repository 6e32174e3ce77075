"""One file, fetched to its end over as many connections as it takes, and named only when its checksum is right.

What has arrived is in ``NAME.part``, and ``NAME.part.version`` says of which version of the file it is (its ETag or
date): a later attempt, or a later run, asks for the rest with Range and If-Range (RFC 9110, 13.1.5 and 14.2).

    GET /f  Range: bytes=600-  If-Range: "v1"     206, Content-Range: bytes 600-999/1000   the rest follows
                                                  200                                      the file changed: begin anew
                                                  416, Content-Range: bytes */600          all of it was there
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPResponse
from pathlib import Path
from typing import BinaryIO

from wikisem.errors import DownloadError, OutputError
from wikisem.pipeline.download.model import RemoteFile
from wikisem.pipeline.download.web import StoppedError, Web, content_length, read_some
from wikisem.queries.patience import NoAnswerError


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches files into a folder; ``count`` hears of bytes as they come, of negative ones where they were in vain."""

    web: Web
    folder: Path
    count: Callable[[int], object]

    def fetch(self, remote: RemoteFile) -> Path:
        """The file, whole; DownloadError where it cannot be had, OutputError where it cannot be written."""
        target, part = self.folder / remote.name, _Part(self.folder / f"{remote.name}.part")
        try:
            for last in (False, True):
                self._fill(remote, part)
                digest = digest_of(part.path, remote.algorithm)
                if digest == remote.digest:
                    part.finish(target)
                    return target
                self.count(-part.size)
                part.drop()
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
        """Ask for what is missing until all of it is there; attempts count from one where bytes have come."""
        attempt = 1
        while True:
            before = part.size
            try:
                return self._ask(remote, part)
            except NoAnswerError as error:
                if error.status == HTTPStatus.NOT_FOUND:
                    raise DownloadError(
                        f"{remote.url}: expected the file that the list of checksums names, saw {error}; the server "
                        "keeps a dump for some months only"
                    ) from error
                attempt = 1 if part.size > before else attempt
                self.web.pause(remote.url, attempt, error)
            attempt += 1

    def _ask(self, remote: RemoteFile, part: "_Part") -> None:
        have = part.size if part.version else 0
        headers = {"Range": f"bytes={have}-", "If-Range": part.version} if have else {}
        try:
            answer = self.web.open(remote.url, headers)
        except NoAnswerError as error:
            if error.status != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise
            if part.size != remote.size:  # it cannot be a beginning of this file
                self.count(-part.size)
                part.drop()
                raise NoAnswerError(str(error)) from error
            return
        with answer:
            self._receive(answer, part, have)

    def _receive(self, answer: HTTPResponse, part: "_Part", have: int) -> None:
        if answer.status != HTTPStatus.PARTIAL_CONTENT:
            self.count(-part.size)
            have = 0
        elif not _begins_at(answer, have):
            self.count(-part.size)
            part.drop()
            raise NoAnswerError(f"another part than was asked for: {answer.headers.get('Content-Range')}")
        promised, came = content_length(answer), 0
        with part.open(have, _version(answer)) as sink:
            while block := read_some(answer):
                if self.web.stop.is_set():
                    raise StoppedError
                sink.write(block)
                came += len(block)
                self.count(len(block))
        if promised is not None and came != promised:
            raise NoAnswerError(f"a connection cut after {came} of {promised} bytes")


@dataclass(frozen=True, slots=True)
class _Part:
    """A file that is not whole yet."""

    path: Path

    @property
    def _version_file(self) -> Path:
        return self.path.with_name(f"{self.path.name}.version")

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def version(self) -> str:
        """The validator of the bytes that are there; empty where the server gave none, which no resumption can use."""
        return self._version_file.read_text(encoding="ascii") if self._version_file.exists() else ""

    @contextmanager
    def open(self, start: int, version: str) -> Iterator[BinaryIO]:
        """To write from ``start`` on, what follows thrown away."""
        if start == 0:
            self._version_file.unlink(missing_ok=True)
        with self.path.open("r+b" if start else "wb") as sink:
            sink.seek(start)
            sink.truncate()
            if version:
                self._version_file.write_text(version, encoding="ascii")
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


def _begins_at(answer: HTTPResponse, have: int) -> bool:
    begin = re.match(r"bytes (\d+)-", answer.headers.get("Content-Range", ""))
    return begin is not None and int(begin[1]) == have


def _version(answer: HTTPResponse) -> str:
    """What If-Range takes: a strong ETag, else the date of the last change; a weak tag would never match."""
    tag = str(answer.headers.get("ETag", ""))
    version = tag if tag.startswith('"') else str(answer.headers.get("Last-Modified", ""))
    return version if version.isascii() and version.isprintable() else ""
