"""Given similarities: a table of words by words, or a function of texts or of vectors.

A table is text of ``word<TAB>word<TAB>number`` lines, compressed or not, or a square array of numpy (``FILE.npy``) with
the words of its rows and columns in ``FILE.words``. The number is the similarity of the first word, or of the row, to
the second: symmetry is not assumed, and a pair that is not in the table has no similarity, not a similarity of 0.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, Similarity, TextModel, WordModel
from wikisem.evaluation.vectors.files import read_array, read_triples
from wikisem.evaluation.vectors.words import Vector, spelling_of, stack, tokens_of


@dataclass(frozen=True)
class SimilarityModel:
    """Items by their similarities alone, whole and with blanks between their tokens; there are no vectors.

    ``find`` gives the words themselves, which ``similarity`` compares. ``words_known`` None knows any text.
    """

    name: str
    similarity: Similarity
    words_known: frozenset[str] | None = None
    lowercase: bool = False
    words: None = None

    @property
    def vocabulary_size(self) -> int | None:
        """How many words the table has; None where any text is compared."""
        return None if self.words_known is None else len(self.words_known)

    @property
    def notes(self) -> tuple[str, ...]:
        """That similarities are given, and whether text is lowercased."""
        given = "similarities are given, word by word"
        lowered = "text lowercased: no word of the table starts with a capital"
        return (given, lowered) if self.lowercase else (given,)

    def parts(self, item: str) -> list[str]:
        """The whole item in the spelling of the table."""
        text = " ".join(tokens_of(item))
        return [text.lower() if self.lowercase else text]

    def find(self, items: Iterable[str]) -> Mapping[str, str]:
        """The word that each item is compared as; an item that the table does not have is out of vocabulary."""
        words = {item: self.parts(item)[0] for item in items}
        return {item: word for item, word in words.items() if self.words_known is None or word in self.words_known}


def read_similarities(path: Path, name: str) -> SimilarityModel:
    """The table of a file of either form; MissingInputError and DamagedInputError."""
    if not path.is_file():
        raise MissingInputError(f"expected a file of similarities, saw none at {path}")
    if path.suffix == ".npy":
        words, matrix = read_array(path)
        if matrix.shape[1] != len(words):
            raise DamagedInputError(f"{path}: expected as many columns as rows, saw shape {matrix.shape}")
        compare: Callable[..., Vector] = lambda ones, others: matrix[np.ix_(ones, others)].astype(np.float64)  # noqa: E731
    else:
        words, compare = _read_lines(path)
    index: dict[str, int] = {}
    for at, word in enumerate(words):
        index.setdefault(" ".join(tokens_of(word)), at)

    def similarity(ones: Sequence[str], others: Sequence[str]) -> Vector:
        return compare(*(np.array([index[word] for word in listed], np.int64) for listed in (ones, others)))

    return SimilarityModel(name, similarity, frozenset(index), not spelling_of(index).capitals)


def _read_lines(path: Path) -> tuple[list[str], Callable[..., Vector]]:
    firsts, seconds, rows, columns, numbers = read_triples(path, "word, word and similarity", at_least=-np.inf)
    words = {word: index for index, word in enumerate(dict.fromkeys([*firsts, *seconds]))}
    places = np.array([words[word] for word in seconds], np.int64)  # the first words come first, in their order
    pairs = rows * len(words) + places[columns]
    order = np.argsort(pairs, kind="stable")
    pairs, numbers = pairs[order], numbers[order]

    def compare(ones: Any, others: Any) -> Vector:
        wanted = ones[:, None] * len(words) + others
        index = np.searchsorted(pairs, wanted).clip(max=len(pairs) - 1)
        return np.where(pairs[index] == wanted, numbers[index], np.nan)

    return list(words), compare


def given_similarity(function: Callable[[Any, Any], Any], name: str) -> Similarity:
    """A function of the user's as a similarity; DamagedInputError for what it returns, unless it is a number a pair."""

    def similarity(ones: Any, others: Any) -> Vector:
        shape = tuple(each.shape[0] if hasattr(each, "shape") else len(each) for each in (ones, others))
        try:
            found = np.array(function(ones, others), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DamagedInputError(f"{name}: expected numbers of shape {shape}, saw {error}") from error
        if found.shape != shape:
            raise DamagedInputError(f"{name}: expected numbers of shape {shape}, saw shape {found.shape}")
        return found

    return similarity


def compared_by(model: EmbeddingModel, similarity: Similarity, note: str) -> EmbeddingModel:
    """The model with its vectors compared by another similarity; UsageError for one that has no vectors."""

    def stacked(ones: Any, others: Any) -> Vector:
        return similarity(stack(ones), stack(others))

    if isinstance(model, TextModel):
        return replace(model, similarity=stacked, notes=(note, *model.notes))
    if isinstance(model, WordModel):
        other = copy(model)
        other.similarity, other.about = stacked, (note, *model.about)
        return other
    raise UsageError(f"{model.name}: expected a model with vectors to compare, saw one of similarities")
