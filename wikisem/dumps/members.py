"""Pieces of text from a chain of gzip members or zstd frames."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from wikisem.dumps.codecs import Codec
from wikisem.dumps.model import Damage, Gap, Piece, Range, place
from wikisem.dumps.stream import Tape

# Where a member is damaged, so much of it is read byte by byte.
_FINE_BYTES: Final = 1 << 16
_TRUNCATED: Final = "truncated"


def find_head(codec: Codec, tape: Tape, limit: int) -> int | None:
    """The offset of the next member that begins before ``limit``; the tape then stands there, or near the limit."""
    while tape.base < limit:
        found = tape.data.find(codec.magic)
        if found < 0:
            tape.drop(max(tape.base, tape.end - len(codec.magic) + 1))
            if not tape.grow():
                return None
            continue
        tape.drop(tape.base + found)
        if tape.base < limit and _is_sound(codec, tape):
            return tape.base
        tape.drop(tape.base + 1)
    return None


def _is_sound(codec: Codec, tape: Tape) -> bool:
    decoder = codec.careful()
    try:
        return len(decoder.decompress(tape.slice(tape.base, tape.base + codec.probe))) > 0 or decoder.eof
    except codec.errors:
        return False


def read_members(range_: Range, codec: Codec, source: BinaryIO, chunk_bytes: int) -> Iterator[Piece | Gap]:
    """The text of the members that begin in the range, then of those behind it, for as long as somebody asks."""
    tape = Tape(source, range_.start)
    if range_.start and find_head(codec, tape, range_.stop) is None:
        return
    inside = True
    while True:
        for damage in _between(range_.path, codec, tape):
            yield Gap(damage, inside)
        if not tape.slice(tape.base, tape.base + 1):
            return
        # A damaged member behind the range is passed over by the range that it lies in, which looks for a sound head:
        # so it belongs to the one that comes upon it.
        inside = inside and (tape.base < range_.stop or not _is_sound(codec, tape))
        yield from _read_member(range_.path, codec, tape, chunk_bytes, inside=inside)


def _between(path: str, codec: Codec, tape: Tape) -> Iterator[Damage]:
    """Go on to the next head, or to the end; what stands in between should be nothing, or padding."""
    while codec.skippable.match(head := tape.slice(tape.base, tape.base + 8)):
        stop = tape.base + len(head) + int.from_bytes(head[4:], "little")
        tape.slice(tape.base, stop)
        tape.drop(stop)
    tape.skip_zeros()
    start = tape.base
    if tape.slice(start, start + len(codec.magic)) in (b"", codec.magic):
        return
    found = _resume(codec, tape)
    lost = found is not None and found - start >= codec.smallest
    detail = f"expected a {codec.name} member, saw {tape.base - start} bytes of something else"
    yield Damage("garbage", place(path, start, 0), detail, lost)


def _resume(codec: Codec, tape: Tape) -> int | None:
    """Go on to the next head that decodes, and give its offset; or to the end, and give None."""
    found = find_head(codec, tape, sys.maxsize)
    if found is None:
        tape.drop(tape.end)
    return found


def _read_member(path: str, codec: Codec, tape: Tape, chunk_bytes: int, *, inside: bool) -> Iterator[Piece | Gap]:
    head, decoder, given = tape.base, codec.fast(), 0
    with suppress(*codec.errors):
        while not decoder.eof:
            data = tape.take() if decoder.needs_input else b""
            text = decoder.decompress(data, chunk_bytes)
            if text:
                yield Piece(text, head, given, inside)
                given += len(text)
            elif not data:
                break
    if decoder.eof:
        tape.back(decoder.unused_data)
        return
    for rescued in _rescue(path, codec, tape, head):
        if isinstance(rescued, Damage):
            yield Gap(rescued, inside)
        elif rescued.offset + len(rescued.data) > given:
            start = max(0, given - rescued.offset)
            yield Piece(rescued.data[start:], head, rescued.offset + start, inside)


def _rescue(path: str, codec: Codec, tape: Tape, head: int) -> Iterator[Piece | Damage]:
    """Read a member again that did not decode, and go byte by byte where the first error lies."""
    tape.seek(head)
    coarse = _Careful(codec, tape, sys.maxsize)
    for _ in coarse.texts():
        pass
    tape.seek(head)
    fine = _Careful(codec, tape, coarse.reached)
    given = 0
    for text in fine.texts():
        yield Piece(text, head, given, inside=True)
        given += len(text)
    if fine.failure:
        yield _report(path, codec, tape, head, given, fine.failure)


def _report(path: str, codec: Codec, tape: Tape, head: int, given: int, failure: str) -> Damage:
    """What to say of a damaged member; the tape goes on to the next one, into which the decoder may have run."""
    failed = tape.base
    tape.seek(head + 1)
    found = _resume(codec, tape)
    where = place(path, head, given)
    if failure == _TRUNCATED and found is None:
        detail = f"the {codec.name} member ends too soon after {given} bytes of text, in byte {failed} of the file"
        return Damage("truncated", where, detail)
    checksum = any(text in failure for text in codec.checksum_errors)
    lost = found is not None and not 0 <= found - failed < codec.smallest
    detail = f"{failure} after {given} bytes of text, in bytes {head} to {tape.base} of the file"
    return Damage("checksum" if checksum else "undecodable", where, detail, lost or not checksum)


class _Careful:
    """One member decoded by a decoder that fails where the error is; ``failure`` says how it ended, if not well."""

    def __init__(self, codec: Codec, tape: Tape, fine_from: int) -> None:
        self._codec, self._tape, self._fine_from = codec, tape, fine_from
        self.reached, self.failure = tape.base, ""

    def texts(self) -> Iterator[bytes]:
        """The text, from small pieces of input; from ``fine_from`` on the pieces are single bytes."""
        decoder = self._codec.careful()
        for data in self._inputs():
            try:
                text = decoder.decompress(data)
            except self._codec.errors as error:
                self.failure = str(error)
                self._tape.seek(self.reached)
                return
            if text:
                yield text
            if decoder.eof:
                self._tape.seek(self.reached + len(data) - len(decoder.unused_data))
                return
        self.failure = _TRUNCATED

    def _inputs(self) -> Iterator[bytes]:
        while data := self._tape.slice(self._tape.base, self._tape.base + _FINE_BYTES):
            self._tape.drop(self._tape.base + len(data))
            size = 1 if self.reached >= self._fine_from else len(data)
            for start in range(0, len(data), size):
                yield data[start : start + size]
                self.reached += size
