"""Interrupts builds of the sample world, resumes them, and prints what was seen.

``python -m tests.interruptions [--seed 1] [--runs 60] [KIND ...]``: runs are dealt to the kinds in turn. Exit code 1 if
a run did not end as it should. Linux only; the full disk needs the right to mount a tmpfs, and is skipped without it.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.interruptions.kinds import KINDS, Kind
from tests.interruptions.runs import Outcome, interrupt, make_world

SIX = ("worker", "driver", "SIGINT", "Ctrl-C", "SIGTERM", "full disk")


def main(words: Sequence[str] | None = None) -> int:
    """Run, and print a line for each run and a table of the kinds."""
    parser = argparse.ArgumentParser(prog="python -m tests.interruptions", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; default: the first six")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=60)
    arguments = parser.parse_args(words)
    kinds = [KINDS[name] for name in arguments.kinds or SIX]
    with tempfile.TemporaryDirectory(prefix="wikisem-interruptions-") as folder:
        outcomes = list(_runs(kinds, arguments.seed, arguments.runs, Path(folder)))
    _print(table(outcomes))
    return 1 if any(outcome.faults() for outcome in outcomes) else 0


def _runs(kinds: Sequence[Kind], seed: int, runs: int, folder: Path) -> Iterable[Outcome]:
    (folder / "world").mkdir()
    world = make_world(folder / "world")
    _print(f"a whole run makes {world.files} files")
    for number in range(runs):
        kind = kinds[number % len(kinds)]
        try:
            outcome = interrupt(world, kind, seed * 1000 + number // len(kinds), folder / str(number))
        except PermissionError as error:
            _print(f"{kind.name:<12}skipped: {error}")
            continue
        _print(line(outcome))
        yield outcome


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a program


def line(outcome: Outcome) -> str:
    """One run in one line."""
    return (
        f"{outcome.kind.name:<12}{outcome.workers} workers  after {outcome.moment:>4} files  exit {outcome.exit_code}  "
        f"{outcome.seconds:4.1f} s  {outcome.left} left  {'; '.join(outcome.faults()) or 'as it should'}"
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """The kinds as a Markdown table."""
    rows = [
        "| interruption | runs | exit codes | longest, s | processes left | messages a run | as expected, same bytes |",
        "|---|--:|---|--:|--:|---|--:|",
    ]
    for name in dict.fromkeys(outcome.kind.name for outcome in outcomes):
        of_kind = [outcome for outcome in outcomes if outcome.kind.name == name]
        codes = sorted({str(outcome.exit_code) for outcome in of_kind})
        messages = sorted({str(len(outcome.said)) for outcome in of_kind})
        rows.append(
            f"| {name} | {len(of_kind)} | {', '.join(codes)} | {max(one.seconds for one in of_kind):.1f} | "
            f"{sum(one.left for one in of_kind)} | {', '.join(messages)} | {sum(not one.faults() for one in of_kind)} |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
