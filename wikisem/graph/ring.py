"""The choice of outliers: possible outliers stand on a ring by the hash of their number, and a class walks along it.

σₒ of Blair et al. (2016, equation 16) draws uniformly; here class v takes the first items of a set from h(seed, v)
onwards, so that the draw differs from class to class and depends on nothing but the seed, the class and the set.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.kinds import Index, Ints
from wikisem.graph.rows import Rows
from wikisem.graph.words import Bits
from wikisem.seeds import places

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
