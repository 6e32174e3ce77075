"""The words of a surface form or a label, as rules compare them: runs of letters and digits, without case."""

from functools import lru_cache
from typing import Final

import regex

_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")


@lru_cache(maxsize=1024)  # two rules read the same few surfaces
def words(text: str) -> tuple[str, ...]:
    """The words of a string in a language with spaces, in order.

    >>> words("Hawke's Bay (North Island)")
    ('hawke', 's', 'bay', 'north', 'island')
    """
    return tuple(_WORD.findall(text.casefold()))
