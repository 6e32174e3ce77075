"""Vectors in the binary form of word2vec: a header line, then each word, a blank, and its numbers in single precision.

The words that are asked for are read with one pass over the file, whatever its size; gensim, which reads whole files,
is not needed for that. Some writers put a line feed after each record, which then comes before the next word.
"""

from collections.abc import Container
from io import BufferedIOBase
from typing import Final

import numpy as np

from wikisem.errors import DamagedInputError
from wikisem.evaluation.vectors.asked import spelling_of
from wikisem.evaluation.vectors.text import read_header
from wikisem.evaluation.vectors.words import WordVectors, from_words

_BYTES_AT_ONCE: Final = 1 << 22
_LONGEST_WORD: Final = 1 << 16


def read_binary(stream: BufferedIOBase, name: str, asked: Container[str]) -> WordVectors:
    """The vectors of the words that are asked for; DamagedInputError for a file that ends too early."""
    header = read_header(stream.readline())
    if header is None:
        raise DamagedInputError(f"{name}: expected a first line of two numbers")
    count, dimensions = header
    words, kept, rows = list[str](), list[str](), list[bytes]()
    buffer, size = b"", 4 * dimensions
    start = 0
    for number in range(count):
        if len(buffer) - start < size + _LONGEST_WORD:
            buffer, start = buffer[start:] + stream.read(_BYTES_AT_ONCE + size), 0
        blank = buffer.find(b" ", start, start + _LONGEST_WORD)
        end = blank + 1 + size
        if blank < 0 or len(buffer) < end:
            raise DamagedInputError(f"{name}: expected {count} words of {dimensions} numbers, saw {number} whole ones")
        word = buffer[start:blank].lstrip(b"\n").decode(errors="replace")
        words.append(word)
        if word in asked:
            kept.append(word)
            rows.append(buffer[blank + 1 : end])
        start = end
    matrix = np.frombuffer(b"".join(rows), dtype="<f4").reshape(-1, dimensions).astype(np.float32)
    return from_words(kept, matrix, spelling_of(words))
