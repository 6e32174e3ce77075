"""Rule ``own-label``: clusters whose surface forms say what the class is called, as five high schools of eight do.

Rule ``affix`` finds a word that is shared at the ends; the word of the class may be anywhere: Bank of Canada, State
Bank of India, ICICI Bank.
"""

from collections.abc import Iterator, Sequence

from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.heuristics.rules.words import LEAST_HAN, least_letters, says_something, words
from wikisem.wikipedia.graphemes import graphemes
from wikisem.wikipedia.languages import LanguageProfile


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
            return reject("own-label", f"{len(having)} have {word!r} of the label {label!r}: {', '.join(having)}")
    return KEEP


def _label_words(label: str, profile: LanguageProfile) -> Iterator[str]:
    """The words of a label that say something; in a script without spaces, its shortest parts that do."""
    if profile.spaced:
        yield from (word for word in words(label) if says_something(graphemes(word), profile.script))
        return
    letters = graphemes(label)
    for at in range(len(letters)):
        parts = (letters[at : at + length] for length in (LEAST_HAN, least_letters(profile.script)))
        part = next((part for part in parts if says_something(part, profile.script)), None)
        if part is not None:
            yield "".join(part)


def _has_word(surface: str, word: str) -> bool:
    return any(own.startswith(word) or own.endswith(word) for own in words(surface))


def _has_part(surface: str, part: str) -> bool:
    return part in surface
