"""Only the bad line is dropped: whatever it makes a reader raise is its own rejection, with its place."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.wikidata.test_lexeme_reader import GOOD, dump_of
from wikisem.errors import DamagedInputError
from wikisem.records import UnreadableRecord
from wikisem.wikidata import entity_reader
from wikisem.wikidata.entity_reader import EntityReader, LexemeReader, read_entities
from wikisem.wikidata.line_types import Fields, UnreadableLine

CLASS = '{"mainsnak":{"snaktype":"value","datavalue":{"value":{"entity-type":"item","id":"Q5"}}}}'
ITEMS = [f'{{"type":"item","id":"Q{number}","claims":{{"P31":[{CLASS}]}}}}' for number in range(1, 6)]
LINES = {"items": ITEMS, "lexemes": GOOD}
NESTED = {
    "items": ['{"type":"item","id":"Q9","claims":%s}', '{"type":"item","id":"Q9","claims":{"P31":%s}}', '{"id":%s}'],
    "lexemes": ['{"type":"lexeme","id":"L9","forms":%s}', '{"type":"lexeme","id":"L9","x":%s}', '{"id":%s}'],
}
Read = Callable[[list[str]], tuple[list[int], list[UnreadableRecord]]]
Fail = Callable[[BaseException], None]
# Deeper than Python's stack, deeper than any parser goes, and just what they allow.
DEPTHS = [900, 985, 1000, 1020, 1030, 5000]


def nested(depth: int) -> str:
    """Lists in lists."""
    return "[" * depth + "]" * depth


@pytest.fixture(params=["items", "lexemes"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which dump is read."""
    return str(request.param)


@pytest.fixture
def read(kind: str, tmp_path: Path) -> Read:
    """The numbers of what is read of some lines, and those that are unreadable."""
    path = tmp_path / "dump.json"

    def run(lines: list[str]) -> tuple[list[int], list[UnreadableRecord]]:
        path.write_bytes(dump_of(lines))
        unreadable: list[UnreadableRecord] = []
        if kind == "lexemes":
            return [int(lexeme.id[1:]) for lexeme in LexemeReader(unreadable.append).read(path)], unreadable
        table: pa.Table = read_entities(path, on_unreadable=unreadable.append)
        return [int(qid[1:]) for qid in table["qid"].to_pylist()], unreadable

    return run


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch, kind: str) -> Fail:
    """Makes the reading of the third line raise an error."""
    owner, name = {"items": (EntityReader, "read"), "lexemes": (entity_reader, "_lexeme")}[kind]
    usual = getattr(owner, name)

    def patch(error: BaseException) -> None:
        def read(*given: Any) -> object:
            if any(mark in bytes(given[-1]) for mark in (b'"Q3"', b'"L3"')):
                raise error
            return usual(*given)

        monkeypatch.setattr(owner, name, read)

    return patch


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_line_nested_deeply_costs_it_alone(depth: int, read: Read, kind: str) -> None:
    """With the byte at which it begins; the lines before and after it are read."""
    good = LINES[kind]
    for line in NESTED[kind]:
        found, unreadable = read([*good[:2], line % nested(depth), *good[2:]])
        assert found == [1, 2, 3, 4, 5]
        assert [int(record.where.rsplit(":", 1)[1]) for record in unreadable] == [
            2 + sum(len(one) + 2 for one in good[:2])
        ]


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("line", ['{"type":"item","id":"Q9","claims":%s}', '{"id":%s}', '{"type":%s,"id":"Q1"}'])
def test_the_reason_does_not_depend_on_the_stack(depth: int, line: str) -> None:
    """The same line is unreadable for the same reason, however deep in calls the program is."""

    def reason(frames: int) -> str:
        if frames:
            return reason(frames - 1)
        found = EntityReader(Fields()).read((line % nested(depth)).encode())
        assert isinstance(found, UnreadableLine)
        return found.reason

    assert {reason(0), reason(300), reason(600)} == {"not-json" if depth > 1020 else reason(0)}
    assert reason(0) != "unreadable"


@pytest.mark.parametrize(
    "error", [RecursionError("x"), OverflowError("x"), ValueError("x"), KeyError("x"), SystemError("x")]
)
def test_whatever_a_line_raises_costs_it_alone(error: Exception, fail: Fail, read: Read, kind: str) -> None:
    """Its reason is ``unreadable``."""
    fail(error)
    found, unreadable = read(LINES[kind])
    assert found == [1, 2, 4, 5]
    assert [record.reason for record in unreadable] == ["unreadable"]
    assert unreadable[0].detail == f"expected a line that can be read, saw {type(error).__name__}: {error}"


def test_a_lack_of_memory_is_no_fault_of_a_line(fail: Fail, read: Read, kind: str) -> None:
    """The machine is at fault, not the line."""
    fail(MemoryError())
    with pytest.raises(MemoryError):
        read(LINES[kind])


def test_without_a_taker_the_line_is_named(tmp_path: Path) -> None:
    """By file, byte and reason."""
    (tmp_path / "dump.json").write_bytes(dump_of([ITEMS[0], f'{{"id":{nested(1000)}}}']))
    with pytest.raises(DamagedInputError, match=rf"dump\.json:{len(ITEMS[0]) + 4}: bad-id: "):
        read_entities(tmp_path / "dump.json")
