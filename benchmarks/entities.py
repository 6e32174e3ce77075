"""How fast the entities stage reads dumps, against its decoders, plain loops and other tools.

``python -m benchmarks.entities [MEGABYTES [ROUNDS]]`` (300 and 5 if not said) makes dumps, runs everything in turn and
writes ``docs/benchmarks/entities.md``: some six minutes, and four more to make the dumps, the first time. The ``.bz2``
has half as much text, for it takes ten times as long. Start-up stays out: whatever has one is also run on a dump of a
few lines, and the difference counts. Other tools are measured where ``build/peers`` has them, see
``benchmarks/peers.sh``.
"""

import bz2
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
from isal import igzip

from benchmarks.dump import text_size, write_dump
from benchmarks.report import Call, Command, Result, compare, table, write_section
from transforms.entities import PROPERTIES, EntityOptions, read_entities
from transforms.runtime import Runtime
from transforms.workplace import Workplace
from wikisem.wikidata import EntityReader
from wikisem.wikidata_values import Fields

LABELS = ("en", "es", "de", "ja", "zh")
FOLDER = Path("build/benchmarks")
PEERS = Path("build/peers").resolve()
PEER_BYTES = 30_000_000
TINY_BYTES = 100_000
OPENERS: dict[str, Callable[..., Any]] = {".gz": igzip.open, ".bz2": bz2.open}


def made(size: int, ending: str = ".gz") -> tuple[Path, int]:
    """A dump in one form, and the bytes of its text."""
    bzip2 = ending == ".bz2"
    folder = FOLDER / f"dump{'-bzip2' * bzip2}-{size}"
    return write_dump(folder, size, bzip2=bzip2).with_suffix(ending), text_size(folder, size)


def decode(path: str) -> None:
    """The decoder alone."""
    with OPENERS[Path(path).suffix](path, "rb") as source:
        while source.read(1 << 20):
            pass


def lines_of(path: str) -> Iterator[bytes]:
    """The lines that hold an entity, without their comma."""
    with OPENERS[Path(path).suffix](path, "rb") as source:
        for line in source:
            stripped = line.rstrip(b",\n")
            if len(stripped) > 1:
                yield stripped


def split(path: str) -> None:
    """The decoder and its lines."""
    for _ in lines_of(path):
        pass


def bare(path: str) -> None:
    """The decoder, and msgspec on every line into the types that ours uses: the floor."""
    read = EntityReader(Fields(LABELS, PROPERTIES)).decode
    for line in lines_of(path):
        read(line)


def loads(path: str, library: str) -> None:
    """The decoder, and a JSON library on every line."""
    read: Callable[[bytes], Any] = {"json": json.loads, "orjson": orjson.loads}[library]
    for line in lines_of(path):
        read(line)


def ours(path: str, workers: int) -> None:
    """The whole stage, from the dump to Parquet."""
    folder = tempfile.mkdtemp(dir=FOLDER)
    try:
        read_entities([path], EntityOptions(LABELS), Workplace(folder), Runtime(workers=workers))
    finally:
        shutil.rmtree(folder)


def peers(path: Path) -> dict[str, Command]:
    """The other tools that are installed, reading the same fields of a dump as far as they let one choose."""
    filters = f"--omit descriptions,aliases --languages {','.join(LABELS)} --simplify"
    node = f"gzip -dc {path} | {PEERS}/node_modules/.bin/wikibase-dump-filter {filters} > /dev/null 2>&1"
    fields = "--parse-aliases False --parse-descriptions False --parse-references False"
    edges = f"--node {FOLDER}/node.tsv --edge {FOLDER}/edge.tsv --qual {FOLDER}/qual.tsv"
    kgtk = f"{PEERS}/kgtk/bin/kgtk import-wikidata -i {path} {edges} {fields} --procs 1 --lang {','.join(LABELS)}"
    python = "qwikidata/bin/python"
    known = {
        "wikibase-dump-filter": ("node_modules/.bin/wikibase-dump-filter", ("sh", "-c", node)),
        "qwikidata": (python, (f"{PEERS}/{python}", "-m", "benchmarks.peer_qwikidata", str(path))),
        "KGTK": ("kgtk/bin/kgtk", ("sh", "-c", f"{kgtk} > /dev/null 2>&1")),
    }
    return {name: Command(words) for name, (file, words) in known.items() if (PEERS / file).exists()}


def contenders(path: Path, tiny: Path) -> dict[str, Call | Command]:
    """Everything that reads one dump."""
    runs: dict[str, Call | Command] = {
        "decoder alone": Call(decode, (str(path),)),
        "decoder and lines": Call(split, (str(path),)),
        "decoder, lines, msgspec: the floor": Call(bare, (str(path),)),
    }
    for workers in (1, 2):
        runs[f"wikisem, {workers} worker(s)"] = Call(ours, (str(path), workers))
        runs[f"start-up of wikisem, {workers} worker(s)"] = Call(ours, (str(tiny), workers))
    if path.suffix == ".gz":
        runs |= {f"decoder, lines, {name}": Call(loads, (str(path), name)) for name in ("orjson", "json")}
    return runs


def without_start(results: dict[str, Result], name: str) -> tuple[float, float]:
    """The seconds and CPU seconds of a contender, without those of its start-up."""
    result, start = results[name], results.get(f"start-up of {name}")
    return result.seconds - (start.seconds if start else 0), result.cpu - (start.cpu if start else 0)


def rows_of(results: dict[str, Result], size: int, floor: str) -> list[list[str]]:
    """A row for each contender; what has a start-up is shown without it."""
    base_wall, base_cpu = without_start(results, floor)
    rows = []
    for name, result in results.items():
        if name.startswith("start-up of "):
            continue
        wall, cpu = without_start(results, name)
        rates = (size / 1e6 / wall, size / 1e6 / cpu, base_wall / wall, base_cpu / cpu)
        formats = ("{:.0f}", "{:.0f}", "{:.2f}", "{:.2f}")
        figures = [form.format(rate) for form, rate in zip(formats, rates, strict=True)]
        rows.append([name, *figures, f"{result.peak / 1e6:.0f}"])
    return rows


HEADER = ["reader", "MB/s", "MB per CPU second", "times the floor, by wall", "by CPU", "peak MB"]


def measure_form(ending: str, size: int, rounds: int) -> str:
    """All readers of a dump in one form."""
    (dump, text), (tiny, _) = made(size, ending), made(TINY_BYTES, ending)
    results = compare(contenders(dump, tiny), rounds)
    rows = rows_of(results, text, "decoder, lines, msgspec: the floor")
    title = f"### `{ending}`: {text / 1e6:.0f} MB of text in {dump.stat().st_size / 1e6:.0f} MB"
    return f"{title}\n\n{table(HEADER, rows)}"


def measure_peers(rounds: int) -> str:
    """Other tools on the same file."""
    (path, text), (tiny, _) = made(PEER_BYTES), made(TINY_BYTES)
    runs: dict[str, Call | Command] = {
        "wikisem, 1 worker": Call(ours, (str(path), 1)),
        "start-up of wikisem, 1 worker": Call(ours, (str(tiny), 1)),
        **peers(path),
        **{f"start-up of {name}": command for name, command in peers(tiny).items()},
    }
    rows = rows_of(compare(runs, rounds), text, "wikisem, 1 worker")
    header = [*HEADER[:3], "times wikisem, by wall", "by CPU", HEADER[-1]]
    title = f"### Other tools: the same `.gz`, {PEER_BYTES / 1e6:.0f} MB of text, the same fields"
    return f"{title}\n\n{table(header, rows)}"


def measure_memory(sizes: Sequence[int]) -> str:
    """The peak memory of one worker on dumps of several sizes."""
    paths = {f"{size / 1e6:.0f} MB": made(size)[0] for size in sizes}
    results = compare({name: Call(ours, (str(path), 1)) for name, path in paths.items()}, rounds=1)
    rows = [[name, f"{result.peak / 1e6:.0f}", f"{result.seconds:.1f}"] for name, result in results.items()]
    return f"### Memory of one worker, `.gz`\n\n{table(['text', 'peak MB', 'seconds'], rows)}"


def main(megabytes: float = 300, rounds: float = 5) -> None:
    """Measure everything and write the section."""
    size = int(megabytes * 1e6)
    parts = [
        measure_form(".gz", size, int(rounds)),
        measure_form(".bz2", size // 2, int(rounds)),
        measure_peers(int(rounds)),
        measure_memory((size, 10 * size)),
    ]
    packages = ("msgspec", "isal", "orjson", "pyarrow", "apache-beam")
    body = "\n\n".join([f"Medians of {rounds:.0f} rounds, interleaved; start-up left out.", *parts])
    print(write_section("entities", "Entities: a Wikidata dump to Parquet", body, packages))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    main(*map(float, sys.argv[1:]))
