"""The files of a unit as its record lists them: what is missing, cut short or too much is noticed and named."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pytest

from wikisem.arrow.parquet import read_parquet, write_parquet
from wikisem.errors import DamagedInputError, MissingInputError, OutputError
from wikisem.files import create_binary
from wikisem.pipeline.runs.ledger import Part, Record, find_damage
from wikisem.pipeline.runs.run import Run, Stage, Unit, UnitResult, run_stages, session
from wikisem.records import Counts
from wikisem.transforms.io.runtime import Runtime, StageContext

FILES = {"a.parquet": b"rows", "deep/b.parquet": b"more rows"}


@pytest.fixture
def lines() -> list[str]:
    """What a run logs."""
    return []


@pytest.fixture
def run(tmp_path: Path, lines: list[str]) -> Iterator[Run]:
    """A run that is at work."""
    run = Run(str(tmp_path), Runtime(), log=lines.append)
    with session(run):
        yield run


def write(folder: str) -> None:
    """The files of a unit."""
    for name, data in FILES.items():
        with create_binary(f"{folder}/{name}") as sink:
            sink.write(data)


def toys(needs: tuple[str, ...] = ()) -> Stage:
    """A unit in a folder of its own, and one of plain names, which may need the other."""

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        del units, run
        if needs:
            write(f"{context.scratch.finished}/plain")
        else:
            write(context.folders["toys/de"])
        return {"plain" if needs else "toys/de": UnitResult(Counts(1, 1))}

    return Stage("toys", [Unit("plain", {}, ("plain",), needs) if needs else Unit("toys/de", {})], work)


def again(run: Run) -> Run:
    """What a later command knows of the same folder."""
    return replace(run)


def test_a_record_lists_every_file_with_its_size_and_checksum(run: Run) -> None:
    """In a folder of its own and under plain names, by path below OUT."""
    (own,) = run_stages([toys()], run)
    (plain,) = run_stages([toys(("toys/de",))], run)
    parts = {name: Part(len(data), f"{crc32(data):08x}") for name, data in FILES.items()}
    assert own.parts == {f"toys/de/{own.fingerprint}/{name}": part for name, part in parts.items()}
    assert plain.parts == {f"plain/{name}": part for name, part in parts.items()}
    assert find_damage(run.output, own) == find_damage(run.output, plain) == ""
    assert run.ledger.find("toys/de") == own


def lose(path: Path) -> str:
    """Remove a file."""
    path.unlink()
    return "saw no such file"


def cut(path: Path) -> str:
    """Keep half of a file."""
    path.write_bytes(path.read_bytes()[:2])
    return "saw 2"


def flip(path: Path) -> str:
    """Flip one bit."""
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    return "saw other bytes"


def zero(path: Path) -> str:
    """Zeros in place of all bytes, as a loss of power may leave them."""
    path.write_bytes(bytes(len(path.read_bytes())))
    return "saw other bytes"


def add(path: Path) -> str:
    """Put another file beside it."""
    path.with_name("c.parquet").write_bytes(b"")
    return "saw .*c.parquet"


@pytest.mark.parametrize("damage", [lose, cut, flip, zero, add])
def test_a_unit_whose_files_do_not_fit_its_record_is_made_again(
    run: Run, lines: list[str], damage: Callable[[Path], str]
) -> None:
    """The log says why; it is not said to be finished before, and then it is whole."""
    (record,) = run_stages([toys()], run)
    damage(Path(run.output) / "toys/de" / record.fingerprint / "a.parquet")
    later = again(run)
    assert run_stages([toys()], later) == [record]
    assert len(lines) == 1
    assert lines[0].startswith("toys/de: made again, expected ")
    assert find_damage(run.output, record) == ""
    run_stages([toys()], later)
    assert lines[1:] == ["toys/de: finished before, nothing changed"]


@pytest.mark.parametrize("damage", [lose, cut, flip, zero, add])
def test_a_needed_unit_whose_files_do_not_fit_its_record_is_an_error(run: Run, damage: Callable[[Path], str]) -> None:
    """It says what is wrong, and the command that makes it again."""
    (record,) = run_stages([toys()], run)
    said = damage(Path(run.output) / "toys/de" / record.fingerprint / "a.parquet")
    with pytest.raises(MissingInputError, match=rf"{said}.*; run `wikisem toys` to make it"):
        run_stages([toys(("toys/de",))], again(run))


def test_the_files_of_a_unit_are_on_the_disk_before_its_record_is(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """They and the folders that name them; then the record, before it has its name, and that name."""
    events: list[str] = []
    output, sync, replace_ = Path(run.output), os.fsync, Path.replace

    def log_sync(handle: int) -> None:
        sync(handle)
        events.append(f"sync {Path(f'/proc/self/fd/{handle}').readlink().relative_to(output)}")

    def log_replace(source: Path, target: Path) -> Path:
        events.append(f"{source.relative_to(output)} is {Path(target).relative_to(output)}")
        return replace_(source, target)

    monkeypatch.setattr("wikisem.atomic_files.os.fsync", log_sync)
    monkeypatch.setattr(Path, "replace", log_replace)
    for stage, unit in ((toys(), "toys.de"), (toys(("toys/de",)), "plain")):
        events.clear()
        (record,) = run_stages([stage], run)
        named = next(event for event in events if event.endswith(f" is .wikisem/{unit}.json"))
        before, after = events[: events.index(named)], events[events.index(named) + 1 :]
        paths = {str(path) for part in record.parts for path in (Path(part), *Path(part).parents)}
        assert {f"sync {path}" for path in paths} | {f"sync {named.partition(' ')[0]}"} <= set(before)
        assert after[0] == "sync .wikisem"


@pytest.mark.parametrize(("code", "of_folders"), [(errno.EIO, True), (errno.EIO, False), (errno.EINVAL, False)])
def test_a_disk_that_fails_to_write_is_an_error_and_leaves_no_record(
    run: Run, monkeypatch: pytest.MonkeyPatch, code: int, of_folders: bool
) -> None:
    """A unit whose files, or their names, may be gone after a loss of power is not finished."""
    monkeypatch.setattr("wikisem.atomic_files.os.fsync", failing_sync(code, of_folders))
    with pytest.raises(OutputError, match=rf"expected to write .*{os.strerror(code)}"):
        run_stages([toys()], run)
    assert run.ledger.find("toys/de") is None


def test_a_file_system_that_cannot_sync_folders_fails_no_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network file systems say EINVAL; their files are synced."""
    monkeypatch.setattr("wikisem.atomic_files.os.fsync", failing_sync(errno.EINVAL, of_folders=True))
    run_stages([toys()], run)
    assert run.ledger.find("toys/de") is not None


def failing_sync(code: int, of_folders: bool) -> Callable[[int], None]:
    """An ``os.fsync`` that fails for folders, or for files, and does nothing for the others."""

    def sync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode) == of_folders:
            raise OSError(code, os.strerror(code))

    return sync


def test_a_folder_is_given_out_when_its_files_are_as_its_record_says(run: Run) -> None:
    """Of a unit that a stage reads and does not name among those that it depends on, too."""
    (record,) = run_stages([toys()], run)
    later = again(run)
    assert later.folder("toys/de") == f"{run.output}/toys/de/{record.fingerprint}"
    flip(Path(run.output) / "toys/de" / record.fingerprint / "deep" / "b.parquet")
    with pytest.raises(MissingInputError, match=r"deep/b\.parquet as it was written.*; run `wikisem toys` to make it"):
        again(run).folder("toys/de")


def test_rows_are_checked_as_they_are_read_and_what_people_read_at_once(run: Run) -> None:
    """So that a run that is resumed need not read all Parquet; the files with plain names are no stage's to read."""

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        del run
        places = {"own": context.folders.get("own"), "plain": f"{context.scratch.finished}/plain"}
        for unit in units:
            write_parquet(f"{places[unit]}/a.parquet", pa.table({"a": range(9)}))
        return {unit: UnitResult(Counts(1, 1)) for unit in units}

    own, plain = run_stages([Stage("rows", [Unit("own", {}), Unit("plain", {}, ("plain",))], work)], run)
    for record in (own, plain):
        (path,) = (f"{run.output}/{part}" for part in record.parts)
        data = Path(path).read_bytes()
        Path(path).write_bytes(data[:9] + bytes([data[9] ^ 1]) + data[10:])
        assert bool(find_damage(run.output, record)) == (record == plain)
        with pytest.raises(DamagedInputError, match=r"a\.parquet: expected the bytes that were written"):
            read_parquet(path)


def test_damaged_rows_name_the_record_to_remove(run: Run) -> None:
    """What is found while rows are read is known of no record: it would else be taken for whole again."""
    (record,) = run_stages([toys()], run)
    path = f"{run.output}/toys/de/{record.fingerprint}/a.parquet"

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        del units, run, context
        raise DamagedInputError(f"{path}: expected the bytes that were written")

    stage = Stage("toys", [Unit("other", {}, (), ("toys/de",))], work)
    with pytest.raises(DamagedInputError, match=r"bytes that were written; remove .*/\.wikisem/toys\.de\.json and run"):
        run_stages([stage], run)


def test_files_that_systems_leave_are_no_parts(run: Run) -> None:
    """A hidden file in the folder of a unit is nobody's business."""
    (record,) = run_stages([toys()], run)
    (Path(run.output) / "toys/de" / record.fingerprint / ".DS_Store").write_bytes(b"x")
    assert find_damage(run.output, record) == ""


def test_files_under_plain_names_beside_those_of_a_unit_are_not_its_own(run: Run) -> None:
    """Another language's groups are in the same folder."""
    run_stages([toys()], run)
    (record,) = run_stages([toys(("toys/de",))], run)
    (Path(run.output) / "plain" / "other.parquet").write_bytes(b"x")
    assert find_damage(run.output, record) == ""
    (Path(run.output) / "plain" / "a.parquet").unlink()
    assert "plain/a.parquet, saw no such file" in find_damage(run.output, record)


def test_a_record_without_parts_has_nothing_to_miss(tmp_path: Path) -> None:
    """A unit may leave no file at all."""
    assert find_damage(str(tmp_path), Record("toys/de", "0f", "", Counts())) == ""
