"""Lines of a Wikidata JSON dump into the few fields that the method reads, decoded straight into types.

A line that the types refuse goes to ``lenient``, which knows the oddities of old dumps and says what is wrong with
the rest. ``line_columns`` makes columns of what was read.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import msgspec

from wikisem.wikidata.item_values import EntityRow, Fields, LeftOutLine, UnreadableLine, match_item
from wikisem.wikidata.lenient import read_leniently
from wikisem.wikidata.line_types import Line, line_type

# What surrounds the entities of a dump: brackets, commas, white space.
_WRAPPING: Final = b"[], \t\r\n"
# A line that begins like this is no item, and need not be decoded; dumps have put the type first since 2014.
_NO_ITEMS: Final = {
    b'{"type":"property"': LeftOutLine("property"),
    b'{"type":"lexeme","': LeftOutLine("lexeme"),
    b'{"type":"mediainfo': LeftOutLine("mediainfo"),
}
_HEAD: Final = 18
# Most lines need no more of a look than at the first letter of their type.
_TYPE: Final = 9
_ITEM: Final = ord("i")
_SHOWN: Final = 200
_Found = TypeVar("_Found")


def read_lines(data: bytes, read: Callable[[memoryview], _Found]) -> Iterator[tuple[int, _Found | UnreadableLine]]:
    """What ``read`` makes of each of ``record_lines``, and where it begins.

    The one guard for all that a line may make our code or a library raise: it is unreadable, and the next is read.
    """
    for position, line in record_lines(data):
        try:
            found: _Found | UnreadableLine = read(line)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever it is, it is this line's rejection
            detail = f"expected a line that can be read, saw {type(error).__name__}: {error}"
            found = UnreadableLine("unreadable", detail[:_SHOWN])
        yield position, found


def record_lines(data: bytes) -> Iterator[tuple[int, memoryview]]:
    """The lines that hold anything but brackets, commas and white space, without these, and where they begin.

    They are views into the data: copying lines would cost a third of what decoding them does.
    """
    view = memoryview(data)
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start)
        end = following = stop if stop >= 0 else len(data)
        while start < end and data[end - 1] in _WRAPPING:
            end -= 1
        while start < end and data[start] in _WRAPPING:
            start += 1
        if start < end:
            yield start, view[start:end]
        start = following + 1


class EntityReader:
    """Reads lines of a dump; it pickles, so that it can travel to workers.

    ``decode`` is its first half, a line into the types; it raises where these do not fit.
    """

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.decode = msgspec.json.Decoder(line_type(fields)).decode

    def __reduce__(self) -> tuple[type["EntityReader"], tuple[Fields]]:
        return EntityReader, (self.fields,)

    def read(self, line: bytes | memoryview) -> Line | EntityRow | LeftOutLine | UnreadableLine:
        """The item of a line, or why there is none. The line must come without the comma after it.

        The item is a Line, or an EntityRow if the lenient reader read it.
        """
        if len(line) > _TYPE and line[_TYPE] != _ITEM:
            left_out = _NO_ITEMS.get(bytes(line[:_HEAD]))
            if left_out is not None:
                return left_out
        try:
            found = self.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return read_leniently(bytes(line), self.fields)
        if found.type != "item" or found.redirect is not None or not match_item(found.id):
            return read_leniently(bytes(line), self.fields)
        return found
