"""The bytes of a column of strings as numbers, a word of eight bytes at a time: what numpy hashes and sorts."""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.arrow.numbers import Numbers

Words = npt.NDArray[np.uint64]

WORD: Final = 8
# The lowest n bytes of a little-endian word, for n from 0 to 8.
_LOW_BYTES: Final = np.array([2 ** (8 * n) - 1 for n in range(WORD + 1)], np.uint64)


@dataclass(frozen=True, slots=True)
class StringWords:
    """Where each string starts, how many bytes it has, and the little-endian word that begins at each byte of all."""

    starts: Numbers
    lengths: Numbers
    words: Words

    @classmethod
    def of(cls, strings: pa.StringArray) -> Self:
        """Those of an array; the bytes are copied once. Strings must not be null."""
        assert strings.null_count == 0, "a string that is read as numbers is not null"
        _, offsets, data = strings.buffers()
        if offsets is None or data is None or len(strings) == 0:  # nothing but empty strings
            return cls(np.zeros(len(strings), np.int64), np.zeros(len(strings), np.int64), np.zeros(1, np.uint64))
        ends = np.frombuffer(offsets, np.int32)[strings.offset : strings.offset + len(strings) + 1].astype(np.int64)
        size = int(ends[-1] - ends[0])
        padded = np.zeros(size + WORD, np.uint8)
        padded[:size] = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
        words: Words = np.ndarray((size + 1,), "<u8", padded.data, strides=(1,))
        return cls(ends[:-1] - ends[0], np.diff(ends), words)

    def read(self, rows: Numbers, at: int) -> Words:
        """Up to eight bytes of some strings from byte ``at`` on, zeros after their end; none may be shorter.

        >>> StringWords.of(pa.array(["ab", "b"])).read(np.array([1, 0]), 0).tolist() == [ord("b"), 0x6261]
        True
        """
        left = self.lengths[rows] - at
        read: Words = self.words[self.starts[rows] + at] & _LOW_BYTES[np.minimum(left, WORD)]
        return read

    def read_ordered(self, rows: Numbers, at: int) -> Words:
        """Seven bytes of some strings as numbers in the order of the strings, which the lowest byte makes exact.

        It says how many bytes were left, at most 8: where numbers are equal, so are the strings, unless it is 8.

        >>> words = StringWords.of(pa.array(["a", "a\\0", "", "abcdefg", "abcdefgh"]))
        >>> np.argsort(words.read_ordered(np.arange(5), 0)).tolist()
        [2, 0, 1, 3, 4]
        """
        left = np.minimum(self.lengths[rows] - at, WORD)
        low = self.words[self.starts[rows] + at] & _LOW_BYTES[np.minimum(left, WORD - 1)]
        read: Words = low.byteswap() | left.astype(np.uint64)
        return read
