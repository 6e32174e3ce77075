"""Rule ``own-label``: clusters whose surface forms say what the class is called, as five high schools of eight do.

Rule ``affix`` finds a word that is shared at the ends; the word of the class may be anywhere: Bank of Canada, State
Bank of India, ICICI Bank.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from wikisem.heuristics.rules.graphemes import graphemes, is_han
from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.heuristics.rules.words import words
from wikisem.wikipedia.languages import LanguageProfile

REASON: Final = "own-label"

# So many grapheme clusters say something: shorter words of an alphabet are mostly articles and prepositions. Han and
# Hangul write a syllable or more in each, Khmer and Burmese nearly so (docs/languages.md has the lengths of labels).
_LEAST: Final = {"Hani": 4, "Hang": 2, "Khmr": 3, "Mymr": 3}
_LEAST_OTHERS: Final = 4
_LEAST_HAN: Final = 2


def check_own_label(surfaces: Sequence[str], label: str, profile: LanguageProfile, number: int) -> Verdict:
    """Reject when at least ``number`` surfaces have one and the same word of the class's label, at any position.

    In languages that write spaces, a word of a surface that begins or ends with the label's word has it too (schools,
    Hochschule); case is no matter. In others, part of the label is looked for: two Han characters, or a few others.
    Without a label nothing is rejected.
    """
    has = _has_word if profile.spaced else _has_part
    for word in _label_words(label, profile):
        having = [surface for surface in surfaces if has(surface, word)]
        if len(having) >= number:
            return reject(REASON, f"{len(having)} have {word!r} of the label {label!r}: {', '.join(having)}")
    return KEEP


def _label_words(label: str, profile: LanguageProfile) -> Iterator[str]:
    least = _LEAST.get(profile.script, _LEAST_OTHERS)
    if profile.spaced:
        yield from (word for word in words(label) if len(graphemes(word)) >= least)
        return
    letters = graphemes(label)
    for at in range(len(letters)):
        pair, part = letters[at : at + _LEAST_HAN], letters[at : at + least]
        if len(pair) == _LEAST_HAN and all(map(is_han, pair)):
            yield "".join(pair)
        elif len(part) == least:
            yield "".join(part)


def _has_word(surface: str, word: str) -> bool:
    return any(own.startswith(word) or own.endswith(word) for own in words(surface))


def _has_part(surface: str, part: str) -> bool:
    return part in surface
