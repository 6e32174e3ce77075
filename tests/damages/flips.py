"""Single bits that flip in the files of a finished build or a release, and what is made of them by who reads them."""

import os
import random
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest import mock

from tests.damages.kinds import KINDS as INPUT_KINDS
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
# Inputs of other commands, of which those with checksums are to notice every bit.
INPUTS: Final = {name: kind for name, kind in INPUT_KINDS.items() if not kind.serves}
CHECKED: Final = [name for name, kind in INPUTS.items() if kind.checked]
_RESULTS: Final = ("groups", "rejected", "wikisem500")
# Releases have their day in them.
_ONE_DAY: Final = mock.patch.dict(os.environ, {"SOURCE_DATE_EPOCH": "0"})
# What `wikisem release` reads of a run and of a release.
RELEASED: Final = {
    "out": ("groups/*", "rejected/*", "walls/*", "names/*/*", "entities/**/*", ".wikisem/*.json", "manifest.json"),
    "set": ("groups/*", "rejected/*", "walls/*", "names/*/*", "manifest.json"),
}


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
    patterns, records = KINDS[kind]
    output = folder / "out"
    path, bit = _flipped(whole.output, output, patterns, random.Random(f"{kind} {seed}"))
    for pattern in records:
        for record in output.glob(f".wikisem/{pattern}.json"):
            if record != path:
                record.unlink()
    words = [*whole.build, "--output", str(output)]
    return _ended(kind, path.relative_to(output), bit, words, output, whole.output)


def release(whole: Whole) -> None:
    """Add walls and tables of names to a build, and release it in the folder ``set`` and that release in ``again``."""
    assert run_command(["walls", str(whole.output), "--number", "6"])[0] == 0
    assert run_command(["names", str(whole.output)])[0] == 0
    with _ONE_DAY:
        for source, target in (("out", "set"), ("set", "again")):
            words = ["release", str(whole.folder / source), "--output", str(whole.folder / target)]
            assert run_command(words)[0] == 0


def flip_released(kind: str, seed: int, whole: Whole, folder: Path) -> Flip:
    """Flip a seeded bit in a copy of what was released, a run ("out") or a release ("set"), and release it again."""
    path, bit = _flipped(whole.folder / kind, folder / kind, RELEASED[kind], random.Random(f"{kind} {seed}"))
    words = ["release", str(folder / kind), "--output", str(folder / "new")]
    expected = whole.folder / {"out": "set", "set": "again"}[kind]
    with _ONE_DAY:
        return _ended(f"{kind}, released", path.relative_to(folder / kind), bit, words, folder / "new", expected, ("",))


def flip_input(name: str, seed: int, whole: Whole, folder: Path) -> Flip:
    """Run the command that reads an input of a kind on a copy of it, once, and again after a seeded bit flipped."""
    for flipped in (False, True):
        chance, case = random.Random(f"{name} {seed}"), folder / "case"
        case.mkdir(parents=True)
        path, words = INPUTS[name].prepare(whole.folder, case, chance)
        data = bytearray(path.read_bytes())
        bit = chance.randrange(8 * len(data))
        data[bit // 8] ^= flipped << bit % 8
        path.write_bytes(data)
        if flipped or tuple(words) not in whole.results:
            code, said, shown, raised = run_command(words)
            assert flipped or code == 0, said
            written = sorted(_files(case / "out", ("entities", "groups", "categories")).items())
            # The folders of units are named by the time of their inputs, too.
            result = shown, [data for path, data in written if path.endswith((".parquet", ".txt"))]
            same = whole.results.setdefault(tuple(words), result) == result
        shutil.rmtree(case)
    message = next((line for line in said.splitlines() if line.startswith("wikisem: ")), "") or "".join(raised)
    return Flip(name, path.name, bit, code, same, message)


def _flipped(whole: Path, copy: Path, patterns: Sequence[str], chance: random.Random) -> tuple[Path, int]:
    """Copy a folder with one bit flipped: the file, and which bit of it."""
    shutil.copytree(whole, copy)
    found = {path for pattern in patterns for path in copy.glob(pattern) if path.is_file() and path.stat().st_size}
    path = chance.choice(sorted(found))
    data = bytearray(path.read_bytes())
    bit = chance.randrange(8 * len(data))
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)
    return path, bit


def _ended(
    kind: str, path: Path, bit: int, words: list[str], output: Path, whole: Path, results: Sequence[str] = _RESULTS
) -> Flip:
    """How a command ended that read the flipped bit, and whether it wrote the folders of results as they should be."""
    code, said, _, raised = run_command(words)
    message = next((line for line in said.splitlines() if line.startswith("wikisem: ")), "") or "".join(raised)
    return Flip(kind, str(path), bit, code, _files(output, results) == _files(whole, results), message)


def _files(output: Path, folders: Sequence[str]) -> dict[str, bytes]:
    paths = (path for name in folders for path in (output / name).rglob("*") if path.is_file())
    return {str(path.relative_to(output)): path.read_bytes() for path in paths}


def table_of_flips(flips: Sequence[Flip]) -> str:
    """The kinds as a Markdown table."""
    rows = ["| a bit in | flips | exit 0, same groups | exit 1 or 2 | exit 0, other groups |", "|---|--:|--:|--:|--:|"]
    for kind in dict.fromkeys(flip.kind for flip in flips):
        ends = Counter("other" if flip.silent else flip.code == 0 for flip in flips if flip.kind == kind)
        rows.append(f"| {kind} | {ends.total()} | {ends[True]} | {ends[False]} | {ends['other']} |")
    return "\n".join(rows)
