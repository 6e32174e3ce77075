"""The order in which a class draws its outliers: items are on a ring by the hash of their number.

σₒ of Blair et al. (2016, equation 16) draws uniformly; here class v takes the first items of a set from h(seed, v)
onwards, so that the draw differs from class to class and depends on nothing but the seed, the class and the set.

Five items with hash keys 10, 20, 30, 40, 50 have locations 0 to 4 on the ring. A set holds the items at locations 0, 1
and 3, and class v has the hash key 25, so it starts at location 2:

    location   0    1    2    3    4
    key       10   20   30   40   50
    in set    yes  yes  no   yes  no
                        ↑ v starts here and meets 3, then 0, then 1
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.csr import Bitsets, CsrRows, Flags, Int64s, Ints, first_of, offsets_of, pack_pairs, second_of
from wikisem.graph.outlier_sets.neighbourhood import BitPlanes, contains
from wikisem.sampling import hash_keys

# How many locations ahead are examined for many classes at once.
_LOOK: Final = 512
# To start a walk costs as much as examining more: listing all of a set pays off up to this many times what a walk
# would be expected to pass.
_LISTING_BONUS: Final = 2

# How many locations a walk examines before it counts the set, and the factor by which each later look grows.
_FIRST_LOOK: Final = 64
_GROWTH: Final = 8


@dataclass(frozen=True, slots=True)
class HashRing:
    """The outlier pool of a language in the order of its hash keys. A *location* is an index into these arrays.

    ``keys`` (ascending), ``rows`` (the item's row in the caller's table) and ``lists`` (the number of its list of
    classes) have shape ``(n,)``; ``by_list`` has for each list the locations of its items.
    """

    keys: npt.NDArray[np.uint64]
    rows: npt.NDArray[np.uint32]
    lists: npt.NDArray[np.uint32]
    by_list: CsrRows

    @staticmethod
    def of(seed: int, numbers: Ints, rows: Ints, lists: Ints, list_count: int) -> "HashRing":
        """The ring of items with these QID numbers, rows and lists (``list_count`` of them, empty ones included)."""
        keys = hash_keys(seed, numbers)
        order = np.argsort(keys)
        by_list = CsrRows.from_pairs(lists[order], np.arange(len(keys), dtype=np.uint32), list_count)
        return HashRing(keys[order], rows[order].astype(np.uint32), lists[order].astype(np.uint32), by_list)

    def keep(self, flags: Flags) -> "HashRing":
        """The ring of some of the items, one flag for each location."""
        lists = self.lists[flags]
        by_list = CsrRows.from_pairs(lists, np.arange(len(lists), dtype=np.uint32), len(self.by_list))
        return HashRing(self.keys[flags], self.rows[flags], lists, by_list)

    def walk(self, sets: BitPlanes, bit: int, start: np.uint64) -> Iterator[int]:
        """The locations of the items whose list has the bit, from the hash key ``start`` once around the ring.

        Frequent items are found by examining one location after another. If they are so rare that listing and sorting
        them costs less than the expected rest of the walk, they are listed.
        """
        size = len(self.keys)
        begin, examined, look = int(np.searchsorted(self.keys, start)), 0, _FIRST_LOOK
        in_set: Int64s | None = None
        while examined < size:
            ahead = (begin + examined + np.arange(min(look, size - examined))) % size
            yield from ahead[contains(sets.bitsets[self.lists[ahead]], np.uint64(bit))].tolist()
            examined += len(ahead)
            look *= _GROWTH
            if examined < size:
                in_set = sets.rows_with(bit) if in_set is None else in_set
                if int((self.by_list.offsets[in_set + 1] - self.by_list.offsets[in_set]).sum()) <= look:
                    # All locations of the set that have not been examined yet.
                    steps: Int64s = (self.by_list.take(in_set).targets.astype(np.int64) - begin) % size
                    steps.sort()
                    yield from ((begin + steps[steps >= examined]) % size).tolist()
                    return

    def spread(self, lists: CsrRows, starts: Bitsets, most: int) -> CsrRows:
        """About ``most`` locations of each row's lists: all, or as many from equal parts of all, as ``starts`` decides.

        It depends on the items of this ring alone: lists have other numbers if other languages are built with it.
        """
        offsets = self.by_list.offsets
        lists = lists.keep(offsets[lists.targets + 1] > offsets[lists.targets])
        begins, owners = offsets[lists.targets], lists.sources()
        sizes = offsets[lists.targets + 1] - begins
        row_items = np.diff(offsets_of(sizes)[lists.offsets])[owners]
        wanted = np.minimum(row_items, most)
        shifts = (self.keys[self.by_list.targets[begins]] + starts[owners]) % row_items.astype(np.uint64)
        # Of a row with n items of which m are wanted, a list gives m / n: the one at i if (i + 1) * m + shift reaches
        # another multiple of n than i * m + shift, so the j-th is at (n - 1 - shift + j * n) // m. A shift for each
        # list, by the key of its first item, decides which of those that are due less than one item give it.
        counts = (sizes * wanted + shifts.astype(np.int64)) // row_items
        list_offsets = offsets_of(counts)
        steps = np.arange(list_offsets[-1]) - np.repeat(list_offsets[:-1], counts)
        scaled = np.repeat(row_items - 1 - shifts.astype(np.int64), counts) + steps * np.repeat(row_items, counts)
        locations = self.by_list.targets[np.repeat(begins, counts) + scaled // np.repeat(wanted, counts)]
        return CsrRows(list_offsets[lists.offsets], locations)

    def in_order(self, rows: Ints, locations: Ints, begins: Ints) -> Int64s:
        """The locations of each row, row by row, in the order in which a walk from ``begins[row]`` on meets them.

        Location ``locations[i]`` belongs to row ``rows[i]``; a row may have any number of them.
        """
        size = max(len(self.keys), 1)
        steps = pack_pairs(rows, (locations.astype(np.int64) - begins[rows]) % size)
        steps.sort()
        in_order: Int64s = (begins[first_of(steps)] + second_of(steps)) % size
        return in_order

    def first_locations(self, sets: BitPlanes, bits: Ints, starts: Bitsets, count: int) -> list[list[int]]:
        """The first ``count`` locations of ``walk`` for many classes at once: bit ``bits[i]`` from ``starts[i]``.

        The next locations are examined for all classes. For classes that find too few there, whole sets are listed
        where that costs less than to walk on.
        """
        size = len(self.keys)
        begins = np.searchsorted(self.keys, starts)
        ahead = (begins[:, None] + np.arange(min(_LOOK, size))) % max(size, 1)
        hits = contains(sets.bitsets[self.lists[ahead]], bits[:, None])
        found = [locations[hit][:count].tolist() for locations, hit in zip(ahead, hits, strict=True)]
        short = np.flatnonzero(np.count_nonzero(hits, axis=1) < count)
        if size <= _LOOK or not len(short):
            return found
        # Every list that has one of the bits of these classes, once for each of them, and which of the classes it is.
        short_bits = bits[short]
        bitsets = sets.bitsets & np.bitwise_or.reduce(np.uint64(1) << short_bits.astype(np.uint64))
        with_bits = np.flatnonzero(bitsets != 0)
        flags = np.unpackbits(bitsets[with_bits].astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        rows, bit_of_list = np.nonzero(flags.view(bool))
        lists = with_bits[rows]
        class_of_list = np.argsort(short_bits)[np.searchsorted(np.sort(short_bits), bit_of_list)]
        sizes = self.by_list.offsets[lists + 1] - self.by_list.offsets[lists]
        items = np.bincount(class_of_list, weights=sizes, minlength=len(short))
        # A walk expects to pass count * size / items locations; listing costs about as much as there are items.
        is_listed = items * items <= _LISTING_BONUS**2 * count * size
        kept = is_listed[class_of_list]
        located = self.by_list.take(lists[kept])
        owners = class_of_list[kept][located.sources()]
        in_order = self.in_order(owners, located.targets, begins[short])
        first = offsets_of(np.bincount(owners, minlength=len(short))).tolist()
        for row, index in enumerate(short.tolist()):
            if is_listed[row]:
                found[index] = in_order[first[row] : min(first[row] + count, first[row + 1])].tolist()
            else:
                found[index] = list(islice(self.walk(sets, int(bits[index]), starts[index]), count))
        return found
