"""Lines of a Wikidata JSON dump into items: the few fields that the method reads, decoded straight into types.

The layout is that of https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html (2026-09). A line that the
types refuse goes to ``wikidata_careful``, which knows the oddities of old dumps and says what is wrong with the rest.

A sitelink keeps its title even where a badge says that the page is a redirect (Q70893996, Q70894304): whoever counts
links follows redirects, and so reaches the page that such a sitelink means.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import msgspec

from wikisem.records import Entity, Statement
from wikisem.wikidata_careful import read_carefully
from wikisem.wikidata_values import (
    MAX_NUMBER,
    Fields,
    LeftOut,
    Rank,
    Row,
    Unreadable,
    is_item,
    is_wikipedia,
    sorted_qids,
    target_number,
)

# What surrounds the entities of a dump: brackets, commas, white space.
_WRAPPING: Final = b"[], \t\r\n"
# A line that begins so is no item, and need not be decoded; dumps have put the type first since 2014.
_NO_ITEMS: Final = {
    b'{"type":"property"': LeftOut("property"),
    b'{"type":"lexeme","': LeftOut("lexeme"),
    b'{"type":"mediainfo': LeftOut("mediainfo"),
}
_HEAD: Final = 18
_NO_CLAIMS: Final = (None, None)

_Number = Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)]


class _Value(msgspec.Struct, gc=False):
    id: str = ""
    numeric_id: _Number = msgspec.field(default=0, name="numeric-id")
    entity_type: str = msgspec.field(default="", name="entity-type")
    text: str = ""
    language: str = ""


class _DataValue(msgspec.Struct, gc=False):
    value: _Value | str


class _Snak(msgspec.Struct, gc=False):
    snaktype: str
    datavalue: _DataValue | None = None


class _Statement(msgspec.Struct, gc=False):
    mainsnak: _Snak
    rank: Rank = "normal"


class _Label(msgspec.Struct, gc=False):
    value: str


class _Sitelink(msgspec.Struct, gc=False):
    title: str


# PHP writes an empty map as [].
_Nothing = Annotated[list[int], msgspec.Meta(max_length=0)]


def record_lines(data: bytes) -> Iterator[tuple[int, memoryview]]:
    """The lines that hold anything but brackets, commas and white space, without these, and where they begin.

    They are views into the data: copying lines would cost a third of what decoding them does.
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
            yield start, view[start:end]
        start = following + 1


class EntityReader:
    """Reads lines of a dump into items; it pickles, so that it can travel to workers.

    ``decode`` is its first half, a line into the types; it raises where these do not fit.
    """

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        codes = fields.label_codes
        self._codes = codes
        self._keys = tuple(dict.fromkeys(("P31", "P279", *fields.properties)))
        # Where the statements that were asked for stand among the claims.
        self._asked = [(self._keys.index(name), name) for name in dict.fromkeys(fields.properties)]
        self.decode = msgspec.json.Decoder(self._line_type()).decode
        self._best = fields.ranks == "best"
        self._wanted: tuple[Rank, ...] = ("normal", "preferred")

    def __reduce__(self) -> tuple[type["EntityReader"], tuple[Fields]]:
        return EntityReader, (self._fields,)

    def _line_type(self) -> Any:
        """The types of a whole line. Asking for certain languages spares the others from being made."""
        empty: Any = msgspec.field(default_factory=list)
        claims = _struct("Claims", list[_Statement], self._keys)
        labels: Any = dict[str, _Label] if self._codes is None else _struct("Labels", _Label, self._codes)
        maps = {"labels": labels, "sitelinks": dict[str, _Sitelink], "claims": claims}
        optional = [(name, kind | _Nothing, empty) for name, kind in maps.items()]
        always: list[Any] = [("id", str), ("type", str), ("lastrevid", _Number, 0), ("redirect", Any, None)]
        return msgspec.defstruct("Line", [*always, *optional], gc=False)

    def read(self, line: bytes | memoryview) -> Entity | LeftOut | Unreadable:
        """The item of a line, or why there is none. The line comes without the comma behind it."""
        found = self.read_row(line)
        return Entity(*found) if isinstance(found, tuple) else found

    def read_row(self, line: bytes | memoryview) -> Row | LeftOut | Unreadable:
        """The same, with the item as the tuple of its fields, which is several times as fast to make."""
        left_out = _NO_ITEMS.get(bytes(line[:_HEAD]))
        if left_out is not None:
            return left_out
        try:
            raw = self.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return read_carefully(bytes(line), self._fields)
        if raw.type != "item" or raw.redirect is not None or not is_item(raw.id):
            return read_carefully(bytes(line), self._fields)
        return self._row(raw)

    def _row(self, raw: Any) -> Row:
        sitelinks = raw.sitelinks
        claims = msgspec.structs.astuple(raw.claims) if raw.claims else _NO_CLAIMS
        return (
            raw.id,
            self._items(claims[0]) if claims[0] else (),
            self._items(claims[1]) if claims[1] else (),
            len(sitelinks),
            {site: sitelinks[site].title for site in sorted(sitelinks) if is_wikipedia(site)} if sitelinks else {},
            self._labels(raw.labels) if raw.labels else {},
            raw.lastrevid,
            self._statements(claims) if claims is not _NO_CLAIMS else (),
        )

    def _labels(self, labels: Any) -> dict[str, str]:
        if self._codes is None:
            return {code: labels[code].value for code in sorted(labels)}
        found = zip(self._codes, msgspec.structs.astuple(labels), strict=True)
        return {code: label.value for code, label in found if label is not None}

    def _items(self, statements: list[_Statement]) -> tuple[str, ...]:
        numbers = [_number(value) for value in self._values(statements)]
        if len(numbers) == 1:  # most have one
            return (f"Q{numbers[0]}",) if numbers[0] else ()
        return sorted_qids(numbers)

    def _values(self, statements: list[_Statement]) -> list[_Value | str]:
        wanted = self._wanted
        if len(statements) > 1 and self._best and any(statement.rank == "preferred" for statement in statements):
            wanted = ("preferred",)
        return [
            snak.datavalue.value
            for statement in statements
            if statement.rank in wanted
            and (snak := statement.mainsnak).datavalue is not None
            and snak.snaktype == "value"
        ]

    def _statements(self, claims: tuple[list[_Statement] | None, ...]) -> tuple[Statement, ...]:
        asked = [(name, found) for place, name in self._asked if (found := claims[place])]
        if not asked:
            return ()
        texts = [(name, *_text(value)) for name, statements in asked for value in self._values(statements)]
        return tuple(sorted({Statement(name, text, language) for name, text, language in texts if text}))


def _struct(name: str, kind: Any, keys: Sequence[str]) -> Any:
    """A type with an optional member for each key, whatever the key looks like; the members keep the keys' order."""
    members = {f"member{number}": key for number, key in enumerate(keys)}
    return msgspec.defstruct(name, [(member, kind | None, None) for member in members], rename=members, gc=False)


def _number(value: _Value | str) -> int:
    if isinstance(value, str):
        return 0
    return target_number(value.id) if value.id else value.numeric_id if value.entity_type == "item" else 0


def _text(value: _Value | str) -> tuple[str, str]:
    if isinstance(value, str):
        return value, ""
    number = _number(value)
    return (f"Q{number}", "") if number else (value.text, value.language)
