"""Pairs of words from lexemes: forms that differ in their grammatical features, and lexemes made from others.

A relation swaps features: form b is the partner of form a if b has the features of a, with those in ``from`` replaced
by those in ``to``. So Danish *melon* (singular, indefinite) pairs with *meloner* (plural, indefinite), and *melonen*
with *melonerne*, without a rule for Danish. Or it is a derivation, and pairs lemmas: *teach*, *teacher*.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from sys import intern
from typing import TypeAlias

import msgspec

from wikisem.categories.lexeme_relations import Derivation, LexemeRelation
from wikisem.categories.word_filter import EVERY_WORD, WordFilter
from wikisem.wikidata.lexeme_reader import Form, Lexeme


class FormPair(msgspec.Struct, frozen=True, order=True, gc=False):
    """Two words, spelled in one language or variant, and the number of the lexeme that the second one is from."""

    lexeme: int
    first: str
    second: str


def form_pairs(lexeme: Lexeme, relation: LexemeRelation, language: str) -> Iterator[FormPair]:
    """The pairs of a relation in the spelling of one language code, each once, in the order of the swaps and forms.

    Forms that are spelled alike make no pair: *sheep* has no plural to ask for.
    """
    if not relation.categories or lexeme.category in relation.categories:
        yield from _swapped(lexeme.number, _spelled(lexeme, language), relation)


_Spelled = tuple[str, frozenset[str]]


def _spelled(lexeme: Lexeme, language: str) -> list[_Spelled]:
    """The forms that are spelled in a language, with their features."""
    return [
        (form.representations[language].value, frozenset(form.features))
        for form in _forms(lexeme)
        if isinstance(form.representations, dict) and language in form.representations
    ]


def _swapped(lexeme: int, forms: Sequence[_Spelled], relation: LexemeRelation) -> Iterator[FormPair]:
    seen = set[tuple[str, str]]()
    for swap in relation.swaps:
        for first, features in forms:
            if not features.issuperset(swap.from_):
                continue
            wanted = features.difference(swap.from_).union(swap.to)
            for second, others in forms:
                if others == wanted and first != second and (first, second) not in seen:
                    seen.add((first, second))
                    yield FormPair(lexeme, first, second)


def _forms(lexeme: Lexeme) -> Iterable[Form]:
    return lexeme.forms.values() if isinstance(lexeme.forms, dict) else lexeme.forms


@dataclass(frozen=True, slots=True)
class _Derived:
    """A lemma that is made from that of the lexeme ``base``, of one of ``categories``, which may not be read yet."""

    language: str
    relation: str
    base: int
    categories: tuple[str, ...]
    lemma: str


# Language and relation of a pair.
_Named: TypeAlias = tuple[str, str, FormPair]


class PairCollector:
    """The pairs of all relations in some languages; of a lexeme that comes twice, those of its latest revision."""

    def __init__(self, relations: Sequence[LexemeRelation], languages: Sequence[str]) -> None:
        self._relations, self._languages = relations, languages
        self._found: dict[int, tuple[int, list[_Named]]] = {}
        self._by_category: dict[str, list[LexemeRelation]] = {}
        self._derived: dict[int, list[_Derived]] = {}
        # The lexical category of lexemes that others may be made from, and their lemmas in the order of the languages.
        self._bases: dict[int, tuple[str, tuple[str, ...]]] = {}

    def add(self, lexeme: Lexeme) -> None:
        """Take in a lexeme; one without a lemma in any of the languages is passed over."""
        known = [language for language in self._languages if language in lexeme.lemmas]
        if not known or self._found.get(lexeme.number, (-1,))[0] >= lexeme.lastrevid:
            return
        number, pairs, derived = lexeme.number, list[_Named](), list[_Derived]()
        for language in known:
            forms = _spelled(lexeme, language)
            for relation in self._of_category(lexeme.category):
                if relation.derivation is None:
                    pairs += [(language, relation.name, pair) for pair in _swapped(number, forms, relation)]
                else:
                    derived += _derivations(lexeme, relation.name, relation.derivation, language)
        self._found[number] = (lexeme.lastrevid, pairs)
        self._derived.pop(number, None)
        if derived:
            self._derived[number] = derived
        if self._may_be_base(lexeme.category):
            lemmas = tuple([lexeme.lemma(language) for language in self._languages])
            self._bases[number] = (intern(lexeme.category), lemmas)

    def _may_be_base(self, category: str) -> bool:
        wanted = [each.derivation.base for each in self._relations if each.derivation is not None]
        return any(not base or category in base for base in wanted)

    def _of_category(self, category: str) -> list[LexemeRelation]:
        """The relations that hold in a lexical category, found once for each."""
        found = self._by_category.get(category)
        if found is None:
            found = [each for each in self._relations if not each.categories or category in each.categories]
            self._by_category[category] = found
        return found

    def pairs(self, keep: WordFilter = EVERY_WORD) -> dict[str, dict[str, list[FormPair]]]:
        """By language and relation, in order of the lexemes, those whose words are kept; a relation without pairs is
        there, empty.
        """
        found: dict[str, dict[str, list[FormPair]]] = {
            language: {relation.name: [] for relation in self._relations} for language in self._languages
        }
        for number in sorted(self._found):
            for language, relation, pair in (*self._found[number][1], *self._derived_pairs(number)):
                if keep(pair.first) and keep(pair.second):
                    found[language][relation].append(pair)
        return found

    def _derived_pairs(self, number: int) -> list[_Named]:
        """The pairs of a lexeme with those that it is made from, each once; now that all lemmas are known."""
        found = list[_Named]()
        for one in self._derived.get(number, ()):
            category, lemmas = self._bases.get(one.base, ("", ()))
            lemma = lemmas[self._languages.index(one.language)] if lemmas else ""
            if lemma not in ("", one.lemma) and (not one.categories or category in one.categories):
                found.append((one.language, one.relation, FormPair(number, lemma, one.lemma)))
        return list(dict.fromkeys(found))


def _derivations(lexeme: Lexeme, relation: str, wanted: Derivation, language: str) -> Iterator[_Derived]:
    """What a lexeme says that it is made from, if the relation wants lexemes of its kind."""
    if not wanted.types or set(wanted.types).intersection(lexeme.types()):
        for name in wanted.by:
            for base in lexeme.made_from(name):
                yield _Derived(language, relation, base, wanted.base, lexeme.lemma(language))


def unambiguous(pairs: Iterable[FormPair]) -> list[FormPair]:
    """One pair for each first form, that of the lowest lexeme, because a question has one right answer."""
    chosen: dict[str, FormPair] = {}
    for pair in pairs:
        chosen.setdefault(pair.first, pair)
    return list(chosen.values())
