"""Lines of a Wikidata JSON dump into items: the few fields that the method reads, decoded straight into types.

The layout is that of https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html (2026-09). A line that the
types refuse goes to ``wikidata_careful``, which knows the oddities of old dumps and says what is wrong with the rest.

A sitelink keeps its title even where a badge says that the page is a redirect (Q70893996, Q70894304): whoever counts
links follows redirects, and so reaches the page that such a sitelink means.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec

from wikisem.records import Entity, Statement
from wikisem.wikidata_careful import read_carefully
from wikisem.wikidata_values import (
    MAX_NUMBER,
    Fields,
    LeftOut,
    Rank,
    Unreadable,
    is_wikipedia,
    item_number,
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


class EntityReader:
    """Reads lines of a dump into items; it pickles, so that it can travel to workers."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        codes = fields.label_codes
        self._codes = None if codes is None else {f"label{number}": code for number, code in enumerate(codes)}
        self._properties = {f"values{number}": name for number, name in enumerate(fields.properties)}
        self._decode = msgspec.json.Decoder(self._line_type()).decode
        self._best = fields.ranks == "best"

    def __reduce__(self) -> tuple[type["EntityReader"], tuple[Fields]]:
        return EntityReader, (self._fields,)

    def _line_type(self) -> Any:
        """The types of a whole line. Asking for certain languages spares the others from being made."""
        empty: Any = msgspec.field(default_factory=list)
        names = ["P31", "P279", *self._properties]
        claims = _struct("Claims", [(name, list[_Statement], empty) for name in names], self._properties)
        labels: Any = dict[str, _Label]
        if self._codes is not None:
            labels = _struct("Labels", [(name, _Label | None, None) for name in self._codes], self._codes)
        maps = {"labels": labels, "sitelinks": dict[str, _Sitelink], "claims": claims}
        optional = [(name, kind | _Nothing, empty) for name, kind in maps.items()]
        return _struct(
            "Line", [("id", str), ("type", str), ("lastrevid", _Number, 0), ("redirect", Any, None), *optional]
        )

    def read(self, line: bytes) -> Entity | LeftOut | Unreadable | None:
        """The item of a line, or why there is none; None for a line without any record, such as "[" or ","."""
        line = line.strip(_WRAPPING)
        if not line:
            return None
        left_out = _NO_ITEMS.get(line[:_HEAD])
        if left_out is not None:
            return left_out
        try:
            raw = self._decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return read_carefully(line, self._fields)
        if raw.type != "item" or raw.redirect is not None or not item_number(raw.id):
            return read_carefully(line, self._fields)
        return self._entity(raw)

    def _entity(self, raw: Any) -> Entity:
        claims, sitelinks = raw.claims, raw.sitelinks
        return Entity(
            raw.id,
            self._items(claims.P31) if claims else (),
            self._items(claims.P279) if claims else (),
            len(sitelinks),
            {site: sitelinks[site].title for site in sorted(sitelinks) if is_wikipedia(site)},
            self._labels(raw.labels) if raw.labels else {},
            raw.lastrevid,
            self._statements(claims) if claims else (),
        )

    def _labels(self, labels: Any) -> dict[str, str]:
        if self._codes is None:
            return {code: labels[code].value for code in sorted(labels)}
        found = ((code, getattr(labels, name)) for name, code in self._codes.items())
        return {code: label.value for code, label in found if label is not None}

    def _items(self, statements: list[_Statement]) -> tuple[str, ...]:
        return sorted_qids(_number(value) for value in self._values(statements)) if statements else ()

    def _values(self, statements: list[_Statement]) -> Iterator[_Value | str]:
        best = self._best and any(statement.rank == "preferred" for statement in statements)
        unwanted = ("deprecated", "normal") if best else ("deprecated", "deprecated")
        for statement in statements:
            if (
                statement.rank not in unwanted
                and statement.mainsnak.snaktype == "value"
                and statement.mainsnak.datavalue
            ):
                yield statement.mainsnak.datavalue.value

    def _statements(self, claims: Any) -> tuple[Statement, ...]:
        found = set()
        for name, identifier in self._properties.items():
            for value in self._values(getattr(claims, name)):
                text, language = _text(value)
                if text:
                    found.add((identifier, text, language))
        return tuple([Statement(*statement) for statement in sorted(found)])


def _struct(name: str, members: list[Any], rename: dict[str, str] | None = None) -> Any:
    return msgspec.defstruct(name, members, rename=rename, gc=False)


def _number(value: _Value | str) -> int:
    if isinstance(value, str):
        return 0
    return target_number(value.id) if value.id else value.numeric_id if value.entity_type == "item" else 0


def _text(value: _Value | str) -> tuple[str, str]:
    if isinstance(value, str):
        return value, ""
    number = _number(value)
    return (f"Q{number}", "") if number else (value.text, value.language)
