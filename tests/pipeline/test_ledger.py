"""The ledger: what is finished in an output folder, one small file for each unit."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem import files
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.pipeline.runs.ledger import Ledger, Part, Record, fingerprint, write_json
from wikisem.records import Counts

RECORD = Record(
    "mentions/zh-yue",
    "print",
    "identity",
    Counts(5, 3, {"redirect": 1}, {"bad": 1}),
    {"entities": "1"},
    {"a.parquet": Part(9, "0000000a")},
    {"seed": 7},
    {"inputs": []},
)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


def test_a_record_comes_back_as_it_was_put(tmp_path: Path) -> None:
    """Every field is kept, and units with a language do not need folders."""
    ledger = Ledger(str(tmp_path))
    assert ledger.find(RECORD.unit) is None
    ledger.put(RECORD)
    assert ledger.find(RECORD.unit) == RECORD == ledger.require(RECORD.unit)
    assert [path.name for path in (tmp_path / ".wikisem").iterdir()] == ["mentions.zh-yue.json"]


def test_an_invalidated_unit_is_not_finished(tmp_path: Path) -> None:
    """A unit that is not there can be invalidated too."""
    ledger = Ledger(str(tmp_path))
    ledger.put(RECORD)
    ledger.invalidate(RECORD.unit)
    ledger.invalidate(RECORD.unit)
    assert ledger.find(RECORD.unit) is None
    assert ledger.records() == []


def test_a_record_is_read_once_until_it_is_forgotten(tmp_path: Path) -> None:
    """A run has OUT to itself; what it read before that may be another run's earlier record."""
    own, other = Ledger(str(tmp_path)), Ledger(str(tmp_path))
    newer = replace(RECORD, fingerprint="newer")
    own.put(RECORD)
    assert own.find(RECORD.unit) == RECORD
    other.put(newer)
    assert (own.find(RECORD.unit), own.records()) == (RECORD, [RECORD])
    own.forget()
    assert (own.find(RECORD.unit), own.records()) == (newer, [newer])


def test_all_records_come_by_unit(tmp_path: Path) -> None:
    """Whichever command put them, and in whatever order."""
    ledger = Ledger(str(tmp_path))
    records = [Record(unit, "print", "", Counts()) for unit in ("surfaces/de", "entities", "mentions/de")]
    for record in records:
        ledger.put(record)
    assert [record.unit for record in ledger.records()] == ["entities", "mentions/de", "surfaces/de"]


def test_a_record_is_replaced_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At no moment is the old record gone and the new one not there: nothing is removed while one is put."""
    ledger = Ledger(str(tmp_path))
    ledger.put(RECORD)

    def never(path: str) -> None:
        raise AssertionError(f"{path} removed")

    monkeypatch.setattr(files, "remove", never)
    monkeypatch.setattr("wikisem.files.remove", never)
    newer = Record(RECORD.unit, "newer", "", Counts())
    ledger.put(newer)
    assert ledger.find(RECORD.unit) == newer


def test_a_missing_unit_names_the_stage_to_run(tmp_path: Path) -> None:
    """The stage is the unit without its language."""
    with pytest.raises(MissingInputError, match=r"surfaces/de to be finished in .*run `wikisem surfaces` first"):
        Ledger(str(tmp_path)).require("surfaces/de")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"unit": "entities"}', '{"unit": "entities", "counts": {"x": 1}}'])
def test_a_record_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    """A half-written file, or one of another version, is an error that says which file to remove."""
    path = tmp_path / ".wikisem" / "entities.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(DamagedInputError, match=r"entities\.json: expected the record of a unit.*remove the file"):
        Ledger(str(tmp_path)).find("entities")


@pytest.mark.parametrize(
    "wrong",
    [
        {"unit": 5},
        {"fingerprint": "../../elsewhere"},
        {"counts": {"read": "5", "kept": 5, "left_out": {}, "unreadable": {}}},
        {"counts": {"read": 5, "kept": 5, "left_out": [], "unreadable": {}}},
        {"counts": {"read": 5, "kept": 5}},
        {"needs": ["entities"]},
        {"parts": {"a.parquet": {"size": -1, "checksum": ""}}},
        {"parts": {"a.parquet": {"size": None, "checksum": ""}}},
        {"made_with": 1.5},
        {"facts": []},
        {"other": ""},
    ],
)
def test_a_record_of_other_types_is_named(tmp_path: Path, wrong: dict[str, Any]) -> None:
    """Whoever wrote it knows how its checksum is made."""
    data = {**asdict(RECORD), **wrong}
    write_json(f"{tmp_path}/.wikisem/mentions.zh-yue.json", {**data, "checksum": fingerprint(**data)})
    with pytest.raises(DamagedInputError, match=r"zh-yue\.json: expected the record of a unit.*remove the file"):
        Ledger(str(tmp_path)).find(RECORD.unit)


@pytest.mark.parametrize("text", ["", "[", "5", '"ab"', "[1]", '{"a": 1}'])
def test_names_of_other_types_are_named(tmp_path: Path, text: str) -> None:
    """Of letters or numbers taken for names, files of those names would go."""
    (tmp_path / ".wikisem").mkdir()
    (tmp_path / ".wikisem" / "entities.names").write_text(text)
    with pytest.raises(DamagedInputError, match=r"entities\.names: expected a list of names"):
        Ledger(str(tmp_path)).names("entities")


@pytest.mark.slow
def test_every_bit_that_flips_in_a_record_is_noticed(tmp_path: Path) -> None:
    """It says by what all other files are checked; blanks between its values are no part of it."""
    Ledger(str(tmp_path)).put(RECORD)
    path = tmp_path / ".wikisem" / "mentions.zh-yue.json"
    data, found = path.read_bytes(), 0
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            assert Ledger(str(tmp_path)).find(RECORD.unit) == RECORD
        except DamagedInputError:
            found += 1
    assert found > 7 * len(data.translate(None, b" \n"))


@given(values, values)
def test_a_fingerprint_depends_on_every_part_and_on_no_order(one: Any, other: Any) -> None:
    """Equal parts in another order give the same digest; parts that differ, or change places, give another."""
    assert fingerprint(a=one, b=other) == fingerprint(b=other, a=one)
    if repr(one) != repr(other):
        assert fingerprint(a=one, b=other) != fingerprint(a=other, b=one)
        assert fingerprint(a=one) != fingerprint(a=other)
    assert fingerprint(a=one) != fingerprint(a=one, b=other)


def test_records_are_in_the_order_of_their_units(tmp_path: Path) -> None:
    """By the name of the unit, not of its file: zh comes before zh-yue, which is before it among the files."""
    ledger = Ledger(str(tmp_path))
    for unit in ("groups/zh-yue", "groups/zh", "entities"):
        ledger.put(replace(RECORD, unit=unit))
    assert [record.unit for record in ledger.records()] == ["entities", "groups/zh", "groups/zh-yue"]
