"""Releases to try tools on: that of the demo and, where the real data is at hand, that of a small build from it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from wikisem.pipeline.cli import main as wikisem

RECIPE: Final = """
name = "real"
base = "wikisem"
[cluster]
minimum = 7
[outliers]
min_sitelinks = 0
[surface]
fallback = "label"
minimum_count = 1
"""


def make_releases(here: Path) -> Iterator[tuple[str, Path]]:
    """The name and folder of each release, made in a folder."""
    assert wikisem(["demo", "--output", str(here / "demo-out")]) == 0
    yield "demo", _release(here / "demo-out", here / "demo")
    if data := os.environ.get("WIKISEM_DATA"):
        yield "real data", make_real_release(here, Path(data))


def make_real_release(here: Path, data: Path) -> Path:
    """Groups in German and Russian from 6,735 real items, named by their labels."""
    (here / "real.toml").write_text(RECIPE)
    build = ["build", str(here / "real.toml"), "--languages", "de,ru", "--output", str(here / "real-out")]
    files = [str(data / "wikidata" / name) for name in ("class-graph-slice.json.gz", "real-entities.json.gz")]
    assert wikisem([*build, "--wikidata", *files]) == 0
    return _release(here / "real-out", here / "real")


def _release(run: Path, folder: Path) -> Path:
    assert wikisem(["walls", str(run)]) == 0
    assert wikisem(["release", str(run), "--output", str(folder)]) == 0
    return folder
