"""Pages that a dump holds more than once: one copy counts, the newest, whichever files hold the others."""

import bz2
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transforms.test_mentions import COUNTS, bytes_of, count, count_all, read_all, rows_of, write
from tests.transforms.wiki import BROKEN, PAGES, dump, page, write_parts
from wikisem import count_links
from wikisem.dumps import plan_ranges
from wikisem.files import list_files
from wikisem.records import Counts

# A page with this text is read by the XML parser, not by the scanner: no exporter writes such an entity.
PARSED = "&#32;"
# A trail is learned from a hundred links.
MANY_LINKS = page(9, "M", "[[m]] " * 100)
GOOD = [one for one in PAGES if one != BROKEN]
GOOD_COUNTS = replace(COUNTS, read=COUNTS.read - 1, unreadable={})


def cut_small(monkeypatch: pytest.MonkeyPatch, size: int = 700) -> None:
    """Let dumps be cut into ranges of a page or two."""
    monkeypatch.setattr("wikisem.transforms.mentions.plan_ranges", partial(plan_ranges, target_bytes=size))


def count_files(folder: Path, files: Sequence[bytes], workers: int = 1, link_trail: bool = False) -> Counts:
    """Run the stage on files of these contents, whose names sort in their order."""
    folder.mkdir()
    paths = [write(folder / f"{number:02}.xml", data) for number, data in enumerate(files)]
    return count(folder, *paths, workers=workers, link_trail=link_trail)


def multistream(pages: Sequence[str]) -> list[bytes]:
    """The texts of the streams of a multistream dump, of two pages each."""
    head, tail = dump([]).split(b"</mediawiki>")
    parts = ["".join(pages[at : at + 2]).encode() for at in range(0, len(pages), 2)]
    return [head, *parts, b"</mediawiki>" + tail]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small wiki, counted from one file."""
    folder = tmp_path_factory.mktemp("once")
    assert count(folder, write(folder / "dump.xml", dump(GOOD))) == GOOD_COUNTS
    return folder


@pytest.mark.parametrize(
    ("again", "name", "workers", "by_engine"),
    [
        ("same file", "z", 1, False),
        pytest.param("multistream", "a", 2, False, marks=pytest.mark.slow),
        ("part", "a", 1, False),
        pytest.param("part", "a", 1, True, marks=pytest.mark.slow),
    ],
)
def test_what_comes_twice_counts_once(
    tmp_path: Path, once: Path, again: str, name: str, workers: int, by_engine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dump once more under another name, in other forms, or a part of it: every file has the same bytes."""
    cut_small(monkeypatch)
    folder = tmp_path / "both"
    folder.mkdir()
    whole = write(folder / "m.xml", dump(GOOD))
    streams = {"same file": [dump(GOOD)], "multistream": multistream(GOOD), "part": [dump(GOOD[4:7])]}[again]
    packed = b"".join(map(bz2.compress, streams))
    copies = 3 if again == "part" else len(GOOD)
    packed_path = write(folder / f"{name}.xml.bz2", packed)
    counts = count(tmp_path / "run", whole, packed_path, workers=workers, by_engine=by_engine)
    assert bytes_of(tmp_path / "run") == bytes_of(once)
    assert counts == GOOD_COUNTS + Counts(copies, left_out={"duplicate": copies})


def test_a_file_that_holds_a_page_twice(tmp_path: Path, once: Path) -> None:
    """In one range, in one chunk, right after each other and not."""
    counts = count_files(tmp_path / "run", [dump([GOOD[0], *GOOD[:3], *GOOD[2:], GOOD[1]])])
    assert counts.left_out["duplicate"] == 3
    assert bytes_of(tmp_path / "run") == bytes_of(once)


@pytest.mark.parametrize("newer", ["first", "last"])
@pytest.mark.parametrize("parsed", ["old", "new", "none"])
def test_the_newer_revision_counts(tmp_path: Path, newer: str, parsed: str) -> None:
    """In whichever file it is, whether the scanner or the XML parser reads it, with its title and its redirect."""
    old = page(1, "Old", "[[x|old]]", revision=9) + page(2, "B", "[[y]]")
    new = page(1, "New", "#REDIRECT [[z]]", redirect="Z", revision=10) + page(3, "C", "[[old]]")
    texts = {"old": old, "new": new}
    if parsed in texts:
        texts[parsed] = texts[parsed].replace("</title>", f"{PARSED}</title>")
    files = [dump([text]) for text in (texts.values() if newer == "last" else reversed(texts.values()))]
    counts = count_files(tmp_path / "run", files)
    assert counts == Counts(4, 2, {"duplicate": 1, "redirect": 1})
    assert rows_of(tmp_path / "run") == [("Old", "old", 1), ("Y", "y", 1)]


def test_a_newer_revision_without_its_text_counts_as_deleted(tmp_path: Path) -> None:
    """The links of the older one are no longer those of the page, however the newer one is written."""
    deleted = page(1, "A", "", revision=3).replace(
        '<text bytes="1" xml:space="preserve"></text>', "<text deleted='' />"
    )
    for number, text in enumerate((deleted, deleted.replace("''", "'deleted'"), deleted.replace("<ns>0</ns>", ""))):
        counts = count_files(tmp_path / f"{number}", [dump([page(1, "A", "[[b]]", revision=2)]), dump([text])])
        assert counts.left_out["duplicate"] == 1
        assert rows_of(tmp_path / f"{number}") == []


def test_a_copy_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    """The bad one is unreadable, wherever it is, and the good one counts."""
    good = page(1, "A", "[[b]]")
    bad = [good.replace("[[b]]", "[[b]] & c"), good.replace("[[b]]", "[[b\xff]]")]
    for number, text in enumerate(bad):
        files = [dump([good]), dump([text]).replace("\xff".encode(), b"\xff")]
        for turned in (False, True):
            folder = tmp_path / f"{number}{turned}"
            counts = count_files(folder, files[:: -1 if turned else 1])
            assert counts == Counts(2, 1, unreadable={"bad-page": 1})
            assert rows_of(folder) == [("B", "b", 1)]


def test_pages_without_ids_are_no_copies(tmp_path: Path) -> None:
    """Nothing tells that they are the same."""
    without = dump([page(1, "A", "[[b]]")]).replace(b"<id>1</id>", b"")
    assert count_files(tmp_path / "run", [without, without]) == Counts(2, 2)
    assert rows_of(tmp_path / "run") == [("B", "b", 2)]


def test_letters_after_links_are_learned_without_copies(tmp_path: Path) -> None:
    """Two links are too few to learn a letter from; counted twice they would be four, and change other anchors."""
    pages = [page(1, "A", "[[b]]ž [[c]]ž"), page(2, "B", "[[d]]s"), MANY_LINKS]
    once, twice = (write(tmp_path / f"{name}.xml", dump(pages, "bjnwiki")) for name in ("once", "twice"))
    folders = [tmp_path / "alone", tmp_path / "both"]
    for folder, paths in zip(folders, ([once], [once, twice]), strict=True):
        count_all(folder, {"bjn": paths}, link_trail=True)
        assert anchors_of(folder / "bjn") == {"B": "b", "C": "c", "D": "ds"}
    alone, both = (folder / "bjn" / "surroundings.json" for folder in folders)
    assert alone.read_bytes() == both.read_bytes()


def test_another_trail_is_used_for_all_ranges(tmp_path: Path) -> None:
    """Not only for those with copies: three links teach a letter, and one of them is in an old revision."""
    new, old = page(1, "A", "[[b]]s", revision=2), page(1, "A", "[[b]]ž", revision=1)
    parts = [[new], [old], [page(2, "B", "[[c]]ž"), page(3, "C", "[[d]]ž"), MANY_LINKS]]
    paths = [write(tmp_path / f"{number}.xml", dump(pages, "bjnwiki")) for number, pages in enumerate(parts)]
    count_all(tmp_path / "run", {"bjn": paths}, link_trail=True)
    assert anchors_of(tmp_path / "run" / "bjn") == {"B": "bs", "C": "c", "D": "d"}


def anchors_of(folder: Path) -> dict[str, str]:
    """The anchors that are there once, by title."""
    return {row["title"]: row["anchor"] for row in read_all(folder).to_pylist() if row["count"] == 1}


def test_no_file_is_left_of_the_larger_wiki(tmp_path: Path, once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With copies the wiki would be merged in eight buckets, without them in one."""
    monkeypatch.setattr("wikisem.arrow.buckets._FEW_PAGES", {5: 1, 500: 8})
    count_files(tmp_path / "run", [dump(GOOD), dump(GOOD)])
    assert bytes_of(tmp_path / "run") == bytes_of(once)


def test_titles_in_other_scripts_and_other_languages_are_left_in_peace(tmp_path: Path) -> None:
    """Copies in one language change nothing in the other; titles are looked up among the pages that count."""
    serbian = [page(1, "Ниш", "[[Novi Sad]]"), page(2, "Нови Сад", "[[Niš|ovde]]"), page(3, "Sofija", "[[Niš]]")]
    moved = page(2, "Novi Sad", "[[Niš|tamo]]", revision=1)
    (tmp_path / "sr").mkdir()
    paths = [
        write(tmp_path / "sr" / f"{name}.xml", dump(pages, "srwiki"))
        for name, pages in (("a", serbian), ("b", [moved]))
    ]
    other = write(tmp_path / "ltg.xml", dump())
    both = count_all(tmp_path / "both", {"sr": paths, "ltg": [other]})
    alone = count_all(tmp_path / "alone", {"sr": paths[:1], "ltg": [other]})
    assert both["ltg"] == alone["ltg"]
    assert both["sr"].left_out == {"duplicate": 1}
    for folder in ("finished", "sr"):
        found, expected = (
            {Path(path).name: Path(path).read_bytes() for path in list_files(f"{tmp_path}/{run}/{folder}/*")}
            for run in ("both", "alone")
        )
        assert found == expected


def test_where_nothing_repeats_no_version_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a dump have ids of their own: that shows without a look at each page."""

    def fail(*_: object) -> NoReturn:
        raise AssertionError("versions were read")

    monkeypatch.setattr("wikisem.links.scan.in_parts", fail)
    cut_small(monkeypatch)
    assert count(tmp_path, *write_parts(tmp_path / "parts")) == COUNTS
    with pytest.raises(AssertionError, match="versions were read"):
        count_files(tmp_path / "twice", [dump(PAGES[4:]), dump(PAGES[:5])])


@pytest.mark.parametrize("seed", range(3))
def test_any_pages_in_any_files(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Revisions of some pages dealt to files, in small ranges, compared a few at a time: as the newest ones alone."""
    cut_small(monkeypatch, 3000)
    monkeypatch.setattr("wikisem.transforms.mentions._AT_ONCE", 5)
    source = random.Random(seed)
    dealt = [[(source.randrange(1, 40), source.randrange(1, 9)) for _ in range(30)] for _ in range(3)]
    newest = newest_of([*chain(*dealt)])
    files = [dump([any_page(*one) for one in versions]) for versions in dealt]
    count_files(tmp_path / "alone", [dump([any_page(*one) for one in sorted(newest.items())])])
    counts = count_files(tmp_path / "run", files)
    assert rows_of(tmp_path / "run") == rows_of(tmp_path / "alone")
    assert (counts.read, counts.left_out) == (90, {"duplicate": 90 - len(newest)})


def newest_of(versions: Sequence[tuple[int, int]]) -> dict[int, int]:
    """The highest revision of each page."""
    return dict(sorted(versions))


def any_page(number: int, revision: int) -> str:
    """A page whose links tell its revision; every third one is read by the XML parser."""
    return page(
        number, f"P{number}{PARSED if number % 3 == 0 else ''}", f"[[x|{number} {revision}]]", revision=revision
    ).replace("&amp;", "&")


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 4)), min_size=1, max_size=15), st.integers(200, 4000))
def test_one_file_in_memory(
    tmp_path_factory: pytest.TempPathFactory, versions: list[tuple[int, int]], chunk: int
) -> None:
    """``count_links`` counts the newest revision of each page of its file, however the file is read."""
    path = tmp_path_factory.mktemp("one") / "dump.xml"
    path.write_bytes(dump([any_page(*one) for one in versions]))
    newest = newest_of(versions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wikisem.links.scan.CHUNK_BYTES", chunk)
        table = count_links(path, "ltg")
    anchors = [f"{number} {revision}" for number, revision in newest.items()]
    assert sorted(table["anchor"].to_pylist()) == sorted(anchors)
    assert set(table["count"].to_pylist()) == {1}
