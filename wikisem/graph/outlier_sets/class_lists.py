"""What outlier sets are computed on: candidate classes, the outlier pool by list, and counts of unlinked items.

Items of the pool with the same list of classes are in the same outlier sets, so every set is computed on the distinct
lists (``PoolLists``).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from wikisem.arrow.columns import distinct, qid_numbers
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import NO_ROWS, CsrRows, Flags, Int64s, Ints, indices_of, pack_pairs, rank_keys
from wikisem.recipes.options import Fame


@dataclass(frozen=True, slots=True)
class CandidateClasses:
    """The candidate classes of a language (``nodes``, ascending), and the instances that may become their clusters.

    The targets of ``leading`` are items of the graph as ``candidate_classes`` makes it, rows of the language's table of
    surface forms in ``LanguageInputs``.
    """

    nodes: Int64s
    leading: CsrRows


class PageLinks(NamedTuple):
    """How many links of a language's Wikipedia lead to the pages of some items of the graph, which are ascending."""

    items: Ints
    links: Int64s

    @staticmethod
    def of(parts: Iterable[tuple[Ints, Int64s]]) -> "PageLinks":
        """From parts of the items, in any order, of which some may have no link."""
        linked = [(items[links > 0], links[links > 0]) for items, links in parts]
        items, links = map(np.concatenate, zip(*linked, strict=True))
        order = np.argsort(items)
        return PageLinks(items[order], links[order])

    def weights(self, graph: ClassGraph, items: Ints) -> npt.NDArray[np.float64]:
        """The local prominence of items: links · ln((1 + M) / (1 + sitelinks)), where M is the most of any item.

        It is tf-idf, with links for the frequency of a term and wikis for documents (Spärck Jones 1972): a page that
        every wiki has says less of what writers of this one care for. Items without links have 0.

        >>> from wikisem.graph.taxonomy import Taxonomy
        >>> from wikisem.records import Entity
        >>> known = [("Q1", 299), ("Q2", 9), ("Q3", 9)]
        >>> graph = Taxonomy.of_entities([Entity(qid, ("Q9",), (), number) for qid, number in known]).graph
        >>> links = PageLinks(np.array([0, 1]), np.array([500, 40]))
        >>> links.weights(graph, np.arange(3)).round(1).tolist()
        [0.0, 136.0, 0.0]
        """
        rows, known = indices_of(items, self.items)
        links = np.zeros(len(items))
        links[known] = self.links[rows[known]]
        most = int(graph.sitelinks.max(initial=0))
        # One logarithm for each number of sitelinks, by the same function on every machine.
        rarity = np.array([math.log((1 + most) / (1 + number)) for number in range(most + 1)])
        found: npt.NDArray[np.float64] = links * rarity[graph.sitelinks[items]]
        return found


def candidate_classes(
    graph: ClassGraph, has_surface: Flags, minimum: int, size: int, fame: Fame = "all", links: PageLinks | None = None
) -> CandidateClasses:
    """The nodes with at least ``minimum`` instances with a surface form, and the first ``size`` of these instances.

    ``has_surface`` is one flag for each item of the graph. First come the instances with most sitelinks; with ``links``
    those of most local prominence, ties by sitelinks. With a ``fame`` of head, torso or tail, only the most prominent
    third of these instances of each class, the next or the last is counted and taken.
    """
    # The instances with a surface form, as positions among all instances: named[begins[i]:ends[i]] are those of node i.
    named = np.flatnonzero(has_surface[graph.instances.targets])
    bounds = np.searchsorted(named, graph.instances.offsets)
    begins, ends = bounds[:-1], bounds[1:]
    next_differs = np.zeros(max(len(named) - 1, 0), dtype=bool)  # in prominence
    if links is not None:
        weights = links.weights(graph, graph.instances.targets[named])
        order = np.lexsort((-weights, np.repeat(np.arange(len(begins)), ends - begins)))
        named, next_differs = named[order], np.diff(weights[order]) != 0
    if fame != "all":
        # An instance is in the head if fewer than a third of its class are more prominent, else in the torso if fewer
        # than two thirds are. So a cut between instances of the same prominence is made after the last of them.
        next_differs |= np.diff(graph.sitelinks[graph.instances.targets[named]]) != 0
        possible_cuts, cuts = np.flatnonzero(next_differs) + 1, list[Int64s]()
        for part in (1, 2):
            nominal = begins + -(-part * (ends - begins) // 3)  # rounded up
            following = np.append(possible_cuts, len(named))[np.searchsorted(possible_cuts, nominal)]
            cuts.append(np.minimum(following, ends))
        thirds = {"head": (begins, cuts[0]), "torso": (cuts[0], cuts[1]), "tail": (cuts[1], ends)}
        begins, ends = thirds[fame]
    nodes = np.flatnonzero(ends - begins >= minimum)
    begins, ends = begins[nodes], np.minimum(ends[nodes], begins[nodes] + size)
    leading = CsrRows.slices(begins, ends, named)
    return CandidateClasses(nodes, CsrRows(leading.offsets, graph.instances.targets[leading.targets]))


# The node of an item that is not a class.
NO_NODE: Final = -1


@dataclass(frozen=True, slots=True)
class PoolLists:
    """What the items on each list of the outlier pool have in common.

    ``classes`` are the nodes they are an instance of, ``others`` the ``other_classes`` of the graph; ``nodes`` is the
    node that the one item of a list is itself, or ``NO_NODE``.

    A few items differ in more than their classes: one is a class itself, one is an instance of something at a rank that
    is not the best, or of a pruned class. These get lists of their own, so that a list is all that any rule needs:

        Q90 Paris      instance of Q515 (city)                                  list 0
        Q64 Berlin     instance of Q515                                         list 0
        Q585 Oslo      instance of Q515; of Q1549591 (big city), not preferred  list 1
    """

    classes: CsrRows
    others: CsrRows
    nodes: Int64s

    def __len__(self) -> int:
        return len(self.nodes)


def outlier_pool(graph: ClassGraph, by_language: Iterable[Ints]) -> tuple[Ints, Int64s, PoolLists]:
    """Put all items that may be an outlier in some language on lists: those on a list are alike to every rule.

    Returns the items of all languages (indices in the graph, ascending), the number of each one's list, and the lists.
    """
    items = distinct(np.concatenate([np.zeros(0, dtype=np.uint32), *by_language]))
    classes, others = graph.classes.take(items), graph.other_classes.take(items)
    nodes, is_node = indices_of(graph.items[items], graph.nodes)
    nodes[~is_node] = NO_NODE
    # A few items are special: they are classes themselves, or have classes that are pruned or not of the best rank. Two
    # that are special in the same way get the same number, 0 is for all others. Each has a row of its other classes and
    # its own node, moved up past them.
    special = np.flatnonzero(is_node | (others.counts() > 0))
    special_numbers = np.zeros(len(items), dtype=np.int64)
    their_others = others.take(special)
    owners = np.concatenate([their_others.sources(), np.arange(len(special))])
    targets = np.concatenate([their_others.targets, nodes[special] + 1 + len(graph.whole_up)])
    special_numbers[special] = 1 + class_lists(CsrRows.from_pairs(owners, targets, len(special)))[0]
    # Items with the same classes and the same special number share a list; one of them shows what is on it.
    count, numbers = rank_keys(pack_pairs(class_lists(classes)[0], special_numbers))
    example = np.zeros(count, dtype=np.int64)
    example[numbers] = np.arange(len(items))
    return items, numbers, PoolLists(classes.take(example), others.take(example), nodes[example])


def class_lists(rows: CsrRows) -> tuple[Int64s, CsrRows]:
    """Number the distinct rows, each the classes of an item: the number of each row, and the distinct rows as lists.

    Rows must be sorted. They are compared exactly, not by hash: each round extends the prefix of every row by one
    class, and numbers the distinct prefixes.

    >>> rows = CsrRows(np.array([0, 2, 3, 5]), np.array([4, 6, 4, 4, 6]))    # [4, 6], [4], [4, 6]
    >>> numbers, lists = class_lists(rows)
    >>> numbers.tolist(), [lists.row(number).tolist() for number in range(len(lists))]
    ([1, 0, 1], [[4], [4, 6]])
    """
    counts = rows.counts()
    prefix = np.zeros(len(rows), dtype=np.int64)
    numbered = 1
    for step in range(int(counts.max(initial=0))):
        longer = np.flatnonzero(counts > step)  # the rows that have a class more
        count, ranks = rank_keys(pack_pairs(prefix[longer], rows.targets[rows.offsets[longer] + step]))
        prefix[longer] = numbered + ranks
        numbered += count
    count, numbers = rank_keys(prefix.astype(np.uint64))
    example = np.zeros(count, dtype=np.int64)
    example[numbers] = np.arange(len(rows))
    return numbers, rows.take(example)


@dataclass(frozen=True, slots=True)
class CountedLists:
    """Lists of classes that items have, and how many items have each.

    Row i is ``counts[i]`` items whose nodes and hidden classes, numbered as in ``ClassGraph.whole_up``, are row i of
    ``classes``. *Unlinked* items are not in the graph because nothing links to them: most items of Wikidata have no
    sitelink. They can neither be named nor drawn, but how many instances two classes share depends on them:

        items   classes
        4,120   Q13442814 (article)
            2   Q5 (human), Q19595382
    """

    counts: Int64s
    classes: CsrRows

    @staticmethod
    def of_table(graph: ClassGraph, table: pa.Table) -> "CountedLists":
        """Unlinked items from rows of ``schemas.UNLINKED``: a list of classes (QIDs), and how many items have it.

        As in the graph, items that have lost all their classes do not count, nor do disambiguation pages and the like.
        """
        lists = table["instance_of"].combine_chunks()
        coded = lists.flatten().dictionary_encode()
        codes, rows = coded.indices.to_numpy(), np.repeat(np.arange(len(table)), np.diff(lists.offsets))
        # Of each distinct class its node. Hidden classes (pruned, but below a node) are numbered after all nodes.
        class_numbers = qid_numbers(coded.dictionary)
        nodes, is_left = indices_of(class_numbers, graph.nodes)
        hidden, is_hidden = indices_of(class_numbers, graph.hidden)
        nodes[is_hidden] = len(graph.nodes) + hidden[is_hidden]
        is_left |= is_hidden
        # Rows with a class of such pages, and the other rows' classes that are left.
        _, is_of_pages = indices_of(class_numbers, graph.no_subjects)
        is_page = np.zeros(len(table), dtype=bool)
        is_page[rows[is_of_pages[codes]]] = True
        kept = is_left[codes] & ~is_page[rows]
        classes = CsrRows.from_pairs(rows[kept], nodes[codes[kept]], len(table))
        with_class = np.flatnonzero(classes.counts())
        return CountedLists(table["items"].to_numpy()[with_class], classes.take(with_class))

    @staticmethod
    def join(parts: Sequence["CountedLists"]) -> "CountedLists":
        """Add up how many items have each list of classes in all parts; each distinct list becomes one row."""
        none = np.zeros(0, dtype=np.int64)
        counts = np.concatenate([none, *(part.counts for part in parts)])
        classes = CsrRows.join([NO_ROWS, *(part.classes for part in parts)])
        numbers, lists = class_lists(classes)
        # Floating-point sums are exact up to 2**53.
        return CountedLists(np.bincount(numbers, counts, minlength=len(lists)).astype(np.int64), lists)


NO_UNLINKED: Final = CountedLists.join([])
