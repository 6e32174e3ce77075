"""Parquet tables as the public ones are, made of the entities of a dump one value after the other, as they are told.

The names of folders and columns are those of the cards of wikidata-claims, -labels, -links, -entities and -aliases
(2026-11), of the tables of 2026-05 before them ("copy"), and of the first ones ("by language"). Nothing of wikisem is
used here.
"""

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Entity = dict[str, Any]
Row = dict[str, Any]
# Where rows are cut into parts, and parts into row groups: numbers of rows.
Cut = Callable[[int], Sequence[int]]

_STRING = pa.string()
_DATAVALUE = pa.struct(
    [(name, _STRING) for name in ("id", "entity-type", "datavalue__string", "text", "language", "amount", "time")]
)
_SCHEMAS = {
    "claims": pa.schema(
        [(name, _STRING) for name in ("id", "snaktype", "property")]
        + [("datavalue", _DATAVALUE)]
        + [(name, _STRING) for name in ("datatype", "statement_id", "rank")]
    ),
    "labels": pa.schema([("id", _STRING), ("language", _STRING), ("value", _STRING)]),
    "links": pa.schema([("id", _STRING), ("site", _STRING), ("title", _STRING), ("badges", pa.list_(_STRING))]),
    "entities": pa.schema([("id", _STRING), ("type", _STRING), ("lastrevid", pa.int64())]),
    "aliases": pa.schema([("id", _STRING), ("language", _STRING), ("value", _STRING)]),
    "descriptions": pa.schema([("id", _STRING), ("language", _STRING), ("value", _STRING)]),
}
_OLDER = {
    "copy": {
        "claims": pa.schema([field for field in _SCHEMAS["claims"] if field.name not in ("snaktype", "statement_id")]),
        "links": pa.schema([field for field in _SCHEMAS["links"] if field.name != "badges"]),
    },
    "by language": {
        "claims": pa.schema(
            [
                (name, _STRING)
                for name in ("id", "property", "rank", "datatype", "datavalue", "mlt-language", "language")
            ]
        ),
        "links": pa.schema([field for field in _SCHEMAS["links"] if field.name != "badges"]),
    },
}


def read_dump(path: Path) -> list[Entity]:
    """The items and properties of a gzipped dump, of several with one id that of the highest revision."""
    found: dict[str, Entity] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            try:
                entity = json.loads(line.strip().rstrip(","))
            except ValueError:  # a bracket, or a line that a test has cut
                continue
            earlier = found.get(entity["id"])
            if "redirect" in entity or (earlier and entity.get("lastrevid", 0) <= earlier.get("lastrevid", 0)):
                continue
            if entity["type"] in ("item", "property"):
                found[entity["id"]] = entity
    return list(found.values())


def write_tables(
    entities: Iterable[Entity], folder: Path, layout: str = "release", cut: Cut = lambda rows: [rows]
) -> dict[str, int]:
    """Write the tables of some entities below a folder, and return how many rows each has."""
    rows: dict[str, dict[str, list[Row]]] = {name: {} for name in _SCHEMAS}
    for entity in sorted(entities, key=lambda entity: entity["id"]):
        _add(entity, rows, layout)
    if layout != "release":
        del rows["entities"]
    for name, keys in rows.items():
        schema = _OLDER.get(layout, {}).get(name, _SCHEMAS[name])
        for key, found in keys.items():
            below = {"links": "site"}.get(name, "language")
            key_folder = f"{below}={key}" if layout == "by language" else key
            _write_parts(folder / f"wikidata-{name}" / key_folder, found, schema, cut)
    return {name: sum(map(len, keys.values())) for name, keys in rows.items()}


def _add(entity: Entity, rows: dict[str, dict[str, list[Row]]], layout: str) -> None:
    identifier = entity["id"]
    about = {"id": identifier, "type": entity["type"], "lastrevid": entity.get("lastrevid")}
    rows["entities"].setdefault("all", []).append(about)
    for kind in ("labels", "descriptions"):
        for code, text in dict(entity.get(kind) or {}).items():
            rows[kind].setdefault(code, []).append({"id": identifier, "language": code, "value": text["value"]})
    for code, aliases in dict(entity.get("aliases") or {}).items():
        found = [{"id": identifier, "language": code, "value": alias["value"]} for alias in aliases]
        rows["aliases"].setdefault(code, []).extend(found)
    for site, link in dict(entity.get("sitelinks") or {}).items():
        row = {"id": identifier, "site": site, "title": link["title"], "badges": link.get("badges", [])}
        rows["links"].setdefault(site, []).append(row)
    for name, statements in dict(entity.get("claims") or {}).items():
        for number, statement in enumerate(statements):
            row = _claim(identifier, name, number, statement)
            if layout == "by language":
                # Once for each language in which the property has a label: here in two.
                for code in ("de", "en"):
                    rows["claims"].setdefault(code, []).append({**_flat(row), "language": code})
            else:
                rows["claims"].setdefault("all", []).append(row)


def _claim(identifier: str, name: str, number: int, statement: Row) -> Row:
    snak = statement["mainsnak"]
    value = snak["datavalue"]["value"] if snak.get("snaktype") == "value" and "datavalue" in snak else None
    if isinstance(value, str):
        value = {"datavalue__string": value}
    elif isinstance(value, dict) and "numeric-id" in value and "id" not in value:
        value = {**value, "id": "Q" + str(value["numeric-id"])}  # as dumps of before 2017 have it
    datavalue = None if value is None else {field.name: value.get(field.name) for field in _DATAVALUE}
    return {
        "id": identifier,
        "snaktype": snak["snaktype"],
        "property": name,
        "datavalue": datavalue,
        "datatype": snak.get("datatype"),
        "statement_id": statement.get("id", f"{identifier}${name}-{number}"),
        "rank": statement.get("rank", "normal"),
    }


def _flat(row: Row) -> Row:
    value = row["datavalue"] or {}
    names = ("id", "datavalue__string", "text", "amount", "time")
    found = next((value[name] for name in names if value.get(name) is not None), None)
    kept = {name: row[name] for name in ("id", "property", "rank", "datatype")}
    return {**kept, "datavalue": found, "mlt-language": value.get("language")}


def _write_parts(folder: Path, rows: Sequence[Row], schema: pa.Schema, cut: Cut) -> None:
    folder.mkdir(parents=True)
    parts, begin = cut(len(rows)), 0
    for number, size in enumerate(parts):
        part = rows[begin : begin + size]
        begin += size
        path = folder / f"part-{number:03}-of-{len(parts):03}.parquet"
        with pq.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as writer:
            at = 0
            for group in cut(len(part)):
                writer.write_table(pa.Table.from_pylist(part[at : at + group], schema=schema))
                at += group
    assert begin == len(rows)
