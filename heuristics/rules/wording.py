"""Rules about the wording of a cluster: ``contained``, ``own-label``, ``digits`` and ``length-one``.

Every rule, here and in the other modules, returns a ``Verdict``. Some compare words, others grapheme clusters.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, combinations
from typing import Final

import regex

from wikisem.wikipedia.graphemes import graphemes, is_han
from wikisem.wikipedia.languages import LanguageProfile

# What every rule returns.


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a cluster is kept; if not, the rule's stable name, for people what broke it, and the surface forms.

    Of ``sharing``, the surface forms that break a rule together, one fewer may keep it; other rules name none.
    """

    keep: bool
    reason: str = ""
    detail: str = ""
    sharing: tuple[str, ...] = ()


KEEP: Final = Verdict(keep=True)


def reject(reason: str, detail: str, sharing: Iterable[str] = ()) -> Verdict:
    """Return a verdict against a cluster."""
    return Verdict(False, reason, detail, tuple(sharing))


# Rules that look for a word.


def check_contained(surfaces: Sequence[str], profile: LanguageProfile, number: int) -> Verdict:
    """Reject when at least ``number`` pairs of surfaces are one inside the other, as Riau is in Riau Islands.

    Two such members share a word, which alone makes them alike to a model.

    Languages that write spaces are compared by whole words without case: Rome is not in Romeo. Others are compared by
    characters, at least two Han characters or four of the rest: 東京 is in 東京都, but ボン is too short to be in
    リスボン.
    """
    pairs = list(parts_of_others(surfaces, profile))
    if len(pairs) < number:
        return KEEP
    detail = ", ".join(f"{inner!r} is in {outer!r}" for inner, outer in pairs)
    return reject("contained", detail, chain.from_iterable(pairs))


def parts_of_others(surfaces: Sequence[str], profile: LanguageProfile) -> Iterator[tuple[str, str]]:
    """Yield each surface that is inside another one, and that one, the shortest first."""
    marked = []
    for surface in surfaces:
        parts = words(surface) if profile.spaced else graphemes(surface)
        if bool(parts) if profile.spaced else says_something(parts, profile.script):
            # A mark at each border of a word or character, so that a part is a part of the string.
            marked.append(("\n".join(["", *parts, ""]), surface))
    marked.sort(key=lambda pair: len(pair[0]))
    for (part, inner), (whole, outer) in combinations(marked, 2):
        if part in whole and part != whole:
            yield inner, outer


def check_own_label(surfaces: Sequence[str], label: str, profile: LanguageProfile, number: int) -> Verdict:
    """Reject when at least ``number`` surfaces have the same word of the class's label, at any position.

    Rule ``affix`` finds a word that is shared at the ends; the word of the class may be anywhere: Bank of Canada, State
    Bank of India, ICICI Bank.

    In languages that write spaces, words that begin or end with the label's word count too (schools, Hochschule); case
    does not matter. In others, parts of the label are searched for: two Han characters, or a few others. Without a
    label nothing is rejected.
    """
    if profile.spaced:
        asked = [word for word in words(label) if says_something(graphemes(word), profile.script)]
    else:
        # The shortest part from each character on that is long enough to mean something.
        letters, least, asked = graphemes(label), _LEAST.get(profile.script, _LEAST_OTHERS), []
        for start in range(len(letters)):
            parts = (letters[start : start + length] for length in (LEAST_HAN, least))
            asked += ["".join(part) for part in parts if says_something(part, profile.script)][:1]
    for word in asked:
        if profile.spaced:
            having = [
                text for text in surfaces if any(own.startswith(word) or own.endswith(word) for own in words(text))
            ]
        else:
            having = [text for text in surfaces if word in text]
        if len(having) >= number:
            detail = f"{len(having)} have {word!r} of the label {label!r}: {', '.join(having)}"
            return reject("own-label", detail, having)
    return KEEP


# What a word is, and what is long enough to say something.

_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")


@lru_cache(maxsize=1024)  # two rules read the same few surfaces
def words(text: str) -> tuple[str, ...]:
    """Return the words of a string in a language with spaces, in order and without case.

    >>> words("Hawke's Bay (North Island)")
    ('hawke', 's', 'bay', 'north', 'island')
    """
    return tuple(_WORD.findall(text.casefold()))


# The fewest grapheme clusters that say something: shorter words of an alphabet are mostly articles and prepositions.
# Han and Hangul write a syllable in each, Khmer and Burmese nearly so (docs/languages.md has the lengths of labels).
_LEAST: Final = {"Hang": 2, "Khmr": 3, "Mymr": 3}
_LEAST_OTHERS: Final = 4
LEAST_HAN: Final = 2


def says_something(letters: Sequence[str], script: str) -> bool:
    """Whether grapheme clusters in a language of this script are long enough to mean something wherever they occur.

    >>> says_something("東京", "Hani"), says_something("ボン", "Hani")
    (True, False)
    >>> says_something("lake", ""), says_something("the", "")
    (True, False)
    """
    is_long = len(letters) >= _LEAST.get(script, _LEAST_OTHERS)
    return is_long or (len(letters) >= LEAST_HAN and all(map(is_han, letters)))


# Rules that count characters.

# The surface with every decimal digit removed, of any script (Unicode category Nd).
without_digits: Final = partial(re.compile(r"\d").sub, "")


def check_digits(surfaces: Sequence[str], number: int | None) -> Verdict:
    """Reject when at least ``number`` surfaces are identical once every digit is removed; None switches it off.

    These clusters only differ in numbers (Blair et al. 2016, 3.1: "January 2010", ...).
    """
    if number is None:
        return KEEP
    stem, sharing = largest_sharing(surfaces, without_digits)
    if len(sharing) < number:
        return KEEP
    return reject("digits", f"{len(sharing)} read {stem!r} without digits: {', '.join(sharing)}", sharing)


def check_length_one(surfaces: Sequence[str], number: int | None) -> Verdict:
    """Reject when at least ``number`` surfaces are one character (grapheme cluster) long; None switches it off.

    An example is the letters of an alphabet (Blair et al. 2016, 3.1).
    """
    if number is None:
        return KEEP
    short = [surface for surface in surfaces if len(graphemes(surface)) == 1]
    if len(short) < number:
        return KEEP
    return reject("length-one", f"{len(short)} are one character long: {', '.join(short)}", short)


# What several surface forms have in common.


def largest_sharing(surfaces: Iterable[str], key: Callable[[str], str | None]) -> tuple[str, list[str]]:
    """Return the key that most surfaces share and those surfaces, in their order; the earliest key wins a tie.

    Surfaces whose key is None are ignored. If no others are left, the answer is an empty key and no surfaces.

    >>> largest_sharing(["oak", "oak tree", "elm"], lambda surface: surface.split()[0])
    ('oak', ['oak', 'oak tree'])
    """
    sharing: dict[str, list[str]] = {}
    for surface in surfaces:
        shared = key(surface)
        if shared is not None:
            sharing.setdefault(shared, []).append(surface)
    return max(sharing.items(), key=lambda entry: len(entry[1]), default=("", []))
