"""Stages as values: run when something changed, put in place when whole, recorded, refused when much is unreadable."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from wikisem import __version__
from wikisem.errors import LockError, MissingInputError, OutputError, TooManyUnreadableError, UsageError
from wikisem.files import create_binary
from wikisem.pipeline.runs.run import (
    Run,
    Stage,
    Unit,
    UnitResult,
    run_stages,
    session,
)
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, UnreadableRecord
from wikisem.transforms.io.counts import write_unreadable
from wikisem.transforms.io.runtime import Runtime, StageContext


@pytest.fixture
def lines() -> list[str]:
    """What a run logs."""
    return []


@pytest.fixture(params=["out", "o[u]t", "out*", "what?"])
def run(request: pytest.FixtureRequest, tmp_path: Path, lines: list[str]) -> Iterator[Run]:
    """A run into a fresh folder, whose name may hold what a glob would read as its own."""
    (tmp_path / "out").mkdir()  # what the globs "o[u]t" and "out*" would match
    (tmp_path / "out" / "not-ours").write_bytes(b"")
    run = Run(str(tmp_path / request.param), Runtime(), 0.01, lines.append)
    with session(run):
        yield run


def toys(
    language: str = "de", text: str = "rows", read: int = 10, bad: int = 0, needs: tuple[str, ...] = ()
) -> tuple[Stage, list[str]]:
    """A stage of one unit that writes a file, and the list of the units that its work was asked for."""
    name = f"toys/{language}"
    asked: list[str] = []

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        del run
        asked.extend(units)
        with create_binary(f"{context.for_unit(name).scratch.finished}/rows.txt") as sink:
            sink.write(text.encode())
        with create_binary(f"{context.scratch.parts}/half.txt") as sink:
            sink.write(b"scratch")
        unreadable = [UnreadableRecord("toy", "garbage", f"dump:{at}", "") for at in range(bad)]
        write_unreadable(f"{context.scratch.unreadable_of(name)}/b.jsonl", unreadable[1:])
        write_unreadable(f"{context.scratch.unreadable_of(name)}/a.jsonl", unreadable[:1])
        return {name: UnitResult(Counts(read, read - bad, {}, {"garbage": bad} if bad else {}), {"seen": read})}

    unit = Unit(name, {"text": text}, needs=needs, facts={"fact": 1})
    return Stage(name, [unit], work), asked


def pairs(options: Mapping[str, int], together: bool = False) -> tuple[Stage, list[str]]:
    """A stage whose work makes all its units in one go."""
    asked: list[str] = []

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        del run
        asked.extend(units)
        for unit in units:
            with create_binary(f"{context.scratch.finished}/{unit}.txt") as sink:
                sink.write(b"pair")
        return {unit: UnitResult(Counts(1, 1)) for unit in units}

    units = [Unit(name, {"number": number}, (f"{name}.txt",)) for name, number in options.items()]
    return Stage("pairs", units, work, together=together), asked


def test_a_finished_unit_leaves_its_files_its_unreadable_records_and_its_record_and_no_scratch(run: Run) -> None:
    """Files get their final name, unreadable records are gathered in order, scratch goes, the record tells it all."""
    stage, _ = toys(bad=3)
    (record,) = run_stages([stage], run)
    out = Path(run.output)
    assert (out / "toys/de" / record.fingerprint / "rows.txt").read_text() == "rows"
    unreadable = (out / "unreadable/toys-de.jsonl").read_text().splitlines()
    assert [line.partition("dump:")[2][:1] for line in unreadable] == ["0", "1", "2"]
    assert not list(out.rglob("half.txt"))
    assert run.ledger.find("toys/de") == record
    assert (record.counts, record.facts) == (Counts(10, 7, {}, {"garbage": 3}), {"fact": 1, "seen": 10})
    assert record.made_with["versions"]["wikisem"] == __version__
    assert "recipe" not in record.made_with


def test_the_version_of_a_stage_decides_whether_its_units_are_used_by_another_release(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that of wikisem, which the record names as the one that made the unit."""
    stage, asked = toys()
    (record,) = run_stages([stage], run)
    for module in ("wikisem", "wikisem.pipeline.runs.ledger"):
        monkeypatch.setattr(f"{module}.__version__", "99.9")
    assert run_stages([stage], run) == [record]
    assert len(asked) == 1
    newer = replace(stage, units=[replace(unit, version=2) for unit in stage.units])
    (other,) = run_stages([newer], run)
    assert len(asked) == 2
    assert other.fingerprint != record.fingerprint
    assert [one.made_with["versions"]["wikisem"] for one in (record, other)] == [__version__, "99.9"]


def test_unreadable_of_an_earlier_run_go_when_there_are_none_any_more(run: Run) -> None:
    """OUT/unreadable shows what is unreadable in the data that is there now."""
    run_stages([toys(bad=3)[0]], run)
    run_stages([toys(text="other")[0]], run)
    assert not (Path(run.output) / "unreadable/toys-de.jsonl").exists()


def test_stages_that_have_something_to_do_say_which_they_are(run: Run, lines: list[str]) -> None:
    """Of how many, and in how many of their languages; a stage alone, or one that is finished, says nothing."""
    run_stages([pairs({"pairs/de": 1, "pairs/ja": 1})[0]], run)
    assert lines == []
    run_stages([toys()[0], pairs({"pairs/de": 1, "pairs/ja": 2})[0]], run)
    told = [line for line in lines if line.startswith("stage ")]
    assert told == ["stage 1 of 2: toys/de in de", "stage 2 of 2: pairs in 1 of 2 languages"]
    lines.clear()
    run_stages([toys()[0], pairs({"pairs/de": 3, "pairs/ja": 3})[0], Stage("none", [], pairs({})[0].work)], run)
    assert [line for line in lines if line.startswith("stage ")] == ["stage 2 of 3: pairs in 2 languages"]


def test_what_is_finished_is_not_made_again_until_an_option_changes(run: Run, lines: list[str]) -> None:
    """The same options reuse the record and say so; other options replace files and record."""
    (first,) = run_stages([toys()[0]], run)
    again, asked = toys()
    assert run_stages([again], run) == [first]
    assert asked == []
    assert lines == ["toys/de: finished before, nothing changed"]
    changed, asked = toys(text="other")
    (second,) = run_stages([changed], run)
    assert asked == ["toys/de"]
    assert second.fingerprint != first.fingerprint
    assert _rows(run) == {f"{second.fingerprint}/rows.txt": "other"}


def test_a_unit_depends_on_what_it_needs_but_not_on_the_extras_of_that(run: Run) -> None:
    """Other rows of a needed unit make it again; more labels beside the same rows do not."""
    base, _ = toys("de")
    user, asked = toys("en", needs=("toys/de",))
    (_, first) = run_stages([base, user], run)
    assert first.needs == {"toys/de": run.ledger.require("toys/de").identity}

    richer = replace(base, units=[replace(base.units[0], extras={"labels": ["de"]})])
    run_stages([richer, user], run)
    assert asked == ["toys/en"]
    richest = replace(base, units=[replace(base.units[0], extras={"labels": ["de", "en"]})])
    before = run.ledger.require("toys/de")
    run_stages([richest, user], run)
    assert asked == ["toys/en"]
    after = run.ledger.require("toys/de")
    assert (after.identity, after.fingerprint == before.fingerprint) == (before.identity, False)

    run_stages([toys("de", text="other")[0], user], run)
    assert asked == ["toys/en", "toys/en"]


def test_a_unit_that_was_made_from_what_is_gone_is_refused_as_a_source(run: Run) -> None:
    """The message names the stage to run again."""
    base, user = toys("de")[0], toys("en", needs=("toys/de",))[0]
    run_stages([base, user], run)
    run_stages([toys("de", text="other")[0]], run)
    with pytest.raises(MissingInputError, match=r"toys/en made from the toys/de in .*; run `wikisem toys` first"):
        run_stages([toys("fr", needs=("toys/en",))[0]], run)


def test_a_missing_source_is_named_with_the_stage_to_run(run: Run) -> None:
    """Nothing is made where a needed unit is not finished."""
    stage, asked = toys("en", needs=("mentions/en",))
    with pytest.raises(MissingInputError, match=r"mentions/en to be finished in .*; run `wikisem mentions` first"):
        run_stages([stage], run)
    assert asked == []


def test_only_the_units_that_changed_are_made_and_records_come_in_the_order_of_the_stage(run: Run) -> None:
    """A new or changed language does not touch the others."""
    run_stages([pairs({"a": 1, "b": 1})[0]], run)
    stage, asked = pairs({"c": 1, "a": 1, "b": 2})
    assert [record.unit for record in run_stages([stage], run)] == ["c", "a", "b"]
    assert asked == ["c", "b"]


def test_units_that_belong_together_are_made_together(run: Run, lines: list[str]) -> None:
    """One that changed makes all; none of them is then said to have been finished before."""
    run_stages([pairs({"a": 1, "b": 1}, together=True)[0]], run)
    stage, asked = pairs({"a": 1, "b": 2}, together=True)
    run_stages([stage], run)
    assert asked == ["a", "b"]
    assert lines == []
    stage, asked = pairs({"a": 1, "b": 2}, together=True)
    run_stages([stage], run)
    assert asked == []


def test_a_unit_that_fails_leaves_the_earlier_result_and_its_record(run: Run) -> None:
    """Nothing of the new one is in place, and what was there before is still a finished whole."""
    (before,) = run_stages([toys()[0]], run)
    stage, _ = toys(text="other")

    def fail(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        stage.work(units, run, context)
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        run_stages([replace(stage, work=fail)], run)
    assert run.ledger.find("toys/de") == before
    assert _rows(run)[f"{before.fingerprint}/rows.txt"] == "rows"
    run_stages([stage], run)
    assert list(_rows(run).values()) == ["other"]


def test_a_run_that_ends_while_files_are_replaced_leaves_no_record(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of plain names, which an earlier result has too, the record goes before the files and comes after them."""
    run_stages([pairs({"a": 1})[0]], run)

    def stop(*_: object) -> None:
        raise OutputError("disk full")

    monkeypatch.setattr("wikisem.pipeline.runs.run.files.copy", stop)
    with pytest.raises(OutputError, match="disk full"):
        run_stages([pairs({"a": 2})[0]], run)
    assert run.ledger.find("a") is None


def test_what_an_interrupted_run_left_in_the_folder_of_a_unit_goes(run: Run) -> None:
    """The same unit writes to the same folder, which is empty when it begins."""
    stage, _ = toys()
    (record,) = run_stages([stage], run)
    run.ledger.invalidate("toys/de")
    (Path(run.output) / "toys/de" / record.fingerprint / "half.txt").write_text("half")
    run_stages([stage], run)
    assert _rows(run) == {f"{record.fingerprint}/rows.txt": "rows"}


def test_of_the_folders_beside_that_of_a_unit_those_go_that_runs_made(run: Run) -> None:
    """Of an earlier result, and of a run with other options that never ended; no other one, whatever its name."""
    folder = Path(run.output) / "toys/de"
    run_stages([toys(text="first")[0]], run)
    broken = toys(text="second")[0]

    def fail(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        broken.work(units, run, context)
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        run_stages([replace(broken, work=fail)], run)
    for name in ("0" * 32, "mine"):
        (folder / name).mkdir()
        (folder / name / "half.txt").write_text("half")
    assert len(list(folder.iterdir())) == 4
    (third,) = run_stages([toys(text="third")[0]], run)
    assert _rows(run) == {
        f"{third.fingerprint}/rows.txt": "third",
        f"{'0' * 32}/half.txt": "half",
        "mine/half.txt": "half",
    }
    assert run.ledger.names("toys/de") == {f"toys/de/{third.fingerprint}"}


def test_a_folder_that_a_link_replaced_stays_with_all_behind_it(run: Run, tmp_path: Path, lines: list[str]) -> None:
    """What was before a new result is not worth an error; a line says that it is still there."""
    away = tmp_path / "away"
    run_stages([toys()[0]], run)
    (Path(run.output) / "toys").rename(away)
    (Path(run.output) / "toys").symlink_to(away)
    (second,) = run_stages([toys(text="other")[0]], run)
    assert run.ledger.find("toys/de") == second
    assert len(list((away / "de").iterdir())) == 2
    assert any(line.startswith("warning: what toys/de was before stays: expected to remove ") for line in lines)


def test_scratch_that_cannot_be_removed_fails_no_run(
    run: Run, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unit is finished; a line says what takes room."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", refuse)
        (record,) = run_stages([toys()[0]], run)
        run.remove_scratch()
    assert run.ledger.find("toys/de") == record
    assert [line.partition(" stays: ")[0] for line in lines] == [
        f"warning: {run.scratch}/toys.de",
        f"warning: {run.scratch}",
    ]


def sets(names: str, folder: str = "sets/de") -> Stage:
    """A stage of one unit that leaves a folder of files with plain names."""

    def work(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        del run
        for name in names:
            with create_binary(f"{context.scratch.finished}/{folder}/{name}.txt") as sink:
                sink.write(name.encode())
        return {unit: UnitResult(Counts(1, 1)) for unit in units}

    return Stage("sets", [Unit(folder, {"names": names}, (folder,))], work)


@pytest.mark.parametrize("record", [True, False])
def test_of_plain_names_those_go_that_an_earlier_result_had(run: Run, lines: list[str], record: bool) -> None:
    """Also where its record was removed, to run the unit again. What somebody put beside them stays, and is told."""
    run_stages([sets("abc")], run)
    folder = Path(run.output) / "sets/de"
    (folder / "notes.txt").write_text("mine")
    if not record:
        run.ledger.invalidate("sets/de")
    (made,) = run_stages([sets("cd")], run)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "c.txt": "c",
        "d.txt": "d",
        "notes.txt": "mine",
    }
    assert set(made.parts) == {"sets/de/c.txt", "sets/de/d.txt"}
    assert lines == [f"warning: sets/de: {folder}/notes.txt is no file of wikisem's; it stays"]


def test_a_unit_that_is_made_again_the_same_has_no_record_meanwhile(run: Run) -> None:
    """Its folder is that of the earlier result, which is not whole while files are written there."""
    stage, _ = toys()
    run_stages([stage], run)
    seen = []

    def look(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        seen.append(run.ledger.find("toys/de"))
        return stage.work(units, run, context)

    other = Unit("toys/fr", {})
    fails = replace(stage, units=[*stage.units, other], work=look, together=True)
    with pytest.raises(KeyError, match="toys/fr"):
        run_stages([fails], run)
    assert seen == [None]
    assert run.ledger.find("toys/de") is None


def _rows(run: Run) -> dict[str, str]:
    folder = Path(run.output) / "toys/de"
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_what_a_run_read_before_it_had_the_folder_to_itself_is_read_again(run: Run) -> None:
    """Another one may have made a unit anew meanwhile."""
    run_stages([toys()[0]], run)
    late = Run(run.output, Runtime())
    assert late.ledger.find("toys/de") is not None
    (newer,) = run_stages([toys(text="other")[0]], run)
    (Path(run.output) / ".wikisem" / f"lock.{run.name}.json").unlink()
    with session(late):
        assert late.ledger.find("toys/de") == newer


def test_a_run_that_lost_its_lock_while_it_worked_keeps_nothing(run: Run) -> None:
    """The run that broke the lock may be at work in the same folders: not even unreadable records are written."""
    stage, _ = toys(bad=3)

    def lose(units: Sequence[str], run: Run, context: StageContext) -> Mapping[str, UnitResult]:
        results = stage.work(units, run, context)
        _break_lock(run)
        return results

    with pytest.raises(LockError, match="another one broke its lock"):
        run_stages([replace(stage, work=lose)], run)
    assert run.ledger.find("toys/de") is None
    assert not (Path(run.output) / "unreadable").exists()


def test_a_run_that_lost_its_lock_between_two_units_records_the_first_alone(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hours may pass while files get their names: the lock is looked at for each unit."""
    monkeypatch.setattr(Run, "remove_superseded", lambda own, _: _break_lock(own))
    with pytest.raises(LockError, match="another one broke its lock"):
        run_stages([pairs({"a": 1, "b": 1})[0]], run)
    assert run.ledger.find("a") is not None
    assert run.ledger.find("b") is None
    assert not (Path(run.output) / "b.txt").exists()


def _break_lock(run: Run) -> None:
    (Path(run.output) / ".wikisem" / f"lock.{run.name}.json").unlink()


def test_unreadable_records_over_the_rate_fail_the_run_from_a_hundred_on(run: Run) -> None:
    """99 unreadable records pass whatever the rate; 100 of 1,000 are over 1 % and are kept where the message says."""
    run_stages([toys("de", read=100, bad=99)[0]], run)
    with pytest.raises(TooManyUnreadableError, match=r"at most 1\.00%.*saw 100 of 1,000.*unreadable/toys-en\.jsonl"):
        run_stages([toys("en", read=1000, bad=100)[0]], run)
    assert run.ledger.find("toys/en") is None
    assert len((Path(run.output) / "unreadable/toys-en.jsonl").read_text().splitlines()) == 100
    run_stages([toys("fr", read=10_000, bad=100)[0]], run)


def test_counts_that_do_not_add_up_are_not_recorded(run: Run) -> None:
    """in = kept + left out + unreadable is asserted before anything is put in place."""
    stage = toys()[0]
    result = {"toys/de": UnitResult(Counts(5, 3, {"no-class": 1}, {}))}
    with pytest.raises(AssertionError, match="5 records in, 4 accounted for"):
        run_stages([replace(stage, work=lambda *_: result)], run)
    assert run.ledger.find("toys/de") is None


def test_a_check_comes_before_any_work(run: Run) -> None:
    """What the check of a stage raises ends it, even where all is finished."""
    stage, asked = toys()
    run_stages([stage], run)

    def refuse(run: Run) -> None:
        raise UsageError(f"not into {run.output}")

    with pytest.raises(UsageError, match="not into"):
        run_stages([replace(stage, check=refuse)], run)
    assert asked == ["toys/de"]


def test_a_unit_says_which_recipe_and_seed_made_it(run: Run) -> None:
    """A unit that is reused keeps what made it, whatever the recipe of a later run is called."""
    recipe = Recipe("first", seed=7)
    (record,) = run_stages([toys()[0]], run, recipe)
    assert record.made_with["recipe"] == recipe.to_dict()
    assert record.made_with["seed"] == 7
    (again,) = run_stages([toys()[0]], run, Recipe("second"))
    assert (again.made_with["recipe"]["name"], again.made_with["seed"]) == ("first", 7)


@pytest.mark.parametrize("output", ["file/out", "file"])
def test_an_output_folder_that_cannot_be_written_is_an_output_error(tmp_path: Path, output: str) -> None:
    """A plain file, or a path below one, cannot be a folder."""
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(OutputError, match="expected an output folder that can be written"),
        session(Run(str(tmp_path / output), Runtime())),
    ):
        raise AssertionError("it has begun")


def test_a_check_for_writing_leaves_nothing(tmp_path: Path) -> None:
    """The folder is there afterwards, and no file in it but what a run without stages leaves."""
    with session(Run(str(tmp_path / "a" / "b"), Runtime())):
        pass
    assert [path.name for path in (tmp_path / "a" / "b").rglob("*") if path.is_file()] == ["manifest.json"]
