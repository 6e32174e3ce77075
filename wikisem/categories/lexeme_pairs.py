"""Pairs of words from lexemes: forms that differ in their grammatical features, and lemmas made from others.

A relation swaps features: form b is the partner of form a if b has the features of a, with those in ``from`` replaced
by those in ``to``. So Danish *melon* (singular, indefinite) pairs with *meloner* (plural, indefinite), and *melonen*
with *melonerne*, without a rule for Danish. Or a relation is a derivation, which pairs lemmas: *teach*, *teacher*.

Pairs make analogy questions: a is to b as c is to d (Mikolov et al. 2013; Gao et al. 2014, section 2).
"""

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

import msgspec
import numpy as np

from wikisem.categories.recipe import EVERY_WORD, WordFilter
from wikisem.datasets.files import UNPACKING_ERRORS, compression, open_unpacked
from wikisem.errors import DamagedInputError, MissingInputError, RecipeError, optional_module
from wikisem.recipes.load import read_toml
from wikisem.sampling import hash_keys
from wikisem.typed_json import packaged_tables

if TYPE_CHECKING:  # what writes categories does without dumps, whose compressions an extra brings
    from wikisem.wikidata.entity_reader import Lexeme

Pair: TypeAlias = tuple[str, str]
Question: TypeAlias = tuple[str, str, str, str]
SHIPPED: Final = Path(__file__).with_name("lexeme_relations.toml")
_Qid = Annotated[str, msgspec.Meta(pattern=r"^Q[1-9][0-9]*$")]
_Qids = Annotated[tuple[_Qid, ...], msgspec.Meta(min_length=1)]
_RING: Final = 2**64
_DRAWS_AT_ONCE: Final = 1 << 16


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

    ``categories`` are the lexical categories that it holds in (without any, all), for a derivation those of *teacher*.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+$")]
    swaps: tuple[Swap, ...] = ()
    derivation: Derivation | None = None
    categories: tuple[_Qid, ...] = ()


class _RelationFile(msgspec.Struct, forbid_unknown_fields=True):
    relation: Annotated[tuple[LexemeRelation, ...], msgspec.Meta(min_length=1)]


def load_relations(path: Path = SHIPPED) -> tuple[LexemeRelation, ...]:
    """Read relations that pair words, such as plurals, from a TOML file; RecipeError names what is wrong with it."""
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


class _LexicalCategory:
    """A lexical category, such as nouns: the relations that hold in it, ``swaps`` and ``derivations`` by their names.

    ``is_base`` says whether lexemes of this or any other category may be derived from its own.
    """

    def __init__(self, category: str, relations: Sequence[LexemeRelation]) -> None:
        """Choose the relations whose ``categories`` have this category, given by its QID, or name none."""
        self.swaps: list[tuple[str, _Swaps]] = []
        self.derivations: list[tuple[str, Derivation]] = []
        for relation in relations:
            if relation.categories and category not in relation.categories:
                continue
            if relation.derivation is None:
                swaps = [(frozenset(swap.from_), frozenset(swap.to)) for swap in relation.swaps]
                self.swaps.append((relation.name, swaps))
            else:
                self.derivations.append((relation.name, relation.derivation))
        # Lexemes of this category (*teach*) may be bases of lexemes of others (*teacher*), so no relation is left out.
        derivations = [relation.derivation for relation in relations if relation.derivation is not None]
        self.is_base = any(not derivation.base or category in derivation.base for derivation in derivations)


@dataclass(eq=False)
class PairCollector:
    """Collects the pairs of all relations in some languages; of a lexeme that comes twice, the latest revision.

    ``spelled`` are the languages that any lexeme has a lemma in.
    """

    relations: Sequence[LexemeRelation]
    languages: Sequence[str]
    spelled: set[str] = field(default_factory=set)
    _revisions: dict[int, int] = field(default_factory=dict)
    # Language, relation, first and second word of each pair, in one tuple: there may be millions.
    _swapped: dict[int, tuple[str, ...]] = field(default_factory=dict)
    _by_category: dict[str, _LexicalCategory] = field(default_factory=dict)
    _derived: dict[int, list[_Derived]] = field(default_factory=dict)
    # Lexemes that others may be made from: lexical category and lemmas, in the order of the languages, as one string.
    _bases: dict[int, str] = field(default_factory=dict)

    def add(self, lexeme: "Lexeme") -> None:
        """Keep the pairs of a lexeme's forms, what it is derived from, and its lemmas if others may be derived from it.

        A lexeme without a lemma in any of the languages is passed over.
        """
        # A lexeme may come twice: the newer revision takes the place of the older one, and of all that it gave.
        number = int(lexeme.id[1:])
        if self._revisions.get(number, -1) >= lexeme.lastrevid:
            return
        self._revisions[number] = lexeme.lastrevid
        for kept in (self._swapped, self._derived, self._bases):
            kept.pop(number, None)
        spelled_in = [language for language in self.languages if language in lexeme.lemmas]
        if not spelled_in:
            return
        self.spelled.update(spelled_in)
        category = self._by_category.get(lexeme.category)
        if category is None:
            category = self._by_category[lexeme.category] = _LexicalCategory(lexeme.category, self.relations)

        # The pairs of its forms; the lexemes that it is made from, which may not be read yet (``pairs`` finds their
        # lemmas); and its own lemmas, as others may be made from it.
        self._swapped[number] = _form_pairs(lexeme, spelled_in, category)
        claims = lexeme.claims  # a list if there are none, as PHP writes empty maps
        if getattr(claims, "derived_from", ()) or getattr(claims, "combines", ()):
            types = {lexeme.category, *lexeme.best_ids("instance_of")}
            self._derived[number] = [
                _Derived(language, relation, base, categories=derivation.base, lemma=lexeme.lemma(language))
                for relation, derivation in category.derivations
                if not derivation.types or types.intersection(derivation.types)
                for language, property_id in product(spelled_in, derivation.by)
                for base in lexeme.made_from(property_id)
            ]
        if category.is_base:
            lemmas = [lexeme.lemma(language) for language in self.languages]
            self._bases[number] = _SEPARATOR.join([lexeme.category, *lemmas])

    def pairs(self, keep: WordFilter = EVERY_WORD) -> dict[str, dict[str, list[FormPair]]]:
        """The pairs of words that ``keep`` keeps, by language and relation, in order of the lexemes' numbers."""
        names = [relation.name for relation in self.relations]
        found: dict[str, dict[str, list[FormPair]]] = {code: {name: [] for name in names} for code in self.languages}
        keeps_all = not keep
        for number in sorted(self._swapped):
            # The lemmas of the lexemes that this one is made from, each with its own. By now all lexemes are read.
            derived: dict[tuple[str, str, str, str], None] = {}
            for made in self._derived.get(number, ()):
                category, *lemmas = self._bases.get(made.base, "").split(_SEPARATOR)
                base_lemma = lemmas[self.languages.index(made.language)] if lemmas else ""
                if base_lemma not in ("", made.lemma) and (not made.categories or category in made.categories):
                    derived[made.language, made.relation, base_lemma, made.lemma] = None
            # The pairs of its forms: language, relation, first and second word of each, in one flat tuple.
            flat = self._swapped[number]
            form_pairs = zip(flat[0::4], flat[1::4], flat[2::4], flat[3::4], strict=True)
            for language, relation, first, second in chain(form_pairs, derived):
                if keeps_all or (keep(first) and keep(second)):
                    found[language][relation].append(FormPair(number, first, second))
        return found


def _form_pairs(lexeme: "Lexeme", languages: Sequence[str], category: _LexicalCategory) -> tuple[str, ...]:
    """Pair a lexeme's forms by the swaps of features that hold in its lexical category, such as singular and plural.

    The result has language, relation, first and second word of each pair in turn: one tuple takes less memory.
    """
    pairs: list[str] = []
    all_forms = lexeme.forms.values() if isinstance(lexeme.forms, dict) else lexeme.forms
    for language in languages:
        forms = [  # the words with their grammatical features
            (form.representations[language].value, frozenset(form.features))
            for form in all_forms
            if isinstance(form.representations, dict) and language in form.representations
        ]
        for relation, swaps in category.swaps:
            for first, second in _swapped(forms, swaps):
                pairs += (language, relation, first, second)
    return tuple(pairs)


def _swapped(forms: Sequence[tuple[str, frozenset[str]]], swaps: _Swaps) -> Iterator[tuple[str, str]]:
    """Yield each pair of words whose features differ by one of the swaps alone, once; *sheep*, *sheep* is no pair.

    Forms are words with features. A swap has features of the first (singular) and what replaces them (plural).
    """
    seen = set[tuple[str, str]]()
    for replaced, replacing in swaps:
        for first, features in forms:
            if not features >= replaced:
                continue
            expected = features - replaced | replacing
            for second, second_features in forms:
                if second_features == expected and first != second and (first, second) not in seen:
                    seen.add((first, second))
                    yield first, second


def unambiguous(pairs: Iterable[FormPair]) -> list[FormPair]:
    """One pair for each first form, that of the lowest lexeme, because a question must have one right answer."""
    chosen: dict[str, FormPair] = {}
    for pair in pairs:
        chosen.setdefault(pair.first, pair)
    return list(chosen.values())


# The thirteen relations of WordRep (Gao, Bian and Liu 2014, table 3): the name there -> the relation in an LMF file.
RELATIONS: Final[Mapping[str, str]] = packaged_tables(__package__, "wordnet_relations.toml")
# The only relation of table 2 that WordNets have: adverbs pertain to adjectives, as adjectives do to nouns.
ADVERBS: Final = "Adjective-to-adverb"
_ADJECTIVES: Final = ("a", "s")
_LACKING: Final = "an element that lacks an attribute or another element"


def read_wordnet(path: Path, keep: WordFilter = EVERY_WORD) -> dict[str, list[Pair]]:
    """Return the pairs of kept words of each relation in an LMF file (.xml, .gz, .bz2), each once, in its order.

    MissingExtraError without the package wn, MissingInputError without a file, DamagedInputError if it is not LMF.
    """
    if not path.is_file():
        raise MissingInputError(f"expected a WordNet, saw no file at {path}")
    lmf: Any = optional_module("wn.lmf", "reading a WordNet", "wordnet", package="wn")
    try:
        if isinstance(path, Path) and not compression(path):  # the library opens files by itself, and no URLs
            resource = lmf.load(path, progress_handler=None)
        else:
            # WordNets are released packed, which the library cannot read.
            with open_unpacked(path) as packed, tempfile.TemporaryDirectory() as folder:
                plain = Path(folder) / path.stem
                with plain.open("wb") as stream:
                    shutil.copyfileobj(packed, stream)
                resource = lmf.load(plain, progress_handler=None)
    except (lmf.LMFError, ValueError, SyntaxError, KeyError, AssertionError, *UNPACKING_ERRORS) as error:
        # The library checks what LMF requires by assertions without a message.
        raise DamagedInputError(f"{path}: expected a WordNet in LMF, saw {str(error) or _LACKING}") from error
    names = {relation: name for name, relation in [*RELATIONS.items(), (ADVERBS, ADVERBS)]}
    pairs: dict[str, dict[tuple[str, str], None]] = {name: {} for name in names.values()}
    for first, relation, second in _edges(resource["lexicons"], keep):
        if relation in names and first != second:
            pairs[names[relation]].setdefault((first, second))
    return {name: list(found) for name, found in pairs.items()}


def _edges(lexicons: Any, keep: WordFilter) -> Iterator[tuple[str, str, str]]:
    """Yield each edge of a WordNet as word, relation and word: between senses, then between synsets (sets of synonyms).

    Both words are kept by ``keep``.
    """
    # The senses of kept words, with their parts of speech; the word of each sense, and the words of each synset.
    senses: list[tuple[str, Any]] = []
    word_of: dict[str, str] = {}
    members: dict[str, list[tuple[int, str]]] = {}
    for entry in (entry for lexicon in lexicons for entry in lexicon.get("entries", [])):
        lemma = entry["lemma"]
        for sense in entry.get("senses", []) if keep(lemma["writtenForm"]) else []:
            senses.append((lemma["partOfSpeech"], sense))
            word_of[sense["id"]] = lemma["writtenForm"]
            members.setdefault(sense["synset"], []).append((sense.get("n", 0), lemma["writtenForm"]))
    for _, sense in senses:
        yield from _pairs(sense, word_of)

    # A sense of an adverb pertains to a sense of an adjective.
    adjectives = {sense["id"] for part, sense in senses if part in _ADJECTIVES}
    for adverb in (sense for part, sense in senses if part == "r"):
        for relation in adverb.get("relations", []):
            if relation["relType"] == "pertainym" and relation["target"] in adjectives:
                yield word_of[relation["target"]], ADVERBS, word_of[adverb["id"]]

    # The word of each synset is the first of its members, in the order of the file, that is kept.
    synsets = [synset for lexicon in lexicons for synset in lexicon.get("synsets", [])]
    word_of_synset = {}
    for synset in synsets:
        kept_members = [word_of[sense] for sense in synset.get("members", []) if sense in word_of]
        candidates = kept_members or [word for _, word in sorted(members.get(synset["id"], []))]
        if candidates:
            word_of_synset[synset["id"]] = candidates[0]
    for synset in synsets:
        yield from _pairs(synset, word_of_synset)


def _pairs(node: Any, words: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    if node["id"] in words:
        for relation in node.get("relations", []):
            if relation["target"] in words:
                yield words[node["id"]], relation["relType"], words[relation["target"]]


def questions(pairs: Sequence[Pair], sample: int = 0, seed: int = 0) -> Iterator[Question]:
    """Yield all n(n-1) questions of n pairs, in order; or a sample of that size, in the same order, if there are more.

    >>> list(questions([("Athens", "Greece"), ("Oslo", "Norway")]))
    [('Athens', 'Greece', 'Oslo', 'Norway'), ('Oslo', 'Norway', 'Athens', 'Greece')]
    """
    total, size = len(pairs) * (len(pairs) - 1), count_questions(len(pairs), sample)
    for number in range(total) if size == total else sample_of(total, size, seed):
        first, second = divmod(number, len(pairs) - 1)
        # The second pair is any but the first.
        yield (*pairs[first], *pairs[second + (second >= first)])


def count_questions(pairs: int, sample: int = 0) -> int:
    """Return how many questions ``pairs`` pairs make: all n(n-1), or at most ``sample`` if that is not 0.

    >>> count_questions(4), count_questions(4, sample=10)
    (12, 10)
    """
    total = pairs * max(pairs - 1, 0)
    return min(sample or total, total)


def sample_of(total: int, size: int, seed: int) -> list[int]:
    """``size`` of the numbers 0 to ``total - 1``, sorted, all equally likely; always the same for the same seed."""
    if 2 * size > total:
        left_out = set(sample_of(total, total - size, seed))
        return [number for number in range(total) if number not in left_out]
    found, draw = set[int](), 0
    while len(found) < size:
        # Only as many draws as numbers are missing, so that there are never too many.
        keys = hash_keys(seed, np.arange(draw, draw + min(size - len(found), _DRAWS_AT_ONCE)))
        # Multiplying spreads the ring of 2**64 evenly over the numbers, which a remainder would not.
        found.update(key * total // _RING for key in keys.tolist())
        draw += len(keys)
    return sorted(found)
