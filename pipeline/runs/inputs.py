"""The inputs of a command: the dumps, the profile files, and their languages."""

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from wikisem import files
from wikisem.errors import DamagedInputError, MissingInputError, UsageError, redacted
from wikisem.layout import profile_path
from wikisem.pipeline.download import origin_of
from wikisem.pipeline.runs.ledger import Ledger, fingerprint
from wikisem.wikidata.entity_tables import TableFile, find_table_files, release_of
from wikisem.wikipedia.learning import read_profile_file
from wikisem.wikis import date_in_name, known_language

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
    """One file of a dump: ``modified`` is UTC, ``sha256`` empty unless asked for, ``origin`` that of its download."""

    path: str
    size: int
    modified: str
    sha256: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def date(self) -> str:
        """The date of the dump as YYYY-MM-DD, by the record of its download or by its name; empty where neither has it.

        >>> Input("data/wikidata-20261102-all.json.gz", 1, "").date
        '2026-11-02'
        """
        return str(self.origin.get("date") or date_in_name(self.path.rpartition("/")[2]))


@dataclass(frozen=True, slots=True)
class Dump:
    """One dump, in one file or in parts in any order; or public ``tables``, with a folder of each as a file."""

    files: tuple[Input, ...]
    tables: tuple[TableFile, ...] = ()

    @property
    def paths(self) -> list[str]:
        """The paths of the parts."""
        return [file.path for file in self.files]

    def identity(self) -> list[dict[str, Any]]:
        """The part of a fingerprint for the dump; with checksums, without paths and times."""
        if all(file.sha256 for file in self.files):
            return [{"sha256": digest} for digest in sorted(file.sha256 for file in self.files)]
        decisive = ("size", "modified", "sha256")
        return [{"path": redacted(file.path)} | {key: getattr(file, key) for key in decisive} for file in self.files]

    def describe(self) -> list[dict[str, Any]]:
        """The files as plain values, for the manifest, without the credentials of URLs."""
        rows = [{**asdict(file), "path": redacted(file.path), "date": file.date} for file in self.files]
        return [{key: value for key, value in row.items() if value or key not in {"origin", "date"}} for row in rows]


def find_wikipedias(words: Sequence[str], checksum: bool) -> Mapping[str, Dump]:
    """The dump of each language, from ``LANG=PATH`` words; UsageError on any other form."""
    paths: dict[str, list[str]] = {}
    for word in words:
        language, path = _split_word(word, "--wikipedia: expected LANG=PATH such as de=dewiki-2026-11-01-p1p9.xml.bz2")
        paths.setdefault(language, []).append(path)
    return {language: find_dump(parts, checksum) for language, parts in sorted(paths.items())}


def _split_word(word: str, expected: str) -> tuple[str, str]:
    language, mark, path = word.partition("=")
    if not mark or not path:
        raise UsageError(f"{expected}, saw {word!r}")
    return known_language(language), path


def find_dump(patterns: Sequence[str], checksum: bool) -> Dump:
    """The dump that paths, globs and URLs name; MissingInputError if one names nothing, UsageError for two days."""
    paths = dict.fromkeys(files.absolute(path) for path in files.match(patterns))
    first_of_wiki: dict[str, tuple[str, str]] = {}  # the first file of each wiki, and its date
    for path in paths:
        if dated := _DATED.match(path.rpartition("/")[2]):
            wiki, date = dated[1], "-".join(dated.groups()[1:])
            first, its_date = first_of_wiki.setdefault(wiki, (path, date))
            if date != its_date:  # pages that were deleted in between would also count
                raise UsageError(
                    f"expected dumps of {wiki} from one day, saw {first} of {its_date} and {path} of {date}: links of "
                    "both would be counted together; name the files of one of them"
                )
    return Dump(tuple(_describe_file(path, checksum) for path in paths))


def find_wikidata(patterns: Sequence[str], checksum: bool) -> Dump:
    """The JSON dump of Wikidata, as by ``find_dump``, or its public Parquet tables, each folder of them as one input.

    UsageError for both at once, DamagedInputError for other Parquet files.
    """
    tables_by_pattern = {
        pattern: find_table_files(files.absolute(files.check_address(pattern)).rstrip("/")) for pattern in patterns
    }
    tables = {file.path: file for table_files in tables_by_pattern.values() for file in table_files}
    if not tables:
        return find_dump(patterns, checksum)
    if not_tables := [pattern for pattern, table_files in tables_by_pattern.items() if not table_files]:
        raise UsageError(
            f"expected a JSON dump or folders of Parquet tables, saw tables of {next(iter(tables.values())).folder} "
            f"and {not_tables[0]!r}"
        )
    inputs = files.for_each_file(next(iter(tables)), lambda path: _describe_file(path, checksum), tables)
    # A folder counts as one file, as old as the latest in it. Its digest is that of a list as ``sha256sum`` writes it.
    folders = []
    for folder in sorted({file.folder for file in tables.values()}):
        in_folder = sorted((file for file in inputs if file.path.startswith(f"{folder}/")), key=lambda file: file.path)
        listed = "".join(f"{file.sha256}  {file.path.removeprefix(folder)}\n" for file in in_folder)
        digest = hashlib.sha256(listed.encode()).hexdigest() if checksum else ""
        size, modified = sum(file.size for file in in_folder), max(file.modified for file in in_folder)
        date = release_of(folder)
        folders.append(Input(folder, size, modified, digest, {"date": date} if date else {}))
    return Dump(tuple(folders), tuple(tables.values()))


def _describe_file(path: str, checksum: bool) -> Input:
    """An input with its size, time, origin and, if asked for, SHA-256; DamagedInputError for an archive or SQL."""
    try:
        size, modified = files.size_and_time(path)
        with files.open_binary(path) as source:
            head = source.read(8)
        if re.search(r"\.sql(\.gz)?$", path):
            raise DamagedInputError(
                f"{path}: expected an XML or JSON dump, saw a dump of SQL tables, which have no text; "
                "wikisem download fetches what is needed"
            )
        if kind := next((kind for kind, magic in _ARCHIVES.items() if head.startswith(magic)), ""):
            expected = "expected a plain file, .bz2, .gz or .zst"
            raise DamagedInputError(f"{path}: {expected}, saw {kind}; unpack it, or take the .bz2 beside it")
        digest = hashlib.sha256()
        if checksum:
            with files.open_binary(path) as source:
                while block := source.read(1 << 20):
                    digest.update(block)
    except OSError as error:
        raise MissingInputError(f"expected a file that can be read, saw {path!r}: {error}") from error
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(modified))
    origin = origin_of(Path(path), size) if files.is_local(path) else {}
    return Input(path, size, moment, digest.hexdigest() if checksum else "", origin)


# What the record of a language's groups says of the profile that they were made by.
FACT: Final = "profile"


@dataclass(frozen=True, slots=True)
class Profiles:
    """The texts of profile files, by language; a language without one uses the learned profile.

    ``trails`` are the link trails that these files give, if they differ from the learned ones.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    trails: Mapping[str, str] = field(default_factory=dict)


def read_named(words: Sequence[str]) -> dict[str, str]:
    """The texts of the files that ``LANG=FILE`` words name; RecipeError for one that is no profile file."""
    texts = {}
    for word in words:
        language, path = _split_word(word, "--profile: expected LANG=FILE such as de=de.toml")
        texts[language] = read_profile_text(path)
        read_profile_file(texts[language], path)  # raises if it is no profile file
    return texts


def find_profiles(output: str, languages: Sequence[str], named: Mapping[str, str]) -> Profiles:
    """The profile files that say how languages are written: the texts ``named``, else those in OUT that were edited."""
    ledger, texts, trails = Ledger(output), {}, {}
    for language in languages:
        if text := named.get(language) or edited(output, language):
            texts[language] = text
            trail = read_profile_file(text, f"{output}/{profile_path(language)}").values().get("link_trail")
            record = ledger.find(f"mentions/{language}")
            # It says which letters after a link belong to it: [[dog]]s. The one that was learned changes no count.
            if trail is not None and not (record and trail == record.facts.get("learned_trail")):
                trails[language] = trail
    return Profiles(texts, trails)


def edited(output: str, language: str) -> str:
    """The text of the profile file of a language in OUT if a person wrote or edited it; empty if a run wrote it."""
    path = f"{output}/{profile_path(language)}"
    if not files.list_files(path):
        return ""
    text, record = read_profile_text(path), Ledger(output).find(f"groups/{language}")
    # A run that learns a profile records the digest of the file that it writes: another text was edited since.
    written_digest = record.facts.get(FACT, {}).get("learned") if record else None
    return "" if written_digest == fingerprint(text=text) else text


def read_profile_text(path: str) -> str:
    """The text of a profile file; MissingInputError if it cannot be read, or is not in UTF-8."""
    try:
        return files.read_binary(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise MissingInputError(f"expected a profile file, saw {path!r}: {error}") from error
