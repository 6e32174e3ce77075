"""Which words of a vocabulary some items can be looked up as, so that a file of vectors is read for these alone.

Before a vocabulary is known, an item may be looked up as it is or lowercased, by tokens or by phrases of them, and with
its digits masked; all of these are asked for.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from wikisem.wikipedia.graphemes import initial_case

Tokenizer = Callable[[str], list[str]]

_BLANKS: Final = re.compile(r"[_\s]+")
_PHRASE: Final = re.compile(r"[^_]_+[^_]")
_DIGITS: Final = re.compile(r"\d{2,}")


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a vocabulary spells words: whether any starts with a capital, is a phrase, has masked or plain digits."""

    capitals: bool
    phrases: bool
    masked: bool
    numbers: bool

    @property
    def masks_digits(self) -> bool:
        """Whether numbers of two digits or more are written with #, as in the vectors of Google News."""
        return self.masked and not self.numbers


def spelling_of(words: Collection[str]) -> Spelling:
    """The spelling of a vocabulary; each question is answered by the first word that decides it."""
    return Spelling(
        capitals=any(initial_case(word) == "capital" for word in words),
        phrases=any("_" in word and _PHRASE.search(word) for word in words),
        masked=any("##" in word for word in words),
        numbers=any(_DIGITS.search(word) for word in words),
    )


def tokens_of(item: str) -> list[str]:
    """The tokens of an item, which `_` and blanks divide."""
    return [token for token in _BLANKS.split(item) if token]


def mask_digits(text: str) -> str:
    """The text with a # for each digit of two or more in a row.

    >>> mask_digits("7 of 1984")
    '7 of ####'
    """
    return _DIGITS.sub(lambda found: "#" * len(found[0]), text)


def words_asked_for(items: Iterable[str], tokenize: Tokenizer = tokens_of) -> set[str]:
    """Every word or phrase that one of the items can be looked up as, however the vocabulary spells words."""
    asked = set[str]()
    for item in items:
        for text in {item, item.lower()}:
            for spelled in {text, mask_digits(text)}:
                asked |= _runs(tokenize(spelled))
    return asked


def _runs(tokens: Sequence[str]) -> set[str]:
    count = len(tokens)
    return {"_".join(tokens[start:end]) for start in range(count) for end in range(start + 1, count + 1)}
