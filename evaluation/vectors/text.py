"""Vectors written as text, one word a line: word2vec, fastText .vec (both with a header) and GloVe (without).

Lines are cut from the right, because a word may hold blanks: GloVe 840B has tokens such as ". . .", on which gensim
stops with an error.
"""

import codecs
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import astuple
from io import BufferedIOBase
from itertools import chain, islice
from typing import Final

import numpy as np

from wikisem.errors import DamagedInputError
from wikisem.evaluation.vectors.asked import Spelling, spelling_of
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


def read_text(stream: BufferedIOBase, name: str, asked: Container[str] | None = None) -> WordVectors:
    """The vectors of a stream of text, with a header or without; DamagedInputError names the line that is at fault.

    With ``asked``, only the vectors of these words are read and kept, so that the file may be larger than the memory;
    of other lines only the number of fields is checked.
    """
    first = stream.readline()
    header = read_header(first)
    dimensions = header[1] if header else len(first.split()) - 1
    lines = enumerate(stream if header else chain([first], stream), start=2 if header else 1)
    kept = _Reader(name, dimensions, asked)
    kept.read((number, line) for number, line in lines if line.strip())
    if header and kept.seen != header[0]:
        raise DamagedInputError(f"{name}: expected {header[0]} words, as the first line says, saw {kept.seen}")
    return kept.vectors()


class _Reader:
    """Words and rows as lines come, ``seen`` of them in all."""

    def __init__(self, name: str, dimensions: int, asked: Container[str] | None) -> None:
        self.name = name
        self.dimensions = dimensions
        self.asked = asked
        self.words = list[str]()
        self.blocks = [np.empty((0, dimensions), np.float32)]
        self.spelling = spelling_of(())
        self.seen = 0

    def read(self, lines: Iterator[tuple[int, bytes]]) -> None:
        for block in _blocks(lines):
            self.seen += len(block)
            wanted = block if self.asked is None else self._choose(block)
            rows = np.empty((len(wanted), self.dimensions), np.float32)
            for row, (number, line) in zip(rows, wanted, strict=True):
                word = _read_line(line, row)
                if word is None:
                    raise self._damage(number, line)
                self.words.append(word)
            self.blocks.append(rows)

    def vectors(self) -> WordVectors:
        return from_words(self.words, np.concatenate(self.blocks), None if self.asked is None else self.spelling)

    def _choose(self, block: Sequence[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
        """The lines of words that are asked for; all others are counted, and their spelling is noted."""
        assert self.asked is not None
        words = [line[: _word_end(line, self.dimensions)].decode(errors="replace") for _, line in block]
        for word, (number, line) in zip(words, block, strict=True):
            if not word:
                raise self._damage(number, line)
        found = spelling_of(words)
        self.spelling = Spelling(*(old or new for old, new in zip(astuple(self.spelling), astuple(found), strict=True)))
        return [pair for word, pair in zip(words, block, strict=True) if word in self.asked]

    def _damage(self, number: int, line: bytes) -> DamagedInputError:
        wanted = f"expected a word and {self.dimensions} numbers"
        return DamagedInputError(f"{self.name}:{number}: {wanted}, saw {excerpt(line)}")


def _word_end(line: bytes, dimensions: int) -> int:
    """Where the word of a line ends, 0 for a line of too few fields: its first blank, unless the word has blanks."""
    spaces = line.count(b" ") + line.count(b"\t") - (line[-2:-1].isspace())
    if spaces == dimensions:
        return min(at for at in (line.find(b" "), line.find(b"\t")) if at >= 0)
    fields = line.rsplit(None, dimensions)
    return len(fields[0]) if len(fields) == dimensions + 1 else 0


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
