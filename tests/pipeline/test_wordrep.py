"""The recipe wordrep: relations without categories, from entities and from a server, and against raw statements."""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.entity_files import write_entities
from tests.queries.sparql_server import serve
from tests.queries.world import WORLD
from wikisem.categories.recipe_checks import load_category_recipe
from wikisem.categories.wordnet_relations import RELATIONS
from wikisem.evaluation.analogies.questions import read_questions
from wikisem.pipeline.cli import main

RECIPE = """
name = "relations"

[[relation]]
name = "InShire"
property = "P131"
min_sitelinks = 5

[[relation]]
name = "Capital"
property = "P36"
order = "value-first"
limit = 3

[[relation]]
name = "Demonym"
property = "P1549"
"""


def _files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and "answers" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_relations_alone_make_analogies_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No category files; a row for each relation; the same bytes from a server, filtered or not."""
    (tmp_path / "r.toml").write_text(RECIPE)
    write_entities(tmp_path / "entities", WORLD)
    (tmp_path / "words.txt").write_text("Southport 0.1 Portus\nGreat_Shire 0.2\nSouth_Shire\nSouthland\n")
    words = ["categories", str(tmp_path / "r.toml"), "--languages", "en"]
    for name, options in {"all": [], "single": ["--single-words"], "known": ["--vocabulary", "words.txt"]}.items():
        options = [str(tmp_path / option) if option.endswith(".txt") else option for option in options]
        offline, online = tmp_path / name, tmp_path / f"{name}-online"
        assert main([*words, *options, "--entities", str(tmp_path / "entities"), "--output", str(offline)]) == 0
        with serve(WORLD) as server:
            assert main([*words, *options, "--endpoint", server.url, "--output", str(online)]) == 0
        assert _files(online) == _files(offline)
        assert sorted(_files(offline)) == [
            "analogies/en.jsonl",
            "analogies/en.txt",
            "categories-left-out.jsonl",
            "categories-report.tsv",
        ]
    rows = {name: [json.loads(line)["pairs"] for line in _files(tmp_path / name)["analogies/en.jsonl"].splitlines()]
            for name in ("all", "single", "known")}  # fmt: skip
    found = {name: [[tuple(pair["words"]) for pair in pairs] for pairs in listed] for name, listed in rows.items()}
    assert found["all"][0] == [
        ("North City", "North Shire"),
        ("Southport", "South Shire"),
        ("Westport", "Great Shire"),
        ("South Shire", "Great Shire"),
        ("Old Southport", "Southport"),
    ]
    # The three items with most sitelinks that have a capital, of two capitals the lower QID, and no texts (P1549).
    assert found["all"][1:] == [[("North City", "Northland"), ("Southport", "Southland"), ("Westport", "Westland")], []]
    assert found["single"] == [[], [("Southport", "Southland"), ("Westport", "Westland")], []]
    assert found["known"] == [
        [("Southport", "South Shire"), ("South Shire", "Great Shire")],
        [("Southport", "Southland")],
        [],
    ]
    printed = capsys.readouterr()
    assert "│ en       │ InShire  │     6 │     5 │" in printed.out
    assert "may belong to Capital, Demonym" not in printed.err


def test_every_relation_of_the_recipe_is_one_of_wordrep() -> None:
    """Under the names of its table 3; the relations of words, not of things, are missing."""
    names = {relation.name.partition("-")[0] for relation in load_category_recipe("wordrep").relations}
    assert names < set(RELATIONS)
    assert set(RELATIONS) - names == {"DerivedFrom", "RelatedTo", "Entails"}


def _best(claims: Mapping[str, Any], name: str) -> Iterator[int]:
    """The numbers of the items that the statements of best rank name."""
    listed = claims.get(name, [])
    ranks = {one["rank"] for one in listed}
    for one in listed:
        if one["rank"] == ("preferred" if "preferred" in ranks else "normal") and "datavalue" in one["mainsnak"]:
            yield int(one["mainsnak"]["datavalue"]["value"]["numeric-id"])


@pytest.mark.realdata
def test_pairs_of_real_statements(realdata: Path, tmp_path: Path) -> None:
    """Subclasses and instances among single words that GloVe knows, counted again over the raw JSON of the dump."""
    dump, glove = realdata / "wikidata" / "class-graph-slice.json.gz", realdata / "vectors"
    vectors = glove / "glove-6B-100d-top20k.w2v.txt.gz"
    build, out = str(tmp_path / "build"), tmp_path / "out"
    assert main(["entities", "--wikidata", str(dump), "--languages", "en", "--output", build]) == 0
    words = ["--languages", "en", "--single-words", "--vocabulary", str(vectors), "--output", str(out)]
    assert main(["categories", "wordrep", "--entities", build, *words]) == 0
    known = {line.split(b" ")[0].decode() for line in gzip.decompress(vectors.read_bytes()).splitlines()}
    items = {}
    for line in gzip.decompress(dump.read_bytes()).decode().splitlines():
        if line.startswith("{"):
            item = json.loads(line.rstrip(","))
            items[int(item["id"][1:])] = item
    label = {number: (item["labels"] or {}).get("en", {}).get("value", "") for number, item in items.items()}
    kept = {number for number, word in label.items() if word and " " not in word and word.lower() in known}
    lines = (out / "analogies" / "en.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["relation"]: row["pairs"] for row in map(json.loads, lines)}
    for relation, name in (("IsA", "P279"), ("InstanceOf", "P31")):
        expected: dict[str, str] = {}
        for number in sorted(kept, key=lambda number: (-len(items[number].get("sitelinks") or {}), number)):
            values = sorted(set(_best(items[number].get("claims") or {}, name)) & kept)
            if values and label[values[0]] != label[number]:
                expected.setdefault(label[number], label[values[0]])
        assert [tuple(pair["words"]) for pair in rows[relation]] == list(expected.items())
        assert len(expected) > 300
    sections = {section.name: section.rows for section in read_questions(out / "analogies" / "en.txt")}
    assert len(sections["IsA"]) == len(sections["InstanceOf"]) == 20_000
