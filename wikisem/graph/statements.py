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

# Signatures, and what rules measure them by.

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
        """From item numbers, and the other columns of ``COLUMNS`` as in ``schemas.ENTITIES``."""
        lists, sitelinks = table["properties"].combine_chunks(), table["sitelinks"]
        properties = CsrRows(offsets_of(pc.list_value_length(lists).to_numpy()), pc.list_flatten(lists).to_numpy())
        texts = pc.fill_null(table["description"].combine_chunks(), "").dictionary_encode()
        of_texts = [sorted(words_by_number(text)) for text in texts.dictionary.to_pylist()]
        counts = np.array(list(map(len, of_texts)), dtype=np.int64)
        numbers = np.array(list(chain.from_iterable(of_texts)), dtype=np.int64)
        words = CsrRows(offsets_of(counts), numbers).take(texts.indices.to_numpy())
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
        """From the signatures of all files.

        ``candidates`` are the nodes that get a ``reference``, ``minimum`` is how many sitelinks an outlier needs, and
        ``members`` are items of the graph (indices) that are wanted as well, however few they have.
        """
        wanted = graph.sitelinks >= minimum
        wanted[members] = True
        # Prominent items, and those with each property, are counted in all files; only wanted and sampled items stay.
        prominent_count, having_property, parts_kept = 0, np.zeros(0, dtype=np.int64), list[ItemSignatures]()
        for part in parts:
            is_prominent = part.sitelinks >= minimum
            prominent_count += int(np.count_nonzero(is_prominent))
            counts = np.bincount(part.properties.take(np.flatnonzero(is_prominent)).targets)
            having_property = np.pad(having_property, (0, max(0, len(counts) - len(having_property))))
            having_property[: len(counts)] += counts
            indices, stays = indices_of(part.items, graph.items)
            stays[stays] = wanted[indices[stays]]
            parts_kept.append(part.take(np.flatnonzero(stays | _first(part.items, is_prominent, seed))))
        kept = ItemSignatures.join(parts_kept)
        del parts_kept
        kept = kept.take(np.argsort(kept.items))
        is_prominent = kept.sitelinks >= minimum
        sample = np.flatnonzero(_first(kept.items, is_prominent, seed))

        # Properties that nothing kept has are left out, and the others are numbered in their order.
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
    return ItemSignatures.join(
        ItemSignatures.of_table(qid_numbers(table["qid"]), table) for table in read_row_groups(path, ["qid", *COLUMNS])
    )


def signatures_of_classes(
    parts: Iterable[ItemSignatures], graph: ClassGraph, nodes: Ints, items: Ints, recipe: Recipe
) -> Signatures:
    """The signatures by which groups measure a few classes (nodes), with those of some items of the graph.

    ``parts`` are those of all files; only instances of the classes are kept.
    """
    instances = graph.instances.take(nodes).targets
    sitelinks = np.full_like(graph.sitelinks, -1)
    sitelinks[instances] = graph.sitelinks[instances]
    return Signatures.of(
        replace(graph, sitelinks=sitelinks), parts, recipe.outliers.min_sitelinks, nodes, items, recipe.seed
    )


def _first(items: Int64s, flags: Flags, seed: int) -> Flags:
    """Which of the flagged items are the first ``SAMPLE`` by hash key."""
    rows = np.flatnonzero(flags)
    is_first = np.zeros(len(items), dtype=bool)
    is_first[rows[np.argsort(hash_keys(seed, items[rows]))[:SAMPLE]]] = True
    return is_first


def _reference(graph: ClassGraph, items: Int64s, prominent: Flags, candidates: Ints, seed: int) -> CsrRows:
    """What candidate classes are compared with: a random sample of the prominent instances of each.

    ``prominent`` has a flag for each of ``items`` (numbers), ``candidates`` are nodes. Each node has a row, empty if it
    is no candidate: where in ``items`` its sample is, at most ``REFERENCE`` items with the lowest keys by the seed.
    """
    is_candidate = np.zeros(len(graph.nodes), dtype=bool)
    is_candidate[candidates] = True
    rows = np.flatnonzero(prominent)
    rows = rows[np.argsort(hash_keys(seed, items[rows]))]
    graph_indices, in_graph = indices_of(items[rows], graph.items)  # the graph numbers its items in its own way
    rows = rows[in_graph]
    classes = graph.classes.take(graph_indices[in_graph])
    classes = classes.keep(is_candidate[classes.targets])
    # The instances of a node in the order of their hash keys: their places in that order ascend.
    pairs = csr.pack_pairs(classes.targets, classes.sources())
    pairs.sort()
    nodes = csr.first_of(pairs)
    begins = np.searchsorted(nodes, np.arange(len(graph.nodes) + 1))
    is_first = np.arange(len(nodes)) - begins[nodes] < REFERENCE
    counts = np.minimum(np.diff(begins), REFERENCE)
    return CsrRows(offsets_of(counts), rows[csr.second_of(pairs[is_first])].astype(np.uint32))


# Relations.

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
        """From item numbers, and a column as in ``schemas.ENTITIES``.

        Both items are in the graph, and one of them has the ``minimum`` of sitelinks that an outlier needs.
        """
        lists = relations.combine_chunks()
        pairs = pc.list_flatten(lists)
        properties, values = (pc.struct_field(pairs, field).to_numpy() for field in range(2))
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
        return ItemRelations(
            np.concatenate([part.items for part in every]),
            np.concatenate([part.properties for part in every]),
            np.concatenate([part.values for part in every]),
        )


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
        """From the relations of all files, those between a member and an item of the pool, in either direction.

        ``pool`` are the items that may be outliers, ascending; ``lists`` has the list of classes of each.
        """
        wanted = np.unique(members)
        parts_kept = [ItemRelations.join([])]
        of_member = [np.zeros(0, dtype=bool)]
        for part in parts:
            for member, item, is_member in ((part.items, part.values, True), (part.values, part.items, False)):
                kept = np.flatnonzero(indices_of(member, wanted)[1])
                kept = kept[indices_of(item[kept], pool)[1]]
                parts_kept.append(ItemRelations(member[kept], part.properties[kept], item[kept]))
                of_member.append(np.full(len(kept), is_member))
        ties, flags = ItemRelations.join(parts_kept), np.concatenate(of_member)
        order = np.lexsort((~flags, ties.properties, ties.values, ties.items))
        tied_members, counts = np.unique(ties.items, return_counts=True)
        items = ties.values[order]
        return Ties(
            members=tied_members.astype(np.uint32),
            offsets=offsets_of(counts),
            items=items,
            lists=lists[indices_of(items, pool)[0]].astype(np.uint32),
            properties=ties.properties[order],
            of_member=flags[order],
        )

    def rows(self, members: Ints) -> list[slice]:
        """Where the ties of each of some members are."""
        rows, is_tied = indices_of(members, self.members)
        edges = zip(rows.tolist(), is_tied.tolist(), strict=True)
        return [slice(self.offsets[row], self.offsets[row + 1]) if tied else slice(0, 0) for row, tied in edges]
