"""What becomes of items, counted by task and added up by language: no task twice, and none left out."""

from pathlib import Path

import orjson

from wikisem.records import Counts
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.surfaces import PageCounts, SurfaceCounts

PAGES = PageCounts(2, 1, ((9, "Rom", False), (1, "Bern", True)))
GERMAN = SurfaceCounts(Counts(5, 3, {"no-name": 2}), {"anchor": 2, "label": 1}, {"low-share": 1}, PAGES)
MORE = SurfaceCounts(
    Counts(2, 1, {"no-page": 1}),
    {"label": 1},
    {"few-links": 4, "low-share": 1},
    PageCounts(1, 1, ((4, "Paris", True),)),
)
DUTCH = SurfaceCounts(Counts(1, 1), {"title": 1})


def test_counts_add_up_and_are_read_back(tmp_path: Path) -> None:
    """Of the tasks that name items of a language."""
    (tmp_path / "read.json").write_bytes(orjson.dumps({"de": GERMAN, "nl": DUTCH}))
    read = read_json(str(tmp_path / "read.json"), dict[str, SurfaceCounts])
    assert read == {"de": GERMAN, "nl": DUTCH}
    found = read["de"] + MORE
    assert found.items == Counts(7, 4, {"no-name": 2, "no-page": 1})
    assert found.summary == {"anchor": 2, "label": 2, "title": 0, "refused": {"few-links": 4, "low-share": 2}}
    assert found.pages == PageCounts(3, 2, ((9, "Rom", False), (4, "Paris", True), (1, "Bern", True)))
    assert read["nl"].summary == {"anchor": 0, "label": 0, "title": 1}


def test_the_best_linked_pages_are_the_same_from_any_tasks() -> None:
    """The thousand with most links of all, ties by title, however they are spread."""
    pages = [(number % 97, f"{number}", number % 7 == 0) for number in range(3000)]
    parts = [PageCounts(1000, 0, tuple(pages[start::3])) for start in range(3)]
    whole = sorted(pages, key=lambda page: (-page[0], page[1]))[:1000]
    assert (parts[0] + parts[1] + parts[2]).best == (parts[2] + (parts[1] + parts[0])).best == tuple(whole)
