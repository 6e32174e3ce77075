"""The slow way to read a dump line, for lines that ``line_types`` refuses: it reads them, or says what is wrong."""

import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from wikisem.wikidata.item_values import (
    MAX_NUMBER,
    EntityRow,
    Fields,
    LeftOutLine,
    UnreadableLine,
    is_wikipedia,
    item_number,
    sorted_qids,
    target_number,
)

# By the first letter of an id, for entities that do not say their type.
_TYPES: Final = {"P": "property", "L": "lexeme", "M": "mediainfo"}
_SHOWN: Final = 200
# Of what is wrong, as much as fits a line: it may be nested deeper than ``repr`` goes.
_REPR: Final = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _SHOWN


class _WrongError(ValueError):
    """A part of a line that is not what it should be: the reason, and what was seen."""

    def __init__(self, reason: str, expected: str, seen: Any) -> None:
        super().__init__(reason, f"expected {expected}, saw {_REPR.repr(seen)[:_SHOWN]}")


def read_leniently(line: bytes, fields: Fields) -> EntityRow | LeftOutLine | UnreadableLine:
    """The item of a line, or why there is none, whatever the line holds.

    Left out: other types of entities, redirects. Unreadable, by reason: "not-json", "no-entity", "bad-id", "bad-type",
    "bad-lastrevid", "bad-labels", "bad-sitelinks", "bad-claims".
    """
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return UnreadableLine("not-json", f"{error}; the line has {len(line)} bytes and begins with {line[:_SHOWN]!r}")
    try:
        return _left_out(data) or _row(data, fields)
    except _WrongError as error:
        reason, detail = error.args
        return UnreadableLine(reason, detail)


def _left_out(data: Any) -> LeftOutLine | None:
    if not isinstance(data, dict):
        raise _WrongError("no-entity", "a JSON object", data)
    if data.get("redirect") is not None:
        return LeftOutLine("redirect")
    if "id" not in data:
        raise _WrongError("no-entity", "an object with an id", data)
    letter = data["id"][:1] if isinstance(data["id"], str) else ""
    kind = data.get("type", _TYPES.get(letter, "item"))
    if not isinstance(kind, str):
        raise _WrongError("bad-type", "a string as type", kind)
    return None if kind == "item" else LeftOutLine(kind if kind in _TYPES.values() else "other-entity")


def _row(data: Mapping[str, Any], fields: Fields) -> EntityRow:
    qid, revision = data["id"], data.get("lastrevid")
    if not isinstance(qid, str) or not item_number(qid):
        raise _WrongError("bad-id", "an item id such as Q28640", qid)
    if revision is not None and (type(revision) is not int or not 0 <= revision <= MAX_NUMBER):
        raise _WrongError("bad-lastrevid", "a revision number", revision)
    claims = _map(data, "claims")
    classes = {_number(value) for value in _values(claims, "P31", fields)}
    sound = {_number(value) for value in _values(claims, "P31", replace(fields, ranks="not-deprecated"))}
    sitelinks = {site: _member(link, "title", "bad-sitelinks") for site, link in _map(data, "sitelinks").items()}
    return (
        qid,
        sorted_qids(classes),
        sorted_qids(_number(value) for value in _values(claims, "P279", fields)),
        len(sitelinks),
        {site: title for site, title in sorted(sitelinks.items()) if is_wikipedia(site)},
        _labels(_map(data, "labels"), fields.label_codes),
        revision or 0,
        tuple(sorted(set(_statements(claims, fields)))),
        sorted_qids(sound - classes),
    )


def _map(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    if value is None or value == []:
        return {}
    if not isinstance(value, dict):
        raise _WrongError(f"bad-{key}", f"a map of {key}", value)
    return value


def _member(value: Any, key: str, reason: str) -> str:
    text = value.get(key) if isinstance(value, dict) else None
    if not isinstance(text, str):
        raise _WrongError(reason, f"an object with a string as {key}", value)
    return text


def _labels(labels: Mapping[str, Any], codes: Sequence[str] | None) -> dict[str, str]:
    wanted = sorted(labels) if codes is None else codes
    return {code: _member(labels[code], "value", "bad-labels") for code in wanted if labels.get(code) is not None}


def _values(claims: Mapping[str, Any], identifier: str, fields: Fields) -> Iterator[Any]:
    """The values of a property's statements of the wanted ranks; statements without a value have none."""
    statements = claims.get(identifier)
    if statements is None:
        return
    if not isinstance(statements, list):
        raise _WrongError("bad-claims", f"a list of statements for {identifier}", statements)
    ranked = [(_rank(statement), _snak(statement)) for statement in statements]
    best = fields.ranks == "best" and any(rank == "preferred" for rank, _ in ranked)
    for rank, snak in ranked:
        if rank == "preferred" or (rank == "normal" and not best):
            yield from _value(snak)


def _rank(statement: Any) -> str:
    rank = statement.get("rank") if isinstance(statement, dict) else statement
    if rank is None:
        return "normal"
    if rank not in ("preferred", "normal", "deprecated"):
        raise _WrongError("bad-claims", "a statement of rank preferred, normal or deprecated", statement)
    return str(rank)


def _snak(statement: Mapping[str, Any]) -> Mapping[str, Any]:
    snak = statement.get("mainsnak") if isinstance(statement, dict) else None
    if not isinstance(snak, dict) or not isinstance(snak.get("snaktype"), str):
        raise _WrongError("bad-claims", "a statement with a mainsnak and its snaktype", statement)
    return snak


def _value(snak: Mapping[str, Any]) -> Iterator[Any]:
    found = snak.get("datavalue")
    if snak["snaktype"] != "value" or found is None:
        return
    if not isinstance(found, dict) or "value" not in found:
        raise _WrongError("bad-claims", "a datavalue with a value", found)
    yield found["value"]


def _number(value: Any) -> int:
    """The number of the item that a value is, 0 if it is none; values of type "bad" can be anything."""
    if not isinstance(value, dict):
        return 0
    identifier, number = value.get("id"), value.get("numeric-id")
    if isinstance(identifier, str) and identifier:
        return target_number(identifier)
    is_item = value.get("entity-type") == "item" and type(number) is int and 0 < number <= MAX_NUMBER
    return number if is_item else 0  # type: ignore[return-value]


def _statements(claims: Mapping[str, Any], fields: Fields) -> Iterator[tuple[str, str, str]]:
    for identifier in fields.properties:
        for value in _values(claims, identifier, fields):
            number = _number(value)
            text, language = (f"Q{number}", "") if number else _text(value)
            if text:
                yield identifier, text, language


def _text(value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        return value, ""
    text, language = (value.get("text"), value.get("language")) if isinstance(value, dict) else ("", "")
    return (text, language if isinstance(language, str) else "") if isinstance(text, str) else ("", "")
