"""The two forms that are chains of members: how a member begins, and what decodes it."""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import zstandard
from isal import igzip_lib

from wikisem.dumps.model import Form


class Decoder(Protocol):
    """What decodes one member; it keeps the input that it has not come to."""

    @property
    def eof(self) -> bool:
        """Whether the member is over."""
        ...

    @property
    def needs_input(self) -> bool:
        """Whether nothing more comes out before something goes in."""
        ...

    @property
    def unused_data(self) -> bytes:
        """What went in and belongs behind the member."""
        ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """The next text; gzip members give at most ``max_length`` bytes of it."""
        ...


@dataclass(frozen=True, slots=True)
class Codec:
    """A form: its first bytes, its fast decoder, and a careful one that fails at the very byte that is wrong.

    A head is believed if text comes of ``probe`` bytes from it on, or a whole member. ``smallest`` is the least number
    of bytes that a member with any text has; ``skippable`` matches the head of a frame without text.
    """

    name: Form
    magic: bytes
    fast: Callable[[], Decoder]
    careful: Callable[[], Decoder]
    errors: tuple[type[Exception], ...]
    checksum_errors: tuple[str, ...]
    probe: int
    smallest: int
    skippable: re.Pattern[bytes]


class _Zlib:
    """zlib's decoder, slower than isal's, which holds text back and gives none of it when an error comes."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        del max_length
        return self._decoder.decompress(data)


class _Zstandard:
    """zstandard's decoder of one frame."""

    def __init__(self) -> None:
        # 2**31 is the largest window that `zstd --long=31` writes; the library alone stops at 2**27.
        self._decoder = zstandard.ZstdDecompressor(max_window_size=2**31).decompressobj()
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        del max_length
        return self._decoder.decompress(data)


def _isal() -> Decoder:
    decoder: Decoder = igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
    return decoder


_ISAL_ERROR: Final[Any] = igzip_lib.IsalError  # its stub declares an instance, not a class

# Neither magic number can stand in UTF-8 text, not even in a part that was stored as it is: 0x8B would have to follow
# a byte above 0xC1, and 0xFD never occurs (RFC 3629, section 3). So a false head can only be an accident of compressed
# bits, and these do not decode.
GZIP: Final = Codec(
    name="gzip",
    magic=b"\x1f\x8b\x08",  # RFC 1952, 2.3.1: the two ids, and deflate, the only method there is
    fast=_isal,
    careful=_Zlib,
    errors=(_ISAL_ERROR, zlib.error),
    checksum_errors=("incorrect data check", "incorrect length check"),
    probe=1 << 14,  # accidental bits fail within some hundred symbols; each range pays for two probes
    smallest=18,
    skippable=re.compile(rb"(?!)"),
)
ZSTD: Final = Codec(
    name="zstd",
    magic=b"\x28\xb5\x2f\xfd",  # RFC 8878, 3.1.1
    fast=_Zstandard,
    careful=_Zstandard,
    errors=(zstandard.ZstdError,),
    checksum_errors=("doesn't match checksum",),
    probe=1 << 18,  # a block gives nothing before it is whole, and has up to 2**17 bytes (RFC 8878, 3.1.1.2.4)
    smallest=9,
    # RFC 8878, 3.1.2: pzstd and seekable files put such frames between those that hold text
    skippable=re.compile(rb"[\x50-\x5f]\x2a\x4d\x18", re.DOTALL),
)
CODECS: Final[dict[Form, Codec]] = {"gzip": GZIP, "zstd": ZSTD}
