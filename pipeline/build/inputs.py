"""The dumps that a command was given: found, told apart by size and time or checksum, and named by language."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wikisem.errors import MissingInputError, UsageError
from wikisem.transforms.io.files import match, open_binary, size_and_time
from wikisem.wikis import known_language


@dataclass(frozen=True, slots=True)
class Input:
    """One file of a dump; ``modified`` is UTC, ``sha256`` is empty unless asked for."""

    path: str
    size: int
    modified: str
    sha256: str = ""


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
        return self.describe()

    def describe(self) -> list[dict[str, Any]]:
        """The files as plain values, for the manifest."""
        return [asdict(file) for file in self.files]


def find_dump(patterns: Sequence[str], checksum: bool) -> Dump:
    """The dump that paths, globs and URLs name; MissingInputError when one names nothing."""
    return Dump(tuple(_describe_file(path, checksum) for path in match(patterns)))


def _describe_file(path: str, checksum: bool) -> Input:
    try:
        size, modified = size_and_time(path)
        with open_binary(path) as source:
            source.read(1)
        digest = _digest(path) if checksum else ""
    except OSError as error:
        raise MissingInputError(f"expected a file that can be read, saw {path!r}: {error}") from error
    moment = time.gmtime(modified)
    return Input(path, size, time.strftime("%Y-%m-%dT%H:%M:%SZ", moment), digest)


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
            raise UsageError(f"--wikipedia: expected LANG=PATH such as de=dewiki-pages-articles.xml.bz2, saw {word!r}")
        paths.setdefault(known_language(language), []).append(path)
    return paths


def find_wikipedias(words: Sequence[str], checksum: bool) -> Mapping[str, Dump]:
    """The dump of each language, from ``LANG=PATH`` words."""
    return {language: find_dump(paths, checksum) for language, paths in sorted(by_language(words).items())}
