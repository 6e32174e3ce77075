"""Public tables of Wikidata give the items that the JSON dump gives, however they are cut, and say what is wrong."""

import itertools
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.wikidata.public_tables import Entity, write_tables
from wikisem import read_entities
from wikisem.dumps import Chunk
from wikisem.errors import DamagedInputError, MissingInputError, UsageError, WikisemError
from wikisem.wikidata.entity_reader import ChunkReader, EntityReader
from wikisem.wikidata.entity_tables import EntityTables, find_table_files, open_tables
from wikisem.wikidata.line_types import Fields, LineAccount
from wikisem.wikidata.table_reader import TableReader

FIELDS = Fields(("de",), ("P17", "P1549", "P1814", "P1082"), aliases=True)
# The properties of the items, and their types; one was deleted since, and has none.
TYPES = {
    **dict.fromkeys(("P31", "P279", "P17", "P361"), "wikibase-item"),
    "P1687": "wikibase-property",
    "P1549": "monolingualtext",
    "P1814": "string",
    "P345": "external-id",
    "P1082": "quantity",
    "P450": "",
}
LANGUAGES = ["de", "en", "mul"]
SITES = ["commonswiki", "dewiki", "dewiktionary", "enwiki"]
NUMBERS = st.one_of(st.integers(1, 12), st.sampled_from([100, 101, 110, 20, 21, 200]))
QIDS = NUMBERS.map(lambda number: f"Q{number}")


def item_value(qid: str) -> Any:
    """A value that is an item."""
    return {"entity-type": "item", "numeric-id": int(qid[1:]), "id": qid}


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "wikibase-item": st.one_of(
        QIDS.map(item_value), QIDS.map(lambda qid: {"entity-type": "item", "numeric-id": int(qid[1:])})
    ),
    "wikibase-property": st.just({"entity-type": "property", "numeric-id": 31, "id": "P31"}),
    "monolingualtext": st.builds(lambda text: {"text": text, "language": "fr"}, st.sampled_from(["a", "é"])),
    "quantity": st.just({"amount": "+7", "unit": "1"}),
    "": st.one_of(st.just("text"), QIDS.map(item_value)),
    **dict.fromkeys(("string", "external-id"), st.sampled_from(["x", "y", ""])),
}


def told(name: str, value: Any, rank: str = "normal") -> Entity:
    """A statement of a property; a value that is a kind of snak is none."""
    kind = value if value in ("somevalue", "novalue") else "value"
    snak: Entity = {"snaktype": kind, "property": name}
    if TYPES[name]:
        snak["datatype"] = TYPES[name]
    if kind == "value":
        snak["datavalue"] = {"value": value}
    return {"mainsnak": snak, "type": "statement", "rank": rank}


def statements(name: str) -> st.SearchStrategy[Entity]:
    """Statements of a property, of any rank, with a value or without."""
    values = st.one_of(VALUES[TYPES[name]], VALUES[TYPES[name]], st.sampled_from(["somevalue", "novalue"]))
    return st.builds(told, st.just(name), values, st.sampled_from(["normal", "preferred", "deprecated"]))


@st.composite
def items(draw: st.DrawFn, qid: str) -> Entity:
    """An item of a dump; an empty map may be an empty list there."""
    claims = {}
    for name in draw(st.lists(st.sampled_from(list(TYPES)), unique=True, max_size=4)):
        claims[name] = draw(st.lists(statements(name), min_size=1, max_size=4))
    labels = {code: {"language": code, "value": f"{qid} {code}"} for code in draw(st.sets(st.sampled_from(LANGUAGES)))}
    links = {site: {"site": site, "title": f"T {qid}"} for site in draw(st.sets(st.sampled_from(SITES)))}
    revision = draw(st.integers(0, 9))
    aliases = draw(st.dictionaries(st.sampled_from(LANGUAGES), st.lists(st.sampled_from(["a", "b"]), min_size=1)))
    other_names = {code: [{"language": code, "value": one} for one in found] for code, found in aliases.items()}
    texts = draw(st.dictionaries(st.sampled_from(["de", "en"]), st.just("a thing")))
    descriptions = {code: {"language": code, "value": text} for code, text in texts.items()}
    found = {"claims": claims, "labels": labels, "sitelinks": links, "aliases": other_names}
    found["descriptions"] = descriptions
    return {"type": "item", "id": qid, "lastrevid": revision, **{name: each or [] for name, each in found.items()}}


P31: Entity = {
    "type": "property",
    "id": "P31",
    "datatype": "wikibase-item",
    "lastrevid": 4,
    "labels": {"de": {"language": "de", "value": "ist ein"}},
    "claims": {"P1814": [told("P1814", "x")]},
}
ENTITIES = st.lists(QIDS, unique=True, min_size=3, max_size=14).flatmap(lambda qids: st.tuples(*map(items, qids)))
FULL: Entity = {
    "type": "item",
    "id": "Q1000",
    "lastrevid": 3,
    "labels": {code: {"language": code, "value": code} for code in LANGUAGES},
    "sitelinks": {site: {"site": site, "title": site} for site in ("commonswiki", "dewiki")},
    "claims": {
        "P31": [told("P31", item_value("Q1")), told("P31", item_value("Q2"), "preferred")],
        "P361": [told("P361", item_value("Q2")), told("P361", item_value("Q3"), "deprecated")],
        "P1549": [told("P1549", {"text": "a", "language": "fr"})],
        "P1814": [told("P1814", "x")],
    },
}
# In the order of strings Q70 comes before Q8.
WORLD: list[Entity] = [
    P31,
    *(
        {
            "type": "item",
            "id": f"Q{number}",
            "lastrevid": number,
            "labels": {code: {"language": code, "value": f"{code} {number}"} for code in LANGUAGES},
            "aliases": {code: [{"language": code, "value": f"also {number}"}] for code in ("de", "mul")},
            "descriptions": {code: {"language": code, "value": f"the {number}th"} for code in ("de", "en")},
            "sitelinks": {site: {"site": site, "title": f"Page {number}"} for site in SITES},
            "claims": {
                "P31": [
                    told("P31", item_value(f"Q{target}"), rank)
                    for target, rank in ((5, "normal"), (6, "preferred"), (8, "deprecated"))
                ]
            },
        }
        for number in (5, 6, 7, 8, 70)
    ),
]


def rows_of(tables: Iterable[tuple[str, pa.Table]]) -> list[tuple[str, Entity]]:
    """Each item with what is certain of it, by id."""
    found = [(certainty, row) for certainty, table in tables for row in table.to_pylist()]
    return sorted(found, key=lambda one: int(one[1]["qid"][1:]))


def from_dump(entities: Iterable[Entity]) -> tuple[list[tuple[str, Entity]], LineAccount]:
    """The items of the lines of a dump."""
    lines = "".join(f"{json.dumps(entity, separators=(',', ':'))},\n" for entity in entities)
    chunks = ChunkReader(EntityReader(FIELDS), linked_only=False, stage="entities")
    tables = [*chunks.read(Chunk(lines.encode(), "dump.json", 0, 0)), *chunks.finish()]
    return rows_of(tables), chunks


def from_tables(tables: EntityTables, rows: int = 0, step: int = 1) -> tuple[list[tuple[str, Entity]], LineAccount]:
    """The items of tables, range by range in one order or the other, each read as by a worker that knows no other."""
    account, found = LineAccount("entities"), []
    for range_ in tables.ranges(rows)[::step]:
        reader = TableReader(tables, FIELDS, linked_only=False, stage="entities")
        found += list(reader.read(range_))
        account.left_out += reader.left_out
        account.unreadable += reader.unreadable
        account.properties += reader.properties
    return rows_of(found), account


def opened(folder: Path) -> EntityTables:
    """The tables below a folder, for the labels that are asked for."""
    return open_tables(find_table_files(str(folder)), FIELDS)


@pytest.mark.parametrize(
    "layout", ["release", *(pytest.param(name, marks=pytest.mark.slow) for name in ("copy", "by language"))]
)
def test_any_items_are_read_from_tables_as_from_a_dump_however_these_are_cut(layout: str) -> None:
    """Into parts, row groups and ranges. Without a table of entities, items of which nothing is read are missing."""
    met: Counter[str] = Counter()
    sizes = st.lists(st.integers(1, 7), min_size=1, max_size=4)

    @settings(max_examples=12)
    @example([], [1, 3], 1)  # an item in two parts, and in two row groups
    @example(WORLD[1:], [1, 2], 1)  # many ranges
    @given(ENTITIES, sizes, st.integers(1, 8))
    def check(drawn: list[Entity], cuts: list[int], rows: int) -> None:
        entities = [P31, FULL, *(entity for entity in drawn if entity["id"] != FULL["id"])]
        if layout == "by language":  # which has no statements of deleted properties
            for entity in entities:
                entity["claims"] = {name: found for name, found in dict(entity["claims"]).items() if name != "P450"}
        expected, lines = from_dump(entities)
        with tempfile.TemporaryDirectory() as name:
            counts = write_tables(entities, Path(name), layout, lambda rows: list(cut_by(rows, cuts)))
            tables = opened(Path(name))
            found, account = from_tables(tables, rows, step=-1 if rows % 2 else 1)
        assert tables.layout == layout
        if layout != "release":
            seen = {entity["id"] for entity in entities if entity["claims"] or entity["sitelinks"]}
            for kind, codes in (("labels", {"de", "mul"}), ("aliases", {"de", "mul"}), ("descriptions", {"en"})):
                seen |= {entity["id"] for entity in entities if codes & set(entity.get(kind, ()))}
            met["without a row"] += len(seen) < len(entities)
            expected = [(certainty, {**row, "lastrevid": 0}) for certainty, row in expected if row["qid"] in seen]
        assert found == expected
        assert account.unreadable == []
        assert account.left_out == lines.left_out == {"property": 1}
        assert [(one.number, one.labels) for one in account.properties] == [(31, {"de": "ist ein"})]
        assert {kind: tables.rows()[kind] for kind in ("claims", "links")} == {
            kind: counts[kind] for kind in ("claims", "links")
        }
        met["many ranges"] += len(tables.ranges(rows)) > 3
        claims = [(group, file) for file in tables.files for group in file.groups if file.kind == "claims"]
        for (one, file), (other, next_file) in itertools.pairwise(claims):
            if one.greatest == other.least and file.series == next_file.series:
                met["an item in two parts" if file != next_file else "an item in two row groups"] += 1
        met["undecided"] += any(certainty == "undecided" for certainty, _ in found)
        [full] = [row for _, row in found if row["qid"] == FULL["id"]]
        assert (full["instance_of"], full["other_instance_of"]) == (["Q2"], ["Q1"])
        assert {(one["property"], one["language"]) for one in full["statements"]} == {("P1549", "fr"), ("P1814", "")}
        assert full["relations"] == [{"property": 361, "item": 2}]
        assert (full["sitelinks"], len(full["titles"])) == (2, 1)

    check()
    expected = {"many ranges", "an item in two parts", "an item in two row groups", "undecided"}
    expected |= {"without a row"} if layout != "release" else set()
    assert {name for name, times in met.items() if times} == expected


def cut_by(rows: int, sizes: Sequence[int]) -> Iterable[int]:
    """Parts of these sizes in turn, until all rows are in one; an empty one comes first."""
    yield 0
    while rows > 0:
        for size in sizes:
            yield min(size, rows)
            rows -= size
            if rows <= 0:
                break


def test_a_folder_is_read_by_the_python_function_as_a_dump_is(tmp_path: Path) -> None:
    """The same table, with the decision which items stay."""
    write_tables(WORLD, tmp_path / "tables")
    (tmp_path / "dump.json").write_text("".join(f"{json.dumps(entity)}\n" for entity in WORLD))
    whole = read_entities(tmp_path / "dump.json", labels=["de"])
    assert whole.num_rows == 5
    assert read_entities(tmp_path / "tables", labels=["de"]).equals(whole)


# What is unreadable, and what is refused.


def rewrite(path: Path, change: Callable[[pa.Table], pa.Table], rows: int = 4) -> None:
    """Write a file with other rows or columns, in row groups of so many rows."""
    pq.write_table(change(pq.read_table(path)), path, row_group_size=rows)


def with_value(column: str, row: int, value: Any) -> Callable[[pa.Table], pa.Table]:
    """Another value in one row."""

    def change(table: pa.Table) -> pa.Table:
        values = table[column].to_pylist()
        values[row] = value
        at = table.schema.get_field_index(column)
        return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))

    return change


CLAIMS, LABELS, LINKS, REVISIONS = (
    f"wikidata-{name}/part-000-of-001.parquet" for name in ("claims/all", "labels/de", "links/dewiki", "entities/all")
)


def test_a_row_that_cannot_be_read_is_kept_with_its_place_and_its_item_goes_on(tmp_path: Path) -> None:
    """A bad row in the middle of each table; nothing else changes."""
    write_tables(WORLD, tmp_path)
    expected, _ = from_dump(WORLD)
    # Sorted: P31, Q5, Q6, Q7, Q70, Q8; of claims P31 has one, each item three.
    rewrite(tmp_path / CLAIMS, with_value("rank", 4, "best"))
    rewrite(tmp_path / CLAIMS, with_value("property", 8, None))
    rewrite(tmp_path / LABELS, with_value("value", 3, None))
    rewrite(tmp_path / LABELS, with_value("id", 2, None))
    rewrite(tmp_path / LINKS, with_value("title", 1, None))
    rewrite(tmp_path / LINKS, with_value("id", 3, "Q7x"))
    rewrite(tmp_path / REVISIONS, with_value("lastrevid", 5, -1))
    seen = []
    assert len(opened(tmp_path).ranges(1)) == 4
    for rows in (0, 1):
        found, account = from_tables(opened(tmp_path), rows)
        seen.append(found)
        assert len(account.unreadable) == 7
        places = {(one.reason, one.where.removeprefix(f"{tmp_path}/")): one.detail for one in account.unreadable}
        assert places == {
            ("bad-claims", f"{CLAIMS}: row 4"): "expected a rank of preferred, normal, deprecated, saw 'best'",
            ("bad-claims", f"{CLAIMS}: row 8"): "expected a property, saw none",
            ("bad-labels", f"{LABELS}: row 3"): "expected a label, saw none",
            ("bad-id", f"{LABELS}: row 2"): "expected an id, saw none",
            ("bad-sitelinks", f"{LINKS}: row 1"): "expected the title of a page, saw none",
            ("bad-id", f"{LINKS}: row 3"): "expected an id such as Q28640, saw 'Q7x'",
            ("bad-lastrevid", f"{REVISIONS}: row 5"): "expected a revision number, saw '-1'",
        }
    assert seen[0] == seen[1]
    changed = {row["qid"]: row for _, row in seen[0]}
    assert changed.keys() == {row["qid"] for _, row in expected}
    assert changed["Q6"]["instance_of"] == ["Q6"]
    assert changed["Q7"]["other_instance_of"] == []
    assert [qid for qid, row in changed.items() if "de" not in dict(row["labels"])] == ["Q6", "Q7"]
    assert [qid for qid, row in changed.items() if row["sitelinks"] < 4] == ["Q6", "Q70"]
    assert changed["Q8"]["lastrevid"] == 0


def drop(*names: str) -> Callable[[pa.Table], pa.Table]:
    """A table without some columns."""
    return lambda table: table.drop_columns(list(names))


def reverse(table: pa.Table) -> pa.Table:
    """The rows the other way round."""
    return table.take(pa.array(range(len(table))[::-1]))


def swap_bytes(path: Path, seen: bytes, other: bytes, last: bool = False) -> None:
    """Write a file with checksums of pages, and then change bytes of it: in a page, or the last of these."""
    pq.write_table(pq.read_table(path), path, compression="none", use_dictionary=False, write_page_checksum=True)
    data = path.read_bytes()
    at = data.rindex(seen) if last else data.index(seen)
    path.write_bytes(data[:at] + other + data[at + len(seen) :])


def put_others(folder: Path) -> None:
    """Another data set in place of the tables."""
    for name in ("claims", "labels", "links", "entities", "aliases", "descriptions"):
        shutil.rmtree(folder / f"wikidata-{name}")
    pq.write_table(pa.table({"id": ["Q5"]}), folder / "chunk_0.parquet")


Damage = Callable[[Path], object]
DAMAGES: dict[str, tuple[Damage, type[WikisemError], str]] = {
    "no links": (
        lambda folder: shutil.rmtree(folder / "wikidata-links"),
        MissingInputError,
        "expected tables of .*, saw aliases, claims, descriptions, entities, labels in .*; get wikidata-links as well",
    ),
    "a part is missing": (
        lambda folder: (folder / CLAIMS).rename(folder / "wikidata-claims/all/part-000-of-002.parquet"),
        MissingInputError,
        "claims/all: expected 2 parts, saw none with the number 1",
    ),
    "no titles": (
        lambda folder: rewrite(folder / LINKS, drop("title")),
        DamagedInputError,
        "dewiki/.*: expected the columns id, title of a table of links, saw badges, id, site",
    ),
    "not sorted": (
        lambda folder: rewrite(folder / LABELS, reverse, 100),
        DamagedInputError,
        "de/.*: expected rows in the order of their ids as strings, saw Q70 after Q8 at row 1",
    ),
    "parts not sorted": (
        lambda folder: shutil.copy(folder / LABELS, folder / "wikidata-labels/de/part-000-of-001x.parquet"),
        DamagedInputError,
        "001x.parquet: expected rows in the order of their ids as strings, saw P31 after Q8 at row 0",
    ),
    "no statistics": (
        lambda folder: pq.write_table(pq.read_table(folder / LABELS), folder / LABELS, write_statistics=False),
        DamagedInputError,
        "de/.*: expected the least and the greatest id of each row group, saw none of row group 0",
    ),
    "statistics that are not UTF-8": (
        lambda folder: swap_bytes(folder / LABELS, b"P31", b"P3\xff", last=True),
        DamagedInputError,
        "de/.*: expected a whole Parquet file, saw .*codec can't decode",
    ),
    "a page that changed": (
        lambda folder: swap_bytes(folder / LABELS, b"Q70", b"Q71"),
        DamagedInputError,
        "de/.*: expected a whole Parquet file, saw .*CRC checksum",
    ),
    "not Parquet": (
        lambda folder: (folder / LABELS).write_bytes(b"<!DOCTYPE html>"),
        DamagedInputError,
        "de/.*: expected a whole Parquet file, saw Parquet magic bytes not found",
    ),
    "cut": (
        lambda folder: (folder / CLAIMS).write_bytes((folder / CLAIMS).read_bytes()[:-9]),
        DamagedInputError,
        "claims/all/.*: expected a whole Parquet file, saw ",
    ),
    "of two releases": (
        lambda folder: (
            (folder / "wikidata-links").rename(folder / "wikidata-links@20260928")
            and (folder / "wikidata-claims").rename(folder / "wikidata-claims@20260507")
        ),
        UsageError,
        "expected tables of one release, saw .*-claims@20260507 of 2026-05-07 and .*-links@20260928 of 2026-09-28",
    ),
    "two copies": (
        lambda folder: shutil.copytree(folder / "wikidata-labels", folder / "snapshots/wikidata-labels"),
        UsageError,
        "expected one copy of wikidata-labels/[a-z]*, saw .*snapshots/wikidata-labels/.* and .*/wikidata-labels/",
    ),
    "of two layouts": (
        lambda folder: rewrite(folder / CLAIMS, drop("snaktype", "statement_id")),
        UsageError,
        "saw claims of the tables of 2026-05, made from a copy of the dump and links with badges",
    ),
    "none of these": (
        put_others,
        DamagedInputError,
        "expected folders of Parquet tables such as wikidata-claims/all, .* saw .*chunk_0.parquet",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_tables_that_do_not_fit_are_refused_with_what_was_seen_where(tmp_path: Path, damage: str) -> None:
    """Before anything is read, except that the rows of a row group are not sorted."""
    write_tables(WORLD, tmp_path)
    from_tables(opened(tmp_path))
    change, error, message = DAMAGES[damage]
    change(tmp_path)
    with pytest.raises(error, match=message):
        from_tables(opened(tmp_path))


def test_what_the_tables_lack_is_listed(tmp_path: Path) -> None:
    """Scholarly works, revisions, labels and wikis; tables of scholarly works are read with the others."""
    write_tables(WORLD, tmp_path / "main")
    first = opened(tmp_path / "main")
    assert [lacking.split(" (")[0] for lacking in first.lacks] == [
        "scholarly works such as articles and theses, which are in tables of their own",
        "pages of 362 of 364 Wikipedias",
    ]
    shutil.rmtree(tmp_path / "main/wikidata-entities")
    shutil.rmtree(tmp_path / "main/wikidata-labels/mul")
    shutil.rmtree(tmp_path / "main/wikidata-aliases")
    shutil.rmtree(tmp_path / "main/wikidata-descriptions")
    for site in ("commonswiki", "dewiktionary"):
        shutil.rmtree(tmp_path / f"main/wikidata-links/{site}")
    work = {**WORLD[1], "id": "Q69", "labels": {"de": {"language": "de", "value": "Aufsatz"}}}
    write_tables([work], tmp_path / "more")
    for folder in (tmp_path / "more").iterdir():
        folder.rename(tmp_path / "main" / folder.name.replace("wikidata-", "wikidata-scholar-"))
    for kind in ("entities", "aliases", "descriptions"):
        shutil.rmtree(tmp_path / f"main/wikidata-scholar-{kind}")
    second = opened(tmp_path / "main")
    assert [lacking.split(" (")[0] for lacking in second.lacks] == [
        "revisions of items",
        "labels in mul",
        "pages of 362 of 364 Wikipedias",
        "aliases",
        "descriptions",
    ]
    found, _ = from_tables(second, rows=1)
    assert [row["qid"] for _, row in found] == ["Q5", "Q6", "Q7", "Q8", "Q69", "Q70"]
    assert dict(found[4][1]["labels"]) == {"de": "Aufsatz"}


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    """Neither other languages, nor titles on sites that are no Wikipedias; aliases and descriptions if they are."""
    write_tables(WORLD, tmp_path)
    for name in ("wikidata-labels/en", "wikidata-labels/aa"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "part-000-of-001.parquet").write_bytes(b"never opened")
    for name in (
        "wikidata-aliases/en",
        "wikidata-descriptions/fr",
        "wikidata-claims_labels/de",
        "wikidata-labels/.cache",
    ):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "part-000-of-001.parquet").write_bytes(b"never opened")
    rewrite(tmp_path / LINKS.replace("dewiki", "commonswiki"), drop("title"))
    expected, _ = from_dump(WORLD)
    assert from_tables(opened(tmp_path))[0] == expected
    damaged = tmp_path / "wikidata-aliases/de/part-000-of-001.parquet"
    damaged.write_bytes(b"never opened")
    described = tmp_path / "wikidata-descriptions/en/part-000-of-001.parquet"
    kept = described.read_bytes()
    described.write_bytes(b"never opened")
    unasked = replace(FIELDS, aliases=False, signatures=False)
    rows = open_tables(find_table_files(str(tmp_path)), unasked).rows()
    assert rows.keys() == {"claims", "entities", "labels", "links"}
    described.write_bytes(kept)
    with pytest.raises(DamagedInputError, match=r"aliases/de/.*: expected a whole Parquet file"):
        opened(tmp_path)
    with pytest.raises(DamagedInputError, match=r"labels/aa/.*: expected a whole Parquet file"):
        open_tables(find_table_files(str(tmp_path)), Fields())  # all languages
