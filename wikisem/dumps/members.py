"""The blocks of a range of a chain of gzip members or zstd frames (both called members here)."""

import os
import re
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NamedTuple

import zstandard
from isal import igzip_lib

from wikisem.dumps.model import STEP, BadRegion, Block, Compression, Damage, Lookahead, Range, Retries, format_location


@dataclass(eq=False)
class Decoder:
    """Decodes one member, as isal's decoder of gzip does too; input that it has not used yet stays with it.

    A decoder of zlib or zstandard has no limit on its output, so it is given ``step`` bytes of input at a time. Then
    the ratio of the format bounds the text of one call: a zstd block of 4 bytes can repeat a byte 2**17 times, so that
    32 KiB of a file may be 1 GiB of text, but 1 KiB is at most 32 MiB.
    """

    decoder: Any
    step: int
    _input: bytes | memoryview = b""
    _used: int = 0

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""
        return bool(self.decoder.eof)

    @property
    def needs_input(self) -> bool:
        """Whether the next call gives text only if it is given more input."""
        return self._used >= len(self._input)

    @property
    def unused_data(self) -> bytes:
        """Input from after the end of the member."""
        unused: bytes = self.decoder.unused_data
        return unused + bytes(self._input[self._used :])

    def decompress(self, data: bytes | memoryview, max_length: int = -1) -> bytes:
        """Take in more of a member, and decode it in steps until there is some text; b"" if more input is needed."""
        del max_length  # isal's decoder limits its text by this argument; here ``step``, the bytes of a step, does
        if data:  # it follows the input that is not used yet
            self._input, self._used = data if self.needs_input else bytes(self._input[self._used :]) + data, 0
        text = b""
        while not (text or self.needs_input or self.eof):
            start, self._used = self._used, self._used + self.step
            text = self.decoder.decompress(self._input[start : self._used])
        return text


class Codec(NamedTuple):
    """A compression: its first bytes, a fast decoder, and a precise one that fails at the very byte that is wrong.

    ``ending`` is that of file names. A head is accepted if ``probe`` bytes from it on decode to some text, or to a
    whole member. ``smallest`` is the least size of a member with text; ``skippable`` matches the head of one without.
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


def _zstandard() -> Decoder:
    # 2**31 is the largest window that `zstd --long=31` writes; the library alone stops at 2**27.
    return Decoder(zstandard.ZstdDecompressor(max_window_size=2**31).decompressobj(), step=1 << 10)


_isal: Final[Any] = igzip_lib  # in its stub the error is an instance, and the decoder is not one of ours

# Neither magic number occurs in UTF-8 text, not even in a part that was stored uncompressed: 0x8B would have to follow
# a byte above 0xC1, and 0xFD never occurs (RFC 3629, section 3). So a false head can only be an accident of compressed
# bits, and those do not decode.
GZIP: Final = Codec(
    name="gzip",
    ending="gz",
    magic=b"\x1f\x8b\x08",  # RFC 1952, 2.3.1: the two ids, and deflate, the only method there is
    fast=lambda: _isal.IgzipDecompressor(flag=_isal.DECOMP_GZIP),  # holds back text, which an error loses
    precise=lambda: Decoder(zlib.decompressobj(wbits=31), step=1 << 14),  # at most 1,032 times as much text: 16 MiB
    errors=(_isal.IsalError, zlib.error),
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

# A damaged member is decoded again in steps of this size, and the step that fails byte by byte.
_STEP_BYTES: Final = 1 << 16
# A decoder is given this much first, then twice as much each time: a small member would use little of more.
_FIRST_INPUT: Final = 1 << 8
# Most false heads fail to decode within this many bytes.
_GLANCE_BYTES: Final = 64
# The bytes that say that a frame holds no text, and its length in four bytes more (RFC 8878, 3.1.2).
_SKIPPABLE_HEAD: Final = 8
_TRUNCATED: Final = "truncated"


def find_head(codec: Codec, ahead: Lookahead, limit: int, retries: Retries) -> int | None:
    """Go to the next gzip member or zstd frame that begins before byte ``limit``; return its offset, or None."""
    # Its first bytes may occur by accident in compressed bits, so what follows them must decode, too.
    while (head := ahead.find(codec.magic, limit)) is not None:
        if _probe(codec, ahead, _GLANCE_BYTES) is None:
            ahead.discard(head + 1)  # a false head, seen so cheaply that it does not count as a failed reading
        elif _probe(codec, ahead, codec.probe):
            return head
        else:
            ahead.discard(retries.failed(head, min(head + codec.probe, ahead.end)))
    return None


def _probe(codec: Codec, ahead: Lookahead, size: int) -> bool | None:
    """Return whether the next ``size`` bytes decode to text or are a whole member; None if they cannot be decoded."""
    data, first = ahead.view(ahead.base, ahead.base + size)
    decoder = codec.precise()
    try:
        return len(decoder.decompress(memoryview(data)[first : first + size])) > 0 or decoder.eof
    except codec.errors:
        return None


def read_members(range_: Range, codec: Codec, source: BinaryIO, chunk_bytes: int) -> Iterator[Block | BadRegion]:
    """Yield the text of the gzip members or zstd frames that begin in the range, then of those after it, on demand."""
    path, ahead, retries = range_.path, Lookahead(source, range_.start), Retries()
    if range_.start:  # it may begin inside a member, which the range before reads
        found = find_head(codec, ahead, range_.stop, retries)
        if retries.has_skipped:
            detail = f"expected a {codec.name} member, saw too many heads that do not decode"
            yield BadRegion(Damage("garbage", format_location(path, range_.start, 0), detail), inside=True)
        if found is None:
            return
    inside = True  # whether the member begins in the range
    while True:
        for damage in _go_to_next(path, codec, source, ahead, retries):
            yield BadRegion(damage, inside)
        if not ahead.slice(ahead.base, ahead.base + 1):
            return
        # The next range begins with a member that decodes: damaged ones before that are still for this range to report.
        inside = inside and (ahead.base < range_.stop or not _probe(codec, ahead, codec.probe))
        yield from _read_member(path, codec, ahead, chunk_bytes, retries, inside=inside)


def _go_to_next(path: str, codec: Codec, source: BinaryIO, ahead: Lookahead, retries: Retries) -> Iterator[Damage]:
    """Go on to the first bytes of the next member, or to the end of the file, and yield the damage on the way."""
    # Frames without text, which zstd allows, are no damage. Their head of eight bytes says how long the rest is.
    while codec.skippable.match(head := ahead.slice(ahead.base, ahead.base + _SKIPPABLE_HEAD)):
        start = ahead.base
        ahead.discard(start + _SKIPPABLE_HEAD + int.from_bytes(head[4:], "little"))
        if not ahead.slice(ahead.base, ahead.base + 1) and ahead.base > source.seek(0, os.SEEK_END):
            detail = f"a frame without text says that it ends at byte {ahead.base}, after the end of the file"
            ahead.seek(start + 1)
            lost = _resume(codec, ahead, retries) is not None  # a member follows, so the length was wrong
            yield Damage("truncated", format_location(path, start, 0), detail, lost)
    start = ahead.base
    # Zeros are none, either: tapes and copies by blocks leave them at the end of a file.
    while ahead.slice(ahead.base, ahead.base + 1) == b"\0" and (data := ahead.read_buffered()):
        ahead.seek(ahead.base - len(data.lstrip(b"\0")))
    following = ahead.slice(ahead.base, ahead.base + len(codec.magic))
    if not following or (following == codec.magic and ahead.base == start):
        return
    # Anything else is damage. It may have been a member, with text, if it is long enough and another one follows.
    next_head = _resume(codec, ahead, retries)
    detail = f"expected a {codec.name} member, saw {ahead.base - start} bytes of something else"
    may_be_member = next_head is not None and next_head - start >= codec.smallest
    yield Damage("garbage", format_location(path, start, 0), detail, lost=may_be_member)


def _resume(codec: Codec, ahead: Lookahead, retries: Retries) -> int | None:
    """Go on to the next head that decodes, and return its offset; or to the end of the file, and return None."""
    found = find_head(codec, ahead, sys.maxsize, retries)
    if found is None:
        ahead.discard(ahead.end)
    return found


def _read_member(
    path: str, codec: Codec, ahead: Lookahead, chunk_bytes: int, retries: Retries, *, inside: bool
) -> Iterator[Block | BadRegion]:
    """Yield the text of the next member by the fast decoder; if that fails, the rest of it by the precise one."""
    head, decoder, text_size, input_size = ahead.base, codec.fast(), 0, _FIRST_INPUT  # text_size: bytes yielded so far
    with suppress(*codec.errors):
        while not decoder.eof:
            data, wants_input = b"", decoder.needs_input
            if wants_input:
                data, input_size = ahead.read_buffered(input_size), min(2 * input_size, STEP)
            if text := decoder.decompress(data, chunk_bytes):
                yield Block(text, head, text_size, inside)
                text_size += len(text)
            elif not data and (wants_input or not decoder.needs_input):
                break  # the file ends here, or the decoder neither gives nor takes anything
    if decoder.eof:
        ahead.seek(ahead.base - len(decoder.unused_data))
        return
    # It failed, and lost text that it held back. So the precise decoder begins again at the head of the member; the
    # first ``text_size`` bytes of its text have been yielded already.
    for rescued in _rescue(path, codec, ahead, head, retries):
        if isinstance(rescued, Damage):
            yield BadRegion(rescued, inside)
        elif rescued.offset + len(rescued.data) > text_size:
            start = max(0, text_size - rescued.offset)
            yield Block(rescued.data[start:], head, rescued.offset + start, inside)


def _rescue(path: str, codec: Codec, ahead: Lookahead, head: int, retries: Retries) -> Iterator[Block | Damage]:
    """Yield all text of a damaged member that begins at byte ``head``, then its damage; go on to the next member."""
    # It is decoded once in steps of 64 KiB, to find the one that fails; then again, with that step byte by byte.
    ahead.seek(head)
    for _ in _decode_precisely(codec, ahead, fine_from=sys.maxsize):
        pass
    step_that_fails = ahead.base
    ahead.seek(head)
    text_size, failure = yield from _decode_precisely(codec, ahead, fine_from=step_that_fails)
    if not failure:
        return
    failed_at = ahead.base
    ahead.seek(retries.failed(head, failed_at))
    next_head = _resume(codec, ahead, retries)
    where = format_location(path, head, text_size)
    if failure == _TRUNCATED and next_head is None:
        ends = f"ends too soon after {text_size} bytes of text, in byte {failed_at} of the file"
        yield Damage("truncated", where, f"the {codec.name} member {ends}")
        return
    # If only the checksum is wrong, no text is lost, unless there is room for another member before the next one.
    is_checksum = any(text in failure for text in codec.checksum_errors)
    has_room = next_head is not None and not 0 <= next_head - failed_at < codec.smallest
    detail = f"{failure} after {text_size} bytes of text, in bytes {head} to {ahead.base} of the file"
    yield Damage("checksum" if is_checksum else "undecodable", where, detail, lost=has_room or not is_checksum)


def _decode_precisely(codec: Codec, ahead: Lookahead, fine_from: int) -> Generator[Block, None, tuple[int, str]]:
    """Yield the text of the next member, decoded in steps of 64 KiB, but byte by byte from offset ``fine_from`` on.

    Return the size of the text in bytes, and the error of the decoder, "" if the member ended. ``ahead`` is then after
    the member, or at the start of the step that failed.
    """
    head = step_start = ahead.base
    decoder, text_size = codec.precise(), 0
    while data := ahead.slice(ahead.base, ahead.base + _STEP_BYTES):
        ahead.discard(ahead.base + len(data))
        step_size = 1 if step_start >= fine_from else len(data)
        for start in range(0, len(data), step_size):
            step = unread = data[start : start + step_size]
            try:
                while text := decoder.decompress(unread):
                    yield Block(text, head, text_size, inside=True)
                    text_size += len(text)
                    unread = b""  # what it has taken in may expand to more text
            except codec.errors as error:
                ahead.seek(step_start)
                return text_size, str(error)
            if decoder.eof:
                ahead.seek(step_start + len(step) - len(decoder.unused_data))
                return text_size, ""
            step_start += step_size
    return text_size, _TRUNCATED
