"""How fast the entities stage reads dumps, against its decoders, plain loops and other tools.

``python -m benchmarks.entities [MEGABYTES [ROUNDS [PART ...]]]`` (300, 5 and all parts if not said) makes dumps, runs
the contenders of each part in turn, and writes its section of ``docs/benchmarks.md`` after each part from all that were
measured so far: some ten minutes, and three more to make the dumps, the first time. Start-up stays out: whatever has
one is also run on a dump of a few lines, and the difference counts. The slower readers get less text. Other tools are
measured where ``build/peers`` has them, see ``benchmarks/peers.sh``.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.dump import text_size, write_dump
from benchmarks.entity_runs import FOLDER, bare, decode, loads, ours, peers
from benchmarks.report import Call, Command, Result, compare, table, write_section

TINY_BYTES = 100_000
FLOOR = "decoder, lines, msgspec: the floor"
START = "start-up of "
PARTS = FOLDER / "entities"
# Plain JSON libraries take several times as long as the floor, and get so much less text.
_SHARE = 4

# A contender, and the bytes of text that it reads.
Contender = tuple[Call | Command, int]


def made(size: int, ending: str = ".gz") -> tuple[Path, int]:
    """A dump in one form, and the bytes of its text."""
    bzip2 = ending == ".bz2"
    folder = FOLDER / f"dump{'-bzip2' * bzip2}-{size}"
    # A process of its own, for what one has held counts as the peak memory of those that it starts.
    Call(write_dump, (folder, size, bzip2)).measure()
    return folder / f"dump.json{ending}", text_size(folder, size)


def workers(dump: Path, text: int, counts: tuple[int, ...] = (1, 2)) -> dict[str, Contender]:
    """The stage with one worker and with more, and their start-up."""
    tiny, few = made(TINY_BYTES, dump.suffix)
    runs: dict[str, Contender] = {}
    for count in counts:
        name = f"wikisem, {count} worker{'s' * (count > 1)}"
        runs[name] = Call(ours, (str(dump), count)), text
        runs[START + name] = Call(ours, (str(tiny), count)), few
    return runs


def measure_gzip(size: int, rounds: int) -> list[list[str]]:
    """All readers of a chain of gzip members."""
    (dump, text), (part, less) = made(size), made(size // _SHARE)
    runs: dict[str, Contender] = {
        "decoder alone": (Call(decode, (str(dump),)), text),
        FLOOR: (Call(bare, (str(dump),)), text),
        **workers(dump, text),
        **{f"decoder, lines, {name}": (Call(loads, (str(part), name)), less) for name in ("orjson", "json")},
    }
    return rows_of("`.gz`", text, measure(runs, rounds))


def measure_bzip2(size: int, rounds: int) -> list[list[str]]:
    """The decoder, the floor and the stage on one bzip2 stream, half as large, for it takes ten times as long."""
    dump, text = made(size // 2, ".bz2")
    runs: dict[str, Contender] = {
        "decoder alone": (Call(decode, (str(dump),)), text),
        FLOOR: (Call(bare, (str(dump),)), text),
        **workers(dump, text),
    }
    return rows_of("`.bz2`", text, measure(runs, rounds))


def measure_large(size: int, rounds: int) -> list[list[str]]:
    """A dump ten times as large: what a second worker gains, and how little the memory grows."""
    dump, text = made(10 * size)
    runs = {FLOOR: (Call(bare, (str(dump),)), text), **workers(dump, text)}
    return rows_of("`.gz`", text, measure(runs, min(rounds, 3)))


def measure_peers(size: int, rounds: int) -> list[list[str]]:
    """Other tools on the same file of half the size, the start-up of every one apart."""
    (dump, text), (tiny, few) = made(size // 2), made(TINY_BYTES)
    runs: dict[str, Contender] = {
        **workers(dump, text, (1,)),
        **{name: (command, text) for name, command in peers(dump).items()},
        **{START + name: (command, few) for name, command in peers(tiny).items()},
    }
    return rows_of("`.gz`", text, measure(runs, min(rounds, 3)))


# How a part's contenders did: each with its result and the bytes of text that it read.
Results = dict[str, tuple[Result, int]]
HEADER = ["dump", "reader", "MB/s", "MB per CPU second", "peak MB"]


def measure(runs: dict[str, Contender], rounds: int) -> Results:
    """Run all contenders in turn."""
    results = compare({name: run for name, (run, _) in runs.items()}, rounds)
    return {name: (results[name], size) for name, (_, size) in runs.items()}


def seconds(results: Results, name: str) -> tuple[float, float]:
    """The seconds and CPU seconds that a contender takes for a megabyte, without those of its start-up."""
    (result, size), (start, few) = results[name], results.get(START + name, (None, 0))
    wall, cpu = (start.seconds, start.cpu) if start else (0, 0)
    return (result.seconds - wall) / (size - few) * 1e6, (result.cpu - cpu) / (size - few) * 1e6


def rows_of(kind: str, text: int, results: Results) -> list[list[str]]:
    """A row for each contender: its pace and its memory."""
    rows = []
    for name, (result, _) in results.items():
        if not name.startswith(START):
            figures = (f"{1 / each:.0f}" for each in seconds(results, name))
            rows.append([f"{kind}, {text / 1e6:.0f} MB", name, *figures, f"{result.peak / 1e6:.0f}"])
    return rows


MEASURES: dict[str, Callable[[int, int], list[list[str]]]] = {
    "gzip": measure_gzip,
    "bzip2": measure_bzip2,
    "large": measure_large,
    "peers": measure_peers,
}


def write_page() -> Path:
    """The section, from all parts that were measured."""
    found = [path.read_text(encoding="utf-8") for name in MEASURES if (path := PARTS / f"{name}.json").exists()]
    body = (
        "A Wikidata dump (`benchmarks/dump.py`) to Parquet, without start-up; MB of text. The floor is a bare loop "
        "over the decoder, its lines and msgspec. wikibase-dump-filter and KGTK run in several processes. Peaks "
        "include some 150 MB of the process that measures."
    )
    rows = [row for text in found for row in json.loads(text)]
    packages = ("msgspec", "isal", "orjson", "pyarrow", "apache-beam")
    return write_section("Entities", f"{body}\n\n{table(HEADER, rows)}", packages)


def main(megabytes: str = "300", rounds: str = "5", *parts: str) -> None:
    """Measure the parts, and write the page after each."""
    PARTS.mkdir(parents=True, exist_ok=True)
    for name in parts or MEASURES:
        rows = MEASURES[name](int(float(megabytes) * 1e6), int(rounds))
        (PARTS / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
        print(f"{table(HEADER, rows)}\n\n{write_page()}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
