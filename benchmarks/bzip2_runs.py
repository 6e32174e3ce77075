"""What ``benchmarks.bzip2`` runs: decoders of a whole file, two at once, the steps of ours, and whole stages."""

import bz2
import multiprocessing
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import indexed_bzip2
import rapidgzip

from wikisem.dumps import Chunk, plan_ranges, read_records
from wikisem.dumps.bzip2 import _native, block_reader
from wikisem.dumps.bzip2.block_reader import END_MARK, bits_at
from wikisem.pipeline.cli import main

ROOT: Final = Path(__file__).parent.parent
NATIVE: Final = ROOT / "wikisem/dumps/bzip2/native"
STEP: Final = 1 << 20
HEADER_BITS: Final = 32


def by_python(path: str) -> None:
    """Python's ``bz2``, a megabyte of the file at a time."""
    decoder = bz2.BZ2Decompressor()
    with Path(path).open("rb") as source:
        while not decoder.eof:
            decoder.decompress(source.read(STEP))


def by_indexed_bzip2(path: str) -> None:
    """indexed_bzip2 with one thread."""
    _drain(indexed_bzip2.open(path, parallelization=1))


def by_rapidgzip(path: str) -> None:
    """rapidgzip with one thread; it reads bzip2, too."""
    _drain(rapidgzip.open(path, parallelization=1))


def _drain(source: rapidgzip.RapidgzipFile) -> None:
    with source:
        while source.read(STEP):
            pass


def by_ours(path: str, portable: bool = False) -> None:
    """The extension's own interface, block by block, each dropped when the next one comes."""
    for _ in _blocks(Path(path).read_bytes(), portable):
        pass


def _blocks(data: bytes, portable: bool) -> Iterator[bytes]:
    decoder, bit = _native.BlockDecoder(portable=portable), HEADER_BITS
    while bits_at(data[bit // 8 : bit // 8 + 8], bit % 8) != END_MARK:
        text, bit = decoder.decode(data, bit)
        yield text


def two_at_once(path: str) -> None:
    """The same in two processes at the same time; CPU seconds are those of both."""
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=by_ours, args=(path,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0


def find_marks(path: str, native: bool) -> None:
    """All block marks of a file."""
    find = _native.find_marks if native else block_reader.find_marks_in_python
    assert find(Path(path).read_bytes(), 0x314159265359)


def read_ranges(path: str, native: bool, delimiter: bytes) -> None:
    """The chunks of whole records of all ranges of a file."""
    _choose(native)
    for range_ in plan_ranges(path):
        for chunk in read_records(range_, delimiter=delimiter):
            assert isinstance(chunk, Chunk)


def run_stages(words: tuple[str, ...], native: bool) -> None:
    """A command of wikisem with either decoder, into a folder that is empty before and kept after."""
    _choose(native)
    output = Path(words[-1])
    shutil.rmtree(output, ignore_errors=True)
    assert main([*words]) == 0


def _choose(native: bool) -> None:
    if not native:
        block_reader.native = None


def steps_of(path: str, portable: bool) -> tuple[int, dict[str, float]]:
    """The bytes of text of a file, and CPU seconds by step, of the decoder compiled by itself."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "phases")
        sources = [str(source) for source in NATIVE.glob("*.c") if source.name != "module.c"]
        flags = ["-std=gnu11", "-O3", "-fno-tree-slp-vectorize", f"-I{NATIVE}"]
        subprocess.run(["cc", *flags, "-o", program, str(ROOT / "benchmarks/bzip2_phases.c"), *sources], check=True)
        words = [program, path, *["portable"] * portable]
        out = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    return int(out[0]), dict(zip(out[1::2], map(float, out[2::2]), strict=True))


if __name__ == "__main__":
    run_stages(tuple(sys.argv[2:]), sys.argv[1] == "native")
