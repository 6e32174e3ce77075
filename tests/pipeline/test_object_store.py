"""Whole builds on an object store, with every bundle run again and again: the same bytes as on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.object_store import Twice, run_bundles_twice
from tests.trees import tree_of
from wikisem.files import list_files, open_binary, remove, remove_below, sizes_below
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps

pytestmark = pytest.mark.slow

OUT = "memory://bucket/a run/out"
RECIPE = (
    'name = "store"\nbase = "demo"\nmixed = ["de", "ja"]\n[outliers]\nshared = true\n[surface]\nvariant = "sr-ec"\n'
)


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A recipe that uses every stage."""
    path = tmp_path_factory.mktemp("recipe") / "store.toml"
    path.write_text(RECIPE)
    return str(path)


@pytest.fixture
def store() -> Iterator[None]:
    """An empty store."""
    yield
    remove_below("memory://bucket", "a run")


def build(world: SampleDumps, recipe: str, output: str, *words: str) -> int:
    """Build two languages and mix them, and a third whose titles and surface forms are converted."""
    wikipedia = [f"{language}={world.wikipedia[dump]}" for language, dump in (("de", "de"), ("ja", "ja"), ("sr", "de"))]
    return main(["build", recipe, "--wikidata", world.wikidata, "--wikipedia", *wikipedia, "--output", output, *words])


@pytest.fixture(scope="module")
def local(world: SampleDumps, recipe: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same on this machine."""
    output = tmp_path_factory.mktemp("local") / "out"
    assert build(world, recipe, str(output)) == 0
    return output


def fetch(output: str, folder: Path) -> Path:
    """The objects below a URL, as files."""
    for path in sizes_below(output):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_binary(f"{output}/{path}") as source:
            target.write_bytes(source.read())
    return folder


RESULTS = (
    "languages",
    "groups",
    "rejected",
    "wikisem500",
    "unreadable",
    "entities",
    "mentions",
    "surfaces",
    "taxonomy",
)


@pytest.mark.usefixtures("store")
def test_a_build_on_a_store_whose_bundles_run_twice_leaves_the_same_bytes(
    world: SampleDumps, recipe: str, local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups, what stages hand to each other, and unreadable records; no scratch, no lock, no other object is left."""
    run_bundles_twice(monkeypatch)
    before = Twice.tries
    assert build(world, recipe, OUT) == 0
    assert Twice.tries - before > 200
    fetched = fetch(OUT, tmp_path / "fetched")
    assert tree_of(fetched, *RESULTS) == tree_of(local, *RESULTS)
    others = {path for path in list_files(f"{OUT}/**") if not path.removeprefix(f"{OUT}/").startswith(RESULTS)}
    units = {path.name for path in (local / ".wikisem").iterdir()}
    assert others == {f"{OUT}/manifest.json", *(f"{OUT}/.wikisem/{name}" for name in units)}


@pytest.mark.usefixtures("store")
def test_later_runs_on_a_store_find_and_replace_what_earlier_ones_left(
    world: SampleDumps,
    recipe: str,
    local: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The same build again does nothing; another seed replaces groups; a lost object is noticed."""
    run_bundles_twice(monkeypatch)
    assert build(world, recipe, OUT, "--seed", "7") == 0
    assert build(world, recipe, OUT) == 0
    fetched = fetch(OUT, tmp_path / "fetched")
    assert tree_of(fetched, *RESULTS) == tree_of(local, *RESULTS)
    capsys.readouterr()
    assert build(world, recipe, OUT) == 0
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "finished before" not in line and "warning" not in line] == []
    (lost,) = list_files(f"{OUT}/surfaces/ja/*/*.parquet")[:1]
    remove(lost)
    assert main(["groups", recipe, "--languages", "de,ja", "--output", OUT, "--seed", "8"]) == 1
    assert f"expected {lost}, saw no such file; run `wikisem surfaces`" in capsys.readouterr().err
    assert main(["surfaces", recipe, "--languages", "de,ja", "--output", OUT]) == 0
    assert tree_of(fetch(OUT, tmp_path / "again"), *RESULTS) == tree_of(local, *RESULTS)
