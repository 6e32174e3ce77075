"""The categories command, run whole: offline and against a real server, and what it says when it cannot."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entity_files import dump_entities, write_entities
from tests.queries.sparql_server import Fault, Server, serve
from tests.queries.world import WORLD
from wikisem.pipeline.cli import main

RECIPE = """
name = "world"

[[category]]
name = "cities"
class = "Q100"
subclasses = true
min_sitelinks = 2

[[category]]
name = "lands"
class = "Q110"

[[category]]
name = "facets"
class = "Q130"
linked_by = ["P31", "P1269"]
subclasses = true

[[relation]]
name = "capital"
subjects = "lands"
property = "P36"
order = "value-first"
"""
PROPERTIES = ("P17", "P36", "P38", "P131", "P1269", "P1549")
TEN = "la,en,de,fr,ja,zh,te,am,ar,ru"


@pytest.fixture
def recipe(tmp_path: Path) -> str:
    """The path of a recipe about the small world."""
    path = tmp_path / "world.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def entities(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output folder of a build of the small world."""
    folder = tmp_path_factory.mktemp("build")
    write_entities(folder / "entities", WORLD, files=2)
    return str(folder)


@pytest.fixture
def server() -> Iterator[Server]:
    """The small world at a SPARQL server."""
    with serve(WORLD) as running:
        yield running


def _files(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: body for name, body in found.items() if not name.startswith("answers/")}


def test_a_set_from_entities(recipe: str, entities: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every form for every language, a report that adds up, and the place of it all in the last line."""
    out = tmp_path / "out"
    assert main(["categories", recipe, "--languages", "la,en", "--entities", entities, "--output", str(out)]) == 0
    assert sorted(_files(out)) == [
        "analogies/en.jsonl",
        "analogies/en.txt",
        "analogies/la.jsonl",
        "analogies/la.txt",
        "categories-left-out.jsonl",
        "categories-report.tsv",
        "categories/en.jsonl",
        "categories/en.txt",
        "categories/la.jsonl",
        "categories/la.txt",
        "stringham2020/en.txt",
        "stringham2020/la.txt",
    ]
    latin = (out / "categories" / "la.txt").read_text(encoding="utf-8").splitlines()
    assert latin == [
        ": cities",
        "Urbs_Septentrionalis",
        "Portus",
        "Mulburg",
        ": lands",
        "Terra_Borealis",
        "Terra_Occidens",
        ": facets",
    ]
    questions = (out / "analogies" / "la.txt").read_text(encoding="utf-8").splitlines()
    assert questions == [
        ": capital",
        "Urbs_Septentrionalis Terra_Borealis Portus Terra_Occidens",
        "Portus Terra_Occidens Urbs_Septentrionalis Terra_Borealis",
    ]
    left_out = [json.loads(line) for line in (out / "categories-left-out.jsonl").read_text().splitlines()]
    assert {"of": "cities", "language": "la", "id": "Q15", "reason": "same-label"} in left_out
    assert {"of": "lands", "language": "la", "id": "Q2", "reason": "no-label"} in left_out
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1] == f"output: {out}"
    assert printed.err.splitlines() == [
        "cities: 5 items",
        "lands: 4 items",
        "facets: 3 items",
        "P36 of 4 items: 4 have it",
        "labels of 12 items under 3 language codes: 11 have any",
    ]


def test_the_endpoint_gives_the_same_bytes(recipe: str, entities: str, server: Server, tmp_path: Path) -> None:
    """Online and offline, with faults on the way and without, no file differs by a byte."""
    offline, online = tmp_path / "offline", tmp_path / "online"
    words = ["categories", recipe, "--languages", "la,en"]
    assert main([*words, "--entities", entities, "--output", str(offline)]) == 0
    server.faults += [Fault(503, (("Retry-After", "0"),)), Fault(), Fault(429, (("Retry-After", "0"),))]
    assert main([*words, "--endpoint", server.url, "--contact", "me@example.org", "--output", str(online)]) == 0
    assert _files(online) == _files(offline)
    assert "(me@example.org)" in server.agents[0]
    asked = len(server.queries)
    assert main([*words, "--endpoint", server.url, "--output", str(online)]) == 0
    assert len(server.queries) == asked


def test_giving_up_is_told_and_nothing_is_written(
    recipe: str, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An endpoint that refuses ends the command with 1 and one message; no half set is left."""
    server.faults += [Fault(403, body=b"your user agent is blocked")]
    words = ["--languages", "en", "--endpoint", server.url, "--output", str(tmp_path / "out")]
    assert main(["categories", recipe, *words]) == 1
    assert "HTTP status 403 Forbidden: your user agent is blocked" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_languages_that_the_entities_lack_are_told(
    recipe: str, entities: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A language without any label is warned about, with what to do; without any at all the command fails."""
    words = ["categories", recipe, "--entities", entities, "--output", str(tmp_path / "out")]
    assert main([*words, "--languages", "en,grc"]) == 0
    printed = capsys.readouterr().err
    assert printed.count("warning") == 1
    assert f"has a label in 'grc'; if Wikidata has some, build {entities} with --languages grc too" in printed
    unlabelled = tmp_path / "unlabelled.toml"
    unlabelled.write_text('name = "shires"\nclass = "Q120"\n', encoding="utf-8")
    words = ["categories", str(unlabelled), "--entities", entities, "--output", str(tmp_path / "out")]
    assert main([*words, "--languages", "grc"]) == 1
    assert "expected items with labels in grc, saw none" in capsys.readouterr().err


def test_a_property_that_the_entities_lack_is_told(
    entities: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recipe that needs a property which no item has says which, and how to get it."""
    path = tmp_path / "parts.toml"
    path.write_text('name = "parts"\nclass = "Q100"\nlinked_by = ["P31", "P361"]\n', encoding="utf-8")
    out = str(tmp_path / "out")
    assert main(["categories", str(path), "--languages", "en", "--entities", entities, "--output", out]) == 0
    printed = capsys.readouterr().err
    assert "has a statement of P361; if Wikidata has some, the build did not keep that property; wikisem" in printed


def _dumped(number: int, sitelinks: int) -> dict[str, object]:
    """An instance of Q100 as a line of a dump has it."""
    value = {"value": {"entity-type": "item", "numeric-id": 100, "id": "Q100"}, "type": "wikibase-entityid"}
    snak = {"snaktype": "value", "property": "P31", "datavalue": value}
    return {
        "type": "item",
        "id": f"Q{number}",
        "labels": {"en": {"language": "en", "value": f"town {number}"}},
        "claims": {"P31": [{"mainsnak": snak, "type": "statement", "rank": "normal"}]},
        "sitelinks": {f"{at}wiki": {"site": f"{at}wiki", "title": "T"} for at in ["en", "de"][:sitelinks]},
    }


@pytest.mark.parametrize("inside", ["", "/entities"])
def test_entities_without_unlinked_items_are_told(
    inside: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A build keeps linked items only: what a category may lack is said with what to run, and that command mends it."""
    dump, build, recipe = tmp_path / "dump.json", tmp_path / "build", tmp_path / "towns.toml"
    dump.write_text("\n".join(json.dumps(_dumped(number, number % 2)) for number in range(1, 6)) + "\n")
    recipe.write_text('name = "towns"\nclass = "Q100"\n', encoding="utf-8")
    entities = ["entities", "--wikidata", str(dump), "--languages", "en", "--output", str(build)]
    words = ["categories", str(recipe), "--languages", "en", "--entities", f"{build}{inside}", "--output"]
    assert main([*entities, "--recipe", "wikisem500"]) == 0
    assert main([*words, str(tmp_path / "linked")]) == 0
    told = capsys.readouterr().err
    assert f"{build}{inside} lacks 2 items that no sitelink and no statement links" in told
    assert f"may belong to towns; for all of them run wikisem entities --output {build} without --recipe" in told
    assert "town_2" not in (tmp_path / "linked" / "categories" / "en.txt").read_text(encoding="utf-8")
    recipe.write_text('name = "towns"\nclass = "Q100"\nmin_sitelinks = 1\n', encoding="utf-8")
    assert main([*words, str(tmp_path / "prominent")]) == 0
    assert "lacks" not in capsys.readouterr().err
    recipe.write_text('name = "towns"\nclass = "Q100"\n', encoding="utf-8")
    assert main(entities) == 0
    assert main([*words, str(tmp_path / "all")]) == 0
    assert "lacks" not in capsys.readouterr().err
    dump.write_text("\n".join(json.dumps(_dumped(number, 1)) for number in range(1, 6)) + "\n")
    assert main([*entities, "--recipe", "wikisem500"]) == 0
    assert main([*words, str(tmp_path / "complete")]) == 0
    assert "lacks" not in capsys.readouterr().err
    assert "town_2" in (tmp_path / "all" / "categories" / "en.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--languages", "en"], "expected --contact ADDRESS"),
        (["--languages", "en,../x"], "expected a language code"),
        (["--languages", "en", "--endpoint", "ftp://x"], "expected a URL such as"),
        (["--languages", "en", "--endpoint", "http://[x/"], "expected a URL such as"),
        (
            ["--languages", "en", "--endpoint", "http://x:99999/", "--contact", "me@example.org"],
            "expected a URL such as",
        ),
        (["--languages", "en", "--endpoint", "http://x/", "--contact", "me\r\nHost: y"], "--contact: expected"),
        (["--languages", "en", "--endpoint", "http://x/", "--timeout", "0"], "expected seconds from above 0 to 86,400"),
        (["--languages", "en", "--endpoint", "http://x/", "--entities", "y"], "not allowed with"),
        (
            ["--languages", "en", "--entities", "y", "--output", "nope://bucket/x"],
            "another protocol of fsspec, saw 'nope://bucket/x'",
        ),
        (
            ["--languages", "en", "--entities", "y", "--", "--runner=x"],
            "categories runs no pipeline and takes no Beam options, saw --runner=x",
        ),
    ],
)
def test_wrong_usage(
    recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """What is invalid ends with exit code 2 and says what was expected, before anything is asked or written."""
    assert main(["categories", recipe, "--output", str(tmp_path / "out"), *words]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_emoji_need_neither_endpoint_nor_entities(tmp_path: Path) -> None:
    """The shipped recipe of emoji runs without a source."""
    pytest.importorskip("nototools", reason="the emoji list comes with wikisem[all]")
    assert main(["categories", "emoji", "--languages", "te", "--output", str(tmp_path)]) == 0
    lines = (tmp_path / "categories" / "te.txt").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == [": smileys-emotion", "😀"]
    assert sum(line.startswith(": ") for line in lines) == 9


@pytest.mark.slow
@pytest.mark.realdata
def test_ten_languages_from_one_recipe(realdata: Path, tmp_path: Path) -> None:
    """From a real dump to ten languages in one run, offline; a real server with its triples gives the same bytes."""
    dump = realdata / "wikidata" / "class-graph-slice.json.gz"
    build = str(tmp_path / "build")
    assert main(["entities", "--wikidata", str(dump), "--languages", TEN, "--output", build]) == 0
    words = ["categories", "google-semantic", "--languages", TEN]
    offline, online = tmp_path / "offline", tmp_path / "online"
    assert main([*words, "--entities", build, "--output", str(offline)]) == 0
    with serve(dump_entities(dump, PROPERTIES)) as server:
        assert main([*words, "--endpoint", server.url, "--output", str(online)]) == 0
    assert _files(online) == _files(offline)
    for language in TEN.split(","):
        first = json.loads((offline / "categories" / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()[0])
        assert first["category"] == "countries"
        assert len(first["items"]) >= 24


QUESTIONLESS = """
name = "capitals"
[[relation]]
name = "capital-of"
property = "P36"
"""


def test_a_file_of_questions_has_questions(entities: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no relation has two pairs there is no file, nor one of an earlier run: gensim divides by their number."""
    recipe, out = tmp_path / "capitals.toml", tmp_path / "out"
    recipe.write_text(QUESTIONLESS, encoding="utf-8")
    (out / "analogies").mkdir(parents=True)
    (out / "analogies" / "am.txt").write_text(": capital-of\na b c d\n")
    words = ["categories", str(recipe), "--languages", "en,am", "--entities", entities, "--output", str(out)]
    assert main([*words, "--single-words"]) == 0
    assert (out / "analogies" / "en.txt").read_text(encoding="utf-8").count("\n") > 1
    assert not (out / "analogies" / "am.txt").exists()
    assert (out / "analogies" / "am.jsonl").exists()
    said = capsys.readouterr().err
    assert f"no relation has a question in 'am': there is no {out / 'analogies' / 'am.txt'}" in said
    assert "'en'" not in said
