"""What shares of a class are counted over: the statements of its instances, and the instances that nothing links to.

Most items of Wikidata have no sitelink. They can neither be named nor drawn, but how many instances of a class have
another class, or a certain statement, depends on them. So a build has a row for all unlinked items that are alike:

    items   classes                     statements
    4,120   Q13442814 (article)         none
       31   Q5 (human)                  member of: Royal Society
        2   Q5 (human), Q19595382       none
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.qids import qid_numbers
from wikisem.graph.array_types import Int64s
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, offsets_of
from wikisem.graph.outlier_sets.class_lists import class_lists
from wikisem.graph.sorting import indices_of

# A statement is one number: the property by its index, then the item that is the value.
VALUE_BITS: Final = 56


@dataclass(frozen=True, slots=True)
class ItemStatements:
    """Statements whose value is an item: of each the number of its item, and the property and value as one key."""

    items: Int64s
    keys: Int64s

    @staticmethod
    def of_columns(items: Int64s, statements: pa.ChunkedArray, properties: Sequence[str]) -> "ItemStatements":
        """Those of some properties, from the numbers of items and their ``statements`` as in ``schemas.ENTITIES``."""
        lists = statements.combine_chunks()
        lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
        flat = pc.list_flatten(lists)
        names = pc.index_in(flat.field("property"), pa.array(list(properties), pa.string()))
        wanted = pc.indices_nonzero(pc.is_valid(names))
        values = flat.field("value").take(wanted)
        is_item = pc.fill_null(pc.match_substring_regex(values, "^Q[1-9][0-9]{0,15}$"), False)
        wanted, values = wanted.filter(is_item), values.filter(is_item)
        owners = pc.list_parent_indices(lists).take(wanted).to_numpy()
        keys = names.take(wanted).to_numpy().astype(np.int64) << VALUE_BITS | qid_numbers(values)
        return ItemStatements(items[owners], keys)

    @staticmethod
    def join(parts: Sequence["ItemStatements"]) -> "ItemStatements":
        """The statements of several tables as one."""
        none = np.zeros(0, dtype=np.int64)
        return ItemStatements(
            np.concatenate([none, *(part.items for part in parts)]),
            np.concatenate([none, *(part.keys for part in parts)]),
        )


@dataclass(frozen=True, slots=True)
class UnlinkedItems:
    """Items that are in no row of the graph: of ``counts[i]`` items row i of ``classes`` has the nodes.

    ``statements.items`` are rows here: each of the items of that row has the statement.
    """

    counts: Int64s
    classes: CsrRows
    statements: ItemStatements

    @staticmethod
    def of_table(graph: ClassGraph, table: pa.Table, properties: Sequence[str]) -> "UnlinkedItems":
        """From rows of ``schemas.UNLINKED``, with the statements of some properties.

        As in the graph, an item without a node that is left does not count, nor does a page without a subject.
        """
        numbers, lists = np.arange(len(table)), table["instance_of"].combine_chunks()
        coded = lists.flatten().dictionary_encode()
        known = qid_numbers(coded.dictionary)
        nodes, is_node = indices_of(known, graph.nodes)
        _, no_subject = indices_of(known, graph.no_subjects)
        codes, owners = coded.indices.to_numpy(), np.repeat(numbers, np.diff(lists.offsets))
        counted = np.ones(len(table), dtype=bool)
        counted[owners[no_subject[codes]]] = False
        kept = is_node[codes] & counted[owners]
        classes = CsrRows.from_pairs(owners[kept], nodes[codes[kept]], len(table))
        rows = np.flatnonzero(classes.counts())
        statements = ItemStatements.of_columns(numbers, table["statements"], properties)
        indices, found = indices_of(statements.items, rows)
        return UnlinkedItems(
            table["items"].to_numpy()[rows],
            classes.take(rows),
            ItemStatements(indices[found], statements.keys[found]),
        )

    @staticmethod
    def join(parts: Sequence["UnlinkedItems"]) -> "UnlinkedItems":
        """The items of several tables as one; those with the same classes and no statement are one row."""
        none = np.zeros(0, dtype=np.int64)
        begins = offsets_of(np.array([len(part.counts) for part in parts], dtype=np.int64))
        counts = np.concatenate([none, *(part.counts for part in parts)])
        targets = np.concatenate([none.astype(np.uint32), *(part.classes.targets for part in parts)])
        classes = CsrRows(offsets_of(np.concatenate([none, *(part.classes.counts() for part in parts)])), targets)
        statements = ItemStatements.join(
            [
                ItemStatements(part.statements.items + begin, part.statements.keys)
                for part, begin in zip(parts, begins[:-1], strict=True)
            ]
        )
        silent = np.ones(len(counts), dtype=bool)
        silent[statements.items] = False
        speaking = np.flatnonzero(~silent)
        list_of, lists = class_lists(classes.take(np.flatnonzero(silent)))
        together = np.bincount(list_of, counts[silent], minlength=len(lists)).astype(np.int64)
        said = classes.take(speaking)
        return UnlinkedItems(
            np.concatenate([counts[speaking], together]),
            CsrRows(
                offsets_of(np.concatenate([said.counts(), lists.counts()])),
                np.concatenate([said.targets, lists.targets]),
            ),
            ItemStatements(np.searchsorted(speaking, statements.items), statements.keys),
        )


NO_UNLINKED: Final = UnlinkedItems.join([])
