"""One damaged input, the command that reads it, and what is wrong with how it ended."""

import contextlib
import io
import json
import random
import signal
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from tests.damages.kinds import Kind
from tests.damages.mutations import MUTATIONS
from tests.queries.sparql_server import Fault, Server
from tests.waiting import PATIENCE
from wikisem.pipeline.cli import main

_SECONDS = int(PATIENCE)


class HangError(Exception):
    """A command did not end."""


@dataclass(frozen=True)
class Outcome:
    """What became of one damage: the exit code, what was said, and the faults."""

    kind: str
    mutation: str
    seed: int
    code: int | None
    message: str
    faults: tuple[str, ...]


def damage(kind: Kind, seed: int, whole: Path, folder: Path, server: Server) -> Outcome:
    """Damage a seeded copy of what is whole in a seeded way, and run the command."""
    chance = random.Random(f"{kind.name} {seed}")
    mutation = chance.choice(sorted(MUTATIONS))
    folder.mkdir()
    path, words = kind.prepare(whole, folder, chance)
    if kind.serves:
        answer = server.answer("SELECT ?item WHERE { ?item ?p ?o }")
        server.faults[:] = [Fault(body=MUTATIONS[mutation](answer, chance)) for _ in range(chance.choice([1, 30]))]
        words += ["--endpoint", server.url]
    else:
        path.write_bytes(MUTATIONS[mutation](path.read_bytes() or b"\n", chance))
    code, said, shown, raised = run_command(words)
    server.faults.clear()
    messages = [line for line in said.splitlines() if line.startswith("wikisem: ")]
    if kind.finds and code == 1:
        messages = messages or [shown] * bool(shown)
    faults = [*raised, *_faults(code, said, messages), *_account(folder / "out" / "manifest.json")]
    return Outcome(kind.name, mutation, seed, code, messages[0] if messages else "", tuple(faults))


def run_command(words: list[str]) -> tuple[int | None, str, str, list[str]]:
    """The exit code of a command, its standard error, its standard output, and what it raised."""
    said, shown = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(shown), _limited():
        try:
            return main(words), said.getvalue(), shown.getvalue(), []
        except BaseException as error:  # noqa: BLE001 - whatever comes out is a fault
            where = traceback.extract_tb(error.__traceback__)[-1]
            return (
                None,
                said.getvalue(),
                shown.getvalue(),
                [f"{type(error).__name__}: {error} at {where.filename}:{where.lineno}"],
            )


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise HangError(f"did not end within {_SECONDS} s")

    earlier = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)


def _faults(code: int | None, said: str, messages: list[str]) -> Iterator[str]:
    if "Traceback" in said:
        yield "a traceback"
    if code not in (0, 1, 2, None):
        yield f"exit code {code}"
    if len(messages) != (1 if code in (1, 2) else 0):
        yield f"exit code {code} with {len(messages)} messages"


def _account(manifest: Path) -> Iterator[str]:
    """Every record that was read is kept, left out or unreadable."""
    if not manifest.exists():
        return
    for unit, counts in json.loads(manifest.read_text(encoding="utf-8"))["stages"].items():
        out = counts["kept"] + sum(counts["left_out"].values()) + sum(counts["unreadable"].values())
        if counts["in"] != out:
            yield f"{unit}: {counts['in']} in, {out} out"
