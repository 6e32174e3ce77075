"""Category items and word pairs under the words of one language: what is kept, and what is left out and why."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final, TypeAlias

from wikisem.categories.recipe import CandidateItem
from wikisem.categories.word_filter import EVERY_WORD, WordFilter
from wikisem.errors import DamagedInputError, MissingExtraError, RecipeError
from wikisem.wikipedia.wikitext import IGNORED, visible
from wikisem.wikis import name_codes

# Words in one language.

# What an item is called, by language code.
Names: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CategoryItem:
    """An item of a category in one language, under the label it has there; ``source`` is the label's language code."""

    id: str
    label: str
    source: str
    sitelinks: int


@dataclass(frozen=True, slots=True)
class LeftOutItem:
    """An item that was left out, and why.

    Reasons are "no-label"; "filtered", a label that the filter of words does not keep; "same-label" as an item before;
    "colon", a label that text files would take for the name of a category; and in pairs "no-value"; "same-word", twice
    in one pair; "same-pair" as one before; "ambiguous", if a pair before begins with the same word and ends with
    another.
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


# Items and pairs under their words.


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
    """A subject and its values, the preferred one first: the QID of each, empty for a string, and its names."""

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
    """The subjects, each with the first of its values whose name is kept; the two words of a pair differ.

    No two pairs begin with the same word, because "a is to b as c is to which word?" must have one right answer.
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
    """The pair of a subject, with its words in the question's order, or the reason why it has no pair."""
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


def name_in(names: Names, language: str) -> tuple[str, str] | None:
    """What an item is called in a language, and the code of that name; None if it has no name there.

    Names are cleaned as surface forms are: NFC, without invisible marks, blanks as single spaces; a name with
    nothing to see does not count. Words of several tokens stay whole.
    """
    for code in name_codes(language):
        text = visible(names.get(code, ""))
        if text.strip(f" {IGNORED}"):
            return text, code
    return None


# Emoji by group, from Unicode's own emoji-test.txt (UTS #51, https://www.unicode.org/reports/tr51/#emoji_data).

_LINE: Final = re.compile(r"([0-9A-F ]+?) *; *fully-qualified *# ")
_SKIN_TONES: Final = frozenset(range(0x1F3FB, 0x1F400))  # EMOJI MODIFIER FITZPATRICK TYPE-1-2 to TYPE-6


@dataclass(frozen=True, slots=True)
class Emoji:
    """An emoji with its group and subgroup, such as "Animals & Nature" and "animal-mammal"."""

    text: str
    group: str
    subgroup: str


def installed_emoji() -> list[Emoji]:
    """The emoji of the installed list; MissingExtraError if the package that has it is not installed.

    The package is notofonttools, in which the Noto team keeps the list current; nothing is downloaded.
    """
    try:
        path = Path(str(distribution("notofonttools").locate_file("third_party/ucd/emoji-test.txt")))
        with path.open(encoding="utf-8") as lines:
            found = read_emoji(lines)
    except (PackageNotFoundError, FileNotFoundError) as error:
        raise MissingExtraError("Unicode's emoji list needs notofonttools: pip install 'wikisem[all]'") from error
    if not found:
        raise DamagedInputError(f"{path}: expected lines of emoji-test.txt, saw no emoji")
    return found


def read_emoji(lines: Iterable[str]) -> list[Emoji]:
    """The fully-qualified emoji of emoji-test.txt in their order.

    Emoji with a skin tone are left out: each is also listed without one, and any model finds the two nearest.
    """
    group = subgroup = ""
    found = []
    for line in lines:
        if line.startswith("# group: "):
            group = line.removeprefix("# group: ").strip()
        elif line.startswith("# subgroup: "):
            subgroup = line.removeprefix("# subgroup: ").strip()
        elif match := _LINE.match(line):
            codes = [int(code, 16) for code in match[1].split()]
            if not _SKIN_TONES.intersection(codes):
                found.append(Emoji("".join(map(chr, codes)), group, subgroup))
    return found


def emoji_of(name: str, emoji: Iterable[Emoji]) -> list[str]:
    """The emoji of a group ("Animals & Nature") or subgroup ("animal-mammal"); RecipeError for an unknown name."""
    known = list(emoji)
    found = [one.text for one in known if name in (one.group, one.subgroup)]
    if not found:
        groups = ", ".join(dict.fromkeys(one.group for one in known))
        raise RecipeError(f"expected a group ({groups}) or a subgroup of emoji, saw {name!r}")
    return found
