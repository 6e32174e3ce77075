"""The command ``wikisem wordnet``, on a small WordNet in the real form, through the real library."""

import bz2
import gzip
import importlib.util
import json
from pathlib import Path

import pytest

from tests.word_groups import words_asked
from wikisem.categories.lexeme_pairs import RELATIONS, read_wordnet
from wikisem.errors import DamagedInputError
from wikisem.evaluation.analogies import read_questions
from wikisem.pipeline.cli import main

pytestmark = pytest.mark.skipif(importlib.util.find_spec("wn") is None, reason="wn is not installed: wikisem[wordnet]")

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
<Lexicon id="x" label="x" language="en" email="x@y" license="x" version="1">
"""
# Word, synset, and the relations of its sense.
ENTRIES = [
    ("yoga", "s1", []), ("exercise", "s2", [("derivation", "exercise-s9")]), ("eyebrow", "s3", []), ("face", "s4", []),
    ("human face", "s4", []), ("major", "s5", [("antonym", "minor-s6")]), ("minor", "s6", [("antonym", "major-s5")]),
    ("Dallas", "s7", []), ("city", "s8", []), ("exercise", "s9", []), ("solar plexus", "s10", []),
    ("rapid", "s11", [("pertainym", "city-s8")]), ("rapidly", "s12", [("pertainym", "rapid-s11")]),
    ("citywards", "s12", [("pertainym", "city-s8")]),
]  # fmt: skip
PARTS = {"rapid": "s", "rapidly": "r", "citywards": "r"}
SYNSETS = {
    "s1": [("hypernym", "s2")], "s2": [("hyponym", "s1")], "s3": [("holo_part", "s4")], "s4": [("mero_part", "s3")],
    "s7": [("instance_hypernym", "s8")], "s10": [("holo_part", "s4")], "s9": [("hypernym", "s8")],
}  # fmt: skip


def wordnet() -> str:
    """The LMF text."""
    entries = "".join(
        f'<LexicalEntry id="e{at}"><Lemma writtenForm="{word}" partOfSpeech="{PARTS.get(word, "n")}"/>'
        f'<Sense id="{word.replace(" ", "_")}-{synset}" synset="{synset}">'
        + "".join(f'<SenseRelation relType="{kind}" target="{target}"/>' for kind, target in relations)
        + "</Sense></LexicalEntry>"
        for at, (word, synset, relations) in enumerate(ENTRIES)
    )
    synsets = "".join(
        f'<Synset id="s{at}" ili="" partOfSpeech="n">'
        + "".join(f'<SynsetRelation relType="{kind}" target="{target}"/>' for kind, target in SYNSETS.get(f"s{at}", []))
        + "</Synset>"
        for at in range(1, 13)
    )
    return f"{HEAD}{entries}{synsets}</Lexicon></LexicalResource>"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The WordNet, and the work done beside it."""
    (tmp_path / "wn.xml").write_text(wordnet())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pairs_of(path: Path) -> dict[str, list[tuple[str, str]]]:
    """The pairs of each relation that has any."""
    return {name: pairs for name, pairs in read_wordnet(path).items() if pairs}


def test_relations_are_read_in_their_direction(folder: Path) -> None:
    """As the examples of WordRep have them; one word for a synset; inverse relations and equal words make no pair."""
    expected = {
        "Antonym": [("major", "minor"), ("minor", "major")],
        "IsA": [("yoga", "exercise"), ("exercise", "city")],
        "PartOf": [("eyebrow", "face"), ("solar plexus", "face")],
        "InstanceOf": [("Dallas", "city")],
        # An adverb that is made from an adjective; others pertain to nouns.
        "Adjective-to-adverb": [("rapid", "rapidly")],
    }
    assert pairs_of(folder / "wn.xml") == expected
    (folder / "wn.xml.gz").write_bytes(gzip.compress(wordnet().encode()))
    assert pairs_of(folder / "wn.xml.gz") == expected
    (folder / "packed").write_bytes(bz2.compress(wordnet().encode()))
    assert pairs_of(folder / "packed") == expected
    assert len(RELATIONS) == 13


def test_questions_are_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A section for each relation with two pairs; filters leave words out."""
    assert main(["wordnet", "wn.xml", "--output", "out"]) == 0
    assert "│ IsA                 │     2 │         2 │" in capsys.readouterr().out
    sections = read_questions(folder / "out" / "analogies.txt")
    assert [(section.name, len(section.rows)) for section in sections] == [
        ("Antonym", 2),
        ("IsA", 2),
        ("PartOf", 2),
    ]
    assert ("eyebrow", "face", "solar_plexus", "face") in words_asked(sections[2])
    assert main(["wordnet", "wn.xml", "--output", "single", "--single-words"]) == 0
    assert "plexus" not in (folder / "single" / "pairs.jsonl").read_text()
    (folder / "words.txt").write_text("major 0.1 0.2\nminor 0.3 0.4\nhuman_face 1 2\neyebrow 2 3\n")
    assert main(["wordnet", "wn.xml", "--output", "few", "--vocabulary", "words.txt"]) == 0
    rows = [json.loads(line) for line in (folder / "few" / "pairs.jsonl").read_text().splitlines()]
    assert {row["relation"]: len(row["pairs"]) for row in rows if row["pairs"]} == {"Antonym": 2, "PartOf": 1}
    assert rows[5]["pairs"] == [{"first": "eyebrow", "second": "human face"}]


def test_without_a_question_there_is_no_file_of_questions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One pair alone asks nothing: gensim would divide by 0; the file of an earlier run does not stay."""
    assert main(["wordnet", "wn.xml", "--output", "out"]) == 0
    (folder / "words.txt").write_text("Dallas\ncity\n")
    assert main(["wordnet", "wn.xml", "--output", "out", "--vocabulary", "words.txt"]) == 0
    assert not (folder / "out" / "analogies.txt").exists()
    assert "Dallas" in (folder / "out" / "pairs.jsonl").read_text()
    assert f"no relation has a question: there is no {Path('out/analogies.txt')}" in capsys.readouterr().err


def test_all_pairs_are_asked_of_words_with_several_partners(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """WordRep keeps all n(n - 1) questions of n pairs; what a sample leaves out is printed."""
    several = wordnet().replace('<SynsetRelation relType="hypernym" target="s2"/>', "".join(
        f'<SynsetRelation relType="hypernym" target="s{target}"/>' for target in (2, 4, 8)
    ))  # fmt: skip
    (folder / "several.xml").write_text(several)
    assert main(["wordnet", "several.xml", "--output", "out", "--questions", "0"]) == 0
    sections = {section.name: section for section in read_questions(folder / "out" / "analogies.txt")}
    pairs = [("yoga", "exercise"), ("yoga", "face"), ("yoga", "city"), ("exercise", "city")]
    assert words_asked(sections["IsA"]) == [(*one, *other) for one in pairs for other in pairs if one != other]
    assert "│ IsA                 │     4 │        12 │" in capsys.readouterr().out
    assert main(["wordnet", "several.xml", "--output", "out", "--questions", "5"]) == 0
    assert "│ IsA                 │     4 │         5 │" in capsys.readouterr().out


def test_mistakes_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No file, no WordNet, no vocabulary, and nothing left."""
    for words, message in [
        (["none.xml"], "expected a WordNet, saw no file"),
        (["wn.xml", "--vocabulary", "none.txt"], "expected a vocabulary, saw no file"),
        (["wn.xml", "--vocabulary", "wn.xml"], "relations between words that are kept, saw none"),
    ]:
        assert main(["wordnet", *words, "--output", "out"]) == 1
        assert message in capsys.readouterr().err
    (folder / "bad.xml").write_text(wordnet().replace("<Lemma ", "<Pronunciation "))
    with pytest.raises(DamagedInputError, match=r"bad\.xml: expected a WordNet in LMF, saw an element that lacks"):
        read_wordnet(folder / "bad.xml")
    for name, data in [("bad.xml", b"<html></html>"), ("bad.xml.gz", b"\x1f\x8b\x08\x00" + b"a" * 20)]:
        (folder / name).write_bytes(data)
        with pytest.raises(DamagedInputError, match=rf"{name}: expected a WordNet in LMF"):
            read_wordnet(folder / name)
