"""From items and an anchor dictionary to surface forms, and every item accounted for."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem import schemas
from wikisem.arrow.buckets import sort_mentions, split
from wikisem.arrow.columns import union
from wikisem.arrow.parquet import bucket_path, read_parquet, write_parquet
from wikisem.errors import MissingInputError
from wikisem.files import list_files
from wikisem.graph.store import save_arrays
from wikisem.layout import Scratch, pages_folder
from wikisem.recipes.options import Fallback, SurfaceOptions
from wikisem.records import Counts
from wikisem.surfaces.link_counts import StringSet, hashes_of
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.surfaces import divide, resolve_surfaces

# qid, page title in ltgwiki, labels.
ITEMS = [
    ("Q10", "Rīga", {"ltg": "Reiga (label)"}),
    ("Q9", "Galvys piļsāta", {}),  # a sitelink to a redirect page, which leads to Rīga
    ("Q2", "Tied", {}),
    ("Q30", "Rare", {"mul": "Rare label"}),
    ("Q4", "Unlinked (river)", {}),
    ("Q5", None, {"ltg": "label alone"}),
    ("Q6", None, {"en": "not for us"}),
    ("Q7", "Double", {}),  # leads to a redirect page, whose own links are not under it
    ("Q8", "Titled", {}),
]
MENTIONS = [
    ("Rīga", "Reiga", 5),
    ("Rīga", "capital", 4),
    ("Tied", "capital", 2),  # more often said of Rīga
    ("Tied", "tie", 2),
    ("Tied", "zzz", 2),
    ("Titled", "A", 1),
    ("Titled", "Titled", 1),
    ("Rare", "once", 1),
    ("Elsewhere", "zzz", 7),
    ("Red link", "red", 3),
    ("Galvys piļsāta, Latveja", "not the redirect", 9),
]
REDIRECTS = [("Galvys piļsāta", "Rīga"), ("Double", "Galvys piļsāta")]


@pytest.fixture
def entities(tmp_path: Path) -> str:
    """The items in two files, in no order."""
    rows = [
        {"qid": qid, "titles": {"dewiki": "X", **({"ltgwiki": title} if title else {})}, "labels": labels}
        for qid, title, labels in ITEMS
    ]
    table = pa.Table.from_pylist(rows, schemas.ENTITIES)
    write_parquet(f"{tmp_path}/entities/0.parquet", table.slice(0, 6))
    write_parquet(f"{tmp_path}/entities/1.parquet", table.slice(6))
    return f"{tmp_path}/entities"


@pytest.fixture(params=[1, 8])
def mentions(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The dictionary in its buckets, as the mentions stage leaves it for a small wiki and for a larger one."""
    folder = f"{tmp_path}/mentions/ltg"
    write_buckets(folder, pa.table(list(zip(*MENTIONS, strict=True)), schemas.MENTIONS), "title", request.param)
    redirects = pa.table(list(zip(*REDIRECTS, strict=True)), schemas.REDIRECTS)
    write_buckets(f"{folder}/redirects", redirects, "source", request.param)
    write_pages(folder, ["Rīga", "Galvys piļsāta", "Double", "Rare"])
    return folder


def write_pages(folder: str, titles: Sequence[str]) -> None:
    """The titles of the pages of a wiki, as the mentions stage leaves them."""
    save_arrays(StringSet(union([hashes_of(titles)])), pages_folder(folder))


def write_buckets(folder: str, table: pa.Table, column: str, buckets: int = 1) -> None:
    """Write a table as the files of buckets by a column."""
    parts = dict(split(sort_mentions(table) if column == "title" else table, column, buckets))
    for bucket in range(buckets):
        write_parquet(bucket_path(folder, bucket, buckets), parts.get(bucket, table.schema.empty_table()))


def resolve(
    folder: Path,
    entities: str,
    mentions: str | None,
    fallback: Fallback = "none",
    minimum_count: int = 1,
    workers: int = 1,
    options: SurfaceOptions | None = None,
) -> tuple[Counts, dict[str, tuple[str, int, int, str]]]:
    """Run the stage; its checked counts, and qid -> (surface, count, total, source)."""
    options = options or SurfaceOptions(fallback=fallback, minimum_count=minimum_count)
    context = StageContext(Scratch(str(folder)), Runtime(workers=workers))
    dictionaries = {"ltg": mentions} if mentions else {}
    found = resolve_surfaces(entities, dictionaries, options, {"ltg": f"{folder}/finished"}, context)
    counts = found["ltg"].items
    counts.check("surfaces")
    tables = [read_parquet(path) for path in list_files(f"{folder}/finished/*.parquet")]
    assert all(table.schema == schemas.SURFACES for table in tables)
    rows = pa.concat_tables(tables).to_pylist()
    assert len({row["qid"] for row in rows}) == len(rows) == counts.kept
    return counts, {row["qid"]: (row["surface"], row["count"], row["total"], row["source"]) for row in rows}


def test_argmax_of_each_page(tmp_path: Path, entities: str, mentions: str) -> None:
    """The most frequent anchor wins, sitelinks to redirects end one step on, and the tie rules decide the rest."""
    counts, surfaces = resolve(tmp_path / "run", entities, mentions)
    assert surfaces == {
        "Q10": ("Reiga", 5, 9, "anchor"),
        "Q9": ("Reiga", 5, 9, "anchor"),
        "Q2": ("tie", 2, 6, "anchor"),
        "Q8": ("Titled", 1, 2, "anchor"),
        "Q30": ("once", 1, 1, "anchor"),
    }
    assert counts == Counts(read=8, kept=5, left_out={"no-name": 2, "no-page": 1})


def test_pages_that_the_dump_lacks_are_counted_and_named(tmp_path: Path, entities: str, mentions: str) -> None:
    """Tied and Titled are linked and no pages; Rīga is one item's page and where another's redirect leads."""
    context = StageContext(Scratch(str(tmp_path / "run")), Runtime())
    options, folders = SurfaceOptions(minimum_count=1), {"ltg": f"{tmp_path}/run/finished"}
    pages = resolve_surfaces(entities, {"ltg": mentions}, options, folders, context)["ltg"].pages
    assert (pages.linked, pages.missing) == (4, 2)
    assert pages.best == ((9, "Rīga", False), (6, "Tied", True), (2, "Titled", True), (1, "Rare", False))


def test_rare_anchors_leave_the_page_to_the_fallback(tmp_path: Path, entities: str, mentions: str) -> None:
    """Below minimum_count no anchor is taken; the item's label in the language, then in mul, steps in."""
    counts, surfaces = resolve(tmp_path / "run", entities, mentions, "label", minimum_count=2)
    assert surfaces == {
        "Q10": ("Reiga", 5, 9, "anchor"),
        "Q9": ("Reiga", 5, 9, "anchor"),
        "Q2": ("tie", 2, 6, "anchor"),
        "Q30": ("Rare label", 0, 0, "label"),
        "Q5": ("label alone", 0, 0, "label"),
    }
    assert counts == Counts(read=8, kept=5, left_out={"no-name": 3})


def test_title_fallback_names_pages_without_links(tmp_path: Path, entities: str, mentions: str) -> None:
    """A page that nothing links is named by its title without the parenthesis, a redirect page by where it leads."""
    counts, surfaces = resolve(tmp_path / "run", entities, mentions, "title")
    assert surfaces["Q4"] == ("Unlinked", 0, 0, "title")
    assert surfaces["Q7"] == ("Galvys piļsāta", 0, 0, "title")
    assert counts == Counts(read=8, kept=7, left_out={"no-page": 1})


def test_without_a_dictionary_there_is_the_fallback(tmp_path: Path, entities: str) -> None:
    """Every item with a label is named by it, whether it has a page or not."""
    counts, surfaces = resolve(tmp_path / "run", entities, None, "label")
    assert surfaces == {
        "Q10": ("Reiga (label)", 0, 0, "label"),
        "Q30": ("Rare label", 0, 0, "label"),
        "Q5": ("label alone", 0, 0, "label"),
    }
    assert counts == Counts(read=8, kept=3, left_out={"no-name": 5})


def test_summary_counts_sources(tmp_path: Path, entities: str, mentions: str) -> None:
    """The summary says how many forms came from where, and agrees with the count of items kept."""
    resolve(tmp_path / "run", entities, mentions, "label", minimum_count=2)
    summary = json.loads((tmp_path / "run" / "finished" / "summary.json").read_text())
    assert summary == {"anchor": 3, "label": 2, "title": 0}


def test_links_of_an_anchor_are_counted_in_the_whole_wiki(tmp_path: Path, entities: str, mentions: str) -> None:
    """Pages in all buckets that are linked with the same words count, red links too, and P(page | s) follows."""
    write_parquet(
        f"{tmp_path}/entities/2.parquet",
        pa.Table.from_pylist([{"qid": "Q11", "titles": {"ltgwiki": "Elsewhere"}}], schemas.ENTITIES),
    )
    resolve(tmp_path / "run", entities, mentions)
    rows = [row for path in list_files(f"{tmp_path}/run/finished/*.parquet") for row in read_parquet(path).to_pylist()]
    assert {row["surface"]: (row["count"], row["links"], row["page_share"]) for row in rows} == {
        "Reiga": (5, 5, 1.0),
        "tie": (2, 2, 1.0),
        "zzz": (7, 9, 7 / 9),
        "Titled": (1, 1, 1.0),
        "once": (1, 1, 1.0),
    }


def test_refused_anchors_are_counted_by_rule(tmp_path: Path, entities: str, mentions: str) -> None:
    """An item whose anchor is refused has its label, or is left out for that reason; the summary counts both."""
    options = SurfaceOptions(fallback="label", minimum_share=0.5, minimum_total=2)
    counts, surfaces = resolve(tmp_path / "run", entities, mentions, options=options)
    assert {qid: row[3] for qid, row in surfaces.items()} == {
        "Q10": "anchor", "Q9": "anchor", "Q8": "anchor", "Q30": "label", "Q5": "label"
    }  # fmt: skip
    assert counts == Counts(read=8, kept=5, left_out={"low-share": 1, "no-name": 2})
    summary = json.loads((tmp_path / "run" / "finished" / "summary.json").read_text())
    assert summary["refused"] == {"few-links": 1, "low-share": 1}


def test_dictionary_form_stands_for_inflected_anchors(tmp_path: Path) -> None:
    """The title is taken in the case in which links have it, or as it is; links of the title elsewhere count."""
    rows = [
        {"qid": f"Q{n}", "titles": {"ltgwiki": title}} for n, title in enumerate(["Reiga", "Gods", "Zeme (pl.)"], 1)
    ]
    write_parquet(f"{tmp_path}/entities/0.parquet", pa.Table.from_pylist(rows, schemas.ENTITIES))
    links = [
        ("Reiga", "Reigā", 5),
        ("Reiga", "Reiga", 1),
        ("Gods", "goda", 3),
        ("Gods", "gods", 2),
        ("Opys", "Reiga", 1),
    ]
    table = pa.table(list(zip(*links, ("Zeme (pl.)", "Zemis", 2), strict=True)), schemas.MENTIONS)
    write_buckets(f"{tmp_path}/mentions", table, "title")
    write_buckets(f"{tmp_path}/mentions/redirects", schemas.REDIRECTS.empty_table(), "source")
    write_pages(f"{tmp_path}/mentions", [])
    options = SurfaceOptions(form="dictionary")
    _, surfaces = resolve(tmp_path / "run", f"{tmp_path}/entities", f"{tmp_path}/mentions", options=options)
    assert surfaces == {"Q1": ("Reiga", 1, 6, "anchor"), "Q2": ("gods", 2, 5, "anchor"), "Q3": ("Zeme", 0, 0, "title")}


def test_rows_are_ordered_by_number(tmp_path: Path, entities: str, mentions: str) -> None:
    """Items of one page are in one file, QIDs compared as numbers."""
    resolve(tmp_path / "run", entities, mentions)
    paths = list_files(f"{tmp_path}/run/finished/*.parquet")
    numbers = [[int(qid[1:]) for qid in read_parquet(path)["qid"].to_pylist()] for path in paths]
    assert all(found == sorted(found) for found in numbers)
    assert any({9, 10} <= set(found) for found in numbers)


@pytest.mark.slow
def test_same_bytes_from_two_workers(tmp_path: Path, entities: str, mentions: str) -> None:
    """Two processes leave the files that one leaves."""
    for workers in (1, 2):
        resolve(tmp_path / str(workers), entities, mentions, "label", workers=workers)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / run / "finished").iterdir()} for run in ("1", "2")
    )
    assert one == two


def test_languages_that_are_named_together_leave_what_each_leaves_alone(
    tmp_path: Path, entities: str, mentions: str
) -> None:
    """One with a dictionary and one without, from one look at the entities."""
    folders = {language: f"{tmp_path}/both/{language}" for language in ("ltg", "de")}
    options = SurfaceOptions(fallback="title")
    context = StageContext(Scratch(f"{tmp_path}/scratch"), Runtime())
    counts = resolve_surfaces(entities, {"ltg": mentions}, options, folders, context)
    alone, _ = resolve(tmp_path / "alone", entities, mentions, "title")
    assert counts["ltg"].items == alone
    assert counts["de"].items == Counts(read=9, kept=9)
    assert counts["de"].summary == {"anchor": 0, "label": 0, "title": 9}
    one, other = (
        {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        for folder in (folders["ltg"], f"{tmp_path}/alone/finished")
    )
    assert one == other
    assert sorted(path.name for path in Path(folders["de"]).iterdir()) == ["fallback-00000.parquet", "summary.json"]


@given(st.lists(st.integers(0, 9_000_000), min_size=1, max_size=30))
def test_parts_of_the_entities_hold_every_file_once(sizes: list[int]) -> None:
    """However large the files are, no part is empty, and none has more than its share and one file."""
    files = [(f"{number:02d}.parquet", size) for number, size in enumerate(sizes)]
    parts = divide(files)
    assert sorted(path for part in parts for path in part) == [path for path, _ in files]
    assert all(parts)
    assert divide(files[::-1]) == parts
    held = [sum(dict(files)[path] for path in part) for part in parts]
    assert max(held) <= sum(sizes) / len(parts) + max(sizes) + len(files)


def test_entities_must_be_there(tmp_path: Path) -> None:
    """Without entities the message names the folder."""
    with pytest.raises(MissingInputError, match="entities"):
        resolve(tmp_path, f"{tmp_path}/entities", None, "label")
