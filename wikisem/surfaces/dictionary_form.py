"""Whether an anchor is an inflected form, or an adjective, of a page's title: "Франции" of "Франция", "goda" of "Gods".

Word by word the two must share a stem. No dictionary of a language is needed, and none is used.

    >>> is_form_of("Второй мировой войны", "Вторая мировая война")
    True
    >>> is_form_of("presidential", "President")
    True
    >>> is_form_of("ASV", "Amerikys Saškierstuos Vaļsteibys"), is_form_of("moonlight", "Moon"), is_form_of("m", "Metre")
    (False, False, False)

docs/surface-forms.md has the cases by which the numbers were chosen.
"""

from itertools import takewhile
from typing import Final

import regex

from wikisem.wikipedia.graphemes import graphemes

# Of a word of the title, at least this share is the stem, and never fewer letters than _SHORTEST.
_STEM_SHARE: Final = 0.6
_SHORTEST: Final = 3
# What an anchor's word has after the stem: endings have up to five letters (German "-ische"), compounds more.
_LONGEST_ENDING: Final = 5

_WORD_BREAKS: Final = regex.compile(r"[\s\p{Pd}]+")
_DIGIT: Final = regex.compile(r"\p{N}")
# One more character there is another word, as 都 in 東京都 and 구 in 미테구; their words do not change at the end.
_NO_STEMS: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)


def is_form_of(anchor: str, title: str) -> bool:
    """Whether the anchor is another form of the words of a title, which has no parenthesis any more.

    It is if both have as many words, and each word of the anchor is that of the title but for its ending. Case does not
    count: an anchor that differs in case alone is no other form. Words with digits must be equal.
    """
    if _NO_STEMS.search(title) or anchor.casefold() == title.casefold():
        return False
    words, wanted = _WORD_BREAKS.split(anchor.casefold()), _WORD_BREAKS.split(title.casefold())
    return len(words) == len(wanted) and all(map(_same_stem, words, wanted))


def _same_stem(word: str, wanted: str) -> bool:
    if word == wanted:
        return True
    if _DIGIT.search(word + wanted):
        return False
    ours, theirs = graphemes(word), graphemes(wanted)
    stem = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
    ending = len(ours) - stem
    return stem >= max(_SHORTEST, _STEM_SHARE * len(theirs)) and ending <= min(_LONGEST_ENDING, stem)
