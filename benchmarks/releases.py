"""Releases of five origins to try tools on: three of the sample world and, where it is at hand, two of real data."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from wikisem.pipeline.cli import main as wikisem
from wikisem.pipeline.demo import write_sample_world

# Few items have many sitelinks in these worlds.
_SMALL: Final = (
    'base = "wikisem"\n[cluster]\nminimum = {}\n[outliers]\nmin_sitelinks = {}\n[surface]\nfallback = "label"\n'
)
RECIPES: Final = {
    "names": _SMALL.format(7, 4),
    "mixed": 'languages = ["en", "de"]\nmixed = ["en", "de"]\n' + _SMALL.format(7, 4).replace(
        "min_sitelinks", "shared = true\nmin_sitelinks"
    ),
    "labels": _SMALL.format(7, 0) + "minimum_count = 1\n",
    "links": _SMALL.format(5, 0) + "minimum_count = 1\n",
}  # fmt: skip

ORIGINS: Final = {
    "demo": "the sample world: six languages, anchors, walls",
    "names": "the sample world: German, the names of its pages, walls",
    "mixed": "the sample world: the same classes and outliers in German and English, and groups of both; walls",
    "labels": "6,735 real items, German and Russian labels: no Wikipedia, CC0; walls",
    "links": "the same items, English: anchors of 251 real pages, labels elsewhere; nothing in Latgalian; walls",
}


def make_releases(here: Path) -> Iterator[tuple[str, Path]]:
    """The name and folder of each release, made in a folder; those of real data only if $WIKISEM_DATA names it."""
    assert wikisem(["demo", "--output", str(here / "demo-out")]) == 0
    yield "demo", _release(here / "demo-out", here / "demo")
    (here / "world").mkdir()
    world = write_sample_world(str(here / "world"))
    linked = {code: f"{code}={path}" for code, path in world.wikipedia.items()}
    run = _build(here, "names", "de", [world.wikidata], [linked["de"]])
    assert wikisem(["names", str(run)]) == 0
    yield "names", _release(run, here / "names")
    run = _build(here, "mixed", "en,de", [world.wikidata], [linked["en"], linked["de"]])
    yield "mixed", _release(run, here / "mixed")
    if data := os.environ.get("WIKISEM_DATA"):
        # Groups in German and Russian from 6,735 real items, named by their labels.
        yield "labels", _release(_build(here, "labels", "de,ru", _items(Path(data)), []), here / "labels")
        pages = Path(data) / "wikipedia"
        dumps = {"en": "enwiki-20220720-excerpt.xml.bz2", "ltg": "ltgwiki-20170901-pages-articles.xml.bz2"}
        named = [f"{code}={pages / name}" for code, name in dumps.items()]
        yield "links", _release(_build(here, "links", "en,ltg", _items(Path(data)), named), here / "links")


def _items(data: Path) -> list[str]:
    return [str(data / "wikidata" / name) for name in ("class-graph-slice.json.gz", "real-entities.json.gz")]


def _build(here: Path, name: str, languages: str, wikidata: list[str], wikipedias: list[str]) -> Path:
    """A run of the recipe of that name."""
    (here / f"{name}.toml").write_text(f'name = "{name}"\n{RECIPES[name]}')
    build = ["build", str(here / f"{name}.toml"), "--languages", languages, "--output", str(here / f"{name}-out")]
    linked = ["--wikipedia", *wikipedias] if wikipedias else []
    assert wikisem([*build, "--wikidata", *wikidata, *linked]) == 0
    return here / f"{name}-out"


def _release(run: Path, folder: Path) -> Path:
    assert wikisem(["walls", str(run)]) == 0
    assert wikisem(["release", str(run), "--output", str(folder)]) == 0
    return folder
