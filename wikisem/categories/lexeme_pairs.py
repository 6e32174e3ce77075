"""Pairs of words from lexemes: forms that differ in their grammatical features, and lemmas made from others.

A relation swaps features: form b is the partner of form a if b has the features of a, with those in ``from`` replaced
by those in ``to``. So Danish *melon* (singular, indefinite) pairs with *meloner* (plural, indefinite), and *melonen*
with *melonerne*, without a rule for Danish. A relation can also be a derivation, which pairs lemmas: *teach*,
*teacher*.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from wikisem.categories.word_filter import EVERY_WORD, WordFilter
from wikisem.errors import RecipeError
from wikisem.recipes.load import read_toml
from wikisem.wikidata.lexeme_reader import Lexeme

# Recipes of relations.

SHIPPED: Final = Path(__file__).with_name("lexeme_relations.toml")
_Qid = Annotated[str, msgspec.Meta(pattern=r"^Q[1-9][0-9]*$")]
_Qids = Annotated[tuple[_Qid, ...], msgspec.Meta(min_length=1)]


class Swap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The features that form a has, and those that form b has in place of them."""

    from_: _Qids = msgspec.field(name="from")
    to: _Qids


class Derivation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lexeme is made from another: *teacher* from *teach*.

    ``by`` are the properties of the statements. ``base`` are the lexical categories of *teach*, and ``types`` the
    classes or lexical categories of *teacher*; if empty, all count.
    """

    by: Annotated[tuple[Literal["P5191", "P5238"], ...], msgspec.Meta(min_length=1)] = ("P5191", "P5238")
    base: tuple[_Qid, ...] = ()
    types: tuple[_Qid, ...] = ()


class LexemeRelation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named relation: swaps in their order, or a derivation.

    ``categories`` are the lexical categories that it holds in, for a derivation those of the lexeme that is made from
    another; without any, it holds in all.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+$")]
    swaps: tuple[Swap, ...] = ()
    derivation: Derivation | None = None
    categories: tuple[_Qid, ...] = ()


class _RelationFile(msgspec.Struct, forbid_unknown_fields=True):
    relation: Annotated[tuple[LexemeRelation, ...], msgspec.Meta(min_length=1)]


def load_relations(path: Path = SHIPPED) -> tuple[LexemeRelation, ...]:
    """The relations of a TOML file; RecipeError names what is wrong with it."""
    try:
        relations = msgspec.convert(read_toml(path), _RelationFile).relation
    except (FileNotFoundError, IsADirectoryError) as error:
        raise RecipeError(f"expected a recipe of lexeme relations, saw no file at {path}") from error
    except msgspec.ValidationError as error:
        raise RecipeError(f"{path}: expected [[relation]] tables with a name, saw {error}") from error
    for relation in relations:
        if bool(relation.swaps) == (relation.derivation is not None):
            raise RecipeError(f"{path}: relation {relation.name}: expected either swaps or a derivation")
    names = [relation.name for relation in relations]
    if len(set(names)) != len(names):
        raise RecipeError(f"{path}: expected names that differ, saw {', '.join(sorted(names))}")
    return relations


# Pairs.


class FormPair(msgspec.Struct, frozen=True, order=True, gc=False):
    """Two words in the spelling of one language or variant, and the number of the lexeme of the second."""

    lexeme: int
    first: str
    second: str


# The features of the first form, and those that the second has in place of them.
_Swaps = list[tuple[frozenset[str], frozenset[str]]]
# No lemma holds this character.
_SEPARATOR: Final = "\0"


@dataclass(frozen=True, slots=True)
class _Derived:
    """A lemma that is made from that of the lexeme ``base``, of one of ``categories``, which may not be read yet."""

    language: str
    relation: str
    base: int
    categories: tuple[str, ...]
    lemma: str


@dataclass(frozen=True, slots=True)
class _LexicalCategory:
    """A lexical category: the relations that hold in it, and whether others may be made from its lexemes."""

    swaps: list[tuple[str, _Swaps]]
    derivations: list[tuple[str, Derivation]]
    is_base: bool


def _lexical_category(category: str, relations: Sequence[LexemeRelation]) -> _LexicalCategory:
    holding = [relation for relation in relations if not relation.categories or category in relation.categories]
    return _LexicalCategory(
        [
            (relation.name, [(frozenset(swap.from_), frozenset(swap.to)) for swap in relation.swaps])
            for relation in holding
            if relation.derivation is None
        ],
        [(relation.name, relation.derivation) for relation in holding if relation.derivation is not None],
        any(
            not relation.derivation.base or category in relation.derivation.base
            for relation in relations
            if relation.derivation is not None
        ),
    )


class PairCollector:
    """Collects the pairs of all relations in some languages; of a lexeme that comes twice, the latest revision."""

    def __init__(self, relations: Sequence[LexemeRelation], languages: Sequence[str]) -> None:
        self._relations, self._languages = relations, languages
        self._revisions: dict[int, int] = {}
        # Language, relation, first and second word of each pair, in one tuple: there may be millions.
        self._swapped: dict[int, tuple[str, ...]] = {}
        self._by_category: dict[str, _LexicalCategory] = {}
        self._derived: dict[int, list[_Derived]] = {}
        # Lexemes that others may be made from: the lexical category, then the lemmas in the order of the languages.
        self._bases: dict[int, str] = {}
        # The languages that any lexeme has a lemma in.
        self.spelled: set[str] = set()

    def add(self, lexeme: Lexeme) -> None:
        """Take in a lexeme; one without a lemma in any of the languages is passed over."""
        number = lexeme.number
        if self._revisions.get(number, -1) >= lexeme.lastrevid:
            return
        self._revisions[number] = lexeme.lastrevid
        if self._swapped.pop(number, None) is not None:
            self._derived.pop(number, None)
            self._bases.pop(number, None)
        known = [language for language in self._languages if language in lexeme.lemmas]
        if not known:
            return
        self.spelled.update(known)
        category = self._by_category.get(lexeme.category)
        if category is None:
            category = self._by_category[lexeme.category] = _lexical_category(lexeme.category, self._relations)

        pairs: list[str] = []
        spelled_forms = lexeme.forms.values() if isinstance(lexeme.forms, dict) else lexeme.forms
        for language in known:
            forms = [
                (form.representations[language].value, frozenset(form.features))
                for form in spelled_forms
                if isinstance(form.representations, dict) and language in form.representations
            ]
            for relation, swaps in category.swaps:
                for first, second in _swapped(forms, swaps):
                    pairs += (language, relation, first, second)
        self._swapped[number] = tuple(pairs)

        if lexeme.is_made():
            self._derived[number] = [
                _Derived(language, relation, base, derivation.base, lexeme.lemma(language))
                for relation, derivation in category.derivations
                if not derivation.types or set(derivation.types).intersection(lexeme.types())
                for language, name in product(known, derivation.by)
                for base in lexeme.made_from(name)
            ]
        if category.is_base:
            lemmas = [lexeme.lemma(language) for language in self._languages]
            self._bases[number] = _SEPARATOR.join([lexeme.category, *lemmas])

    def pairs(self, keep: WordFilter = EVERY_WORD) -> dict[str, dict[str, list[FormPair]]]:
        """The pairs whose words are kept, by language and relation, in order of the lexemes; some lists are empty."""
        found: dict[str, dict[str, list[FormPair]]] = {
            language: {relation.name: [] for relation in self._relations} for language in self._languages
        }
        every = not keep
        for number in sorted(self._swapped):
            # The pairs of a lexeme and the lexemes it is made from, each once: all lemmas are known now.
            derived: dict[tuple[str, str, str, str], None] = {}
            for made in self._derived.get(number, ()):
                category, *lemmas = self._bases.get(made.base, "").split(_SEPARATOR)
                lemma = lemmas[self._languages.index(made.language)] if lemmas else ""
                if lemma not in ("", made.lemma) and (not made.categories or category in made.categories):
                    derived[made.language, made.relation, lemma, made.lemma] = None
            words = iter(self._swapped[number] + tuple(chain.from_iterable(derived)))
            for language, relation, first, second in zip(words, words, words, words, strict=True):
                if every or (keep(first) and keep(second)):
                    found[language][relation].append(FormPair(number, first, second))
        return found


def _swapped(forms: Sequence[tuple[str, frozenset[str]]], swaps: _Swaps) -> Iterator[tuple[str, str]]:
    """The pairs of some swaps among forms with their features, each once, in the order of the swaps and forms.

    Forms that are spelled alike make no pair: *sheep* has no plural to ask for.
    """
    seen = set[tuple[str, str]]()
    for old, new in swaps:
        for first, features in forms:
            if not features >= old:
                continue
            wanted = features - old | new
            for second, others in forms:
                if others == wanted and first != second and (first, second) not in seen:
                    seen.add((first, second))
                    yield first, second


def unambiguous(pairs: Iterable[FormPair]) -> list[FormPair]:
    """One pair for each first form, that of the lowest lexeme, because a question must have one right answer."""
    chosen: dict[str, FormPair] = {}
    for pair in pairs:
        chosen.setdefault(pair.first, pair)
    return list(chosen.values())
