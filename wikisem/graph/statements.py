"""What items state: signatures, which show what they are like, and relations, which tie them to other items.

The signature of an item is its properties other than P31 and P279, and the words of its English description, which
mostly say what it is. A town has coordinates, a population and a postal code, whether or not somebody stated that it is
a town:

    Gothenburg        area, coordinates, population, postal code, twinned town
    Kristianstad      area, coordinates, population, postal code
    The Eminem Show   genre, performer, publication date

Similarity is not relatedness: Tuscany is tied to its towns, and is no town. A *tie* is a statement between a member of
a cluster and another item, in either direction:

    Florence   located in (P131)   Tuscany      ties Tuscany to the member Florence
    Tuscany    capital (P36)       Florence     does so as well
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import qid_numbers
from wikisem.arrow.parquet import read_row_groups
from wikisem.graph import csr
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import NO_ROWS, CsrRows, Flags, Int64s, Ints, indices_of, offsets_of
from wikisem.recipes.options import Recipe
from wikisem.sampling import hash_keys
from wikisem.typed_json import packaged_tables

# How many instances of a class, the first by hash key, show what its instances are like.
REFERENCE: Final = 100
# How many prominent items, the first by hash key, show what other items are like.
SAMPLE: Final = 400
# Words of descriptions have numbers from this on; the highest of a property was about 14,000 in 2026-11.
FIRST_WORD: Final = 1 << 15
_WORDS: Final = re.compile(r"[^\W\d_]+").findall
# The columns of entities that a signature is made of.
COLUMNS: Final = ("sitelinks", "properties", "description")
# Signatures are copied this many at a time.
_AT_ONCE: Final = 1 << 17


@dataclass(frozen=True, slots=True)
class ItemSignatures:
    """The signatures of the items in one file that have any: item numbers, sitelinks, and property numbers."""

    items: Int64s
    sitelinks: npt.NDArray[np.int32]
    properties: CsrRows

    @staticmethod
    def of_table(items: Int64s, table: pa.Table) -> "ItemSignatures":
        """The signature of each item that has any: numbers of its properties, then of the words of its description."""
        lists, sitelinks = table["properties"].combine_chunks(), table["sitelinks"]
        properties = CsrRows(offsets_of(pc.list_value_length(lists).to_numpy()), pc.list_flatten(lists).to_numpy())
        # Many items share a description: each distinct one is split into words once.
        texts = pc.fill_null(table["description"].combine_chunks(), "").dictionary_encode()
        words_of_text = [sorted(words_by_number(text)) for text in texts.dictionary.to_pylist()]
        counts = np.array(list(map(len, words_of_text)), dtype=np.int64)
        numbers = np.array(list(chain.from_iterable(words_of_text)), dtype=np.int64)
        words = CsrRows(offsets_of(counts), numbers).take(texts.indices.to_numpy())
        # The words of each item are appended to its properties: a stable sort by item keeps both in order.
        owners = np.concatenate([properties.sources(), words.sources()])
        features = np.concatenate([properties.targets, words.targets])[np.argsort(owners, kind="stable")]
        rows = CsrRows(properties.offsets + words.offsets, features)
        return ItemSignatures(items, sitelinks.to_numpy(), rows).take(np.flatnonzero(rows.counts()))

    @staticmethod
    def join(parts: Iterable["ItemSignatures"]) -> "ItemSignatures":
        """The signatures of several tables as one."""
        none = np.zeros(0, dtype=np.int64)
        no_rows = CsrRows(NO_ROWS.offsets, none.astype(np.uint16))
        every = [ItemSignatures(none, none.astype(np.int32), no_rows), *parts]
        rows = CsrRows.join([part.properties for part in every])
        # In 16 bits if they fit: the highest property number was about 14,000 in 2026-11.
        fits = int(rows.targets.max(initial=0)) < 1 << 16
        return ItemSignatures(
            items=np.concatenate([part.items for part in every]),
            sitelinks=np.concatenate([part.sitelinks for part in every]),
            properties=CsrRows(rows.offsets, rows.targets.astype(np.uint16)) if fits else rows,
        )

    def take(self, rows: Ints) -> "ItemSignatures":
        """The signatures of some of the items, in portions: positions for all items at once would need much memory."""
        parts = [self.properties.take(rows[begin : begin + _AT_ONCE]) for begin in range(0, len(rows), _AT_ONCE)]
        targets = np.concatenate([self.properties.targets[:0], *(part.targets for part in parts)])
        offsets = offsets_of(self.properties.offsets[rows + 1] - self.properties.offsets[rows])
        return ItemSignatures(self.items[rows], self.sitelinks[rows], CsrRows(offsets, targets))


def words_by_number(description: str) -> dict[int, str]:
    """The words of a description, by their numbers: hashes that come after those of properties."""
    return {FIRST_WORD + crc32(word.encode()) % FIRST_WORD: word for word in _WORDS(description.lower())}


@dataclass(frozen=True, slots=True)
class Signatures:
    """The signatures of all items that a group may need, and what they are measured by.

    ``items`` are item numbers (ascending), and row i of ``rows`` has the properties of item i as indices into
    ``properties``, the property numbers (ascending); one more row at the end is empty, for items without
    a signature. ``shares[t]`` is the share p(t) of the prominent items that have property t, smoothed: (count + 1/2) /
    (prominent items + 1). Row v of ``reference`` has the first prominent instances of node v by hash key, at most
    ``REFERENCE``, and ``sample`` the first ``SAMPLE`` prominent items, both as rows; ``of_sample`` are the latter's.

    *Prominent* are the items of the dump that have a signature, with as many sitelinks as an outlier needs, in
    whatever language, and whether or not the graph has kept their classes: they show what items are like.
    """

    items: Int64s
    rows: CsrRows
    properties: Int64s
    shares: npt.NDArray[np.float64]
    reference: CsrRows
    sample: Ints
    of_sample: CsrRows

    def rows_of(self, numbers: Ints) -> Int64s:
        """The row of each item."""
        indices, found = indices_of(numbers, self.items)
        return np.where(found, indices, len(self.items))

    @staticmethod
    def of(
        graph: ClassGraph, parts: Iterable[ItemSignatures], minimum: int, candidates: Ints, members: Ints, seed: int
    ) -> "Signatures":
        """Keep the signatures that groups need, from those of all files, and measure how common each property is.

        Kept are *prominent* items of the graph, with the ``minimum`` of sitelinks of an outlier, and ``members``
        (indices in the graph). ``candidates`` are the nodes whose instances are sampled as ``reference``.
        """
        wanted = graph.sitelinks >= minimum
        wanted[members] = True
        # File by file: count the prominent items, and those of them with each property, and keep few signatures.
        prominent_count, having_property, parts_kept = 0, np.zeros(0, dtype=np.int64), list[ItemSignatures]()
        for part in parts:
            is_prominent = part.sitelinks >= minimum
            prominent_count += int(np.count_nonzero(is_prominent))
            counts = np.bincount(part.properties.take(np.flatnonzero(is_prominent)).targets)
            having_property = np.pad(having_property, (0, max(0, len(counts) - len(having_property))))
            having_property[: len(counts)] += counts
            # The wanted items of the graph stay, and those that may be in the sample of all files.
            indices, stays = indices_of(part.items, graph.items)
            stays[stays] = wanted[indices[stays]]
            parts_kept.append(part.take(np.flatnonzero(stays | _first(part.items, is_prominent, seed))))
        kept = ItemSignatures.join(parts_kept)
        del parts_kept
        kept = kept.take(np.argsort(kept.items))
        # The random sample of prominent items, by hash key.
        is_prominent = kept.sitelinks >= minimum
        sample = np.flatnonzero(_first(kept.items, is_prominent, seed))
        # The properties that a kept item has get codes from 0; a last, empty row is for items without a signature.
        is_used = np.bincount(kept.properties.targets, minlength=len(having_property)) > 0
        properties = np.flatnonzero(is_used)
        codes: Ints = (np.cumsum(is_used) - 1).astype(kept.properties.targets.dtype)[kept.properties.targets]
        rows = CsrRows(np.append(kept.properties.offsets, kept.properties.offsets[-1]), codes)
        having_property = np.pad(having_property, (0, max(0, len(is_used) - len(having_property))))
        return Signatures(
            items=kept.items,
            rows=rows,
            properties=properties,
            shares=(having_property[properties] + 0.5) / (prominent_count + 1),
            reference=_reference(graph, kept.items, is_prominent, candidates, seed),
            sample=sample.astype(np.uint32),
            of_sample=rows.take(sample),
        )


def read_item_signatures(path: str) -> ItemSignatures:
    """The signatures of the items in a file of entities."""
    tables = read_row_groups(path, ["qid", *COLUMNS])
    return ItemSignatures.join(ItemSignatures.of_table(qid_numbers(table["qid"]), table) for table in tables)


def signatures_of_classes(
    parts: Iterable[ItemSignatures], graph: ClassGraph, nodes: Ints, items: Ints, recipe: Recipe
) -> Signatures:
    """The signatures (properties and words of descriptions) that show what instances of some classes (nodes) are like.

    ``parts`` are those of all files. Kept are well-known instances of the classes, and ``items``, indices in the graph.
    """
    instances = graph.instances.take(nodes).targets
    # Items are kept that have the sitelinks that an outlier needs, so any other item is given too few.
    sitelinks = np.full_like(graph.sitelinks, -1)
    sitelinks[instances] = graph.sitelinks[instances]
    graph = replace(graph, sitelinks=sitelinks)
    return Signatures.of(graph, parts, recipe.outliers.min_sitelinks, nodes, items, recipe.seed)


def _first(items: Int64s, flags: Flags, seed: int) -> Flags:
    """Which of the flagged items are the first ``SAMPLE`` by hash key."""
    rows = np.flatnonzero(flags)
    is_first = np.zeros(len(items), dtype=bool)
    is_first[rows[np.argsort(hash_keys(seed, items[rows]))[:SAMPLE]]] = True
    return is_first


def _reference(graph: ClassGraph, items: Int64s, prominent: Flags, candidates: Ints, seed: int) -> CsrRows:
    """A random sample of the prominent instances of each candidate class, at most ``REFERENCE`` of them.

    ``prominent`` has a flag for each of ``items`` (QID numbers), ``candidates`` are nodes. Row v has the positions in
    ``items`` of the instances of node v with the lowest hash keys by the seed; it is empty if v is no candidate.
    """
    is_candidate = np.zeros(len(graph.nodes), dtype=bool)
    is_candidate[candidates] = True
    # The positions of the prominent items of the graph, by hash key; below, their ranks in this order are used.
    by_key = np.flatnonzero(prominent)
    by_key = by_key[np.argsort(hash_keys(seed, items[by_key]))]
    graph_indices, in_graph = indices_of(items[by_key], graph.items)
    by_key = by_key[in_graph]
    classes = graph.classes.take(graph_indices[in_graph])
    classes = classes.keep(is_candidate[classes.targets])
    # Sorted (node, rank) pairs: the first of each node are its sample.
    pairs = csr.pack_pairs(classes.targets, classes.sources())
    pairs.sort()
    nodes = csr.first_of(pairs)
    begins = np.searchsorted(nodes, np.arange(len(graph.nodes) + 1))
    is_sampled = np.arange(len(nodes)) - begins[nodes] < REFERENCE
    sample_sizes = np.minimum(np.diff(begins), REFERENCE)
    return CsrRows(offsets_of(sample_sizes), by_key[csr.second_of(pairs[is_sampled])].astype(np.uint32))


# The numbers of properties whose statements are no relations, by the reasons that ``not_related.toml`` gives.
_REASONS: Final = packaged_tables(__package__, "not_related.toml")
NOT_RELATED: Final = tuple(int(number) for properties in _REASONS.values() for number in properties)


@dataclass(frozen=True, slots=True)
class ItemRelations:
    """The relations in one file of items that may tie items, as indices of both items in the graph."""

    items: npt.NDArray[np.uint32]
    properties: npt.NDArray[np.int32]
    values: npt.NDArray[np.uint32]

    @staticmethod
    def of_columns(graph: ClassGraph, items: Int64s, relations: pa.ChunkedArray, minimum: int) -> "ItemRelations":
        """The relations of ``items`` (QID numbers), from the lists of (property, item) that each states.

        Kept are those between two items of the graph of which one has the ``minimum`` of sitelinks for an outlier.
        """
        lists = relations.combine_chunks()
        pairs = pc.list_flatten(lists)
        properties, values = (pc.struct_field(pairs, field).to_numpy() for field in ("property", "item"))
        sources = np.repeat(items, pc.list_value_length(lists).to_numpy())
        is_relation = ~np.isin(properties, NOT_RELATED) & (sources != values)
        sources, properties, values = sources[is_relation], properties[is_relation], values[is_relation]
        sources, source_known = indices_of(sources, graph.items)
        values, value_known = indices_of(values, graph.items)
        kept = np.flatnonzero(source_known & value_known)
        prominent = graph.sitelinks[sources[kept]] >= minimum
        kept = kept[prominent | (graph.sitelinks[values[kept]] >= minimum)]
        return ItemRelations(sources[kept].astype(np.uint32), properties[kept], values[kept].astype(np.uint32))

    @staticmethod
    def join(parts: Iterable["ItemRelations"]) -> "ItemRelations":
        """The relations of several tables as one."""
        none = np.zeros(0, dtype=np.uint32)
        every = [ItemRelations(none, none.astype(np.int32), none), *parts]
        columns = ([getattr(part, name) for part in every] for name in ItemRelations.__slots__)
        return ItemRelations(*map(np.concatenate, columns))


@dataclass(frozen=True, slots=True)
class Ties:
    """The items that are tied to those that may be members, in the order of the members, then of the items.

    All are indices in the graph. The ties of ``members[i]`` (ascending) are those from ``offsets[i]`` to ``offsets[i +
    1]``: the item that is tied to it, that item's list of classes (``class_lists.outlier_pool``), the property, and
    whether the statement is the member's.
    """

    members: npt.NDArray[np.uint32]
    offsets: Int64s
    items: npt.NDArray[np.uint32]
    lists: npt.NDArray[np.uint32]
    properties: npt.NDArray[np.int32]
    of_member: Flags

    @staticmethod
    def of(parts: Iterable[ItemRelations], members: Ints, pool: Ints, lists: Ints) -> "Ties":
        """Find the statements between a member and an item of the pool, in either direction, in those of all files.

        ``members`` and ``pool`` (the items that may be outliers, ascending) are indices in the graph; ``lists`` has for
        each item of the pool the number of its list of classes.
        """
        wanted = np.unique(members)
        parts_kept, stated_by_member = list[ItemRelations](), [np.zeros(0, dtype=bool)]
        for part in parts:
            # A statement ties two items, an item and its value: either of them may be the member.
            for member, other, by_member in ((part.items, part.values, True), (part.values, part.items, False)):
                kept = np.flatnonzero(indices_of(member, wanted)[1])
                kept = kept[indices_of(other[kept], pool)[1]]
                parts_kept.append(ItemRelations(member[kept], part.properties[kept], other[kept]))
                stated_by_member.append(np.full(len(kept), by_member))
        # From here on the members are the ``items`` of ties, and what is tied to them the ``values``.
        ties, of_member = ItemRelations.join(parts_kept), np.concatenate(stated_by_member)
        order = np.lexsort((~of_member, ties.properties, ties.values, ties.items))
        tied_members, counts = np.unique(ties.items, return_counts=True)
        others = ties.values[order]
        return Ties(
            members=tied_members.astype(np.uint32),
            offsets=offsets_of(counts),
            items=others,
            lists=lists[indices_of(others, pool)[0]].astype(np.uint32),
            properties=ties.properties[order],
            of_member=of_member[order],
        )

    def rows(self, members: Ints) -> list[slice]:
        """Where the ties of each of some members (indices in the graph) are in the columns of ties."""
        rows, is_tied = indices_of(members, self.members)
        edges = zip(rows.tolist(), is_tied.tolist(), strict=True)
        return [slice(self.offsets[row], self.offsets[row + 1]) if tied else slice(0, 0) for row, tied in edges]
