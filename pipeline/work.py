"""One unit of work from start to finish: skipped if nothing changed, promoted only when whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pipeline.progress import say
from pipeline.state import Record, State
from transforms.files import create_binary, list_files, open_binary, remove, rename
from transforms.runtime import Runtime
from transforms.workplace import Workplace
from wikisem.errors import OutputError, TooManyRejectsError
from wikisem.records import Counts

FEW_REJECTS: Final = 100  # below this many, --max-rejects is not applied: a small file may well be odd


@dataclass(frozen=True)
class Run:
    """What all units of one command share."""

    output: str
    runtime: Runtime
    max_rejects: float = 0.01

    @property
    def state(self) -> State:
        """The records of the output folder."""
        return State(self.output)

    def clear(self) -> None:
        """Remove the scratch of this run and of earlier ones that were cut off."""
        remove(f"{self.output}/.work")

    def workplace(self, unit: str) -> Workplace:
        """An empty scratch folder for a unit."""
        root = f"{self.output}/.work/{unit.replace('/', '.')}"
        remove(root)
        return Workplace(root)


def check_writable(output: str) -> None:
    """Raise OutputError unless files can be written under the output folder."""
    probe = f"{output}/.wikisem/probe"
    try:
        with create_binary(probe) as sink:
            sink.write(b"")
        remove(probe)
    except OSError as error:
        raise OutputError(f"expected an output folder that can be written, saw {output!r}: {error}") from error


def finish(
    run: Run, unit: str, fingerprint: str, facts: Mapping[str, Any], work: Callable[[Workplace], Counts]
) -> Record:
    """Do one unit whose result is one folder, OUT/<unit>, and record it."""
    run.state.forget(unit)
    remove(f"{run.output}/{unit}")
    workplace = run.workplace(unit)
    counts = work(workplace)
    keep_rejects(run, unit, workplace, counts)
    if list_files(f"{workplace.done}/**"):
        rename(workplace.done, f"{run.output}/{unit}")
    remove(workplace.root)
    record = Record(unit, fingerprint, counts, facts)
    run.state.put(record)
    return record


def keep_rejects(run: Run, unit: str, workplace: Workplace, counts: Counts) -> None:
    """Gather a unit's rejects in OUT/rejects/<unit>.jsonl, then fail the run if they are too many."""
    counts.check(unit)
    target = f"{run.output}/rejects/{unit.replace('/', '-')}.jsonl"
    remove(target)
    sources = list_files(f"{workplace.rejects}/*")
    if sources:
        with create_binary(target) as sink:
            for path in sources:
                with open_binary(path) as source:
                    while block := source.read(1 << 20):
                        sink.write(block)
    rejected = sum(counts.rejected.values())
    if rejected >= FEW_REJECTS and rejected > run.max_rejects * counts.read:
        raise TooManyRejectsError(
            f"{unit}: expected at most {run.max_rejects:.2%} unreadable records (--max-rejects), "
            f"saw {rejected:,} of {counts.read:,}; they lie in {target}"
        )


def reuse(record: Record) -> Record:
    """Say that a finished unit serves this run too."""
    say(f"{record.unit}: finished before, nothing changed")
    return record
