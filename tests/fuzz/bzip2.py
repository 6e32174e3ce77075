"""Mutated bzip2 files for the decoder in C under ASAN and UBSAN: ``make fuzz``.

``python -m tests.fuzz.bzip2 --cases 100000 --seed 1`` repeats a run exactly. No case may end in a finding of the
sanitizers, and what the decoder accepts must be what Python's ``bz2`` gives, with the same end. A block's checksum
would hide most mistakes, for hardly a mutation gets past it: so where nothing else is wrong with a block, the case is
tried again with the checksum that fits. Ends with exit code 1 if something is wrong, and leaves the cases in question
in the folder ``build/fuzz``.

For another processor, without the sanitizers (Debian's packages gcc-aarch64-linux-gnu and qemu-user)::

    CC=aarch64-linux-gnu-gcc python -m tests.fuzz.bzip2 --cases 3000 --emulator qemu-aarch64
"""

import argparse
import bz2
import os
import random
import shlex
import struct
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wikisem.dumps.bzip2.block_reader import align, decode_to, decode_without_end

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "wikisem/dumps/bzip2/native"
BUILD = ROOT / "build/fuzz"
STRICT = "-std=gnu11 -Wall -Wextra -Werror"
SANITIZE = "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all"
EMULATE = "-O3 -static"
# ``enum outcome`` of native/bzip2.h.
OUTCOMES = (
    "accepted",
    "no block",
    "truncated",
    "randomised",
    "bad header",
    "bad code",
    "bad symbols",
    "bad origin",
    "bad run",
    "bad checksum",
)
BAD_CHECKSUM = OUTCOMES.index("bad checksum")
FIRST_BIT = 32
BATCH = 1000
# One refused block in so many is given to the reference decoder, which takes twenty attempts to find a block's end.
ASKED = 50


@dataclass(frozen=True)
class Answer:
    """What the decoder says of a case: end, size and CRC-32 of each block, and why it stopped."""

    blocks: list[tuple[int, int, int]]
    outcome: int
    checksum: int

    @property
    def stop(self) -> int:
        """The bit at which the refused block begins."""
        return self.blocks[-1][0] if self.blocks else FIRST_BIT


def compile_driver(name: str, flags: str) -> Path:
    """The decoder and the program that feeds it."""
    BUILD.mkdir(parents=True, exist_ok=True)
    sources = [path for path in sorted(NATIVE.glob("*.c")) if path.name != "module.c"]
    command = [*shlex.split(os.environ.get("CC", "cc")), *STRICT.split(), *flags.split(), f"-I{NATIVE}"]
    program = BUILD / name
    subprocess.run([*command, "-o", str(program), str(Path(__file__).with_suffix(".c")), *sources], check=True)
    return program


def seeds(source: random.Random) -> list[bytes]:
    """Files of texts that together reach every branch: all levels, runs, repeats, random bytes, several streams."""
    words = [source.randbytes(source.randrange(1, 6)).hex().encode() for _ in range(300)]
    prose = b" ".join(source.choices(words, k=30_000))
    texts = [b"a", b"ab" * 3000, b"a" * 5000, bytes(range(256)) * 8, source.randbytes(4000), b"aaaab" * 777]
    texts += [b"aaaa\0", b"abc" * 1000, bytes(259 * 20), prose[:100], prose[:3000], prose[:20_000]]
    texts += [bytes([n % 256]) * (n % 300) for n in range(0, 600, 37)]
    files = [bz2.compress(text, level) for text in texts for level in (1, 9)]
    files += [bz2.compress(prose, 1), bz2.compress(b"".join(texts), 5), bz2.compress(b"")]
    files += [files[0] + files[1], bz2.compress(source.randbytes(950_000))]
    return [b"BZh9" + file[4:] for file in files]


def mutated(source: random.Random, files: list[bytes]) -> bytes:
    """A file with up to twenty changes, half of them in the tables at its beginning; never in its first four bytes."""
    data = bytearray(source.choice(files))
    for _ in range(source.choice([1, 1, 1, 2, 5, 20])):
        stop = min(len(data), 120) if source.random() < 0.5 else len(data)
        at, way = source.randrange(4, max(stop, 5)), source.random()
        if way < 0.5:
            data[at : at + 1] = bytes(byte ^ 1 << source.randrange(8) for byte in data[at : at + 1])
        elif way < 0.8:
            data[at : at + 1] = source.randbytes(1)
        elif way < 0.9:
            data[at:at] = source.randbytes(source.randrange(1, 9))
        elif way < 0.95:
            del data[at : at + source.randrange(1, 9)]
        else:
            del data[at:]
    return bytes(data)


def run(program: list[str], cases: list[bytes]) -> list[Answer]:
    """The decoder's answers; CalledProcessError where a sanitizer has found something."""
    sent = b"".join(struct.pack("=I", len(case)) + case for case in cases)
    out = subprocess.run(program, input=sent, stdout=subprocess.PIPE, check=True).stdout
    answers, at = [], 0
    for _ in cases:
        (count,) = struct.unpack_from("=I", out, at)
        at += 4
        blocks = [struct.unpack_from("=QII", out, at + 16 * number) for number in range(count)]
        at += 16 * count
        answers.append(Answer(blocks, *struct.unpack_from("=II", out, at)))
        at += 8
    assert at == len(out)
    return answers


def is_right(case: bytes, answer: Answer) -> bool:
    """Whether the reference decoder gives the same text for each block, with the same end."""
    start = FIRST_BIT
    for end, size, crc in answer.blocks:
        text = decode_to(align(case[start // 8 :], start % 8), end - start)
        if text is None or (len(text), zlib.crc32(text)) != (size, crc):
            return False
        start = end
    return True


def with_checksum(case: bytes, answer: Answer) -> bytes:
    """The case with the refused block's checksum made right."""
    value = int.from_bytes(case, "big")
    shift = 8 * len(case) - (answer.stop + 48) - 32
    value = value & ~(0xFFFFFFFF << shift) | answer.checksum << shift
    return value.to_bytes(len(case), "big")


def batches(seed: int, count: int) -> Iterator[list[bytes]]:
    """The seeds themselves, then mutations of them."""
    source = random.Random(seed)
    files = seeds(source)
    yield files
    for start in range(0, count, BATCH):
        yield [mutated(source, files) for _ in range(min(BATCH, count - start))]


def examine(program: list[str], cases: list[bytes], seen: Counter[str]) -> list[bytes]:
    """The cases that were read otherwise than by the reference decoder."""
    try:
        answers = run(program, cases)
    except subprocess.CalledProcessError:
        seen["findings of the sanitizers"] += 1
        return cases  # one of these
    wrong = [case for case, answer in zip(cases, answers, strict=True) if not is_right(case, answer)]
    seen["cases"] += len(cases)
    seen["blocks accepted"] += sum(len(answer.blocks) for answer in answers)
    seen["blocks accepted wrongly"] += len(wrong)
    for case, answer in list(zip(cases, answers, strict=True))[::ASKED]:
        known = decode_without_end(align(case[answer.stop // 8 :][: 1 << 16], answer.stop % 8))
        told = "accepts" if known else "refuses"
        seen[f"{OUTCOMES[answer.outcome]}: the reference decoder, where asked, {told}"] += 1
    again = [
        with_checksum(case, answer)
        for case, answer in zip(cases, answers, strict=True)
        if answer.outcome == BAD_CHECKSUM
    ]
    seen["tried again with the right checksum"] += len(again)
    return wrong + (examine(program, again, seen) if again else [])


def main() -> int:
    """Compile, run all cases, and say what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.bzip2", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--emulator", help="runs what $CC compiles for another processor")
    arguments = parser.parse_args()
    emulator = shlex.split(arguments.emulator or "")
    driver = compile_driver("emulated", EMULATE) if emulator else compile_driver("sanitized", SANITIZE)
    program = [*emulator, str(driver)]
    seen, wrong, begun = Counter[str](), list[bytes](), time.monotonic()
    for cases in batches(arguments.seed, arguments.cases):
        wrong += examine(program, cases, seen)
    for number, case in enumerate(wrong):
        (BUILD / f"wrong-{number}.bz2").write_bytes(case)
    lines = [f"{name}: {count}" for name, count in sorted(seen.items())]
    print(*lines, f"{time.monotonic() - begun:.0f} s", sep="\n")  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
