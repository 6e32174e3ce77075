"""Neighbours and closures of two columns of numbers, against sets walked one step at a time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wikisem.queries.offline import PropertyEdges

_numbers = st.integers(1, 9)
_pairs = st.lists(st.tuples(_numbers, _numbers), max_size=25)
_some = st.lists(_numbers, max_size=3)


def _edges(pairs: list[tuple[int, int]]) -> PropertyEdges:
    columns = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return PropertyEdges(columns[:, 0], columns[:, 1], {})


def _walk(pairs: list[tuple[int, int]], starts: list[int]) -> set[int]:
    found: set[int] = set()
    ends = list(starts)
    while ends:
        end = ends.pop()
        new = {subject for subject, other in pairs if other == end} - found
        found |= new
        ends += new
    return found


@given(_pairs, _some)
def test_neighbours_are_those_of_the_pairs(pairs: list[tuple[int, int]], some: list[int]) -> None:
    """Both directions, sorted, each once, for any number of starts, also none and such as have no edge."""
    edges = _edges(pairs)
    assert edges.subjects_of(some).tolist() == sorted({subject for subject, other in pairs if other in some})
    assert edges.objects_of(some).tolist() == sorted({other for subject, other in pairs if subject in some})


@given(_pairs, _some)
def test_closures_are_walks_of_one_step_or_more(pairs: list[tuple[int, int]], some: list[int]) -> None:
    """A start is in its own closure only where a cycle leads back to it."""
    turned = [(other, subject) for subject, other in pairs]
    edges = _edges(pairs)
    assert edges.subjects_of(some, repeated=True).tolist() == sorted(_walk(pairs, some))
    assert edges.objects_of(some, repeated=True).tolist() == sorted(_walk(turned, some))


def test_all_pairs_come_back() -> None:
    """The pairs are kept, those that are there twice as well, in order of object."""
    edges = _edges([(3, 2), (1, 2), (5, 1), (1, 2)])
    assert list(zip(edges.subjects.tolist(), edges.objects.tolist(), strict=True)) == [(5, 1), (1, 2), (1, 2), (3, 2)]
