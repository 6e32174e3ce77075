"""The bzip2 decoder beside others, its steps, and the whole stages that read through it.

``WIKISEM_DATA=FOLDER python -m benchmarks.bzip2 [--megabytes 150] [--rounds 5] [--before PROGRAM] [PART ...]`` writes
its section of ``docs/benchmarks.md`` after each part, from all that were measured so far: some twenty minutes.
``--before`` is the ``wikisem`` program of another installation, such as that of an earlier commit, whose stages are
then measured, too.
lbzip2 is measured where it is installed.
"""

import argparse
import bz2
import gzip
import hashlib
import shutil
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import bzip2_runs as runs
from benchmarks.dump import text_size, write_dump
from benchmarks.report import Call, Command, Result, compare, table, write_section
from benchmarks.wiki_corpus import real_data, write_pages
from wikisem.dumps.bzip2 import _native

FOLDER = Path("build/benchmarks")
PARTS = FOLDER / "bzip2"
TINY_BYTES = 200_000
PYTHON, PORTABLE, BEST = "Python's bz2", "wikisem, portable", "wikisem"
LANGUAGES = "en,es,de,ja,zh"


@dataclass(frozen=True)
class Plan:
    """How much is measured, and how often."""

    megabytes: int
    rounds: int
    before: str

    @property
    def size(self) -> int:
        """The bytes of text in each file, about."""
        return self.megabytes * 1_000_000


@dataclass(frozen=True)
class Packed:
    """A bzip2 file of one stream, and the bytes of its text."""

    path: Path
    text: int


def pages(size: int, same_links: bool = False) -> Packed:
    """Wikipedia pages as XML, see ``write_pages``."""
    plain = FOLDER / f"pages-{size}{'-same-links' if same_links else ''}.xml"
    if not plain.exists():
        write_pages(plain, real_data(), size, same_links)
    return _pack(plain)


def items(size: int) -> Packed:
    """The items of the real data as JSON lines, over and over: a copy is too far from the next to be in one block."""
    plain = FOLDER / f"items-{size}.json"
    if not plain.exists():
        text = gzip.decompress((real_data() / "wikidata/real-entities.json.gz").read_bytes())
        plain.write_bytes((text * (size // len(text) + 1))[:size])
    return _pack(plain)


def _pack(plain: Path) -> Packed:
    packed = plain.with_suffix(plain.suffix + ".bz2")
    if not packed.exists():
        packed.write_bytes(bz2.compress(plain.read_bytes()))
    return Packed(packed, plain.stat().st_size)


def dump(size: int) -> Packed:
    """A made-up Wikidata dump, see ``benchmarks/dump.py``."""
    folder = FOLDER / f"dump-bzip2-{size}"
    Call(write_dump, (folder, size, True)).measure()
    return Packed(folder / "dump.json.bz2", text_size(folder, size))


def pace(result: Result, text: int) -> float:
    """Megabytes of text for each CPU second."""
    return text / 1e6 / result.cpu


def measure_decoders(plan: Plan) -> str:
    """All decoders with one thread."""
    paces = [_decoders(packed, plan.rounds) for packed in (pages(plan.size), items(plan.size))]
    rows = [[name, *(f"{each[name]:.0f}" for each in paces)] for name in paces[0]]
    return table(["decoder, one thread", "wikitext, MB/s", "JSON, MB/s"], rows)


def _decoders(packed: Packed, rounds: int) -> dict[str, float]:
    """The pace of each, the slowest first."""
    path = str(packed.path)
    contenders: dict[str, Call | Command] = {
        PYTHON: Call(runs.by_python, (path,)),
        "indexed_bzip2": Call(runs.by_indexed_bzip2, (path,)),
        "rapidgzip": Call(runs.by_rapidgzip, (path,)),
        PORTABLE: Call(runs.by_ours, (path, True)),
        BEST: Call(runs.by_ours, (path,)),
    }
    if shutil.which("lbzip2"):
        contenders["lbzip2 -n 1"] = Command(("lbzip2", "-n", "1", "-d", "-c", path))
    results = compare(contenders, rounds)
    best = f"{BEST}, {_native.BlockDecoder().instructions}"
    paces = {best if each == BEST else each: pace(result, packed.text) for each, result in results.items()}
    return dict(sorted(paces.items(), key=lambda item: item[1]))


def measure_steps(plan: Plan) -> str:
    """Where the time goes, by step."""
    found: dict[str, dict[str, float]] = {}
    for text, packed in {"wikitext": pages(plan.size), "JSON": items(plan.size)}.items():
        for kind in (True, False):
            timed = [runs.steps_of(str(packed.path), kind) for _ in range(plan.rounds)]
            found[f"{text}, {'portable' if kind else _native.BlockDecoder().instructions}"] = {
                step: statistics.median(seconds[step] / size * 1e9 for size, seconds in timed) for step in timed[0][1]
            }
    header = ["ns for each byte of text", *next(iter(found.values())), "all"]
    rows = [
        [name, *(f"{step:.2f}" for step in steps.values()), f"{sum(steps.values()):.2f}"]
        for name, steps in found.items()
    ]
    return f"### By step\n\n{table(header, rows)}"


def measure_pairs(plan: Plan) -> str:
    """What is left to each of two processes at once, and the search for marks."""
    packed = pages(plan.size)
    path = str(packed.path)
    results = compare({"alone": Call(runs.by_ours, (path,)), "two": Call(runs.two_at_once, (path,))}, plan.rounds)
    alone, each = pace(results["alone"], packed.text), 2 * pace(results["two"], packed.text)
    marks = compare(
        {"ours": Call(runs.find_marks, (path, True)), "python": Call(runs.find_marks, (path, False))}, plan.rounds
    )
    size = packed.path.stat().st_size
    return (
        "### Two processes at once, and marks\n\n"
        f"Two processes at once, on wikitext: {each:.0f} MB/s of CPU time each, {each / alone:.0%} of the "
        f"{alone:.0f} MB/s of one alone.\n\n"
        f"Block marks are found in {pace(marks['ours'], size):.0f} MB of file for each CPU second, without the "
        f"extension in {pace(marks['python'], size):.0f}; the text is {packed.text / size:.1f} times as long."
    )


def measure_ranges(plan: Plan) -> str:
    """Chunks of whole records from ranges, as the stages get them."""
    rows = []
    for name, packed, delimiter in (
        ("pages", pages(plan.size), b"</page>"),
        ("items", items(plan.size), b"\n"),
    ):
        path = str(packed.path)
        results = compare(
            {kind: Call(runs.read_ranges, (path, kind == BEST, delimiter)) for kind in (PYTHON, BEST)}, plan.rounds
        )
        paces = [pace(results[kind], packed.text) for kind in (PYTHON, BEST)]
        rows.append([name, *(f"{each:.0f}" for each in paces), f"{paces[1] / paces[0]:.2f}"])
    header = ["whole records of a range, MB of text per CPU second", PYTHON, BEST, "times"]
    return f"### Ranges\n\n{table(header, rows)}"


def measure_stages(plan: Plan) -> str:
    """``mentions`` and ``entities`` from ``.bz2`` to Parquet."""
    rows = [
        *_stage("mentions", pages(plan.size), pages(TINY_BYTES), plan),
        *_stage("mentions", pages(plan.size, same_links=True), pages(TINY_BYTES), plan, ", links that come back"),
        *_stage("entities", dump(plan.size), dump(TINY_BYTES), plan),
    ]
    header = ["stage, one worker", "reader of bzip2", "MB of text per CPU second"]
    return table(header, rows)


def _stage(stage: str, whole: Packed, tiny: Packed, plan: Plan, remark: str = "") -> list[list[str]]:
    kinds = {
        **({"before": (plan.before,)} if plan.before else {}),
        PYTHON: (sys.executable, "-m", "benchmarks.bzip2_runs", "python"),
        BEST: (sys.executable, "-m", "benchmarks.bzip2_runs", "native"),
    }
    outputs = {kind: FOLDER / f"{stage}-{number}" for number, kind in enumerate(kinds)}
    contenders: dict[str, Call | Command] = {}
    for kind, program in kinds.items():
        for part, packed in (("", whole), ("start-up of ", tiny)):
            output = outputs[kind] if not part else FOLDER / "start-up"
            command = (*program, stage, *_inputs(stage, packed.path), "--output", str(output))
            contenders[part + kind] = Command(("sh", "-c", 'rm -rf "$0" && exec "$@"', str(output), *command))
    results = compare(contenders, plan.rounds)
    assert _digest(outputs[PYTHON] / stage) == _digest(outputs[BEST] / stage)
    paces = {
        kind: (whole.text - tiny.text) / 1e6 / (results[kind].cpu - results["start-up of " + kind].cpu)
        for kind in kinds
    }
    return [[stage + remark, kind, f"{each:.0f}"] for kind, each in paces.items()]


def _inputs(stage: str, path: Path) -> tuple[str, ...]:
    if stage == "mentions":
        return ("--wikipedia", f"en={path}")
    return ("--wikidata", str(path), "--languages", LANGUAGES)


def _digest(folder: Path) -> str:
    digest, paths = hashlib.sha256(), sorted(path for path in folder.rglob("*") if path.is_file())
    assert paths
    for path in paths:
        digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return digest.hexdigest()


MEASURES: dict[str, Callable[[Plan], str]] = {
    "decoders": measure_decoders,
    "steps": measure_steps,
    "pairs": measure_pairs,
    "ranges": measure_ranges,
    "stages": measure_stages,
}
_SHOWN = ("decoders", "stages")  # on the page; the others are for work on the decoder


def write_page(rounds: int) -> Path:
    """The page, from those of its parts that were measured."""
    texts = [path.read_text(encoding="utf-8") for name in _SHOWN if (path := PARTS / f"{name}.md").exists()]
    body = (
        f"[The decoder](architecture.md): MB of text in a CPU second, medians of {rounds} rounds. Pages are those of "
        "two real dumps, over and over. Of the stages start-up is left out, and either decoder gives the same bytes."
    )
    return write_section("bzip2", "\n\n".join([body, *texts]), ("indexed_bzip2", "rapidgzip", "pyarrow"))


def main() -> None:
    """Measure the parts, and write the page after each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bzip2", description=__doc__)
    parser.add_argument("part", nargs="*", choices=[*MEASURES, []], help="default: all of them")
    parser.add_argument("--megabytes", type=int, default=150, help="of text in each file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--before", default="", help="the wikisem program of another installation")
    arguments = parser.parse_args()
    plan = Plan(arguments.megabytes, arguments.rounds, arguments.before)
    PARTS.mkdir(parents=True, exist_ok=True)
    for name in arguments.part or MEASURES:
        text = MEASURES[name](plan)
        (PARTS / f"{name}.md").write_text(text, encoding="utf-8")
        print(f"{text}\n\n{write_page(plan.rounds)}", flush=True)


if __name__ == "__main__":
    main()
