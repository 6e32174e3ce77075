"""Words as rules compare them: what is one in a surface form or a label, and what is long enough to say something."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import regex

from wikisem.wikipedia.graphemes import is_han

_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")

# So many grapheme clusters say something: shorter words of an alphabet are mostly articles and prepositions. Han and
# Hangul write a syllable in each, Khmer and Burmese nearly so (docs/languages.md has the lengths of labels).
_LEAST: Final = {"Hang": 2, "Khmr": 3, "Mymr": 3}
_LEAST_OTHERS: Final = 4
LEAST_HAN: Final = 2


@lru_cache(maxsize=1024)  # two rules read the same few surfaces
def words(text: str) -> tuple[str, ...]:
    """The words of a string in a language with spaces, in order and without case.

    >>> words("Hawke's Bay (North Island)")
    ('hawke', 's', 'bay', 'north', 'island')
    """
    return tuple(_WORD.findall(text.casefold()))


def says_something(letters: Sequence[str], script: str) -> bool:
    """Whether grapheme clusters in a language of this script are long enough to mean something wherever they occur.

    >>> says_something("東京", "Hani"), says_something("ボン", "Hani")
    (True, False)
    >>> says_something("lake", ""), says_something("the", "")
    (True, False)
    """
    return len(letters) >= least_letters(script) or (len(letters) >= LEAST_HAN and all(map(is_han, letters)))


def least_letters(script: str) -> int:
    """The number of grapheme clusters that say something in a script, whatever they are."""
    return _LEAST.get(script, _LEAST_OTHERS)
