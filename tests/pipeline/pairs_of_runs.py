"""Pairs of real processes that run one command each into one OUT, some of which are killed; started by test_lock.

    python -m tests.pipeline.pairs_of_runs FOLDER PAIRS

FOLDER holds two dumps, a.json and b.json. Each pair has an OUT of its own there, ``pair-N``. A line of JSON for each
pair says which dumps its runs read, how they ended and what they wrote to stderr. All are forked from this process,
which has imported Beam once.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from wikisem.pipeline.cli import main
from wikisem.transforms.entities import stage  # noqa: F401 - imported before the forks

SECONDS = 0.5  # about what a run takes


def words(folder: Path, dump: str, output: Path) -> Sequence[str]:
    """The command of a run."""
    return ["entities", "--wikidata", str(folder / f"{dump}.json"), "--output", str(output)]


def start(command: Sequence[str], wait: float, errors: Path) -> int:
    """Fork a run that begins after some seconds; its number as a process."""
    process = os.fork()
    if process:
        return process
    code = 70
    try:
        file = os.open(errors, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, 1)
        os.dup2(file, 2)
        time.sleep(wait)
        code = main(command)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def pair(folder: Path, seed: int) -> dict[str, object]:
    """Run a pair and wait for both; every third time the first one is killed on its way."""
    draw = random.Random(seed)
    output = folder / f"pair-{seed}"
    output.mkdir()
    dumps = [draw.choice("ab"), draw.choice("ab")]
    errors = [folder / f"pair-{seed}.{place}.err" for place in range(2)]
    for path in errors:
        path.touch()  # a run may be killed before it opens its own
    waits = [0.0, draw.choice([0.0, draw.uniform(0, SECONDS)])]
    runs = [start(words(folder, dumps[one], output), waits[one], errors[one]) for one in range(2)]
    if seed % 3 == 0:
        time.sleep(draw.uniform(0, SECONDS))
        os.kill(runs[0], signal.SIGKILL)
    codes = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in runs]
    return {"seed": seed, "dumps": dumps, "codes": codes, "errors": [path.read_text() for path in errors]}


if __name__ == "__main__":
    for number in range(int(sys.argv[2])):
        sys.stdout.write(json.dumps(pair(Path(sys.argv[1]), number)) + "\n")
        sys.stdout.flush()
