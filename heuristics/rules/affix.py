"""Rule ``affix``: clusters whose surfaces begin or end alike (Blair et al. 2016, 3.1 and its footnote 3).

What counts as an affix depends on the language: a word if it writes spaces, also some characters if words change their
form or are not set apart, or one or two Han characters. With ``affix = "surprise"`` it depends on how common the affix
is in the language: see ``check_affix_surprise``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, inf, log10
from typing import Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.heuristics.rules.wording import KEEP, Verdict, largest_sharing, reject
from wikisem.wikipedia.graphemes import graphemes, is_han
from wikisem.wikipedia.languages import LanguageProfile

Graphemes = Sequence[str]
# An affix has one to eight grapheme clusters; longer ones are shared by no more surface forms than their first eight.
LONGEST: Final = 8
# What fewer than one surface form in ten thousand has counts as if one in ten thousand had it: a sample cannot show how
# rare it is, and for any cluster it is rare enough.
RARE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class AffixCounts:
    """Of ``total`` surface forms of a language, how many begin and how many end with each affix that is not rare."""

    total: int
    beginnings: Mapping[str, int]
    ends: Mapping[str, int]


# As in every other form of the rule, an affix counts from four surface forms on.
SHARED: Final = 4
# The share of an affix among fewer surface forms than this says too little of the language to be asked alone.
ENOUGH: Final = 2000


def check_affix(
    surfaces: Sequence[str],
    profile: LanguageProfile,
    number: int | Literal["surprise"] | None,
    counts: AffixCounts | None = None,
) -> Verdict:
    """Reject when at least ``number`` surfaces begin or end alike, by the language's rule; None switches it off.

    A single Han character needs two more surfaces than ``number``. "surprise" measures by the ``counts`` of the
    language; if they are unknown, or from too few surface forms, there is also the limit of four by its rule.
    """
    if number is None:
        return KEEP
    if number == "surprise":
        verdict = KEEP if counts is None else check_affix_surprise(surfaces, counts)
        if counts is not None and (counts.total >= ENOUGH or not verdict.keep):
            return verdict
        number = SHARED
    # What counts as an affix, by the language's rule; of each kind its name in messages, the parts (words or grapheme
    # clusters) of each surface form, how many parts make an affix, and how many surface forms that share it are enough.
    # Words not for English alone: 36 released Spanish and 34 German clusters have three equal first or last words, and
    # none has four, short words included that six characters cannot catch (río, USS, El, Kap). Hyphens separate words
    # in Southern Min: "Tek-kok", Germany, is a land (kok).
    kinds: list[tuple[str, dict[str, Graphemes], int, int]] = []
    if profile.spaced and profile.affix != "han":
        plain = {surface: surface.replace("-", " ") if profile.hyphens else surface for surface in surfaces}
        kinds.append(("word", {surface: words.split() for surface, words in plain.items()}, 1, number))
    letters = {surface: graphemes(surface) for surface in surfaces if profile.affix in ("characters", "han")}
    if profile.affix == "characters":
        kinds.append((f"{profile.affix_length} characters", letters, profile.affix_length, number))
    if profile.affix == "han":
        # Footnote 3: six of the eight for one Han character, where any other affix needs four.
        kinds += [("character", letters, 1, number + 2), ("2 characters", letters, 2, number)]
    # Of each kind, at either side, the affix that most surfaces share.
    for name, parts, length, limit in kinds:
        for side, name_of_side in (("beginning", "first"), ("end", "last")):
            found = {surface: affix_of(parts[surface], side, length) for surface in surfaces}
            if profile.affix == "han":
                found = {surface: affix for surface, affix in found.items() if all(map(is_han, graphemes(affix or "")))}
            shared, sharing = largest_sharing(surfaces, found.get)
            if len(sharing) >= limit:
                detail = f"{len(sharing)} share the {name_of_side} {name} {shared!r}: {', '.join(sharing)}"
                return reject("affix", detail, sharing)
    return KEEP


# -log10 of the probability from which a cluster is rejected. At 8 it takes four of eight to share what at most 0.35 %
# of the language's surface forms have; or five 1.1 %, six 2.7 %, seven 5.4 %, all eight 10 %.
SURPRISE: Final = 8.0


def check_affix_surprise(surfaces: Sequence[str], counts: AffixCounts) -> Verdict:
    """Reject when at least four surfaces share an affix, and the probability of that by chance is at most 10⁻⁸.

    In English, four of eight that begin with "The" are no surprise, four that begin with "Zw" are one. The measure is
    the binomial tail: if a share p of the language's surface forms has the affix, how likely is it that at least k of n
    drawn at random have it? This needs neither words nor a length for each script: all affixes of one to eight grapheme
    clusters are compared, blanks included.
    """
    for side, known in (("beginning", counts.beginnings), ("end", counts.ends)):
        letters = {surface: graphemes(surface) for surface in surfaces}
        nearest = [affix_of(split, side, 1) for split in letters.values()]
        # Most clusters end here: four that share an affix share its one letter at the side.
        if len(nearest) - len(set(nearest)) < SHARED - 1:
            continue
        for length in range(1, LONGEST + 1):
            sharing: dict[str, list[str]] = {}
            for surface, split in letters.items():
                affix = affix_of(split, side, length)
                if affix is not None:
                    sharing.setdefault(affix, []).append(surface)
            often = {affix: having for affix, having in sharing.items() if len(having) >= SHARED}
            for affix, having in often.items():
                # The cluster's own are no evidence of how common the affix is.
                others, total = known.get(affix, 0) - len(having), max(counts.total - len(surfaces), 1)
                share = max(max(others, 1) / total, RARE)
                if surprise(len(having), len(surfaces), share) >= SURPRISE:
                    seen = f"{len(having)} share the {side} {affix!r}, which {share:.2%} of others have"
                    return reject("affix", f"{seen}: {', '.join(having)}", having)
            # No surface that shares no affix of this length shares a longer one.
            letters = {surface: letters[surface] for having in often.values() for surface in having}
    return KEEP


@lru_cache(maxsize=1 << 14)
def surprise(count: int, size: int, share: float) -> float:
    """-log10 of the probability that at least ``count`` of ``size`` have an affix that a ``share`` of all have.

    >>> round(surprise(4, 8, 0.0035), 1), surprise(8, 8, 1.0)
    (8.0, -0.0)
    """
    probability = sum(comb(size, k) * share**k * (1 - share) ** (size - k) for k in range(count, size + 1))
    return -log10(probability) if probability > 0 else inf


def count_affixes(surfaces: Iterable[str]) -> AffixCounts:
    """Return the affixes of some surface forms, except those that a smaller share than ``RARE`` of them has.

    >>> counts = count_affixes(["Bonn", "Bern", "Rom"])
    >>> counts.total, counts.beginnings["B"], counts.beginnings["Be"], counts.ends["n"]
    (3, 2, 1, 2)

    An affix is at most as frequent as the shorter one that it extends. So only surface forms that had a frequent one
    are counted at the next length, and memory is bounded by their number. Where code points are grapheme clusters, as
    in most surface forms, Arrow slices and counts them.
    """
    split = [graphemes(surface) for surface in surfaces]
    sides: list[dict[str, int]] = []
    for side in ("beginning", "end"):
        frequent: dict[str, int] = {}
        plain = pa.array([letters for letters in split if isinstance(letters, str)], pa.large_string())
        others = [letters for letters in split if not isinstance(letters, str)]
        for length in range(1, LONGEST + 1):
            plain = plain.filter(pc.greater_equal(pc.utf8_length(plain), length))
            others = [letters for letters in others if len(letters) >= length]
            found = pc.utf8_slice_codeunits(plain, *((0, length) if side == "beginning" else (-length, None)))
            of_others = pa.array([affix_of(letters, side, length) for letters in others], pa.large_string())
            counts = pc.value_counts(pa.concat_arrays([found, of_others]))
            often = counts.filter(pc.greater_equal(counts.field("counts"), RARE * len(split))).flatten()
            frequent.update(zip(*(column.to_pylist() for column in often), strict=True))
            plain = plain.filter(pc.is_in(found, often[0]))
            others = [letters for letters in others if affix_of(letters, side, length) in frequent]
        sides.append(frequent)
    return AffixCounts(len(split), *sides)


def affix_of(letters: Graphemes, side: str, length: int) -> str | None:
    """Return the ``length`` grapheme clusters at one side, "beginning" or "end"; None if there are fewer.

    >>> affix_of(("ш", "а", "р"), "beginning", 2), affix_of(("ш", "а", "р"), "end", 1), affix_of(("ш",), "end", 2)
    ('ша', 'р', None)
    """
    if len(letters) < length:
        return None
    return "".join(letters[:length] if side == "beginning" else letters[-length:])
