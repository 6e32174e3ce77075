"""Which decoder reads blocks: the one in C where it could be compiled, and Python's ``bz2`` for all that it refuses.

The one in C reads a block at any bit and finds its end by itself, at several times the speed (docs/bzip2.md). It takes
only what ``bz2`` takes, so that the result does not depend on which of them it was.
"""

from types import ModuleType
from typing import Final

from wikisem.dumps.bzip2 import bits
from wikisem.dumps.bzip2.decoder import BLOCK_LIMIT, DecodedBlock

try:
    from wikisem.dumps.bzip2 import _native
except ImportError:  # there was no compiler where wikisem was installed
    native: ModuleType | None = None
else:
    native = _native


def decoder_name() -> str:
    """What decodes bzip2 here, for people."""
    if native is None:
        return "Python's bz2, for wikisem was installed without a C compiler"
    return f"wikisem's decoder in C ({native.BlockDecoder().instructions})"


def find_marks(data: bytes, mark: int, start: int = 0) -> list[int]:
    """The bit offsets from byte ``start`` of ``data`` on at which a mark is, in ascending order."""
    if native is None:
        return bits.find_marks(data[start:], mark)
    found: list[int] = native.find_marks(memoryview(data)[start:], mark)
    return found


class NativeDecoder:
    """The decoder in C, or one that refuses everything; for one thread at a time, with 31 MB of its own."""

    def __init__(self) -> None:
        self._decoder: Final = native.BlockDecoder() if native else None

    def decode(self, data: bytes | memoryview, bit: int) -> DecodedBlock | None:
        """The block whose mark is at a bit; None where ``bz2`` has to be asked."""
        if self._decoder is None:
            return None
        try:
            text, end = self._decoder.decode(data, bit)
        except ValueError:
            return None
        # A longer one has code lengths that go up and down without need; the limit is that of the careful way.
        return DecodedBlock(text, end - bit) if end - bit < 8 * BLOCK_LIMIT else None
