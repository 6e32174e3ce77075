"""The entities stage: from dump files to rows, with an account of every line."""

import bz2
import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.wikidata.test_chunk_reader_damage import one_stream
from wikisem.arrow.parquet import bucket_name
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.layout import Scratch, property_labels_path
from wikisem.records import Counts
from wikisem.schemas import ENTITIES, PROPERTY_LABELS, UNLINKED
from wikisem.transforms import entities
from wikisem.transforms.entities import EntityOptions, read_entities
from wikisem.transforms.io.runtime import Runtime, StageContext

Line = dict[str, Any]


def statement(target: str, rank: str = "normal") -> Line:
    """A statement whose value is an item."""
    value = {"entity-type": "item", "id": target, "numeric-id": int(target[1:])}
    snak = {"snaktype": "value", "datavalue": {"value": value, "type": "wikibase-entityid"}}
    return {"mainsnak": snak, "type": "statement", "rank": rank}


def item(qid: str, classes: Sequence[str] = (), superclasses: Sequence[str] = (), **more: Any) -> Line:
    """An item as a dump has it."""
    claims = {"P31": [statement(qid) for qid in classes], "P279": [statement(qid) for qid in superclasses]}
    found = {name: statements for name, statements in claims.items() if statements}
    return {"type": "item", "id": qid, "labels": [], "claims": found or [], "sitelinks": [], "lastrevid": 5, **more}


def dump(*lines: Line | str) -> bytes:
    """A dump of entities, and of lines that are none."""
    texts = [line if isinstance(line, str) else json.dumps(line, separators=(",", ":")) for line in lines]
    return ("[\n" + ",\n".join(texts) + "\n]\n").encode()


SITELINK = {"enwiki": {"site": "enwiki", "title": "Page"}}
LINES: tuple[Line | str, ...] = (
    item("Q1", ["Q10"], sitelinks=SITELINK),
    item("Q10", labels={"en": {"language": "en", "value": "class"}}),
    '{"type":"item","id":"Q2","claims":{"P31":[',
    item("Q3"),
    {"type": "property", "id": "P31", "claims": {}},
    item("Q4", superclasses=["Q10"]),
    {"type": "item", "id": "Q5", "redirect": "Q1"},
    item("Q6", ["Q99"], lastrevid=4),
    item("Q6", ["Q10"], lastrevid=9),
    item("Q99"),
    item("Q7", ["Q10"]),
)


def run(
    tmp_path: Path, *inputs: Path, workers: int = 1, by_engine: bool = False, **options: Any
) -> tuple[Counts, list[Line], list[Line]]:
    """The counts, rows and unreadable records of one run."""
    place = Scratch(str(tmp_path / "work"))
    runtime = Runtime(["--bulk_shuffle=engine"] if by_engine else [], workers=workers)
    counts, _ = read_entities([str(path) for path in inputs], EntityOptions(**options), StageContext(place, runtime))
    tables = [pq.read_table(path) for path in sorted(Path(place.finished).glob("*.parquet"))]
    assert all(table.schema.equals(ENTITIES) for table in tables)
    rows = [row for table in tables for row in table.to_pylist()]
    files = Path(place.unreadable_of("entities")).glob("*.jsonl")
    unreadable = [json.loads(line) for path in files for line in path.read_bytes().splitlines()]
    return counts, sorted(rows, key=lambda row: int(row["qid"][1:])), unreadable


def write(path: Path, data: bytes) -> Path:
    """The path of a file that now has these bytes."""
    path.write_bytes(data)
    return path


def test_every_line_is_kept_left_out_or_unreadable(tmp_path: Path) -> None:
    """Items with a class, a superclass or an edge to them are kept, once each; all else is counted by reason."""
    path = write(tmp_path / "dump.json", dump(*LINES))
    counts, rows, unreadable = run(tmp_path, path)
    assert [row["qid"] for row in rows] == ["Q1", "Q4", "Q6", "Q7", "Q10"]
    assert counts == Counts(
        read=11,
        kept=5,
        left_out={"duplicate": 1, "no-class": 2, "property": 1, "redirect": 1},
        unreadable={"not-json": 1},
    )
    offset = path.read_bytes().index(b'{"type":"item","id":"Q2"')
    assert [(record["stage"], record["where"]) for record in unreadable] == [("entities", f"{path}:{offset}")]
    assert [row["instance_of"] for row in rows if row["qid"] == "Q6"] == [["Q10"]]


def test_the_highest_item_number_is_that_of_the_dump(tmp_path: Path) -> None:
    """It is found among all items of all files, whether they stay or not; redirects and properties are no items."""
    lines = [*LINES, item("Q1205"), {"type": "item", "id": "Q7000", "redirect": "Q1"}]
    paths = [write(tmp_path / "one.json", dump(*lines)), write(tmp_path / "two.json", dump(item("Q12", ["Q10"])))]
    place = StageContext(Scratch(str(tmp_path / "work")), Runtime([], workers=1))
    _, highest = read_entities(list(map(str, paths)), EntityOptions(), place)
    assert highest == 1205


def test_linked_only_leaves_out_what_nothing_leads_to(tmp_path: Path) -> None:
    """No sitelink, no superclass and no edge towards it: such an item cannot be named, and counts by its classes."""
    lines = [*LINES, item("Q8", claims={"P31": [statement("Q10")], "P463": [statement("Q4")]})]
    path = write(tmp_path / "dump.json", dump(*lines))
    counts, rows, _ = run(tmp_path, path, linked_only=True, properties=("P463",))
    assert [row["qid"] for row in rows] == ["Q1", "Q4", "Q10"]
    assert counts.left_out["unlinked"] == 3
    assert counts.left_out["no-class"] == 2
    tables = [pq.read_table(path) for path in (tmp_path / "work/finished/unlinked").glob("*.parquet")]
    assert all(table.schema.equals(UNLINKED) for table in tables)
    # Of Q6 the latest revision counts.
    assert [row for table in tables for row in table.to_pylist()] == [{"instance_of": ["Q10"], "items": 3}]


def test_labels_of_properties_are_beside_the_items(tmp_path: Path) -> None:
    """Of the latest revision of each, by number; whatever the order and number of files. Without any, no rows."""

    def labelled(number: int, lastrevid: int, **labels: str) -> Line:
        texts = {code: {"language": code, "value": label} for code, label in labels.items()}
        return {"type": "property", "id": f"P{number}", "labels": texts, "lastrevid": lastrevid}

    lines = [
        labelled(361, 5, en="part of", de="ist Teil von", fr="partie de"),
        labelled(17, 4, en="land"),
        labelled(17, 9, en="country"),
        labelled(17, 9, en="Country"),
        {"type": "property", "id": "P18", "labels": "?"},
    ]
    found = []
    for number, order in enumerate((lines, lines[::-1])):
        folder = tmp_path / str(number)
        folder.mkdir()
        one, two = write(folder / "a.json", dump(*order[:2], *LINES)), write(folder / "b.json", dump(*order[2:]))
        counts, rows, _ = run(folder, one, two, labels=("de", "en"))
        assert (counts.left_out["property"], len(rows)) == (6, 5)
        found.append(pq.read_table(property_labels_path(Scratch(str(folder / "work")).finished)))
    assert found[0].schema.equals(PROPERTY_LABELS)
    expected = [(17, "en", "country"), (361, "de", "ist Teil von"), (361, "en", "part of")]
    assert [[tuple(row.values()) for row in table.to_pylist()] for table in found] == [expected] * 2
    run(tmp_path, write(tmp_path / "none.json", dump(LINES[0])))
    assert pq.read_table(property_labels_path(Scratch(str(tmp_path / "work")).finished)).num_rows == 0


@pytest.mark.parametrize("linked_only", [False, True])
@pytest.mark.parametrize(
    ("option", "column", "recorded"),
    [("signatures", "properties", [17, 1566]), ("relations", "relations", [{"property": 17, "item": 10}])],
)
def test_signatures_and_relations_change_nothing_else(
    tmp_path: Path, linked_only: bool, option: str, column: str, recorded: list[Any]
) -> None:
    """Items, counts and unlinked items are the same with and without; items that come twice, too."""
    path = write(tmp_path / "dump.json", dump(*LINES, *signed_lines()))
    results = []
    for asked in (True, False):
        counts, rows, unreadable = run(tmp_path / str(asked), path, linked_only=linked_only, **{option: asked})
        found = {row["qid"]: row.pop(column) for row in rows}
        assert found["Q20"] == (recorded if asked else [])
        assert not any(numbers for qid, numbers in found.items() if qid != "Q20")
        unlinked = sorted((tmp_path / str(asked) / "work/finished/unlinked").glob("*.parquet"))
        results.append((counts, rows, unreadable, [pq.read_table(path) for path in unlinked]))
    assert results[0] == results[1]


def signed_lines() -> list[Line]:
    """An item with a signature and a relation in two rows of one revision, and one without a sitelink."""
    linked, lonely = item("Q20", ["Q10"], sitelinks=SITELINK), item("Q21", ["Q10"])
    for each in (linked, lonely):
        each["claims"] |= {"P1566": [], "P17": each["claims"]["P31"]}
    return [linked, {**linked, "claims": {**linked["claims"], "P279": []}}, lonely]


@pytest.mark.parametrize(("buckets", "by_engine"), [(1, False), (16, False), (16, True)])
def test_an_index_says_where_each_item_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buckets: int, by_engine: bool
) -> None:
    """Of every item that is kept, in the files that stay as they are and in those that are written again."""
    monkeypatch.setattr(entities, "_LARGE_INDEX_BYTES", 1 << 28 if buckets == 1 else 1)
    paths = [write(tmp_path / "a.json", dump(*LINES)), write(tmp_path / "b.json", dump(item("Q77", ["Q10"])))]
    run(tmp_path, *paths, by_engine=by_engine)
    finished = tmp_path / "work/finished"
    expected = {
        (int(qid.as_py()[1:]), path.name, group)
        for path in finished.glob("*.parquet")
        for group in range(pq.ParquetFile(path).num_row_groups)
        for qid in pq.ParquetFile(path).read_row_group(group, ["qid"])["qid"]
    }
    index = sorted(finished.glob("index/*.parquet"))
    tables = [pq.read_table(path) for path in index]
    assert {tuple(row.values()) for table in tables for row in table.to_pylist()} == expected
    assert sum(table.num_rows for table in tables) == len(expected) == 6
    assert len({name for _, name, _ in expected}) == 3
    assert [path.name for path in index] == [bucket_name(bucket, buckets) for bucket in range(buckets)]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_wrapping_order_and_workers_do_not_matter(tmp_path: Path, workers: int) -> None:
    """The same lines in other files, other orders and other wrappings give the same rows."""
    _, expected, _ = run(tmp_path / "plain", write(tmp_path / "dump.json", dump(*LINES)))
    one = write(
        tmp_path / "b.json.gz", gzip.compress(dump(*LINES[6:]), mtime=0) + gzip.compress(dump(*LINES[2:4]), mtime=0)
    )
    two = write(tmp_path / "a.json.bz2", bz2.compress(dump(*LINES[4:6], *LINES[:2])))
    counts, rows, unreadable = run(tmp_path / "wrapped", one, two, workers=workers)
    assert rows == expected
    assert counts.read == 11
    assert len(unreadable) == 1


def test_no_item_at_all_is_an_error(tmp_path: Path) -> None:
    """What is no dump is named with what was seen in it."""
    path = write(tmp_path / "dump.json", b"no dump\n")
    with pytest.raises(DamagedInputError, match=r"dump\.json, saw 1 not-json"):
        run(tmp_path, path)
    empty = write(tmp_path / "empty.json", b"")
    with pytest.raises(DamagedInputError, match=r"expected items of .*empty\.json, saw no line with a record"):
        run(tmp_path, empty)
    with pytest.raises(MissingInputError, match=r"nowhere\.json"):
        run(tmp_path, tmp_path / "nowhere.json")


FORMS: dict[str, Callable[[list[bytes]], bytes]] = {
    "gz": lambda parts: b"".join(gzip.compress(part, mtime=0) for part in parts),
    "single.bz2": one_stream,
    "chain.bz2": lambda parts: b"".join(map(bz2.compress, parts)),
    "zst": lambda parts: b"".join(map(zstandard.compress, parts)),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_damaged_dump_costs_one_unit_of_items(tmp_path: Path, form: str) -> None:
    """All other members, blocks or frames give their items, the loss is in the unreadable records and in the counts."""
    parts = [dump(*(item(f"Q{number}", ["Q1"]) for number in range(start, start + 5))) for start in range(1, 31, 5)]
    packed = bytearray(FORMS[form](parts))
    packed[len(packed) // 2 + 20] ^= 0x55
    counts, rows, unreadable = run(tmp_path, write(tmp_path / f"dump.json.{form}", bytes(packed)))
    lost = set(range(1, 31)) - {int(row["qid"][1:]) for row in rows}
    assert any(lost <= set(range(start, start + 5)) for start in range(1, 31, 5))
    assert len(lost) > 1
    assert {"undecodable", "checksum"} & {record["reason"] for record in unreadable}
    assert counts.kept == len(rows) == 30 - len(lost)
    assert sum(counts.unreadable.values()) == len(unreadable)


@pytest.mark.parametrize("smallest", [20, 1 << 22])
def test_blocks_in_a_wrong_order_are_told_however_the_dump_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, smallest: int
) -> None:
    """All of them decode, and all items are used; the checksum of their stream says that something is wrong."""
    monkeypatch.setattr("wikisem.transforms.entities._SMALLEST_BYTES", smallest)
    lines = [f"{json.dumps(item(f'Q{number}', ['Q1']))},\n".encode() for number in range(1, 10)]
    packed = one_stream([b"[\n", *lines[::-1], b"]"], [b"[\n", *lines, b"]"])
    counts, rows, unreadable = run(tmp_path, write(tmp_path / "dump.json.bz2", packed))
    assert (counts.read, counts.kept, counts.unreadable, len(rows)) == (10, 9, {"checksum": 1}, 9)
    assert [record["detail"].rpartition(", ")[2] for record in unreadable] == ["or out of order"]


UNPACK: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".json": bytes}
WRAP: dict[str, Callable[[bytes], bytes]] = {".json": bytes, ".json.gz": gzip.compress, ".json.bz2": bz2.compress}


@pytest.mark.slow
@pytest.mark.realdata
def test_real_dumps_read_alike_in_every_form(realdata: Path, tmp_path: Path) -> None:
    """The beginnings of real dumps, cut within a line, give the same rows and counts in every form."""
    files = sorted((realdata / "wikidata").iterdir())
    texts = {path.name: UNPACK[path.suffix](path.read_bytes())[: 1 << 20] for path in files}
    found = []
    for ending, wrap in WRAP.items():
        folder = tmp_path / ending[1:]
        folder.mkdir()
        paths = [write(folder / f"{name.partition('.')[0]}{ending}", wrap(text)) for name, text in texts.items()]
        counts, rows, unreadable = run(folder, *paths)
        assert counts.read == counts.kept + sum(counts.left_out.values()) + sum(counts.unreadable.values())
        assert (counts.kept, sum(counts.unreadable.values())) == (len(rows), len(unreadable))
        found.append((counts, rows))
    assert counts.unreadable
    assert found[1:] == found[:1] * 2


@pytest.mark.slow
@pytest.mark.realdata
def test_whole_real_dumps_are_accounted_for(realdata: Path, tmp_path: Path) -> None:
    """As they are, to their last line: every line is counted, every item is read once."""
    files = sorted((realdata / "wikidata").iterdir())
    counts, rows, unreadable = run(tmp_path, *files)
    read, items = 0, set()
    # Of an item that comes twice either revision may be the latest: its signature is that of one of them.
    signatures: dict[str, list[list[int]]] = {}
    lines = (line.strip(b" ,\r") for path in files for line in UNPACK[path.suffix](path.read_bytes()).splitlines())
    for record in (orjson.loads(line) for line in lines if line not in (b"", b"[", b"]")):
        read += 1
        items |= {record["id"]} if record["type"] == "item" else set()
        keys = set(record.get("claims") or ()) - {"P31", "P279"} if record.get("sitelinks") else ()
        signatures.setdefault(record["id"], []).append(sorted(int(key[1:]) for key in keys))
    assert counts.read == read
    assert not unreadable
    assert {row["qid"] for row in rows} <= items
    assert all(row["properties"] in signatures[row["qid"]] for row in rows)
    assert sum(map(bool, (row["properties"] for row in rows))) > 700
    assert len(rows) == len(items) - counts.left_out["no-class"]
