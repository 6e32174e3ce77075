"""Relations: what the statements of items are about, and how they tie items to the members of clusters.

Similarity is not relatedness: Tuscany is tied to its towns, and is no town. A *tie* is a statement between a member and
another item, in either direction:

    Florence   located in (P131)   Tuscany      ties Tuscany to the member Florence
    Tuscany    capital (P36)       Florence     does so as well
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Flags, Int64s, Ints, indices_of, offsets_of
from wikisem.typed_json import packaged_tables

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
        """From the relations of all files; ``pool`` are the items that may be outliers, ascending, with their lists."""
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
