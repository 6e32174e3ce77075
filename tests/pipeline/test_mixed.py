"""A build with `mixed`: groups in several languages beside those of each, and every reader takes them."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import wikisem
from tests.pipeline.stage_digests import KNOWN, version_and_digest
from wikisem.datasets.word_groups import read_dataset
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps

RECIPE = """\
name = "parallel"
languages = ["en", "de", "ja"]
mixed = ["en", "de", "ja"]
[cluster]
max_groups = 0
[outliers]
min_sitelinks = 4
certificate = 8
shared = true
"""
CODE = "mixed-en-de-ja"


def build(world: SampleDumps, folder: Path, recipe: str, *languages: str) -> int:
    """Build some languages of the sample world into ``folder/out``."""
    (folder / "parallel.toml").write_text(recipe, encoding="utf-8")
    words = [f"{language}={world.wikipedia[language]}" for language in languages]
    command = ["build", str(folder / "parallel.toml"), "--wikidata", world.wikidata, "--wikipedia", *words]
    return main([*command, "--output", str(folder / "out")])


@pytest.fixture(scope="module")
def output(world: SampleDumps, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build with mixed groups."""
    folder = tmp_path_factory.mktemp("parallel")
    assert build(world, folder, RECIPE, "en", "de", "ja") == 0
    return folder / "out"


def test_what_mixing_leaves_changes_with_its_version_alone(output: Path) -> None:
    """As with the stages that it mixes the groups of."""
    assert version_and_digest(output, "mixed") == KNOWN["mixed"]


def test_each_member_is_that_of_its_language(output: Path) -> None:
    """In the group of the class in the language it names, the item has this surface form; all languages are there."""
    groups = read_groups(output, CODE)
    plain = {(group.qid, group.language): group for group in read_groups(output) if group.language != CODE}
    assert len(groups) >= 5
    for group in groups:
        members = [*group.cluster, *group.outliers]
        for one in members:
            own = plain[group.qid, str(one.language)]
            assert (one.id, one.surface) in {(other.id, other.surface) for other in (*own.cluster, *own.outliers)}
        assert {one.language for one in members} == {"en", "de", "ja"}


def test_parallel_groups_have_the_same_outliers_in_every_language(output: Path) -> None:
    """Item by item, in the same order; classes without a group in some language are no mixed group and say so."""
    by_class: dict[str, dict[str, list[str]]] = {}
    for group in read_groups(output):
        by_class.setdefault(group.qid, {})[group.language] = [one.id for one in group.outliers]
    rejected = [json.loads(line) for line in (output / "rejected" / f"{CODE}.jsonl").read_text().splitlines()]
    assert rejected
    for qid, languages in by_class.items():
        assert len({tuple(ids) for ids in languages.values()}) == 1
        reasons = [row["reason"] for row in rejected if row["class"] == qid]
        assert (CODE in languages) == (reasons == [])
        assert reasons in ([], ["not-parallel"])


def test_every_form_of_a_language_is_written(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON lines, Parquet and text; the manifest counts them; data sets, evaluation, check and audit read them."""
    groups = read_groups(output, CODE)
    assert pq.read_table(output / "groups" / f"{CODE}.parquet").num_rows == len(groups)
    texts = read_dataset(output / "wikisem500" / CODE)
    assert {group.id for group in texts} == {group.qid for group in groups}
    unit = json.loads((output / "manifest.json").read_text())["stages"][f"groups/{CODE}"]
    assert (unit["kept"], unit["cases"]) == (len(groups), sum(len(group.outliers) for group in groups))
    words = [one.surface for group in groups for one in (*group.cluster, *group.outliers)]
    vectors = output.parent / "vectors.txt"
    lines = [f"{word.replace(' ', '_')} {at} 1" for at, word in enumerate(dict.fromkeys(words))]
    vectors.write_text("\n".join([f"{len(lines)} 2", *lines, ""]), encoding="utf-8")
    assert wikisem.evaluate.outliers(groups, vectors).row("accuracy").cases == unit["cases"]
    assert main(["check", str(output / "groups" / f"{CODE}.jsonl"), "--language", CODE]) in {0, 1}
    assert f"groups: {len(groups)} checked" in capsys.readouterr().out
    assert main(["audit", str(output)]) == 0
    assert CODE in capsys.readouterr().out


def test_explain_leaves_mixed_groups_out(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They have no surface forms of their own to explain; each language's group is explained as ever."""
    assert main(["explain", str(output), read_groups(output, CODE)[0].qid]) == 0
    assert "mixed" not in capsys.readouterr().out


def test_a_second_build_finds_them_finished(
    world: SampleDumps, output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Mixed groups are a unit like any other."""
    assert build(world, output.parent, RECIPE, "en", "de", "ja") == 0
    assert f"groups/{CODE}: finished before" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("recipe", "languages", "said"),
    [
        (RECIPE, ("en", "de"), "mixed: expected languages of the run (de, en), saw ja"),
        (RECIPE.replace("shared = true", ""), ("en", "de", "ja"), "outliers.shared: expected true with mixed"),
        (RECIPE.replace('mixed = ["en", "de", "ja"]', 'mixed = ["en", "en"]'), ("en",), "at least two different"),
    ],
)
def test_what_cannot_be_mixed_is_one_message(
    world: SampleDumps,
    tmp_path: Path,
    recipe: str,
    languages: tuple[str, ...],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before anything runs, with exit code 2."""
    assert build(world, tmp_path, recipe, *languages) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out" / "entities").exists()
