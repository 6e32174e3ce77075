"""What the draw of outliers walks along: the ring of one language, or of the items that several languages name.

Parallel groups need items that every language of a class names. Most pool items are named in few languages, so that a
walk along the ring of one would pass many for each that it can use. The items that all name are found once for each
combination of languages, and then a walk takes nearly all that it meets.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from wikisem.graph.outlier_sets.class_draw import LanguageDraw
from wikisem.graph.outlier_sets.outlier_index import OutlierIndex
from wikisem.graph.sorting import indices_of
from wikisem.heuristics.selection.inputs import LanguageInputs

# Rings of combinations that are kept: all of them in five languages, the most recent ones beyond that.
_KEPT: Final = 32


def walked_language(languages: Mapping[str, LanguageInputs]) -> str:
    """The language whose ring is walked for several: that with the smallest pool, ties by code."""
    return min(languages, key=lambda language: (len(languages[language].ring.keys), language))


class Draws:
    """The draws of languages and of their combinations; rows of a combined ring are those of ``walked_language``."""

    def __init__(self, index: OutlierIndex, languages: Mapping[str, LanguageInputs]) -> None:
        self._index, self._languages = index, languages
        self._single = {code: LanguageDraw(index, own.ring) for code, own in languages.items()}
        self._combined = lru_cache(maxsize=_KEPT)(self._combine)

    def of(self, languages: frozenset[str]) -> LanguageDraw:
        """The draw from the items that all of some languages name."""
        return self._single[next(iter(languages))] if len(languages) == 1 else self._combined(languages)

    def _combine(self, languages: frozenset[str]) -> LanguageDraw:
        asked = {code: self._languages[code] for code in languages}
        walked = asked.pop(walked_language(asked))
        items = walked.surfaces.items[walked.ring.rows]
        named = np.ones(len(items), dtype=bool)
        for other in asked.values():
            named &= indices_of(items, other.surfaces.items)[1]
        return LanguageDraw(self._index, walked.ring.keep(named))
