"""Pairs of forms, on real lexemes and against an independent count."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.categories.lexeme_pairs import (
    Derivation,
    FormPair,
    LexemeRelation,
    PairCollector,
    Swap,
    load_relations,
    unambiguous,
)
from wikisem.wikidata.entity_reader import Lexeme, LexemeReader

PLURAL = LexemeRelation("plural", (Swap(("Q110786",), ("Q146786",)),), categories=("Q1084",))
NOUN, VERB, AGENT_NOUN = "Q1084", "Q24905", "Q1787727"
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


def made_from(*numbers: int, by: str = "P5191", **more: Any) -> dict[str, Any]:
    """Claims with a statement for each lexeme that another is made from."""
    statements = [
        {
            "mainsnak": {
                "snaktype": "value",
                "property": by,
                "datavalue": {
                    "value": {"entity-type": "lexeme", "numeric-id": number, "id": f"L{number}"},
                    "type": "wikibase-entityid",
                },
            },
            "type": "statement",
            "rank": "normal",
        }
        for number in numbers
    ]
    return {by: statements, **more}


def an_instance_of(qid: str) -> dict[str, Any]:
    """Claims that a lexeme is an instance of an item, as Wikidata writes them."""
    value = {"value": {"entity-type": "item", "numeric-id": int(qid[1:]), "id": qid}, "type": "wikibase-entityid"}
    snak = {"snaktype": "value", "property": "P31", "datavalue": value}
    return {"P31": [{"mainsnak": snak, "type": "statement", "rank": "normal"}]}


def decoded(line: dict[str, Any]) -> Lexeme:
    """The lexeme of a line."""
    return msgspec.convert(line, Lexeme)


def form_pairs(lexeme: Lexeme, relation: LexemeRelation, language: str) -> list[tuple[str, str]]:
    """The words of the pairs that one lexeme has."""
    collector = PairCollector([relation], [language])
    collector.add(lexeme)
    return [(pair.first, pair.second) for pair in collector.pairs()[language][relation.name]]


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.lists(st.sampled_from(FEATURES), unique=True)), max_size=6),
    st.sets(st.sampled_from(FEATURES), min_size=1),
    st.sets(st.sampled_from(FEATURES), min_size=1),
)
def test_pairs_are_those_of_the_definition(forms: list[tuple[str, list[str]]], old: set[str], new: set[str]) -> None:
    """Every two forms whose features differ by the swap, each two spellings once, equal ones never."""
    relation = LexemeRelation("r", (Swap(tuple(sorted(old)), tuple(sorted(new))),))
    expected = {
        (a, b)
        for a, first in forms
        for b, second in forms
        if a != b and old <= set(first) and set(second) == (set(first) - old) | new
    }
    found = form_pairs(decoded(lexeme_line(1, forms)), relation, "en")
    assert set(found) == expected
    assert len(found) == len(expected)


def test_the_first_swap_that_fits_comes_first() -> None:
    """Languages name a feature in several ways; a pair that two swaps give is there once."""
    relation = LexemeRelation("past", (Swap(("Q1",), ("Q2",)), Swap(("Q3",), ("Q2",))))
    lexeme = decoded(lexeme_line(1, [("go", ["Q3"]), ("go", ["Q1"]), ("went", ["Q2"]), ("wend", ["Q1"])]))
    assert form_pairs(lexeme, relation, "en") == [("go", "went"), ("wend", "went")]


def test_the_category_and_the_spelling_count() -> None:
    """A verb has no plural of nouns; a form without a spelling in the language is passed over."""
    forms = [("colour", ["Q110786"]), ("colours", ["Q146786"])]
    assert form_pairs(decoded(lexeme_line(1, forms)), PLURAL, "en") == [("colour", "colours")]
    assert form_pairs(decoded(lexeme_line(1, forms, lexicalCategory="Q24905")), PLURAL, "en") == []
    assert form_pairs(decoded(lexeme_line(1, forms)), PLURAL, "en-us") == []
    empty = lexeme_line(1, forms)
    empty["forms"][0]["representations"] = []
    assert form_pairs(decoded(empty), PLURAL, "en") == []


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


def test_what_the_latest_revision_lost_does_not_count() -> None:
    """A lexeme that is no longer spelled in the language, and a base that is of another category now."""
    plural = [("ox", ["Q110786"]), ("oxen", ["Q146786"])]
    lines = [
        lexeme_line(7, plural, lastrevid=3),
        lexeme_line(7, plural, language="nl", lastrevid=4),
        lexeme_line(8, [("teach", [])], lexicalCategory=VERB, lastrevid=3),
        lexeme_line(8, [("teach", [])], lexicalCategory="Q4167410", lastrevid=4),
        lexeme_line(9, [("teacher", [])], lexicalCategory=AGENT_NOUN, claims=made_from(8)),
    ]
    agentive = LexemeRelation("agentive", derivation=Derivation(base=(VERB,)))
    found = collected(lines, [PLURAL, agentive])
    assert found == {"plural": [], "agentive": []}
    assert collected([lines[0], lines[2], lines[4]], [PLURAL, agentive]) == {
        "plural": [("ox", "oxen")],
        "agentive": [("teach", "teacher")],
    }


def test_a_question_has_one_right_answer() -> None:
    """Of two plurals, that of the lowest lexeme."""
    pairs = [FormPair(1, "staff", "staffs"), FormPair(2, "staff", "staves"), FormPair(3, "cat", "cats")]
    assert unambiguous(pairs) == [pairs[0], pairs[2]]


def collected(lines: list[dict[str, Any]], relations: Sequence[LexemeRelation]) -> dict[str, list[tuple[str, str]]]:
    """The words of the English pairs of each relation, after every order of the lexemes gave the same."""
    found = []
    for order in (lines, lines[::-1]):
        collector = PairCollector(relations, ["de", "en"])
        for line in order:
            collector.add(decoded(line))
        found.append(collector.pairs()["en"])
    assert found[0] == found[1]
    return {name: [(pair.first, pair.second) for pair in pairs] for name, pairs in found[0].items()}


def test_agent_nouns_are_made_from_verbs() -> None:
    """By P5191 or P5238, if the word is said to be an agent noun; the base may be read before or after it."""
    agent = an_instance_of(AGENT_NOUN)
    lines = [
        lexeme_line(1, [("teach", [])], lexicalCategory=VERB),
        lexeme_line(2, [("-er", [])], lexicalCategory="Q62155"),
        lexeme_line(3, [("guitar", [])]),
        lexeme_line(4, [("teacher", [])], claims=made_from(1, 2, by="P5238", **agent)),
        lexeme_line(5, [("teaching", [])], claims=made_from(1)),
        lexeme_line(6, [("guitarist", [])], claims=made_from(3, 2, by="P5238", **agent)),
        lexeme_line(7, [("writer", [])], lexicalCategory=AGENT_NOUN, claims=made_from(8)),
        lexeme_line(8, [("write", [])], lexicalCategory=VERB),
        lexeme_line(9, [("cook", [])], lexicalCategory=VERB),
        lexeme_line(10, [("cook", [])], claims=made_from(9, **agent)),
        lexeme_line(11, [("Lehrer", [])], "de", claims=made_from(1, **agent)),
        lexeme_line(12, [("reader", [])], claims=made_from(99, **agent)),
    ]
    found = collected(lines, load_relations())
    assert found["agentive"] == [("teach", "teacher"), ("write", "writer")]
    assert found["derived"] == [("teach", "teaching"), ("write", "writer")]
    assert found["plural"] == []


def test_verbs_in_the_third_person_and_adverbs_are_paired() -> None:
    """As WordRep pairs them: work, works and rapid, rapidly, by the features that editors of English verbs use."""
    work = [("work", ["Q3910936"]), ("works", ["Q3910936", "Q51929447"]), ("working", ["Q10345583"])]
    be = [
        ("am", ["Q110786", "Q21714344", "Q56682909"]),
        ("are", ["Q146786", "Q56682909"]),
        ("is", ["Q110786", "Q51929074", "Q56682909"]),
    ]
    found = collected(
        [
            lexeme_line(1, work, lexicalCategory=VERB),
            lexeme_line(2, be, lexicalCategory=VERB),
            lexeme_line(3, [("rapid", [])], lexicalCategory="Q34698"),
            lexeme_line(4, [("rapidly", [])], lexicalCategory="Q380057", claims=made_from(3)),
            lexeme_line(5, [("workwise", [])], lexicalCategory="Q380057", claims=made_from(1)),
        ],
        load_relations(),
    )
    assert found["third-person"] == [("work", "works"), ("am", "is")]
    assert found["present-participle"] == [("work", "working")]
    assert found["adverb"] == [("rapid", "rapidly")]


def test_the_latest_revision_says_what_a_lexeme_is_made_from() -> None:
    """An older one may have named another base, or the base another lemma."""
    words_ = [
        lexeme_line(1, [("old", [])], lastrevid=1),
        lexeme_line(1, [("king", [])], lastrevid=2),
        lexeme_line(2, [("kin", [])]),
        lexeme_line(3, [("kingdom", [])], claims=made_from(2), lastrevid=7),
        lexeme_line(3, [("kingdom", [])], claims=made_from(1), lastrevid=8),
        lexeme_line(4, [("kinship", [])], claims=made_from(2), lastrevid=8),
        lexeme_line(4, [("kinship", [])], claims=[], lastrevid=9),
    ]
    assert collected(words_, load_relations())["derived"] == [("king", "kingdom")]


def test_statements_of_best_rank_count() -> None:
    """A preferred one puts the normal ones aside, and a deprecated one never counts; nor does an unknown value."""
    claims = made_from(1, 2, 3)
    for statement, rank in zip(claims["P5191"], ("normal", "preferred", "deprecated"), strict=True):
        statement["rank"] = rank
    unknown = {"P5191": [{"mainsnak": {"snaktype": "somevalue", "property": "P5191"}, "rank": "normal"}]}
    bases = [lexeme_line(number, [(f"w{number}", [])]) for number in (1, 2, 3)]
    lines = [*bases, lexeme_line(4, [("w4", [])], claims=claims), lexeme_line(5, [("w5", [])], claims=unknown)]
    assert collected(lines, load_relations())["derived"] == [("w2", "w4")]
    claims["P5191"][1]["rank"] = "deprecated"
    assert collected(lines, load_relations())["derived"] == [("w1", "w4")]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from([NOUN, VERB]),
            st.lists(st.integers(1, 5), max_size=3),
            st.sampled_from(["P5191", "P5238"]),
            st.booleans(),
        ),
        max_size=5,
    ),
    st.sampled_from([("P5191",), ("P5238",), ("P5191", "P5238")]),
    st.sampled_from([(), (VERB,), (NOUN, VERB)]),
    st.booleans(),
)
def test_derivations_are_those_of_the_definition(
    lexemes: list[tuple[str, str, list[int], str, bool]], by: Any, base: tuple[str, ...], typed: bool
) -> None:
    """Every lexeme and every one that it names, of the right kinds, by brute force."""
    types = (AGENT_NOUN,) if typed else ()
    relation = LexemeRelation("r", derivation=Derivation(by, base, types), categories=(NOUN,))
    lines, expected = [], []
    for number, (word, category, bases, name, agent) in enumerate(lexemes, start=1):
        claims = made_from(*bases, by=name, **(an_instance_of(AGENT_NOUN) if agent else {}))
        lines.append(lexeme_line(number, [(word, [])], lexicalCategory=category, claims=claims))
        for other in bases:
            if other <= len(lexemes) and category == NOUN and name in by and (agent or not typed):
                first, its_category = lexemes[other - 1][:2]
                if first != word and (not base or its_category in base):
                    expected.append((number, first, word))
    assert collected(lines, [relation])["r"] == [pair[1:] for pair in dict.fromkeys(expected)]


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
    # None of the six has a statement of P5191 or P5238: no lexeme at hand is made from another.
    assert not any({"P5191", "P5238"} & set(line["claims"]) for line in lines)
    assert not any(found[language][name] for language in found for name in ("agentive", "adverb", "derived"))
    assert ("am", "is") in [(pair.first, pair.second) for pair in found["en"]["third-person"]]
    assert ("is", "was") in [(pair.first, pair.second) for pair in found["en"]["past"]]
    assert {relation.name: len(found["en"][relation.name]) for relation in relations} == {
        relation.name: count_by_hand(lines, relation, "en") for relation in relations
    }


def count_by_hand(lines: list[dict[str, Any]], relation: LexemeRelation, language: str) -> int:
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
