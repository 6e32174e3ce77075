"""Single bits that flip in the files of a finished build, and what the later stages make of them."""

import random
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.damages.kinds import Whole
from tests.damages.runs import run_command

# The files of each kind, and the records that go before the build is run again: those of the stages that read them.
KINDS: Final = {
    "entities": (("entities/**/*",), ("mentions.*", "surfaces.*", "taxonomy", "groups.*")),
    "mentions": (("mentions/**/*",), ("surfaces.*", "groups.*")),
    "surfaces": (("surfaces/**/*",), ("groups.*",)),
    "taxonomy": (("taxonomy/**/*",), ("groups.*",)),
    "records": ((".wikisem/*.json",), ("groups.*",)),
    "groups": (("groups/*", "rejected/*", "wikisem500/**/*"), ()),
    # A profile is there to be edited: to a build, a bit that flips in it is an edit.
    "profiles": (("languages/*",), ()),
    "manifest": (("manifest.json",), ()),
}
_RESULTS: Final = ("groups", "rejected", "wikisem500")


@dataclass(frozen=True)
class Flip:
    """A bit that was flipped, how the build ended, and whether what people load is as it was."""

    kind: str
    path: str
    bit: int
    code: int | None
    same: bool
    message: str

    @property
    def silent(self) -> bool:
        """Other groups, and nobody was told."""
        return self.code == 0 and not self.same


def flip_bit(kind: str, seed: int, whole: Whole, folder: Path) -> Flip:
    """Flip a seeded bit in a copy of a finished build, and run the stages that read the file again."""
    chance, (patterns, records) = random.Random(f"{kind} {seed}"), KINDS[kind]
    output = folder / "out"
    shutil.copytree(whole.output, output)
    found = {path for pattern in patterns for path in output.glob(pattern) if path.is_file() and path.stat().st_size}
    path = chance.choice(sorted(found))
    data = bytearray(path.read_bytes())
    bit = chance.randrange(8 * len(data))
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)
    for pattern in records:
        for record in output.glob(f".wikisem/{pattern}.json"):
            if record != path:
                record.unlink()
    code, said, _, raised = run_command([*whole.build, "--output", str(output)])
    message = next((line for line in said.splitlines() if line.startswith("wikisem: ")), "") or "".join(raised)
    return Flip(kind, str(path.relative_to(output)), bit, code, _results(output) == _results(whole.output), message)


def _results(output: Path) -> dict[str, bytes]:
    paths = (path for name in _RESULTS for path in output.glob(f"{name}/**/*") if path.is_file())
    return {str(path.relative_to(output)): path.read_bytes() for path in paths}


def table_of_flips(flips: Sequence[Flip]) -> str:
    """The kinds as a Markdown table."""
    rows = ["| a bit in | flips | exit 0, same groups | exit 1 or 2 | exit 0, other groups |", "|---|--:|--:|--:|--:|"]
    for kind in dict.fromkeys(flip.kind for flip in flips):
        ends = Counter("other" if flip.silent else flip.code == 0 for flip in flips if flip.kind == kind)
        rows.append(f"| {kind} | {ends.total()} | {ends[True]} | {ends[False]} | {ends['other']} |")
    return "\n".join(rows)
