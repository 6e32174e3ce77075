"""The sample world: its facts are consistent, its dumps look real, and what links say is what the facts say."""

import bz2
import gzip
import json
import re
import zlib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import mwparserfromhell
import networkx as nx
import pytest
from lxml import etree

from wikisem.ids import is_qid
from wikisem.pipeline.demo import (
    LANGUAGES,
    ClassItem,
    Item,
    Name,
    entity_lines,
    page_xml,
    read_classes,
    read_items,
    wikidata_dump,
    wikipedia_dump,
    write_sample_world,
)

# P31 targets of which the world holds no row: classes that the dumps at hand did not hold either.
WITHOUT_ROW = {"Q634", "Q41825", "Q220635", "Q476028", "Q3504248", "Q15056993", "Q47018901"}
XML = "{http://www.mediawiki.org/xml/export-0.11/}"

ITEMS = read_items()
CLASSES = read_classes()
ROWS: tuple[Item | ClassItem, ...] = (*ITEMS, *CLASSES)
BY_QID = {item.qid: item for item in ITEMS}

each_language = pytest.mark.parametrize("language", LANGUAGES)


@cache
def dump(language: str) -> str:
    """The decoded dump file of a language."""
    return bz2.decompress(wikipedia_dump(language, ITEMS)).decode()


@cache
def pages(language: str) -> tuple[Any, ...]:
    """The page elements of a dump whose broken page was cut out by its odd end."""
    whole = re.sub(r"  <page>(?:(?!</revision>).)*?  </page>\n", "", dump(language), flags=re.DOTALL)
    return tuple(etree.fromstring(whole.encode()).iter(f"{XML}page"))


def graph() -> Any:
    """Every P279 edge of the world, from subclass to superclass."""
    edges = [(row.qid, above) for row in ROWS for above in row.subclass_of if above != row.qid]
    above = nx.DiGraph(edges)
    above.add_nodes_from(row.qid for row in ROWS)
    return above


@pytest.mark.parametrize(
    ("qid", "language", "name"),
    [
        ("Q31", "en", Name("Belgium", "Belgium")),
        ("Q33999", "en", Name("actor", "Actor", "actors")),
        ("Q313", "de", Name("Venus", "Venus (Planet)")),
        ("Q188", "de", Name("Deutsch", "Deutsche Sprache", "Deutschen")),
    ],
)
def test_cells_spell_names(qid: str, language: str, name: Name) -> None:
    """A cell gives the surface, the page's title (by default the surface) and an other form if there is one."""
    assert BY_QID[qid].names[language] == name


def test_ids_are_unique_and_lead_somewhere() -> None:
    """Every QID is there once, and every P31 and P279 target has a row or is one of the few known to lack it."""
    rows = [row.qid for row in ROWS]
    targets = {q for row in ROWS for q in row.subclass_of} | {q for i in ITEMS for q in i.instance_of}
    assert len(rows) == len(set(rows)) == 992
    assert all(map(is_qid, rows))
    assert targets - set(rows) == WITHOUT_ROW


def test_every_class_reaches_the_root() -> None:
    """Superclass chains are whole: from every class but the few that real chains leave hanging, up to Q35120."""
    above = graph()
    hanging = {row.qid for row in CLASSES if not nx.has_path(above, row.qid, "Q35120")}
    assert len(hanging) < len(CLASSES) // 20


@each_language
def test_titles_are_unique_and_facts_complete(language: str) -> None:
    """A wiki holds a title once, redirects included, and at least 270 of the 280 items have a page in it."""
    titles = [page.findtext(f"{XML}title") for page in pages(language)]
    assert len(titles) == len(set(titles))
    assert sum(language in item.names for item in ITEMS) >= 270
    assert {item.names[language].title for item in ITEMS if language in item.names} <= set(titles)


@each_language
def test_siteinfo_holds_local_namespaces(language: str) -> None:
    """The head of a dump names the wiki and 18 namespaces, and pages of other namespaces carry their names."""
    names = dict(re.findall(r'<namespace key="(-?\d+)" case="first-letter">([^<]+)<', dump(language)))
    assert f"<dbname>{language}wiki</dbname>" in dump(language)
    assert len(names) == 17  # the main namespace has no name
    for page in pages(language):
        space, title = page.findtext(f"{XML}ns"), page.findtext(f"{XML}title")
        assert space == "0" or title.startswith(f"{names[space]}:")


@each_language
def test_one_page_is_broken_and_stands_in_the_middle(language: str) -> None:
    """One page ends inside its text: a strict parser of the whole refuses it, and whole pages are on both sides."""
    texts = re.findall(r"  <page>\n.*?  </page>\n", dump(language), flags=re.DOTALL)
    broken = [place for place, text in enumerate(texts) if "</revision>" not in text]
    assert len(broken) == 1
    assert abs(broken[0] - len(texts) // 2) <= 1
    with pytest.raises(etree.XMLSyntaxError):
        etree.fromstring(dump(language).encode())


@each_language
def test_most_links_to_a_page_carry_the_surface(language: str) -> None:
    """Counted by a parser of its own, the surface of every item is the one most frequent anchor of its page."""
    anchors = count_anchors(language)
    for item in ITEMS:
        if language in item.names:
            name = item.names[language]
            (first, most), *rest = anchors[name.title].most_common(2)
            assert first == name.surface
            assert most > sum(count for _, count in rest), item.qid


@each_language
def test_links_vary(language: str) -> None:
    """Some pages are linked under several anchors, some through a redirect, some to a section, some in italics."""
    assert sum(len(anchors) > 1 for anchors in count_anchors(language).values()) >= 10
    assert any(page.find(f"{XML}redirect") is not None for page in pages(language))
    assert re.search(r"\[\[[^]|]+#\d+\|", dump(language))
    assert re.search(r"\[\[[^]|]+\|''", dump(language))


@cache
def count_anchors(language: str) -> dict[str, Counter[str]]:
    """Anchors by title, redirects followed, read with mwparserfromhell from the articles of a dump."""
    articles = [page for page in pages(language) if page.findtext(f"{XML}ns") == "0"]
    redirects = {
        page.findtext(f"{XML}title"): page.find(f"{XML}redirect").get("title")
        for page in articles
        if page.find(f"{XML}redirect") is not None
    }
    found: dict[str, Counter[str]] = {}
    for page in articles:
        if page.find(f"{XML}redirect") is None:
            for link in mwparserfromhell.parse(page.findtext(f"{XML}revision/{XML}text")).filter_wikilinks():
                title = str(link.title).split("#")[0].replace("_", " ")
                title = title[:1].upper() + title[1:]
                anchor = mwparserfromhell.parse(link.text or link.title).strip_code()
                found.setdefault(redirects.get(title, title), Counter())[anchor] += 1
    return found


def test_wikidata_is_a_chain_of_members_with_one_broken_line() -> None:
    """Each gzip member holds whole lines, "[", "," and "]" alone in theirs; one line in the middle is no JSON."""
    data = wikidata_dump(list(entity_lines(ITEMS, CLASSES)))
    members = split_members(data)
    lines = gzip.decompress(data).decode().splitlines()
    bad = [place for place, line in enumerate(lines) if line not in "[,]" and read_line(line) is None]
    assert [members[0], members[2], members[-1]] == ["[\n", ",\n", "]\n"]
    assert all(member.endswith("\n") for member in members)
    assert len(bad) == 1
    assert abs(bad[0] - len(lines) // 2) <= len(members)


def split_members(data: bytes) -> list[str]:
    """The text of every member of a gzip file."""
    texts = []
    while data:
        member = zlib.decompressobj(wbits=31)
        texts.append(member.decompress(data).decode())
        data = member.unused_data
    return texts


def read_line(line: str) -> Any:
    """The entity of a line, or None if it is no JSON."""
    try:
        return json.loads(line.rstrip(","))
    except json.JSONDecodeError:
        return None


def test_entities_hold_the_facts() -> None:
    """Labels, titles, edges and the size of the sitelink map come back as the tables have them."""
    entities = {entity["id"]: entity for entity in map(json.loads, entity_lines(ITEMS, CLASSES))}
    berlin = entities["Q64"]
    assert len(berlin["sitelinks"]) == BY_QID["Q64"].sitelinks == 286
    assert berlin["sitelinks"]["jawiki"]["title"] == "ベルリン"
    assert entities["Q188"]["labels"]["de"]["value"] == "Deutsch"
    assert entities["Q188"]["sitelinks"]["dewiki"]["title"] == "Deutsche Sprache"
    assert targets(berlin, "P31") == BY_QID["Q64"].instance_of
    assert targets(entities["Q515"], "P279") == next(row.subclass_of for row in CLASSES if row.qid == "Q515")
    assert len(entities["Q33999"]["sitelinks"]) == len(BY_QID["Q33999"].names)


def targets(entity: Any, name: str) -> tuple[str, ...]:
    """The QIDs that the statements of a property name."""
    return tuple(statement["mainsnak"]["datavalue"]["value"]["id"] for statement in entity["claims"][name])


@each_language
def test_every_language_has_clusters_with_neighbours(language: str) -> None:
    """At least eight classes left by pruning have seven named instances, and siblings or cousins with a name."""
    above = graph()
    below_root = nx.single_source_shortest_path_length(above.reverse(), "Q35120", cutoff=3)
    above.remove_nodes_from(set(below_root))
    named = [item for item in ITEMS if language in item.names]
    sizes = Counter(q for item in named for q in item.instance_of if q in above)
    rich = [q for q, size in sizes.items() if size >= 7 and near_outliers(above, q, named)]
    assert len(rich) >= 8


def near_outliers(above: Any, cluster: str, named: list[Item]) -> set[str]:
    """Items below a superclass or a superclass of a superclass of a class, and not below the class itself."""
    parents = set(above.successors(cluster))
    tops = parents | {top for parent in parents for top in above.successors(parent)}
    own = {cluster, *nx.ancestors(above, cluster)}
    around = {q for top in tops for q in nx.ancestors(above, top)} - own
    return {item.qid for item in named if around & set(item.instance_of) and not own & set(item.instance_of)}


def test_files_are_the_same_every_time(tmp_path: Any) -> None:
    """Writing twice gives the same names and bytes: a Wikidata dump, a Wikipedia for each language, their record."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        files = write_sample_world(str(folder))
        assert set(files.wikipedia) == set(LANGUAGES)
    names = sorted(path.name for path in first.iterdir())
    assert names == sorted(path.name for path in second.iterdir())
    assert len(names) == 8
    assert all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


def test_text_is_escaped_as_the_exporter_does() -> None:
    """Angle brackets, ampersands and double quotes of titles and texts become entities, and come back the same."""
    from wikisem.records import Page

    xml = page_xml(Page('A & "B"', 0, '<ref name="x">[[C & D]]</ref>'), 7)
    page = etree.fromstring(xml)
    assert "&lt;ref name=&quot;x&quot;&gt;" in xml
    assert page.findtext("title") == 'A & "B"'
    assert page.findtext("revision/text") == '<ref name="x">[[C & D]]</ref>'


@pytest.mark.slow
@pytest.mark.realdata
def test_facts_agree_with_genuine_dumps(realdata: Path) -> None:
    """Where a genuine dump holds an item, its classes, superclasses, sitelink count and page titles say the same."""
    genuine = read_entities(realdata / "wikidata" / "real-entities.json.gz")
    sliced = read_entities(realdata / "wikidata" / "class-graph-slice.json.gz")
    compared = 0
    for row in ROWS:
        entities = [source[row.qid] for source in (genuine, sliced) if row.qid in source]
        if entities:
            assert set(row.subclass_of) <= {q for entity in entities for q in edges(entity, "P279")}, row.qid
        if isinstance(row, Item) and row.qid in genuine:
            compared += 1
            assert row.sitelinks == len(genuine[row.qid]["sitelinks"])
            # These months had no P31 yet in the dump at hand.
            assert row.kind == "month" or set(row.instance_of) <= {q for e in entities for q in edges(e, "P31")}
            for language, name in row.names.items():
                assert genuine[row.qid]["sitelinks"][f"{language}wiki"]["title"] == name.title
    assert compared >= 90


def read_entities(path: Path) -> dict[str, Any]:
    """The items of a gzipped dump by QID."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        entities = [json.loads(line.rstrip(",\n")) for line in lines if line[0] == "{"]
    return {entity["id"]: entity for entity in entities}


def edges(entity: Any, name: str) -> list[str]:
    """The QIDs that any statement of a property names, old values with a number alone included."""
    snaks = [statement["mainsnak"] for statement in (entity["claims"] or {}).get(name, [])]
    return [f"Q{snak['datavalue']['value']['numeric-id']}" for snak in snaks if "datavalue" in snak]
