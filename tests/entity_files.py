"""Entity Parquet for tests, from Entity records or from a dump in its JSON layout, without the stage that makes it."""

import bz2
import gzip
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from wikisem.arrow.buckets import write_index
from wikisem.arrow.parquet import bucket_name, write_parquet
from wikisem.files import create_binary
from wikisem.layout import index_folder
from wikisem.records import Entity, Statement
from wikisem.schemas import ENTITIES


def write_entities(folder: Path, entities: Sequence[Entity], files: int = 1, buckets: int = 2) -> Path:
    """Write entities as that many Parquet files under the folder, which is returned, and an index of so many."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"part-{number:05d}.parquet" for number in range(files)]
    for number, name in enumerate(names):
        rows = [entity_row(entity) for entity in entities[number::files]]
        write_parquet(f"{folder}/{name}", pa.Table.from_pylist(rows, schema=ENTITIES))
    numbers = [np.array([int(one.qid[1:]) for one in entities[number::files]], np.int64) for number in range(files)]
    for bucket in range(buckets):
        with create_binary(f"{index_folder(str(folder))}/{bucket_name(bucket, buckets)}") as sink:
            write_index(sink, names, [[each[each % buckets == bucket]] for each in numbers])
    return folder


def entity_row(entity: Entity) -> dict[str, Any]:
    """The row of ENTITIES that an entity is."""
    statements = sorted((one.property, one.value, one.language) for one in entity.statements)
    return {
        "qid": entity.qid,
        "instance_of": list(entity.instance_of),
        "subclass_of": list(entity.subclass_of),
        "sitelinks": entity.sitelinks,
        "titles": sorted(entity.titles.items()),
        "labels": sorted(entity.labels.items()),
        "lastrevid": entity.lastrevid,
        "statements": [{"property": p, "value": value, "language": language} for p, value, language in statements],
        "other_instance_of": list(entity.other_instance_of),
        "properties": list(entity.properties),
        "relations": [{"property": name, "item": item} for name, item in entity.relations],
        "aliases": [(code, list(found)) for code, found in sorted(entity.aliases.items())],
        "description": entity.description,
    }


@cache
def dump_entities(path: Path, properties: tuple[str, ...] = ()) -> tuple[Entity, ...]:
    """The items of a small dump file (.gz or .bz2), best-rank statements only, each id once, in order of number."""
    opener = gzip.open if path.suffix == ".gz" else bz2.open
    wanted = frozenset(properties)
    with opener(path, "rt", encoding="utf-8") as lines:
        texts = [line.strip().rstrip(",") for line in lines]
    records = [orjson.loads(text) for text in texts if text.startswith("{")]
    items = {record["id"]: _entity(record, wanted) for record in records if record["id"].startswith("Q")}
    return tuple(sorted(items.values(), key=lambda entity: int(entity.qid[1:])))


def _entity(record: dict[str, Any], properties: frozenset[str]) -> Entity:
    claims = record.get("claims") or {}
    links = record.get("sitelinks") or {}
    return Entity(
        qid=record["id"],
        instance_of=tuple(one.value for one in _best(claims, "P31")),
        subclass_of=tuple(one.value for one in _best(claims, "P279")),
        sitelinks=len(links),
        titles={wiki: link["title"] for wiki, link in links.items() if wiki.endswith("wiki")},
        labels={code: label["value"] for code, label in (record.get("labels") or {}).items()},
        lastrevid=record.get("lastrevid", 0),
        statements=tuple(one for name in sorted(claims) if name in properties for one in _best(claims, name)),
        other_instance_of=_others(claims, "P31"),
        properties=tuple(sorted(int(key[1:]) for key in claims if links and key not in ("P31", "P279"))),
        relations=tuple(sorted({pair for key in claims if links for pair in _relations(claims, key)})),
        aliases=_aliases(record) if links else {},
        description=((record.get("descriptions") or {}).get("en") or {}).get("value"),
    )


def _aliases(record: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    aliases: dict[str, list[dict[str, str]]] = record.get("aliases") or {}
    return {code: tuple(sorted({one["value"] for one in found})) for code, found in aliases.items() if found}


def _relations(claims: dict[str, Any], name: str) -> set[tuple[int, int]]:
    found = [snak["datavalue"]["value"] for snak in _best_snaks(claims, name) if name not in ("P31", "P279")]
    items = [value for value in found if isinstance(value, dict) and value.get("entity-type") == "item"]
    return {(int(name[1:]), value["numeric-id"]) for value in items}


def _best(claims: dict[str, Any], name: str) -> list[Statement]:
    values = [_value(name, snak) for snak in _best_snaks(claims, name)]
    return list(dict.fromkeys(value for value in values if value is not None))


def _best_snaks(claims: dict[str, Any], name: str) -> list[dict[str, Any]]:
    statements = claims.get(name) or []
    ranks = {one.get("rank", "normal") for one in statements}
    best = "preferred" if "preferred" in ranks else "normal"
    kept = [one["mainsnak"] for one in statements if one.get("rank", "normal") == best]
    return [snak for snak in kept if snak.get("snaktype") == "value"]


def _others(claims: dict[str, Any], name: str) -> tuple[str, ...]:
    """The values at sound ranks that are not among the best."""
    sound = [one for one in claims.get(name) or [] if one.get("rank", "normal") != "deprecated"]
    values = [_value(name, one["mainsnak"]) for one in sound if one["mainsnak"].get("snaktype") == "value"]
    found = {value.value for value in values if value is not None}
    return tuple(sorted(found - {one.value for one in _best(claims, name)}, key=lambda qid: int(qid[1:])))


def _value(name: str, snak: dict[str, Any]) -> Statement | None:
    value = snak["datavalue"]["value"]
    if isinstance(value, str):
        return Statement(name, value)
    if "text" in value:
        return Statement(name, value["text"], value["language"])
    if value.get("entity-type", "item") != "item":
        return None
    if "id" in value or "numeric-id" in value:
        return Statement(name, value.get("id") or f"Q{value['numeric-id']}")
    return None
