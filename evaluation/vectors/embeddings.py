"""Models as scores see them: a vocabulary and its vectors, how its words are spelled, and what items are looked up as.

Rows are a numpy array, shape ``(n, dimensions)``, or, as counts are, a CSR array of SciPy of the same shape; a vector
is one of them, sparse as a matrix of one row. Nothing sparse is ever made dense; what scores need is products of rows,
their lengths and their means.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from wikisem.errors import DamagedInputError, UsageError, optional_module
from wikisem.evaluation.options import TOKENIZERS, Keys
from wikisem.wikipedia.graphemes import initial_case

Tokenizer = Callable[[str], list[str]]
Vector = npt.NDArray[np.float64]
VectorRows = npt.NDArray[np.float32]
Rows = Any  # a numpy array or a scipy.sparse.csr_array, of which SciPy has no types
# Two cosines, or means of cosines, that differ by no more are a tie, and a tie counts against the model. Rounding in
# double precision stays four orders of magnitude below.
TIE_TOLERANCE: Final = 1e-12
_BLANKS: Final = re.compile(r"[_\s]+")
_PHRASE: Final = re.compile("[^_ ][_ ]+[^_ ]")
_DIGITS: Final = re.compile(r"\d{2,}")
# In a sparse product, which takes three times the memory of the same numbers in a dense array.
_NUMBERS_AT_ONCE: Final = 1 << 22
# From some vectors (a sequence or rows) and others to the similarity of each to each, shape (ones, others).
Similarity = Callable[[Any, Any], Vector]
_ENTITY: Final = "http://www.wikidata.org/entity/"
_RESOURCE: Final = "http://dbpedia.org/resource/"
# What comes before and after a key, in the order in which a vocabulary is looked through.
_FORMS: Final = {
    "qid": ((f"<{_ENTITY}", ">"), (_ENTITY, ""), ("wd:", ""), ("", "")),
    "title": (
        ("ENTITY/", ""), ("DBPEDIA_ID/", ""), (f"<{_RESOURCE}", ">"), (_RESOURCE, ""), ("dbr:", ""), ("", "")
    ),
}  # fmt: skip


class Spelling(NamedTuple):
    """How a vocabulary spells words: whether any starts with a capital, is a phrase, has masked or plain digits."""

    capitals: bool
    phrases: bool
    masked: bool
    numbers: bool


def spelling_of(words: Collection[str]) -> Spelling:
    """How a vocabulary spells words: with capitals, phrases (New_York), masked digits (19##) and plain ones (1984)."""
    return Spelling(
        capitals=any(initial_case(word) == "capital" for word in words),
        phrases=any(("_" in word or " " in word) and _PHRASE.search(word) for word in words),
        masked=any("##" in word for word in words),
        numbers=any(_DIGITS.search(word) for word in words),
    )


def tokens_of(item: str) -> list[str]:
    """The tokens of an item, which `_` and blanks divide."""
    return [token for token in _BLANKS.split(item) if token]


def mask_digits(text: str) -> str:
    """The text with a # for each digit of two or more in a row.

    >>> mask_digits("7 of 1984")
    '7 of ####'
    """
    return _DIGITS.sub(lambda found: "#" * len(found[0]), text)


def words_asked_for(items: Iterable[str], tokenize: Tokenizer = tokens_of, keys: Keys | None = None) -> set[str]:
    """Every word or phrase that one of the items can be looked up as, so that a file is read for these alone.

    The spelling of the vocabulary is not known yet, so items are taken as they are and lowercased, with and without
    masked digits, by tokens and by phrases. ``keys`` are QIDs or titles, however a vocabulary writes them.
    """
    if keys:
        return {word for key in items for form in _FORMS[keys] for word in _written(key, form)}
    asked = set[str]()
    for item in items:
        for text in {item, item.lower()}:
            for spelled in {text, mask_digits(text)}:
                tokens = tokenize(spelled)
                phrases = [tokens[start:end] for start, end in combinations(range(len(tokens) + 1), 2)]
                asked |= {blank.join(phrase) for phrase in phrases for blank in "_ "}
    return asked


def open_tokenizer(name: str) -> Tokenizer:
    """A tokenizer for a language without spaces, so that word vectors are found for the words in an item.

    "fugashi" (MeCab with the unidic-lite dictionary) is for Japanese, "jieba" for Chinese, "" for ``tokens_of`` alone.
    It divides each token that `_` and blanks leave, so that it never sees these. UsageError for a name that is not in
    ``TOKENIZERS``, MissingExtraError if its package is not installed.
    """
    if not name:
        return tokens_of
    if name not in TOKENIZERS:
        raise UsageError(f"expected a tokenizer ({', '.join(TOKENIZERS)}), saw {name!r}")
    if name == "fugashi":
        cut = optional_module("fugashi", "--tokenizer fugashi", "tokenizers").Tagger()
    else:
        # Algorithm and dictionary of jieba, whose own package had its last release in 2020 and needs pkg_resources.
        cut = optional_module("rjieba", "--tokenizer jieba", "tokenizers").cut

    def tokenize(text: str) -> list[str]:
        tokens = (str(word) for part in tokens_of(text) for word in cut(part))  # a node of MeCab as its surface
        return [token for token in tokens if token.strip()]

    return tokenize


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """The raw vector of each word: row ``index[word]`` of ``rows``, which has shape ``(words, dimensions)``.

    ``unseen`` makes a vector for a word outside the vocabulary, as fastText does from character n-grams. Where only the
    words that were asked for have been read, ``whole_spelling`` is how the whole vocabulary spells words.
    ``whole_size`` is how many words the file lists, one that repeats each time.
    """

    index: Mapping[str, int]
    rows: Rows
    unseen: Callable[[str], VectorRows] | None = None
    whole_spelling: Spelling | None = None
    whole_size: int | None = None

    def find(self, word: str) -> Any | None:
        """The raw vector of a word, in double precision; None if the word has none that can be compared."""
        index = self.index.get(word)
        if index is not None:
            return usable(self.rows[[index]] if is_sparse(self.rows) else self.rows[index])
        return usable(self.unseen(word)) if self.unseen is not None else None

    def blocks(self, size: int) -> Iterator[tuple[npt.NDArray[np.int64], Rows]]:
        """Row numbers and raw vectors in double precision, ``size`` rows at a time, without zero and infinite ones."""
        for start in range(0, self.rows.shape[0], size):
            rows = self.rows[start : start + size].astype(np.float64)
            # In double precision no square of a number in single precision over- or underflows.
            squares = paired_products(rows, rows)
            kept = np.flatnonzero((squares > 0) & np.isfinite(squares))
            yield kept + start, rows if len(kept) == rows.shape[0] else rows[kept]


def from_words(
    words: Sequence[str], rows: Rows, whole_spelling: Spelling | None = None, whole_size: int | None = None
) -> WordVectors:
    """Word vectors from words and their rows in the same order; a word that repeats keeps its first row.

    If ``words`` are only those of a file that were asked for, they do not show how the file spells words, such as with
    capitals, nor how many it lists: then ``whole_spelling`` and ``whole_size`` say so.
    """
    first_rows: dict[str, int] = {}
    for row, word in enumerate(words):
        first_rows.setdefault(word, row)
    kept = rows if len(first_rows) == len(words) else rows[list(first_rows.values())]
    index = {word: row for row, word in enumerate(first_rows)}
    return WordVectors(index, kept, whole_spelling=whole_spelling, whole_size=whole_size)


def is_sparse(rows: Any) -> bool:
    """Whether rows or a vector are sparse, as SciPy has them, which dense ones do without."""
    return hasattr(rows, "nnz")


def usable(vector: Any) -> Any | None:
    """The vector in double precision; None for a zero vector, which has no direction."""
    sparse = is_sparse(vector)
    with np.errstate(invalid="ignore"):  # of NaNs that a processor would signal
        double: Any = vector.astype(np.float64) if sparse else np.asarray(vector, dtype=np.float64)
    return double if (double.data if sparse else double).any() else None


def stack(vectors: Sequence[Any] | Rows) -> Rows:
    """Vectors, or rows in several arrays, as the rows of one array, ``(0, 0)`` for none; an array is left as it is."""
    if is_sparse(vectors) or isinstance(vectors, np.ndarray):
        return vectors
    if not len(vectors):
        return np.empty((0, 0))
    if is_sparse(vectors[0]):
        from scipy.sparse import vstack  # noqa: PLC0415 - who has sparse vectors has SciPy

        return vstack(vectors, format="csr")
    return np.concatenate(vectors) if np.ndim(vectors[0]) == 2 else np.asarray(vectors, dtype=np.float64)


def width(rows: Rows) -> int:
    """How many numbers a row holds, of sparse rows the mean."""
    count, dimensions = rows.shape
    return rows.nnz // max(1, count) if is_sparse(rows) else int(dimensions)


def products(ones: Rows, others: Rows) -> Vector:
    """The inner products of rows, shape ``(ones, others)``."""
    return np.asarray(product(ones, others.T.tocsr() if is_sparse(others) else others.T))


def product(rows: Rows, columns: Rows, dtype: type[np.floating[Any]] = np.float64) -> Any:
    """The matrix product as a dense array; ``dtype`` is its precision for sparse factors, dense ones keep their own."""
    if not is_sparse(rows):
        return rows @ columns
    # Some rows at a time, since a sparse product takes more memory than a dense one.
    dense = np.empty((rows.shape[0], columns.shape[1]), dtype)
    at_once = max(1, _NUMBERS_AT_ONCE // max(1, columns.shape[1]))
    for start in range(0, rows.shape[0], at_once):
        dense[start : start + at_once] = (rows[start : start + at_once] @ columns).toarray()
    return dense


def paired_products(ones: Rows, others: Rows) -> Vector:
    """The inner product of each row with the row of the same number, shape ``(n,)``."""
    found = ones.multiply(others).sum(axis=1) if is_sparse(ones) else np.einsum("ij,ij->i", ones, others)
    return np.asarray(found).ravel()


def lengths(rows: Rows) -> Vector:
    """The Euclidean length of each row, shape ``(n,)``."""
    return np.sqrt(paired_products(rows, rows))


def divided(rows: Rows, divisors: Vector) -> Rows:
    """Each row divided by its number in ``divisors``, shape ``(n,)``."""
    if not is_sparse(rows):
        return rows / divisors[:, None]
    numbers = rows.data / np.repeat(divisors, np.diff(rows.indptr))  # as often as its row stores numbers
    from scipy.sparse import csr_array  # noqa: PLC0415 - who has sparse rows has SciPy

    return csr_array((numbers, rows.indices, rows.indptr), shape=rows.shape)


def unit(rows: Rows) -> Rows:
    """Rows of length one, shape as given; no row may be zero."""
    with np.errstate(over="ignore", under="ignore"):
        row_lengths = lengths(rows)
    limits = np.finfo(row_lengths.dtype)
    # Where a square could over- or underflow, rows are first divided by their largest number.
    if not ((row_lengths > limits.tiny**0.25) & (row_lengths < limits.max**0.25)).all():
        most = abs(rows).max(axis=1)
        rows = divided(rows, np.asarray(most.toarray() if is_sparse(most) else most).ravel())
        row_lengths = lengths(rows)
    return divided(rows, row_lengths)


def cosine(ones: Any, others: Any) -> Vector:
    """The cosines of vectors, shape ``(ones, others)``."""
    rows = unit(stack(ones))
    return products(rows, rows if others is ones else unit(stack(others)))


class EmbeddingModel:
    """Anything that has vectors for items.

    ``notes`` are what a reader of its scores should know. ``words`` is the vocabulary, None for a model that reads any
    text and lists no words, and ``vocabulary_size`` how many words there are, whether they have been read or not.
    """

    words: WordVectors | None = None
    vocabulary_size: int | None = None

    def __init__(self, name: str, similarity: Similarity = cosine, notes: Sequence[str] = ()) -> None:
        self.name, self.similarity, self.notes = name, similarity, tuple(notes)

    def find(self, items: Iterable[str]) -> Mapping[str, Any]:
        """The raw vector of each item in vocabulary, as ``similarity`` takes it; DamagedInputError for a bad one."""
        raise NotImplementedError

    def parts(self, item: str) -> list[str]:
        """What an item is looked up as, equal parts for equal items: the whole, with blanks between its tokens."""
        return [" ".join(tokens_of(item))]


def require_cosine(model: EmbeddingModel, reason: str) -> None:
    """Raise UsageError for a model that compares words by another similarity."""
    if model.similarity is not cosine:
        raise UsageError(f"{model.name}: expected the cosine, for {reason}, saw another similarity")


def require_vocabulary(model: EmbeddingModel, task: str) -> WordVectors:
    """The vocabulary of a model; UsageError for one that lists no words."""
    if model.words is None:
        raise UsageError(f"{task} needs a model with a vocabulary, {model.name} has none")
    return model.words


class WordModel(EmbeddingModel):
    """Items as means of the word vectors of their tokens or phrases.

    The averages are those of Blair et al. (2016), section 4.3: the mean of the raw vectors of the known tokens, or, if
    the vocabulary has phrases, of the longest known phrases, taken greedily from the left.

    Text is lowercased if no word of the vocabulary starts with a capital, and its digits are masked if the vocabulary
    masks them. ``phrases`` False reads every item token by token, ``tokenize`` divides text into tokens.
    """

    words: WordVectors

    def __init__(
        self,
        name: str,
        words: WordVectors,
        phrases: bool = True,
        tokenize: Tokenizer = tokens_of,
        similarity: Similarity = cosine,
        about: Sequence[str] = (),
    ) -> None:
        """Look items up as the vocabulary spells its words; the notes say how, after those in ``about``."""
        self.words, self.tokenize = words, tokenize
        # Of a file of which only some words were read, size and spelling are still those of the whole.
        self.vocabulary_size = len(words.index) if words.whole_size is None else words.whole_size
        spelling = words.whole_spelling or spelling_of(words.index)
        self.lowercase = not spelling.capitals
        self.phrases = phrases and spelling.phrases
        # A vocabulary with ## and without numbers has # for each digit, as the vectors of Google News do.
        self.masks_digits = spelling.masked and not spelling.numbers
        remarks = {
            "text lowercased: no word of the vocabulary starts with a capital": self.lowercase,
            "the vocabulary has phrases: items are means of their longest known phrases": self.phrases,
            "two or more digits in a row looked up as #, as the vocabulary has them": self.masks_digits,
            "words outside the vocabulary have vectors from character n-grams": words.unseen is not None,
        }
        super().__init__(name, similarity, [*about, *(remark for remark, holds in remarks.items() if holds)])

    def find(self, items: Iterable[str]) -> Mapping[str, Any]:
        """The mean of the raw vectors of each item's known parts; items without any are out of vocabulary."""
        means = dict[str, Any | None]()
        for item in items:
            vectors = [vector for part in self.parts(item) if (vector := self.words.find(part)) is not None]
            means[item] = usable(sum(vectors[1:], start=vectors[0]) / len(vectors)) if vectors else None
        return known_vectors(self.name, means.items())

    def parts(self, item: str) -> list[str]:
        """The words that an item is looked up as, whether known or not: its tokens, or its longest phrases."""
        tokens, parts = self.tokenize(self.spelled(item)), list[str]()
        while tokens:
            # Runs of the first tokens, the longest first, as word2vec writes phrases (New_York) and with blanks.
            lengths = range(len(tokens) if self.phrases else 1, 1, -1)
            runs = {blank.join(tokens[:length]): length for length in lengths for blank in "_ "}
            known = (run for run in runs if run in self.words.index and self.words.find(run) is not None)
            parts.append(next(known, tokens[0]))
            tokens = tokens[runs.get(parts[-1], 1) :]
        return parts

    def spelled(self, text: str) -> str:
        """The text as the vocabulary would write it: lowercased, with masked digits."""
        lowered = text.lower() if self.lowercase else text
        return mask_digits(lowered) if self.masks_digits else lowered


class TextModel(EmbeddingModel):
    """Items as a model encodes them: a callable from strings to as many vectors, None where it has no vector."""

    def __init__(self, name: str, encode: Callable[[Sequence[str]], Any]) -> None:
        super().__init__(name)
        self.encode = encode

    def find(self, items: Iterable[str]) -> Mapping[str, Vector]:
        """The vector of each item that the model knows; each is encoded once, in sorted order, blanks for ``_``."""
        distinct = sorted(set(items))
        texts = [text for item in distinct for text in self.parts(item)]  # ``parts`` has one text for each item
        vectors = list(self.encode(texts)) if texts else []
        if len(vectors) != len(distinct):
            raise DamagedInputError(f"{self.name}: expected {len(distinct)} vectors, saw {len(vectors)}")
        pairs = zip(distinct, vectors, strict=True)
        # An item with None or a zero vector, which has no direction, is unknown.
        known = known_vectors(self.name, ((item, None if vector is None else usable(vector)) for item, vector in pairs))
        shapes = {vector.shape for vector in known.values()}
        all_sparse = all(map(is_sparse, known.values()))  # a sparse vector is a matrix of one row
        if len(shapes) > 1 or any(len(shape) != 1 and not all_sparse for shape in shapes):
            raise DamagedInputError(f"{self.name}: expected vectors of one length, saw shapes {sorted(shapes)}")
        return known


def known_vectors(name: str, pairs: Iterable[tuple[str, Any | None]]) -> dict[str, Any]:
    """The items that a model has vectors for; DamagedInputError if any of these is not finite."""
    known = {item: vector for item, vector in pairs if vector is not None}
    numbers = {item: vector.data if is_sparse(vector) else vector for item, vector in known.items()}
    if broken := [item for item, listed in numbers.items() if not np.isfinite(listed).all()]:
        saw = f"{len(broken):,} of {len(known):,} with others, the first of {broken[0]!r}"
        raise DamagedInputError(f"{name}: expected vectors of finite numbers, saw {saw}")
    return known


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
        """Find the form in which the vocabulary writes its keys, QIDs or titles: the first that any word has."""
        for before, after in _FORMS[kind]:  # the last is the key alone, which any word may be
            self._form = before, after
            if any(word.startswith(before) and word.endswith(after) for word in words.index):
                break
        shown = _written("Q42" if kind == "qid" else "New York", self._form)[0]
        about = (*about, f"vectors keyed by {kind}, written as {shown}")
        # With this spelling no key is lowercased, divided into words or masked: each is looked up as it is.
        plain = replace(words, whole_spelling=Spelling(capitals=True, phrases=False, masked=False, numbers=False))
        super().__init__(name, plain, phrases=False, tokenize=lambda key: [key], similarity=similarity, about=about)

    def parts(self, item: str) -> list[str]:
        """The word that a key is looked up as, whether known or not."""
        written = _written(item, self._form)
        return [next((word for word in written if word in self.words.index), written[0] if written else item)]


def _written(key: str, form: tuple[str, str]) -> tuple[str, ...]:
    """A key in a form; a title with `_` and with blanks between its words."""
    before, after = form
    blanks = " ".join(key.replace("_", " ").split())
    return tuple(dict.fromkeys(f"{before}{text}{after}" for text in (blanks.replace(" ", "_"), blanks) if text))


class SimilarityModel(EmbeddingModel):
    """Items by their similarities alone, whole and with blanks between their tokens; there are no vectors.

    ``find`` gives the words themselves, which ``similarity`` compares. If ``known`` is None, it knows any text.
    """

    def __init__(
        self, name: str, similarity: Similarity, known: frozenset[str] | None = None, lowercase: bool = False
    ) -> None:
        lowered = ["text lowercased: no word of the table starts with a capital"] if lowercase else []
        super().__init__(name, similarity, ["similarities are given, word by word", *lowered])
        self.known, self.lowercase = known, lowercase
        self.vocabulary_size = None if known is None else len(known)

    def parts(self, item: str) -> list[str]:
        """The whole item in the spelling of the table."""
        return [text.lower() if self.lowercase else text for text in super().parts(item)]

    def find(self, items: Iterable[str]) -> Mapping[str, str]:
        """The word that each item is compared as; an item that the table does not have is out of vocabulary."""
        words = {item: self.parts(item)[0] for item in items}
        return {item: word for item, word in words.items() if self.known is None or word in self.known}


def given_similarity(function: Callable[[Any, Any], Any], name: str) -> Similarity:
    """A user's function as a similarity, whose errors pass; DamagedInputError with ``name`` unless it gives numbers."""

    def similarity(ones: Any, others: Any) -> Vector:
        """Call the user's function, and check that it returns numbers of shape ``(ones, others)``."""
        # Words come as a list, vectors as rows; sparse rows have a shape, and no length.
        shape = tuple(each.shape[0] if hasattr(each, "shape") else len(each) for each in (ones, others))
        given = function(ones, others)
        try:
            found = np.array(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DamagedInputError(f"{name}: expected numbers of shape {shape}, saw {error}") from error
        if found.shape != shape:
            raise DamagedInputError(f"{name}: expected numbers of shape {shape}, saw shape {found.shape}")
        return found

    return similarity


def compared_by(model: EmbeddingModel, similarity: Similarity, note: str) -> EmbeddingModel:
    """The model with its vectors compared by another similarity; UsageError for one that has no vectors."""
    if isinstance(model, SimilarityModel):
        raise UsageError(f"{model.name}: expected a model with vectors to compare, saw one of similarities")
    other = copy(model)
    other.similarity = lambda ones, others: similarity(stack(ones), stack(others))
    other.notes = (note, *model.notes)
    return other
