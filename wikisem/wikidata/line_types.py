"""What is read of a line of a Wikidata JSON dump, as types for the fast decoder; how lines that they refuse are mended.

The layout is that of https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html (2026-09).
"""

import contextlib
import functools
import re
import reprlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

import msgspec
import orjson

from wikisem.records import SHOWN, Counts, UnreadableRecord
from wikisem.wikis import MULTILINGUAL, language_of

# What shipped recipes read, so that they need no second pass over the dump: country, continent, capital, currency,
# located in, part of, member of, facet of, capital of, demonym, female and male form of label
# (https://www.wikidata.org/wiki/Wikidata:List_of_properties, 2026-11).
DEFAULT_PROPERTIES: Final = (
    *("P17", "P30", "P36", "P38", "P131", "P361", "P463", "P1269", "P1376", "P1549", "P2521", "P3321"),
)
Rank = Literal["preferred", "normal", "deprecated"]
# Item numbers and revisions travel in columns of 64 bits; the highest number was about 1.4 * 10**8 in 2026-09.
MAX_NUMBER: Final = 2**63 - 1
match_item: Final = re.compile(r"Q[1-9][0-9]{0,17}").fullmatch
# Property numbers travel in columns of 32 bits; the highest was about 14,000 in 2026-09.
_MAX_PROPERTY: Final = 2**31 - 1
_PROPERTY: Final = re.compile(r"P[1-9][0-9]{0,9}").fullmatch


@dataclass(frozen=True, slots=True)
class Fields:
    """What is read of an item: its labels in these languages and ``mul`` (None: in all), and statements.

    The statements are those of ``properties``, of the best rank or of every rank but deprecated. Of an item with a
    sitelink also the numbers of all properties, with ``signatures``, all statements about items, with ``relations``,
    of the same ranks, and its aliases in the languages of the labels, with ``aliases``. Of any item the English
    description, with ``signatures``.
    """

    labels: tuple[str, ...] | None = None
    properties: tuple[str, ...] = ()
    ranks: Literal["best", "not-deprecated"] = "best"
    signatures: bool = True
    relations: bool = True
    aliases: bool = False

    @property
    def claims(self) -> frozenset[str]:
        """The properties whose statements are read."""
        return frozenset((*self.properties, "P31", "P279"))

    @property
    def label_codes(self) -> tuple[str, ...] | None:
        """The languages and ``mul``, each once; None for all."""
        return None if self.labels is None else tuple(sorted({*self.labels, MULTILINGUAL}))


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """A line without an item; ``reason`` says what it holds instead."""

    reason: str


@dataclass(frozen=True, slots=True)
class PropertyLine(LeftOutLine):
    """The line of a property: its number, its revision, and its labels by language."""

    number: int
    revision: int
    labels: Mapping[str, str]


class UnreadableLine(NamedTuple):
    """A line that cannot be read, and why."""

    reason: str
    detail: str


@dataclass
class LineAccount:
    """What of a range became no item: properties and others that are ``left_out``, by reason, and ``unreadable``."""

    stage: str
    left_out: Counter[str] = field(default_factory=Counter)
    unreadable: list[UnreadableRecord] = field(default_factory=list)
    properties: list[PropertyLine] = field(default_factory=list)

    def reject(self, reason: str, where: str, detail: str) -> None:
        """Keep a record that cannot be read."""
        self.unreadable.append(UnreadableRecord(self.stage, reason, where, detail))

    def counts(self) -> Counts:
        """Return how many records are not items, by reason; items are counted once it is decided whether they stay."""
        unreadable = Counter(record.reason for record in self.unreadable)
        read = sum(self.left_out.values()) + len(self.unreadable)
        return Counts(read, 0, dict(self.left_out), dict(unreadable))


def item_number(qid: str) -> int:
    """Return the number of an item id that fits 64 bits; 0 for anything else, such as a property's id."""
    return int(qid[1:]) if match_item(qid) else 0


# Cached, because the ids of statements are few and come again and again.
@functools.lru_cache(maxsize=1 << 16)
def target_id(identifier: str) -> str:
    """Return the id if it is an item's, else ""."""
    return identifier if match_item(identifier) else ""


@functools.lru_cache(maxsize=1 << 16)
def property_number(identifier: str) -> int:
    """Return the number of a property id that fits 32 bits; 0 for anything else, such as an item's id."""
    number = int(identifier[1:]) if _PROPERTY(identifier) else 0
    return number if number <= _MAX_PROPERTY else 0


@functools.lru_cache(maxsize=1 << 12)
def is_wikipedia(site: str) -> bool:
    """Return whether a site id is that of a Wikipedia, as "dewiki" is; "dewiktionary" and "commonswiki" are not."""
    return language_of(site) is not None


# The types that a line is decoded into. Everything else in it is passed over without becoming an object.
_Number = Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)]


class Value(msgspec.Struct, gc=False):
    """An item, an entity of another type, or a string with its language."""

    id: str = ""
    numeric_id: _Number = msgspec.field(default=0, name="numeric-id")
    entity_type: str = msgspec.field(default="", name="entity-type")
    text: str = ""
    language: str = ""


class DataValue(msgspec.Struct, gc=False):
    """A value, or a string without a language."""

    value: Value | str


class Snak(msgspec.Struct, gc=False):
    """The value of a statement; without a datavalue, it is unknown or there is no value."""

    snaktype: str
    datavalue: DataValue | None = None


class LineStatement(msgspec.Struct, gc=False):
    """A statement without its qualifiers and references."""

    mainsnak: Snak
    rank: Rank = "normal"


class Label(msgspec.Struct, gc=False):
    """A label, an alias or a description, in the language whose key it is under."""

    value: str


class Descriptions(msgspec.Struct, gc=False):
    """The description in the language that most items have one in."""

    en: Label | None = None


DESCRIBED: Final = "en"


class Sitelink(msgspec.Struct, gc=False):
    """The page on the site whose key it is under."""

    title: str


# PHP writes an empty map as [].
EmptyMap = Annotated[list[int], msgspec.Meta(max_length=0)]


class Claims(msgspec.Struct, gc=False):
    """The statements that an item has of ``Fields.claims``, or also all about items; the ids of all its properties."""

    statements: Mapping[str, list[LineStatement] | None]
    properties: Collection[str]


class Line(msgspec.Struct, gc=False):
    """An entity. ``EntityReader`` says what its labels and aliases are, and makes ``Claims`` of its claims.

    Claims are first kept as JSON, by property: that shows the ids of all properties and takes no longer than passing
    over those that are not asked for.
    """

    id: str
    type: str
    lastrevid: _Number = 0
    redirect: Any = None
    sitelinks: dict[str, Sitelink] | EmptyMap = msgspec.field(default_factory=dict)
    labels: Any = None
    claims: Any = None
    aliases: Any = None
    descriptions: Any = None


# By the first letter of an id, for entities that do not say their type.
_TYPES: Final = {"P": "property", "L": "lexeme", "M": "mediainfo"}
# The members of a value that are strings.
_STRINGS: Final = ("id", "entity-type", "text", "language")
_Type = TypeVar("_Type")


class _AnySnak(msgspec.Struct, gc=False):
    snaktype: str
    datavalue: Any = None


class _AnyStatement(msgspec.Struct, gc=False):
    mainsnak: _AnySnak
    rank: Rank | None = None


class _AnyValue(msgspec.Struct, gc=False):
    value: Any


class _WrongError(ValueError):
    """A part of a line is not what it should be: the reason, and what was expected and seen."""


def mend_line(line: bytes, fields: Fields) -> bytes | LeftOutLine | UnreadableLine:
    """Read a line slowly and with care: return its item as JSON that ``EntityReader`` decodes, or why it has none.

    Left out are other types of entities and redirects. Unreadable, by reason: "not-json", "no-entity", "bad-id",
    "bad-type", "bad-lastrevid", "bad-labels", "bad-sitelinks", "bad-claims".
    """
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return UnreadableLine("not-json", f"{error}; the line has {len(line)} bytes and begins with {line[:SHOWN]!r}")
    try:
        entity = _checked(data, dict[str, Any], "no-entity")
        if entity.get("redirect") is not None:
            return LeftOutLine("redirect")
        if "id" not in entity:
            raise _WrongError("no-entity", "expected an object with an id, saw one without")
        identifier = entity["id"] if isinstance(entity["id"], str) else ""
        entity_type = _checked(entity.get("type", _TYPES.get(identifier[:1], "item")), str, "bad-type")
        if entity_type == "property" and (number := property_number(identifier)):
            labels: Mapping[str, str] = {}
            with contextlib.suppress(_WrongError):  # they are for people: where they cannot be read, there are none
                labels = _labels(entity, fields.label_codes)
            revision = entity.get("lastrevid")
            return PropertyLine("property", number, revision if isinstance(revision, int) else 0, labels)
        if entity_type != "item":
            return LeftOutLine(entity_type if entity_type in _TYPES.values() else "other-entity")
        return orjson.dumps(_mend_item(entity, fields))
    except _WrongError as error:
        return UnreadableLine(*error.args)


def _mend_item(entity: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """Return what is read of an item in the form that ``Line`` accepts; raises _WrongError if that cannot be mended."""
    if not isinstance(entity["id"], str) or not item_number(entity["id"]):
        raise _WrongError("bad-id", f"expected an item id such as Q28640, saw {reprlib.repr(entity['id'])}")
    revision = entity.get("lastrevid")
    revision = 0 if revision is None else _checked(revision, _Number, "bad-lastrevid")
    # The ids of all properties, with the statements of those that are asked for.
    claims = _map(entity, "claims")
    statements = {name: list[Any]() for name in claims}
    asked = [name for name in ("P31", "P279", *fields.properties) if name in claims]
    statements |= {name: _statements(claims[name], name, fields) for name in asked}
    sitelinks = {site: _checked(link, Sitelink, "bad-sitelinks") for site, link in _map(entity, "sitelinks").items()}
    # For relations, also the statements of other properties, where they can be read.
    for name in claims.keys() - set(asked) if fields.relations and sitelinks else ():
        with contextlib.suppress(_WrongError):
            statements[name] = _statements(claims[name], name, fields)
    # Aliases and descriptions, none where they cannot be read: they are not worth losing the item.
    aliases: dict[str, list[Label]] = {}
    with contextlib.suppress(_WrongError):
        aliases = _checked(_map(entity, "aliases"), dict[str, list[Label]], "bad-aliases")
    descriptions = Descriptions()
    with contextlib.suppress(_WrongError):
        descriptions = _checked(_map(entity, "descriptions"), Descriptions, "bad-descriptions")
    return {
        "type": "item",
        "id": entity["id"],
        "lastrevid": revision,
        "sitelinks": {site: {"title": link.title} for site, link in sitelinks.items()},
        "labels": {code: {"value": label} for code, label in _labels(entity, fields.label_codes).items()},
        "claims": statements,
        "aliases": msgspec.to_builtins(aliases),
        "descriptions": msgspec.to_builtins(descriptions),
    }


def _checked(value: Any, kind: type[_Type], reason: str) -> _Type:
    """Return a part of a line as a type; raises _WrongError."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _WrongError(reason, f"e{str(error)[1:]}, saw {reprlib.repr(value)[:SHOWN]}") from error


def _map(entity: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = entity.get(key)
    return {} if value is None or value == [] else _checked(value, dict[str, Any], f"bad-{key}")


def _labels(entity: Mapping[str, Any], codes: Sequence[str] | None) -> dict[str, str]:
    labels = _map(entity, "labels")
    wanted = [code for code in (sorted(labels) if codes is None else codes) if labels.get(code) is not None]
    return {code: _checked(labels[code], Label, "bad-labels").value for code in wanted}


def _statements(listed: Any, identifier: str, fields: Fields) -> list[Any]:
    """Return the statements of property ``identifier`` in the form that ``LineStatement`` accepts.

    All ranks and snaks are checked, but values only where the rank counts: those of deprecated statements, and with
    ranks "best" of normal ones beside a preferred one, may be anything, and are left out.
    """
    statements = [] if listed is None else _checked(listed, list[_AnyStatement], "bad-claims")
    has_preferred = any(statement.rank == "preferred" for statement in statements)
    # Of P31, normal ones beside a preferred one are read for the column ``other_instance_of``.
    only_preferred = fields.ranks == "best" and identifier != "P31" and has_preferred
    mended = []
    for statement in statements:
        rank, snak, data = statement.rank or "normal", statement.mainsnak, None
        counts = rank == "preferred" or (rank == "normal" and not only_preferred)
        if counts and snak.snaktype == "value" and snak.datavalue is not None:
            value = _checked(snak.datavalue, _AnyValue, "bad-claims").value
            if not isinstance(value, str):
                # Only the members of the right type: in dumps, a value of the type "bad" can be anything.
                members = value if isinstance(value, dict) else {}
                value = {name: members[name] for name in _STRINGS if isinstance(members.get(name), str)}
                number = members.get("numeric-id")
                if type(number) is int and 0 < number <= MAX_NUMBER:
                    value["numeric-id"] = number
            data = {"value": value}
        mended.append({"mainsnak": {"snaktype": snak.snaktype, "datavalue": data}, "rank": rank})
    return mended
