"""Lines of a Wikidata lexeme dump into lexemes with their forms.

The layout is that of https://www.wikidata.org/wiki/Wikidata:Lexicographical_data/Documentation and of the dumps
``latest-lexemes.json.gz`` and ``.bz2`` (2026-11): a line for each lexeme, wrapped as in the dump of items.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Annotated, Any, Final

import msgspec

from wikisem.dumps import Damage, plan_ranges, read_ranges
from wikisem.errors import MissingInputError
from wikisem.records import SHOWN, Counts, UnreadableRecord, report_unreadable
from wikisem.wikidata.entity_columns import ranked_values
from wikisem.wikidata.entity_reader import check_head, read_lines
from wikisem.wikidata.line_types import EmptyMap, Label, LeftOutLine, LineStatement, UnreadableLine, Value

STAGE: Final = "lexemes"

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

    @property
    def number(self) -> int:
        """The number in its id."""
        return int(self.id[1:])

    def lemma(self, language: str) -> str:
        """Return the lemma in the spelling of a language code; empty if it has none."""
        return self.lemmas[language].value if isinstance(self.lemmas, dict) and language in self.lemmas else ""

    def types(self) -> list[str]:
        """Its lexical category, and the classes it is an instance of (P31) by statements of best rank."""
        return [self.category, *self._best_ids("instance_of")]

    def made_from(self, name: str) -> list[int]:
        """The numbers of the lexemes that a property of best rank names: P5191 (derived from) or P5238 (combines)."""
        ids = self._best_ids("derived_from" if name == "P5191" else "combines")
        return [int(found[1:]) for found in ids if _LEXEME(found)]

    def _best_ids(self, name: str) -> list[str]:
        statements = getattr(self.claims, name, [])
        return [value.id for value in ranked_values(statements, best=True) if isinstance(value, Value)]


class _Head(msgspec.Struct, gc=False):
    id: str = ""
    type: str = ""
    redirect: Any = None


_decode: Final = msgspec.json.Decoder(Lexeme).decode


@dataclass
class LexemeReader:
    """Reads a lexeme dump file; ``counts`` accounts for every line and every part that is damaged."""

    on_unreadable: Callable[[UnreadableRecord], object] | None = None
    _kept: int = field(default=0, init=False)
    _left_out: Counter[str] = field(default_factory=Counter, init=False)
    _unreadable: Counter[str] = field(default_factory=Counter, init=False)

    def read(self, path: str | PathLike[str]) -> Iterator[Lexeme]:
        """Yield the lexemes of a file (.json, .gz, .bz2, .zst) in its order, in every revision that the file has.

        Left out are other entities and redirects. A line that is not a lexeme, or a part of the file that cannot be
        decoded, is given to ``on_unreadable``; without that, the first raises DamagedInputError. MissingInputError
        without a file.
        """
        try:
            ranges = plan_ranges(fspath(path))
            check_head(ranges)
            for chunk in read_ranges(ranges):
                for position, found in [(0, chunk)] if isinstance(chunk, Damage) else read_lines(chunk.data, _read):
                    if isinstance(found, Lexeme):
                        self._kept += 1
                        yield found
                    elif isinstance(found, LeftOutLine):
                        self._left_out[found.reason] += 1
                    else:
                        self._unreadable[found.reason] += 1
                        where = chunk.where if isinstance(chunk, Damage) else chunk.location(position)
                        record = UnreadableRecord(STAGE, found.reason, where, found.detail)
                        report_unreadable(record, self.on_unreadable)
        except (FileNotFoundError, IsADirectoryError) as error:
            raise MissingInputError(f"expected a lexeme dump, saw no file at {fspath(path)}") from error

    def counts(self) -> Counts:
        """Return how many lines were read, kept, left out and unreadable so far."""
        read = self._kept + sum(self._left_out.values()) + sum(self._unreadable.values())
        return Counts(read, self._kept, dict(self._left_out), dict(self._unreadable))


def _read(line: memoryview) -> Lexeme | LeftOutLine | UnreadableLine:
    """Return the lexeme of a line, or the reason why it has no lexeme."""
    try:
        return _decode(line)
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
