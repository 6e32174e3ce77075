"""Vectors written as text, one word a line: word2vec, fastText .vec (both with a header) and GloVe (without).

Lines are cut from the right, because a word may hold blanks: GloVe 840B has tokens such as ". . .", on which gensim
stops with an error.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO, Final

import numpy as np

from wikisem.errors import DamagedInputError
from wikisem.evaluation.vectors.words import VectorRows, WordVectors, from_words

_LINES_AT_ONCE: Final = 8192
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f]")


def read_header(line: bytes) -> tuple[int, int] | None:
    """The number of words and of dimensions that a header line gives; None for any other line."""
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def is_text(sample: bytes, dimensions: int) -> bool:
    """Whether a sample of records, from the first on, is text: it begins with a word and its numbers, or is all UTF-8.

    So a file whose first line is damaged is still reported as text, with that line.
    """
    if _read_line(sample.partition(b"\n")[0], np.empty(dimensions, np.float32)) is not None:
        return True
    try:
        # The incremental decoder allows a character that the end of the sample cuts in two.
        text = codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return not _CONTROLS.search(text)


def excerpt(line: bytes) -> str:
    """The beginning of a line, quoted for a message."""
    return repr(line[:60].decode(errors="replace"))


def read_text(stream: BinaryIO, name: str) -> WordVectors:
    """The vectors of a stream of text, with a header or without; DamagedInputError names the line that is at fault."""
    first = stream.readline()
    header = read_header(first)
    dimensions = header[1] if header else len(first.split()) - 1
    lines = enumerate(stream if header else chain([first], stream), start=2 if header else 1)
    words, rows = _read_lines(((number, line) for number, line in lines if line.strip()), dimensions, name)
    if header and len(words) != header[0]:
        raise DamagedInputError(f"{name}: expected {header[0]} words, as the first line says, saw {len(words)}")
    return from_words(words, rows)


def _read_lines(lines: Iterator[tuple[int, bytes]], dimensions: int, name: str) -> tuple[list[str], VectorRows]:
    words, blocks = list[str](), [np.empty((0, dimensions), np.float32)]
    for block in _blocks(lines):
        rows = np.empty((len(block), dimensions), np.float32)
        for row, (number, line) in zip(rows, block, strict=True):
            word = _read_line(line, row)
            if word is None:
                raise DamagedInputError(
                    f"{name}:{number}: expected a word and {dimensions} numbers, saw {excerpt(line)}"
                )
            words.append(word)
        blocks.append(rows)
    return words, np.concatenate(blocks)


def _read_line(line: bytes, row: VectorRows) -> str | None:
    """The word of a line, its numbers put into ``row``; None if the line is no word with so many numbers."""
    fields = line.rsplit(None, len(row))
    if len(fields) != len(row) + 1:
        return None
    try:
        row[:] = fields[1:]
    except ValueError:
        return None
    return fields[0].decode(errors="replace")


def _blocks(lines: Iterable[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    iterator = iter(lines)
    while block := list(islice(iterator, _LINES_AT_ONCE)):
        yield block
