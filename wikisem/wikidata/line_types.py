"""What is decoded of a dump line, as types: everything else in it is passed over without becoming an object.

The layout is that of https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html (2026-09).
"""

from collections.abc import Sequence
from typing import Annotated, Any, cast

import msgspec

from wikisem.wikidata.item_values import MAX_NUMBER, Fields, Rank

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
    """What a statement says; unknown values and none have no datavalue."""

    snaktype: str
    datavalue: DataValue | None = None


class LineStatement(msgspec.Struct, gc=False):
    """A statement without its qualifiers and references."""

    mainsnak: Snak
    rank: Rank = "normal"


class Label(msgspec.Struct, gc=False):
    """A label in the language whose key it is under."""

    value: str


class Sitelink(msgspec.Struct, gc=False):
    """The page on the site whose key it is under."""

    title: str


# PHP writes an empty map as [].
_Nothing = Annotated[list[int], msgspec.Meta(max_length=0)]


class Line(msgspec.Struct, gc=False):
    """An entity; ``line_type`` says what its labels and claims are."""

    id: str
    type: str
    lastrevid: _Number = 0
    redirect: Any = None
    sitelinks: dict[str, Sitelink] | _Nothing = msgspec.field(default_factory=dict)
    labels: Any = None
    claims: Any = None


def claim_keys(fields: Fields) -> tuple[str, ...]:
    """The properties whose statements are members of a line's claims: those that were asked for come first."""
    return tuple(dict.fromkeys((*fields.properties, "P31", "P279")))


def line_type(fields: Fields) -> type[Line]:
    """The type of a whole line. Asking for certain languages spares the others from being made."""
    codes = fields.label_codes
    labels: Any = dict[str, Label] if codes is None else _struct("Labels", Label, codes)
    claims = _struct("Claims", list[LineStatement], claim_keys(fields))
    members = [("labels", labels | _Nothing, None), ("claims", claims | _Nothing, None)]
    return cast(type[Line], msgspec.defstruct("LineOf", members, bases=(Line,), gc=False))


def _struct(name: str, kind: Any, keys: Sequence[str]) -> Any:
    """A type with an optional member for each key, whatever the key looks like; the members keep the keys' order."""
    members = {f"member{number}": key for number, key in enumerate(keys)}
    return msgspec.defstruct(name, [(member, kind | None, None) for member in members], rename=members, gc=False)
