"""The category sets of a recipe in every language: words for items and pairs, and what is left out and why."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from wikisem.categories import recipe as recipes
from wikisem.categories.recipe import CandidateItem, CategoryRecipe, CategorySource, WordFilter
from wikisem.errors import DamagedInputError, MissingExtraError, RecipeError
from wikisem.records import Statement
from wikisem.wikipedia.wikitext import IGNORED, visible
from wikisem.wikis import MULTILINGUAL, name_codes

# What an item is called, by language code.
Names: TypeAlias = Mapping[str, str]
# The subject of a relation and its values, the preferred one first: the QID of each, empty for a string, and its names.
Subject: TypeAlias = tuple[str, Sequence[tuple[str, Names]]]


class CategoryItem(NamedTuple):
    """An item of a category in one language, under the label it has there; ``source`` is the label's language code."""

    id: str
    label: str
    source: str
    sitelinks: int


class LeftOutItem(NamedTuple):
    """An item that was left out, and why.

    Reasons are "no-label"; "filtered", a label that the filter of words does not keep; "same-label" as an item before;
    "colon", a label that text files would take for the name of a category; and in pairs "no-value"; "same-word", twice
    in one pair; "same-pair" as one before; "ambiguous", if a pair before begins with the same word and ends otherwise.
    """

    id: str
    reason: str


class CategoryWords(NamedTuple):
    """A category in one language, most prominent items first; every candidate is in ``items`` or ``left_out``."""

    category: str
    language: str
    items: tuple[CategoryItem, ...]
    left_out: tuple[LeftOutItem, ...]


class WordPair(NamedTuple):
    """An item and its value, and the words that a question writes for them, in the question's order."""

    subject: str
    value: str
    words: tuple[str, str]


class RelationWords(NamedTuple):
    """The word pairs of a relation in one language; every subject is in ``pairs`` or ``left_out``."""

    relation: str
    language: str
    pairs: tuple[WordPair, ...]
    left_out: tuple[LeftOutItem, ...]


LanguageWords: TypeAlias = CategoryWords | RelationWords


class LanguageSet(NamedTuple):
    """The categories and relations of a recipe in one language, in the recipe's order."""

    language: str
    categories: tuple[CategoryWords, ...]
    relations: tuple[RelationWords, ...]

    def words(self) -> tuple[LanguageWords, ...]:
        """Return the categories, then the relations."""
        return (*self.categories, *self.relations)


def word_category(
    category: str,
    language: str,
    candidates: Sequence[CandidateItem],
    names: Mapping[str, Names],
    keep: WordFilter = recipes.EVERY_WORD,
) -> CategoryWords:
    """Return the words for a category's items in a language, in the order of the candidates, and what is left out.

    ``names`` has what each item is called, by QID and language code. Of two items with one name the first is kept.
    """
    items, left_out = dict[str, CategoryItem](), list[LeftOutItem]()  # items by label
    for candidate in candidates:
        named = name_in(names.get(candidate.qid, {}), language)
        if named is None:
            left_out.append(LeftOutItem(candidate.qid, "no-label"))
            continue
        label, code = named
        if not keep(label):
            left_out.append(LeftOutItem(candidate.qid, "filtered"))
        elif label in items or label.startswith(":"):  # a colon begins the line of a category's name in text files
            left_out.append(LeftOutItem(candidate.qid, "same-label" if label in items else "colon"))
        else:
            items[label] = CategoryItem(candidate.qid, label, code, candidate.sitelinks)
    return CategoryWords(category, language, tuple(items.values()), tuple(left_out))


def word_relation(
    relation: str,
    language: str,
    subjects: Iterable[Subject],
    names: Mapping[str, Names],
    value_first: bool,
    keep: WordFilter = recipes.EVERY_WORD,
) -> RelationWords:
    """Pair the name of each subject, such as a country, with that of its value, its capital, in a language.

    ``subjects`` are QIDs with their values, each a QID with its names; ``names`` are those of the subjects. Of several
    values the first with a kept name counts. No two pairs begin with the same word, as "a is to b as c is to which
    word?" must have one right answer. With ``value_first``, the word of the value begins a pair. A subject that makes
    no pair is left out with the reason, as ``LeftOutItem`` lists them.
    """
    pairs, left_out = dict[str, WordPair](), list[LeftOutItem]()  # pairs by their first word
    for subject, values in subjects:
        called, _ = name_in(names.get(subject, {}), language) or ("", "")
        # The values with a name, and of these the first whose name is kept.
        named = [(qid, found[0]) for qid, its_names in values if (found := name_in(its_names, language))]
        qid, word = next(((qid, word) for qid, word in named if keep(word)), ("", ""))
        reason = ""
        if not called or not named:
            reason = "no-label" if values else "no-value"
        elif not word or not keep(called):
            reason = "filtered"
        elif called == word:
            reason = "same-word"
        else:
            words = (word, called) if value_first else (called, word)
            earlier = pairs.get(words[0])
            if words[0].startswith(":"):  # which begins the line of a relation's name in text files
                reason = "colon"
            elif earlier:
                reason = "same-pair" if earlier.words == words else "ambiguous"
            else:
                pairs[words[0]] = WordPair(subject, qid, words)
        if reason:
            left_out.append(LeftOutItem(subject, reason))
    return RelationWords(relation, language, tuple(pairs.values()), tuple(left_out))


def name_in(names: Names, language: str) -> tuple[str, str] | None:
    """Return what an item is called in a language, and the code of that name; None if it has no name there.

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


class Emoji(NamedTuple):
    """An emoji with its group and subgroup, such as "Animals & Nature" and "animal-mammal"."""

    text: str
    group: str
    subgroup: str


def installed_emoji() -> list[Emoji]:
    """Return the fully-qualified emoji of the list that notofonttools has, in its order, without variants of skin tone.

    MissingExtraError if that package is not installed, DamagedInputError if its list has no emoji.
    """
    try:
        path = Path(str(distribution("notofonttools").locate_file("third_party/ucd/emoji-test.txt")))
        text = path.read_text(encoding="utf-8")
    except (PackageNotFoundError, FileNotFoundError) as error:
        raise MissingExtraError("Unicode's emoji list needs notofonttools: pip install 'wikisem[all]'") from error
    group = subgroup = ""
    found = []
    for line in text.splitlines():
        if line.startswith("# group: "):
            group = line.removeprefix("# group: ").strip()
        elif line.startswith("# subgroup: "):
            subgroup = line.removeprefix("# subgroup: ").strip()
        elif match := _LINE.match(line):
            codes = [int(code, 16) for code in match[1].split()]
            if not _SKIN_TONES.intersection(codes):
                found.append(Emoji("".join(map(chr, codes)), group, subgroup))
    if not found:
        raise DamagedInputError(f"{path}: expected lines of emoji-test.txt, saw no emoji")
    return found


class SetSources(NamedTuple):
    """Where items and emoji come from; a source is opened when a category first needs it, and may be called often.

    ``log`` is called with what Wikidata was asked and how much it found.
    """

    wikidata: Callable[[], CategorySource]
    emoji: Callable[[], Sequence[Emoji]]
    log: Callable[[str], object] = lambda _: None


def build_sets(
    recipe: CategoryRecipe, languages: Sequence[str], sources: SetSources, keep: WordFilter = recipes.EVERY_WORD
) -> list[LanguageSet]:
    """Return the categories and word pairs of a recipe in each language, of words that ``keep`` keeps.

    A question must have one right answer: of several values of a subject, that with the lowest QID (and a kept label).
    """
    # The items of each category, the names of those not called by their labels, and the values of each relation.
    members, names = _category_items(recipe, sources)
    values_of = {relation.name: _values(relation, members, sources, bool(keep)) for relation in recipe.relations}

    # Labels are asked for once in all languages: of items without names of their own, subjects in no category, values.
    asked = {item.qid for name, items in members.items() if name not in names for item in items}
    asked.update(qid for relation in recipe.relations if not relation.subjects for qid in values_of[relation.name])
    for by_subject in values_of.values():
        asked.update(value.value for listed in by_subject.values() for value in listed if not value.language)
    codes = list(dict.fromkeys(code for language in languages for code in name_codes(language)))
    labels: Mapping[str, Names] = {}
    if asked:
        labels = sources.wikidata().labels(sorted(asked), codes)
        sources.log(f"labels of {len(asked):,} items under {len(codes):,} language codes: {len(labels):,} have any")

    # The words of each category in every language.
    sets = {language: (list[CategoryWords](), list[RelationWords]()) for language in languages}
    for name in (category.name for category in recipe.categories if not category.only_for_relations):
        for language, (categories, _) in sets.items():
            categories.append(word_category(name, language, members[name], names.get(name, labels), keep))

    # The pairs of each relation in every language.
    for relation in recipe.relations:
        subjects = list[Subject]()
        for qid, values in values_of[relation.name].items():
            if values and values[0].language:
                # Its texts are the names of one value, which is no item; reversed, the first of a language is kept.
                texts = {value.language: value.value for value in reversed(values)}
                subjects.append((qid, [("", texts)]))
            else:
                subjects.append((qid, [(value.value, labels.get(value.value, {})) for value in values]))
        # What subjects are called: the texts of the property ``named_by`` go before labels.
        called = dict(names.get(relation.subjects, labels))
        if relation.named_by:
            for qid, texts_of_item in _texts([qid for qid, _ in subjects], relation.named_by, sources).items():
                called[qid] = {**called.get(qid, {}), **texts_of_item}
        value_first = relation.order == "value-first"
        for language, (_, relations) in sets.items():
            relations.append(word_relation(relation.name, language, subjects, called, value_first, keep))
    return [LanguageSet(language, tuple(words), tuple(pairs)) for language, (words, pairs) in sets.items()]


def _category_items(
    recipe: CategoryRecipe, sources: SetSources
) -> tuple[dict[str, list[CandidateItem]], dict[str, Mapping[str, Names]]]:
    """Return the items of each category, and the names of those in categories that are not called by their labels."""
    members, names = dict[str, list[CandidateItem]](), dict[str, Mapping[str, Names]]()
    for category in recipe.categories:
        if category.emoji:  # the name of a group ("Animals & Nature") or subgroup ("animal-mammal")
            known = sources.emoji()
            texts = [entry.text for entry in known if category.emoji in (entry.group, entry.subgroup)]
            if not texts:
                groups = ", ".join(dict.fromkeys(entry.group for entry in known))
                raise RecipeError(f"expected a group ({groups}) or a subgroup of emoji, saw {category.emoji!r}")
            # Unicode's order is the order of keyboards: the best known of a group come first, as with sitelinks.
            texts = texts[: category.limit or None]
            # The id of an emoji is "U+1F3F3 U+FE0F", as Unicode writes code points.
            ids = [" ".join(f"U+{ord(character):04X}" for character in text) for text in texts]
            names[category.name] = {id_: {MULTILINGUAL: text} for id_, text in zip(ids, texts, strict=True)}
            members[category.name] = [CandidateItem(id_, 0) for id_ in ids]
            continue
        found = sources.wikidata().items(category)
        sources.log(f"{category.name}: {len(found):,} items")
        members[category.name] = category.most_prominent(found)
        if category.named_by:
            names[category.name] = _texts([item.qid for item in members[category.name]], category.named_by, sources)
    return members, names


def _values(
    relation: recipes.Relation, members: Mapping[str, Sequence[CandidateItem]], sources: SetSources, every: bool
) -> dict[str, list[Statement]]:
    """Find the values of a relation's property for each of its subjects, by QID: an item, or the texts if none is one.

    Of several items it is the first, or with ``every`` all, from which a filter of words may leave out some.
    """
    # The subjects: items of a category of the recipe, or any items that have the property.
    subjects = members.get(relation.subjects)
    if subjects is None:
        category = relation.category()
        items_found = sources.wikidata().items(category)
        sources.log(f"{category.name}: {len(items_found):,} items")
        subjects = category.most_prominent(items_found)
    # Their values, which may have to be items of a category, too.
    allowed = {item.qid for item in members[relation.values]} if relation.values else None
    path = recipes.parse_path(relation.property)
    found = sources.wikidata().values([item.qid for item in subjects], path)
    sources.log(f"{path.property} of {len(subjects):,} items: {len(found):,} have it")
    chosen = {}
    for subject in subjects:
        values = list(found.get(subject.qid, ()))
        if allowed is not None:
            values = [value for value in values if not value.language and value.value in allowed]
        items = [value for value in values if not value.language]  # only texts have a language
        chosen[subject.qid] = (items if every else items[:1]) or values
    return chosen


def _texts(qids: Sequence[str], property_id: str, sources: SetSources) -> dict[str, Names]:
    """Return the first text of a property in each language, by the item's QID."""
    found = sources.wikidata().values(qids, recipes.parse_path(property_id))
    sources.log(f"{property_id} of {len(qids):,} items: {len(found):,} have it")
    return {  # reversed, so that the first text of a language overwrites the others
        qid: {value.language: value.value for value in reversed(listed) if value.language}
        for qid, listed in found.items()
    }
