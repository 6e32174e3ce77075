"""Files of vectors: text as word2vec, fastText .vec and GloVe write it, binary word2vec and fastText, and arrays.

Each is read in one pass. Nothing is allocated because a header asks for it: memory grows with what has been read.
"""

import codecs
import math
import re
import struct
from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from io import BufferedIOBase
from itertools import chain, islice
from operator import or_
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn, Self

import numpy as np
import numpy.typing as npt

from wikisem.datasets.files import compression, lines_of, open_unpacked, words_beside
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.vectors import embeddings
from wikisem.evaluation.vectors.embeddings import Spelling, Vector, VectorRows, WordVectors, from_words, spelling_of

# Several times what the largest language models have (2026-11); a header may ask for any.
_MOST_DIMENSIONS: Final = 100_000
EXPECTED: Final = "expected vectors of word2vec, GloVe or fastText, or FILE.npy with FILE.words"
# What a line may take: a word, and each number with its blank.
LONGEST_WORD: Final = 1 << 16
_LONGEST_NUMBER: Final = 40
_THREE_NUMBERS: Final = re.compile(rb"\D*(\d{1,19})\D+(\d{1,19})\D+(\d{1,9})\D*")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f]")
# By their first bytes, forms that are not read: what they are, and what to do.
REFUSED: Final[Mapping[bytes, str]] = {
    b"\x80": "a pickle, as gensim saves models; wikisem loads none, since a pickle can run any code: in gensim, "
    "kv.save_word2vec_format(FILE) writes vectors that are read (of a whole model, kv is model.wv)",
    b"PK\x03\x04": "a zip archive, as numpy.savez and torch.save write; numpy.save(FILE.npy, rows) writes an array "
    "that is read, with a word for each row in FILE.words",
}
NUMPY: Final = b"\x93NUMPY"
_LINES_AT_ONCE: Final = 8192
_BYTES_AT_ONCE: Final = 1 << 22
# Of fastText's own form: the first bytes of a file (FASTTEXT_FILEFORMAT_MAGIC_INT32), and its headers.
FASTTEXT: Final = struct.pack("<i", 793712314)
_ARGUMENTS: Final = struct.Struct("<14id")
_VOCABULARY: Final = struct.Struct("<3i2q")
_MATRIX: Final = struct.Struct("<?2q")
_COUNT_AND_TYPE: Final = struct.calcsize("<qb")
# fastText's name of the end of a sentence, which has no n-grams.
_END: Final = b"</s>"
# FNV-1a of 32 bits, by which n-grams are put into buckets.
_FNV_BASIS: Final = np.uint32(2166136261)
_FNV_PRIME: Final = np.uint32(16777619)
_WORDS_AT_ONCE: Final = 1024


class Header(NamedTuple):
    """What the first line of a file says: how many words it lists, each with how many numbers.

    ``of_graph``: the words are entities, after which come parameters of relations, which no word has.
    """

    words: int
    dimensions: int
    of_graph: bool


def read_header(first: bytes, second: bytes, name: str) -> Header | None:
    """The header of a file by its first two lines, as word2vec or PyTorch-BigGraph writes it; None for other lines.

    word2vec's has two numbers. That of PyTorch-BigGraph's Wikidata vectors lists entities, relation types and
    dimensions; the second line is an entity and its numbers, with tabs between them (its docs, "Reading from the TSV
    format", read 2026-11). DamagedInputError for more dimensions than any model has, since memory is allocated by them.
    """
    fields, columns = first.split(), len(second.split(b"\t"))
    numbers = _THREE_NUMBERS.fullmatch(first.strip())
    if len(fields) == 2 and all(field.isdigit() and len(field) < 20 for field in fields):
        header = Header(int(fields[0]), int(fields[1]), of_graph=False)
    # A first line with as many fields as the second is no header, but a word and its numbers, too.
    elif numbers and columns == int(numbers[3]) + 1 and columns > 1 and columns != len(fields):
        header = Header(int(numbers[1]), int(numbers[3]), of_graph=True)
    else:
        return None
    if header.dimensions > _MOST_DIMENSIONS:
        raise DamagedInputError(f"{name}: expected at most {_MOST_DIMENSIONS:,} dimensions, saw {header.dimensions}")
    return header


def is_text(sample: bytes, dimensions: int) -> bool:
    """Whether a sample of records, from the first on, is text: it begins with a word and its numbers, or is all UTF-8.

    So a file with a damaged first line is still reported as text, with that line.
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
    """The beginning of a line, quoted for a message: as text, or where it is none as bytes."""
    start = line[:60]
    try:
        return repr(codecs.getincrementaldecoder("utf-8")().decode(start))
    except UnicodeDecodeError:
        return repr(start)


def read_array(path: Path) -> tuple[list[str], npt.NDArray[Any]]:
    """The words of ``FILE.words`` and the rows of ``FILE.npy``, mapped; DamagedInputError unless they are as many."""
    words = words_beside(path)
    try:
        # What is mapped is never larger than the file, whatever its header says.
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise DamagedInputError(f"{path}: expected an array of numpy, saw {error}") from error
    if matrix.ndim != 2 or matrix.shape[0] != len(words) or matrix.dtype.kind not in "fiu":
        expected = f"numbers in {len(words)} rows, one for each word of {path.stem}.words"
        raise DamagedInputError(f"{path}: expected {expected}, saw {matrix.dtype} of shape {matrix.shape}")
    return words, matrix


def read_text(stream: BufferedIOBase, name: str, asked: Container[str] | None, header: Header | None) -> WordVectors:
    """The vectors of lines of a word and its numbers, after this header if any; DamagedInputError names a bad line.

    With ``asked``, only the vectors of these words are kept, so the file may be larger than the memory; of other lines
    only the number of fields is checked.
    """
    # The lines of words and vectors, each after its number.
    start = stream.readline(LONGEST_WORD + _MOST_DIMENSIONS * _LONGEST_NUMBER)
    dimensions = header.dimensions if header else len(start.split()) - 1
    longest = LONGEST_WORD + dimensions * _LONGEST_NUMBER
    numbered = lines_of(stream, name, longest, first=2)
    lines: Iterator[tuple[int, bytes]] = ((number, line) for number, line in numbered if line.strip())
    if header and header.of_graph:
        lines = islice(lines, header.words)  # the parameters of relations come after them
    elif not header:
        lines = chain([(1, start)], lines)

    # Block by block, the words and their vectors, the number of lines, and the spelling of all words.
    kept, blocks, seen, spelling = list[str](), [np.empty((0, dimensions), np.float32)], 0, spelling_of(())
    while block := list(islice(lines, _LINES_AT_ONCE)):
        seen += len(block)
        if asked is not None:  # only the words of a block are read before those asked for are chosen
            words = [line[: _word_end(line, dimensions)].decode(errors="replace") for _, line in block]
            spelling = Spelling(*map(or_, spelling, spelling_of(words)))
            block = [pair for word, pair in zip(words, block, strict=True) if not word or word in asked]
        rows = np.empty((len(block), dimensions), np.float32)
        for row, (number, line) in zip(rows, block, strict=True):
            if (word := _read_line(line, row)) is None:
                wanted = f"a word and {dimensions} numbers"
                raise DamagedInputError(f"{name}:{number}: expected {wanted}, saw {excerpt(line)}")
            kept.append(word)
        blocks.append(rows)
    if header and seen != header.words:
        raise DamagedInputError(f"{name}: expected {header.words} words, as the first line says, saw {seen}")
    return from_words(kept, np.concatenate(blocks), None if asked is None else spelling, whole_size=seen)


def _word_end(line: bytes, dimensions: int) -> int:
    """Where the word of a line ends, 0 for a line of too few fields: its first blank, unless the word has blanks.

    GloVe 840B has words such as ". . .", on which gensim stops with an error.
    """
    blanks = line.count(b" ") + line.count(b"\t") - line[-2:-1].isspace()  # a blank before the line feed ends no field
    if blanks == dimensions:  # the usual case, which needs no list of fields: no blanks within the word
        return min(index for index in (line.find(b" "), line.find(b"\t")) if index >= 0)
    fields = line.rsplit(None, dimensions)
    return len(fields[0]) if len(fields) == dimensions + 1 else 0


def _read_line(line: bytes, row: VectorRows) -> str | None:
    """The word of a line, its numbers put into ``row``; None if the line is not a word with as many numbers."""
    fields = line.rsplit(None, len(row))
    if len(fields) != len(row) + 1:
        return None
    try:
        row[:] = fields[1:]
    except ValueError:
        return None
    return fields[0].decode(errors="replace")


def read_binary(stream: BufferedIOBase, name: str, asked: Container[str] | None, header: Header) -> WordVectors:
    """The vectors of word2vec's form, with ``asked`` only of these words; DamagedInputError where it is cut off.

    A header line, then each word, a blank, and its numbers in single precision. Some writers put a line feed after each
    record, which then comes before the next word.
    """
    stream.readline(LONGEST_WORD)  # the header
    count, dimensions, _ = header
    words, kept, rows = list[str](), list[str](), bytearray()
    for record, numbers in islice(_records(stream, b" ", 4 * dimensions), count):
        words.append(record.lstrip(b"\n").decode(errors="replace"))
        if asked is None or words[-1] in asked:
            kept.append(words[-1])
            rows += numbers
    if len(words) < count:
        raise DamagedInputError(f"{name}: expected {count} words of {dimensions} numbers, saw {len(words)} whole ones")
    matrix = np.frombuffer(rows, "<f4").reshape(-1, dimensions).astype(np.float32, copy=False)
    return from_words(kept, matrix, None if asked is None else spelling_of(words), whole_size=len(words))


def _records(stream: BufferedIOBase, mark: bytes, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Each word, which ``mark`` ends, and the ``size`` bytes after it, until there is no whole record."""
    buffer, start = b"", 0
    while True:
        if len(buffer) - start < size + LONGEST_WORD:
            buffer, start = buffer[start:] + stream.read(_BYTES_AT_ONCE + size), 0
        index = buffer.find(mark, start, start + LONGEST_WORD)
        end = index + 1 + size
        if index < 0 or len(buffer) < end:
            return
        yield buffer[start:index], buffer[index + 1 : end]
        start = end


def read_fasttext(file: Path, asked: Container[str] | None) -> WordVectors:
    """The vectors of a fastText model, with ``asked`` only of these words; any other word gets one from its n-grams.

    A file that is not compressed is mapped into memory, so that little of it is read.
    """
    with open_unpacked(file) as stream:
        # The words, after two headers.
        form = _Form.read(stream, str(file))
        words = [record for record, _ in islice(_records(stream, b"\0", _COUNT_AND_TYPE), form.words)]
        if len(words) < form.words:
            form.refuse(f"{form.words} words", f"{len(words)} whole ones")
        # The header of the matrix, which has a row for each word and for each bucket of n-grams.
        start = _ARGUMENTS.size + _VOCABULARY.size + sum(map(len, words)) + len(words) * (1 + _COUNT_AND_TYPE)
        stream.seek(start)
        head = stream.read(_MATRIX.size)
        if len(head) < _MATRIX.size:
            form.refuse("a matrix", "that it is cut off")
        quantized, rows, columns = _MATRIX.unpack(head)
        if quantized or (rows, columns) != (form.words + form.buckets, form.dimensions):
            expected = f"{form.words + form.buckets:,} rows of {form.dimensions} numbers"
            form.refuse(expected, f"{rows:,} of {columns}{', quantized' if quantized else ''}")
        # Its numbers: mapped, or read block by block up to the end of a file that is too short.
        size, data = 4 * rows * columns, bytearray()
        if not compression(file) and file.stat().st_size >= start + _MATRIX.size + size:
            matrix: VectorRows = np.memmap(file, "<f4", "r", start + _MATRIX.size, (rows, columns)).view(np.ndarray)
        else:
            while len(data) < size and (block := stream.read(min(_BYTES_AT_ONCE, size - len(data)))):
                data += block
            if len(data) < size:
                form.refuse(f"a matrix of {rows:,} rows", "that it is cut off")
            matrix = np.frombuffer(data, "<f4").reshape(rows, columns)
    # The vector of a word is the mean of its own row and those of its n-grams.
    texts = [word.decode(errors="replace") for word in words]
    chosen = [index for index, text in enumerate(texts) if asked is None or text in asked]
    rows_of_chosen = form.means_of(matrix, [words[index] for index in chosen], np.array(chosen, np.int64))
    spelling = None if asked is None else spelling_of(texts)
    kept = from_words([texts[index] for index in chosen], rows_of_chosen, spelling, whole_size=len(texts))
    return replace(kept, unseen=partial(form.mean_of, matrix))


@dataclass(frozen=True, slots=True)
class _Form:
    """What the headers of a fastText model say of it, and the n-grams of words (Bojanowski et al. 2017, section 3.2).

    A model is, all little-endian (fasttext.cc, args.cc, dictionary.cc and matrix.cc of its repository, seen 2026-11):

        int32 magic, version; dim ws epoch minCount neg wordNgrams loss model bucket minn maxn lrUpdateRate; double t
        int32 size, nwords, nlabels; int64 ntokens, pruned
        size times: a word, byte 0, int64 count, int8 type
        bool quantized; int64 rows, columns; float32 of each: first those of the words, then those of the buckets
    """

    name: str
    dimensions: int
    buckets: int
    shortest: int
    longest: int
    words: int

    @classmethod
    def read(cls, stream: BufferedIOBase, name: str) -> Self:
        """Read the sizes in the first two headers; DamagedInputError for a classifier (labels) or a pruned model."""
        data = stream.read(_ARGUMENTS.size + _VOCABULARY.size)
        if len(data) < _ARGUMENTS.size + _VOCABULARY.size:
            raise DamagedInputError(f"{name}: expected a fastText model, saw a header that is cut off")
        _, _, dimensions, *_, buckets, shortest, longest, _, _ = _ARGUMENTS.unpack_from(data)
        size, words, labels, _, pruned = _VOCABULARY.unpack_from(data, _ARGUMENTS.size)
        form = cls(name, dimensions, buckets, max(1, shortest), longest, words)
        if labels or pruned > 0:
            form.refuse("words alone, and all of them", f"{labels} labels and {pruned} pruned buckets")
        if dimensions < 1 or buckets < 0 or words < 1 or size != words:
            seen = f"{size} entries, {words} words, {buckets} buckets, {dimensions} dimensions"
            form.refuse("words, buckets and dimensions", seen)
        return form

    def refuse(self, expected: str, saw: str) -> NoReturn:
        raise DamagedInputError(f"{self.name}: expected a fastText model with {expected}, saw {saw}")

    def mean_of(self, matrix: VectorRows, word: str) -> VectorRows:
        """The mean of the n-grams of a word that the vocabulary lacks; zeros where it has none."""
        _, rows = self._n_grams([word.encode(errors="replace")])
        return np.asarray(matrix[rows].mean(axis=0) if len(rows) else np.zeros(self.dimensions, np.float32))

    def means_of(self, matrix: VectorRows, words: Sequence[bytes], own: npt.NDArray[np.int64]) -> VectorRows:
        """For each word, the mean of its own row of the matrix, given in ``own``, and the rows of its n-grams."""
        means = np.empty((len(words), self.dimensions), np.float32)
        for begin in range(0, len(words), _WORDS_AT_ONCE):
            batch = slice(begin, begin + _WORDS_AT_ONCE)
            owners, rows = self._n_grams(words[batch])
            owners = np.concatenate([np.arange(len(words[batch])), owners])  # the word of each row, its own one first
            order = np.argsort(owners, kind="stable")
            counts = np.bincount(owners)
            vectors = matrix[np.concatenate([own[batch], rows])[order]]  # word by word, to be added up in runs
            means[batch] = np.add.reduceat(vectors, np.cumsum(counts) - counts) / counts[:, None].astype(np.float32)
        return means

    def _n_grams(self, words: Sequence[bytes]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Each n-gram of some words: the index of its word, and the row of its bucket in the matrix, by its hash.

        An n-gram is a run of ``shortest`` to ``longest`` characters of "<word>", without "<" and ">" alone: of "<ab>",
        "<ab" and "ab>" have three. One begins at each character. All grow at once, by a character a round, and the
        bytes of that character are hashed on.
        """
        # All words are put into one row of bytes, and each character has the index of its word.
        word_ends = np.cumsum([len(word) + 2 for word in words])
        data = np.frombuffer(b"".join(b"<%b>" % word for word in words), np.uint8)
        signed = data.view(np.int8).astype(np.int32).view(np.uint32)  # fastText hashes signed bytes
        starts = np.append(np.flatnonzero((data & 0xC0) != 0x80), len(data))  # later bytes in UTF-8 are 10xxxxxx
        word_of = np.searchsorted(word_ends, starts[:-1], side="right")
        end_of = np.searchsorted(starts, word_ends)[word_of]  # the character after the last one of its word
        is_new_word = np.diff(word_of, prepend=-1, append=-1) != 0
        is_mark = is_new_word[:-1] | is_new_word[1:]  # "<" or ">"
        has_n_grams = np.array([word != _END for word in words])
        first, hashes = np.arange(len(word_of)), np.full(len(word_of), _FNV_BASIS)  # the first character of each n-gram
        owners, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for length in range(1, self.longest + 1 if self.buckets else 1):
            fits = first + length <= end_of[first]
            first, hashes = first[fits], hashes[fits]
            if not len(first):
                break
            # The bytes of the new last character of each n-gram, up to four.
            last, sizes = starts[first + length - 1], starts[first + length] - starts[first + length - 1]
            for step in range(int(sizes.max())):
                longer = sizes > step
                hashes[longer] = (hashes[longer] ^ signed[last[longer] + step]) * _FNV_PRIME
            if length >= self.shortest:
                chosen = has_n_grams[word_of[first]] & ((length > 1) | ~is_mark[first])
                owners.append(word_of[first][chosen])
                rows.append(self.words + (hashes[chosen] % np.uint32(self.buckets)).astype(np.int64))
        return np.concatenate(owners), np.concatenate(rows)


def read_triples(
    path: Path, fields: str, at_least: float
) -> tuple[list[str], list[str], npt.NDArray[np.int64], npt.NDArray[np.int64], Vector]:
    """Read lines of two names and a number, as tab-separated words, contexts and counts.

    Return the distinct first names, the distinct second names, and of all lines the indices of their first names in the
    one list and of their second names in the other, and the numbers. DamagedInputError names a line that has no such
    ``fields``, or a number below ``at_least``.
    """
    firsts: dict[str, int] = {}
    seconds: dict[str, int] = {}
    # Arrays, because a large file has hundreds of millions of lines: 24 bytes each, where lists take 96.
    rows, columns, numbers = array("q"), array("q"), array("d")
    with open_unpacked(path) as stream:
        for line_number, line in lines_of(stream, str(path)):
            names = line.decode("utf-8", errors="replace").rstrip("\r\n").split("\t")
            try:
                number = float(names[2]) if len(names) == 3 else math.nan
            except ValueError:
                number = math.nan
            if not number >= at_least:
                raise DamagedInputError(f"{path}:{line_number}: expected {fields}, saw {line[:60]!r}")
            rows.append(firsts.setdefault(names[0], len(firsts)))
            columns.append(seconds.setdefault(names[1], len(seconds)))
            numbers.append(number)
    if not firsts:
        raise DamagedInputError(f"{path}: expected lines of {fields}, saw none")
    row_indices, column_indices = (np.frombuffer(each, np.int64) for each in (rows, columns))
    return list(firsts), list(seconds), row_indices, column_indices, np.frombuffer(numbers, np.float64)


def read_similarities(path: Path, name: str) -> embeddings.SimilarityModel:
    """The model that compares words by a file of their similarities; MissingInputError and DamagedInputError.

    ``FILE.npy`` has a row and a column for each word of ``FILE.words``; any other file has lines of two words and a
    number, and a pair that it does not list has NaN.
    """
    if not path.is_file():
        raise MissingInputError(f"expected a file of similarities, saw none at {path}")
    table = None
    if path.suffix == ".npy":
        words, table = read_array(path)
        if table.shape[1] != len(words):
            raise DamagedInputError(f"{path}: expected as many columns as rows, saw shape {table.shape}")
    else:
        firsts, seconds, rows, columns, numbers = read_triples(path, "word, word and similarity", at_least=-np.inf)
        index_of = {word: index for index, word in enumerate(dict.fromkeys([*firsts, *seconds]))}
        words = list(index_of)
        # A pair of words is one number, row * words + column, to be found by bisection. The first words of all lines
        # come first, in their order, so that rows are indices already.
        pairs = rows * len(words) + np.array([index_of[word] for word in seconds], np.int64)[columns]
        order = np.argsort(pairs, kind="stable")
        pairs, numbers = pairs[order], numbers[order]
    # Items are looked up with blanks between their tokens, whether the file has blanks or ``_``.
    row_of: dict[str, int] = {}
    for number, word in enumerate(words):
        row_of.setdefault(" ".join(embeddings.tokens_of(word)), number)

    def similarity(ones: Sequence[str], others: Sequence[str]) -> Vector:
        one_rows, other_rows = (np.array([row_of[word] for word in each], np.int64) for each in (ones, others))
        if table is not None:
            return table[np.ix_(one_rows, other_rows)].astype(np.float64)
        wanted = one_rows[:, None] * len(words) + other_rows
        found = np.searchsorted(pairs, wanted).clip(max=len(pairs) - 1)
        return np.where(pairs[found] == wanted, numbers[found], np.nan)

    return embeddings.SimilarityModel(name, similarity, frozenset(row_of), not spelling_of(row_of).capitals)
