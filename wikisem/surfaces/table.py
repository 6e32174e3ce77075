"""The surface forms of one language as arrays that are mapped into memory, to look them up by item."""

import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import qid_numbers
from wikisem.errors import DamagedInputError
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, Int64s, Ints, indices_of, offsets_of, sorted_order
from wikisem.ids import qid_of
from wikisem.records import Member
from wikisem.wikis import OTHER_LABEL_CODES

# The columns of schemas.SURFACES that are read: the item, and what a member of a group shows.
COLUMNS: Final = ("qid", "surface", "source", "count", "total", "links", "label_language")

SOURCES: Final = ("anchor", "label", "title")

# By index; the first is for labels of the group's own language.
_LABEL_CODES: Final = ("", *OTHER_LABEL_CODES)

# Rows are moved this many at a time.
_CHUNK: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class SurfaceTable:
    """Surface forms of a language: row i is that of item ``items[i]``, an index into the graph.

    Its UTF-8 is ``text[offsets[i]:offsets[i + 1]]``, its source ``SOURCES[sources[i]]``; ``numbers`` and ``sitelinks``
    are the item's. ``links`` is 0 where the surface form is not an anchor. ``label_codes`` is an index into the codes
    of labels, 0 where the label is of the language itself. Rows are in any order until ``in_order`` sorts them by item.
    """

    items: npt.NDArray[np.uint32]
    numbers: Int64s
    sitelinks: npt.NDArray[np.int32]
    offsets: Int64s
    text: npt.NDArray[np.uint8]
    sources: npt.NDArray[np.int8]
    counts: Int64s
    totals: Int64s
    links: Int64s
    label_codes: npt.NDArray[np.int16]

    @staticmethod
    def of_table(table: pa.Table, graph: ClassGraph) -> "SurfaceTable":
        """The surface forms of items in the graph, from ``COLUMNS``; the last two may be missing, as in older files.

        DamagedInputError for a source or a label code that is unknown.
        """
        numbers = qid_numbers(table["qid"])
        indices, here = indices_of(numbers, graph.items)
        table, items = table.filter(pa.array(here)).combine_chunks(), indices[here].astype(np.uint32)
        offsets, text = _texts(table["surface"])
        return SurfaceTable(
            items,
            numbers[here],
            graph.sitelinks[items],
            offsets,
            text,
            _codes(table["source"], SOURCES, "surface forms from").astype(np.int8),
            table["count"].to_numpy(),
            table["total"].to_numpy(),
            _numbers(table, "links"),
            _label_codes(table),
        )

    @staticmethod
    def merge(parts: Sequence["SurfaceTable"]) -> "SurfaceTable":
        """The surface forms of several tables as one."""
        shifts = offsets_of(np.array([len(part.text) for part in parts], dtype=np.int64))
        offsets = [part.offsets[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in SurfaceTable.__slots__}
        return SurfaceTable(**{**joined, "offsets": np.concatenate([*offsets, shifts[-1:]])})

    def take(self, rows: Ints) -> "SurfaceTable":
        """Some rows, in the order given."""
        text = CsrRows(self.offsets, self.text)
        chunks = [text.take(rows[begin : begin + _CHUNK]) for begin in range(0, len(rows), _CHUNK)]
        texts = {
            "offsets": offsets_of(self.offsets[rows + 1] - self.offsets[rows]),
            "text": np.concatenate([self.text[:0], *(chunk.targets for chunk in chunks)]),
        }
        others = {name: getattr(self, name)[rows] for name in SurfaceTable.__slots__ if name not in texts}
        return SurfaceTable(**texts, **others)

    def in_order(self) -> "SurfaceTable":
        """The same rows in the order of their items."""
        return self.take(sorted_order(self.items))

    def __len__(self) -> int:
        return len(self.items)

    def members(self, rows: Ints) -> list[Member]:
        """The items of some rows under their surface forms."""
        columns = (self.sources, self.counts, self.totals, self.sitelinks, self.links, self.label_codes)
        return [
            Member(
                qid_of(number),
                surface,
                SOURCES[source],
                count,
                total,
                sitelinks,
                links=links or None,
                page_share=count / links if links else None,
                label_language=_LABEL_CODES[code] or None,
            )
            for number, surface, source, count, total, sitelinks, links, code in zip(
                self.numbers[rows].tolist(),
                self.texts(rows),
                *(column[rows].tolist() for column in columns),
                strict=True,
            )
        ]

    def texts(self, rows: Ints) -> Iterator[str]:
        """The surface forms of some rows."""
        text = self.text.data
        bounds = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
        return (str(text[begin:end], "utf-8") for begin, end in bounds)

    def sample(self, count: int) -> Iterable[str]:
        """The surface forms of the first rows."""
        return self.texts(np.arange(min(count, len(self))))


# What surface forms look like.

# Digits and punctuation of ASCII: in most sets nearly all there are.
_MARKS: Final = frozenset(string.digits + string.punctuation)
_IS_MARK: Final = np.array([chr(byte) in _MARKS for byte in range(256)])


def form_of(surface: str) -> tuple[int, int, int]:
    """The numbers of its characters (code points), of its words between blanks, and of digits and punctuation.

    >>> form_of("42nd Street")
    (11, 2, 2)
    """
    return len(surface), surface.count(" ") + 1, sum(each in _MARKS for each in surface)


@dataclass(frozen=True, slots=True)
class SurfaceForms:
    """``form_of`` each row of a table of surface forms, as three arrays."""

    characters: npt.NDArray[np.uint16]
    words: npt.NDArray[np.uint16]
    marks: npt.NDArray[np.uint16]

    @staticmethod
    def of(table: SurfaceTable) -> "SurfaceForms":
        """What all surface forms of a table look like; a number that is larger than 65,535 is that."""
        ends = [*range(0, len(table), _CHUNK), len(table)]
        chunks = [_count_forms(table.text, table.offsets[begin : end + 1]) for begin, end in pairwise(ends)]
        none = np.zeros((3, 0), dtype=np.uint16)
        return SurfaceForms(*np.concatenate([none, *chunks], axis=1))


def _count_forms(text: npt.NDArray[np.uint8], offsets: Int64s) -> npt.NDArray[np.uint16]:
    """The numbers of some surface forms that follow each other, shape ``(3, n)``."""
    own = text[offsets[0] : offsets[-1]]
    bounds = offsets - offsets[0]
    # Bytes that begin a character, blanks, marks.
    kinds = (own & 0xC0 != 0x80, own == ord(" "), _IS_MARK[own])
    numbers = np.stack([np.diff(offsets_of(kind.astype(np.int64))[bounds]) for kind in kinds])
    numbers[1] += 1
    found: npt.NDArray[np.uint16] = np.minimum(numbers, np.iinfo(np.uint16).max).astype(np.uint16)
    return found


def _texts(texts: pa.ChunkedArray) -> tuple[Int64s, npt.NDArray[np.uint8]]:
    """Where each string begins, and the bytes of all strings one after the other."""
    array = texts.cast(pa.large_string()).combine_chunks()
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    _, bounds, text = array.buffers()
    offsets: Int64s = np.frombuffer(bounds, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets - offsets[0], np.frombuffer(text or b"", dtype=np.uint8)[offsets[0] : offsets[-1]]


def _numbers(table: pa.Table, name: str) -> Int64s:
    """A column of numbers that may be missing; nulls become 0."""
    if name not in table.column_names:
        return np.zeros(len(table), dtype=np.int64)
    numbers: Int64s = pc.fill_null(table[name], 0).to_numpy()
    return numbers


def _label_codes(table: pa.Table) -> npt.NDArray[np.int16]:
    if "label_language" not in table.column_names:
        return np.zeros(len(table), dtype=np.int16)
    return _codes(pc.fill_null(table["label_language"], ""), _LABEL_CODES, "labels under").astype(np.int16)


def _codes(texts: pa.ChunkedArray, known: Sequence[str], what: str) -> Int64s:
    """The index of each string among the known ones; DamagedInputError for one that is unknown."""
    codes = pc.index_in(texts, pa.array(known))
    if codes.null_count:
        strange = texts.filter(pc.is_null(codes))[0]
        shown = ", ".join(known) if len(known) < 9 else "the language codes of Wikipedia and mul"
        raise DamagedInputError(f"expected {what} one of {shown}, saw {strange}")
    numbers: Int64s = codes.to_numpy().astype(np.int64)
    return numbers
