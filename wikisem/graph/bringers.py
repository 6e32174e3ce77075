"""Which class brought an outlier in: the sibling, the cousin, or for O3 the outlier's own class."""

from collections.abc import Set as AbstractSet
from functools import lru_cache

from wikisem.graph.build import Graph


class Bringers:
    """Answers for many outliers of one graph; nodes in, nodes out, and the lowest wherever several qualify."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._over = lru_cache(maxsize=1 << 14)(self._find_over)
        self._parents = lru_cache(maxsize=1 << 18)(self._find_parents)

    def of(self, item: int, node: int, sources: AbstractSet[int]) -> int:
        """The lowest child of the ``sources``, other than ``node``, that the item is an instance of or below.

        The sources are the parents of ``node`` for O1 and its grandparents for O2. Where there are none (O3), it is
        the lowest class of the item itself.
        """
        classes = tuple(self._graph.classes.row(item).tolist())
        if not sources:
            return int(classes[0])
        return next(over for over, parents in self._over(classes) if over != node and not sources.isdisjoint(parents))

    def _find_over(self, classes: tuple[int, ...]) -> list[tuple[int, frozenset[int]]]:
        """The classes and everything above them, lowest first, each with its parents."""
        seen = set(classes)
        front = list(classes)
        while front:
            fresh = self._parents(front.pop()) - seen
            seen |= fresh
            front.extend(fresh)
        return [(node, self._parents(node)) for node in sorted(seen)]

    def _find_parents(self, node: int) -> frozenset[int]:
        return frozenset(self._graph.up.row(node).tolist())
