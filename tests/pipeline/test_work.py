"""Units of work: promoted when whole, recorded, refused when too much could not be read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from wikisem.errors import OutputError, TooManyRejectsError
from wikisem.pipeline.build.ledger import Record, Run, State, check_writable, fingerprint, finish
from wikisem.records import Counts, Reject
from wikisem.transforms.io.counts import write_rejects
from wikisem.transforms.io.files import create_binary
from wikisem.transforms.io.runtime import Runtime
from wikisem.transforms.io.scratch import Scratch


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run into a fresh folder."""
    return Run(str(tmp_path / "out"), Runtime(), 0.01)


def _work(read: int, bad: int) -> Callable[[Scratch], Counts]:
    def work(place: Scratch) -> Counts:
        with create_binary(f"{place.published}/rows.txt") as sink:
            sink.write(b"rows")
        with create_binary(f"{place.parts}/half.txt") as sink:
            sink.write(b"scratch")
        rejects = [Reject("toy", "garbage", f"dump:{at}", "") for at in range(bad)]
        write_rejects(f"{place.rejects}/b.jsonl", rejects[1:])
        write_rejects(f"{place.rejects}/a.jsonl", rejects[:1])
        return Counts(read, read - bad, {}, {"garbage": bad})

    return work


def test_a_finished_unit_leaves_its_folder_its_rejects_and_its_record_and_no_scratch(run: Run) -> None:
    """What is done gets its final name, rejects are gathered in order, scratch goes, the record tells it all."""
    record = finish(run, "toys/de", "print", {"fact": 1}, _work(10, 3))
    out = Path(run.output)
    assert (out / "toys/de/rows.txt").read_text() == "rows"
    assert [line.count("dump:") for line in (out / "rejects/toys-de.jsonl").read_text().splitlines()] == [1, 1, 1]
    assert "dump:0" in (out / "rejects/toys-de.jsonl").read_text().splitlines()[0]
    assert not list(out.rglob("half.txt"))
    assert (
        run.state.find("toys/de")
        == record
        == Record("toys/de", "print", Counts(10, 7, {}, {"garbage": 3}), {"fact": 1})
    )


def test_a_unit_that_fails_leaves_nothing_that_looks_finished(run: Run) -> None:
    """An error in the work removes the earlier result and its record, and promotes nothing."""
    finish(run, "toys", "print", {}, _work(10, 0))

    def fail(place: Scratch) -> Counts:
        _work(5, 0)(place)
        raise RuntimeError("cut off")

    with pytest.raises(RuntimeError, match="cut off"):
        finish(run, "toys", "other", {}, fail)
    assert run.state.find("toys") is None
    assert not (Path(run.output) / "toys").exists()


def test_rejects_over_the_rate_fail_the_run_from_a_hundred_on(run: Run) -> None:
    """99 rejects pass whatever the rate; 100 of 1,000 are over 1 % and are kept where the message says."""
    finish(run, "few", "print", {}, _work(100, 99))
    with pytest.raises(TooManyRejectsError, match=r"at most 1\.00%.*saw 100 of 1,000.*rejects/many\.jsonl"):
        finish(run, "many", "print", {}, _work(1000, 100))
    assert run.state.find("many") is None
    assert len((Path(run.output) / "rejects/many.jsonl").read_text().splitlines()) == 100


def test_counts_that_do_not_add_up_are_not_recorded(run: Run) -> None:
    """in = kept + left out + rejected is asserted before anything is promoted."""
    with pytest.raises(AssertionError, match="5 records in, 4 accounted for"):
        finish(run, "toys", "print", {}, lambda _: Counts(5, 3, {"no-class": 1}, {}))
    assert run.state.find("toys") is None


def test_a_fingerprint_depends_on_every_part_and_on_no_order() -> None:
    """Equal parts in another order give the same digest; a changed one gives another."""
    assert fingerprint(a=1, b={"x": 1, "y": 2}) == fingerprint(b={"y": 2, "x": 1}, a=1)
    assert fingerprint(a=1) != fingerprint(a=2)


def test_a_record_is_forgotten_on_demand(run: Run) -> None:
    """A unit that is about to be redone is not finished any more."""
    state = State(run.output)
    state.put(Record("x/y", "p", Counts()))
    state.forget("x/y")
    assert state.find("x/y") is None


def test_an_output_folder_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    """A path below a plain file cannot be a folder."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="expected"):
        check_writable(str(tmp_path / "file" / "out"))
