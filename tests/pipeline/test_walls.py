"""Walls from whole builds: by a recipe, by the command, in any languages with the same bytes, and what is refused."""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest

from tests.pipeline.stage_digests import KNOWN, version_and_digest
from tests.trees import manifest_of
from wikisem.graph.taxonomy import Taxonomy
from wikisem.outputs.groupfile import read_groups, read_walls
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps

pytestmark = pytest.mark.slow

RECIPE = """\
base = "demo"
name = "walled"
languages = ["ar", "de"]
[walls]
number = 12
"""


def build(world: SampleDumps, folder: Path, recipe: str, *words: str) -> int:
    """Build two languages of the sample world into ``folder/out``."""
    (folder / "walled.toml").write_text(recipe, encoding="utf-8")
    dumps = [f"{language}={world.wikipedia[language]}" for language in ("ar", "de")]
    command = ["build", str(folder / "walled.toml"), "--wikidata", world.wikidata, "--wikipedia", *dumps]
    return main([*command, "--output", str(folder / "out"), *words])


@pytest.fixture(scope="module")
def output(world: SampleDumps, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build whose recipe asks for twelve walls a language."""
    folder = tmp_path_factory.mktemp("walled")
    assert build(world, folder, RECIPE) == 0
    return folder / "out"


def bytes_of(output: Path, language: str) -> bytes:
    """The walls of a language as they are in the output folder."""
    return (output / "walls" / f"{language}.jsonl").read_bytes()


def test_what_the_stage_leaves_changes_with_its_version_alone(output: Path) -> None:
    """As with the stages before it."""
    assert version_and_digest(output, "walls") == KNOWN["walls"]


def test_walls_are_of_the_groups_of_their_language(output: Path) -> None:
    """Classes have groups there, with these labels; words are the members of groups, without coarse types."""
    taxonomy = Taxonomy.load(output)
    for language in ("ar", "de"):
        walls, groups = read_walls(output, language), {group.qid: group for group in read_groups(output, language)}
        assert len(walls) == 4
        for wall in walls:
            assert (wall.language, wall.margin) == (language, 0.5)
            words = {word.id: word for word in wall.words}
            for group in wall.groups:
                assert group.label == groups[group.qid].label
                assert set(group.members) <= set(taxonomy.instances(group.qid))
                cluster = {one.id: msgspec.structs.replace(one, type=None) for one in groups[group.qid].cluster}
                assert all(words[one] == cluster[one] for one in group.members if one in cluster)
            for one, other in combinations([group.qid for group in wall.groups], 2):
                assert one not in taxonomy.above(other)
                assert other not in taxonomy.above(one)


def test_walls_are_finished_once_and_in_the_manifest(
    output: Path, world: SampleDumps, capfd: pytest.CaptureFixture[str]
) -> None:
    """A second build changes nothing; the manifest has for each tier how many were tried and kept."""
    assert build(world, output.parent, RECIPE) == 0
    assert "walls/de: finished before, nothing changed" in capfd.readouterr().err
    tiers = manifest_of(output)["stages"]["walls/de"]["tiers"]
    assert set(tiers) == {"far", "sibling", "herring"}
    assert tiers["far"]["kept"] == 4
    assert tiers["herring"]["left_out"] == {"no-classes": 2}


def test_the_command_makes_the_same_walls_of_a_finished_run(
    world: SampleDumps, output: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever languages are chosen, and however many workers built the groups; another seed gives other walls."""
    assert build(world, tmp_path, RECIPE.replace("number = 12", "number = 0"), "--workers", "2") == 0
    made = tmp_path / "out"
    assert not (made / "walls").exists()
    capfd.readouterr()
    assert main(["walls", str(made), "--languages", "de", "--number", "12"]) == 0
    shown = capfd.readouterr()
    assert [path.name for path in (made / "walls").iterdir()] == ["de.jsonl"]
    assert bytes_of(made, "de") == bytes_of(output, "de")
    assert f"output: {made}/walls" in shown.out
    made_groups = len(read_groups(made, "de"))
    assert (
        "warning: 4 walls of 12 in de (far 4, sibling 0, herring 0); no-classes in sibling, herring: no four of "
        f"{made_groups} groups that may be in one wall have four fitting words each; what may help: higher walls.uses, "
        "lower outliers.min_sitelinks, lower cluster.minimum, more items"
    ) in shown.err
    assert [line for line in shown.out.splitlines() if "far" in line and "de" in line and " 4 " in line]
    assert main(["walls", str(made), "--number", "12", "--workers", "2"]) == 0
    assert bytes_of(made, "ar") == bytes_of(output, "ar")
    assert "walls/de: finished before, nothing changed" in capfd.readouterr().err
    assert main(["walls", str(made), "--number", "12", "--seed", "3"]) == 0
    assert bytes_of(made, "de") != bytes_of(output, "de")


def test_the_warning_names_no_key_that_goes_no_further(
    world: SampleDumps, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A bound that is 0 already cannot be lowered, and a group has four members for its row."""
    least = "[cluster]\nminimum = 4\n[outliers]\nmin_sitelinks = 0\n[walls]"
    assert build(world, tmp_path, RECIPE.replace("[walls]", least)) == 0
    assert "fitting words each; what may help: higher walls.uses, more items" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--languages", "fr"], "expected languages with finished groups (ar, de), saw fr; run `wikisem groups`"),
        (["--number", "0"], "expected a whole number from 1 up, saw '0'"),
    ],
)
def test_what_a_run_does_not_have_is_said(
    output: Path, words: Sequence[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A language without groups, a number that asks for nothing."""
    assert main(["walls", str(output), *words]) != 0
    assert said in capfd.readouterr().err


def test_a_folder_without_a_finished_run_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """There are no groups to make walls of."""
    assert main(["walls", str(tmp_path)]) != 0
    assert "expected finished groups, saw none; run `wikisem groups` or `wikisem build` first" in capfd.readouterr().err


def test_entities_without_signatures_are_said(
    world: SampleDumps, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where the recipe has a bound on margins, walls need them; where it has none, the class graph says what fits."""
    recipe = RECIPE.replace("[walls]", "[cluster]\ncoherence = false\n[outliers]\nmargin = false\n[walls]")
    assert build(world, tmp_path, recipe) == 0
    made = tmp_path / "out"
    assert {wall.margin for wall in read_walls(made)} == {None}
    capfd.readouterr()
    assert main(["walls", str(made), "--languages", "de"]) == 0
    assert "note: the recipe of the groups has no bound on margins" in capfd.readouterr().err
    record = made / ".wikisem" / "groups.de.json"
    assert orjson.loads(record.read_bytes())["made_with"]["recipe"]["walls"] == {"number": 12, "uses": 8}


# An independent reading of walls from real data: what is stated in the lines of the dump, and brute force.

REAL = """\
base = "wikisem"
name = "real"
languages = ["de", "en"]
[cluster]
coherence = false
[surface]
fallback = "label"
[outliers]
min_sitelinks = 0
margin = 0.2  # of most classes of the slice only descriptions tell anything, and these fit several classes
[walls]
number = 500
"""


@dataclass(frozen=True)
class RawGraph:
    """P31 and P279 of the items of some dumps, at any rank but deprecated, before anything is pruned."""

    instance_of: Mapping[str, set[str]]
    subclass_of: Mapping[str, set[str]]

    @staticmethod
    def of(paths: Sequence[Path]) -> "RawGraph":
        """Of two lines of an item the later revision counts."""
        found: dict[str, tuple[int, set[str], set[str]]] = {}
        for line in chain.from_iterable(gzip.decompress(path.read_bytes()).splitlines() for path in paths):
            if line.startswith(b"{"):
                item = orjson.loads(line.strip().rstrip(b","))
                revision = item.get("lastrevid", 0)
                if item["id"] not in found or revision > found[item["id"]][0]:
                    found[item["id"]] = revision, _values(item, "P31"), _values(item, "P279")
        return RawGraph(
            {qid: instance_of for qid, (_, instance_of, _) in found.items()},
            {qid: subclass_of for qid, (_, _, subclass_of) in found.items()},
        )

    def above(self, qid: str) -> set[str]:
        """All superclasses, transitively."""
        seen, new = set[str](), {qid}
        while new:
            new = {high for low in new for high in self.subclass_of.get(low, ())} - seen
            seen |= new
        return seen

    def classes(self, qid: str) -> set[str]:
        """All classes of which an item is an instance."""
        return {high for own in self.instance_of.get(qid, ()) for high in (own, *self.above(own))}


def _values(item: dict[str, Any], name: str) -> set[str]:
    snaks = (one["mainsnak"] for one in dict(item["claims"]).get(name, ()) if one["rank"] != "deprecated")
    values = (one["datavalue"]["value"] for one in snaks if one["snaktype"] == "value")
    return {one.get("id") or f"Q{one['numeric-id']}" for one in values} - {item["id"]}


def divisions(fits: dict[str, set[str]], classes: Sequence[str]) -> int:
    """How many divisions there are, four words for one class after another, by brute force."""
    if not classes:
        return 1
    able = [one for one in fits if classes[0] in fits[one]]
    return sum(
        divisions({one: own for one, own in fits.items() if one not in four}, classes[1:])
        for four in combinations(able, 4)
    )


@pytest.fixture(scope="module", params=[["class-graph-slice", "real-entities"], ["class-graph-with-statements"]])
def real(
    request: pytest.FixtureRequest, realdata: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, RawGraph]:
    """A build of real items in German and English, by their labels, and what their lines state."""
    folder, files = tmp_path_factory.mktemp("real"), [realdata / f"wikidata/{one}.json.gz" for one in request.param]
    (folder / "real.toml").write_text(REAL, encoding="utf-8")
    words = ["--wikidata", *map(str, files), "--output", str(folder / "out")]
    assert main(["build", str(folder / "real.toml"), *words]) == 0
    return folder / "out", RawGraph.of(files)


@pytest.mark.realdata
def test_no_wall_of_real_data_has_a_second_solution(real: tuple[Path, RawGraph]) -> None:
    """What fits by the lines of the dump is what the wall says; the second witness adds herrings."""
    output, raw = real
    walls = read_walls(output)
    assert len(walls) >= 130
    assert {wall.tier for wall in walls} == {"far", "sibling", "herring"}
    for wall in walls:
        classes = [group.qid for group in wall.groups]
        fits = {word.id: raw.classes(word.id) & {*classes} for word in wall.words}
        own = {one: group.qid for group in wall.groups for one in group.members}
        assert all(own[one] in fits[one] for one in fits)
        herrings = [(one.id, *fit) for one in wall.herrings for fit in zip(one.fits, one.by, strict=True)]
        by_graph = {(one, fit) for one, fit, how in herrings if how == "graph"}
        assert by_graph == {(one, fit) for one, several in fits.items() for fit in several if fit != own[one]}
        for one, fit, _ in herrings:
            fits[one].add(fit)
        assert divisions(fits, classes) == 1


@pytest.mark.realdata
def test_no_outlier_of_real_data_is_kin(real: tuple[Path, RawGraph]) -> None:
    """No outlier is an instance of its class, or a class above or below it, by the lines of the dump."""
    output, raw = real
    groups = read_groups(output, "en")
    assert len(groups) >= 90
    for group in groups:
        for outlier in group.outliers:
            assert group.qid not in {outlier.id} | raw.classes(outlier.id) | raw.above(outlier.id)
            assert outlier.id not in raw.above(group.qid)
