"""Items and pairs under the words of one language: what is kept, and what is left out and why."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from wikisem.categories.category_source import CandidateItem
from wikisem.categories.recipe import CategoryItem
from wikisem.wikis import label_codes

# Language codes and what an item is called under each.
Names: TypeAlias = Mapping[str, str]

MULTILINGUAL: Final = "mul"


@dataclass(frozen=True, slots=True)
class LeftOutItem:
    """An item that did not make it, and why.

    "no-label"; "same-label" as an item before; "colon", a label that text files would take for a name of a category;
    and in pairs "no-value", "same-word" twice in one pair, "same-pair" as one before.
    """

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class CategoryWords:
    """A category in one language, most prominent items first; every candidate is in ``items`` or ``left_out``."""

    category: str
    language: str
    items: tuple[CategoryItem, ...]
    left_out: tuple[LeftOutItem, ...]


@dataclass(frozen=True, slots=True)
class WordPair:
    """An item and its value, and the words that a question writes for them, in the question's order."""

    subject: str
    value: str
    words: tuple[str, str]


@dataclass(frozen=True, slots=True)
class RelationWords:
    """The word pairs of a relation in one language; every subject is in ``pairs`` or ``left_out``."""

    relation: str
    language: str
    pairs: tuple[WordPair, ...]
    left_out: tuple[LeftOutItem, ...]


LanguageWords: TypeAlias = CategoryWords | RelationWords


def name_codes(language: str) -> tuple[str, ...]:
    """The codes under which an item may be named in a language, best first, ``mul`` last."""
    return (*label_codes(language), MULTILINGUAL)


def name_in(names: Names, language: str) -> tuple[str, str] | None:
    """What an item is called in a language, and the code it is called so under; None if it has no name there.

    Names are NFC, their blanks single spaces; words of several tokens stay whole.
    """
    for code in name_codes(language):
        text = " ".join(unicodedata.normalize("NFC", names.get(code, "")).split())
        if text:
            return text, code
    return None


def word_category(
    category: str, language: str, candidates: Sequence[CandidateItem], names: Mapping[str, Names]
) -> CategoryWords:
    """The candidates under their names, in their order; of two with equal names the first is kept."""
    items: dict[str, CategoryItem] = {}
    left_out = []
    for one in candidates:
        named = name_in(names.get(one.qid, {}), language)
        if named is None:
            left_out.append(LeftOutItem(one.qid, "no-label"))
        elif named[0] in items or named[0].startswith(":"):
            left_out.append(LeftOutItem(one.qid, "same-label" if named[0] in items else "colon"))
        else:
            items[named[0]] = CategoryItem(one.qid, *named, one.sitelinks)
    return CategoryWords(category, language, tuple(items.values()), tuple(left_out))


@dataclass(frozen=True, slots=True)
class ValuedItem:
    """A subject, and the names of its value; ``value`` is the value's QID, empty for a string."""

    subject: str
    value: str
    names: Names


def word_relation(
    relation: str, language: str, subjects: Iterable[ValuedItem], names: Mapping[str, Names], value_first: bool
) -> RelationWords:
    """The subjects and their values under their names. A pair must be two words, and no pair comes twice."""
    pairs: dict[tuple[str, str], WordPair] = {}
    left_out = []
    for one in subjects:
        words = _words(one, names.get(one.subject, {}), language, value_first)
        if isinstance(words, str):
            left_out.append(LeftOutItem(one.subject, words))
        elif words in pairs:
            left_out.append(LeftOutItem(one.subject, "same-pair"))
        else:
            pairs[words] = WordPair(one.subject, one.value, words)
    return RelationWords(relation, language, tuple(pairs.values()), tuple(left_out))


def _words(one: ValuedItem, names: Names, language: str, value_first: bool) -> tuple[str, str] | str:
    """The two words of a pair in the question's order, or the reason why there are none."""
    if not one.names and not one.value:
        return "no-value"
    subject, value = name_in(names, language), name_in(one.names, language)
    if subject is None or value is None:
        return "no-label"
    if subject[0] == value[0]:
        return "same-word"
    words = (value[0], subject[0]) if value_first else (subject[0], value[0])
    return "colon" if words[0].startswith(":") else words
