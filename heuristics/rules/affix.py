"""Rule ``affix``: clusters whose surfaces begin or end alike (Blair et al. 2016, 3.1 and its footnote 3).

How much counts as an affix is a property of the language: a word where it writes spaces, some characters besides where
words change their form or are not set apart, or one or two Han characters. Or, with ``affix = "surprise"``, of what the
language's surface forms are like: see ``affix_surprise``.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, Literal

from wikisem.heuristics.rules.affix_counts import AffixCounts
from wikisem.heuristics.rules.affix_surprise import ENOUGH, SHARED, check_affix_surprise
from wikisem.heuristics.rules.verdict import KEEP, Verdict, largest_sharing, reject
from wikisem.wikipedia.graphemes import graphemes, is_han
from wikisem.wikipedia.languages import LanguageProfile

# Footnote 3: six of the eight for one Han character, where any other affix needs four.
_ONE_HAN_MORE: Final = 2

# An affix: its name, how to read it off a surface (None: it has none), and how many surfaces that share it reject.
_Affix = tuple[str, Callable[[str], str | None], int]


def check_affix(
    surfaces: Sequence[str],
    profile: LanguageProfile,
    number: int | Literal["surprise"] | None,
    counts: AffixCounts | None = None,
) -> Verdict:
    """Reject when at least ``number`` surfaces begin or end alike, by the language's rule; None switches it off.

    For a single Han character it takes two surfaces more than ``number``. "surprise" measures by the ``counts`` of the
    language; where they are unknown, or from too few surface forms, it is four by the language's rule.
    """
    if number is None:
        return KEEP
    if number == "surprise":
        if counts is not None and counts.total >= ENOUGH:
            return check_affix_surprise(surfaces, counts)
        number = SHARED
    for name, affix, limit in _affixes(profile, number):
        shared, sharing = largest_sharing(surfaces, affix)
        if len(sharing) >= limit:
            return reject("affix", f"{len(sharing)} share the {name} {shared!r}: {', '.join(sharing)}")
    return KEEP


def _affixes(profile: LanguageProfile, number: int) -> Iterator[_Affix]:
    # Not for English alone: 36 released Spanish and 34 German clusters have three equal first or last words, and none
    # has four, short words included that six characters cannot catch (río, USS, El, Kap).
    if profile.spaced and profile.affix != "han":
        yield "first word", partial(first_word, hyphens=profile.hyphens), number
        yield "last word", partial(last_word, hyphens=profile.hyphens), number
    if profile.affix == "characters":
        length = profile.affix_length
        yield f"first {length} characters", partial(first_characters, length=length), number
        yield f"last {length} characters", partial(last_characters, length=length), number
    if profile.affix == "han":
        yield "first character", partial(first_han, length=1), number + _ONE_HAN_MORE
        yield "last character", partial(last_han, length=1), number + _ONE_HAN_MORE
        yield "first 2 characters", partial(first_han, length=2), number
        yield "last 2 characters", partial(last_han, length=2), number


def first_word(surface: str, hyphens: bool = False) -> str | None:
    """The part before the first space; the whole surface if it has none, None if it is blank.

    With ``hyphens`` these part words, too, as in Southern Min: "Tek-kok", Germany, is a land (kok).
    """
    words = _split(surface, hyphens)
    return words[0] if words else None


def last_word(surface: str, hyphens: bool = False) -> str | None:
    """The part after the last space; the whole surface if it has none, None if it is blank.

    >>> last_word("Tek-kok"), last_word("Tek-kok", hyphens=True)
    ('Tek-kok', 'kok')
    """
    words = _split(surface, hyphens)
    return words[-1] if words else None


def _split(surface: str, hyphens: bool) -> list[str]:
    return (surface.replace("-", " ") if hyphens else surface).split()


def first_characters(surface: str, length: int) -> str | None:
    """The first ``length`` grapheme clusters, None if there are fewer."""
    return _whole(graphemes(surface)[:length], length)


def last_characters(surface: str, length: int) -> str | None:
    """The last ``length`` grapheme clusters, None if there are fewer."""
    return _whole(graphemes(surface)[-length:], length)


def first_han(surface: str, length: int) -> str | None:
    """The first ``length`` grapheme clusters if all are Han, None if not or if there are fewer."""
    return _whole(tuple(filter(is_han, graphemes(surface)[:length])), length)


def last_han(surface: str, length: int) -> str | None:
    """The last ``length`` grapheme clusters if all are Han, None if not or if there are fewer."""
    return _whole(tuple(filter(is_han, graphemes(surface)[-length:])), length)


def _whole(clusters: Sequence[str], length: int) -> str | None:
    return "".join(clusters) if len(clusters) == length else None
