"""The sample world that the demo builds: its facts, and dumps, the same bytes every time, each with a broken record.

``items.tsv`` and ``classes.tsv`` hold facts of Wikidata (CC0): QIDs, labels, page titles, P31 and P279, as dumps up to
2021 gave them; Japanese names of some, rivers, months, weekdays and U.S. states were added by hand in 2026-11.
``sitelinks`` is the size of an item's whole map there, and "-" where it is not known: such an item has the pages of the
sample alone. A name reads ``surface; other form = Page title``; without a title the page is called like the surface,
first letter upper case; "-" means no page in that language. A class row holds P279 alone, with all chains up to Q35120;
a few P31 targets have no row, as in any slice of a dump. ``text/*.toml`` holds the sentences, written for wikisem.
"""

import bz2
import csv
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from wikisem.files import write_files
from wikisem.ids import qid_number
from wikisem.pipeline.download import add_to_record
from wikisem.pipeline.runs.inputs import find_dump
from wikisem.pipeline.runs.ledger import MADE_UP
from wikisem.pipeline.runs.stages import BuildOptions
from wikisem.recipes.load import load_recipe
from wikisem.records import Page
from wikisem.typed_json import packaged_tables
from wikisem.wikipedia.languages import CANONICAL

LANGUAGES: Final = ("en", "es", "de", "ja", "zh", "ar")


class SampleDumps(NamedTuple):
    """Paths of the dumps of the sample world: Wikidata, and one Wikipedia for each language."""

    wikidata: str
    wikipedia: Mapping[str, str]


def demo_options(folder: str) -> BuildOptions:
    """The options of a build of the sample world, whose dumps are written into a folder that exists."""
    files = write_sample_world(folder)
    # Checksums, because the dumps are written again each time: a second demo into the same folder finds all finished.
    wikipedia = {language: find_dump([path], checksum=True) for language, path in sorted(files.wikipedia.items())}
    wikidata = find_dump([files.wikidata], checksum=True)
    return BuildOptions(load_recipe("demo"), sorted(wikipedia), wikidata, wikipedia, properties=())


def write_sample_world(folder: str) -> SampleDumps:
    """Write ``wikidata.json.gz`` and ``<language>wiki-2026-11-01-p1p999.xml.bz2`` into a folder that exists."""
    root, items, wikidata = Path(folder), read_items(), "wikidata.json.gz"
    wikipedia = {language: f"{language}wiki-2026-11-01-p1p999.xml.bz2" for language in LANGUAGES}
    write_files(root, [(wikidata, wikidata_dump(list(entity_lines(items, read_classes()))))])
    write_files(root, ((name, wikipedia_dump(language, items)) for language, name in wikipedia.items()))
    # By this record what is built from these dumps, by any command, is known to be made up.
    sizes = {name: (root / name).stat().st_size for name in (wikidata, *wikipedia.values())}
    add_to_record(root, {name: {MADE_UP: "by wikisem demo", "size": size} for name, size in sizes.items()})
    return SampleDumps(str(root / wikidata), {language: str(root / name) for language, name in wikipedia.items()})


class Name(NamedTuple):
    """What an item is called in a language: the words of its links, its page, and an inflected or other form or ""."""

    surface: str
    title: str
    form: str = ""


class Item(NamedTuple):
    """An item with pages; ``sitelinks`` is its true count if known, ``kind`` chooses the sentences about it."""

    qid: str
    kind: str
    instance_of: tuple[str, ...]
    subclass_of: tuple[str, ...]
    sitelinks: int | None
    names: Mapping[str, Name]


class ClassItem(NamedTuple):
    """A class without pages, with its labels by language."""

    qid: str
    subclass_of: tuple[str, ...]
    labels: Mapping[str, str]


def read_items() -> tuple[Item, ...]:
    """Every item of the world, by kind, then QID; in ``items.tsv``, "-" says that there is no value."""
    items = []
    for row in _rows("items.tsv"):
        instance_of, subclass_of = (tuple(row[column].strip("-").split()) for column in ("instance_of", "subclass_of"))
        sitelinks = int(row["sitelinks"]) if row["sitelinks"] != "-" else None
        names = {}
        for language in LANGUAGES:
            if row[language] != "-":
                words, _, title = row[language].partition(" = ")  # "Deutsch; Deutschen = Deutsche Sprache"
                surface, _, form = words.partition("; ")
                names[language] = Name(surface, title or surface[:1].upper() + surface[1:], form)
        items.append(Item(row["qid"], row["kind"], instance_of, subclass_of, sitelinks, names))
    return tuple(items)


def read_classes() -> tuple[ClassItem, ...]:
    """Every class of the world that is not an item itself, by QID."""
    classes = []
    for row in _rows("classes.tsv"):
        labels = {language: row[language] for language in LANGUAGES if row[language] != "-"}
        classes.append(ClassItem(row["qid"], tuple(row["subclass_of"].strip("-").split()), labels))
    return tuple(classes)


def _rows(name: str) -> list[dict[str, str]]:
    text = (resources.files(__package__) / name).read_text(encoding="utf-8")
    # Rows may end early: what they leave out is not given either.
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE, restval="-"))


_LINES_PER_MEMBER: Final = 100
_json_line: Final = partial(json.dumps, ensure_ascii=True, separators=(",", ":"))
_quoted: Final = partial(escape, entities={'"': "&quot;"})


def wikidata_dump(lines: Sequence[str]) -> bytes:
    """Lines as in ``latest-all.json.gz``: gzip members of whole lines; "[", "," and "]" are members too."""
    listed, members = _with_broken(lines), ["[\n"]
    for start in range(0, len(listed), _LINES_PER_MEMBER):
        chunk = ",\n".join(listed[start : start + _LINES_PER_MEMBER]) + "\n"
        members += [",\n", chunk] if start else [chunk]
    return b"".join(gzip.compress(text.encode(), mtime=0) for text in [*members, "]\n"])


def _with_broken(records: Sequence[str], end: str = "") -> list[str]:
    """Records with one more in the middle: the first two thirds of that which follows, and ``end``."""
    middle = len(records) // 2
    return [*records[:middle], records[middle][: len(records[middle]) * 2 // 3] + end, *records[middle:]]


def entity_lines(items: Sequence[Item], classes: Sequence[ClassItem]) -> Iterator[str]:
    """One JSON line for each item and class, by QID; as in real dumps, there is a property and an old revision, too."""
    yield _json_line({"type": "property", "datatype": "wikibase-item", "id": "P31", "labels": {}, "claims": {}})
    rows = []
    for item in items:
        labels = {language: name.surface for language, name in item.names.items()}
        sites = {f"{language}wiki": name.title for language, name in item.names.items()}
        # Made-up sitelinks in place of those outside the sample, so that an item's map is as large as it really is.
        for number in range(1, (item.sitelinks or 0) - len(sites) + 1):
            sites[f"sample{number}wikiquote"] = item.names["en"].title
        rows.append(_entity(item.qid, labels, item.instance_of, item.subclass_of, sites))
    # An older revision of the first item, which readers have to leave out.
    yield _json_line({**rows[0], "labels": [], "sitelinks": [], "lastrevid": 1})
    rows += [_entity(row.qid, row.labels, (), row.subclass_of, {}) for row in classes]
    yield from map(_json_line, sorted(rows, key=lambda row: qid_number(row["id"])))


def _entity(
    qid: str, labels: Mapping[str, str], p31: Sequence[str], p279: Sequence[str], sites: Mapping[str, str]
) -> dict[str, Any]:
    """An entity as in a JSON dump: a statement for each class (P31) and superclass (P279), and pages by site."""
    claims: dict[str, list[dict[str, Any]]] = {}
    for name, targets in (("P31", p31), ("P279", p279)):
        for number, target in enumerate(targets):
            value = {"entity-type": "item", "numeric-id": qid_number(target), "id": target}
            datavalue = {"value": value, "type": "wikibase-entityid"}
            snak = {"snaktype": "value", "property": name, "datavalue": datavalue, "datatype": "wikibase-item"}
            statement = {"mainsnak": snak, "type": "statement", "id": f"{qid}${name}-{number}", "rank": "normal"}
            claims.setdefault(name, []).append(statement)
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


_PARTS: Final = packaged_tables(__package__, "dump.toml")


def wikipedia_dump(language: str, items: Sequence[Item]) -> bytes:
    """The content export of one edition, in one shard, with a page in its middle that is cut off."""
    words = packaged_tables(__package__, f"text/{language}.toml")
    namespaces = "".join(
        f'      <namespace key="{key}" case="first-letter"' + (f">{name}</namespace>\n" if name else " />\n")
        for key, name in enumerate(words["namespaces"], start=-2)
    )
    head = _PARTS["head"].format(language=language, sitename=words["sitename"], namespaces=namespaces)
    written = write_pages(language, words, [item for item in items if language in item.names])
    pages = [page_xml(page, number) for number, page in enumerate(written, start=1)]
    # The broken text ends in mid-sentence, its tags are not closed, and the next page follows.
    return bz2.compress("".join(_with_broken([head, *pages, "</mediawiki>\n"], "\n  </page>\n")).encode())


def page_xml(page: Page, number: int) -> str:
    """One page element; ids follow from its number, and every revision has the same date."""
    data = page.text.encode()
    # As MediaWiki writes it: 31 digits of base 36.
    digest = int.from_bytes(hashlib.sha1(data, usedforsecurity=False).digest(), "big")
    sha1 = np.base_repr(digest, 36).lower().rjust(31, "0")
    about = {"title": _quoted(page.title), "namespace": page.namespace, "number": number, "revision": 1000 + number}
    redirect = f'    <redirect title="{_quoted(page.redirect)}" />\n' if page.redirect else ""
    text = {"text": _quoted(page.text), "bytes": len(data), "sha1": sha1}
    return str(_PARTS["page"].format(**about, redirect=redirect, **text))


def write_pages(language: str, words: Mapping[str, Any], items: Sequence[Item]) -> Iterator[Page]:
    """The article of each item in a language, then its redirect if it has one, and now and then a page of another kind.

    Sentences come from ``words``, text/<language>.toml. Their {a} to {e} become links to five other items: the next
    three of the item's kind, and two further on in the list. So every page is linked about as often.
    """
    namespaces = dict(enumerate(words["namespaces"], start=-2))
    for place, item in enumerate(items):
        # The items to link (17 and 41 are any two distances), and their names in the language.
        peers = [peer for peer in items if peer.kind == item.kind]
        next_peers = [peers[(peers.index(item) + step) % len(peers)] for step in (1, 2, 3)]
        peer = next_peers[0]
        further_on = [items[(place + step) % len(items)] for step in (17, 41)]
        name, *linked = (other.names[language] for other in (item, *next_peers, *further_on))
        title, last = linked[1].title, linked[4]
        # Four plain links, and one in a rarer shape of real articles: to a section, in italics, or with underscores.
        rare = (
            f"[[{last.title}#{place}|{last.surface}]]",
            f"[[{last.title}|''{last.surface}'']]",
            f"[[{last.title.replace(' ', '_')}|{last.surface}]]",
            _link(last),
        )
        links = dict(zip("abcd", map(_link, linked), strict=False), e=rare[place % len(rare)])
        # Links where real articles have them, in a template, a note, a caption; in comments and nowiki none counts.
        lines = [
            f"{{{{{words['infobox']}|1={links['c']}}}}}",
            words["lead"].format(self=name.surface, kind=words["kinds"][item.kind])
            + f"<ref>{words['note'].format(a=f'[[{title}]]')}</ref>",
            f"[[{namespaces[CANONICAL['File']]}:{item.qid}.svg|{words['thumb']}|{words['caption'].format(**links)}]]",
            words["list"].format(**links),
            *_form_sentence(words["form"].get(peer.kind), peer.names[language], items.index(peer)),
            f"<!-- [[{title}|{item.qid}]] --><nowiki>[[{title}|{item.qid}]]</nowiki>",
            f"== {words['heading']} ==",
            words["more"].format(**links),
            f"[[{namespaces[CANONICAL['Category']]}:{words['kinds'][item.kind]}]]",
        ]
        yield Page(name.title, 0, "\n".join(lines))
        if name.form and place % 3 == 0:  # other forms than every third are piped, or carry a link trail
            title = name.form[:1].upper() + name.form[1:]
            yield Page(title, 0, f"#{words['redirect']} [[{name.title}]]", redirect=name.title)
        if place % 60 == 20:  # for one item of sixty, a talk page and a template
            question = words["talk"].format(a=_link(linked[0]))
            yield Page(f"{namespaces[1]}:{name.title}", 1, question)  # 1 is the namespace of talk about articles
            template = f"<includeonly>{_link(name)}</includeonly>"
            yield Page(f"{namespaces[CANONICAL['Template']]}:{name.title}", CANONICAL["Template"], template)


def _link(name: Name) -> str:
    plain = name.surface[:1].upper() + name.surface[1:] == name.title
    return f"[[{name.surface}]]" if plain else f"[[{name.title}|{name.surface}]]"


def _form_sentence(sentence: str | None, name: Name, place: int) -> list[str]:
    """A sentence that links the other form of a name, such as a plural; the ``place`` of its item decides how."""
    if not name.form or sentence is None:
        return []
    if place % 3 == 0:
        link = f"[[{name.form}]]"  # ``write_pages`` makes a redirect page with the form as its title
    elif name.form.startswith(name.surface) and name.form.isascii() and place % 3 == 1:
        link = _link(name) + name.form[len(name.surface) :]  # the ending comes after the link: a link trail
    else:
        link = f"[[{name.title}|{name.form}]]"
    return [sentence.format(f=link)]
