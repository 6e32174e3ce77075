"""Fetches dumps: finds the newest complete one, downloads its files, checks their sums.

Beside the files is ``downloads.json``, which says where they came from.
"""

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from threading import Event, Lock
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
import orjson

from wikisem.atomic_files import whole_file
from wikisem.errors import DownloadError, OutputError, redacted
from wikisem.limits import LEAST_PROGRESS
from wikisem.typed_json import decode_json
from wikisem.web import Answer, HttpClient, NoAnswerError, Patience, below, fits_header
from wikisem.wikis import wiki_of

RECORD: Final = "downloads.json"


class _Downloads(msgspec.Struct):
    files: dict[str, dict[str, str | int]]


def read_record(folder: Path) -> Mapping[str, Any]:
    """The origins of the files of a folder, by name; empty if nothing was downloaded to it."""
    path = folder / RECORD
    if not path.exists():
        return {}
    return decode_json(path.read_bytes(), _Downloads, str(path), "a record of downloads", "remove it to go on").files


def origin_of(path: Path, size: int) -> Mapping[str, Any]:
    """Where a file came from; empty if that is unknown, or if its size is not that of the download."""
    about: Mapping[str, Any] = read_record(path.parent).get(path.name, {})
    return about if about.get("size") == size else {}


def add_to_record(folder: Path, origins: Mapping[str, Mapping[str, str | int]]) -> None:
    """Record where files of a folder came from, by name, beside those that its record has."""
    files = {**read_record(folder), **origins}
    with whole_file(folder / RECORD) as sink:
        sink.write(orjson.dumps({"files": files}, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))


Kind = Literal["content export", "pages-articles", "Wikidata entities", "Wikidata lexemes"]
Algorithm = Literal["sha256", "sha1"]


class RemoteFile(NamedTuple):
    """A file on a server; ``size`` is in bytes, None if the server does not say it before the download."""

    name: str
    url: str
    algorithm: Algorithm
    digest: str
    size: int | None


class RemoteDump(NamedTuple):
    """A complete dump: of a Wikipedia by its language code, or of Wikidata, whose ``language`` is empty."""

    kind: Kind
    date: str
    files: tuple[RemoteFile, ...]
    language: str = ""


@dataclass(frozen=True, slots=True)
class Mirror:
    """A server with the folders of dumps.wikimedia.org, and how it is asked."""

    address: str
    http: HttpClient
    patience: Patience = field(default_factory=Patience)

    def url(self, path: str) -> str:
        """The address of a path below the mirror."""
        return below(self.address, path)

    def file(self, folder: str, name: str, algorithm: Algorithm, digest: str) -> RemoteFile:
        """Describe a file in a folder, and ask the server for its size, by a request for headers alone (HEAD)."""
        url = self.url(f"{folder}/{name}")

        def ask() -> int | None:
            with self.http.open(url, "HEAD") as answer:
                return answer.length

        return RemoteFile(name, url, algorithm, digest, self.patience.persist(url, ask, DownloadError))

    def text(self, path: str) -> str | None:
        """Read the whole text at a path, None if there is nothing; DownloadError if no whole answer comes."""
        url = self.url(path)

        def ask() -> str | None:
            try:
                return self.http.read(url).decode("utf-8", "replace")
            except NoAnswerError as error:
                if error.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
                    return None
                raise

        return self.patience.persist(url, ask, DownloadError)


EXPORTS: Final = ("content", "articles")
_EXPORTS: Final = "other/mediawiki_content_current"
_ENTITIES: Final = "wikidatawiki/entities"


def find_wikipedia_dump(mirror: Mirror, language: str, date: str | None, export: str = "") -> RemoteDump:
    """Find the newest complete dump of a language, or that of a date (YYYY-MM-DD); DownloadError if there is none.

    ``export`` is "content" (MediaWiki Content File Exports) or "articles" (the older pages-articles dumps); without it,
    the older dump is taken only where a wiki has no content export.
    """
    wiki = wiki_of(language)
    if wiki is None:
        raise DownloadError(f"expected a language with a Wikipedia, saw {language!r}, in which there are labels alone")
    finders = {"content": (_content_exports, f"{_EXPORTS}/{wiki}/"), "articles": (_older_dumps, f"{wiki}/")}
    folders = []
    for name, (find, folder) in finders.items():
        if export in {"", name}:
            folders.append(folder)
            for newest in find(mirror, wiki, language, date):  # the first one, if there is any
                return newest
    when = f" of {date}" if date else ""
    raise DownloadError(
        f"{mirror.address}: expected a complete dump{when} of {wiki}, the Wikipedia in {language!r}, saw none in "
        f"{' and none in '.join(folders)}"
    )


def _content_exports(mirror: Mirror, wiki: str, language: str, date: str | None) -> Iterator[RemoteDump]:
    """Find the complete content exports of a wiki, the newest first, or that of a date (YYYY-MM-DD) alone."""
    shard = re.compile(rf"{re.escape(wiki)}-\d{{4}}-\d\d-\d\d-p\d+p\d+\.xml\.bz2")
    for day in _dates(mirror, f"{_EXPORTS}/{wiki}/", r"\d{4}-\d\d-\d\d"):
        if date in {None, day}:
            folder = f"{_EXPORTS}/{wiki}/{day}/xml/bzip2"
            listed = _sums(mirror, f"{folder}/SHA256SUMS")
            sums = {name: digest for name, digest in listed.items() if shard.fullmatch(name)}
            # It is complete if every shard in its folder has a sum, whichever of the two a mirror copies first.
            if sums and sums.keys() >= set(filter(shard.fullmatch, _LINKED.findall(mirror.text(f"{folder}/") or ""))):
                files = [mirror.file(folder, name, "sha256", sums[name]) for name in sorted(sums, key=_first_page)]
                yield RemoteDump("content export", day, tuple(files), language)


def _older_dumps(mirror: Mirror, wiki: str, language: str, date: str | None) -> Iterator[RemoteDump]:
    """Find the finished dumps of pages-articles of a wiki, the newest first, or that of a date (YYYY-MM-DD) alone."""
    for day in _dates(mirror, f"{wiki}/", r"\d{8}"):
        # The server's state of the dump: of each of its jobs, whether it is done, and its files.
        path = f"{wiki}/{day}/dumpstatus.json"
        status = mirror.text(path) if date in {None, _dashed(day)} else None
        if not status:
            continue
        try:
            jobs = msgspec.json.decode(status, type=_Status, strict=False).jobs
        except (msgspec.DecodeError, RecursionError) as error:
            raise DownloadError(f"{mirror.url(path)}: expected the state of a dump, saw {error}") from error
        done = next((jobs[job].files for job in _JOBS if job in jobs and jobs[job].status == "done"), {})
        # Either one file or parts, such as -pages-articles1.xml-p1p297012.bz2 with pages 1 to 297,012.
        articles = re.compile(rf"{re.escape(wiki)}-{day}-pages-articles[\w-]*\.xml(-p\d+p\d+)?\.bz2")
        files = [
            RemoteFile(name, mirror.url(f"{wiki}/{day}/{name}"), "sha1", done[name].sha1, done[name].size)
            for name in sorted(done, key=_first_page)
            if articles.fullmatch(name)
        ]
        if files:
            yield RemoteDump("pages-articles", _dashed(day), tuple(files), language)


def find_wikidata_dump(mirror: Mirror, date: str | None, kind: Kind = "Wikidata entities") -> RemoteDump:
    """Find the newest complete dump of Wikidata's items, or of its lexemes; with a date, the newest not after that."""
    word = "all" if kind == "Wikidata entities" else "lexemes"
    for day in _dates(mirror, f"{_ENTITIES}/", r"\d{8}"):
        if date is not None and _dashed(day) > date:
            continue
        folder, sums = f"{_ENTITIES}/{day}", dict[str, str]()
        for name in _LINKED.findall(mirror.text(f"{folder}/") or ""):
            if re.fullmatch(r"wikidata-\d{8}-sha1sums\.txt", name):
                sums |= _sums(mirror, f"{folder}/{name}")
        for suffix in ("gz", "bz2"):
            dumps = [name for name in sums if re.fullmatch(rf"wikidata-\d{{8}}-{word}\.json\.{suffix}", name)]
            if dumps:
                return RemoteDump(kind, _dashed(day), (mirror.file(folder, max(dumps), "sha1", sums[max(dumps)]),))
    when = f" up to {date}" if date else ""
    raise DownloadError(f"{mirror.url(_ENTITIES)}/: expected a complete dump of {kind}{when}, saw none")


# The jobs of the older dumps that hold the articles, best first: of several streams, a part is read without the rest.
_JOBS: Final = ("articlesmultistreamdump", "articlesdump")
_SUM: Final = re.compile(r"(?P<digest>[0-9a-f]{64}|[0-9a-f]{40}) [ *](?P<name>\S+)")
_LINKED: Final = re.compile(r'href="(?:[^"]*/)?([^"/]+)/?"')  # a name on the page of a folder
# A mirror has some months of dumps; each folder is looked into with several requests.
_MOST_DATES: Final = 100


class _File(msgspec.Struct):
    sha1: str
    size: Annotated[int, msgspec.Meta(ge=0)]


class _Job(msgspec.Struct):
    status: str = ""
    files: dict[str, _File] = msgspec.field(default_factory=dict)


class _Status(msgspec.Struct):
    jobs: dict[str, _Job]


def _sums(mirror: Mirror, path: str) -> dict[str, str]:
    """Read a list of checksums, such as SHA256SUMS: the digest by file name, empty if the mirror has no such list."""
    digests = {}
    for number, line in enumerate((mirror.text(path) or "").splitlines(), start=1):
        if checksum := _SUM.fullmatch(line):
            digests[checksum["name"].removeprefix("./")] = checksum["digest"]
        elif line.strip():
            raise DownloadError(f"{mirror.url(path)}:{number}: expected a checksum and a file name, saw {line[:80]!r}")
    return digests


def _dates(mirror: Mirror, path: str, pattern: str) -> list[str]:
    """List the folders in a folder whose names match, such as 20261101, the newest first."""
    names = set(_LINKED.findall(mirror.text(path) or ""))
    return sorted((name for name in names if re.fullmatch(pattern, name, re.ASCII)), reverse=True)[:_MOST_DATES]


def _first_page(name: str) -> tuple[int, str]:
    pages = re.search(r"-p(\d+)p\d+\.", name)
    return int(pages[1]) if pages else 0, name


def _dashed(day: str) -> str:
    return f"{day[:4]}-{day[4:6]}-{day[6:]}"


_CONNECTIONS: Final = 3  # at once, as dumps.wikimedia.org allows an address (https://dumps.wikimedia.org/, 2026-11)


class Download(NamedTuple):
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
    """Say of each file of some dumps, in their order, how many of its bytes the folder has.

    A file is done if the folder's record lists it with its size and checksum, or else if its bytes have the checksum;
    of any other the bytes in ``NAME.part`` count.
    """
    record, planned = read_record(folder), list[Download]()
    for dump in dumps:
        for file in dump.files:
            target, have = folder / file.name, _PartialFile(folder / f"{file.name}.part").size
            done = False
            if target.exists():
                size, origin = target.stat().st_size, record.get(file.name, {})
                is_recorded = origin.get(file.algorithm) == file.digest and origin.get("size") == size
                done = is_recorded or digest_of(target, file.algorithm) == file.digest
                have = size if done else have
            planned.append(Download(dump, file, have, done))
    return planned


def download(
    wanted: Sequence[Download],
    mirror: Mirror,
    folder: Path,
    today: str,
    count: Callable[[int], object] = lambda _: None,
) -> None:
    """Fetch what is not there yet; every file gets its name and its record when it is whole.

    ``count`` is called with numbers of bytes as they come. Raises DownloadError and OutputError; what came is kept.
    """
    missing, free = sum(item.missing for item in wanted), shutil.disk_usage(folder).free
    if missing > free:
        raise OutputError(f"{folder}: expected {missing:,} bytes of free space for the downloads, saw {free:,}")
    recording, stop = Lock(), Event()
    fetcher = Fetcher(mirror, folder, count, stop)

    def fetch(item: Download) -> None:
        """Fetch a file, if it is not there, and record its origin; the day of an earlier download stays."""
        dump, file = item.dump, item.file
        if not item.done:
            fetcher.fetch(file)
        size = (folder / file.name).stat().st_size
        origin = {"kind": dump.kind, "language": dump.language, "date": dump.date, "url": redacted(file.url)}
        with recording:  # one thread at a time: the record of the folder is read and written again
            day = read_record(folder).get(file.name, {}).get("downloaded", today)
            whole = {**origin, "size": size, file.algorithm: file.digest, "downloaded": day}
            add_to_record(folder, {file.name: whole})

    with ThreadPoolExecutor(_CONNECTIONS) as pool:
        futures = [pool.submit(fetch, item) for item in wanted]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            # All are done, or one has failed, or a person has stopped the run: the rest ends at its next block.
            stop.set()
            pool.shutdown(cancel_futures=True)
    # The error that stopped the others is raised, not that they were stopped.
    errors = [error for future in futures if not future.cancelled() and (error := future.exception())]
    for error in sorted(errors, key=lambda error: isinstance(error, StoppedError)):
        raise error


@contextmanager
def only_download_in(folder: Path) -> Iterator[None]:
    """Make the folder and keep other downloads out of it.

    DownloadError if another one is at work in it, OutputError if it cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".download.lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise OutputError(f"expected to write to {folder}, saw {error}") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DownloadError(f"{folder}: expected no other download to be at work in it, saw one") from error
        yield
    finally:
        os.close(handle)


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
        """Fetch the rest of a file into NAME.part, check it, name it, and return its path.

        A file with a wrong checksum is fetched once more from the start. DownloadError if it cannot be fetched,
        OutputError if it cannot be written.
        """

        def pause(seconds: float) -> None:
            if self.stop.wait(seconds):
                raise StoppedError

        part, patience = _PartialFile(self.folder / f"{remote.name}.part"), replace(self.mirror.patience, wait=pause)
        # Never write to a link, or to a file of this name that no download left.
        is_ours = part.path.is_file() and part.version_file.is_file()
        is_link = part.path.is_symlink() or part.version_file.is_symlink()
        if is_link or (part.path.exists() and not is_ours):
            seen = f"a link, or no {part.version_file.name} beside it; move it away"
            raise OutputError(f"expected {part.path} to be what an earlier download left, saw {seen}")
        try:
            for _ in range(2):  # once more if the checksum is wrong
                while not patience.persist(
                    remote.url, lambda: self._ask(remote, part), DownloadError, progress=lambda: part.size
                ):
                    pass  # an answer may have a part of the rest: ask on while LEAST_PROGRESS or more comes
                digest = digest_of(part.path, remote.algorithm)
                if digest == remote.digest:
                    break
                self.count(-part.size)
                part.drop()
            else:
                wanted = f"{remote.algorithm} {remote.digest}"
                raise DownloadError(f"{remote.url}: expected {wanted}, saw {digest} twice; what came was thrown away")
            with part.path.open("rb") as source:  # all of it is on the disk before it has its name
                os.fsync(source.fileno())
            target = part.path.replace(self.folder / remote.name)
            part.version_file.unlink(missing_ok=True)
            return target
        except OSError as error:
            if isinstance(error, DownloadError | OutputError):
                raise
            raise OutputError(f"expected to write {part.path}, saw {error}; what has arrived is kept") from error

    def _ask(self, remote: RemoteFile, part: "_PartialFile") -> bool:
        """Ask the server once for the bytes that are missing, and return whether all are there now.

        NoAnswerError if hardly any came; if the server refuses the range, the partial file is removed first.
        """
        before = part.size
        have = before if part.version else 0  # without an ETag or date the rest might be of another version of the file
        headers = {"Range": f"bytes={have}-", "If-Range": part.version} if have else {}
        try:
            with self.mirror.http.open(remote.url, headers=headers) as answer:
                total = self._receive(answer, part, have, remote)
        except NoAnswerError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                seen = f"{error}; the server keeps a dump for some months only"
                wanted = "the file that the list of checksums names"
                raise DownloadError(f"{remote.url}: expected {wanted}, saw {seen}") from error
            if error.status != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise
            if part.size == remote.size:  # nothing was missing
                return True
            self.count(-part.size)
            part.drop()  # it cannot be a beginning of this file
            raise NoAnswerError(str(error)) from error
        if part.size < total and part.size < before + LEAST_PROGRESS:
            raise NoAnswerError(f"{part.size:,} of {total:,} bytes, where {before:,} had come before")
        return part.size == total

    def _receive(self, answer: Answer, part: "_PartialFile", have: int, remote: RemoteFile) -> int:
        """Append the body of an answer to the partial file, and return how many bytes the whole file has.

        ``have`` is the offset that was asked for. An answer that begins at 0 instead has the whole file (it changed, or
        the server knows no ranges), and replaces what had come before.
        """
        # The offset at which the answer begins (-1: it does not say), and the size of the file.
        begins, total = 0, answer.length
        if answer.status == HTTPStatus.PARTIAL_CONTENT:
            pattern = r"bytes (?P<begin>\d{1,18})-\d+/(?:(?P<total>\d{1,18})|\*)"
            sent = re.fullmatch(pattern, answer.headers.get("Content-Range", ""))
            begins = int(sent["begin"]) if sent else -1
            total = int(sent["total"]) if sent and sent["total"] else None
        total = total if remote.size is None else remote.size
        if total is None:
            raise NoAnswerError("no Content-Length, which a file must have", final=True)
        if begins not in {0, have}:
            self.count(-part.size)
            part.drop()
            raise NoAnswerError(f"another part than was asked for: {answer.headers.get('Content-Range')}")
        self.count(begins - part.size)  # takes off what is replaced
        # The value for If-Range: a strong ETag, else the date of the last change; a weak tag would never match.
        tag = answer.headers.get("ETag", "")
        version = tag if tag.startswith('"') else answer.headers.get("Last-Modified", "")
        if begins == 0:
            part.drop()
            part.version_file.write_text(version if fits_header(version) else "", encoding="ascii")
        with part.path.open("r+b" if begins else "xb") as sink:
            sink.seek(begins)
            for block in answer.blocks(total - begins):
                if self.stop.is_set():
                    raise StoppedError
                sink.write(block)
                self.count(len(block))
        return total


@dataclass(frozen=True, slots=True)
class _PartialFile:
    path: Path

    @property
    def version_file(self) -> Path:
        return self.path.with_name(f"{self.path.name}.version")

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    @property
    def version(self) -> str:
        """The validator of the bytes that are there; empty if the server gave none, so that they cannot be used."""
        if not self.version_file.exists():
            return ""
        text = self.version_file.read_text(encoding="ascii", errors="replace")
        return text if fits_header(text) else ""

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)
        self.version_file.unlink(missing_ok=True)


def digest_of(path: Path, algorithm: str) -> str:
    """The checksum of what is on the disk, rather than of what came over the wire; empty if there is no file."""
    if not path.exists():
        return ""
    with path.open("rb") as source:
        return hashlib.file_digest(source, algorithm).hexdigest()
