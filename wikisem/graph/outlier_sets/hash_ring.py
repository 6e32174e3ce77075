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
        """Yield the locations of the items of a set, from the hash key ``start`` once around the ring.

        A location is an index into the ring; in the set are items whose list of classes has the ``bit`` in ``sets``.
        Locations are examined in order, more of them each time. Once the set has no more items than would be examined
        next, all of it is listed instead.
        """
        size = len(self.keys)
        begin, examined, next_look = int(np.searchsorted(self.keys, start)), 0, _FIRST_LOOK
        lists_in_set: Int64s | None = None
        while examined < size:
            ahead = (begin + examined + np.arange(min(next_look, size - examined))) % size
            yield from ahead[contains(sets.bitsets[self.lists[ahead]], np.uint64(bit))].tolist()
            examined += len(ahead)
            next_look *= _GROWTH
            if examined < size:
                lists_in_set = sets.rows_with(bit) if lists_in_set is None else lists_in_set
                sizes = self.by_list.offsets[lists_in_set + 1] - self.by_list.offsets[lists_in_set]
                if int(sizes.sum()) <= next_look:
                    # All locations of the set, as steps from where the walk began, but for those examined already.
                    steps: Int64s = (self.by_list.take(lists_in_set).targets.astype(np.int64) - begin) % size
                    steps.sort()
                    yield from ((begin + steps[steps >= examined]) % size).tolist()
                    return

    def spread(self, lists: CsrRows, starts: Bitsets, most: int) -> CsrRows:
        """Take about ``most`` of the items on each row's lists, the same share of every list, spread evenly over it.

        Returns locations on the ring, one row for each of ``lists``. ``starts`` has a hash key for each row, which
        decides where to begin. The numbers of lists do not, since they are others if other languages are built.
        """
        # The lists that have items, each with the row that asks for it: m of the n items on all lists of the row.
        offsets = self.by_list.offsets
        lists = lists.keep(offsets[lists.targets + 1] > offsets[lists.targets])
        begins, rows = offsets[lists.targets], lists.sources()
        sizes = offsets[lists.targets + 1] - begins
        n = np.diff(offsets_of(sizes)[lists.offsets])[rows]
        m = np.minimum(n, most)
        # Every item of a list adds m to a counter, and is taken if the counter reaches or passes a multiple of n. With
        # n = 10 and m = 4 it is 4, 8, 12, 16, 20: the items at 2 and 4 are taken, 4 of 10. The counter of a list begins
        # at its shift, below n, so that of small lists, due less than one item, some give one.
        shifts = ((self.keys[self.by_list.targets[begins]] + starts[rows]) % n.astype(np.uint64)).astype(np.int64)
        taken = (sizes * m + shifts) // n  # how many of each list
        list_offsets = offsets_of(taken)
        # Number j of these is the item at index (n - 1 - shift + j * n) // m of its list.
        j = np.arange(list_offsets[-1]) - np.repeat(list_offsets[:-1], taken)
        indices = (np.repeat(n - 1 - shifts, taken) + j * np.repeat(n, taken)) // np.repeat(m, taken)
        return CsrRows(list_offsets[lists.offsets], self.by_list.targets[np.repeat(begins, taken) + indices])

    def in_order(self, rows: Ints, locations: Ints, begins: Ints) -> Int64s:
        """Sort locations (indices into the ring) by row, then in the order in which a walk around the ring meets them.

        Location ``locations[i]`` belongs to row ``rows[i]``, and the walk of a row begins at location ``begins[row]``.
        """
        size = max(len(self.keys), 1)
        rows_and_steps = pack_pairs(rows, (locations.astype(np.int64) - begins[rows]) % size)
        rows_and_steps.sort()
        in_order: Int64s = (begins[first_of(rows_and_steps)] + second_of(rows_and_steps)) % size
        return in_order

    def first_locations(self, sets: BitPlanes, bits: Ints, starts: Bitsets, count: int) -> list[list[int]]:
        """For many classes at once, the locations of the first ``count`` items that each meets on its walk.

        Class i has bit ``bits[i]`` in ``sets`` (in its set are items whose list of classes has it), and starts at the
        hash key ``starts[i]``. The next locations are examined for all classes. For a class that finds too few there,
        its whole set is listed where that costs less than to walk on.
        """
        # The next _LOOK locations of each class, as a row, and which of them are in its set. Mostly these are enough.
        size = len(self.keys)
        begins = np.searchsorted(self.keys, starts)
        ahead = (begins[:, None] + np.arange(min(_LOOK, size))) % max(size, 1)
        hits = contains(sets.bitsets[self.lists[ahead]], bits[:, None])
        found = [locations[hit][:count].tolist() for locations, hit in zip(ahead, hits, strict=True)]
        unfinished = np.flatnonzero(np.count_nonzero(hits, axis=1) < count)
        if size <= _LOOK or not len(unfinished):
            return found
        # How many items the set of each unfinished class has. Of each list with any of their bits, 64 flags give
        # all (list, bit) pairs, and each bit its class, by position among the unfinished ones.
        unfinished_bits = bits[unfinished]
        bitsets = sets.bitsets & np.bitwise_or.reduce(np.uint64(1) << unfinished_bits.astype(np.uint64))
        with_bits = np.flatnonzero(bitsets != 0)
        flags = np.unpackbits(bitsets[with_bits].astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        rows, bit_of_pair = np.nonzero(flags.view(bool))
        list_of_pair = with_bits[rows]
        class_of_pair = np.argsort(unfinished_bits)[np.searchsorted(np.sort(unfinished_bits), bit_of_pair)]
        sizes = self.by_list.offsets[list_of_pair + 1] - self.by_list.offsets[list_of_pair]
        set_sizes = np.bincount(class_of_pair, weights=sizes, minlength=len(unfinished))
        # A walk expects to pass count * size / set size locations; listing costs about as much as the set has items.
        is_listed = set_sizes * set_sizes <= _LISTING_BONUS**2 * count * size
        # All items of the sets that are listed, in the order in which each class meets them; the other classes walk.
        kept = is_listed[class_of_pair]
        located = self.by_list.take(list_of_pair[kept])
        classes = class_of_pair[kept][located.sources()]
        in_order = self.in_order(classes, located.targets, begins[unfinished])
        offsets = offsets_of(np.bincount(classes, minlength=len(unfinished))).tolist()
        for row, index in enumerate(unfinished.tolist()):
            if is_listed[row]:
                found[index] = in_order[offsets[row] : min(offsets[row] + count, offsets[row + 1])].tolist()
            else:
                found[index] = list(islice(self.walk(sets, int(bits[index]), starts[index]), count))
        return found
