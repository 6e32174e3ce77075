"""All category sets of a recipe: every category and relation in every language, each label asked for once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wikisem.categories.recipe import (
    CandidateItem,
    Category,
    CategoryRecipe,
    CategorySource,
    PropertyPath,
    Relation,
    most_prominent,
)
from wikisem.categories.word_filter import EVERY_WORD, WordFilter
from wikisem.categories.wording import (
    CategoryWords,
    Emoji,
    LanguageWords,
    Names,
    RelationWords,
    ValuedItem,
    emoji_of,
    word_category,
    word_relation,
)
from wikisem.records import Statement
from wikisem.wikis import MULTILINGUAL, name_codes

Members: TypeAlias = Mapping[str, Sequence[CandidateItem]]


@dataclass(frozen=True, slots=True)
class LanguageSet:
    """The categories and relations of a recipe in one language, in the recipe's order."""

    language: str
    categories: tuple[CategoryWords, ...]
    relations: tuple[RelationWords, ...]

    def words(self) -> tuple[LanguageWords, ...]:
        """The categories, then the relations."""
        return (*self.categories, *self.relations)


@dataclass(frozen=True, slots=True)
class SetSources:
    """Where items and emoji come from; a source is opened when a category first needs it, and may be called often."""

    wikidata: Callable[[], CategorySource]
    emoji: Callable[[], Sequence[Emoji]]


def build_sets(
    recipe: CategoryRecipe, languages: Sequence[str], sources: SetSources, keep: WordFilter = EVERY_WORD
) -> list[LanguageSet]:
    """The sets of a recipe, in the order of the languages, of words that ``keep`` keeps.

    A question must have one right answer: of several items that a subject leads to, the one with the lowest QID (with a
    filter, the lowest with a kept label).
    """
    members = {category.name: _members(category, sources) for category in recipe.categories}
    values = {relation.name: _values(relation, members, sources, bool(keep)) for relation in recipe.relations}
    codes = list(dict.fromkeys(code for language in languages for code in name_codes(language)))
    labels = _labels(recipe, members, values, codes, sources)
    names = {category.name: _names(category, members, labels, sources) for category in recipe.categories}
    valued = {
        relation.name: [_valued(subject, chosen, labels) for subject, chosen in values[relation.name].items()]
        for relation in recipe.relations
    }

    subjects = {
        one.name: _subject_names(one, list(values[one.name]), names.get(one.subjects, labels), sources)
        for one in recipe.relations
    }

    def worded(one: Relation, language: str) -> RelationWords:
        return word_relation(one.name, language, valued[one.name], subjects[one.name], one.order == "value-first", keep)

    return [
        LanguageSet(
            language,
            tuple(word_category(name, language, members[name], names[name], keep) for name in recipe.word_sets()),
            tuple(worded(one, language) for one in recipe.relations),
        )
        for language in languages
    ]


def _members(category: Category, sources: SetSources) -> list[CandidateItem]:
    if category.emoji:
        # Unicode's order is the order of keyboards: the best known of a group come first, as with sitelinks.
        listed = emoji_of(category.emoji, sources.emoji())
        return [CandidateItem(_code_points(text), 0) for text in listed[: category.limit or None]]
    return most_prominent(sources.wikidata().items(category), category.limit)


def _values(relation: Relation, members: Members, sources: SetSources, every: bool) -> dict[str, list[Statement]]:
    """Every subject with the values that may be in a pair: the first item, or ``every`` item, or all texts."""
    found_members = members[relation.subjects] if relation.subjects else _members(relation.category(), sources)
    subjects = [one.qid for one in found_members]
    allowed = {one.qid for one in members[relation.values]} if relation.values else None
    found = sources.wikidata().values(subjects, relation.path())
    return {
        qid: _items_or_texts(
            [one for one in found.get(qid, ()) if allowed is None or (not one.language and one.value in allowed)], every
        )
        for qid in subjects
    }


def _items_or_texts(values: Sequence[Statement], every: bool) -> list[Statement]:
    items = [one for one in values if not one.language]
    return (items if every else items[:1]) or list(values)


def _valued(subject: str, values: Sequence[Statement], labels: Mapping[str, Names]) -> ValuedItem:
    """The items in order of QID, or the first text of each language."""
    if values and values[0].language:
        return ValuedItem(subject, (("", _first_texts(values)),))
    return ValuedItem(subject, tuple((one.value, labels.get(one.value, {})) for one in values))


def _first_texts(values: Iterable[Statement]) -> Names:
    names: dict[str, str] = {}
    for one in values:
        names.setdefault(one.language, one.value)
    return names


def _labels(
    recipe: CategoryRecipe,
    members: Members,
    values: Mapping[str, Mapping[str, Sequence[Statement]]],
    codes: Sequence[str],
    sources: SetSources,
) -> Mapping[str, Names]:
    labelled = [one for one in recipe.categories if not one.emoji and not one.named_by]
    asked = {item.qid for category in labelled for item in members[category.name]}
    asked.update(qid for relation in recipe.relations if not relation.subjects for qid in values[relation.name])
    for chosen in values.values():
        asked.update(one.value for listed in chosen.values() for one in listed if not one.language)
    return sources.wikidata().labels(sorted(asked), codes) if asked else {}


def _names(
    category: Category, members: Members, labels: Mapping[str, Names], sources: SetSources
) -> Mapping[str, Names]:
    if category.emoji:
        return {_code_points(text): {MULTILINGUAL: text} for text in emoji_of(category.emoji, sources.emoji())}
    if category.named_by:
        return _texts([one.qid for one in members[category.name]], category.named_by, sources)
    return labels


def _subject_names(
    relation: Relation, subjects: Sequence[str], names: Mapping[str, Names], sources: SetSources
) -> Mapping[str, Names]:
    """What the subjects of a relation are called: by the texts of ``named_by`` in languages that have one."""
    if not relation.named_by:
        return names
    texts = _texts(subjects, relation.named_by, sources)
    return {qid: {**names.get(qid, {}), **texts.get(qid, {})} for qid in subjects}


def _texts(qids: Sequence[str], name: str, sources: SetSources) -> dict[str, Names]:
    """The first text of a property in each language, by item."""
    found = sources.wikidata().values(qids, PropertyPath(name))
    return {qid: _first_texts(one for one in listed if one.language) for qid, listed in found.items()}


def _code_points(text: str) -> str:
    """The id of an emoji: "U+1F3F3 U+FE0F", as Unicode writes code points."""
    return " ".join(f"U+{ord(character):04X}" for character in text)
