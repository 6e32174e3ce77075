"""Statements between items as two sorted columns of numbers: neighbours and everything below, without a loop a row."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from wikisem.arrow.numbers import Numbers, distinct, union


class PropertyEdges:
    """The (subject, object) pairs of one property; item numbers, shape ``(n,)`` each."""

    def __init__(self, subjects: Numbers, objects: Numbers) -> None:
        order = np.lexsort((subjects, objects))
        self._objects = objects[order]
        self._subjects = subjects[order]

    def __len__(self) -> int:
        return len(self._objects)

    def subjects_of(self, objects: npt.ArrayLike) -> Numbers:
        """The items that have a statement with any of these values, sorted, each once."""
        return _neighbours(self._objects, self._subjects, np.asarray(objects, dtype=np.int64))

    def objects_of(self, subjects: npt.ArrayLike) -> Numbers:
        """The values that any of these items has, sorted, each once."""
        keys, values = self._by_subject
        return _neighbours(keys, values, np.asarray(subjects, dtype=np.int64))

    def reaching(self, objects: npt.ArrayLike) -> Numbers:
        """The items from which one step or more leads to any of these; a cycle ends the search, not the result."""
        found = new = self.subjects_of(objects)
        while len(new):
            new = np.setdiff1d(self.subjects_of(new), found, assume_unique=True)
            found = union([found, new])
        return found

    def reached(self, subjects: npt.ArrayLike) -> Numbers:
        """The items to which one step or more leads from any of these."""
        found = new = self.objects_of(subjects)
        while len(new):
            new = np.setdiff1d(self.objects_of(new), found, assume_unique=True)
            found = union([found, new])
        return found

    def pairs(self) -> tuple[Numbers, Numbers]:
        """All subjects and their objects, in order of object."""
        return self._subjects, self._objects

    @cached_property
    def _by_subject(self) -> tuple[Numbers, Numbers]:
        order = np.lexsort((self._objects, self._subjects))
        return self._subjects[order], self._objects[order]


def _neighbours(keys: Numbers, values: Numbers, wanted: Numbers) -> Numbers:
    low = np.searchsorted(keys, wanted, side="left")
    counts = np.searchsorted(keys, wanted, side="right") - low
    # Row numbers low, low + 1, ... of every wanted key, one key after the other: with low = [3, 7] and counts = [2, 1]
    # starts = [3, 3, 5], and the rows are 3, 4, 7.
    starts = np.repeat(low - np.cumsum(counts) + counts, counts)
    return distinct(values[starts + np.arange(counts.sum())])
