"""The recipe wordrep: relations without categories, from entities and from a server, and against raw statements."""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.entity_files import write_entities
from tests.queries.sparql_server import serve
from tests.queries.world import WORLD, entity
from wikisem.categories.lexeme_pairs import RELATIONS
from wikisem.categories.recipe import load_category_recipe
from wikisem.evaluation.analogies import read_questions
from wikisem.pipeline.cli import main
from wikisem.records import Entity, Statement

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
    # The three items with most sitelinks that have a capital, of two capitals the lower QID; and texts, the first.
    demonyms = [("Northland", "Northish"), ("Southland", "Southern")]
    assert found["all"][1:] == [
        [("North City", "Northland"), ("Southport", "Southland"), ("Westport", "Westland")],
        demonyms,
    ]
    assert found["single"] == [[], [("Southport", "Southland"), ("Westport", "Westland")], demonyms]
    assert found["known"] == [
        [("Southport", "South Shire"), ("South Shire", "Great Shire")],
        [("Southport", "Southland")],
        [],
    ]
    printed = capsys.readouterr()
    assert "│ en       │ InShire  │     6 │     5 │" in printed.out
    assert "may belong to Capital, Demonym" not in printed.err


# Table 2 of the paper; the others are between forms of a word, or words made from others: `wikisem lexemes` has them.
ENLARGED = {"All-capital-cities", "Currency", "City-in-state", "Man-Woman", "Nationality-adjective"}


def test_every_relation_of_the_recipe_is_one_of_wordrep() -> None:
    """Under the names of its tables 2 and 3; the relations of words, not of things, are missing."""
    names = {relation.name for relation in load_category_recipe("wordrep").relations}
    assert names >= ENLARGED
    others = {name.partition("-")[0] for name in names - ENLARGED}
    assert others < set(RELATIONS)
    assert set(RELATIONS) - others == {"DerivedFrom", "RelatedTo", "Entails"}


def _with_texts(item: Entity, **texts: str) -> Entity:
    """An item with strings of properties, in English."""
    statements = tuple(Statement(name, text, "en") for name, text in texts.items())
    return Entity(item.qid, item.instance_of, sitelinks=item.sitelinks, labels=item.labels, statements=statements)


def test_all_cities_of_the_dump_and_words_for_men_and_women_are_paired(tmp_path: Path) -> None:
    """Not the 68 cities of Mikolov et al.; of what has a male form that word, not the label; online as offline."""
    cities = [
        entity(f"Q{n}", f"City{n}", sitelinks=n, P31="Q1093829", P131=f"Q{500 + n % 2}") for n in range(1000, 1100)
    ]
    people = [
        _with_texts(entity("Q31184", "sibling", sitelinks=3), P3321="brother", P2521="sister"),
        _with_texts(entity("Q33999", "actor", sitelinks=2), P2521="actress"),
        entity("Q1930187", "journalist", sitelinks=9, P31="Q28640"),
    ]
    world = (
        *(entity(f"Q{500 + n}", f"County{n}", P131=f"Q{600 + n}") for n in range(2)),
        *(entity(f"Q{600 + n}", f"State{n}", P31="Q35657") for n in range(2)),
        *cities,
        *people,
    )
    write_entities(tmp_path / "entities", world)
    words = ["categories", "wordrep", "--languages", "en"]
    assert main([*words, "--entities", str(tmp_path / "entities"), "--output", str(tmp_path / "offline")]) == 0
    with serve(world) as server:
        assert main([*words, "--endpoint", server.url, "--output", str(tmp_path / "online")]) == 0
    assert _files(tmp_path / "online") == _files(tmp_path / "offline")
    assert not (tmp_path / "offline" / "categories").exists()
    lines = (tmp_path / "offline" / "analogies" / "en.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["relation"]: [tuple(pair["words"]) for pair in row["pairs"]] for row in map(json.loads, lines)}
    assert rows["Man-Woman"] == [("brother", "sister"), ("actor", "actress")]
    assert rows["City-in-state"] == [(f"City{n}", f"State{n % 2}") for n in range(1099, 999, -1)]


def _best(claims: Mapping[str, Any], name: str) -> Iterator[int]:
    """The numbers of the items that the statements of best rank name."""
    listed = claims.get(name, [])
    ranks = {one["rank"] for one in listed}
    for one in listed:
        if one["rank"] == ("preferred" if "preferred" in ranks else "normal") and "datavalue" in one["mainsnak"]:
            yield int(one["mainsnak"]["datavalue"]["value"]["numeric-id"])


@pytest.mark.slow
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
