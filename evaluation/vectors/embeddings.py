"""From an item of a data set to its vector: by its words, by its key, or by a model that reads the whole item."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from wikisem.errors import DamagedInputError, UsageError
from wikisem.evaluation.options import Keys
from wikisem.evaluation.vectors.words import (
    Tokenizer,
    Vector,
    WordVectors,
    is_sparse,
    mask_digits,
    mean,
    numbers_of,
    products,
    stack,
    tokens_of,
    unit,
    usable,
)

# What scores ask of any model.

# From some vectors, a sequence or rows, and others to the similarity of each to each, shape (ones, others). It need not
# be symmetric.
Similarity = Callable[[Any, Any], Vector]


def cosine(ones: Any, others: Any) -> Vector:
    """The cosines of vectors, shape ``(ones, others)``."""
    return products(unit(stack(ones)), unit(stack(others)))


@runtime_checkable
class EmbeddingModel(Protocol):
    """Anything that has vectors for items; ``notes`` say what a reader of its scores should know."""

    @property
    def name(self) -> str:
        """What the report calls it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts about the model that bear on its scores."""

    @property
    def words(self) -> WordVectors | None:
        """The vocabulary; None for a model that reads any text and lists no words."""

    @property
    def vocabulary_size(self) -> int | None:
        """How many words the model lists, whether they have been read or not; None where it reads any text."""

    @property
    def similarity(self) -> Similarity:
        """How near the vectors of some items are to those of others."""

    def find(self, items: Iterable[str]) -> Mapping[str, Any]:
        """The raw vector of each item, as its ``similarity`` takes it; what is out of vocabulary is not there."""

    def parts(self, item: str) -> list[str]:
        """What an item is looked up as: equal parts, equal item."""


def require_cosine(model: EmbeddingModel, reason: str) -> None:
    """Raise UsageError for a model that compares words by another similarity."""
    if model.similarity is not cosine:
        raise UsageError(f"{model.name}: expected the cosine, for {reason}, saw another similarity")


def require_vocabulary(model: EmbeddingModel, task: str) -> WordVectors:
    """The vocabulary of a model; UsageError for one that lists no words."""
    if model.words is None:
        raise UsageError(f"{task} needs a model with a vocabulary, {model.name} has none")
    return model.words


# Items by their words, or as a model encodes them.


class WordModel:
    """Items as means of the word vectors of their tokens or phrases.

    The averages are those of Blair et al. (2016), section 4.3: the mean of the raw vectors of the known tokens, or, if
    the vocabulary has phrases, of the longest known phrases, taken greedily from the left.

    Text is lowercased if no word of the vocabulary starts with a capital, and its digits are masked if the vocabulary
    masks them. ``phrases`` False reads every item token by token, even where the vocabulary has phrases. ``tokenize``
    divides text into tokens: at `_` and blanks, unless a language without spaces needs more. ``about`` are the first of
    its notes.
    """

    def __init__(
        self,
        name: str,
        words: WordVectors,
        phrases: bool = True,
        tokenize: Tokenizer = tokens_of,
        similarity: Similarity = cosine,
        about: Sequence[str] = (),
    ) -> None:
        spelling = words.spelling()
        self.name = name
        self.words = words
        self.similarity = similarity
        self.about = about
        self.lowercase = not spelling.capitals
        self.phrases = phrases and spelling.phrases
        self.masks_digits = spelling.masks_digits
        self.tokenize = tokenize

    @property
    def vocabulary_size(self) -> int:
        """How many words the whole vocabulary has."""
        return self.words.size

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether text is lowercased, phrases are looked up, and unseen words get vectors."""
        spelling = tuple(
            note
            for holds, note in [
                (self.lowercase, "text lowercased: no word of the vocabulary starts with a capital"),
                (self.phrases, "the vocabulary has phrases: items are means of their longest known phrases"),
                (self.masks_digits, "two or more digits in a row looked up as #, as the vocabulary has them"),
                (self.words.unseen is not None, "words outside the vocabulary have vectors from character n-grams"),
            ]
            if holds
        )
        return (*self.about, *spelling)

    def find(self, items: Iterable[str]) -> Mapping[str, Any]:
        """The mean of the raw vectors of each item's known parts; items without any are out of vocabulary.

        DamagedInputError, as of any model, for a vector that is not finite.
        """
        found = ((item, [self.words.find(part) for part in self.parts(item)]) for item in items)
        known = ((item, [vector for vector in vectors if vector is not None]) for item, vectors in found)
        return known_vectors(self.name, ((item, usable(mean(own)) if own else None) for item, own in known))

    def parts(self, item: str) -> list[str]:
        """The words that an item is looked up as, whether known or not: its tokens, or its longest phrases."""
        tokens = self.tokenize(self.spelled(item))
        parts = list[str]()
        while tokens:
            lengths = range(len(tokens), 1, -1) if self.phrases else ()
            length = next((n for n in lengths if self.words.knows("_".join(tokens[:n]))), 1)
            parts.append("_".join(tokens[:length]))
            tokens = tokens[length:]
        return parts

    def spelled(self, text: str) -> str:
        """The text as the vocabulary would write it: lowercased, with masked digits."""
        lowered = text.lower() if self.lowercase else text
        return mask_digits(lowered) if self.masks_digits else lowered


@dataclass(frozen=True)
class TextModel:
    """Items as a model encodes them: a callable from strings to as many vectors, None where it has no vector."""

    name: str
    encode: Callable[[Sequence[str]], Any]
    notes: tuple[str, ...] = ()
    words: None = None
    vocabulary_size: None = None
    similarity: Similarity = cosine

    def parts(self, item: str) -> list[str]:
        """The whole item, with blanks between its tokens."""
        return [" ".join(tokens_of(item))]

    def find(self, items: Iterable[str]) -> Mapping[str, Vector]:
        """One vector for each item, encoded with blanks between its tokens, every item once and in sorted order."""
        distinct = sorted(set(items))
        vectors = list(self.encode([self.parts(item)[0] for item in distinct])) if distinct else []
        if len(vectors) != len(distinct):
            raise DamagedInputError(f"{self.name}: expected {len(distinct)} vectors, saw {len(vectors)}")
        pairs = zip(distinct, vectors, strict=True)
        known = known_vectors(self.name, ((item, None if vector is None else usable(vector)) for item, vector in pairs))
        shapes = {vector.shape for vector in known.values()}
        rows = all(map(is_sparse, known.values()))
        if len(shapes) > 1 or any(len(shape) != 1 and not rows for shape in shapes):
            raise DamagedInputError(f"{self.name}: expected vectors of one length, saw shapes {sorted(shapes)}")
        return known


def known_vectors(name: str, pairs: Iterable[tuple[str, Any | None]]) -> dict[str, Any]:
    """The items that a model has vectors for; DamagedInputError if any of these is not finite."""
    known = {item: vector for item, vector in pairs if vector is not None}
    broken = [item for item, vector in known.items() if not np.isfinite(numbers_of(vector)).all()]
    if broken:
        raise DamagedInputError(
            f"{name}: expected vectors of finite numbers, saw {len(broken):,} of {len(known):,} with others, "
            f"the first of {broken[0]!r}"
        )
    return known


# Items by their QID or title.

_ENTITY: Final = "http://www.wikidata.org/entity/"
_RESOURCE: Final = "http://dbpedia.org/resource/"

# What comes before and after a key, in the order in which a vocabulary is looked through.
_QID_FORMS: Final = ((f"<{_ENTITY}", ">"), (_ENTITY, ""), ("wd:", ""), ("", ""))
_TITLE_FORMS: Final = (
    ("ENTITY/", ""),
    ("DBPEDIA_ID/", ""),
    (f"<{_RESOURCE}", ">"),
    (_RESOURCE, ""),
    ("dbr:", ""),
    ("", ""),
)
_FORMS: Final = {"qid": _QID_FORMS, "title": _TITLE_FORMS}


class KeyModel(WordModel):
    """Items by the vector of their QID, or of the title of their page; there are no tokens and no phrases.

    Camacho-Collados and Navigli (2016, 3.2) wish for vectors keyed by item or page rather than by word. All keys of a
    vocabulary are taken to be written in one way, the first of these that any of its words has (forms read 2026-11):

        qid    Q42 · <http://www.wikidata.org/entity/Q42>, as PyTorch-BigGraph has it · the same without brackets ·
               wd:Q42
        title  ENTITY/New_York_City or with blanks, as Wikipedia2Vec has it · DBPEDIA_ID/, as Wiki2Vec has it ·
               <http://dbpedia.org/resource/New_York_City> and without brackets, dbr: · the title alone

    So if entities have a prefix, a word of the same letters is never taken for one of them.
    """

    def __init__(
        self, name: str, words: WordVectors, kind: Keys, similarity: Similarity = cosine, about: Sequence[str] = ()
    ) -> None:
        super().__init__(name, words, False, lambda key: [key], similarity)
        self.lowercase = self.masks_digits = False
        self._form = _form_of(words.index, kind)
        shown = _written("Q42" if kind == "qid" else "New York", self._form)[0]
        self.about = (*about, f"vectors keyed by {kind}, written as {shown}")

    def parts(self, item: str) -> list[str]:
        """The word that a key is looked up as, whether known or not."""
        written = _written(item, self._form)
        return [next((word for word in written if word in self.words.index), written[0] if written else item)]


def keys_asked_for(keys: Iterable[str], kind: Keys) -> set[str]:
    """Every word that one of the keys can be looked up as, however the vocabulary writes keys."""
    return {word for key in keys for form in _FORMS[kind] for word in _written(key, form)}


def _written(key: str, form: tuple[str, str]) -> tuple[str, ...]:
    """A key in a form; a title with `_` and with blanks between its words."""
    before, after = form
    blanks = " ".join(key.replace("_", " ").split())
    return tuple(dict.fromkeys(f"{before}{text}{after}" for text in (blanks.replace(" ", "_"), blanks) if text))


def _form_of(words: Iterable[str], kind: Keys) -> tuple[str, str]:
    """How the vocabulary writes keys."""
    forms = _FORMS[kind]
    best = len(forms) - 1  # the bare key, which any word may be
    for word in words:
        seen = (
            index
            for index, (before, after) in enumerate(forms[:best])
            if word.startswith(before) and word.endswith(after)
        )
        best = next(seen, best)
        if not best:
            break
    return forms[best]
