"""Items and pairs under the words of one language: what is kept, and what is left out and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from wikisem.categories.category_source import CandidateItem
from wikisem.categories.recipe import CategoryItem
from wikisem.categories.word_filter import EVERY_WORD, WordFilter
from wikisem.wikipedia.wikitext import IGNORED, visible
from wikisem.wikis import label_codes

# Language codes and what an item is called under each.
Names: TypeAlias = Mapping[str, str]

MULTILINGUAL: Final = "mul"


@dataclass(frozen=True, slots=True)
class LeftOutItem:
    """An item that did not make it, and why.

    "no-label"; "filtered", a label that the filter of words does not keep; "same-label" as an item before; "colon", a
    label that text files would take for a name of a category; and in pairs "no-value", "same-word" twice in one pair,
    "same-pair" as one before, "ambiguous", for a pair before begins with the same word and ends with another.
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

    Names are as surface forms are: NFC, without marks that nobody sees, their blanks single spaces; one with nothing
    to see is none. Words of several tokens stay whole.
    """
    for code in name_codes(language):
        text = visible(names.get(code, ""))
        if text.strip(f" {IGNORED}"):
            return text, code
    return None


def word_category(
    category: str,
    language: str,
    candidates: Sequence[CandidateItem],
    names: Mapping[str, Names],
    keep: WordFilter = EVERY_WORD,
) -> CategoryWords:
    """The candidates under their names, in their order; of two with equal names the first is kept."""
    items: dict[str, CategoryItem] = {}
    left_out = []
    for one in candidates:
        named = name_in(names.get(one.qid, {}), language)
        if named is None:
            left_out.append(LeftOutItem(one.qid, "no-label"))
        elif not keep(named[0]):
            left_out.append(LeftOutItem(one.qid, "filtered"))
        elif named[0] in items or named[0].startswith(":"):
            left_out.append(LeftOutItem(one.qid, "same-label" if named[0] in items else "colon"))
        else:
            items[named[0]] = CategoryItem(one.qid, *named, one.sitelinks)
    return CategoryWords(category, language, tuple(items.values()), tuple(left_out))


@dataclass(frozen=True, slots=True)
class ValuedItem:
    """A subject and its values, the one to be asked for first: the QID of each, empty for a string, and its names."""

    subject: str
    values: tuple[tuple[str, Names], ...]


def word_relation(
    relation: str,
    language: str,
    subjects: Iterable[ValuedItem],
    names: Mapping[str, Names],
    value_first: bool,
    keep: WordFilter = EVERY_WORD,
) -> RelationWords:
    """The subjects, each with the first of its values whose name is kept. A pair must be two words.

    No two pairs begin with one word, because "a is to b as c is to which word?" has one right answer.
    """
    pairs: dict[str, WordPair] = {}
    left_out = []
    for one in subjects:
        pair = _pair(one, names.get(one.subject, {}), language, value_first, keep)
        if isinstance(pair, str):
            left_out.append(LeftOutItem(one.subject, pair))
        elif (earlier := pairs.setdefault(pair.words[0], pair)) is not pair:
            reason = "same-pair" if earlier.words == pair.words else "ambiguous"
            left_out.append(LeftOutItem(one.subject, reason))
    return RelationWords(relation, language, tuple(pairs.values()), tuple(left_out))


def _pair(one: ValuedItem, names: Names, language: str, value_first: bool, keep: WordFilter) -> WordPair | str:
    """The pair of a subject, its words in the question's order, or the reason why there is none."""
    if not one.values:
        return "no-value"
    subject = name_in(names, language)
    named = [(qid, name[0]) for qid, its in one.values if (name := name_in(its, language))]
    if subject is None or not named:
        return "no-label"
    qid, value = next(((qid, value) for qid, value in named if keep(value)), ("", ""))
    if not value or not keep(subject[0]):
        return "filtered"
    if subject[0] == value:
        return "same-word"
    words = (value, subject[0]) if value_first else (subject[0], value)
    return "colon" if words[0].startswith(":") else WordPair(one.subject, qid, words)
