"""Cycles of the class graph, and the levels of a graph without cycles."""

import numpy as np
import numpy.typing as npt

from wikisem.arrow.numbers import distinct
from wikisem.graph.array_types import Ints
from wikisem.graph.csr import CsrRows


def components(up: CsrRows) -> npt.NDArray[np.uint32]:
    """For each node the lowest node of its strongly connected component; most nodes are alone in theirs.

    >>> cycle = CsrRows.from_pairs(np.array([1, 2, 3]), np.array([2, 1, 0]), count=4)
    >>> components(cycle).tolist()
    [0, 1, 1, 3]
    """
    # Imported here because it takes 0.2 s, and only the building of a class graph needs it.
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    size = len(up)
    if not size:
        return np.zeros(0, dtype=np.uint32)
    matrix = csr_array((np.ones(len(up.targets)), up.targets.astype(np.int32), up.offsets), shape=(size, size))
    count, labels = connected_components(matrix, connection="strong")
    lowest = np.zeros(count, dtype=np.uint32)
    # Of several values for one label numpy keeps the last: the lowest node, when nodes come in descending order.
    lowest[labels[::-1]] = np.arange(size, dtype=np.uint32)[::-1]
    found: npt.NDArray[np.uint32] = lowest[labels]
    return found


def levels(up: CsrRows) -> npt.NDArray[np.int32]:
    """The length of the longest path up from each node of an acyclic graph, so that parents have lower levels.

    >>> levels(CsrRows.from_pairs(np.array([1, 2, 2]), np.array([0, 1, 0]), count=3)).tolist()
    [0, 1, 2]
    """
    down = up.reverse(len(up))
    left = up.counts()
    level = np.zeros(len(up), dtype=np.int32)
    frontier: Ints = np.flatnonzero(left == 0)
    step = 0
    while len(frontier):
        level[frontier] = step
        children = down.take(frontier).targets
        np.subtract.at(left, children, 1)
        frontier = distinct(children[left[children] == 0])
        step += 1
    return level
