"""From an anchor dictionary to the names of pages: every pair once, with what a plain count of all of them says."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from tests.transforms.test_real_wikis import rows_of
from tests.transforms.test_surfaces import MENTIONS, REDIRECTS, write_buckets
from wikisem import schemas
from wikisem.arrow.parquet import read_parquet, write_parquet
from wikisem.errors import MissingInputError
from wikisem.files import list_files
from wikisem.layout import Scratch
from wikisem.records import Counts
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.surfaces import NameCounts, write_names

# qid and page title in ltgwiki; the last title is not composed, those of pages are.
ITEMS = [
    ("Q10", "Rīga"),
    ("Q9", "Galvys piļsāta"),  # a sitelink to a redirect page, which leads to Rīga
    ("Q101", "Tied"),
    ("Q20", "Tied"),  # as a dump whose lines are of different days may have it
    ("Q5", None),
    ("Q6", "Never linked"),
    ("Q7", "Cafe\u0301"),
]
PAIRS = [*MENTIONS, ("Café", "café", 1)]


@pytest.fixture(params=[1, 8])
def inputs(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Entities in two files, each a part, and the dictionary in its buckets, for a small wiki and for a larger one."""
    monkeypatch.setattr("wikisem.transforms.surfaces._PART_BYTES", 1)
    rows = [{"qid": qid, "titles": {"dewiki": "X", **({"ltgwiki": page} if page else {})}} for qid, page in ITEMS]
    table = pa.Table.from_pylist(rows, schemas.ENTITIES)
    write_parquet(f"{tmp_path}/entities/0.parquet", table.slice(0, 3))
    write_parquet(f"{tmp_path}/entities/1.parquet", table.slice(3))
    folder = f"{tmp_path}/mentions/ltg"
    write_buckets(folder, pa.table(list(zip(*PAIRS, strict=True)), schemas.MENTIONS), "title", request.param)
    redirects = pa.table(list(zip(*REDIRECTS, strict=True)), schemas.REDIRECTS)
    write_buckets(f"{folder}/redirects", redirects, "source", request.param)
    return f"{tmp_path}/entities", folder


def named(inputs: tuple[str, str], folder: Path, by_engine: bool = False) -> tuple[NameCounts, list[dict[str, object]]]:
    """Run the stage: its counts, and all its rows."""
    runtime = Runtime(["--bulk_shuffle=engine"] if by_engine else [], workers=1)
    context, finished = StageContext(Scratch(f"{folder}/scratch"), runtime), f"{folder}/finished"
    counts = write_names(inputs[0], {"ltg": inputs[1]}, {"ltg": finished}, context)["ltg"]
    counts.pairs.check("names")
    tables = [read_parquet(path) for path in list_files(f"{finished}/*.parquet")]
    assert all(table.schema == schemas.NAMES for table in tables)
    return counts, pa.concat_tables(tables).to_pylist()


def expected() -> list[dict[str, object]]:
    """The rows by plain loops over all pairs."""
    links = Counter({(title, anchor): count for title, anchor, count in PAIRS})
    return list(rows_of(links, {"Rīga": "Q10", "Tied": "Q20", "Café": "Q7"}).values())


def in_order(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Rows in an order that buckets do not decide."""
    return sorted(rows, key=lambda row: (row["title"], row["anchor"]))


@pytest.mark.parametrize("by_engine", [False, True])
def test_each_pair_has_both_shares_and_the_item_of_its_page(
    inputs: tuple[str, str], tmp_path: Path, by_engine: bool
) -> None:
    """Of two items the lower number; none for a redirect's item, for a page without an item, and for a red link."""
    counts, rows = named(inputs, tmp_path / "run", by_engine=by_engine)
    assert in_order(rows) == in_order(expected())
    assert counts == NameCounts(Counts(len(PAIRS), len(PAIRS)), pages=8, items=3)


def test_rows_are_in_the_order_of_the_dictionary(inputs: tuple[str, str], tmp_path: Path) -> None:
    """File by file the same titles and anchors as the mentions, so that a page's names are side by side."""
    named(inputs, tmp_path / "run")
    for path in list_files(f"{inputs[1]}/*.parquet"):
        mentions, names = read_parquet(path), read_parquet(f"{tmp_path}/run/finished/{Path(path).name}")
        assert names.select(mentions.column_names) == mentions


def test_entities_without_files_are_missing(inputs: tuple[str, str], tmp_path: Path) -> None:
    """No table is written that has no item at all."""
    with pytest.raises(MissingInputError, match="nowhere"):
        named((f"{tmp_path}/nowhere", inputs[1]), tmp_path / "run")
