"""Strongly connected components of the class graph: classes that are, by some cycle, subclasses of one another."""

import networkx as nx
import numpy as np
import numpy.typing as npt

from wikisem.graph.csr import Rows
from wikisem.graph.sorting import distinct
from wikisem.graph.types import Flags, Ints


def components(up: Rows, down: Rows) -> npt.NDArray[np.uint32]:
    """For each node the lowest node of its strongly connected component; most nodes are their own.

    ``up`` and ``down`` are the same edges in both directions. Only what lies between two cycles is ever looked at
    one node at a time; in Wikidata this is a few thousand of four million classes.
    """
    component = np.arange(len(up), dtype=np.uint32)
    core = _peel(up, down, np.ones(len(up), dtype=bool))
    core = _peel(down, up, core)
    nodes = np.flatnonzero(core)
    inner = up.take(nodes)
    inner = inner.keep(core[inner.targets])
    graph = nx.DiGraph()
    graph.add_edges_from(zip(nodes[inner.sources()].tolist(), inner.targets.tolist(), strict=True))
    for members in nx.strongly_connected_components(graph):
        component[list(members)] = min(members)
    return component


def _peel(ahead: Rows, behind: Rows, alive: Flags) -> Flags:
    """Which of the live nodes are left when those without anything alive ahead are dropped, again and again."""
    alive = alive.copy()
    left = np.bincount(ahead.sources()[alive[ahead.targets]], minlength=len(ahead))
    front: Ints = np.flatnonzero(alive & (left == 0))
    while len(front):
        alive[front] = False
        touched = behind.take(front).targets
        np.subtract.at(left, touched, 1)
        front = distinct(touched[(left[touched] == 0) & alive[touched]])
    return alive


def levels(up: Rows) -> npt.NDArray[np.int32]:
    """The longest way up from each node of an acyclic graph: every parent stands on a lower level than its child."""
    down = up.reverse(len(up))
    left = up.counts()
    level = np.zeros(len(up), dtype=np.int32)
    front: Ints = np.flatnonzero(left == 0)
    step = 0
    while len(front):
        level[front] = step
        touched = down.take(front).targets
        np.subtract.at(left, touched, 1)
        front = distinct(touched[left[touched] == 0])
        step += 1
    return level
