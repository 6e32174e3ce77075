"""The disk that a stage will need is estimated before it starts, and said when it is not there."""

import re
import shutil
from bisect import bisect_left
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


def test_an_estimate_grows_with_what_is_read(tmp_path: Path, free: dict[str, int]) -> None:
    """With the size of dumps, compressed or not, and of the files of needed units: as much has to be free."""

    def needed(stage: str, inputs: Sequence[Mapping[str, object]], *records: Record) -> int:
        """The least number of bytes on the disk, a whole number of megabytes, with which nothing is said."""
        sizes = range(0, 100 * GB, GB // 1000)

        def is_enough(size: int) -> bool:
            free["bytes"] = size
            return not lacking_disk(str(tmp_path), stage, inputs, records)

        return sizes[bisect_left(sizes, True, key=is_enough)]

    packed, plain = {"path": "a.bz2", "size": 8 * GB}, {"path": "a.xml", "size": 8 * GB}
    one = needed("mentions", [packed])
    assert one > GB
    assert needed("mentions", [packed, packed]) == 2 * one
    assert needed("mentions", [plain]) == one // 8
    entities = Record("entities", "", "", Counts(), parts={"a": Part(GB, ""), "b": Part(GB, "")})
    assert needed("taxonomy", [], entities) > 2 * GB
    assert needed("taxonomy", []) == needed("mixed", [], entities) == 0


def test_a_disk_that_is_large_enough_is_not_spoken_of(tmp_path: Path, free: dict[str, int]) -> None:
    """Nor one that nobody can look at."""
    packed = [{"path": "a.bz2", "size": 20 * GB}]
    free["bytes"] = 20 * GB
    assert lacking_disk(f"{tmp_path}/not/yet", "mentions", packed, []) == ""
    free["bytes"] = 10 * GB
    assert lacking_disk("gs://bucket/out", "mentions", packed, []) == ""
    said = lacking_disk(f"{tmp_path}/not/yet", "mentions", packed, [])
    assert re.match("warning: mentions: about 1[0-9]\\.[0-9] GB of disk will be needed below ", said)
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
