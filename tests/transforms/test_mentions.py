"""From dumps to the anchor dictionary: every link once, under the page where it ends, whatever the files look like."""

import bz2
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pytest

from tests.transforms.wiki import BROKEN, MENTIONS, PAGES, dump, page, write_parts
from tests.wikidata.test_chunk_reader_damage import one_stream
from wikisem import schemas
from wikisem.arrow.buckets import BYTES_OF_PAGE, split
from wikisem.arrow.parquet import bucket_path, count_buckets, read_parquet
from wikisem.dumps import plan_ranges
from wikisem.errors import DamagedInputError, MissingInputError, StageError
from wikisem.files import list_files
from wikisem.graph.store import open_arrays
from wikisem.layout import Scratch
from wikisem.records import Counts
from wikisem.surfaces.link_counts import StringSet
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.mentions import count_mentions
from wikisem.wikipedia.languages import SiteInfo

COUNTS = Counts(
    read=10, kept=4, left_out={"namespace": 1, "redirect": 3, "redirect-elsewhere": 1}, unreadable={"bad-page": 1}
)


def count(folder: Path, *inputs: str, link_trail: bool = False, workers: int = 1, by_engine: bool = False) -> Counts:
    """Run the stage in a folder, and check that no page is lost from the count."""
    return count_all(folder, {"ltg": inputs}, link_trail, workers, by_engine)["ltg"]


def count_all(
    folder: Path,
    dumps: Mapping[str, Sequence[str]],
    link_trail: bool = False,
    workers: int = 1,
    by_engine: bool = False,
) -> dict[str, Counts]:
    """The same for several languages, each into a folder of its own beside the first."""
    folders = {language: f"{folder}/finished" if language == "ltg" else f"{folder}/{language}" for language in dumps}
    runtime = Runtime(["--bulk_shuffle=engine"] if by_engine else [], workers=workers)
    context = StageContext(Scratch(str(folder)), runtime)
    counts = count_mentions(dumps, link_trail, folders, context)
    for each in counts.values():
        each.check("mentions")
    return counts


def write(path: Path, data: bytes) -> str:
    """Write a file and return its path."""
    path.write_bytes(data)
    return str(path)


def read_all(folder: Path) -> pa.Table:
    """All rows of a folder, in the order of their files."""
    return pa.concat_tables([read_parquet(path) for path in list_files(f"{folder}/*.parquet")])


def rows_of(folder: Path) -> list[tuple[str, str, int]]:
    """The dictionary of a run: all rows, by title, count and anchor."""
    rows = [(row["title"], row["anchor"], row["count"]) for row in read_all(folder / "finished").to_pylist()]
    return sorted(rows, key=lambda row: (row[0], -row[2], row[1]))


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every finished file of a run."""
    done = folder / "finished"
    return {str(path.relative_to(done)): path.read_bytes() for path in sorted(done.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small wiki, counted once from one file."""
    folder = tmp_path_factory.mktemp("counted")
    assert count(folder, write(folder / "dump.xml", dump())) == COUNTS
    return folder


def test_links_are_counted_where_they_end(counted: Path) -> None:
    """Redirects are followed one step, sections dropped, red links kept, and links on other pages are not counted."""
    assert rows_of(counted) == MENTIONS


def test_a_bad_page_costs_itself_alone(counted: Path) -> None:
    """The page in the middle that cannot be read is the only unreadable one, and the file tells where it is."""
    (record,) = (counted / "unreadable" / "mentions" / "ltg").iterdir()
    line = record.read_text(encoding="utf-8")
    assert line.count("\n") == 1
    assert '"reason":"bad-page"' in line
    assert f'"where":"{counted}/dump.xml' in line


def test_the_titles_of_all_pages_stay_beside_the_dictionary(counted: Path) -> None:
    """Of articles and redirects: which pages a dump has is not to be seen in its links."""
    pages = open_arrays(StringSet, str(counted / "finished" / "pages"))
    titles = ["Rīga", "Reiga", "Latveja", "Galvys piļsāta", "Daugova", "Upe", "Fails", "Jiura"]
    assert pages.has(pa.array(titles)).all()
    assert not pages.has(pa.array(["Red link", "sea", "Broken", "Kategoreja:Upe"])).any()
    assert len(pages.hashes) == len(titles)


def test_redirects_stand_beside_the_dictionary(counted: Path) -> None:
    """A later stage can tell where a title leads: one row for each redirect to an article, sections dropped."""
    rows = read_all(counted / "finished" / "redirects").sort_by("source").to_pylist()
    assert [(row["source"], row["target"]) for row in rows] == [
        ("Galvys piļsāta", "Reiga"),
        ("Reiga", "Rīga"),
        ("Upe", "Daugova"),
    ]


def test_files_are_buckets_by_title(tmp_path: Path, counted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small wiki is in one bucket, a larger one in more, of the contract's schema, each title in its own alone."""
    assert bytes_of(counted).keys() == {
        "bucket-00-of-1.parquet",
        "pages/hashes.npy",
        "redirects/bucket-00-of-1.parquet",
        "siteinfo.json",
        "surroundings.json",
    }
    monkeypatch.setattr("wikisem.arrow.buckets._FEW_PAGES", {4: 1, 5: 8})
    assert count(tmp_path, write(tmp_path / "dump.xml", dump())) == COUNTS
    for folder, column in (("finished", "title"), ("finished/redirects", "source")):
        assert count_buckets(f"{tmp_path}/{folder}") == 8
        for bucket in range(8):
            table = read_parquet(bucket_path(f"{tmp_path}/{folder}", bucket, 8))
            assert {number for number, _ in split(table, column, 8)} <= {bucket}
            assert table.schema == (schemas.MENTIONS if column == "title" else schemas.REDIRECTS)
    assert rows_of(tmp_path) == MENTIONS


@pytest.mark.parametrize("by_engine", [False, True])
@pytest.mark.parametrize(("shuffled", "buckets"), [(1, 8), (2, 8), (8, 2)])
def test_files_depend_on_the_pages_and_not_on_how_rows_were_shuffled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_engine: bool, shuffled: int, buckets: int
) -> None:
    """In fewer buckets than the files have or in more, through files or by the engine: the same bytes."""
    monkeypatch.setattr("wikisem.arrow.buckets._FEW_PAGES", {20_000: buckets})
    path = write(tmp_path / "dump.xml", dump())
    for folder, number, way in (("same", buckets, False), ("other", shuffled, by_engine)):
        shuffled_in = {len(dump()) // BYTES_OF_PAGE: number}
        monkeypatch.setattr("wikisem.transforms.mentions.buckets_for", lambda n, of=shuffled_in: of.get(n, buckets))
        assert count(tmp_path / folder, path, by_engine=way) == COUNTS
    assert bytes_of(tmp_path / "other") == bytes_of(tmp_path / "same")
    assert bool(list_files(f"{tmp_path}/other/parts/scan/**")) is not by_engine


def test_siteinfo_is_kept(counted: Path) -> None:
    """The wiki's siteinfo is beside the dictionary, under the language it was counted for."""
    site = SiteInfo.from_json((counted / "finished" / "siteinfo.json").read_text(encoding="utf-8"))
    assert (site.dbname, site.language, site.namespaces[14]) == ("ltgwiki", "ltg", "Kategoreja")


def test_same_bytes_from_parts_in_any_order(tmp_path: Path, counted: Path) -> None:
    """Three parts in three forms, and the parts in another order, give the files that one file gives, byte for byte."""
    parts = write_parts(tmp_path / "parts")
    assert count(tmp_path / "three", *parts) == COUNTS
    assert count(tmp_path / "turned", *reversed(parts)) == COUNTS
    assert bytes_of(counted) == bytes_of(tmp_path / "three") == bytes_of(tmp_path / "turned")


def test_same_bytes_from_two_workers(tmp_path: Path, counted: Path) -> None:
    """Two processes share the parts and leave the same files as one; a glob takes in the index and skips it."""
    write_parts(tmp_path / "parts")
    assert count(tmp_path / "two", f"{tmp_path}/parts/pages*", workers=2) == COUNTS
    assert bytes_of(counted) == bytes_of(tmp_path / "two")


def test_link_trail_is_an_option(tmp_path: Path) -> None:
    """Letters right after a link belong to its anchor when that is asked for, and only then."""
    path = write(tmp_path / "dump.xml", dump([page(1, "A", "[[bus]]es")]))
    count(tmp_path / "without", path)
    count(tmp_path / "with", path, link_trail=True)
    assert rows_of(tmp_path / "without") == [("Bus", "bus", 1)]
    assert rows_of(tmp_path / "with") == [("Bus", "buses", 1)]


@pytest.mark.parametrize("form", ["plain", "bz2"])
def test_truncated_dump_gives_what_was_whole(tmp_path: Path, form: str) -> None:
    """Pages in front of the cut are counted, and the cut is told; so is the page that it tore, if it can be decoded."""
    pages = [page(number, f"P{number}", f"[[Target|anchor {number}]]") for number in range(5)]
    if form == "plain":
        path = write(tmp_path / "dump.xml", dump(pages)[:-70])
    else:
        streams = [bz2.compress(piece) for piece in (dump(pages[:4]).removesuffix(b"</mediawiki>\n"), dump(pages[4:]))]
        path = write(tmp_path / "dump.xml.bz2", b"".join(streams)[:-40])
    counts = count(tmp_path, path)
    assert counts.kept == 4
    assert counts.unreadable == {"truncated": 1} | ({"bad-page": 1} if form == "plain" else {})
    assert rows_of(tmp_path) == [("Target", f"anchor {number}", 1) for number in range(4)]


@pytest.mark.slow
@pytest.mark.parametrize("size", [20, 1 << 25])
def test_blocks_in_a_wrong_order_are_told_however_the_dump_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """All pages are counted, and the damage as one that could not be read; with two workers, too."""
    plan = partial(plan_ranges, target_bytes=size)
    monkeypatch.setattr("wikisem.transforms.mentions.plan_ranges", plan)
    pages = [page(number, f"P{number}", f"[[Target|anchor {number}]]") for number in range(9)]
    whole = dump(pages)
    at = [whole.index(one.encode()) for one in pages]
    parts = [whole[start:stop] for start, stop in pairwise([0, *at, len(whole)])]
    packed = one_stream([parts[0], *parts[8:0:-1], parts[9]], parts)
    counts = count(tmp_path, write(tmp_path / "dump.xml.bz2", packed), workers=2)
    assert (counts.read, counts.kept, counts.unreadable) == (10, 9, {"checksum": 1})
    assert rows_of(tmp_path) == [("Target", f"anchor {number}", 1) for number in range(9)]
    (record,) = (tmp_path / "unreadable" / "mentions" / "ltg").iterdir()
    assert "out of order" in record.read_text()


@pytest.mark.parametrize("cut", [b"</mediawiki>\n", b"  </page>\n</mediawiki>\n"])
def test_a_dump_without_its_end_is_reported_as_cut_short(tmp_path: Path, cut: bytes) -> None:
    """Cut between two pages nothing is torn: the missing end of the dump alone tells of the pages after it."""
    pages = [page(number, f"P{number}", f"[[Target|anchor {number}]]") for number in range(5)]
    whole = dump(pages)
    assert cut in whole
    counts = count(tmp_path, write(tmp_path / "dump.xml", whole.removesuffix(cut)))
    assert counts.unreadable["truncated"] == 1
    assert count(tmp_path / "whole", write(tmp_path / "whole.xml", whole)).unreadable == {}


def test_damaged_head_of_a_part_costs_that_part_alone(tmp_path: Path) -> None:
    """A part whose head cannot be decoded is one unreadable record if another part tells the wiki, else a mistake."""
    whole = write(tmp_path / "a.xml", dump())
    data = bytearray(bz2.compress(dump([page(1, "A", "[[B]]")])))
    data[40:60] = bytes(20)
    broken = write(tmp_path / "b.xml.bz2", bytes(data))
    counts = count(tmp_path / "run", whole, broken)
    assert (counts.read, counts.kept, sum(counts.unreadable.values())) == (COUNTS.read + 1, COUNTS.kept, 2)
    assert rows_of(tmp_path / "run") == MENTIONS
    with pytest.raises(DamagedInputError, match=r"b\.xml\.bz2: expected the head of a MediaWiki dump"):
        count(tmp_path / "alone", broken)


def test_empty_wiki_leaves_an_empty_dictionary(tmp_path: Path) -> None:
    """A dump without articles is read to its end, and every file is there."""
    counts = count(tmp_path, write(tmp_path / "dump.xml", dump([BROKEN, PAGES[8]])))
    assert counts == Counts(2, 0, {"namespace": 1}, {"bad-page": 1})
    assert rows_of(tmp_path) == []


def test_mistaken_inputs_are_named(tmp_path: Path) -> None:
    """Nothing there, only an index, an empty file, no dump at all, parts of two wikis: each has its own message."""
    index = write(tmp_path / "x-multistream-index.txt.bz2", bz2.compress(b"1:2:3\n"))
    other, empty = write(tmp_path / "text.xml", b"no dump at all\n" * 10), write(tmp_path / "none.xml", b"")
    one, two = write(tmp_path / "a.xml", dump()), write(tmp_path / "b.xml", dump(dbname="lvwiki"))
    with pytest.raises(MissingInputError, match=r"nowhere\.xml"):
        count(tmp_path, f"{tmp_path}/nowhere.xml")
    with pytest.raises(MissingInputError, match="only the index"):
        count(tmp_path, index)
    with pytest.raises(DamagedInputError, match=r"none\.xml: .* an empty file"):
        count(tmp_path, empty)
    with pytest.raises(DamagedInputError, match=r"text\.xml: expected <siteinfo>"):
        count(tmp_path, other)
    with pytest.raises(DamagedInputError, match=r"a\.xml of ltgwiki and .*b\.xml of lvwiki"):
        count(tmp_path, one, two)


def test_languages_that_are_counted_together_leave_what_each_leaves_alone(tmp_path: Path, counted: Path) -> None:
    """Two wikis in one pipeline, one of them in parts: no row and no count goes to the other."""
    other = write(tmp_path / "lv.xml", dump([page(1, "A", "[[bus]]"), page(2, "Bus", "", redirect="A")], "lvwiki"))
    both = count_all(tmp_path / "both", {"lv": [other], "ltg": write_parts(tmp_path / "parts")})
    assert both == {"ltg": COUNTS, "lv": Counts(read=2, kept=1, left_out={"redirect": 1})}
    assert bytes_of(tmp_path / "both") == bytes_of(counted)
    assert read_all(tmp_path / "both" / "lv").to_pylist() == [{"title": "A", "anchor": "bus", "count": 1}]
    assert sorted(path.name for path in (tmp_path / "both" / "unreadable" / "mentions").iterdir()) == ["ltg"]


def test_a_dump_that_cannot_be_read_is_named_with_its_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among many languages of a run the message says whose dump it is."""

    def fail(*_: object) -> NoReturn:
        raise OSError("the disk is on fire")

    monkeypatch.setattr("wikisem.transforms.io.counts.open_counted", fail)
    with pytest.raises(StageError, match=r"mentions/ltg: expected to read .*dump\.xml, saw the disk is on fire"):
        count(tmp_path, write(tmp_path / "dump.xml", dump()))
