"""The blocks of a range of a chain of gzip members or zstd frames (both called members here)."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from wikisem.dumps.codecs import Codec
from wikisem.dumps.lookahead import STEP, Lookahead, Retries
from wikisem.dumps.model import BadRegion, Block, Damage, Range, format_location

# A damaged member is decoded again in steps of this size, and the step that fails byte by byte.
_STEP_BYTES: Final = 1 << 16
# A decoder is given this much first, then twice as much each time: a small member would use little of more.
_FIRST_INPUT: Final = 1 << 8
# Most false heads fail to decode within this many bytes.
_GLANCE_BYTES: Final = 64
_TRUNCATED: Final = "truncated"


def find_head(codec: Codec, ahead: Lookahead, limit: int, retries: Retries) -> int | None:
    """Go to the next member that begins before ``limit``, and give its offset; None if there is none."""
    while (head := ahead.find(codec.magic, limit)) is not None:
        if _probe(codec, ahead, _GLANCE_BYTES) is None:
            ahead.discard(head + 1)
        elif _probe(codec, ahead, codec.probe):
            return head
        else:
            retries.failed(head, min(head + codec.probe, ahead.end))
            ahead.discard(retries.next_after(head))
    return None


def _probe(codec: Codec, ahead: Lookahead, size: int) -> bool | None:
    """Whether the next ``size`` bytes decode to text or are a whole member; None if they cannot be decoded."""
    data, at = ahead.view(ahead.base, ahead.base + size)
    decoder = codec.precise()
    try:
        return len(decoder.decompress(memoryview(data)[at : at + size])) > 0 or decoder.eof
    except codec.errors:
        return None


def read_members(range_: Range, codec: Codec, source: BinaryIO, chunk_bytes: int) -> Iterator[Block | BadRegion]:
    """The text of the members that begin in the range, then of those after it, as long as the caller asks for more."""
    path, ahead, retries = range_.path, Lookahead(source, range_.start), Retries()
    if range_.start:
        found = find_head(codec, ahead, range_.stop, retries)
        if retries.has_skipped:
            detail = f"expected a {codec.name} member, saw too many heads that do not decode"
            yield BadRegion(Damage("garbage", format_location(path, range_.start, 0), detail), inside=True)
        if found is None:
            return
    inside = True
    while True:
        for damage in _go_to_next(path, codec, ahead, retries):
            yield BadRegion(damage, inside)
        if not ahead.slice(ahead.base, ahead.base + 1):
            return
        # The range after this one looks for a sound head, and so passes over a damaged member at its start: that
        # member is this range's to report.
        inside = inside and (ahead.base < range_.stop or not _probe(codec, ahead, codec.probe))
        yield from _read_member(path, codec, ahead, chunk_bytes, retries, inside=inside)


def _go_to_next(path: str, codec: Codec, ahead: Lookahead, retries: Retries) -> Iterator[Damage]:
    """Go on to the next head, or to the end; anything in between but frames without text is damage.

    Zeros in front of another member are damage too, as they may have replaced members; at the end they are padding.
    """
    while codec.skippable.match(head := ahead.slice(ahead.base, ahead.base + 8)):
        start = ahead.base
        ahead.discard(start + 8 + int.from_bytes(head[4:], "little"))
        if not ahead.slice(ahead.base, ahead.base + 1) and ahead.is_past_end():
            detail = f"a frame without text says that it ends at byte {ahead.base}, after the end of the file"
            ahead.seek(start + 1)
            lost = _resume(codec, ahead, retries) is not None
            yield Damage("truncated", format_location(path, start, 0), detail, lost)
    start = ahead.base
    ahead.skip_zeros()
    following = ahead.slice(ahead.base, ahead.base + len(codec.magic))
    if not following or (following == codec.magic and ahead.base == start):
        return
    found = _resume(codec, ahead, retries)
    lost = found is not None and found - start >= codec.smallest
    detail = f"expected a {codec.name} member, saw {ahead.base - start} bytes of something else"
    yield Damage("garbage", format_location(path, start, 0), detail, lost)


def _resume(codec: Codec, ahead: Lookahead, retries: Retries) -> int | None:
    """Go on to the next head that decodes, and give its offset; or to the end, and give None."""
    found = find_head(codec, ahead, sys.maxsize, retries)
    if found is None:
        ahead.discard(ahead.end)
    return found


def _read_member(
    path: str, codec: Codec, ahead: Lookahead, chunk_bytes: int, retries: Retries, *, inside: bool
) -> Iterator[Block | BadRegion]:
    head, decoder, given, most = ahead.base, codec.fast(), 0, _FIRST_INPUT
    with suppress(*codec.errors):
        while not decoder.eof:
            data, wants_input = b"", decoder.needs_input
            if wants_input:
                data, most = ahead.read_buffered(most), min(2 * most, STEP)
            if text := decoder.decompress(data, chunk_bytes):
                yield Block(text, head, given, inside)
                given += len(text)
            elif not data and (wants_input or not decoder.needs_input):
                break  # the file ends here, or the decoder neither gives nor takes anything
    if decoder.eof:
        ahead.unread(len(decoder.unused_data))
        return
    for rescued in _rescue(path, codec, ahead, head, retries):
        if isinstance(rescued, Damage):
            yield BadRegion(rescued, inside)
        elif rescued.offset + len(rescued.data) > given:
            start = max(0, given - rescued.offset)
            yield Block(rescued.data[start:], head, rescued.offset + start, inside)


def _rescue(path: str, codec: Codec, ahead: Lookahead, head: int, retries: Retries) -> Iterator[Block | Damage]:
    """Decode a damaged member again: first to find the step that fails, then once more with that step byte by byte.

    ``ahead`` then goes on to the next member, which the decoder may already have entered.
    """
    ahead.seek(head)
    coarse = _PreciseReading(codec, ahead, sys.maxsize)
    for _ in coarse.texts():
        pass
    ahead.seek(head)
    fine = _PreciseReading(codec, ahead, coarse.reached)
    given = 0
    for text in fine.texts():
        yield Block(text, head, given, inside=True)
        given += len(text)
    if not fine.failure:
        return
    failed = ahead.base
    retries.failed(head, failed)
    ahead.seek(retries.next_after(head))
    found = _resume(codec, ahead, retries)
    where = format_location(path, head, given)
    if fine.failure == _TRUNCATED and found is None:
        detail = f"the {codec.name} member ends too soon after {given} bytes of text, in byte {failed} of the file"
        yield Damage("truncated", where, detail)
        return
    is_checksum = any(text in fine.failure for text in codec.checksum_errors)
    lost = found is not None and not 0 <= found - failed < codec.smallest
    detail = f"{fine.failure} after {given} bytes of text, in bytes {head} to {ahead.base} of the file"
    yield Damage("checksum" if is_checksum else "undecodable", where, detail, lost or not is_checksum)


class _PreciseReading:
    """One member through the precise decoder; ``failure`` says how that failed, "" if it did not."""

    def __init__(self, codec: Codec, ahead: Lookahead, fine_from: int) -> None:
        self._codec, self._ahead, self._fine_from = codec, ahead, fine_from
        self.reached, self.failure = ahead.base, ""

    def texts(self) -> Iterator[bytes]:
        """The text, step by step; from byte ``fine_from`` of the file on, a step is a single byte."""
        ahead, decoder = self._ahead, self._codec.precise()
        while data := ahead.slice(ahead.base, ahead.base + _STEP_BYTES):
            ahead.discard(ahead.base + len(data))
            size = 1 if self.reached >= self._fine_from else len(data)
            for start in range(0, len(data), size):
                step = unread = data[start : start + size]
                try:
                    while text := decoder.decompress(unread):
                        yield text
                        unread = b""
                except self._codec.errors as error:
                    self.failure = str(error)
                    ahead.seek(self.reached)
                    return
                if decoder.eof:
                    ahead.seek(self.reached + len(step) - len(decoder.unused_data))
                    return
                self.reached += size
        self.failure = _TRUNCATED
