"""Bad input through the command line: exit code 1 or 2, no traceback; only the bad record is lost."""

import bz2
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from wikisem.pipeline.cli import main

RECIPE = """
name = "small"
languages = ["en"]
[graph]
root = ""
[outliers]
min_sitelinks = 0
[surface]
fallback = "label"
"""
NAMES = ["Rhine", "Volga", "Loire", "Seine", "Elbe", "Danube", "Nile", "Amazon", "Ganges"]


def entity(number: int, label: str, instance_of: int = 0, subclass_of: int = 0) -> str:
    """One line of a dump, without its comma."""
    edges = {"P31": instance_of, "P279": subclass_of}
    claims = {
        name: [{"mainsnak": {"snaktype": "value", "property": name, "datavalue": value(target)}, "rank": "normal"}]
        for name, target in edges.items()
        if target
    }
    labels = {"en": {"language": "en", "value": label}}
    return json.dumps({"type": "item", "id": f"Q{number}", "labels": labels, "claims": claims, "sitelinks": {}})


def value(target: int) -> Any:
    """The value of a statement that names an item."""
    return {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": f"Q{target}", "numeric-id": target}}


# Two sibling classes below one superclass: nine rivers, which give a group, and three lakes, which are its outliers.
LINES = [
    entity(1, "water", 0, 0),
    entity(2, "river", 0, 1),
    entity(3, "lake", 0, 1),
    *(entity(10 + place, name, 2) for place, name in enumerate(NAMES)),
    *(entity(30 + place, name, 3) for place, name in enumerate(["Baikal", "Geneva", "Victoria"])),
]


@pytest.fixture
def recipe(tmp_path: Path) -> str:
    """The path of a recipe for the small dump."""
    path = tmp_path / "small.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return str(path)


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """The path of a small, sound dump."""
    return write_dump(tmp_path / "wikidata.json.gz", LINES)


def write_dump(path: Path, lines: Sequence[str]) -> str:
    """Write lines as a gzipped dump and return its path."""
    path.write_bytes(gzip.compress(("[\n" + ",\n".join(lines) + "\n]\n").encode(), mtime=0))
    return str(path)


def build(tmp_path: Path, recipe: str, dump: str, *more: str) -> int:
    """Build into ``out``."""
    return main(["build", recipe, "--wikidata", dump, "--output", str(tmp_path / "out"), *more])


def the_message(capsys: pytest.CaptureFixture[str]) -> str:
    """The one message on stderr, which starts with the program's name and holds no traceback."""
    printed = capsys.readouterr().err
    assert "Traceback" not in printed
    assert printed.count("wikisem: ") == 1
    return printed[printed.index("wikisem: ") :]


def unreadable(tmp_path: Path) -> list[dict[str, str]]:
    """Every record that could not be read."""
    paths = sorted((tmp_path / "out" / "unreadable").glob("*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def entities_counts(tmp_path: Path) -> dict[str, Any]:
    """What the manifest says of stage 1, once it was checked that nothing was lost."""
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    counts: dict[str, Any] = manifest["stages"]["entities"]
    assert counts["in"] == counts["kept"] + sum(counts["left_out"].values()) + sum(counts["unreadable"].values())
    return counts


def test_a_missing_dump_is_named(tmp_path: Path, recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A Wikidata path that names nothing is exit 1, and the message holds the path."""
    assert build(tmp_path, recipe, str(tmp_path / "absent.json.gz")) == 1
    assert "absent.json.gz" in the_message(capsys)


def test_a_missing_wikipedia_is_named(
    tmp_path: Path, recipe: str, dump: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """So is a Wikipedia path that names nothing."""
    assert build(tmp_path, recipe, dump, "--wikipedia", f"en={tmp_path}/absent.xml.bz2") == 1
    assert "absent.xml.bz2" in the_message(capsys)


def test_a_folder_is_no_dump(tmp_path: Path, recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder where a file should be is exit 1, and the message names it."""
    (tmp_path / "folder").mkdir()
    assert build(tmp_path, recipe, str(tmp_path / "folder")) == 1
    assert "folder" in the_message(capsys)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("[cluster]\nsizes = 8\n", ["cluster.sizes", "cluster.size?"]),
        ("[cluster\n", ["TOML"]),
    ],
)
def test_a_recipe_that_cannot_be_meant(
    tmp_path: Path, dump: str, change: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A key that is not known, or no TOML, is exit 2, with the file; tests/recipes has every such mistake."""
    path = tmp_path / "bad.toml"
    path.write_text(RECIPE + change, encoding="utf-8")
    assert build(tmp_path, str(path), dump) == 2
    message = the_message(capsys)
    assert all(word in message for word in [*words, "bad.toml"]), message


def test_a_language_without_dump_or_fallback(tmp_path: Path, dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With fallback "none" a language needs a Wikipedia dump: exit 2 names it before anything is read."""
    assert build(tmp_path, "wikisem500", dump, "--languages", "en,sw") == 2
    message = the_message(capsys)
    assert "sw" in message
    assert "--wikipedia" in message


def test_an_output_that_cannot_be_written(
    tmp_path: Path, recipe: str, dump: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file where the output folder should be is exit 2, before any work is done."""
    (tmp_path / "out").write_bytes(b"a file")
    assert build(tmp_path, recipe, dump) == 2
    assert str(tmp_path / "out") in the_message(capsys)
    assert (tmp_path / "out").read_bytes() == b"a file"


def test_a_runner_that_beam_does_not_know(
    tmp_path: Path, recipe: str, dump: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is written."""
    assert build(tmp_path, recipe, dump, "--", "--runner=DirectRuner") == 2
    assert "after --: unknown runner 'DirectRuner'; did you mean DirectRunner?" in the_message(capsys)
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_no_dump(tmp_path: Path, recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes that are not what their name says are exit 1, and the message names the file."""
    path = tmp_path / "picture.json.gz"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50)
    assert build(tmp_path, recipe, str(path)) == 1
    assert "picture.json.gz" in the_message(capsys)


@pytest.mark.parametrize("ending", ["xml", "xml.gz", "xml.bz2"])
def test_xml_given_as_wikidata_is_noticed_at_its_head(
    tmp_path: Path, recipe: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what it seems to be and which option takes it; no line of it was read."""
    path = tmp_path / f"dewiki.{ending}"
    text = b'<mediawiki xml:lang="de">\n' + b"<page>\n</page>\n" * 50
    path.write_bytes({"xml": text, "xml.gz": gzip.compress(text), "xml.bz2": bz2.compress(text)}[ending])
    assert build(tmp_path, recipe, str(path)) == 1
    said = the_message(capsys)
    assert f"dewiki.{ending}: expected Wikidata JSON lines, saw XML that begins with b'<mediawiki" in said
    assert said.rstrip().endswith("is this a Wikipedia dump? then give it as --wikipedia LANG=PATH")
    assert not unreadable(tmp_path)


def test_json_given_as_wikipedia_is_noticed_at_its_head(
    tmp_path: Path, recipe: str, dump: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other way round."""
    assert build(tmp_path, recipe, dump, "--wikipedia", f"en={dump}") == 1
    said = the_message(capsys)
    assert "wikidata.json.gz: expected MediaWiki XML, saw JSON that begins with b'[" in said
    assert said.rstrip().endswith("is this a Wikidata dump? then give it as --wikidata PATH")


def test_a_truncated_dump_gives_what_was_whole(tmp_path: Path, recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A .gz that stops short keeps its whole lines; unreadable/ names the file, and the exit code tells the loss."""
    lines = [*LINES, *(entity(1000 + number, f"name {number * 7919 % 1000}", 4) for number in range(400))]
    whole = Path(write_dump(tmp_path / "short.json.gz", lines))
    whole.write_bytes(whole.read_bytes()[:-400])
    assert build(tmp_path, recipe, str(whole)) == 1
    said = capsys.readouterr()
    assert "wikisem: entities: expected whole dumps, saw damaged ones" in said.err
    assert "Traceback" not in said.err
    assert said.out.splitlines()[-1].startswith("output: ")
    found = unreadable(tmp_path)
    assert len(found) >= 1
    assert all("short.json.gz" in record["where"] for record in found)
    assert len(LINES) < entities_counts(tmp_path)["kept"] < len(lines)


@pytest.mark.parametrize(("closed", "code"), [(True, 0), (False, 1)])
def test_an_array_without_its_end_is_a_dump_that_was_cut_short(
    tmp_path: Path, closed: bool, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cut after a whole line nothing is torn: the missing "]" alone tells of it. Lines without a "[" need none."""
    path = tmp_path / "array.json"
    path.write_text("[\n" + ",\n".join(LINES) + ("\n]\n" if closed else ",\n"))
    assert main(["entities", "--wikidata", str(path), "--output", str(tmp_path / "out")]) == code
    unreadable = tmp_path / "out" / "unreadable" / "entities.jsonl"
    assert ("truncated 1" in capsys.readouterr().err) == (not closed)
    assert unreadable.exists() == (not closed)


def test_garbage_in_the_middle_costs_itself(tmp_path: Path, recipe: str) -> None:
    """Bytes that are no JSON or no UTF-8, between sound lines, are unreadable; the group comes out all the same."""
    path = tmp_path / "garbage.json"
    middle = len(LINES) // 2
    lines = [line.encode() for line in LINES]
    path.write_bytes(
        b"[\n" + b",\n".join([*lines[:middle], b'{"id": "Q7', b"\xff\xfe\x00", *lines[middle:]]) + b"\n]\n"
    )
    assert build(tmp_path, recipe, str(path)) == 0
    assert len(unreadable(tmp_path)) == 2
    assert entities_counts(tmp_path)["kept"] == len(LINES)
    group = json.loads((tmp_path / "out" / "groups" / "en.jsonl").read_text(encoding="utf-8"))
    assert [member["surface"] for member in group["cluster"]] == NAMES[:8]


def test_too_many_bad_lines_fail_the_run(tmp_path: Path, recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """From 100 unreadable records on, a rate above the limit is exit 1; the message says how many, and where."""
    dump = write_dump(tmp_path / "worse.json.gz", [*LINES[:5], *["{"] * 120, *LINES[5:]])
    assert build(tmp_path, recipe, dump) == 1
    message = the_message(capsys)
    assert "120" in message
    assert "--max-unreadable" in message
    assert len(unreadable(tmp_path)) == 120
    assert not (tmp_path / "out" / ".wikisem" / "entities.json").exists()
