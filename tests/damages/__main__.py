"""Damages inputs of every kind, runs the command that reads each, and prints how they ended.

``python -m tests.damages [--seed 1] [--runs 500] [--flips 200] [KIND ...]``: runs are dealt to the kinds in turn. Exit
code 1 if a command ended with a traceback, without end, with a false account, or with no message or several.

``--flips`` instead flips single bits in the files of a finished build, and runs the stages that read them, or releases
a build ("out") or a release ("set") again, or flips them in inputs with checksums, and in the others that are named:
exit code 1 if any gave another result without a word, profiles aside, which are files to edit.
"""

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from tests.damages import flips
from tests.damages.kinds import KINDS, Whole
from tests.damages.runs import Outcome, damage
from tests.queries.sparql_server import serve
from tests.queries.world import WORLD


def main(words: Sequence[str] | None = None) -> int:
    """Run, print each fault and a table of the kinds."""
    parser = argparse.ArgumentParser(prog="python -m tests.damages", description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"default: all of {', '.join(KINDS)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--flips", type=int, default=0)
    arguments = parser.parse_args(words)
    if arguments.flips:
        return _flip(
            arguments.kinds or [*flips.KINDS, *flips.RELEASED, *flips.CHECKED], arguments.seed, arguments.flips
        )
    outcomes = []
    with suppress(KeyboardInterrupt):  # the table then has the runs until then
        for outcome in outcomes_of(arguments.kinds or list(KINDS), arguments.seed, arguments.runs):
            outcomes.append(outcome)
            if outcome.faults:
                _print(f"{outcome.kind}, {outcome.mutation}, seed {outcome.seed}: {'; '.join(outcome.faults)}")
    _print(table(outcomes))
    return 1 if any(outcome.faults for outcome in outcomes) else 0


def _flip(kinds: Sequence[str], seed: int, number: int) -> int:
    found = []
    with tempfile.TemporaryDirectory(prefix="wikisem-damages-") as name, suppress(KeyboardInterrupt):
        whole = Whole(Path(name))
        if flips.RELEASED.keys() & set(kinds):
            flips.release(whole)
        for turn in range(number):
            case, kind = Path(name) / "case", kinds[turn % len(kinds)]
            flip = flips.flip_bit if kind in flips.KINDS else flips.flip_input
            flip = flips.flip_released if kind in flips.RELEASED else flip
            found.append(flip(kind, seed * 10000 + turn // len(kinds), whole, case))
            shutil.rmtree(case)
            if found[-1].silent or found[-1].code is None:
                _print(str(found[-1]))
    _print(flips.table_of_flips(found))
    return 1 if any((flip.silent and flip.kind != "profiles") or flip.code is None for flip in found) else 0


def outcomes_of(kinds: Sequence[str], seed: int, runs: int) -> Iterator[Outcome]:
    """Damage in a temporary folder, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="wikisem-damages-") as name, serve(WORLD) as server:
        folder = Path(name)
        Whole(folder)
        for number in range(runs):
            case = folder / "case"
            yield damage(KINDS[kinds[number % len(kinds)]], seed * 10000 + number // len(kinds), folder, case, server)
            shutil.rmtree(case)


def table(outcomes: Sequence[Outcome]) -> str:
    """The kinds as a Markdown table."""
    rows = ["| input | damages | exit 0 | exit 1 | exit 2 | faults |", "|---|--:|--:|--:|--:|--:|"]
    for kind in dict.fromkeys(outcome.kind for outcome in outcomes):
        of_kind = [outcome for outcome in outcomes if outcome.kind == kind]
        codes = Counter(outcome.code for outcome in of_kind)
        faults = sum(bool(outcome.faults) for outcome in of_kind)
        rows.append(f"| {kind} | {len(of_kind)} | {codes[0]} | {codes[1]} | {codes[2]} | {faults} |")
    return "\n".join(rows)


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a program


if __name__ == "__main__":
    sys.exit(main())
