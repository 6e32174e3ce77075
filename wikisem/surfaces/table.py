"""The surface forms of one language as arrays that are mapped into memory, to look them up by item."""

import string
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import replace

from wikisem.arrow.buckets import hash_strings
from wikisem.arrow.columns import qid_numbers
from wikisem.arrow.parquet import read_row_groups
from wikisem.errors import DamagedInputError
from wikisem.files import list_files
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, Flags, Int64s, Ints, indices_of, offsets_of, sorted_order
from wikisem.ids import qid_number, qid_of
from wikisem.layout import item_names_folder
from wikisem.records import Member
from wikisem.schemas import ITEM_NAMES
from wikisem.wikipedia.graphemes import graphemes
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
    are the item's. ``links`` is 0 if the surface form is not an anchor. ``label_codes`` is an index into the codes
    of labels, 0 if the label is of the language itself. Rows are in any order until ``merge`` sorts them by item.
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
        """Return the surface forms of items in the graph, from ``COLUMNS``; DamagedInputError for an unknown source."""
        numbers = qid_numbers(table["qid"])
        indices, in_graph = indices_of(numbers, graph.items)
        table, items = table.filter(pa.array(in_graph)).combine_chunks(), indices[in_graph].astype(np.uint32)
        label_codes = pc.fill_null(table["label_language"], "")
        # The bytes of all surface forms one after the other, and where each begins.
        surfaces = table["surface"].cast(pa.large_string()).combine_chunks()
        surfaces = surfaces.chunk(0) if isinstance(surfaces, pa.ChunkedArray) else surfaces
        _, bounds, text = surfaces.buffers()
        offsets = np.frombuffer(bounds, dtype=np.int64)[surfaces.offset : surfaces.offset + len(surfaces) + 1]
        return SurfaceTable(
            items=items,
            numbers=numbers[in_graph],
            sitelinks=graph.sitelinks[items],
            offsets=offsets - offsets[0],
            text=np.frombuffer(text or b"", dtype=np.uint8)[offsets[0] : offsets[-1]],
            sources=_codes(table["source"], SOURCES, "surface forms from").astype(np.int8),
            counts=table["count"].to_numpy(),  # how many links to the item's page show it
            totals=table["total"].to_numpy(),  # how many links lead to the page
            links=pc.fill_null(table["links"], 0).to_numpy(),  # how many links of the whole wiki show it
            label_codes=_codes(label_codes, _LABEL_CODES, "labels under").astype(np.int16),
        )

    @staticmethod
    def merge(parts: Sequence["SurfaceTable"]) -> "SurfaceTable":
        """Return the surface forms of several tables as one, in the order of their items."""
        shifts = offsets_of(np.array([len(part.text) for part in parts], dtype=np.int64))
        offsets = [part.offsets[:-1] + shift for part, shift in zip(parts, shifts, strict=False)]
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in SurfaceTable.__slots__}
        merged = SurfaceTable(**{**joined, "offsets": np.concatenate([*offsets, shifts[-1:]])})
        return merged.take(sorted_order(merged.items))

    def take(self, rows: Ints) -> "SurfaceTable":
        """Return some rows, in the order given."""
        # Each surface form is a row of bytes. Moving rows takes much memory, so some are moved at a time.
        strings, offsets = CsrRows(self.offsets, self.text), offsets_of(self.offsets[rows + 1] - self.offsets[rows])
        parts = [strings.take(rows[begin : begin + _CHUNK]).targets for begin in range(0, len(rows), _CHUNK)]
        text = np.concatenate([self.text[:0], *parts])
        columns = [name for name in SurfaceTable.__slots__ if name not in ("offsets", "text")]
        return SurfaceTable(offsets=offsets, text=text, **{name: getattr(self, name)[rows] for name in columns})

    def __len__(self) -> int:
        return len(self.items)

    def members(self, rows: Ints) -> list[Member]:
        """Return the items of some rows under their surface forms."""
        columns = (self.numbers, self.sources, self.counts, self.totals, self.sitelinks, self.links, self.label_codes)
        fields = zip(self.texts(rows), *(column[rows].tolist() for column in columns), strict=True)
        return [
            Member(
                id=qid_of(number),
                surface=surface,
                source=SOURCES[source],
                count=count,
                total=total,
                sitelinks=sitelinks,
                links=links or None,
                page_share=count / links if links else None,
                label_language=_LABEL_CODES[code] or None,
            )
            for surface, number, source, count, total, sitelinks, links, code in fields
        ]

    def texts(self, rows: Ints) -> Iterator[str]:
        """Return the surface forms of some rows."""
        text = self.text.data
        bounds = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
        return (str(text[begin:end], "utf-8") for begin, end in bounds)


def _strings(table: SurfaceTable) -> Iterator[pa.StringArray]:
    """Yield the surface forms of a table, some rows at a time."""
    for begin, end in pairwise([*range(0, len(table), _CHUNK), len(table)]):
        bounds = table.offsets[begin : end + 1]
        offsets, text = (bounds - bounds[0]).astype(np.int32), table.text[bounds[0] : bounds[-1]]
        yield pa.StringArray.from_buffers(end - begin, pa.py_buffer(offsets), pa.py_buffer(text))


def hash_texts(table: SurfaceTable) -> npt.NDArray[np.uint64]:
    """Return a hash of 64 bits for each surface form of a table."""
    return np.concatenate([np.zeros(0, np.uint64), *map(hash_strings, _strings(table))])


def read_item_names(folder: str) -> Iterator[tuple[Ints, Ints, npt.NDArray[np.uint64]]]:
    """Yield numbers, sitelinks and hashes of the labels and aliases of items with a sitelink, from surfaces' folder."""
    for path in list_files(f"{item_names_folder(folder)}/*.parquet"):
        for table in read_row_groups(path, ITEM_NAMES.names):
            yield tuple(table[name].to_numpy() for name in ITEM_NAMES.names)


# Hashes are compared in so many parts, each with the same first bits, so that little is sorted at a time.
_HASH_BITS: Final = 4


class HashedNames(NamedTuple):
    """Names by their hashes, and the sitelinks of the item that each is a name of."""

    hashes: npt.NDArray[np.uint64]
    sitelinks: Ints

    @staticmethod
    def by_others(folder: str, surfaces: "HashedNames", items: Ints, graph: ClassGraph) -> "HashedNames":
        """Read the hashes of other names: labels and aliases in a folder, but for surface form i of ``items[i]``."""
        own = np.zeros(len(graph.items), dtype=np.uint64)  # 0 for an item without a surface form
        own[items] = surfaces.hashes
        found = [HashedNames(own[:0], graph.sitelinks[:0])]
        for numbers, sitelinks, hashes in read_item_names(folder):
            indices, in_graph = indices_of(numbers, graph.items)
            is_other = ~in_graph | (own[indices] != hashes)
            found.append(HashedNames(hashes[is_other], sitelinks[is_other]))
        return HashedNames(*map(np.concatenate, zip(*found, strict=True)))


def mean_their_items(surfaces: HashedNames, others: HashedNames, least: float) -> Flags:
    """Which surface forms mean their item: it has at least the share ``least`` of the sitelinks of all items so called.

    ``others`` are the names of items that are not their surface form, each with sitelinks. Of items without any, each
    has an equal share. Names are compared by ``hash_texts``: among 10**8 of them, two are taken for one with a
    probability of 3 in 10,000.

    >>> surfaces = HashedNames(np.array([7, 7, 7, 9, 8], dtype=np.uint64), np.array([60, 30, 20, 0, 5]))
    >>> others = HashedNames(np.array([8, 6], dtype=np.uint64), np.array([60, 30]))
    >>> mean_their_items(surfaces, others, 0.5).tolist()
    [True, False, False, True, False]
    """
    means = np.zeros(len(surfaces.hashes), dtype=bool)
    own_parts, other_parts = ((one.hashes >> np.uint64(64 - _HASH_BITS)).astype(np.uint8) for one in (surfaces, others))
    for part in range(1 << _HASH_BITS):
        rows, further = np.flatnonzero(own_parts == part), np.flatnonzero(other_parts == part)
        own = surfaces.sitelinks[rows]
        # Each distinct hash gets a number: names has that of every surface form of the part, then of every other name.
        names = np.unique(np.concatenate([surfaces.hashes[rows], others.hashes[further]]), return_inverse=True)[1]
        totals = np.bincount(names, np.concatenate([own, others.sitelinks[further]]))[names[: len(rows)]]
        shares = np.divide(own, totals, out=1 / np.bincount(names)[names[: len(rows)]], where=totals > 0)
        means[rows] = shares >= least
    return means


# Digits and punctuation of ASCII: in most sets nearly all there are.
_MARKS: Final = frozenset(string.digits + string.punctuation)
_MARK: Final = r"[!-@\[-`{-~]"


class Shape(NamedTuple):
    """What a surface form looks like: how many characters (code points) it has, words between blanks, and marks.

    Marks are digits and punctuation. ``last_letter`` is a code of its last letter.
    """

    characters: int
    words: int
    marks: int
    last_letter: int


def shape_of(surface: str) -> Shape:
    """Return what a surface form looks like.

    >>> shape_of("42nd Street")
    Shape(characters=11, words=2, marks=2, last_letter=116)
    """
    marks = sum(character in _MARKS for character in surface)
    return Shape(len(surface), surface.count(" ") + 1, marks, _letter_code(surface))


# Set in the codes of letters that have more than one code point.
_SEVERAL: Final = 1 << 30


def _letter_code(surface: str) -> int:
    """The code of the last letter (grapheme cluster), case ignored: its code point, or a hash if it has several."""
    last = graphemes(surface.casefold())[-1]
    return ord(last) if len(last) == 1 else _SEVERAL | zlib.crc32(last.encode()) >> 2


@dataclass(frozen=True, slots=True)
class SurfaceForms:
    """The ``Shape`` of each row of a table of surface forms, as four arrays; larger numbers count as 65,535."""

    characters: npt.NDArray[np.uint16]
    words: npt.NDArray[np.uint16]
    marks: npt.NDArray[np.uint16]
    last_letters: npt.NDArray[np.int32]

    @staticmethod
    def of(table: SurfaceTable) -> "SurfaceForms":
        """Measure all surface forms of a table: characters, words, marks, and a code for the last letter of each."""
        numbers, letters = [np.zeros((3, 0), dtype=np.uint16)], [np.zeros(0, dtype=np.int32)]
        for surfaces in _strings(table):
            words = pc.add(pc.count_substring(surfaces, " "), 1)
            counts = [pc.utf8_length(surfaces), words, pc.count_substring_regex(surfaces, _MARK)]
            numbers.append(np.minimum(np.stack(counts), np.iinfo(np.uint16).max).astype(np.uint16))
            # The code of the last letter: looked up once for each distinct end of two code points, if each of these is
            # a letter, so that ``graphemes`` returns the string as it is. Else a letter may be longer than the end, and
            # the whole surface form is looked at (-1 until then).
            tails = pc.utf8_slice_codeunits(surfaces, -2).dictionary_encode()
            ends = tails.dictionary.to_pylist()
            codes = [_letter_code(end) if isinstance(graphemes(end), str) else -1 for end in ends]
            letters.append(np.array(codes, dtype=np.int32)[tails.indices.to_numpy()])
            rows = np.flatnonzero(letters[-1] < 0)
            letters[-1][rows] = [_letter_code(surface) for surface in surfaces.take(pa.array(rows)).to_pylist()]
        characters, words, marks = np.concatenate(numbers, axis=1)
        return SurfaceForms(characters, words, marks, np.concatenate(letters))


def _codes(texts: pa.ChunkedArray, known: Sequence[str], what: str) -> Int64s:
    """Return the index of each string among the known ones; DamagedInputError for one that is unknown."""
    codes = pc.index_in(texts, pa.array(known))
    if codes.null_count:
        strange = texts.filter(pc.is_null(codes))[0]
        shown = ", ".join(known) if len(known) < 9 else "the language codes of Wikipedia and mul"
        raise DamagedInputError(f"expected {what} one of {shown}, saw {strange}")
    return codes.to_numpy().astype(np.int64)


# The fields of members that no choice depends on: they are read once it is known which items are members.
LATE_FIELDS: Final = ("title",)


def read_members(surfaces: Iterable[str], graph: ClassGraph, items: Collection[str]) -> dict[str, Member]:
    """Read some items (QIDs) of the graph as members by QID, from the ``surfaces`` files (Parquet) of a language."""
    wanted = pa.array(sorted(items), pa.string())
    found: dict[str, Member] = {}
    for path in surfaces if items else ():
        for table in read_row_groups(path, [*COLUMNS, *LATE_FIELDS]):
            rows = table.filter(pc.is_in(table["qid"], value_set=wanted)).combine_chunks()
            members = SurfaceTable.of_table(rows, graph)
            late_fields = rows.select(LATE_FIELDS).to_pylist()  # of each row the title, which a SurfaceTable lacks
            both = zip(members.members(np.arange(len(members))), late_fields, strict=True)
            found |= {member.id: replace(member, **fields) for member, fields in both}
    return found


def meant_instead(members: Mapping[str, Member], folder: str, graph: ClassGraph, least: float) -> dict[str, str]:
    """The members whose surface form makes readers think of another item, and the best known item that it may mean.

    Both are QIDs. An anchor means its item. A label or a title does if its item has the share ``least`` of the
    sitelinks of all items of the graph with that surface form in ``folder``, and of all items with that label or alias;
    of items without any sitelink each has an equal share. The groups stage leaves these members out.
    """
    asked = pa.array(sorted({one.surface for one in members.values() if one.source != "anchor"}), pa.string())
    if not least or not len(asked):
        return {}
    # The items with each surface form: by their own in the folder, then by the hashes of labels and aliases.
    alike: defaultdict[str, dict[int, int]] = defaultdict(dict)  # sitelinks by the number of the item
    for path in list_files(f"{folder}/*.parquet"):
        for table in read_row_groups(path, ["qid", "surface"]):
            rows = table.filter(pc.is_in(table["surface"], value_set=asked))
            qids, surfaces = qid_numbers(rows["qid"]), rows["surface"].to_pylist()
            items, in_graph = indices_of(qids, graph.items)
            for row in np.flatnonzero(in_graph).tolist():
                alike[surfaces[row]][int(qids[row])] = int(graph.sitelinks[items[row]])
    asked_hashes = hash_strings(asked)
    surface_of = dict(zip(asked_hashes.tolist(), asked.to_pylist(), strict=True))
    for numbers, sitelinks, hashes in read_item_names(folder):
        for row in np.flatnonzero(np.isin(hashes, asked_hashes)).tolist():
            alike[surface_of[int(hashes[row])]][int(numbers[row])] = int(sitelinks[row])
    # If a member has too small a share, the best known of the other items is meant, of several the lowest number.
    instead = {}
    for qid, one in members.items():
        if one.source != "anchor":
            others = dict(alike[one.surface])
            own, total = others.pop(qid_number(qid)), sum(others.values())
            if (own / (own + total) if own + total else 1 / (1 + len(others))) < least:
                instead[qid] = qid_of(max(others, key=lambda number: (others[number], -number)))
    return instead
