"""The manifest: where every set in an output folder comes from."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.trees import manifest_of
from wikisem.pipeline.runs.ledger import Record, versions
from wikisem.pipeline.runs.run import Run
from wikisem.pipeline.runs.stages import result_of
from wikisem.records import Counts
from wikisem.transforms.io.runtime import Runtime
from wikisem.transforms.surfaces import PageCounts, SurfaceCounts


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
    run.ledger.write_manifest()
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


@pytest.mark.parametrize(("path", "other"), [("dewiki-20261101-pages-articles.xml", "content"), ("x", "articles")])
def test_a_dump_that_lacks_linked_pages_is_told(run: Run, path: str, other: str) -> None:
    """Above 1 in 1,000 of the best linked ones: which, and the other export; a lone one of a thousand is no news."""
    put(run, "mentions/de")
    record = run.ledger.require("mentions/de")
    run.ledger.put(replace(record, facts={"inputs": [{"path": path}]}))
    best = tuple((9000 - number, f"page {number}", number in (3, 5)) for number in range(1000))
    found = result_of("de", SurfaceCounts(pages=PageCounts(5000, 7, best)), run)
    assert found.facts["linked_pages"] == {
        "linked": 5000,
        "missing": 7,
        "best_linked": 1000,
        "best_missing": 2,
        "best_missing_titles": ["page 3", "page 5"],
    }
    assert found.warning == (
        "surfaces/de: 2 of the 1,000 best linked pages are not in the dump: page 3, page 5; "
        f"`wikisem download de --export {other}` fetches the other export"
    )
    one = tuple((links, title, title == "page 3") for links, title, _ in best)
    assert not result_of("de", SurfaceCounts(pages=PageCounts(5000, 6, one)), run).warning
    assert "linked_pages" not in result_of("la", SurfaceCounts(), None).facts


def test_units_of_earlier_commands_stay(run: Run) -> None:
    """A command that makes one unit forgets none of the others."""
    put(run, "entities")
    run.ledger.write_manifest()
    put(run, "mentions/de")
    run.ledger.write_manifest()
    assert set(manifest_of(Path(run.output))["stages"]) == {"entities", "mentions/de"}


def test_a_unit_that_is_not_finished_any_more_goes(run: Run) -> None:
    """The manifest credits nothing that is not there."""
    put(run, "entities")
    put(run, "taxonomy")
    run.ledger.write_manifest()
    run.ledger.invalidate("taxonomy")
    run.ledger.write_manifest()
    assert set(manifest_of(Path(run.output))["stages"]) == {"entities"}


def test_the_top_holds_what_all_groups_have_in_common(run: Run) -> None:
    """Groups of two seeds have no seed at the top, but each its own; other stages do not matter then."""
    put(run, "taxonomy", recipe={"name": "z"}, seed=1)
    run.ledger.write_manifest()
    assert (manifest_of(Path(run.output))["recipe"], manifest_of(Path(run.output))["seed"]) == ({"name": "z"}, 1)

    put(run, "groups/de", recipe={"name": "x"}, seed=7)
    put(run, "groups/en", recipe={"name": "x"}, seed=8)
    run.ledger.write_manifest()
    manifest = manifest_of(Path(run.output))
    assert manifest["recipe"] == {"name": "x"}
    assert "seed" not in manifest
    assert [manifest["stages"][f"groups/{language}"]["seed"] for language in ("de", "en")] == [7, 8]

    put(run, "groups/de", recipe={"name": "x"}, seed=8)
    run.ledger.write_manifest()
    assert manifest_of(Path(run.output))["seed"] == 8


def test_the_version_of_unicode_is_named() -> None:
    """It decides what counts as one character, from 18.0 on, which the installed ``regex`` has."""
    major, _ = versions()["unicode"].split(".")
    assert int(major) >= 18
