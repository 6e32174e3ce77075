"""Ways in which the bytes of a file go bad, each seeded."""

import random
from collections.abc import Callable
from typing import Final

Mutation = Callable[[bytes, random.Random], bytes]


def _flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 3, 30])):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _lose(data: bytes, chance: random.Random) -> bytes:
    start, stop = _slice(data, chance)
    return data[:start] + data[stop:]


def _repeat(data: bytes, chance: random.Random) -> bytes:
    start, stop = _slice(data, chance)
    return data[:stop] + data[start:]


def _zero(data: bytes, chance: random.Random) -> bytes:
    start, stop = _slice(data, chance)
    return data[:start] + bytes(stop - start) + data[stop:]


def _noise(data: bytes, chance: random.Random) -> bytes:
    start, stop = _slice(data, chance)
    return data[:start] + chance.randbytes(stop - start) + data[stop:]


def _insert(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice([b"\n", b"\0", b"\xff\xfe", b"{", b'"', b"<", b"]", b"-1", b"NaN"]) + data[at:]


def _swap_words(data: bytes, chance: random.Random) -> bytes:
    """One value in place of another: bytes that are well formed, and mean something else."""
    words = data.split(b" ")
    first, second = chance.randrange(len(words)), chance.randrange(len(words))
    words[first], words[second] = words[second], words[first]
    return b" ".join(words)


def _empty(data: bytes, chance: random.Random) -> bytes:
    del data, chance
    return b""


def _slice(data: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randrange(len(data))
    return start, min(len(data), start + chance.choice([1, 10, 1000, len(data) // 3 + 1]))


MUTATIONS: Final[dict[str, Mutation]] = {
    "flipped bits": _flip,
    "cut short": _cut,
    "bytes lost": _lose,
    "bytes twice": _repeat,
    "zeros": _zero,
    "noise": _noise,
    "inserted": _insert,
    "words swapped": _swap_words,
    "empty": _empty,
}
