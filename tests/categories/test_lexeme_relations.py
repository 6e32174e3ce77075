"""Pairs of forms, on real lexemes and against an independent count."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.categories.lexeme_relations import (
    FormPair,
    FormRelation,
    PairCollector,
    Swap,
    form_pairs,
    load_relations,
    unambiguous,
)
from wikisem.errors import RecipeError
from wikisem.wikidata.lexeme_reader import Lexeme, LexemeReader

PLURAL = FormRelation("plural", (Swap(("Q110786",), ("Q146786",)),), ("Q1084",))
FEATURES = ["Q1", "Q2", "Q3", "Q4"]


def lexeme_line(number: int, forms: list[tuple[str, list[str]]], language: str = "en", **more: Any) -> dict[str, Any]:
    """A lexeme as a dump has it."""
    return {
        "type": "lexeme",
        "id": f"L{number}",
        "lemmas": {language: {"language": language, "value": forms[0][0] if forms else "-"}},
        "lexicalCategory": "Q1084",
        "language": "Q1860",
        "claims": [],
        "forms": [
            {
                "id": f"L{number}-F{at}",
                "representations": {language: {"language": language, "value": word}},
                "grammaticalFeatures": features,
                "claims": [],
            }
            for at, (word, features) in enumerate(forms, start=1)
        ],
        "senses": [],
        "lastrevid": 1,
    } | more


def decoded(line: dict[str, Any]) -> Lexeme:
    """The lexeme of a line."""
    return msgspec.convert(line, Lexeme)


def words(pairs: Iterator[FormPair]) -> list[tuple[str, str]]:
    """The pairs without their lexeme."""
    return [(pair.first, pair.second) for pair in pairs]


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.lists(st.sampled_from(FEATURES), unique=True)), max_size=6),
    st.sets(st.sampled_from(FEATURES), min_size=1),
    st.sets(st.sampled_from(FEATURES), min_size=1),
)
def test_pairs_are_those_of_the_definition(forms: list[tuple[str, list[str]]], old: set[str], new: set[str]) -> None:
    """Every two forms whose features differ by the swap, each two spellings once, equal ones never."""
    relation = FormRelation("r", (Swap(tuple(sorted(old)), tuple(sorted(new))),))
    expected = {
        (a, b)
        for a, first in forms
        for b, second in forms
        if a != b and old <= set(first) and set(second) == (set(first) - old) | new
    }
    found = words(form_pairs(decoded(lexeme_line(1, forms)), relation, "en"))
    assert set(found) == expected
    assert len(found) == len(expected)


def test_the_first_swap_that_fits_comes_first() -> None:
    """Languages name a feature in several ways; a pair that two swaps give is there once."""
    relation = FormRelation("past", (Swap(("Q1",), ("Q2",)), Swap(("Q3",), ("Q2",))))
    lexeme = decoded(lexeme_line(1, [("go", ["Q3"]), ("go", ["Q1"]), ("went", ["Q2"]), ("wend", ["Q1"])]))
    assert words(form_pairs(lexeme, relation, "en")) == [("go", "went"), ("wend", "went")]


def test_the_category_and_the_spelling_count() -> None:
    """A verb has no plural of nouns; a form without a spelling in the language is passed over."""
    forms = [("colour", ["Q110786"]), ("colours", ["Q146786"])]
    assert words(form_pairs(decoded(lexeme_line(1, forms)), PLURAL, "en")) == [("colour", "colours")]
    assert words(form_pairs(decoded(lexeme_line(1, forms, lexicalCategory="Q24905")), PLURAL, "en")) == []
    assert words(form_pairs(decoded(lexeme_line(1, forms)), PLURAL, "en-us")) == []
    empty = lexeme_line(1, forms)
    empty["forms"][0]["representations"] = []
    assert words(form_pairs(decoded(empty), PLURAL, "en")) == []


def test_the_latest_revision_of_a_lexeme_counts() -> None:
    """Whatever the order; others are sorted by their number."""
    old = lexeme_line(7, [("ox", ["Q110786"]), ("oxes", ["Q146786"])], lastrevid=3)
    new = lexeme_line(7, [("ox", ["Q110786"]), ("oxen", ["Q146786"])], lastrevid=4)
    other = lexeme_line(2, [("cat", ["Q110786"]), ("cats", ["Q146786"])])
    for order in ([old, new, other], [new, other, old]):
        collector = PairCollector([PLURAL], ["en", "de"])
        for line in order:
            collector.add(decoded(line))
        assert collector.pairs() == {
            "en": {"plural": [FormPair(2, "cat", "cats"), FormPair(7, "ox", "oxen")]},
            "de": {"plural": []},
        }


def test_a_question_has_one_right_answer() -> None:
    """Of two plurals, that of the lowest lexeme."""
    pairs = [FormPair(1, "staff", "staffs"), FormPair(2, "staff", "staves"), FormPair(3, "cat", "cats")]
    assert unambiguous(pairs) == [pairs[0], pairs[2]]


def test_the_shipped_relations_are_sound() -> None:
    """Each has swaps; plural, comparative, superlative, past and participles are there."""
    names = [relation.name for relation in load_relations()]
    assert {"plural", "comparative", "superlative", "past", "past-participle", "present-participle"} <= set(names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "missing required field `relation`"),
        ("[[relation]]\nname = 'x'", "missing required field `swaps`"),
        ("[[relation]]\nname = 'x'\nswaps = []", "length >= 1"),
        ("[[relation]]\nname = 'x'\nswaps = [{from = ['singular'], to = ['Q1']}]", "matching regex"),
        ("[[relation]]\nname = 'x y'\nswaps = [{from = ['Q2'], to = ['Q1']}]", "matching regex"),
        ("[[relation]]\nname = 'x'\nswap = []\nswaps = [{from = ['Q2'], to = ['Q1']}]", "unknown field `swap`"),
        ("[[relation]]\nname = 'x'\nswaps = [{from = ['Q2'], to = ['Q1']}]\n" * 2, "names that differ"),
        ("[[relation", "expected"),
    ],
)
def test_a_bad_recipe_is_named(tmp_path: Path, text: str, message: str) -> None:
    """With the file and what is wrong in it."""
    (tmp_path / "r.toml").write_text(text)
    with pytest.raises(RecipeError, match=message):
        load_relations(tmp_path / "r.toml")
    with pytest.raises(RecipeError, match="saw none at"):
        load_relations(tmp_path / "none.toml")


def real_lexemes(folder: Path) -> list[dict[str, Any]]:
    """The genuine lexemes, out of the wrapping that some of them are in."""
    found = []
    for path in sorted([*folder.glob("*L*.json"), folder / "wdtk-lexeme.json"]):
        data = json.loads(path.read_text(encoding="utf-8"))
        found += list(data["entities"].values()) if "entities" in data else [data]
    return found


@pytest.mark.realdata
def test_real_lexemes(realdata: Path, tmp_path: Path) -> None:
    """Six lexemes of three languages: their pairs, and as many as a count over all forms finds."""
    lines = real_lexemes(realdata / "lexemes")
    dump = tmp_path / "lexemes.json"
    dump.write_text("[\n" + ",\n".join(json.dumps(line) for line in lines) + "\n]\n")
    relations = load_relations()
    collector, reader = PairCollector(relations, ["en", "da", "fr"]), LexemeReader()
    for lexeme in reader.read(dump):
        collector.add(lexeme)
    found = collector.pairs()
    assert reader.counts().kept == len(lines) == 6
    assert [(pair.first, pair.second) for pair in found["da"]["plural"]] == [
        ("melon", "meloner"),
        ("melonen", "melonerne"),
    ]
    assert [(pair.first, pair.second) for pair in found["en"]["plural"]] == [
        ("answer", "answers"),
        ("bank", "banks"),
        ("business", "businesses"),
    ]
    assert [(pair.first, pair.second) for pair in found["fr"]["plural"]] == [("maison", "maisons")]
    assert [(pair.first, pair.second) for pair in found["en"]["past-participle"]] == [("be", "been")]
    assert ("is", "was") in [(pair.first, pair.second) for pair in found["en"]["past"]]
    assert {relation.name: len(found["en"][relation.name]) for relation in relations} == {
        relation.name: count_by_hand(lines, relation, "en") for relation in relations
    }


def count_by_hand(lines: list[dict[str, Any]], relation: FormRelation, language: str) -> int:
    """Pairs counted on the raw JSON, form by form, as sets of features."""
    pairs = set()
    for line in lines:
        if line["lexicalCategory"] not in relation.categories or language not in line["lemmas"]:
            continue
        for swap in relation.swaps:
            for one in line["forms"]:
                rest = set(one["grammaticalFeatures"]) - set(swap.from_)
                if len(rest) != len(set(one["grammaticalFeatures"])) - len(swap.from_):
                    continue
                for other in line["forms"]:
                    if set(other["grammaticalFeatures"]) == rest | set(swap.to):
                        a, b = (form["representations"][language]["value"] for form in (one, other))
                        pairs.add((line["id"], a, b)) if a != b else None
    return len(pairs)


@pytest.mark.realdata
def test_english_plurals_in_bulk(realdata: Path, tmp_path: Path) -> None:
    """27,218 nouns have a plural of their own; 152 are spelled like it, and the others are pairs.

    The flat file says "isPlural" of 26,896 nouns that are plurals themselves.
    """
    nouns = json.loads(gzip.decompress((realdata / "lexemes" / "scribe-en-nouns.json.gz").read_bytes()))
    dump = tmp_path / "nouns.json.gz"
    lines = []
    for number, (noun, row) in enumerate(nouns.items(), start=1):
        forms = [(noun, ["Q146786" if row["plural"] == "isPlural" else "Q110786"])]
        if row["plural"] not in {"", "isPlural"}:
            forms.append((row["plural"], ["Q146786"]))
        lines.append(json.dumps(lexeme_line(number, forms)).encode())
    dump.write_bytes(gzip.compress(b"[\n" + b",\n".join(lines) + b"\n]\n", 1))
    collector, reader = PairCollector(load_relations(), ["en"]), LexemeReader()
    for lexeme in reader.read(dump):
        collector.add(lexeme)
    with_plural = {noun: row["plural"] for noun, row in nouns.items() if row["plural"] not in {"", "isPlural"}}
    alike = [noun for noun, plural in with_plural.items() if noun == plural]
    pairs = collector.pairs()["en"]["plural"]
    assert (len(with_plural), len(alike), len(pairs)) == (27_218, 152, 27_066)
    assert {(pair.first, pair.second) for pair in pairs} == {pair for pair in with_plural.items() if pair[0] != pair[1]}
    assert len(unambiguous(pairs)) == len(pairs)
