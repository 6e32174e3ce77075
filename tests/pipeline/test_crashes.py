"""A run that dies at any of its writes: no record lies, and the next run leaves what one without a death leaves."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from wikisem.files import list_files, open_binary, remove_below, replace_file
from wikisem.pipeline.runs.ledger import find_damage
from wikisem.pipeline.runs.run import Run, Stage, Unit, UnitResult, run_stages, session
from wikisem.records import Counts, UnreadableRecord
from wikisem.transforms.io.counts import write_unreadable
from wikisem.transforms.io.runtime import Runtime, StageContext

pytestmark = pytest.mark.slow

OUT = "memory://crashes/out"


class Death(BaseException):
    """The end of a process."""


class Store:
    """The store with a process that dies at one of its writes; after that it writes nothing."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.writes, self.last, self.late = 0, -1, False
        for name in ("pipe_file", "cp_file", "rm_file"):
            patch.setattr(MemoryFileSystem, name, self._dying(getattr(MemoryFileSystem, name)))

    def live(self, last: int = -1, late: bool = False) -> None:
        """Begin a process that dies at the write of this number: before it, or when it is done."""
        self.writes, self.last, self.late = 0, last, late

    def _dying(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            self.writes += 1
            if self.last >= 0 and self.writes > self.last:
                if self.late and self.writes == self.last + 1:
                    write(*arguments, **options)
                raise Death
            return write(*arguments, **options)

        return counted


def stages(text: str) -> list[Stage]:
    """One unit with a folder of its own, and two with plain names made from it, one of them with unreadable records."""

    def rows(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        del units, run
        for name in ("a", "b"):
            replace_file(f"{context.folders['rows']}/{name}.txt", f"{name} {text}".encode())
        return {"rows": UnitResult(Counts(2, 2))}

    def sets(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        with open_binary(f"{run.folder('rows')}/a.txt") as source:
            data = source.read()
        for unit in units:
            replace_file(f"{context.scratch.finished}/{unit}.txt", data)
            for number in range(len(text)):
                replace_file(f"{context.scratch.finished}/{unit}/{text[number]}.txt", data)
        return {unit: UnitResult(Counts(2, 1, {}, {"bad": 1})) for unit in units}

    units = [Unit(f"sets/{name}", {}, (f"sets/{name}.txt", f"sets/{name}"), needs=("rows",)) for name in "xy"]
    return [Stage("rows", [Unit("rows", {"text": text})], rows), Stage("sets", units, sets)]


def build(text: str) -> None:
    """A run, which knows that whatever ran before is dead."""
    run = Run(OUT, Runtime(), break_lock=True)
    with session(run):
        run_stages(stages(text), run)


def contents() -> dict[str, bytes]:
    """All objects but those that say when something was made."""
    found = {}
    for path in list_files(f"{OUT}/**"):
        with open_binary(path) as source:
            found[path.removeprefix(f"{OUT}/")] = source.read()
    return {path: data for path, data in found.items() if path != "manifest.json"}


@pytest.mark.parametrize("late", [False, True])
def test_a_run_that_dies_at_any_write_is_made_good_by_the_next(monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    """Over an earlier result: what has a record is whole at any moment, and nothing of the dead run stays.

    A process that dies before a write leaves what one leaves that dies when the write before it is done: before every
    second write, or when it is done, is each moment once.
    """
    store = Store(monkeypatch)
    remove_below("memory://crashes", "out")
    build("old")
    earlier = dict(MemoryFileSystem.store)
    store.live()
    build("new")
    wanted, writes = contents(), store.writes
    assert writes > 30
    died = 0
    moments = range(0, writes, 2)
    for last in moments:
        MemoryFileSystem.store.clear()
        MemoryFileSystem.store.update(earlier)
        store.live(last, late)
        try:
            build("new")
        except Death:
            died += 1
        store.live()
        ledger = Run(OUT, Runtime()).ledger
        for record in ledger.records():
            assert find_damage(OUT, record) == "", (last, record.unit)
        build("new")
        assert contents() == wanted, last
    assert died == len(moments)


def test_unreadable_records_are_not_mixed_up_by_a_run_that_dies(tmp_path: Path) -> None:
    """The unreadable records of the dead run are in scratch of its own, which the next one does not read."""
    write_unreadable(
        f"{tmp_path}/.work/dead/rows/unreadable/rows/0.jsonl", [UnreadableRecord("rows", "bad", "x:1", "")]
    )
    run = Run(str(tmp_path), Runtime())
    with session(run):
        run_stages(stages("new")[:1], run)
    assert not (tmp_path / "unreadable").exists()
