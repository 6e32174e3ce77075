"""gzip and zstd, the compressions in which a file is a chain of members: how a member begins, and what decodes it."""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import zstandard
from isal import igzip_lib

from wikisem.dumps.model import Compression


class Decoder(Protocol):
    """Decodes one member; input that it has not used yet stays with it."""

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""
        ...

    @property
    def needs_input(self) -> bool:
        """Whether the next call gives text only if it is given more input."""
        ...

    @property
    def unused_data(self) -> bytes:
        """Input from after the end of the member."""
        ...

    def decompress(self, data: bytes | memoryview, max_length: int = -1) -> bytes:
        """The next text: never more than ``max_length`` bytes, or some 32 MiB, whatever the input expands to."""
        ...


@dataclass(frozen=True, slots=True)
class Codec:
    """A compression: its first bytes, a fast decoder, and a precise one that fails at the very byte that is wrong.

    ``ending`` is that of file names. A head is accepted if ``probe`` bytes from it on decode to some text, or to a
    whole member. ``smallest`` is the least number of bytes of a member with any text; ``skippable`` matches the head
    of a frame without text.
    """

    name: Compression
    ending: str
    magic: bytes
    fast: Callable[[], Decoder]
    precise: Callable[[], Decoder]
    errors: tuple[type[Exception], ...]
    checksum_errors: tuple[str, ...]
    probe: int
    smallest: int
    skippable: re.Pattern[bytes]


class _InSteps:
    """A decoder of zlib or zstandard, which has no limit on its output, given ``step`` bytes of input at a time.

    So the ratio of the format bounds the text of one call: a zstd block of 4 bytes can repeat a byte 2**17 times, so
    that 32 KiB of a file may be 1 GiB of text, but 1 KiB is at most 32 MiB.
    """

    def __init__(self, decoder: Any, step: int) -> None:
        self._decoder, self._step = decoder, step
        self._input: bytes | memoryview = b""
        self._used = 0

    @property
    def eof(self) -> bool:
        return bool(self._decoder.eof)

    @property
    def needs_input(self) -> bool:
        return self._used >= len(self._input)

    @property
    def unused_data(self) -> bytes:
        unused: bytes = self._decoder.unused_data
        return unused + bytes(self._input[self._used :])

    def decompress(self, data: bytes | memoryview, max_length: int = -1) -> bytes:
        del max_length
        if data:
            self._input, self._used = data if self.needs_input else bytes(self._input[self._used :]) + data, 0
        text = b""
        while not (text or self.needs_input or self.eof):
            start, self._used = self._used, self._used + self._step
            text = self._decoder.decompress(self._input[start : self._used])
        return text


def _zstandard() -> Decoder:
    # 2**31 is the largest window that `zstd --long=31` writes; the library alone stops at 2**27.
    return _InSteps(zstandard.ZstdDecompressor(max_window_size=2**31).decompressobj(), step=1 << 10)


_ISAL_ERROR: Final[Any] = igzip_lib.IsalError  # its stub declares an instance, not a class

# Neither magic number occurs in UTF-8 text, not even in a part that was stored uncompressed: 0x8B would have to follow
# a byte above 0xC1, and 0xFD never occurs (RFC 3629, section 3). So a false head can only be an accident of compressed
# bits, and those do not decode.
GZIP: Final = Codec(
    name="gzip",
    ending="gz",
    magic=b"\x1f\x8b\x08",  # RFC 1952, 2.3.1: the two ids, and deflate, the only method there is
    fast=lambda: igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP),  # holds back text, which an error loses
    precise=lambda: _InSteps(zlib.decompressobj(wbits=31), step=1 << 14),  # at most 1,032 times as much text: 16 MiB
    errors=(_ISAL_ERROR, zlib.error),
    checksum_errors=("incorrect data check", "incorrect length check"),
    probe=1 << 14,  # accidental bits fail within some hundred symbols; each range decodes two probes
    smallest=18,
    skippable=re.compile(rb"(?!)"),
)
ZSTD: Final = Codec(
    name="zstd",
    ending="zst",
    magic=b"\x28\xb5\x2f\xfd",  # RFC 8878, 3.1.1
    fast=_zstandard,
    precise=_zstandard,
    errors=(zstandard.ZstdError,),
    checksum_errors=("doesn't match checksum",),
    probe=1 << 18,  # no text comes before a block is whole, and it has up to 2**17 bytes (RFC 8878, 3.1.1.2.4)
    smallest=9,
    # RFC 8878, 3.1.2: pzstd and seekable files put such frames between those that hold text
    skippable=re.compile(rb"[\x50-\x5f]\x2a\x4d\x18", re.DOTALL),
)
CODECS: Final[dict[Compression, Codec]] = {codec.name: codec for codec in (GZIP, ZSTD)}
