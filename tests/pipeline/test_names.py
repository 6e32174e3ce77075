"""`wikisem names`: a table of the names in each language that OUT has links of, and a copy of it elsewhere."""

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.outputs.release.world import make_group
from tests.pipeline.stage_digests import KNOWN, version_and_digest
from tests.trees import tree_of
from wikisem.outputs.groupfile import encode_group
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps
from wikisem.pipeline.runs.ledger import Ledger

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def counted(world: SampleDumps, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The items of the sample world and the links of two languages."""
    output = tmp_path_factory.mktemp("counted")
    dumps = [f"{code}={world.wikipedia[code]}" for code in ("de", "ja")]
    assert main(["entities", "--wikidata", world.wikidata, "--output", str(output)]) == 0
    assert main(["mentions", "--wikipedia", *dumps, "--output", str(output)]) == 0
    return output


@pytest.fixture
def output(counted: Path, tmp_path: Path) -> Path:
    """A copy that a test may add to."""
    return Path(shutil.copytree(counted, tmp_path / "out"))


def test_every_language_with_links_has_names(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In files of plain Parquet, made once; what they say changes with the version of the stage alone."""
    assert main(["names", str(output)]) == 0
    rows = pq.read_table(output / "names" / "de").to_pylist()
    (rome,) = [row for row in rows if row["title"] == "Rom" and row["anchor"] == "Rom"]
    assert rome["qid"] == "Q220"
    assert rome["count"] / rome["total"] == rome["anchor_share"] > 0.5
    record = Ledger(str(output)).require("names/de")
    assert record.facts == {"pages": len({row["title"] for row in rows}), "items": len({row["qid"] for row in rows})}
    assert version_and_digest(output, "names") == KNOWN["names"]
    capsys.readouterr()
    assert main(["names", str(output)]) == 0
    assert "names/ja: finished before, nothing changed" in capsys.readouterr().err


def test_names_of_some_languages_are_copied_to_a_folder(output: Path, tmp_path: Path) -> None:
    """The same files under the same paths; of the other languages there are none, there or in OUT."""
    folder = tmp_path / "published"
    assert main(["names", str(output), "--languages", "de", "--output", str(folder)]) == 0
    assert tree_of(folder, "names") == tree_of(output, "names")
    assert [path.name for path in (folder / "names").iterdir()] == ["de"]


def test_tables_of_another_set_are_no_part_of_this_one(
    output: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reader of the folder would take both for one; nothing is copied."""
    (tmp_path / "names" / "de").mkdir(parents=True)
    (tmp_path / "names" / "de" / "bucket-00-of-8.parquet").write_bytes(b"")
    assert main(["names", str(output), "--languages", "de", "--output", str(tmp_path)]) == 2
    assert "expected no other tables in names/de, saw names/de/bucket-00-of-8.parquet" in capsys.readouterr().err
    assert len(list((tmp_path / "names" / "de").iterdir())) == 1


def test_without_links_there_are_no_names(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the command to run first, also where one language has none."""
    assert main(["names", str(output), "--languages", "fr"]) == 1
    assert "run `wikisem mentions` first" in capsys.readouterr().err
    assert main(["names", str(output / "entities")]) == 1
    assert "run `wikisem mentions` first" in capsys.readouterr().err


def test_names_of_earlier_links_are_not_released(
    output: Path, world: SampleDumps, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counted again by another rule, links of the set would not be those of its names; the command to run is said."""
    assert main(["names", str(output), "--languages", "de"]) == 0
    assert (
        main(["mentions", "--wikipedia", f"de={world.wikipedia['de']}", "--link-trail", "--output", str(output)]) == 0
    )
    (output / "groups").mkdir()
    (output / "groups" / "de.jsonl").write_bytes(encode_group(make_group("de", 1)))
    capsys.readouterr()
    assert main(["release", str(output), "--output", str(output.parent / "set")]) == 1
    said = "expected names/de made from the mentions/de in"
    assert said in (error := capsys.readouterr().err)
    assert "run `wikisem names` first" in error
