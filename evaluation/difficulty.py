"""How hard a test case is before any model is asked: the chance that a middling model fails it, from its words alone.

A logistic regression of errors on what is known of a case: how far the class of its outlier is, how prominent its items
are, how many words they have and share. The constants are fitted once, to models and classes that docs/calibration.md
names, and measured on others (``python -m studies.difficulty``). They are of English; words are runs of letters.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import fmean
from typing import Final

from wikisem.datasets.word_groups import OutlierWord, WordGroup
from wikisem.evaluation.options import TIERS, Tier

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


def features(group: WordGroup, outlier: OutlierWord) -> dict[str, float]:
    """What is known of a case, under the names of the fit; nothing for what the data set does not say."""
    members = [_words(word) for word in group.cluster]
    own = _words(outlier.surface)
    found = {
        "words of members": fmean(math.log(max(1, len(words))) for words in members),
        "words of the outlier": math.log(max(1, len(own))),
        "members that share a word": _share(
            any(set(words) & set(other) for at, other in enumerate(members) if at != place)
            for place, words in enumerate(members)
        ),
        "members that share a word with the outlier": _share(bool(set(words) & set(own)) for words in members),
    }
    if outlier.outlier_class is not None:
        found |= {"O2": float(outlier.outlier_class == 2), "O3": float(outlier.outlier_class == 3)}
    sitelinks = [keys.sitelinks for keys in group.keys if keys.sitelinks is not None]
    if sitelinks and len(sitelinks) == len(group.cluster) and outlier.keys.sitelinks is not None:
        prominence = fmean(map(math.log1p, sitelinks))
        found["prominence of members"] = prominence
        found["prominence of the outlier above theirs"] = math.log1p(outlier.keys.sitelinks) - prominence
    return found


def difficulty(group: WordGroup, outlier: OutlierWord) -> float:
    """The chance that a middling model fails a case, from 0 to 1."""
    known = features(group, outlier)
    logit = _INTERCEPT + sum(weight * known.get(name, mean) for name, (weight, mean) in FIT.items())
    return 1 / (1 + math.exp(-logit))


def tier_of(group: WordGroup, outlier: OutlierWord) -> Tier:
    """The third of the cases of the fit in which a case would be."""
    return TIERS[sum(difficulty(group, outlier) > bound for bound in _BOUNDS)]


def keep_tier(groups: Iterable[WordGroup], tier: Tier) -> list[WordGroup]:
    """The groups with the outliers of one tier, without those that have none."""
    kept = (
        replace(group, outliers=tuple(outlier for outlier in group.outliers if tier_of(group, outlier) == tier))
        for group in groups
    )
    return [group for group in kept if group.outliers]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("_", " "))


def _share(of: Iterable[bool]) -> float:
    return fmean(map(float, of))
