"""Reading a lexeme dump: every wrapping, damage in the middle, and an account of every line."""

import bz2
import gzip
import json
from pathlib import Path

import pytest

from tests.categories.test_lexeme_pairs import lexeme_line
from wikisem.errors import DamagedInputError, MissingInputError, WrongDumpError
from wikisem.records import UnreadableRecord
from wikisem.wikidata.entity_reader import LexemeReader

GOOD = [json.dumps(lexeme_line(number, [(f"w{number}", ["Q1"])])) for number in range(1, 6)]


def dump_of(lines: list[str]) -> bytes:
    """Lines wrapped as in a dump."""
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode()


def read(path: Path) -> tuple[list[str], list[UnreadableRecord], LexemeReader]:
    """The ids of the lexemes, and what was unreadable."""
    unreadable: list[UnreadableRecord] = []
    reader = LexemeReader(unreadable.append)
    return [lexeme.id for lexeme in reader.read(path)], unreadable, reader


@pytest.mark.parametrize("suffix", ["json", "json.gz", "json.bz2"])
def test_every_compression_is_read(tmp_path: Path, suffix: str) -> None:
    """The same lexemes, in their order."""
    data = dump_of(GOOD)
    packed = {"json": data, "json.gz": gzip.compress(data), "json.bz2": bz2.compress(data)}[suffix]
    (tmp_path / f"lexemes.{suffix}").write_bytes(packed)
    assert read(tmp_path / f"lexemes.{suffix}")[0] == [f"L{number}" for number in range(1, 6)]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"id":"L9","type":"lexeme"', "not-json"),
        ("nothing", "not-json"),
        ('{"id":"L9","type":"lexeme"}', "bad-lexeme"),
        (GOOD[0].replace('"L1"', '"Q1"'), "bad-lexeme"),
        (GOOD[0].replace('"forms": [', '"forms": "', 1).replace("],", '",', 1), "not-json"),
        (GOOD[0].replace('"claims": []', '"claims": {"P5191": 3}', 1), "bad-lexeme"),
        ("[]", None),
        ("17", "not-json"),
    ],
)
def test_a_bad_line_costs_no_other(tmp_path: Path, bad: str, reason: str | None) -> None:
    """It is unreadable with its reason and place, and the lexemes before and after it are read."""
    (tmp_path / "l.json").write_bytes(dump_of([*GOOD[:2], bad, *GOOD[2:]]))
    found, unreadable, reader = read(tmp_path / "l.json")
    assert found == [f"L{number}" for number in range(1, 6)]
    assert [record.reason for record in unreadable] == ([reason] if reason else [])
    assert all(f"{tmp_path}/l.json" in record.where and record.stage == "lexemes" for record in unreadable)
    reader.counts().check("lexemes")


def test_other_entities_and_redirects_are_left_out(tmp_path: Path) -> None:
    """Counted by what they are."""
    others = [
        '{"type":"item","id":"Q1","labels":{}}',
        '{"type":"property","id":"P1"}',
        '{"entity":"L7","redirect":"L8"}',
        '{"id":"L7","type":"lexeme","redirect":"L8"}',
    ]
    (tmp_path / "l.json").write_bytes(dump_of([others[0], GOOD[0], *others[1:], GOOD[1]]))
    found, unreadable, reader = read(tmp_path / "l.json")
    assert (found, unreadable) == (["L1", "L2"], [])
    assert reader.counts().left_out == {"item": 1, "property": 1, "redirect": 2}
    assert (reader.counts().read, reader.counts().kept) == (6, 2)


def test_a_damaged_file_gives_what_is_whole(tmp_path: Path) -> None:
    """A bzip2 file that is cut off loses its end alone, and says so."""
    lines = [json.dumps(lexeme_line(number, [(f"w{number * 7919}", ["Q1"])])) for number in range(1, 9000)]
    data = bz2.compress(dump_of(lines), 1)
    (tmp_path / "l.json.bz2").write_bytes(data[: len(data) // 2])
    found, unreadable, reader = read(tmp_path / "l.json.bz2")
    assert found == [f"L{number}" for number in range(1, len(found) + 1)]
    assert 2000 < len(found) < 7000
    assert len(unreadable) >= 1
    reader.counts().check("lexemes")


def test_without_a_taker_the_first_unreadable_line_raises(tmp_path: Path) -> None:
    """So that nobody misses it; another kind of file and none are errors, too."""
    (tmp_path / "l.json").write_bytes(dump_of([GOOD[0], "bad"]))
    with pytest.raises(DamagedInputError, match="not-json"):
        list(LexemeReader().read(tmp_path / "l.json"))
    with pytest.raises(MissingInputError, match="saw no file at"):
        list(LexemeReader().read(tmp_path / "none.json"))
    (tmp_path / "x.json").write_text("<mediawiki>" + "x" * 100)
    with pytest.raises(WrongDumpError, match=r"saw XML that begins with b'<mediawiki>x{29}'$"):
        list(LexemeReader().read(tmp_path / "x.json"))


def test_empty_maps_and_keyed_forms_are_read(tmp_path: Path) -> None:
    """PHP writes an empty map as a list; an old writer gave forms by their number."""
    line = lexeme_line(1, [])
    keyed = lexeme_line(2, [("a", ["Q1"])])
    keyed["forms"] = {"1": keyed["forms"][0]}
    (tmp_path / "l.json").write_bytes(dump_of([json.dumps(line | {"lemmas": []}), json.dumps(keyed)]))
    assert read(tmp_path / "l.json")[0] == ["L1", "L2"]
