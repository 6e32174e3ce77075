"""Lines of a Wikidata JSON dump into the few fields that the method reads, decoded straight into types.

A line that the types refuse goes to ``wikidata_careful``, which knows the oddities of old dumps and says what is wrong
with the rest. ``entity_columns`` makes columns of what was read.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from wikisem.wikidata.lenient import read_carefully
from wikisem.wikidata.types import Line, line_type
from wikisem.wikidata.values import Fields, LeftOut, Row, Unreadable, match_item

# What surrounds the entities of a dump: brackets, commas, white space.
_WRAPPING: Final = b"[], \t\r\n"
# A line that begins so is no item, and need not be decoded; dumps have put the type first since 2014.
_NO_ITEMS: Final = {
    b'{"type":"property"': LeftOut("property"),
    b'{"type":"lexeme","': LeftOut("lexeme"),
    b'{"type":"mediainfo': LeftOut("mediainfo"),
}
_HEAD: Final = 18
# Most lines need no more of a look than at the first letter of their type.
_TYPE: Final = 9
_ITEM: Final = ord("i")


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

    def read(self, line: bytes | memoryview) -> Line | Row | LeftOut | Unreadable:
        """The item of a line, or why there is none. The line comes without the comma behind it.

        It is a Line, or the fields of an Entity where it took the careful way.
        """
        if len(line) > _TYPE and line[_TYPE] != _ITEM:
            left_out = _NO_ITEMS.get(bytes(line[:_HEAD]))
            if left_out is not None:
                return left_out
        try:
            found = self.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return read_carefully(bytes(line), self.fields)
        if found.type != "item" or found.redirect is not None or not match_item(found.id):
            return read_carefully(bytes(line), self.fields)
        return found
