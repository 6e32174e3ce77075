"""Items that nothing links to: a build does not keep them, and counts them as the stages one by one do."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.transforms.test_entities import item
from tests.trees import manifest_of, results_of
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import (
    SampleDumps,
    entity_lines,
    read_classes,
    read_items,
    wikidata_dump,
    write_sample_world,
)
from wikisem.recipes.load import shipped_names

CAPITAL, COLLEGE_TOWN, COMUNE = "Q5119", "Q1187811", "Q747074"
DISAMBIGUATION, NOWHERE_ELSE = "Q4167410", "Q910001"
LANGUAGES: Final = ("de",)
LINK: Final = {"dewiki": {"site": "dewiki", "title": "Seite", "badges": []}}


def _unlinked() -> Iterator[dict[str, Any]]:
    """Forty items of each kind: each would change what one rule decides."""
    for number in range(920_000, 920_040):
        yield item(f"Q{number}", [CAPITAL])  # no longer four fifths of the capitals are something else, too
        yield item(f"Q{number + 200}", [COMUNE, NOWHERE_ELSE])  # four fifths of the comuni are something else, too
        yield item(f"Q{number + 300}", [COLLEGE_TOWN, DISAMBIGUATION])  # pages without a subject say nothing
        # Only the latest revision of an item counts.
        yield item(f"Q{number + 400}", [CAPITAL], lastrevid=1, sitelinks=LINK)
        yield item(f"Q{number + 400}", [DISAMBIGUATION], lastrevid=2)


def _lines(unlinked: bool) -> list[str]:
    known = [json.loads(line) for line in entity_lines(read_items(), read_classes())]
    more = list(_unlinked()) if unlinked else []
    return [json.dumps(entity) for entity in (*known[:500], *more, *known[500:])]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[SampleDumps, str]:
    """The sample world with unlinked items, and the path of the same Wikidata without them."""
    folder = tmp_path_factory.mktemp("world")
    dumps = write_sample_world(str(folder))
    Path(dumps.wikidata).write_bytes(wikidata_dump(_lines(unlinked=True)))
    linked = folder / "linked.json.gz"
    linked.write_bytes(wikidata_dump(_lines(unlinked=False)))
    return dumps, str(linked)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of outputs, each of which serves one recipe after another."""
    return tmp_path_factory.mktemp("outputs")


def _wikipedia(dumps: SampleDumps) -> list[str]:
    return ["--wikipedia", *(f"{language}={dumps.wikipedia[language]}" for language in LANGUAGES)]


def _build(recipe: str, wikidata: str, dumps: SampleDumps, output: Path) -> dict[str, str]:
    assert main(["build", recipe, "--wikidata", wikidata, *_wikipedia(dumps), "--output", str(output)]) == 0
    return results_of(output)


def _stages(recipe: str, dumps: SampleDumps, output: Path) -> dict[str, str]:
    codes = ["--languages", ",".join(LANGUAGES)]
    assert main(["entities", "--wikidata", dumps.wikidata, *codes, "--output", str(output)]) == 0
    assert main(["mentions", *_wikipedia(dumps), "--output", str(output)]) == 0
    assert main(["taxonomy", recipe, "--output", str(output)]) == 0
    for stage in ("surfaces", "groups"):
        assert main([stage, recipe, *codes, "--output", str(output)]) == 0
    return results_of(output)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", shipped_names("wikisem.recipes"))
def test_a_build_leaves_what_its_stages_leave(recipe: str, world: tuple[SampleDumps, str], outputs: Path) -> None:
    """Byte for byte, though a build does not keep the unlinked items, which decide between groups in two recipes."""
    dumps, linked = world
    built = _build(recipe, dumps.wikidata, dumps, outputs / "built")
    assert built == _stages(recipe, dumps, outputs / "staged")
    counts = {name: manifest_of(outputs / name)["stages"]["entities"] for name in ("built", "staged")}
    assert counts["built"]["left_out"]["unlinked"] == counts["staged"]["kept"] - counts["built"]["kept"] == 160
    without = _build(recipe, linked, dumps, outputs / "linked")
    assert (built == without) == (recipe == "wikisem500")


@pytest.mark.slow
def test_unlinked_items_decide_which_siblings_a_class_has(world: tuple[SampleDumps, str], outputs: Path) -> None:
    """By the recipe of the demo, with a share near those of its classes."""
    dumps, linked = world
    recipe = outputs / "share.toml"
    text = 'name = "share"\nbase = "demo"\n[filters]\naffix = false\n[outliers]\nstatus_share = 0.8\n'
    recipe.write_text(text, encoding="utf-8")  # film genres end alike in German
    siblings: dict[str, dict[str, set[str]]] = {}
    for name, wikidata in (("built", dumps.wikidata), ("linked", linked)):
        _build(str(recipe), wikidata, dumps, outputs / name)
        siblings[name] = {
            group.qid: {outlier.via for outlier in group.outliers if outlier.outlier_class == 1}
            for group in read_groups(str(outputs / name), "de")
        }
    built, without = siblings["built"], siblings["linked"]
    # All but one class have the same siblings; with the unlinked items it is a status class, which has none.
    assert {qid for qid in built if built[qid] != without.get(qid)} == {COMUNE}
    assert (len(built[COMUNE]), len(without[COMUNE])) == (0, 1)
