"""What can be downloaded: the files of one dump, each with its checksum."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["content export", "pages-articles", "Wikidata entities", "Wikidata lexemes"]
Algorithm = Literal["sha256", "sha1"]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file on a server; ``size`` is in bytes, None where the server does not say it before the download."""

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
