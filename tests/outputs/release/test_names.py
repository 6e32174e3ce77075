"""The names of pages in a release: the tables of the run as they are, a config of each language, and credit."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from tests.outputs.release.world import CODES, write_run
from tests.trees import tree_of
from wikisem.layout import MANIFEST
from wikisem.pipeline.cli import main
from wikisem.schemas import NAMES

FIRST, SECOND = CODES[:2]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with names in three languages, of which one has no groups, and one has names in two files."""
    run = write_run(tmp_path / "out", 1)
    for code, file in ((FIRST, "0"), (FIRST, "1"), (SECOND, "0"), ("la", "0")):
        (run / "names" / code).mkdir(parents=True, exist_ok=True)
        row = {"title": f"Page {file}", "anchor": "page", "count": 1, "total": 1, "links": 1}
        pq.write_table(pa.Table.from_pylist([row], NAMES), run / "names" / code / f"{file}.parquet")
    return run


def test_tables_of_names_are_configs_of_a_release(run: Path, tmp_path: Path) -> None:
    """Of the languages of the set; also of a release of the release, to the byte; the card counts what was left out."""
    manifest = json.loads((run / "manifest.json").read_bytes())
    manifest["stages"][f"names/{FIRST}"] = {"in": 5, "kept": 2}
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    released = tree_of(tmp_path / "set", "names")
    assert released == {name: one for name, one in tree_of(run, "names").items() if "/la/" not in name}
    card = (tmp_path / "set" / "README.md").read_text()
    configs = yaml.safe_load(card.split("---")[1])["configs"]
    own = {one["config_name"]: one["data_files"][0]["path"] for one in configs if "names" in one["config_name"]}
    assert own == {f"names-{code}": f"names/{code}/*.parquet" for code in (FIRST, SECOND)}
    assert f"| `names-{FIRST}` | 2 | 3 |" in card
    assert f"| `names-{SECOND}` | 1 | 0 |" in card
    assert main(["release", str(tmp_path / "set"), "--output", str(tmp_path / "again")]) == 0
    assert tree_of(tmp_path / "again", "names") == released


@pytest.mark.parametrize(
    "name", ["names/de/0.parquet", "groups/de.parquet", "rejected/de.jsonl", "categories/de.parquet", MANIFEST]
)
def test_a_release_is_not_made_from_other_bytes(
    name: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each file of a release is compared with its manifest, and that with its checksum; so is one that is gone."""
    (run / "categories").mkdir()
    (run / "categories" / "de.jsonl").write_text('{"category": "colours", "language": "de", "items": []}\n')
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    path = tmp_path / "set" / name
    data = bytearray(path.read_bytes())
    data[data.rindex(b"1" if name == MANIFEST else data[-20:-19])] ^= 1
    path.write_bytes(data)
    words = ["release", str(tmp_path / "set"), "--output", str(tmp_path / "again")]
    assert main(words) == 1
    assert f"{path}: expected" in capsys.readouterr().err
    path.unlink()
    if name != MANIFEST:  # releases from before there was one are read
        assert main(words) == 1
        assert f"{path}: expected the file with checksum" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("linked", [True, False])
def test_wikipedia_is_credited_for_names(linked: bool, run: Path, tmp_path: Path) -> None:
    """Also where all words of the groups are labels: the set would else be in the public domain, as Wikidata is."""
    for path in (run / "groups").glob("*.jsonl"):
        path.write_text(path.read_text() if linked else path.read_text().replace('"anchor"', '"label"'))
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    text = (tmp_path / "set" / "LICENSE").read_text()
    assert f"- https://{FIRST}.wikipedia.org/" in text
    assert "The tables of names have the words of links and how often they lead to each page" in text
    assert ("words of groups were chosen among them" in text) == linked
    assert ("All words of groups, classes, items and their numbers are from Wikidata" in text) != linked
    assert 'license: "cc-by-sa-4.0"' in (tmp_path / "set" / "README.md").read_text()


def test_tables_of_other_names_do_not_stay(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A config would read both; nor is a file released that is no table."""
    stray = tmp_path / "set" / "names" / FIRST / "7.parquet"
    stray.parent.mkdir(parents=True)
    stray.write_bytes(b"")
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 2
    assert f"names/{FIRST}/7.parquet" in capsys.readouterr().err
    (run / "names" / FIRST / "0.parquet").write_bytes(b"no table")
    assert main(["release", str(run), "--output", str(tmp_path / "other")]) == 1
    assert "expected rows of names, saw" in capsys.readouterr().err
