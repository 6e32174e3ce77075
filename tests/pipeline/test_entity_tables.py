"""Public tables of Wikidata in place of the JSON dump: for commands, stores, resuming and the manifest."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.trees import manifest_of
from tests.wikidata.public_tables import read_dump, write_tables
from wikisem.files import remove_below, replace_file
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps
from wikisem.wikidata.entity_tables import find_table_files, open_tables
from wikisem.wikidata.line_types import Fields

FINISHED = "entities: finished before, nothing changed"


@pytest.fixture(scope="module")
def dump(world: SampleDumps, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The items of the sample world with their pages in three Wikipedias."""
    path = tmp_path_factory.mktemp("dump") / "dump.json"
    found = read_dump(Path(world.wikidata))
    for entity in found:
        links = dict(entity.get("sitelinks") or {})
        entity["sitelinks"] = {site: links[site] for site in ("dewiki", "enwiki", "jawiki") if site in links}
    path.write_text("".join(f"{json.dumps(entity)}\n" for entity in found))
    return str(path)


@pytest.fixture(scope="module")
def tables(dump: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of these items, in two parts each."""
    folder = tmp_path_factory.mktemp("tables")
    lines = Path(dump).read_text().splitlines()
    write_tables(map(json.loads, lines), folder, cut=lambda rows: [rows // 2, rows - rows // 2])
    return folder


def entities(output: Path, *words: str) -> list[dict[str, Any]]:
    """The items of one run, by id."""
    assert main(["entities", "--languages", "de,ja", "--output", str(output), "--wikidata", *words]) == 0
    rows = [row for path in (output / "entities").glob("*/*.parquet") for row in pq.read_table(path).to_pylist()]
    return sorted(rows, key=lambda row: int(row["qid"][1:]))


@pytest.mark.slow
def test_entities_from_tables_are_those_of_the_dump_and_are_kept_until_a_table_changes(
    dump: str,
    tables: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is read and what is missing is said first, and is in the manifest; two workers share many ranges."""
    monkeypatch.setattr("wikisem.wikidata.entity_tables._SMALLEST_ROWS", 200)
    assert len(open_tables(find_table_files(str(tables)), Fields()).ranges()) > 2
    expected = entities(tmp_path / "dump", dump)
    capsys.readouterr()
    assert entities(tmp_path / "out", str(tables), "--workers", "2") == expected
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("entities: Parquet tables of a release, made from a JSON dump: ")
    assert lines[1].startswith("warning: entities: the tables lack scholarly works")
    found = manifest_of(tmp_path / "out")["stages"]["entities"]
    assert [Path(one["path"]).name for one in found["inputs"]] == [
        f"wikidata-{name}" for name in ("claims", "entities", "labels", "links")
    ]
    sizes = [sum(path.stat().st_size for path in folder.glob("*/*")) for folder in sorted(tables.iterdir())]
    assert [one["size"] for one in found["inputs"]] == sizes
    assert (found["kept"], found["tables"]["layout"]) == (len(expected), "release")
    assert found["tables"]["languages"] == ["de", "en", "ja"]
    assert found["tables"]["rows"]["links"] == sum(row["sitelinks"] for row in expected)
    entities(tmp_path / "out", str(tables))
    assert FINISHED in capsys.readouterr().err
    part = next(tables.glob("wikidata-labels/ja/*.parquet"))
    pq.write_table(pq.read_table(part).slice(1), part, compression="none")
    assert len(entities(tmp_path / "out", str(tables))) == len(expected)
    assert FINISHED not in capsys.readouterr().err


def test_tables_with_checksums_are_the_same_wherever_they_are(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In another folder, or named one by one, nothing is read again; a store is read as this machine is."""
    output = tmp_path / "out"
    expected = entities(output, str(tables), "--checksum")
    moved = tmp_path / "moved"
    moved.mkdir()
    for path in tables.glob("*/*/*.parquet"):
        target = moved / path.relative_to(tables)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    capsys.readouterr()
    entities(output, *(str(folder) for folder in sorted(moved.iterdir())), "--checksum")
    assert FINISHED in capsys.readouterr().err
    try:
        for path in tables.glob("*/*/*.parquet"):
            replace_file(f"memory://bucket/20260928/{path.relative_to(tables)}", path.read_bytes())
        assert entities(tmp_path / "store", "memory://bucket/20260928") == expected
    finally:
        remove_below("memory://bucket", "20260928")
    inputs = manifest_of(tmp_path / "store")["stages"]["entities"]["inputs"]
    assert {one["date"] for one in inputs} == {"2026-09-28"}


def test_items_that_the_table_of_entities_lacks_are_counted_and_kept(
    tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in the release of 2026-09-28, whose table of entities has properties alone."""
    for path in tables.glob("wikidata-[cl]*/*/*.parquet"):
        (tmp_path / path.relative_to(tables)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path.relative_to(tables)).symlink_to(path)
    source = pq.read_table(next(tables.glob("wikidata-entities/all/part-001*")))
    (tmp_path / "wikidata-entities/all").mkdir(parents=True)
    pq.write_table(source, tmp_path / "wikidata-entities/all/part-0.parquet")
    rows = entities(tmp_path / "out", str(tmp_path))
    stage = manifest_of(tmp_path / "out")["stages"]["entities"]
    lacking = stage["tables"]["without_revision"]
    assert lacking == stage["in"] - source.num_rows > 0
    assert f"entities: {lacking:,} are not in the table of entities, and have no revision" in capsys.readouterr().err
    assert sum(row["lastrevid"] == 0 for row in rows) <= lacking


def test_tables_and_a_dump_together_are_refused(
    dump: str, tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing says which of them counts."""
    words = ["entities", "--wikidata", str(tables), dump, "--output", str(tmp_path)]
    assert main(words) == 2
    assert "expected a JSON dump or folders of Parquet tables, saw tables of " in capsys.readouterr().err
