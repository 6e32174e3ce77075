"""How hard a test case is before any model is asked: the chance that a middling model fails it, from its words alone.

A logistic regression of errors on what is known of a case: how far the class of its outlier is, how prominent its items
are, how many words they have and share. The constants were fitted once, to models and classes that
docs/benchmarks/calibration.md names, and measured on others (``python -m studies.difficulty``). They are of English;
words are runs of letters.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final

from wikisem.datasets.word_groups import OutlierWord, WordGroup
from wikisem.recipes.options import DIFFICULTIES, Difficulty

_WORD: Final = re.compile(r"\w+")

# Fitted on 2026-11-23 by studies/difficulty.py to 2,156 answers of three models to cases of 107 classes in English: the
# weight of each feature, and its mean, which is taken where a data set does not say it.
_INTERCEPT: Final = 0.8334
FIT: Final[Mapping[str, tuple[float, float]]] = {
    "O2": (-0.2117, 0.292),
    "O3": (-0.9756, 0.429),
    "prominence of members": (-0.2051, 3.842),
    "prominence of the outlier above theirs": (0.0849, 0.340),
    "words of members": (0.9892, 0.616),
    "words of the outlier": (0.1567, 0.748),
    "members that share a word": (-1.9598, 0.291),
    "members that share a word with the outlier": (1.8785, 0.045),
}
# A third of the cases of the fit is below the first, a third above the second.
_BOUNDS: Final = (0.364, 0.539)


class Members:
    """What the members of a cluster make of the difficulty of its cases: their words, and their sitelinks if known."""

    def __init__(self, surfaces: Sequence[str], sitelinks: Sequence[int | None]) -> None:
        words = [_words(surface) for surface in surfaces]
        self._words = [set(each) for each in words]
        self._features = {
            "words of members": fmean(math.log(max(1, len(each))) for each in words),
            "members that share a word": _share(
                any(own & other for at, other in enumerate(self._words) if at != place)
                for place, own in enumerate(self._words)
            ),
        }
        known = [number for number in sitelinks if number is not None]
        self._prominence = fmean(map(math.log1p, known)) if len(known) == len(surfaces) else None

    def features(self, surface: str, outlier_class: int | None, sitelinks: int | None) -> dict[str, float]:
        """What is known of the case of an outlier, under the names of the fit; nothing for what is None."""
        own = _words(surface)
        shared = _share(bool(words.intersection(own)) for words in self._words)
        found = {
            **self._features,
            "words of the outlier": math.log(max(1, len(own))),
            "members that share a word with the outlier": shared,
        }
        if outlier_class is not None:
            found |= {"O2": float(outlier_class == 2), "O3": float(outlier_class == 3)}
        if self._prominence is not None and sitelinks is not None:
            found["prominence of members"] = self._prominence
            found["prominence of the outlier above theirs"] = math.log1p(sitelinks) - self._prominence
        return found

    def difficulty(self, surface: str, outlier_class: int | None, sitelinks: int | None) -> float:
        """The chance that a middling model fails the case of an outlier, from 0 to 1."""
        known = self.features(surface, outlier_class, sitelinks)
        logit = _INTERCEPT + sum(weight * known.get(name, mean) for name, (weight, mean) in FIT.items())
        return 1 / (1 + math.exp(-logit))

    def tier(self, surface: str, outlier_class: int | None, sitelinks: int | None) -> Difficulty:
        """The third of the cases of the fit in which the case of an outlier would be."""
        return DIFFICULTIES[sum(self.difficulty(surface, outlier_class, sitelinks) > bound for bound in _BOUNDS)]


def features(group: WordGroup, outlier: OutlierWord) -> dict[str, float]:
    """What is known of a case, under the names of the fit; nothing for what the data set does not say."""
    return _members(group).features(outlier.surface, outlier.outlier_class, outlier.keys.sitelinks)


def difficulty(group: WordGroup, outlier: OutlierWord) -> float:
    """The chance that a middling model fails a case, from 0 to 1."""
    return _members(group).difficulty(outlier.surface, outlier.outlier_class, outlier.keys.sitelinks)


def tier_of(group: WordGroup, outlier: OutlierWord) -> Difficulty:
    """The third of the cases of the fit in which a case would be."""
    return _members(group).tier(outlier.surface, outlier.outlier_class, outlier.keys.sitelinks)


def keep_tier(groups: Iterable[WordGroup], tier: Difficulty) -> list[WordGroup]:
    """The groups with the outliers of one tier, without those that have none."""
    kept = (
        replace(group, outliers=tuple(outlier for outlier in group.outliers if tier_of(group, outlier) == tier))
        for group in groups
    )
    return [group for group in kept if group.outliers]


def _members(group: WordGroup) -> Members:
    return Members(group.cluster, [keys.sitelinks for keys in group.keys])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("_", " "))


def _share(of: Iterable[bool]) -> float:
    return fmean(map(float, of))
