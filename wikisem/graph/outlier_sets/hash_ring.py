"""The choice of outliers: possible outliers stand on a ring by the hash of their number, and a class walks along it.

σₒ of Blair et al. (2016, equation 16) draws uniformly; here class v takes the first items of a set from h(seed, v)
onwards, so that the draw differs from class to class and depends on nothing but the seed, the class and the set.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.csr import Rows
from wikisem.graph.outlier_sets.bitsets import Bits, pairs
from wikisem.graph.sorting import first_of, pack, second_of
from wikisem.graph.types import Index, Ints, Words
from wikisem.sampling import places

# How many items ahead are looked at for many classes at once. Then, to begin a walk takes as long as to look at more,
# so a class may have so many times as many items as would pay, and is listed all the same.
_LOOK: Final = 512
_MORE: Final = 2

# How many items a walk looks at before it counts what there is, and the factor by which each later look grows.
_FIRST_LOOK: Final = 64
_GROWTH: Final = 8


@dataclass(frozen=True, slots=True)
class Ring:
    """Possible outliers in the order of their places on the ring of 2**64.

    ``places`` (ascending), ``rows`` (what the caller knows an item by) and ``lists`` (the number of its list of
    classes) are of shape ``(n,)``; ``by_list`` holds for each list the positions of its items on the ring.
    """

    places: npt.NDArray[np.uint64]
    rows: npt.NDArray[np.uint32]
    lists: npt.NDArray[np.uint32]
    by_list: Rows

    @staticmethod
    def of(seed: int, numbers: Ints, rows: Ints, lists: Ints, list_count: int) -> "Ring":
        """The ring of items with these numbers, rows and lists."""
        around = places(seed, numbers)
        order = np.argsort(around)
        ordered = lists[order].astype(np.uint32)
        by_list = Rows.from_pairs(ordered, np.arange(len(order), dtype=np.uint32), list_count)
        return Ring(around[order], rows[order].astype(np.uint32), ordered, by_list)

    def leading(self, sets: Bits, bits: Ints, starts: Words, count: int) -> list[list[int]]:
        """The first ``count`` positions of ``walk`` for many classes at once: bit ``bits[i]`` from ``starts[i]``."""
        size = len(self.places)
        begins = np.searchsorted(self.places, starts)
        ahead = (begins[:, None] + np.arange(min(_LOOK, size))) % max(size, 1)
        met = sets.held(self.lists[ahead], bits[:, None])
        found = [row[hits][:count].tolist() for row, hits in zip(ahead, met, strict=True)]
        short = np.flatnonzero(np.count_nonzero(met, axis=1) < count)
        if size > _LOOK and len(short):
            for place, more in zip(short.tolist(), self._listed(sets, bits[short], begins[short], count), strict=True):
                walk = self.walk(sets, int(bits[place]), starts[place])
                found[place] = list(islice(walk, count)) if more is None else more
        return found

    def _listed(self, sets: Bits, bits: Ints, begins: Ints, count: int) -> Iterator[list[int] | None]:
        """The first positions of each class, by listing all it has; None for one that has too many."""
        lists, places = pairs(sets.words & np.bitwise_or.reduce(np.uint64(1) << bits.astype(np.uint64)))
        asked = np.argsort(bits)[np.searchsorted(np.sort(bits), places)]
        sizes = self.by_list.offsets[lists + 1] - self.by_list.offsets[lists]
        many = np.bincount(asked, weights=sizes, minlength=len(bits))
        # All are listed where they are fewer than the items that a walk can expect to pass on its way to ``count``.
        few = many * many <= _MORE * _MORE * count * len(self.places)
        listed = few[asked]
        positions = self.by_list.take(lists[listed])
        owners = asked[listed][positions.sources()]
        keys = pack(owners, (positions.targets.astype(np.int64) - begins[owners]) % len(self.places))
        keys.sort()
        edges = np.searchsorted(first_of(keys), np.arange(len(bits) + 1))
        for place, (first, end) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
            steps = second_of(keys[first : min(end, first + count)])
            yield ((begins[place] + steps) % len(self.places)).tolist() if few[place] else None

    def walk(self, sets: Bits, place: int, start: np.uint64) -> Iterator[int]:
        """Positions of the items whose list holds bit ``place``, from ``start`` once around the ring.

        Where hits are frequent they are met by walking; where they are so rare that listing and sorting them all
        costs less than the walk that is still to be expected, they are listed.
        """
        size = len(self.places)
        begin, looked, look = int(np.searchsorted(self.places, start)), 0, _FIRST_LOOK
        hits: Index | None = None
        while looked < size:
            ahead = (begin + looked + np.arange(min(look, size - looked))) % size
            yield from ahead[sets.held(self.lists[ahead], place)].tolist()
            looked += len(ahead)
            look *= _GROWTH
            if looked < size:
                hits = sets.rows(place) if hits is None else hits
                if int((self.by_list.offsets[hits + 1] - self.by_list.offsets[hits]).sum()) <= look:
                    yield from self._list(hits, begin, looked)
                    return

    def _list(self, hits: Index, begin: int, looked: int) -> list[int]:
        """All positions of the lists ``hits`` that the walk has not met, in its order."""
        steps: Index = (self.by_list.take(hits).targets.astype(np.int64) - begin) % len(self.places)
        steps.sort()
        rest: list[int] = ((begin + steps[steps >= looked]) % len(self.places)).tolist()
        return rest
