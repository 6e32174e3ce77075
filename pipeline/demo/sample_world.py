"""Writes the sample world as dump files, the same bytes every time, with one broken record in the middle of each."""

import bz2
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

from wikisem.atomic_files import write_files
from wikisem.ids import qid_number
from wikisem.pipeline.demo.articles import Edition, open_edition, write_pages
from wikisem.pipeline.demo.facts import LANGUAGES, ClassItem, Item, read_classes, read_items
from wikisem.records import Page

_LINES_PER_MEMBER: Final = 100
_SCHEMA: Final = "http://www.mediawiki.org/xml/export-0.11/"
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class SampleDumps:
    """Paths of the dumps of the sample world: Wikidata, and one Wikipedia for each language."""

    wikidata: str
    wikipedia: Mapping[str, str]


def write_sample_world(folder: str) -> SampleDumps:
    """Write ``wikidata.json.gz`` and ``<language>wiki-2026-11-01-p1p999.xml.bz2`` into a folder that exists."""
    items = read_items()
    wikidata = "wikidata.json.gz"
    wikipedia = {language: f"{language}wiki-2026-11-01-p1p999.xml.bz2" for language in LANGUAGES}
    write_files(Path(folder), [(wikidata, wikidata_dump(list(entity_lines(items, read_classes()))))])
    write_files(Path(folder), ((name, wikipedia_dump(language, items)) for language, name in wikipedia.items()))
    paths = {language: str(Path(folder) / name) for language, name in wikipedia.items()}
    return SampleDumps(str(Path(folder) / wikidata), paths)


def wikidata_dump(lines: Sequence[str]) -> bytes:
    """Lines as in ``latest-all.json.gz``: gzip members of whole lines; "[", "," and "]" are members too."""
    broken = _with_broken(lines, _cut(lines[len(lines) // 2]))
    chunks = [broken[at : at + _LINES_PER_MEMBER] for at in range(0, len(broken), _LINES_PER_MEMBER)]
    body = _member(",\n").join(_member(",\n".join(chunk) + "\n") for chunk in chunks)
    return _member("[\n") + body + _member("]\n")


def wikipedia_dump(language: str, items: Sequence[Item]) -> bytes:
    """The content export of one edition, in one shard."""
    edition = open_edition(language, items)
    pieces = list(export_xml(edition, write_pages(edition)))
    page = pieces[len(pieces) // 2]
    # The text ends in mid-sentence, its tags are not closed, and the next page follows.
    return bz2.compress("".join(_with_broken(pieces, _cut(page) + "\n  </page>\n")).encode())


def _with_broken(records: Sequence[str], broken: str) -> list[str]:
    middle = len(records) // 2
    return [*records[:middle], broken, *records[middle:]]


def _cut(record: str) -> str:
    return record[: len(record) * 2 // 3]


def _member(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def entity_lines(items: Sequence[Item], classes: Sequence[ClassItem]) -> Iterator[str]:
    """One JSON line for each entity, by QID, with what real dumps have between items: a property, an older revision."""
    yield _json_line({"type": "property", "datatype": "wikibase-item", "id": "P31", "labels": {}, "claims": {}})
    yield _json_line({**_item_json(items[0]), "labels": [], "sitelinks": [], "lastrevid": 1})
    rows = [*map(_item_json, items), *map(_class_json, classes)]
    yield from map(_json_line, sorted(rows, key=lambda row: qid_number(row["id"])))


def _item_json(item: Item) -> dict[str, Any]:
    labels = {language: name.surface for language, name in item.names.items()}
    titles = {f"{language}wiki": name.title for language, name in item.names.items()}
    return _entity(item.qid, labels, item.instance_of, item.subclass_of, titles | _other_sites(item, len(titles)))


def _class_json(row: ClassItem) -> dict[str, Any]:
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


def _json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def export_xml(edition: Edition, pages: Iterable[Page]) -> Iterator[str]:
    """The head, each page and the end of an edition's dump, laid out as the Content File Exports are (schema 0.11)."""
    yield _xml_head(edition)
    yield from (page_xml(page, number) for number, page in enumerate(pages, start=1))
    yield "</mediawiki>\n"


def _xml_head(edition: Edition) -> str:
    spaces = "".join(
        f'      <namespace key="{key}" case="first-letter"' + (f">{name}</namespace>\n" if name else " />\n")
        for key, name in enumerate(edition.words["namespaces"], start=-2)
    )
    language = edition.language
    return (
        f'<mediawiki xmlns="{_SCHEMA}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:schemaLocation="{_SCHEMA} http://www.mediawiki.org/xml/export-0.11.xsd" version="0.11" '
        f'xml:lang="{language}">\n'
        f"  <siteinfo>\n    <sitename>{edition.words['sitename']}</sitename>\n    <dbname>{language}wiki</dbname>\n"
        f"    <base>https://{language}.wikipedia.org/wiki/</base>\n"
        "    <generator>MediaWiki Content File Export sample</generator>\n"
        f"    <case>first-letter</case>\n    <namespaces>\n{spaces}    </namespaces>\n  </siteinfo>\n"
    )


def page_xml(page: Page, number: int) -> str:
    """One page element; ids follow from its number, and every revision has the same date."""
    redirect = f'    <redirect title="{_quoted(page.redirect)}" />\n' if page.redirect else ""
    data = page.text.encode()
    return (
        f"  <page>\n    <title>{_quoted(page.title)}</title>\n    <ns>{page.namespace}</ns>\n    <id>{number}</id>\n"
        f"{redirect}    <revision>\n      <id>{1000 + number}</id>\n      <timestamp>2026-01-01T00:00:00Z</timestamp>\n"
        "      <contributor>\n        <username>Sample</username>\n        <id>1</id>\n      </contributor>\n"
        f"      <origin>{1000 + number}</origin>\n      <model>wikitext</model>\n      <format>text/x-wiki</format>\n"
        f'      <text bytes="{len(data)}" sha1="{_sha1(data)}" xml:space="preserve">{_quoted(page.text)}</text>\n'
        f"      <sha1>{_sha1(data)}</sha1>\n    </revision>\n  </page>\n"
    )


def _quoted(text: str) -> str:
    return escape(text, {'"': "&quot;"})


def _sha1(data: bytes) -> str:
    """The SHA-1 of a string as MediaWiki writes it: 31 digits of base 36."""
    number, digits = int.from_bytes(hashlib.sha1(data, usedforsecurity=False).digest(), "big"), ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits.rjust(31, "0")
