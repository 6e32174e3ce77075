"""The dumps that a command was given: found, told apart by size and time or checksum, and named by language."""

import hashlib
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.pipeline.download.record import origin_of
from wikisem.transforms.io.addresses import absolute, is_local
from wikisem.transforms.io.files import match, open_binary, size_and_time
from wikisem.wikis import known_language

# First bytes of archives in which older dumps and other tools keep XML.
_ARCHIVES: Final = {
    "a 7z archive": b"7z\xbc\xaf\x27\x1c",
    "an xz file": b"\xfd7zXZ\x00",
    "a zip archive": b"PK\x03\x04",
}


# The wiki and the date in names such as dewiki-20261101-pages-articles.xml.bz2 and dewiki-2026-11-01-p1p9.xml.bz2.
_DATED: Final = re.compile(r"([a-z][a-z0-9_]*wiki)-(\d{4})-?(\d\d)-?(\d\d)-")


@dataclass(frozen=True, slots=True)
class Input:
    """One file of a dump; ``modified`` is UTC, ``sha256`` is empty unless asked for.

    ``origin`` is what ``wikisem download`` wrote down of it: its address, date and checksum; empty if it did not.
    """

    path: str
    size: int
    modified: str
    sha256: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dump:
    """One dump, in one file or in parts: the order in which parts were named means nothing."""

    files: tuple[Input, ...]

    @property
    def paths(self) -> list[str]:
        """The paths of the parts."""
        return [file.path for file in self.files]

    def identity(self) -> list[dict[str, Any]]:
        """What a fingerprint sees of the dump; with checksums, neither paths nor times."""
        if all(file.sha256 for file in self.files):
            return [{"sha256": digest} for digest in sorted(file.sha256 for file in self.files)]
        return [{key: value for key, value in file.items() if key != "origin"} for file in self.describe()]

    def describe(self) -> list[dict[str, Any]]:
        """The files as plain values, for the manifest."""
        described = [asdict(file) for file in self.files]
        return [{key: value for key, value in file.items() if key != "origin" or value} for file in described]


def find_dump(patterns: Sequence[str], checksum: bool) -> Dump:
    """The dump that paths, globs and URLs name, as absolute paths; MissingInputError when one names nothing.

    UsageError when their names say that they are of one Wikipedia on two days.
    """
    paths = dict.fromkeys(absolute(path) for path in match(patterns))
    _refuse_other_dates(paths)
    return Dump(tuple(_describe_file(path, checksum) for path in paths))


def _refuse_other_dates(paths: Iterable[str]) -> None:
    """Raise UsageError for dumps of one Wikipedia from two days: pages deleted in between would count, too."""
    known: dict[str, tuple[str, str]] = {}
    for path in paths:
        if found := _DATED.match(path.rpartition("/")[2]):
            wiki, date = found[1], "-".join(found.groups()[1:])
            first, earlier = known.setdefault(wiki, (path, date))
            if date != earlier:
                raise UsageError(
                    f"expected dumps of {wiki} from one day, saw {first} of {earlier} and {path} of {date}: links of "
                    "both would be counted together; name the files of one of them"
                )


def _describe_file(path: str, checksum: bool) -> Input:
    try:
        size, modified = size_and_time(path)
        with open_binary(path) as source:
            _refuse_other_forms(path, source.read(8))
        digest = _digest(path) if checksum else ""
    except OSError as error:
        raise MissingInputError(f"expected a file that can be read, saw {path!r}: {error}") from error
    moment = time.gmtime(modified)
    origin = origin_of(Path(path), size) if is_local(path) else {}
    return Input(path, size, time.strftime("%Y-%m-%dT%H:%M:%SZ", moment), digest, origin)


def _refuse_other_forms(path: str, head: bytes) -> None:
    """Raise DamagedInputError for tables of SQL, which hold no text, and for archives that are to be unpacked."""
    if re.search(r"\.sql(\.gz)?$", path):
        raise DamagedInputError(
            f"{path}: expected an XML or JSON dump, saw a dump of SQL tables, which have no text; "
            "wikisem download fetches what is needed"
        )
    for form, magic in _ARCHIVES.items():
        if head.startswith(magic):
            raise DamagedInputError(
                f"{path}: expected a plain file, .bz2, .gz or .zst, saw {form}; unpack it, or take the .bz2 beside it"
            )


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with open_binary(path) as source:
        while block := source.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def by_language(words: Sequence[str]) -> dict[str, list[str]]:
    """``LANG=PATH`` words as paths by language; LANG ends at the first ``=``. UsageError on any other form."""
    paths: dict[str, list[str]] = {}
    for word in words:
        language, mark, path = word.partition("=")
        if not mark or not path:
            raise UsageError(f"--wikipedia: expected LANG=PATH such as de=dewiki-2026-11-01-p1p9.xml.bz2, saw {word!r}")
        paths.setdefault(known_language(language), []).append(path)
    return paths


def find_wikipedias(words: Sequence[str], checksum: bool) -> Mapping[str, Dump]:
    """The dump of each language, from ``LANG=PATH`` words."""
    return {language: find_dump(paths, checksum) for language, paths in sorted(by_language(words).items())}
