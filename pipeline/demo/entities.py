"""Items and classes into the lines of a Wikidata JSON dump."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wikisem.ids import qid_number
from wikisem.pipeline.demo.facts import ClassItem, Item


def entity_lines(items: Sequence[Item], classes: Sequence[ClassItem]) -> Iterator[str]:
    """One JSON text for each entity, by QID, with what real dumps hold between items: a property, an older revision."""
    yield _dump({"type": "property", "datatype": "wikibase-item", "id": "P31", "labels": {}, "claims": {}})
    yield _dump({**_item(items[0]), "labels": [], "sitelinks": [], "lastrevid": 1})
    rows = [*map(_item, items), *map(_class, classes)]
    yield from map(_dump, sorted(rows, key=lambda row: qid_number(row["id"])))


def _item(item: Item) -> dict[str, Any]:
    labels = {language: name.surface for language, name in item.names.items()}
    titles = {f"{language}wiki": name.title for language, name in item.names.items()}
    return _entity(item.qid, labels, item.instance_of, item.subclass_of, titles | _other_sites(item, len(titles)))


def _class(row: ClassItem) -> dict[str, Any]:
    return _entity(row.qid, row.labels, (), row.subclass_of, {})


def _other_sites(item: Item, listed: int) -> dict[str, str]:
    """Sitelinks in place of those beyond the sample, so that an item's map is as large as it really is."""
    more = (item.sitelinks or 0) - listed
    return {f"sample{number}wikiquote": item.names["en"].title for number in range(1, more + 1)}


def _entity(
    qid: str, labels: Mapping[str, str], p31: Sequence[str], p279: Sequence[str], sites: Mapping[str, str]
) -> dict[str, Any]:
    claims = {
        name: [_statement(qid, name, value, place=number) for number, value in enumerate(values)]
        for name, values in (("P31", p31), ("P279", p279))
        if values
    }
    return {
        "type": "item",
        "id": qid,
        "labels": {language: {"language": language, "value": text} for language, text in labels.items()},
        # Empty maps are lists in real dumps, as PHP writes them.
        "descriptions": [],
        "aliases": [],
        "claims": claims or [],
        "sitelinks": {site: {"site": site, "title": title, "badges": []} for site, title in sites.items()} or [],
        "lastrevid": 1000 + qid_number(qid),
    }


def _statement(qid: str, name: str, value: str, place: int) -> dict[str, Any]:
    target = {"entity-type": "item", "numeric-id": qid_number(value), "id": value}
    return {
        "mainsnak": {
            "snaktype": "value",
            "property": name,
            "datavalue": {"value": target, "type": "wikibase-entityid"},
            "datatype": "wikibase-item",
        },
        "type": "statement",
        "id": f"{qid}${name}-{place}",
        "rank": "normal",
    }


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
