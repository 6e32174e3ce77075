"""What ``benchmarks.entities`` runs: decoders, plain loops, the entities stage, and other tools."""

import bz2
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
from isal import igzip

from benchmarks.report import Command
from wikisem.layout import Scratch
from wikisem.transforms.entities import EntityOptions, read_entities
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.wikidata.entity_reader import EntityReader
from wikisem.wikidata.line_types import DEFAULT_PROPERTIES, Fields

LABELS = ("en", "es", "de", "ja", "zh")
FOLDER = Path("build/benchmarks")
PEERS = Path("build/peers").resolve()
OPENERS: dict[str, Callable[..., Any]] = {".gz": igzip.open, ".bz2": bz2.open}


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


def bare(path: str) -> None:
    """The decoder, and msgspec on every line into the types that ours uses: the floor."""
    read = EntityReader(Fields(LABELS, DEFAULT_PROPERTIES))._decode  # noqa: SLF001 - this benchmark asks what it alone costs
    for line in lines_of(path):
        read(line)


def loads(path: str, library: str) -> None:
    """The decoder, and a JSON library on every line."""
    libraries: dict[str, Callable[[bytes], Any]] = {"json": json.loads, "orjson": orjson.loads}
    read = libraries[library]
    for line in lines_of(path):
        read(line)


def ours(path: str, workers: int) -> None:
    """The whole stage, from the dump to Parquet."""
    folder = tempfile.mkdtemp(dir=FOLDER)
    try:
        read_entities([path], EntityOptions(LABELS), StageContext(Scratch(folder), Runtime(workers=workers)))
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
