"""A file that a part of the work wrote, and that is not there afterwards: no stage goes on without it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest

from tests.transforms.test_entities import LINES
from tests.transforms.test_entities import dump as wikidata_dump
from tests.transforms.wiki import dump as wikipedia_dump
from wikisem.errors import StageError
from wikisem.files import list_files
from wikisem.layout import Scratch
from wikisem.recipes.options import GraphOptions, SurfaceOptions
from wikisem.transforms.entities import EntityOptions, read_entities
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.mentions import count_mentions
from wikisem.transforms.surfaces import resolve_surfaces
from wikisem.transforms.taxonomy import build_taxonomy

DONE = "finished"


@dataclass(frozen=True)
class LosingRuntime(Runtime):
    """A runtime that loses a file, as a disk or a worker that is told to be done twice may."""

    lost: str = ""  # a path

    @contextmanager
    def pipeline(self, **options: Any) -> Iterator[beam.Pipeline]:
        """Run a pipeline, then lose the file if it is there."""
        with super().pipeline(**options) as pipeline:
            yield pipeline
        if self.lost:
            Path(self.lost).unlink(missing_ok=True)


def entities(inputs: Path, folder: Path, context: StageContext) -> None:
    """Items of a small dump."""
    del folder
    read_entities([str(inputs / "items.json")], EntityOptions(), context)


def mentions(inputs: Path, folder: Path, context: StageContext) -> None:
    """Links of a small wiki."""
    count_mentions({"ltg": [str(inputs / "wiki.xml")]}, False, {"ltg": f"{folder}/{DONE}"}, context)


def surfaces(inputs: Path, folder: Path, context: StageContext) -> None:
    """Surface forms of these items from these links."""
    found, counted = f"{inputs}/entities/{DONE}", {"ltg": f"{inputs}/mentions/{DONE}"}
    resolve_surfaces(found, counted, SurfaceOptions(fallback="label"), {"ltg": f"{folder}/{DONE}"}, context)


def taxonomy(inputs: Path, folder: Path, context: StageContext) -> None:
    """The graph of these items."""
    del folder
    build_taxonomy(f"{inputs}/entities/{DONE}", GraphOptions(), context)


Work = Callable[[Path, Path, StageContext], None]


def run(work: Work, inputs: Path, folder: Path, lost: str = "") -> list[str]:
    """The names of the files that the workers of a stage leave."""
    work(inputs, folder, StageContext(Scratch(str(folder)), LosingRuntime(lost=lost and f"{folder}/{DONE}/{lost}")))
    return [path.removeprefix(f"{folder}/{DONE}/") for path in list_files(f"{folder}/{DONE}/**")]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dumps, and what the first two stages make of them."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "items.json").write_bytes(wikidata_dump(*LINES))
    (folder / "wiki.xml").write_bytes(wikipedia_dump())
    for work in (entities, mentions):
        run(work, folder, folder / work.__name__)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "kinds"), [(entities, {"parquet"}), (mentions, {"parquet"}), (surfaces, {"parquet"}), (taxonomy, {"npy"})]
)
def test_a_stage_that_lost_a_file_ends(inputs: Path, tmp_path: Path, work: Work, kinds: set[str]) -> None:
    """Whether it is the first that its workers wrote or the last: each is named."""
    made = [name for name in run(work, inputs, tmp_path / "whole") if name.rpartition(".")[2] in kinds]
    assert len(made) > 1
    for number, name in enumerate(made[:: len(made) - 1]):
        with pytest.raises(StageError, match=f"expected every part of the work to be written, saw no .*/{name}"):
            run(work, inputs, tmp_path / str(number), name)


@pytest.mark.slow
def test_a_task_without_counts_is_named(inputs: Path, tmp_path: Path) -> None:
    """A sum over the tasks that happen to be there would pass for the whole."""
    lost = Scratch(str(tmp_path)).counts_of("ltg", 0)
    with pytest.raises(StageError, match=f"expected the counts of every part of the work, saw no {lost}"):
        surfaces(inputs, tmp_path, StageContext(Scratch(str(tmp_path)), LosingRuntime(lost=lost)))
