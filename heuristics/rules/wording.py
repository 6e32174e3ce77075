"""Rules about the wording of a cluster: ``contained``, ``own-label``, ``digits``, ``length-one`` and ``stop-affix``.

Every rule, here and in the other modules, returns a ``Verdict``. Some compare words, others grapheme clusters.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, combinations
from typing import Final

import regex

from wikisem.errors import RecipeError
from wikisem.recipes.load import did_you_mean
from wikisem.wikipedia.graphemes import graphemes, is_han
from wikisem.wikipedia.languages import LanguageProfile


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


def check_contained(surfaces: Sequence[str], profile: LanguageProfile, number: int) -> Verdict:
    """Reject when at least ``number`` pairs of surfaces are one inside the other, as Riau is in Riau Islands.

    Languages that write spaces are compared by whole words without case: Rome is not in Romeo. Others are compared by
    characters, at least two Han characters or four of the rest: 東京 is in 東京都, but ボン is too short to be in
    リスボン.
    """
    pairs = list(parts_of_others(surfaces, profile))
    if len(pairs) < number:
        return KEEP
    detail = ", ".join(f"{inner!r} is in {outer!r}" for inner, outer in pairs)
    return reject("contained", detail, chain.from_iterable(pairs))


def parts_of_others(surfaces: Iterable[str], profile: LanguageProfile) -> Iterator[tuple[str, str]]:
    """Yield each surface that is inside another one, by whole words or characters, and that one; shortest first."""
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

    Bank of Canada and ICICI Bank both have it. In languages that write spaces, words that begin or end with the label's
    word count too (schools, Hochschule); case does not matter. In others, parts of the label are searched for: two Han
    characters, or a few others. Without a label nothing is rejected.
    """
    # Words and parts that are long enough to mean something, or else an article would reject the cluster.
    if profile.spaced:
        asked = [word for word in words(label) if says_something(graphemes(word), profile.script)]
    else:
        # From each character on the shortest such part: what has a longer one has this one too.
        letters, least, asked = graphemes(label), _LEAST.get(profile.script, _LEAST_OTHERS), []
        for start in range(len(letters)):
            parts = (letters[start : start + length] for length in (LEAST_HAN, least))
            asked += ["".join(part) for part in parts if says_something(part, profile.script)][:1]
    for part in asked:
        if profile.spaced:
            having = [one for one in surfaces if any(own.startswith(part) or own.endswith(part) for own in words(one))]
        else:
            having = [one for one in surfaces if part in one]
        if len(having) >= number:
            detail = f"{len(having)} have {part!r} of the label {label!r}: {', '.join(having)}"
            return reject("own-label", detail, having)
    return KEEP


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


# The surface with every decimal digit removed, of any script (Unicode category Nd).
without_digits: Final = partial(re.compile(r"\d").sub, "")


def check_digits(surfaces: Sequence[str], number: int | None) -> Verdict:
    """Reject when at least ``number`` surfaces are identical once every digit is removed; None switches it off.

    These clusters only differ in numbers (Blair et al. 2016, 3.1: "January 2010", ...).
    """
    stem, sharing = largest_sharing(surfaces, without_digits)
    if number is None or len(sharing) < number:
        return KEEP
    return reject("digits", f"{len(sharing)} read {stem!r} without digits: {', '.join(sharing)}", sharing)


def check_length_one(surfaces: Sequence[str], number: int | None) -> Verdict:
    """Reject when at least ``number`` surfaces are one character (grapheme cluster) long; None switches it off.

    An example is the letters of an alphabet (Blair et al. 2016, 3.1).
    """
    short = [surface for surface in surfaces if len(graphemes(surface)) == 1]
    if number is None or len(short) < number:
        return KEEP
    return reject("length-one", f"{len(short)} are one character long: {', '.join(short)}", short)


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


# Rule ``stop-affix``: a page that has no subject, a category or a list (Blair et al. 2016, 3.1). The affixes of list
# articles, such as "List of ", "Liste " or "一覧", are found in the titles of each Wikipedia.
_REST: Final = "…"  # at least one character of the surface


def check_stop_affixes(surfaces: Sequence[str], stop_affixes: Sequence[str]) -> Verdict:
    """Reject when any surface starts or ends with one of the stop affixes (case kept).

    An affix may be bound to one end: "…列表" only ends a longer surface, "List of …" only begins one.
    """
    bare = _bare(tuple(stop_affixes))
    for surface in surfaces:
        if not surface.startswith(bare) and not surface.endswith(bare):  # a fast test that most pass
            continue
        for affix in stop_affixes:
            begins = not affix.startswith(_REST) and surface.startswith(affix.removesuffix(_REST))
            ends = not affix.endswith(_REST) and surface.endswith(affix.removeprefix(_REST))
            if (begins or ends) and len(surface) >= len(affix):
                return reject("stop-affix", f"{surface!r} has the stop affix {affix!r}", [surface])
    return KEEP


@lru_cache(maxsize=64)  # one entry a language
def _bare(stop_affixes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(affix.strip(_REST) for affix in stop_affixes)


LIST_ARTICLE: Final = "Q13406463"  # Wikimedia list article, whose instances are list articles
# Conservative on purpose, since one surface with a stop affix rejects a whole cluster: at least 20 lists and a tenth of
# all lists must share an affix, and at most one in a thousand other titles may have it.
SUPPORT: Final = 20
SHARE: Final = 0.1
RARE: Final = 0.001
# "List of " replaces "List " when nine tenths of the titles with "List " have it.
_EXTENDS: Final = 0.9
_WORDS: Final = 3
_CHARACTERS: Final = range(2, 9)
_FRONT: Final = re.compile(r"[^\s:]++:?\s*+")  # a word and the space after it; a colon ends a word too
_BACK: Final = re.compile(r"(?<!\s)\s*+\S++")


def common_affixes(lists: Iterable[str], others: Iterable[str], spaced: bool) -> tuple[str, ...]:
    """Return the stop affixes of list articles, such as "List of …" or "…一覧"; none if too few are known.

    Many titles of ``lists`` have such an affix, and hardly any of ``others``, the titles of other articles in the wiki,
    without newlines. ``spaced`` says whether its language puts spaces between words.
    """
    titles, rest = sorted(set(lists)), list(others)
    text = "\n".join(["", *rest, ""])  # counting in one string is many times faster than title by title
    # How many lists begin and end with each affix of one to three words, or two to eight characters, and go on.
    lengths = range(1, _WORDS + 1) if spaced else _CHARACTERS
    fronts = [_FRONT.findall(title) if spaced else graphemes(title) for title in titles]
    backs = [_BACK.findall(title) if spaced else graphemes(title) for title in titles]
    prefixes = Counter("".join(parts[:length]) for parts in fronts for length in lengths if length < len(parts))
    suffixes = Counter("".join(parts[-length:]) for parts in backs for length in lengths if length < len(parts))
    # Of these, the ones that are frequent among lists and rare among other titles.
    enough, most = max(SUPPORT, SHARE * len(titles)), RARE * len(rest)
    often = {affix: n for affix, n in prefixes.items() if n >= enough and text.count(f"\n{affix}") <= most}
    found = [f"{affix}…" for affix in _without_extensions(often, str.startswith)]
    often = {affix: n for affix, n in suffixes.items() if n >= enough and text.count(f"{affix}\n") <= most}
    return tuple(sorted([*found, *(f"…{affix}" for affix in _without_extensions(often, str.endswith))]))


def _without_extensions(counts: dict[str, int], extends: Callable[[str, str], bool]) -> list[str]:
    """Of affixes that extend one another, the longest one that nearly all titles share, or else the shortest.

    >>> _without_extensions({"List ": 100, "List of ": 95, "List of towns ": 20}, extends=str.startswith)
    ['List of ']
    """
    # One that is nearly always extended says less than its extension; of the others, the shortest covers the longer.
    settled = [
        affix
        for affix, n in counts.items()
        if not any(other != affix and extends(other, affix) and counts[other] >= _EXTENDS * n for other in counts)
    ]
    return [affix for affix in settled if not any(other != affix and extends(affix, other) for other in settled)]


# Rules beyond those of the paper: off unless a recipe gives them a number in ``filters.extra``. To add one, write a
# function from a cluster and a number to a verdict, and name it in ``EXTRA_RULES`` (docs/architecture.md shows one).


@dataclass(frozen=True, slots=True)
class ClusterWords:
    """What a rule may look at: different surface forms, best ranked first, and the label of the class.

    ``label`` is the one that the group shows, and "" if it is unknown.
    """

    surfaces: Sequence[str]
    profile: LanguageProfile
    label: str = ""


Rule = Callable[[ClusterWords, int], Verdict]

# Name in a recipe -> rule. The verdict's reason is the same name, with a hyphen for each underscore.
EXTRA_RULES: Final[Mapping[str, Rule]] = {
    "own_label": lambda cluster, number: check_own_label(cluster.surfaces, cluster.label, cluster.profile, number),
    "contained": lambda cluster, number: check_contained(cluster.surfaces, cluster.profile, number),
}


def require_known(numbers: Mapping[str, int]) -> None:
    """Raise RecipeError for a name in ``filters.extra`` that no rule has."""
    for name in numbers:
        if name not in EXTRA_RULES:
            hint = did_you_mean(name, EXTRA_RULES) or f"known here: {', '.join(EXTRA_RULES)}"
            raise RecipeError(f"filters.extra: unknown rule {name}; {hint}")
