"""Which dumps there are: the newest complete one of a Wikipedia or of Wikidata, with the checksum of every file.

Facts about dumps.wikimedia.org, from public descriptions and from programs that read it, as of 2026-11:

other/mediawiki_content_current/dewiki/2026-11-01/xml/bzip2/
    dewiki-2026-11-01-p1p297012.xml.bz2 ...   shards by page id, all namespaces, the current revision of each page
    SHA256SUMS                                written last: without it the export is not complete; no "latest"
dewiki/20261101/dumpstatus.json               the older dumps: jobs with their state, files with size and sha1
wikidatawiki/entities/20261102/
    wikidata-20261102-all.json.gz             the date in the name may be some days after that of the folder
    wikidata-20261102-sha1sums.txt            grows as files are finished: a file without a sum is not complete
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Final, Literal

import msgspec

from wikisem.errors import DownloadError
from wikisem.web import HttpClient, NoAnswerError, Patience, below
from wikisem.wikis import wiki_of

# What can be downloaded, and from where.

Kind = Literal["content export", "pages-articles", "Wikidata entities", "Wikidata lexemes"]
Algorithm = Literal["sha256", "sha1"]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file on a server; ``size`` is in bytes, None if the server does not say it before the download."""

    name: str
    url: str
    algorithm: Algorithm
    digest: str
    size: int | None


@dataclass(frozen=True, slots=True)
class RemoteDump:
    """A complete dump: of a Wikipedia by its language code, or of Wikidata, whose ``language`` is empty.

    ``date`` is that of the dump's folder, as YYYY-MM-DD.
    """

    kind: Kind
    date: str
    files: tuple[RemoteFile, ...]
    language: str = ""

    @property
    def name(self) -> str:
        """What people call it: "de, content export of 2026-11-01"."""
        return f"{self.language + ', ' if self.language else ''}{self.kind} of {self.date}"


@dataclass(frozen=True, slots=True)
class Mirror:
    """A server with the folders of dumps.wikimedia.org, and how it is asked."""

    address: str
    http: HttpClient
    patience: Patience = field(default_factory=Patience)

    def url(self, path: str) -> str:
        """The address of a path below the mirror."""
        return below(self.address, path)

    def text(self, path: str) -> str | None:
        """The whole text at a path, None if there is nothing; DownloadError if no whole answer comes."""
        url = self.url(path)

        def ask() -> str | None:
            try:
                return self.http.read(url).decode("utf-8", "replace")
            except NoAnswerError as error:
                if error.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
                    return None
                raise

        return self.patience.persist(url, ask, DownloadError)

    def size(self, url: str) -> int | None:
        """The bytes of a file, from its headers alone; None if the server does not say."""

        def ask() -> int | None:
            with self.http.open(url, "HEAD") as answer:
                return answer.length

        return self.patience.persist(url, ask, DownloadError)


# The newest complete dumps.

EXPORTS: Final = ("content", "articles")
_EXPORTS: Final = "other/mediawiki_content_current"
_ENTITIES: Final = "wikidatawiki/entities"


def find_wikipedia_dump(mirror: Mirror, language: str, date: str | None, export: str = "") -> RemoteDump:
    """The newest complete dump of a language, or that of a date (YYYY-MM-DD); DownloadError if there is none.

    ``export`` is one of ``EXPORTS``; without it, a wiki that has no content export gives the older dump.
    """
    wiki = wiki_of(language)
    if wiki is None:
        raise DownloadError(f"expected a language with a Wikipedia, saw {language!r}, in which there are labels alone")
    finders = {"content": (_content_exports, f"{_EXPORTS}/{wiki}/"), "articles": (_older_dumps, f"{wiki}/")}
    chosen = [finder for name, finder in finders.items() if export in {"", name}]
    for find, _ in chosen:
        for dump in find(mirror, wiki, language, date):
            return dump
    when = f" of {date}" if date else ""
    raise DownloadError(
        f"{mirror.address}: expected a complete dump{when} of {wiki}, the Wikipedia in {language!r}, saw none in "
        f"{' and none in '.join(folder for _, folder in chosen)}"
    )


def _content_exports(mirror: Mirror, wiki: str, language: str, date: str | None) -> Iterator[RemoteDump]:
    """The complete Content File Exports of a wiki, newest first."""
    shard = re.compile(rf"{re.escape(wiki)}-\d{{4}}-\d\d-\d\d-p\d+p\d+\.xml\.bz2")
    for day in _dates(mirror, f"{_EXPORTS}/{wiki}/", r"\d{4}-\d\d-\d\d"):
        if date in {None, day}:
            folder = f"{_EXPORTS}/{wiki}/{day}/xml/bzip2"
            sums = {
                name: digest for name, digest in _sums(mirror, f"{folder}/SHA256SUMS").items() if shard.fullmatch(name)
            }
            # Whatever the order in which a mirror copies files: a shard without a sum is of an export to come.
            if sums and sums.keys() >= {name for name in _names(mirror, f"{folder}/") if shard.fullmatch(name)}:
                files = [_file(mirror, folder, name, "sha256", sums[name]) for name in sorted(sums, key=_first_page)]
                yield RemoteDump("content export", day, tuple(files), language)


def _older_dumps(mirror: Mirror, wiki: str, language: str, date: str | None) -> Iterator[RemoteDump]:
    """The complete pages-articles dumps of a wiki, newest first."""
    for day in _dates(mirror, f"{wiki}/", r"\d{8}"):
        path = f"{wiki}/{day}/dumpstatus.json"
        status = mirror.text(path) if date in {None, _dashed(day)} else None
        if not status:
            continue
        try:
            jobs = msgspec.json.decode(status, type=_Status, strict=False).jobs
        except (msgspec.DecodeError, RecursionError) as error:
            raise DownloadError(f"{mirror.url(path)}: expected the state of a dump, saw {error}") from error
        done = next((jobs[job].files for job in _JOBS if job in jobs and jobs[job].status == "done"), {})
        articles = re.compile(rf"{re.escape(wiki)}-{day}-pages-articles[\w-]*\.xml(-p\d+p\d+)?\.bz2")
        files = [
            RemoteFile(name, mirror.url(f"{wiki}/{day}/{name}"), "sha1", done[name].sha1, done[name].size)
            for name in sorted(done, key=_first_page)
            if articles.fullmatch(name)
        ]
        if files:  # there are none while they are being made
            yield RemoteDump("pages-articles", _dashed(day), tuple(files), language)


def find_wikidata_dump(mirror: Mirror, date: str | None, kind: Kind = "Wikidata entities") -> RemoteDump:
    """The newest complete dump of Wikidata's items, or of its lexemes; with a date, the newest not after that."""
    word = "all" if kind == "Wikidata entities" else "lexemes"
    for day in _dates(mirror, f"{_ENTITIES}/", r"\d{8}"):
        if date is not None and _dashed(day) > date:
            continue
        folder, sums = f"{_ENTITIES}/{day}", dict[str, str]()
        for name in _names(mirror, f"{folder}/"):
            if re.fullmatch(r"wikidata-\d{8}-sha1sums\.txt", name):
                sums |= _sums(mirror, f"{folder}/{name}")
        for suffix in ("gz", "bz2"):
            dumps = [name for name in sums if re.fullmatch(rf"wikidata-\d{{8}}-{word}\.json\.{suffix}", name)]
            if dumps:
                newest = _file(mirror, folder, max(dumps), "sha1", sums[max(dumps)])
                return RemoteDump(kind, _dashed(day), (newest,))
    when = f" up to {date}" if date else ""
    raise DownloadError(f"{mirror.url(_ENTITIES)}/: expected a complete dump of {kind}{when}, saw none")


# What is read of a mirror: states of dumps, lists of checksums and listings of folders.

# The jobs of the older dumps that hold the articles, best first: of several streams, a part is read without the rest.
_JOBS: Final = ("articlesmultistreamdump", "articlesdump")
_SUM: Final = re.compile(r"([0-9a-f]{64}|[0-9a-f]{40}) [ *](\S+)")
_LINK: Final = re.compile(r'href="(?:[^"]*/)?([^"/]+)/?"')
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


def _file(mirror: Mirror, folder: str, name: str, algorithm: Algorithm, digest: str) -> RemoteFile:
    url = mirror.url(f"{folder}/{name}")
    return RemoteFile(name, url, algorithm, digest, mirror.size(url))


def _sums(mirror: Mirror, path: str) -> dict[str, str]:
    """The digests of a list of checksums by file name; empty if there is no such list."""
    found = {}
    for number, line in enumerate((mirror.text(path) or "").splitlines(), start=1):
        fields = _SUM.fullmatch(line)
        if line.strip() and fields is None:
            raise DownloadError(f"{mirror.url(path)}:{number}: expected a checksum and a file name, saw {line[:80]!r}")
        if fields:
            found[fields[2].removeprefix("./")] = fields[1]
    return found


def _dates(mirror: Mirror, path: str, pattern: str) -> list[str]:
    """The dated folders of a listing, newest first."""
    days = sorted((name for name in set(_names(mirror, path)) if re.fullmatch(pattern, name, re.ASCII)), reverse=True)
    return days[:_MOST_DATES]


def _names(mirror: Mirror, path: str) -> list[str]:
    """The files and folders that a listing links to; empty if there is no such page."""
    return _LINK.findall(mirror.text(path) or "")


def _first_page(name: str) -> tuple[int, str]:
    """A sort key: shards by the page that they begin with, p10p20 before p100p200."""
    pages = re.search(r"-p(\d+)p\d+\.", name)
    return int(pages[1]) if pages else 0, name


def _dashed(day: str) -> str:
    return f"{day[:4]}-{day[4:6]}-{day[6:]}"
