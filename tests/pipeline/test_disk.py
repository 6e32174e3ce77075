"""The disk that a stage will need is estimated before it starts, and said when it is not there."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from wikisem.pipeline.runs.ledger import Part, Record
from wikisem.pipeline.runs.run import (
    Run,
    Stage,
    Unit,
    UnitResult,
    estimate_bytes,
    lacking_disk,
    run_stages,
    session,
)
from wikisem.records import Counts
from wikisem.transforms.io.runtime import Runtime, StageContext


class Usage(NamedTuple):
    """What a disk says of itself."""

    total: int
    used: int
    free: int


GB = 10**9


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How much is free on every disk."""
    found = {"bytes": 10 * GB}
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, found["bytes"]))
    return found


def test_an_estimate_grows_with_what_is_read() -> None:
    """With the size of dumps, compressed or not, and of the files of needed units."""
    packed, plain = {"path": "a.bz2", "size": 8 * GB}, {"path": "a.xml", "size": 8 * GB}
    one = estimate_bytes("mentions", [packed], [])
    assert one > GB
    assert estimate_bytes("mentions", [packed, packed], []) == 2 * one
    assert estimate_bytes("mentions", [plain], []) == one // 8
    needed = Record("entities", "", "", Counts(), parts={"a": Part(GB, ""), "b": Part(GB, "")})
    assert estimate_bytes("taxonomy", [], [needed]) > 2 * GB
    assert estimate_bytes("taxonomy", [], []) == estimate_bytes("mixed", [], [needed]) == 0


def test_a_disk_that_is_large_enough_is_not_spoken_of(tmp_path: Path, free: Mapping[str, int]) -> None:
    """Nor one that nobody can look at."""
    assert lacking_disk(f"{tmp_path}/not/yet", "mentions", free["bytes"]) == ""
    assert lacking_disk("gs://bucket/out", "mentions", 10**18) == ""
    said = lacking_disk(f"{tmp_path}/not/yet", "mentions", free["bytes"] + GB)
    assert said.startswith("warning: mentions: about 11.0 GB of disk will be needed below ")
    assert said.endswith("saw 10.0 GB free")


def test_the_warning_comes_before_the_work(tmp_path: Path, free: dict[str, int]) -> None:
    """The stage runs all the same: an estimate may be wrong."""
    lines: list[str] = []

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        del run, context
        lines.append("work")
        return {unit: UnitResult(Counts(1, 1)) for unit in units}

    inputs = [{"path": "dump.bz2", "size": 100 * GB}]
    run = Run(str(tmp_path), Runtime(), log=lines.append)
    with session(run):
        run_stages([Stage("mentions", [Unit("mentions/de", {}, facts={"inputs": inputs})], work)], run)
        free["bytes"] = 10**15
        run_stages([Stage("mentions", [Unit("mentions/fr", {}, facts={"inputs": inputs})], work)], run)
    said = [line[:17] for line in lines if not line.startswith("bzip2")]
    assert said == ["warning: mentions", "work", "work"]
