"""Items that come more than once: the latest revision stays, whatever the order of files and rows."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.transforms.test_entities import SITELINK, dump, item, run, write
from wikisem.arrow.columns import QID_BUCKETS, decode
from wikisem.arrow.parquet import read_parquet, write_parquet
from wikisem.layout import Scratch
from wikisem.schemas import ENTITIES
from wikisem.transforms import entities
from wikisem.transforms.entities import (
    FileWork,
    ItemFile,
    ItemWriter,
    KeepItems,
    choose_latest,
    index_items,
    read_numbers,
    send_duplicates,
)
from wikisem.transforms.io.shuffle import Shuffle, Task
from wikisem.wikidata.entity_columns import content_hash, superseded_rows

CERTAIN, UNDECIDED = ItemFile("certain", 3), ItemFile("undecided", 1)


def row(qid: str, lastrevid: int, sitelinks: int = 0) -> dict[str, Any]:
    """An item with a revision, and something that tells it from others of the same revision."""
    found = pa.Table.from_pylist([{"qid": qid, "lastrevid": lastrevid, "sitelinks": sitelinks}], ENTITIES)
    return found.to_pylist()[0]


@pytest.fixture
def duplicates(monkeypatch: pytest.MonkeyPatch) -> Callable[..., pa.Table]:
    """What is sent of a file with these rows, after some rows of other items, when these items are repeated."""

    def send(rows: list[dict[str, Any]], *repeated: int, file: ItemFile = CERTAIN, begin: int = 0) -> pa.Table:
        others, table = (pa.Table.from_pylist(each, ENTITIES) for each in ([row("Q1000", 1)] * begin, rows))
        work = FileWork(Scratch(""), Shuffle("", by_engine=True), [file])
        with monkeypatch.context() as patch:
            patch.setattr(entities, "read_numbers", lambda _: np.asarray(repeated, np.int64))
            patch.setattr(entities, "read_batches", lambda *_: [others, table])
            sent = list(send_duplicates(0, work))
        batches: list[Any] = [values[-1] for _, values in sent[:-1]]  # after them comes that all is done
        return pa.concat_tables(map(decode, batches)).sort_by([("number", "ascending"), ("row", "ascending")])

    return send


def test_only_repeated_items_are_looked_at(duplicates: Callable[..., pa.Table]) -> None:
    """They come with their rows' places in the whole file, of which the table may be a later batch."""
    found = duplicates([row("Q1", 5), row("Q2", 6), row("Q10", 7)], 2, 10, begin=100)
    assert found.drop_columns(["content"]).to_pylist() == [
        {"number": 2, "lastrevid": 6, "certainty": "certain", "part": 3, "row": 101},
        {"number": 10, "lastrevid": 7, "certainty": "certain", "part": 3, "row": 102},
    ]


def test_the_highest_revision_stays(duplicates: Callable[..., pa.Table]) -> None:
    """Of three rows of an item in two files, the other two are superseded; other items do not interfere."""
    first = duplicates([row("Q6", 4), row("Q7", 1), row("Q6", 90)], 6, 7)
    second = duplicates([row("Q6", 9), row("Q7", 2)], 6, 7, file=UNDECIDED)
    for tables in ([first, second], [second, first]):
        found = superseded_rows(pa.concat_tables(tables), "certainty", "part", "row")
        assert sorted((each["certainty"], each["row"]) for each in found.to_pylist()) == [
            ("certain", 0),
            ("certain", 1),
            ("undecided", 0),
        ]


def test_equal_revisions_are_decided_by_content_alone(duplicates: Callable[..., pa.Table]) -> None:
    """Whatever their order and their files, the same one stays: the one with the greatest hash."""
    rows = [row("Q6", 9, sitelinks) for sitelinks in range(4)]
    latest = max(rows, key=content_hash)
    for order in itertools.permutations(rows):
        found = superseded_rows(duplicates(list(order), 6), "row")
        assert set(range(4)) - set(found["row"].to_pylist()) == {order.index(latest)}


def test_superseded_rows_go_to_the_file_they_are_in(tmp_path: Path, duplicates: Callable[..., pa.Table]) -> None:
    """Each file gets the numbers of its own rows; a bucket without duplicates adds none."""
    scratch = Scratch(str(tmp_path))
    later = ItemFile("certain", 12)
    work = FileWork(scratch, Shuffle(scratch.parts), [CERTAIN, later, UNDECIDED])
    tables = [
        duplicates([row("Q6", 4), row("Q6", 5)], 6),
        duplicates([row("Q6", 9), row("Q6", 8)], 6, file=UNDECIDED),
        duplicates([row("Q6", 1)], 6, file=later, begin=7),
    ]
    for number, table in enumerate(tables):
        with work.shuffle.sender("duplicates", entities.STAGE, number) as sender:
            sender.add_rows("rows", [(6, table)])
    for bucket in range(QID_BUCKETS):
        choose_latest(Task(entities.STAGE, bucket, QID_BUCKETS), work)
    found = {file.name: read_numbers(scratch.superseded(), file.name).tolist() for file in work.files}
    assert found == {"certain-000003": [0, 1], "certain-000012": [7], "undecided-000001": [1]}


def test_edges_of_superseded_revisions_lead_nowhere(tmp_path: Path) -> None:
    """An item that only an old revision leads to is left out, one that the latest leads to stays; all are counted."""
    lines = [
        item("Q1", ["Q10"], lastrevid=3, sitelinks=SITELINK),
        item("Q1", ["Q11"], lastrevid=4, sitelinks=SITELINK),
        item("Q10"),
        item("Q11"),
    ]
    for order in (lines, lines[::-1]):
        counts, rows, _ = run(tmp_path / str(order is lines), write(tmp_path / "dump.json", dump(*order)))
        assert [(found["qid"], found["instance_of"]) for found in rows] == [("Q1", ["Q11"]), ("Q11", [])]
        assert (counts.read, counts.kept, counts.left_out) == (4, 2, {"duplicate": 1, "no-class": 1})


def test_a_file_that_is_finished_again_is_the_same(tmp_path: Path) -> None:
    """A runner may try a bundle twice: the items are still there for the second try, and their file does not change."""
    scratch = Scratch(str(tmp_path))
    write_parquet(scratch.items(*CERTAIN), pa.Table.from_pylist([row("Q1", 5), row("Q2", 6)], ENTITIES))
    finished = Path(scratch.finished) / "certain-000003.parquet"
    work = FileWork(scratch, Shuffle(scratch.parts), [CERTAIN])
    seen = set()
    for _ in range(3):
        list(KeepItems(work, "", duplicates=False, buckets=1).process(0))
        seen.add((finished.read_bytes(), Path(scratch.items(*CERTAIN)).read_bytes()))
    ((one, other),) = seen
    assert one == other
    assert [path.name for path in finished.parent.iterdir()] == [finished.name]


def test_the_index_names_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file that is finished by a second name those in which its rows were written, so many to each."""
    scratch = Scratch(str(tmp_path))
    monkeypatch.setattr(entities, "ROW_GROUP", 2)
    writer = ItemWriter(scratch.items(*CERTAIN))
    writer.add(pa.Table.from_pylist([row(qid, 5) for qid in ("Q9", "Q1", "Q4")], ENTITIES))
    writer.close()
    work = FileWork(scratch, Shuffle(scratch.parts), [CERTAIN])
    list(KeepItems(work, "", duplicates=False, buckets=1).process(0))
    index_items(Task("entities", 0, 1), work)
    index = read_parquet(f"{scratch.finished}/index/bucket-00-of-1.parquet")
    assert [tuple(each.values()) for each in index.to_pylist()] == [
        (1, "certain-000003.parquet", 0),
        (4, "certain-000003.parquet", 1),
        (9, "certain-000003.parquet", 0),
    ]
