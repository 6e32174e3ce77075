"""The files of a unit as its record lists them: what is missing, cut short or too much is noticed and named."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from wikisem.errors import MissingInputError
from wikisem.pipeline.build.ledger import Record
from wikisem.pipeline.build.parts import find_misfit
from wikisem.pipeline.build.run import Run
from wikisem.pipeline.build.session import session
from wikisem.pipeline.build.stage_runner import Folders, Stage, Unit, UnitResult, run_stage
from wikisem.records import Counts
from wikisem.transforms.io.files import create_binary
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

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        del units, folders
        if needs:
            write(f"{context.scratch.published}/plain")
        else:
            write(context.folders["toys/de"])
        return {"plain" if needs else "toys/de": UnitResult(Counts(1, 1))}

    return Stage("toys", [Unit("plain", {}, ("plain",), needs) if needs else Unit("toys/de", {})], work)


def again(run: Run) -> Run:
    """What a later command knows of the same folder."""
    return replace(run)


def test_a_record_lists_every_file_with_its_size(run: Run) -> None:
    """In a folder of its own and under plain names, by path below OUT."""
    (own,) = run_stage(toys(), run)
    (plain,) = run_stage(toys(("toys/de",)), run)
    assert own.parts == {f"toys/de/{own.fingerprint}/{name}": len(data) for name, data in FILES.items()}
    assert plain.parts == {f"plain/{name}": len(data) for name, data in FILES.items()}
    assert find_misfit(run.output, own) == find_misfit(run.output, plain) == ""
    assert run.ledger.find("toys/de") == own


def lose(path: Path) -> str:
    """Remove a file."""
    path.unlink()
    return "saw no such file"


def cut(path: Path) -> str:
    """Keep half of a file."""
    path.write_bytes(path.read_bytes()[:2])
    return "saw 2"


def add(path: Path) -> str:
    """Put another file beside it."""
    path.with_name("c.parquet").write_bytes(b"")
    return "saw .*c.parquet"


@pytest.mark.parametrize("damage", [lose, cut, add])
def test_a_unit_whose_files_do_not_fit_its_record_is_made_again(
    run: Run, lines: list[str], damage: Callable[[Path], str]
) -> None:
    """The log says why; it is not said to be finished before, and then it is whole."""
    (record,) = run_stage(toys(), run)
    damage(Path(run.output) / "toys/de" / record.fingerprint / "a.parquet")
    later = again(run)
    assert run_stage(toys(), later) == [record]
    assert len(lines) == 1
    assert lines[0].startswith("toys/de: made again, expected ")
    assert find_misfit(run.output, record) == ""
    run_stage(toys(), later)
    assert lines[1:] == ["toys/de: finished before, nothing changed"]


@pytest.mark.parametrize("damage", [lose, cut, add])
def test_a_needed_unit_whose_files_do_not_fit_its_record_is_an_error(run: Run, damage: Callable[[Path], str]) -> None:
    """It says what is wrong, and the command that makes it again."""
    (record,) = run_stage(toys(), run)
    said = damage(Path(run.output) / "toys/de" / record.fingerprint / "a.parquet")
    with pytest.raises(MissingInputError, match=rf"{said}.*; run `wikisem toys` to make it"):
        run_stage(toys(("toys/de",)), again(run))


def test_files_that_systems_leave_are_no_parts(run: Run) -> None:
    """A hidden file in the folder of a unit is nobody's business."""
    (record,) = run_stage(toys(), run)
    (Path(run.output) / "toys/de" / record.fingerprint / ".DS_Store").write_bytes(b"x")
    assert find_misfit(run.output, record) == ""


def test_files_under_plain_names_beside_those_of_a_unit_are_not_its_own(run: Run) -> None:
    """Another language's groups are in the same folder."""
    run_stage(toys(), run)
    (record,) = run_stage(toys(("toys/de",)), run)
    (Path(run.output) / "plain" / "other.parquet").write_bytes(b"x")
    assert find_misfit(run.output, record) == ""
    (Path(run.output) / "plain" / "a.parquet").unlink()
    assert "plain/a.parquet, saw no such file" in find_misfit(run.output, record)


def test_a_record_without_parts_has_nothing_to_miss(tmp_path: Path) -> None:
    """A unit may leave no file at all."""
    assert find_misfit(str(tmp_path), Record("toys/de", "0f", "", Counts())) == ""
