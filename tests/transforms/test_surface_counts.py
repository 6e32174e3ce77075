"""What becomes of items, counted by task and added up by language: no task twice, and none left out."""

from pathlib import Path

import orjson
import pytest

from wikisem.errors import StageError
from wikisem.records import Counts
from wikisem.transforms.surfaces import PageCounts, SurfaceCounts, sum_surface_counts

PAGES = PageCounts(2, 1, ((9, "Rom", False), (1, "Bern", True)))
GERMAN = SurfaceCounts(Counts(5, 3, {"no-name": 2}), {"anchor": 2, "label": 1}, {"low-share": 1}, PAGES)
MORE = SurfaceCounts(
    Counts(2, 1, {"no-page": 1}),
    {"label": 1},
    {"few-links": 4, "low-share": 1},
    PageCounts(1, 1, ((4, "Paris", True),)),
)
DUTCH = SurfaceCounts(Counts(1, 1), {"title": 1})


def test_counts_add_up_by_language(tmp_path: Path) -> None:
    """A task that is run again counts once, and a language need not be in every task."""
    paths = [tmp_path / f"{name}.json" for name in ("read", "de-00")]
    for _ in range(2):
        paths[0].write_bytes(orjson.dumps({"de": GERMAN, "nl": DUTCH}))
    paths[1].write_bytes(orjson.dumps({"de": MORE}))
    found = sum_surface_counts(map(str, paths))
    assert found == {"de": GERMAN + MORE, "nl": DUTCH}
    assert found["de"].items == Counts(7, 4, {"no-name": 2, "no-page": 1})
    assert found["de"].summary == {"anchor": 2, "label": 2, "title": 0, "refused": {"few-links": 4, "low-share": 2}}
    assert found["de"].pages == PageCounts(3, 2, ((9, "Rom", False), (4, "Paris", True), (1, "Bern", True)))
    assert found["nl"].summary == {"anchor": 0, "label": 0, "title": 1}


def test_the_best_linked_pages_are_the_same_from_any_tasks() -> None:
    """The thousand with most links of all, ties by title, however they are spread."""
    pages = [(number % 97, f"{number}", number % 7 == 0) for number in range(3000)]
    parts = [PageCounts(1000, 0, tuple(pages[start::3])) for start in range(3)]
    whole = sorted(pages, key=lambda page: (-page[0], page[1]))[:1000]
    assert (parts[0] + parts[1] + parts[2]).best == (parts[2] + (parts[1] + parts[0])).best == tuple(whole)


def test_a_task_without_counts_is_named(tmp_path: Path) -> None:
    """A sum over the tasks that happen to be there would pass for the whole."""
    (tmp_path / "read.json").write_bytes(orjson.dumps({"de": GERMAN}))
    with pytest.raises(StageError, match=r"saw no .*/de-00\.json"):
        sum_surface_counts([f"{tmp_path}/read.json", f"{tmp_path}/de-00.json"])
