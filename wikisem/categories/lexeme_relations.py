"""Pairs of forms of one lexeme that differ in their grammatical features: answer, answers.

A relation swaps features: form b is the partner of form a if b has the features of a, with those in ``from`` replaced
by those in ``to``. So Danish *melon* (singular, indefinite) pairs with *meloner* (plural, indefinite), and *melonen*
with *melonerne*, without a rule for Danish.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from wikisem.categories.word_filter import EVERY_WORD, WordFilter
from wikisem.errors import RecipeError
from wikisem.wikidata.lexeme_reader import Form, Lexeme

SHIPPED: Final = Path(__file__).with_name("lexeme_relations.toml")

_Qid = Annotated[str, msgspec.Meta(pattern=r"^Q[1-9][0-9]*$")]
_Qids = Annotated[tuple[_Qid, ...], msgspec.Meta(min_length=1)]


class Swap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The features that form a has, and those that form b has in their place."""

    from_: _Qids = msgspec.field(name="from")
    to: _Qids


class FormRelation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named relation: the lexical categories that it holds in (any, if there are none), and its swaps in order."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+$")]
    swaps: Annotated[tuple[Swap, ...], msgspec.Meta(min_length=1)]
    categories: tuple[_Qid, ...] = ()


class _RelationFile(msgspec.Struct, forbid_unknown_fields=True):
    relation: Annotated[tuple[FormRelation, ...], msgspec.Meta(min_length=1)]


class FormPair(msgspec.Struct, frozen=True, order=True, gc=False):
    """Two forms of a lexeme, each spelled in one language or variant."""

    lexeme: int
    first: str
    second: str


def load_relations(path: Path = SHIPPED) -> tuple[FormRelation, ...]:
    """The relations of a TOML file; RecipeError names what is wrong with it."""
    try:
        relations = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _RelationFile).relation
    except FileNotFoundError as error:
        raise RecipeError(f"expected a recipe of lexeme relations, saw none at {path}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise RecipeError(f"{path}: expected [[relation]] tables with name and swaps, saw {error}") from error
    names = [relation.name for relation in relations]
    if len(set(names)) != len(names):
        raise RecipeError(f"{path}: expected names that differ, saw {', '.join(sorted(names))}")
    return relations


def form_pairs(lexeme: Lexeme, relation: FormRelation, language: str) -> Iterator[FormPair]:
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


def _swapped(lexeme: int, forms: Sequence[_Spelled], relation: FormRelation) -> Iterator[FormPair]:
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


class PairCollector:
    """The pairs of all relations in some languages; of a lexeme that comes twice, those of its latest revision."""

    def __init__(self, relations: Sequence[FormRelation], languages: Sequence[str]) -> None:
        self._relations, self._languages = relations, languages
        self._found: dict[int, tuple[int, list[tuple[str, str, FormPair]]]] = {}
        self._by_category: dict[str, list[FormRelation]] = {}

    def add(self, lexeme: Lexeme) -> None:
        """Take in a lexeme; one without a lemma in any of the languages is passed over."""
        known = [language for language in self._languages if language in lexeme.lemmas]
        if not known or self._found.get(lexeme.number, (-1,))[0] >= lexeme.lastrevid:
            return
        pairs = []
        for language in known:
            forms = _spelled(lexeme, language)
            for relation in self._of_category(lexeme.category):
                pairs += [(language, relation.name, pair) for pair in _swapped(lexeme.number, forms, relation)]
        self._found[lexeme.number] = (lexeme.lastrevid, pairs)

    def _of_category(self, category: str) -> list[FormRelation]:
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
            for language, relation, pair in self._found[number][1]:
                if keep(pair.first) and keep(pair.second):
                    found[language][relation].append(pair)
        return found


def unambiguous(pairs: Iterable[FormPair]) -> list[FormPair]:
    """One pair for each first form, that of the lowest lexeme, because a question has one right answer."""
    chosen: dict[str, FormPair] = {}
    for pair in pairs:
        chosen.setdefault(pair.first, pair)
    return list(chosen.values())
