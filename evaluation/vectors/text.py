"""Vectors written as text, one word a line: word2vec, fastText .vec (both with a header) and GloVe (without).

Lines are cut from the right, because a word may hold blanks: GloVe 840B has tokens such as ". . .", on which gensim
stops with an error.
"""

import codecs
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import astuple
from io import BufferedIOBase
from itertools import islice
from typing import Final

import numpy as np

from wikisem.datasets.text_files import lines_of
from wikisem.errors import DamagedInputError
from wikisem.evaluation.vectors.asked import Spelling, spelling_of
from wikisem.evaluation.vectors.words import VectorRows, WordVectors, from_words

_LINES_AT_ONCE: Final = 8192
# Several times what the largest language models have (2026-11); a header may ask for any.
_MOST_DIMENSIONS: Final = 100_000
# What a line may take: a word, and each number with its blank.
LONGEST_WORD: Final = 1 << 16
_LONGEST_NUMBER: Final = 40
_THREE_NUMBERS: Final = re.compile(rb"\D*(\d{1,19})\D+(\d{1,19})\D+(\d{1,9})\D*")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f]")


def read_header(line: bytes, name: str) -> tuple[int, int] | None:
    """The number of words and of dimensions that a header line gives; None for any other line.

    DamagedInputError for more dimensions than any model has, since memory is taken by what a header says.
    """
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 20 for field in fields):
        return None
    check_dimensions(int(fields[1]), name)
    return int(fields[0]), int(fields[1])


def read_graph_header(first: bytes, second: bytes, name: str) -> tuple[int, int] | None:
    """The number of entities and of dimensions that the first line of PyTorch-BigGraph's Wikidata vectors gives.

    It lists entities, relation types and dimensions; the second line is an entity and its numbers, with tabs between
    them (its docs, "Reading from the TSV format", read 2026-11). None for any other two lines.
    """
    found = _THREE_NUMBERS.fullmatch(first.strip())
    fields = int(found[3]) + 1 if found else 0
    if found is None or len(second.split(b"\t")) != fields or len(first.split()) == fields or fields < 2:
        return None
    check_dimensions(fields - 1, name)
    return int(found[1]), fields - 1


def check_dimensions(number: int, name: str) -> None:
    """Raise DamagedInputError for more dimensions than any model has."""
    if number > _MOST_DIMENSIONS:
        raise DamagedInputError(f"{name}: expected at most {_MOST_DIMENSIONS:,} dimensions, saw {number}")


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


def read_text(
    stream: BufferedIOBase, name: str, asked: Container[str] | None = None, graph: tuple[int, int] | None = None
) -> WordVectors:
    """The vectors of a stream of text, with a header or without; DamagedInputError names the line that is at fault.

    With ``asked``, only the vectors of these words are read and kept, so that the file may be larger than the memory;
    of other lines only the number of fields is checked. ``graph`` is what ``read_graph_header`` found: after its
    entities come the parameters of relations, which are left out.
    """
    start = stream.readline(LONGEST_WORD + _MOST_DIMENSIONS * _LONGEST_NUMBER)
    header = graph or read_header(start, name)
    dimensions = header[1] if header else len(start.split()) - 1
    longest = LONGEST_WORD + dimensions * _LONGEST_NUMBER
    kept = _Reader(name, dimensions, asked)
    if not header:
        kept.read(iter([(1, start)]))
    lines = ((number, line) for number, line in lines_of(stream, name, longest, first=2) if line.strip())
    kept.read(islice(lines, graph[0]) if graph else lines)
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
        spelling = None if self.asked is None else self.spelling
        return from_words(self.words, np.concatenate(self.blocks), spelling, self.seen)

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
