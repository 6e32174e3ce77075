"""Wikidata dumps read line by line, into tables of items or into lexemes; all other lines are counted by reason.

A line of items is decoded straight into the types of ``line_types``; one that these refuse is mended first.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Annotated, Any, Final, Literal, TypeVar, cast

import msgspec
import numpy as np
import pyarrow as pa

from wikisem import files
from wikisem.arrow.columns import is_in, qid_numbers, repeated
from wikisem.dumps import Chunk, Damage, Opener, Range, plan_ranges, read_head, read_ranges
from wikisem.errors import DamagedInputError, MissingInputError, WrongDumpError
from wikisem.ids import check_language, check_property
from wikisem.records import SHOWN, Counts, UnreadableRecord, report_unreadable, unforeseen
from wikisem.schemas import ENTITIES
from wikisem.wikidata import entity_columns, line_types
from wikisem.wikidata.entity_columns import Certainty, EntityColumns, ranked_values
from wikisem.wikidata.entity_tables import find_table_files, open_tables
from wikisem.wikidata.line_types import EmptyMap, Fields, Label, LeftOutLine, Line, LineStatement, UnreadableLine, Value
from wikisem.wikidata.table_reader import TableReader

STAGE: Final = "entities"


def read_entities(
    path: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    properties: Sequence[str] = (),
    ranks: Literal["best", "not-deprecated"] = "best",
    signatures: bool = True,
    relations: bool = True,
    aliases: bool = False,
    on_unreadable: Callable[[UnreadableRecord], object] | None = None,
) -> pa.Table:
    """Read one Wikidata dump file (.json, .gz, .bz2, .zst) into a table with the columns of docs/entities.md, by QID.

    In place of the file it can be a folder of public Parquet tables. These are the rows of the entities stage, made in
    memory without Beam: the items that have P31 or P279 or are the value of either, each in its latest revision.
    ``labels`` are the languages to keep, with ``mul`` (None: all). ``properties`` are those whose statements to keep.
    ``ranks`` says which statements of P31 and P279 count: those of the "best" rank, or all that are "not-deprecated".
    ``signatures``, ``relations`` and ``aliases`` fill the columns ``properties``, ``relations`` and ``aliases``.
    ``on_unreadable`` is called with each record that could not be read; without it, the first one raises
    DamagedInputError. Raises MissingInputError if there is no file, DamagedInputError if it has no item.
    """
    codes = None if labels is None else tuple(map(check_language, labels))
    fields = Fields(codes, tuple(map(check_property, properties)), ranks, signatures, relations, aliases)
    parts: list[tuple[Certainty, pa.Table]] = []
    for found, unreadable in _read_parts(fspath(path), fields):
        parts += found
        for record in unreadable:
            report_unreadable(record, on_unreadable)
    if not parts:
        raise DamagedInputError(f"{fspath(path)}: expected items of a Wikidata dump, saw none")
    rows = pa.concat_tables([table for _, table in parts])
    # An item that has P31 or P279 is certain to stay; any other one only if it is the value of either (an edge target).
    certain = np.concatenate([np.full(table.num_rows, certainty == "certain") for certainty, table in parts])
    numbers = qid_numbers(rows["qid"])
    # Of an item that is in the dump more than once, all but the latest revision are superseded.
    duplicates = entity_columns.duplicate_rows(rows, repeated([numbers]))
    superseded = entity_columns.superseded_rows(duplicates, "row")["row"].to_numpy()
    latest = np.delete(np.arange(rows.num_rows), superseded)
    rows, certain, numbers = rows.take(pa.array(latest)), certain[latest], numbers[latest]
    kept = np.flatnonzero(certain | is_in(numbers, entity_columns.edge_targets(rows)))
    return rows.take(pa.array(kept[np.argsort(numbers[kept])])).cast(ENTITIES).combine_chunks()


def _read_parts(path: str, fields: Fields) -> Iterator[tuple[list[tuple[Certainty, pa.Table]], list[UnreadableRecord]]]:
    """Yield for each part of the input its tables of items (see ``split_by_certainty``) and its unreadable records.

    A part is a range of ids in public tables, or a chunk of a dump. Items of chunks come later, once they fill a table.
    """
    if files_of_tables := find_table_files(path):
        tables = open_tables(files_of_tables, fields)
        table_reader = TableReader(tables, fields, linked_only=False, stage=STAGE)
        for range_ in tables.ranges():
            before = len(table_reader.unreadable)
            yield list(table_reader.read(range_)), table_reader.unreadable[before:]
        return
    try:
        ranges = plan_ranges(path)
    except FileNotFoundError as error:
        raise MissingInputError(f"expected a dump file, saw none at {path}") from error
    reader = ChunkReader(EntityReader(fields), linked_only=False, stage=STAGE)
    for chunk in read_ranges(ranges, closing=check_head(ranges)):
        before = len(reader.unreadable)
        yield list(reader.read(chunk)), reader.unreadable[before:]
    yield list(reader.finish()), []


# A line that begins like this is not an item and is not decoded; dumps have put the type first since 2014.
_NOT_ITEMS: Final = {
    b'{"type":"property"': LeftOutLine("property"),  # but its labels are read
    b'{"type":"lexeme","': LeftOutLine("lexeme"),
    b'{"type":"mediainfo': LeftOutLine("mediainfo"),
}
_HEAD_SIZE: Final = 18
# For most lines it is enough to look at the first letter of their type.
_TYPE_START: Final = 9
_ITEM_LETTER: Final = ord("i")
_DATATYPE: Final = re.compile(rb'"datatype":"(wikibase-item")?').search


class EntityReader:
    """Reads single lines of a dump; it can be pickled and sent to workers."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self._statements = msgspec.json.Decoder(list[line_types.LineStatement] | None).decode
        self._properties_read = fields.claims
        # A line is decoded into a struct made for these fields: what has no member in it does not become an object. Its
        # labels and aliases are dicts by language code; or, if only "de" and "mul" are read, structs with the members
        # ``code0`` and ``code1``, whose keys in JSON are "de" and "mul".
        codes, labels, aliases = fields.label_codes, cast(Any, dict[str, Label]), cast(Any, dict[str, list[Label]])
        if codes is not None:
            names = {f"code{number}": code for number, code in enumerate(codes)}  # "zh-tw" is no name in Python
            labels = msgspec.defstruct("Labels", [(name, Label | None, None) for name in names], rename=names, gc=False)
            texts = [(name, list[Label] | None, None) for name in names]
            aliases = msgspec.defstruct("Aliases", texts, rename=names, gc=False)
        members = [
            ("labels", labels | EmptyMap, None),
            ("claims", dict[str, msgspec.Raw] | EmptyMap, None),
            ("aliases", aliases | EmptyMap if fields.aliases else msgspec.Raw, None),
            ("descriptions", line_types.Descriptions | EmptyMap if fields.signatures else msgspec.Raw, None),
        ]
        line_type = cast(type[Line], msgspec.defstruct("LineOf", members, bases=(Line,), gc=False))
        self._decode = msgspec.json.Decoder(line_type).decode

    def __reduce__(self) -> tuple[type["EntityReader"], tuple[Fields]]:
        return EntityReader, (self.fields,)

    def read(self, line: bytes | memoryview) -> Line | LeftOutLine | UnreadableLine:
        """Return the item of a line of JSON (without the comma after it), or why it has none."""
        # Other entities are known by the first bytes of their line, such as ``{"type":"property"``.
        if len(line) > _TYPE_START and line[_TYPE_START] != _ITEM_LETTER:
            left_out = _NOT_ITEMS.get(bytes(line[:_HEAD_SIZE]))
            if left_out is not None:
                if left_out.reason != "property":
                    return left_out
                # Of a property, labels are read; ``mend_line`` does, slowly, since a dump has few of them.
                mended = line_types.mend_line(bytes(line), self.fields)
                return mended if isinstance(mended, LeftOutLine) else left_out
        # Claims are JSON by property at first: only those of the properties that are read are decoded to statements.
        found: Line | None
        try:
            found = self._decode(line)
            if claims := found.claims:
                wanted = self._properties_read & claims.keys()
                if self.fields.relations and found.sitelinks:
                    # Relations are statements about items. The first statement shows the datatype of all of a property,
                    # except before 2014. Other properties, most of them identifiers, need not be decoded.
                    types = [(key, _DATATYPE(statements)) for key, statements in claims.items()]
                    wanted.update([key for key, match in types if match is None or match[1]])
                found.claims = line_types.Claims({key: self._statements(claims[key]) for key in wanted}, list(claims))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            found = None
        if found and found.type == "item" and found.redirect is None and line_types.match_item(found.id):
            return found
        # What the types refuse is read with care: it becomes JSON that they accept, has no item, or cannot be read.
        mended = line_types.mend_line(bytes(line), self.fields)
        return self.read(mended) if isinstance(mended, bytes) else mended


# Items become a table once this much text has been read: Python values take several times the memory of columns.
_HELD_BYTES: Final = 1 << 25
_HEAD_SHOWN: Final = 40


class ChunkReader(line_types.LineAccount):
    """Reads the chunks of a range into tables of items; ``split_by_certainty`` says what ``linked_only`` means."""

    def __init__(self, reader: EntityReader, linked_only: bool, stage: str) -> None:
        super().__init__(stage)
        self._reader, self._linked_only = reader, linked_only
        self._columns, self._held = EntityColumns(reader.fields), 0

    def read(self, chunk: Chunk | Damage) -> Iterator[tuple[Certainty, pa.Table]]:
        """Read the lines of a chunk; for every 32 MiB of text, yield the items as ``split_by_certainty`` does."""
        if isinstance(chunk, Damage):
            self.reject(chunk.reason, chunk.where, chunk.detail)
            return
        lines: list[Line] = []
        for position, found in read_lines(chunk.data, self._reader.read):
            if isinstance(found, Line):
                lines.append(found)
            elif isinstance(found, LeftOutLine):
                self.left_out[found.reason] += 1
                if isinstance(found, line_types.PropertyLine):
                    self.properties.append(found)
            else:
                self.reject(found.reason, chunk.location(position), found.detail)
        self._columns.extend(lines)
        self._held += len(chunk.data)
        if self._held > _HELD_BYTES:
            yield from self.finish()

    def finish(self) -> Iterator[tuple[Certainty, pa.Table]]:
        """Yield the items that have not been yielded yet."""
        columns, self._columns, self._held = self._columns, EntityColumns(self._reader.fields), 0
        yield from entity_columns.split_by_certainty(columns.table(), self._linked_only)


def check_head(ranges: Sequence[Range], open_binary: Opener = files.open_binary) -> bytes:
    """Return b"]", with which a file that begins with "[" has to end, for others b""; WrongDumpError for XML."""
    head = read_head(ranges, open_binary).lstrip()
    if head.startswith(b"<"):
        message = f"{ranges[0].path}: expected Wikidata JSON lines, saw XML that begins with {head[:_HEAD_SHOWN]!r}"
        raise WrongDumpError(message, "xml")
    return b"]" if head.startswith(b"[") else b""


# What surrounds the entities of a dump: brackets, commas, white space.
_WRAPPING: Final = b"[], \t\r\n"
_Found = TypeVar("_Found")


def read_lines(data: bytes, read: Callable[[memoryview], _Found]) -> Iterator[tuple[int, _Found | UnreadableLine]]:
    """Yield where each line begins, and what ``read`` makes of it without brackets, commas and white space around it.

    Empty lines are skipped. A line is unreadable if ``read`` raises any error. Lines are views into the data: copying
    them would take a third as long as decoding them.
    """
    view = memoryview(data)
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start)
        end = following = stop if stop >= 0 else len(data)
        while start < end and data[end - 1] in _WRAPPING:
            end -= 1
        while start < end and data[start] in _WRAPPING:
            start += 1
        if start < end:
            try:
                found: _Found | UnreadableLine = read(view[start:end])
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001  # whatever it is, it is this line's rejection
                found = UnreadableLine("unreadable", unforeseen("line", error))
            yield start, found
        start = following + 1


# Lexemes, in the layout of https://www.wikidata.org/wiki/Wikidata:Lexicographical_data/Documentation and of the dumps
# ``latest-lexemes.json.gz`` and ``.bz2`` (2026-11): a line for each lexeme, wrapped as in the dump of items.

LEXEMES: Final = "lexemes"

_LexemeId = Annotated[str, msgspec.Meta(pattern=r"^L[1-9][0-9]{0,17}$")]
_LEXEME: Final = re.compile(r"L[1-9][0-9]{0,17}").fullmatch
_OTHER_TYPES: Final = frozenset({"item", "property", "mediainfo"})


class Form(msgspec.Struct, gc=False):
    """A form of a lexeme: its spellings by language code, and its grammatical features as QIDs."""

    representations: dict[str, Label] | EmptyMap
    features: list[str] = msgspec.field(name="grammaticalFeatures", default_factory=list)


class Claims(msgspec.Struct, frozen=True, gc=False):
    """The statements of a lexeme that are read: what it is an instance of, and which lexemes it is made from."""

    instance_of: list[LineStatement] = msgspec.field(name="P31", default_factory=list)
    derived_from: list[LineStatement] = msgspec.field(name="P5191", default_factory=list)
    combines: list[LineStatement] = msgspec.field(name="P5238", default_factory=list)


_NO_CLAIMS: Final = Claims()


class Lexeme(msgspec.Struct, gc=False):
    """A lexeme: its language and lexical category as QIDs, its lemmas, its forms and some of its statements."""

    id: _LexemeId
    language: str
    category: str = msgspec.field(name="lexicalCategory")
    lemmas: dict[str, Label] | EmptyMap
    forms: list[Form] | dict[str, Form]
    lastrevid: int = 0
    claims: Claims | EmptyMap = _NO_CLAIMS

    def lemma(self, language: str) -> str:
        """Return the lemma in the spelling of a language code; empty if it has none."""
        return self.lemmas[language].value if isinstance(self.lemmas, dict) and language in self.lemmas else ""

    def made_from(self, name: str) -> list[int]:
        """Return the numbers of the lexemes that P5191 (derived from) or P5238 (combines) names at best rank."""
        ids = self.best_ids("derived_from" if name == "P5191" else "combines")
        return [int(found[1:]) for found in ids if _LEXEME(found)]

    def best_ids(self, name: str) -> list[str]:
        """Return the entities that its statements of best rank name, of one member of ``Claims``."""
        statements = getattr(self.claims, name, [])
        return [value.id for value in ranked_values(statements, best=True) if isinstance(value, Value)]


class _Head(msgspec.Struct, gc=False):
    id: str = ""
    type: str = ""
    redirect: Any = None


_decode_lexeme: Final = msgspec.json.Decoder(Lexeme).decode


@dataclass
class LexemeReader:
    """Reads a lexeme dump file; ``counts`` accounts for every line and every part that is damaged."""

    on_unreadable: Callable[[UnreadableRecord], object] | None = None
    _kept: int = field(default=0, init=False)
    _left_out: Counter[str] = field(default_factory=Counter, init=False)
    _unreadable: Counter[str] = field(default_factory=Counter, init=False)

    def read(self, path: str | PathLike[str]) -> Iterator[Lexeme]:
        """Yield the lexemes of a file (.json, .gz, .bz2, .zst) in its order, in every revision that the file has.

        Other entities and redirects are left out. What is no lexeme, or cannot be decoded, goes to ``on_unreadable``;
        without that, the first raises DamagedInputError. Raises MissingInputError if there is no file.
        """
        try:
            ranges = plan_ranges(fspath(path))
            check_head(ranges)
            for chunk in read_ranges(ranges):
                for position, found in [(0, chunk)] if isinstance(chunk, Damage) else read_lines(chunk.data, _lexeme):
                    if isinstance(found, Lexeme):
                        self._kept += 1
                        yield found
                    elif isinstance(found, LeftOutLine):
                        self._left_out[found.reason] += 1
                    else:
                        self._unreadable[found.reason] += 1
                        where = chunk.where if isinstance(chunk, Damage) else chunk.location(position)
                        record = UnreadableRecord(LEXEMES, found.reason, where, found.detail)
                        report_unreadable(record, self.on_unreadable)
        except (FileNotFoundError, IsADirectoryError) as error:
            raise MissingInputError(f"expected a lexeme dump, saw no file at {fspath(path)}") from error

    def counts(self) -> Counts:
        """Return how many lines were read, kept, left out and unreadable so far."""
        read = self._kept + sum(self._left_out.values()) + sum(self._unreadable.values())
        return Counts(read, self._kept, dict(self._left_out), dict(self._unreadable))


def _lexeme(line: memoryview) -> Lexeme | LeftOutLine | UnreadableLine:
    """Return the lexeme of a line, or the reason why it has no lexeme."""
    try:
        return _decode_lexeme(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        wrong = error
    try:
        head = msgspec.json.decode(line, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return UnreadableLine("not-json", f"expected a JSON object, saw {bytes(line[:SHOWN])!r}: {wrong}")
    if head.redirect is not None:
        return LeftOutLine("redirect")
    if head.type in _OTHER_TYPES:
        return LeftOutLine(head.type)
    return UnreadableLine("bad-lexeme", f"{head.id or 'a line without an id'}: {wrong}")
