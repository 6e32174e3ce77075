"""The manifest: where every set in an output folder comes from."""

from pathlib import Path

import pytest

from tests.trees import manifest_of
from wikisem.pipeline.build.ledger import Record
from wikisem.pipeline.build.manifest import write_manifest
from wikisem.pipeline.build.run import Run
from wikisem.records import Counts
from wikisem.transforms.io.runtime import Runtime


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run into a fresh folder."""
    return Run(str(tmp_path), Runtime())


def put(run: Run, unit: str, **made_with: object) -> None:
    """Record a unit that was made with these."""
    fingerprint = f"print_of_{unit.replace('/', '_')}"
    run.ledger.put(Record(unit, fingerprint, "", Counts(5, 3, {"a": 1}, {"b": 1}), {}, {}, made_with, {"cases": 9}))


def test_every_unit_says_what_it_counted_and_what_made_it(run: Run) -> None:
    """Counts, fingerprint, recipe, seed and facts are in one table for each unit."""
    put(run, "groups/de", recipe={"name": "x"}, seed=7, versions={"wikisem": "1"})
    write_manifest(run)
    assert manifest_of(Path(run.output))["stages"]["groups/de"] == {
        "fingerprint": "print_of_groups_de",
        "in": 5,
        "kept": 3,
        "left_out": {"a": 1},
        "unreadable": {"b": 1},
        "recipe": {"name": "x"},
        "seed": 7,
        "versions": {"wikisem": "1"},
        "cases": 9,
    }


def test_units_of_earlier_commands_stay(run: Run) -> None:
    """A command that makes one unit forgets none of the others."""
    put(run, "entities")
    write_manifest(run)
    put(run, "mentions/de")
    write_manifest(run)
    assert set(manifest_of(Path(run.output))["stages"]) == {"entities", "mentions/de"}


def test_a_unit_that_is_not_finished_any_more_goes(run: Run) -> None:
    """The manifest credits nothing that is not there."""
    put(run, "entities")
    put(run, "taxonomy")
    write_manifest(run)
    run.ledger.invalidate("taxonomy")
    write_manifest(run)
    assert set(manifest_of(Path(run.output))["stages"]) == {"entities"}


def test_the_top_holds_what_all_groups_have_in_common(run: Run) -> None:
    """Groups of two seeds have no seed at the top, but each its own; other stages do not matter then."""
    put(run, "taxonomy", recipe={"name": "z"}, seed=1)
    write_manifest(run)
    assert (manifest_of(Path(run.output))["recipe"], manifest_of(Path(run.output))["seed"]) == ({"name": "z"}, 1)

    put(run, "groups/de", recipe={"name": "x"}, seed=7)
    put(run, "groups/en", recipe={"name": "x"}, seed=8)
    write_manifest(run)
    manifest = manifest_of(Path(run.output))
    assert manifest["recipe"] == {"name": "x"}
    assert "seed" not in manifest
    assert [manifest["stages"][f"groups/{language}"]["seed"] for language in ("de", "en")] == [7, 8]

    put(run, "groups/de", recipe={"name": "x"}, seed=8)
    write_manifest(run)
    assert manifest_of(Path(run.output))["seed"] == 8
