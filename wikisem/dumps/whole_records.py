"""Cutting a dump into ranges, and reading the records of each: whole records, each in exactly one range.

A range owns the records that begin after the first delimiter at or after its start (the first range: those from its
start on), up to the end of the first delimiter that begins at or after its stop. So neighbouring ranges agree without
knowing of each other, even where a delimiter, a record or a segment crosses their border:

    text     aaa;bb;cccc;dd;    the delimiter is ";", the border of the two ranges is at offset 5
    range 1  aaa;bb;            "bb" begins in range 1, which reads on to the delimiter that ends it
    range 2         cccc;dd;    what is left of "bb" is skipped
"""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, Final

from wikisem import files
from wikisem.dumps import model
from wikisem.dumps.bzip2.block_reader import HEADER, StreamPart, join_streams, read_blocks
from wikisem.dumps.members import CODECS, find_head, read_members
from wikisem.dumps.model import BadRegion, Block, Chunk, Compression, Damage, Lookahead, Opener, Range, Retries

_LOG: Final = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())  # a library prints nothing; programs that configure logging see it
ENDINGS: Final[dict[str, Compression]] = {"bz2": "bzip2", **{codec.ending: name for name, codec in CODECS.items()}}
# A file with no second member in this many bytes is read in one go: looking further would read it twice.
_LOOK_BYTES: Final = 1 << 28


def plan_ranges(path: str, open_binary: Opener = files.open_binary, target_bytes: int = 1 << 25) -> list[Range]:
    """Cut a file into ranges of about ``target_bytes`` of its own (compressed) bytes; an empty file has none.

    Cuts are at multiples of a size, because the reader of a range finds its own first segment. The first bytes tell the
    compression, or else the file's name, so that a dump with a damaged head is not read as text.
    """
    with open_binary(path) as source:
        size, target = source.seek(0, os.SEEK_END), target_bytes
        source.seek(0)
        head = source.read(4)
        compression = ENDINGS.get(path.rpartition(".")[2].lower(), "plain")
        if HEADER.match(head):
            compression = "bzip2"
        for name, known in CODECS.items():
            if head.startswith(known.magic) or known.skippable.match(head):
                compression = name
        # gzip and zstd can only be read from the start of a member: if a file has one for all, cuts would be no use.
        codec = CODECS.get(compression) if size > target_bytes else None
        if codec and find_head(codec, Lookahead(source, 1), 1 + _LOOK_BYTES, Retries()) is None:
            _LOG.warning("%s holds no second %s member to start from: one worker reads all of it", path, compression)
            target = size
    return [Range(path, compression, start, min(start + target, size)) for start in range(0, size, max(1, target))]


# The longest items of Wikidata are about 5 MB, the longest pages of Wikipedia 2 MB (2026-09). A longer record has lost
# its delimiter, and must not fill the memory of a worker.
RECORD_LIMIT: Final = 1 << 26
_HEAD_BYTES: Final = 1 << 16
# How much of the end of what it has read a range remembers: more than a closing tag and the blanks after it.
_TAIL_BYTES: Final = 256


def read_records(
    range_: Range,
    open_binary: Opener = files.open_binary,
    delimiter: bytes = b"\n",
    chunk_bytes: int = 8 << 20,
    closing: bytes = b"",
    on_stream: Callable[[StreamPart], object] = lambda _: None,
) -> Iterator[Chunk | Damage]:
    """Yield the records of a range in chunks of about ``chunk_bytes``, and the damage between them.

    A record ends with the delimiter; the last one of a file may lack it. A file that does not end with ``closing`` was
    cut short, which is damage too: nothing else shows a cut between two records. ``on_stream`` is called with the
    checksums of the bzip2 blocks of the range, which ``join_streams`` compares for streams that span several ranges.
    """
    with open_binary(range_.path) as source:
        assembler = _RecordAssembler(range_, delimiter, chunk_bytes, closing)
        for block in _blocks(range_, source, chunk_bytes, on_stream):
            yield from assembler.abandon(block) if isinstance(block, BadRegion) else assembler.add(block)
            if assembler.done:
                return
        yield from assembler.finish()


def read_ranges(ranges: Sequence[Range], closing: bytes = b"") -> Iterator[Chunk | Damage]:
    """Yield the lines of all ranges of a file, one after the other, and all damage: ``read_records`` of each."""
    streams: list[StreamPart] = []
    for range_ in ranges:
        yield from read_records(range_, closing=closing, on_stream=streams.append)
    yield from join_streams(streams)


def read_head(ranges: Sequence[Range], open_binary: Opener) -> bytes:
    """Return the first text of a file, given its ranges; b"" if there is none or it cannot be decoded."""
    if not ranges:
        return b""
    with open_binary(ranges[0].path) as source:
        block = next(_blocks(ranges[0], source, _HEAD_BYTES, lambda _: None), None)
    return block.data if isinstance(block, Block) else b""


def _blocks(
    range_: Range, source: BinaryIO, chunk_bytes: int, on_stream: Callable[[StreamPart], object]
) -> Iterator[Block | BadRegion]:
    """Yield the decoded text of the range, then that after it, for as long as the caller asks for more."""
    if range_.compression == "bzip2":
        yield from read_blocks(range_, source, on_stream)
        return
    if range_.compression != "plain":
        yield from read_members(range_, CODECS[range_.compression], source, chunk_bytes)
        return
    # A plain file is all one segment, a part that decodes on its own, from byte 0 on.
    inside = Lookahead(source, range_.start, chunk_bytes)
    while inside.base < range_.stop:
        offset, data = inside.base, inside.read_buffered()
        if not data:
            return  # the file has been cut off since it was planned
        yield Block(data[: range_.stop - offset], segment=0, offset=offset, inside=True)
    after = Lookahead(source, range_.stop, model.STEP // 16)  # in small steps: the rest of one record is short
    while data := after.read_buffered():
        yield Block(data, segment=0, offset=after.base - len(data), inside=False)


class _RecordAssembler:
    """Puts the blocks of a range together into whole records; ``done`` once its last record has been yielded."""

    def __init__(self, range_: Range, delimiter: bytes, chunk_bytes: int, closing: bytes) -> None:
        self._path, self._delimiter, self._chunk_bytes = range_.path, delimiter, chunk_bytes
        # The text that has not been yielded, in pieces: its size in bytes, and where it begins, as in a ``Chunk``. It
        # begins with a record; while skipping, with the rest of one that is damaged or belongs to the range before.
        self._pieces: list[bytes] = []
        self._size = self._segment = self._offset = 0
        self._skipping = range_.start > 0
        self._search_size = chunk_bytes  # from this size on, the text is searched for whole records
        self._after_range = self.done = False
        self._search_from = 0  # after the range: the delimiter that ends its last record begins here or later
        # How the file has to end, and the last bytes so far; a cut that was reported already is not reported again.
        self._closing, self._tail, self._truncated = closing, b"", False

    def add(self, block: Block) -> Iterator[Chunk | Damage]:
        """Add the text of a block; yield whole records once there are ``chunk_bytes`` of them."""
        # At the first block after the range, its whole records are yielded; its last record ends here or later.
        if not (block.inside or self._after_range):
            yield from self._whole_records()
            self._after_range, self._search_from = True, self._size
        if not self._pieces:
            self._segment, self._offset = block.segment, block.offset
        self._pieces.append(block.data)
        self._size += len(block.data)
        if self._after_range:
            yield from self._end_last_record()
            return
        if self._skipping:  # up to the next delimiter
            text = self._join()
            found = text.find(self._delimiter)
            start = found + len(self._delimiter)
            self._skipping = found < 0
            self._remember_tail(text[:start])
            # If none is found, the last bytes are kept: they may begin a delimiter.
            self._keep_from(text, max(0, len(text) - len(self._delimiter) + 1) if found < 0 else start)
        if self._size >= self._search_size:
            yield from self._whole_records()
            # A record that has not ended is joined and searched again when there is twice as much of it.
            self._search_size = max(self._chunk_bytes, min(2 * self._size, RECORD_LIMIT + 1))

    def _end_last_record(self) -> Iterator[Chunk | Damage]:
        """Search the text from after the range for the end of the range's last record; yield that once it has come."""
        if self._skipping:
            # It still begins if the delimiter before it begins in front of ``_search_from``, the end of the range.
            text = self._join()
            found = text.find(self._delimiter)
            if not 0 <= found < self._search_from:
                self.done = len(text) >= self._search_from + len(self._delimiter) - 1  # no such delimiter can come
                return
            self._skipping, self._search_from = False, 0
            self._remember_tail(text[: found + len(self._delimiter)])
            self._keep_from(text, found + len(self._delimiter))
        # Only the pieces from ``_search_from`` on are joined: to join all of them for each block would be slow.
        first, first_start = len(self._pieces), self._size
        while first_start > self._search_from:
            first -= 1
            first_start -= len(self._pieces[first])
        found = b"".join(self._pieces[first:]).find(self._delimiter, self._search_from - first_start)
        if found >= 0:
            self.done = True
            yield self._chunk(self._join()[: first_start + found + len(self._delimiter)])
        else:  # the last bytes may begin a delimiter
            self._search_from = max(self._search_from, self._size - len(self._delimiter) + 1)
            yield from self._check_length()

    def abandon(self, region: BadRegion) -> Iterator[Chunk | Damage]:
        """Yield the whole records before a damaged region, the record that it cuts off as damage, and its own damage.

        Damage that loses no text (a wrong checksum) cuts off nothing. The next range reports damage after this one.
        """
        self._truncated = self._truncated or region.damage.reason == "truncated"
        if region.damage.lost:
            yield from self._whole_records()
            yield from self._drop_record("the rest of it cannot be decoded")
            self._skipping = True
            self.done = not region.inside  # after the range, only the end of the lost record was wanted
        if region.inside:
            yield region.damage

    def finish(self) -> Iterator[Chunk | Damage]:
        """Yield the last record of the file, which may lack a delimiter, and damage if the file was cut short."""
        if self._skipping:  # no record begins here, or the last one was lost
            return
        yield from self._whole_records()
        if self._size:
            yield self._chunk(self._join())
        # Only the range that reads the last text of a file comes here: it must end with "]" or a closing tag.
        end = self._tail.rstrip()
        if self._closing and end and not end.endswith(self._closing) and not self._truncated:
            where = model.format_location(self._path, self._segment, self._offset + self._size)
            detail = f"expected the file to end with {self._closing.decode()}, saw that it ends with {end[-40:]!r}"
            yield Damage("truncated", where, detail, lost=False)

    def _join(self) -> bytes:
        text = b"".join(self._pieces)
        self._pieces = [text]
        return text

    def _keep_from(self, text: bytes, start: int) -> None:
        self._offset += start
        self._pieces = [text[start:]] if start < len(text) else []
        self._size = len(text) - start

    def _whole_records(self) -> Iterator[Chunk | Damage]:
        """Yield the text up to the last delimiter as a chunk of whole records; keep the record that begins after it."""
        if self._skipping or not self._size:
            return
        if self._delimiter not in self._pieces[-1]:  # it may cross from one piece to the next
            self._join()
        *before, last = self._pieces
        if (found := last.rfind(self._delimiter)) >= 0:
            stop = found + len(self._delimiter)
            yield self._chunk(b"".join([*before, memoryview(last)[:stop]]))
            self._offset += self._size - len(last)  # where the last piece begins
            self._keep_from(last, stop)
        yield from self._check_length()

    def _check_length(self) -> Iterator[Damage]:
        if self._size > RECORD_LIMIT:
            yield from self._drop_record(f"it has more than {RECORD_LIMIT} bytes")
            self._skipping, self.done = True, self._after_range

    def _drop_record(self, why: str) -> Iterator[Damage]:
        text = self._join() if not self._skipping else b""
        if text.strip():
            detail = f"{why}: {len(text)} bytes of a record that begins with {text[:80]!r}"
            yield Damage("torn-record", model.format_location(self._path, self._segment, self._offset), detail)
        self._pieces, self._size, self._search_size = [], 0, self._chunk_bytes

    def _remember_tail(self, text: bytes) -> None:
        self._tail = (self._tail + text[-_TAIL_BYTES:])[-_TAIL_BYTES:]

    def _chunk(self, text: bytes) -> Chunk:
        self._remember_tail(text)
        return Chunk(text, self._path, self._segment, self._offset)
