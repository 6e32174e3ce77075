"""Runs that build on earlier ones: what is finished is kept, what changed is done again, and nothing else is."""

import shutil
from pathlib import Path

import pytest

from tests.trees import manifest_of, results_of, tree_of
from wikisem.datasets.word_groups import read_dataset
from wikisem.dumps.bzip2.block_reader import decoder_name
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps, write_sample_world
from wikisem.pipeline.runs.ledger import Ledger


@pytest.fixture(scope="module")
def german(world: SampleDumps, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished build in German."""
    output = tmp_path_factory.mktemp("german") / "out"
    _build(world, output, "de")
    return output


def _build(world: SampleDumps, output: Path, *languages: str, words: tuple[str, ...] = ()) -> None:
    wikipedia = [f"{language}={world.wikipedia[language]}" for language in languages]
    command = ["build", "demo", "--wikidata", world.wikidata, "--wikipedia", *wikipedia, "--output", str(output)]
    assert main([*command, *words]) == 0


def _redone(capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The stages that the last command did not find finished, by the first words of their progress."""
    lines = capsys.readouterr().err.splitlines()
    others = ("finished before", "warning", "bzip2 is decoded by", "stage ")
    return {line.partition(":")[0] for line in lines if not any(other in line for other in others)}


def test_a_run_says_once_what_decodes_bzip2(
    world: SampleDumps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For all stages together, if any has such a file to read; and in the manifest among the versions."""
    wikipedia = [f"{language}={world.wikipedia[language]}" for language in ("de", "ja")]
    command = ["mentions", "--wikipedia", *wikipedia, "--output", str(tmp_path)]
    for times in (1, 0):
        capsys.readouterr()
        assert main(command) == 0
        assert capsys.readouterr().err.count(f"bzip2 is decoded by {decoder_name()}\n") == times
    assert manifest_of(tmp_path)["versions"]["bzip2"] == decoder_name()


@pytest.mark.slow
def test_a_build_that_is_repeated_does_nothing(
    world: SampleDumps, german: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every stage is found finished, and no byte changes."""
    before = tree_of(german, ".")
    _build(world, german, "de")
    assert _redone(capsys) == set()
    assert {**tree_of(german, "."), "manifest.json": ""} == {**before, "manifest.json": ""}


@pytest.mark.slow
def test_another_language_reruns_what_it_needs_and_leaves_the_first_as_it_is(
    world: SampleDumps, german: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Japanese after German: labels are read again, German's mentions, surfaces and groups are not; then both serve."""
    output = tmp_path / "out"
    shutil.copytree(german, output)
    _build(world, output, "ja")
    assert _redone(capsys) == {"entities", "mentions ja", "surfaces ja", "groups"}
    _build(world, output, "de", "ja")
    assert _redone(capsys) == set()
    assert {path: digest for path, digest in results_of(output).items() if "ja" not in path} == results_of(german)


@pytest.mark.slow
def test_another_recipe_redoes_the_stages_that_depend_on_it(
    world: SampleDumps, german: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A seed changes groups alone."""
    output = tmp_path / "out"
    shutil.copytree(german, output)
    _build(world, output, "de", words=("--seed", "7"))
    assert _redone(capsys) == {"groups"}
    assert results_of(output) != results_of(german)


@pytest.mark.slow
def test_a_stage_that_was_cut_off_is_done_again(
    world: SampleDumps, german: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without its record a stage is not finished, whatever files are there; the result is the same again."""
    output = tmp_path / "out"
    shutil.copytree(german, output)
    (output / ".wikisem" / "taxonomy.json").unlink()
    (folder,) = (output / "taxonomy").iterdir()
    (folder / "left-over").write_text("half a file")
    _build(world, output, "de")
    assert _redone(capsys) == {"taxonomy"}
    assert not (folder / "left-over").exists()
    assert results_of(output) == results_of(german)


@pytest.mark.slow
def test_the_stages_one_by_one_leave_what_build_leaves(world: SampleDumps, german: Path, tmp_path: Path) -> None:
    """entities, mentions, surfaces, taxonomy and groups in turn are the build."""
    output = str(tmp_path / "out")
    entities = ["entities", "--wikidata", world.wikidata, "--languages", "de"]
    assert main([*entities, "--output", output]) == 0
    assert main(["mentions", "--wikipedia", f"de={world.wikipedia['de']}", "--output", output]) == 0
    assert main(["surfaces", "demo", "--languages", "de", "--output", output]) == 0
    assert main(["taxonomy", "demo", "--output", output]) == 0
    assert main(["groups", "demo", "--languages", "de", "--output", output]) == 0
    assert results_of(Path(output)) == results_of(german)


@pytest.mark.slow
def test_texts_are_read_with_the_outlier_classes_that_the_build_gave(
    world: SampleDumps, german: Path, tmp_path: Path
) -> None:
    """Also where six outliers are three of a class: the file beside the texts says which."""
    output, recipe = tmp_path / "out", tmp_path / "threes.toml"
    shutil.copytree(german, output)
    recipe.write_text('name = "threes"\nbase = "demo"\n[outliers]\nper_class = 3\n', encoding="utf-8")
    command = ["build", str(recipe), "--wikidata", world.wikidata, "--wikipedia", f"de={world.wikipedia['de']}"]
    assert main([*command, "--output", str(output)]) == 0
    texts, groups = (
        {group.id: [outlier.outlier_class for outlier in group.outliers] for group in read_dataset(output / folder)}
        for folder in ("wikisem500", "groups")
    )
    assert texts == groups
    assert any(len(classes) == 6 and classes != [1, 1, 2, 2, 3, 3] for classes in groups.values())
    assert any(len(classes) == 3 for classes in groups.values())


def test_a_stage_without_the_one_before_says_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the stage to run first."""
    assert main(["taxonomy", "demo", "--output", str(tmp_path)]) == 1
    assert "run `wikisem entities` first" in capsys.readouterr().err


def _by_label(folder: Path) -> str:
    """A recipe file that needs no links."""
    path = folder / "by-label.toml"
    path.write_text('name = "by-label"\nbase = "demo"\n[surface]\nfallback = "label"\n', encoding="utf-8")
    return str(path)


def test_labels_that_were_not_kept_are_asked_for(
    german: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Surfaces in a language whose labels the entities do not hold end in a message, not in names that are missing."""
    recipe = _by_label(tmp_path)
    assert main(["surfaces", recipe, "--languages", "fr", "--output", str(german)]) == 1
    assert "expected entities with labels in fr" in capsys.readouterr().err


@pytest.mark.slow
def test_signatures_that_were_not_kept_are_asked_for(
    world: SampleDumps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Groups that compare them end in a message without them; a build records them if its recipe does."""
    output = str(tmp_path / "out")
    plain, comparing = (str(tmp_path / f"{coherence}.toml") for coherence in ("false", "0.0"))
    for path in map(Path, (plain, comparing)):
        bounds = f"[cluster]\ncoherence = {path.stem}\n[outliers]\nmargin = false\n"
        path.write_text(f'name = "x"\nbase = "demo"\n{bounds}[surface]\nfallback = "label"\n', encoding="utf-8")
    wikidata = ["--wikidata", world.wikidata, "--languages", "de", "--output", output]
    assert main(["entities", *wikidata, "--recipe", plain]) == 0
    assert main(["surfaces", plain, "--languages", "de", "--output", output]) == 0
    assert main(["taxonomy", plain, "--output", output]) == 0
    capsys.readouterr()
    assert main(["groups", comparing, "--languages", "de", "--output", output]) == 1
    assert "expected entities with signatures, which cluster.coherence and" in capsys.readouterr().err
    assert main(["groups", plain, "--languages", "de", "--output", output]) == 0
    kept = []
    for recipe in (plain, comparing, plain):
        assert main(["build", recipe, *wikidata]) == 0
        kept.append(Ledger(output).require("entities").facts["signatures"])
    assert kept == [False, True, True]


@pytest.mark.slow
def test_the_way_inputs_are_told_apart_does_not_show_in_the_result(
    world: SampleDumps, german: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With checksums the same bytes come out, and a copy of the dumps elsewhere is the same input."""
    output, copy = tmp_path / "out", tmp_path / "copy"
    _build(world, output, "de", words=("--checksum",))
    assert results_of(output) == results_of(german)
    copy.mkdir()
    _redone(capsys)
    _build(write_sample_world(str(copy)), output, "de", words=("--checksum",))
    assert _redone(capsys) == set()


@pytest.mark.slow
def test_a_language_named_without_links_takes_no_siteinfo_from_mentions_in_the_same_folder(
    world: SampleDumps, german: Path, tmp_path: Path
) -> None:
    """Mentions that an earlier command left are not even read where surfaces were made from labels alone."""
    output, recipe = tmp_path / "out", _by_label(tmp_path)
    shutil.copytree(german, output)
    (siteinfo,) = (output / "mentions" / "de").glob("*/siteinfo.json")
    siteinfo.write_text("not what surfaces were made from")
    assert main(["build", recipe, "--wikidata", world.wikidata, "--languages", "de", "--output", str(output)]) == 0
    alone = tmp_path / "alone"
    assert main(["build", recipe, "--wikidata", world.wikidata, "--languages", "de", "--output", str(alone)]) == 0
    assert results_of(output) == results_of(alone)


@pytest.mark.slow
def test_groups_refuse_surfaces_that_were_made_from_other_mentions_than_those_in_the_folder(
    world: SampleDumps, german: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Siteinfo belongs to the mentions in OUT: when these were counted anew, surfaces come first, then groups."""
    output, dump = str(tmp_path / "out"), tmp_path / "another.xml"
    shutil.copytree(german, output)
    dump.write_bytes(Path(world.wikipedia["de"]).read_bytes())
    assert main(["mentions", "--wikipedia", f"de={dump}", "--output", output]) == 0
    assert main(["groups", "demo", "--languages", "de", "--output", output]) == 1
    assert "run `wikisem surfaces` first" in capsys.readouterr().err
    assert main(["surfaces", "demo", "--languages", "de", "--output", output]) == 0
    _redone(capsys)
    assert main(["groups", "demo", "--languages", "de", "--output", output]) == 0
    assert _redone(capsys) == {"groups"}
