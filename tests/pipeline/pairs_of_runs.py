"""Pairs of real processes that run one command each into one OUT, some of which are killed; started by test_lock.

    python -m tests.pipeline.pairs_of_runs FOLDER PAIRS

FOLDER holds two dumps, a.json and b.json. Each pair has an OUT of its own there, ``pair-N``. A line of JSON for each
pair says which dumps its runs read, how they ended and what they wrote to stderr. All are forked from this process,
which has imported Beam once.

Of three pairs, the first run of one is killed, that of the next is held while the second one runs, and the last two
begin together. The moment is a number of times that a run has looked at or changed something in OUT, which does not
depend on how fast the machine is.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from wikisem.pipeline.cli import main
from wikisem.transforms import entities  # noqa: F401 - imported before the forks

SECONDS = 0.5  # about what a run takes
TRIES = 5

Words = Sequence[str]


def words(folder: Path, dump: str, output: Path) -> Words:
    """The command of a run."""
    return ["entities", "--wikidata", str(folder / f"{dump}.json"), "--output", str(output)]


def start(command: Words, errors: Path, wait: float = 0.0, moment: int = 0, number: int = 0) -> int:
    """Fork a run that begins after some seconds; its number as a process. At its moment it sends a signal to itself.

    What it wrote to stderr ends in a line of how often it has touched OUT.
    """
    process = os.fork()
    if process:
        return process
    code = 70
    try:
        file = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, 1)
        os.dup2(file, 2)
        touches = count(1)

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            is_touch = event == "open" or event.startswith("os.")
            if is_touch and str(arguments[0]).startswith(command[-1]) and next(touches) == moment:
                os.kill(os.getpid(), number)

        time.sleep(wait)
        sys.addaudithook(hook)
        code = main(command)
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(file, b"%d\n" % next(touches))
    finally:
        os._exit(code)


def wait_for(process: int) -> int:
    """Wait until a run has ended; its exit code, negative if a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def read_errors(path: Path) -> tuple[str, int]:
    """What a run that came to its end wrote to stderr, and how often it touched OUT; 0 where it was killed."""
    text = path.read_text() if path.exists() else ""  # a run may be killed before it opens its own
    lines = text.splitlines(keepends=True)
    return ("".join(lines[:-1]), int(lines[-1])) if lines and lines[-1].strip().isdigit() else (text, 0)


def kill_first(first: Words, second: Words, errors: Sequence[Path], moment: int, soon: bool) -> list[int]:
    """The second run begins with the first, or when that is dead."""
    processes = [start(first, errors[0], moment=moment, number=signal.SIGKILL)]
    codes = [] if soon else [wait_for(processes[0])]
    processes.append(start(second, errors[1]))
    return [*codes, *map(wait_for, processes[len(codes) :])]


def hold_first(first: Words, second: Words, errors: Sequence[Path], moment: int) -> list[int]:
    """The first run stops at its moment, and goes on when the second one has come to its end."""
    held = start(first, errors[0], moment=moment, number=signal.SIGSTOP)
    os.waitid(os.P_PID, held, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    code = wait_for(start(second, errors[1]))
    os.kill(held, signal.SIGCONT)
    return [wait_for(held), code]


def begin_together(first: Words, second: Words, errors: Sequence[Path], wait: float) -> list[int]:
    """Nearly so, or at the same moment: then both may give way, which is allowed, and they try again."""
    for _ in range(TRIES):
        processes = [start(first, errors[0]), start(second, errors[1], wait)]
        if (codes := [wait_for(process) for process in processes]) != [1, 1]:
            break
    return codes


def pair(folder: Path, seed: int, touches: int) -> dict[str, object]:
    """Run a pair and wait for both; ``touches`` is how often a run touches OUT."""
    draw = random.Random(seed)
    output = folder / f"pair-{seed}"
    output.mkdir()
    dumps = [draw.choice("ab"), draw.choice("ab")]
    errors = [folder / f"pair-{seed}.{place}.err" for place in range(2)]
    first, second = (words(folder, dump, output) for dump in dumps)
    moment = 1 + int(draw.random() * touches)
    if seed % 3 == 0:
        codes = kill_first(first, second, errors, moment, soon=seed % 2 == 1)
    elif seed % 3 == 1:
        codes = hold_first(first, second, errors, moment)
    else:
        codes = begin_together(first, second, errors, draw.choice([0.0, draw.uniform(0, SECONDS)]))
    return {"seed": seed, "dumps": dumps, "codes": codes, "errors": [read_errors(path)[0] for path in errors]}


def work(folder: Path, pairs: int) -> None:
    """Count the touches of a run that is alone, then run the pairs."""
    alone = folder / "alone.err"
    wait_for(start(words(folder, "a", folder / "alone"), alone))
    for number in range(pairs):
        sys.stdout.write(json.dumps(pair(folder, number, read_errors(alone)[1])) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    work(Path(sys.argv[1]), int(sys.argv[2]))
